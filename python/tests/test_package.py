"""The package as pip installs it: its types, its version, and what its extras need."""

import contextlib
import importlib.metadata
import runpy
from pathlib import Path

import pytest

import outhaul

ROOT = Path(__file__).parents[2]


def test_types_are_in_the_wheel():
    """Type checkers read the package's annotations only if this file is there."""
    assert Path(outhaul.__file__).with_name("py.typed").exists()


def test_types_are_in_the_wheel_of_the_releases():
    """The wheel with the programs of the repository, which packaging/wheel.py puts together."""
    wheel = runpy.run_path(str(ROOT / "packaging/wheel.py"), run_name="wheel")
    names = []
    with contextlib.suppress(FileNotFoundError):  # of the programs, which may not be built here
        for name, *_ in wheel["contents"]("x86_64", "0", "any", {}):
            names.append(name)
    assert {"outhaul/py.typed", "outhaul/arrays/array.py"} <= set(names)


def test_extras_bring_cudas_headers():
    """CuPy compiles with CUDA's headers, which its extra `ctk` brings."""
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    with open(ROOT / "python/pyproject.toml", "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for major in ("12", "13"):
        assert extras[f"cuda{major}"] == [f"cupy-cuda{major}x[ctk]>=14"]


def test_version():
    assert outhaul.__version__ == importlib.metadata.version("outhaul")


def test_what_is_not_there_says_what_to_write():
    with pytest.raises(AttributeError, match=r"outhaul has no `busday_count`.* a.map\(f\)"):
        outhaul.busday_count
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        outhaul.foo
