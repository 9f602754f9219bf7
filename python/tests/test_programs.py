"""Twenty-six lines that people write first with NumPy's arrays: each runs on a lazy array and gives
what NumPy gives."""

import os
import runpy
from pathlib import Path

import numpy as np
import pytest

import outhaul

PROGRAMS = Path(__file__).parent / "programs"

LINES = {
    "a + b": lambda np_, a, b: a + b,
    "a * 2": lambda np_, a, b: a * 2,
    "-a": lambda np_, a, b: -a,
    "a ** 2": lambda np_, a, b: a**2,
    "a > 0.5": lambda np_, a, b: a > 0.5,
    "np.sin(a)": lambda np_, a, b: np.sin(a),
    "xp.sin(a)": lambda np_, a, b: np_.sin(a),
    "a.sum()": lambda np_, a, b: a.sum(),
    "a.sum(axis=0)": lambda np_, a, b: a.sum(axis=0),
    "a.mean()": lambda np_, a, b: a.mean(),
    "a.max()": lambda np_, a, b: a.max(),
    "a[0:10]": lambda np_, a, b: a[0:10],
    "a[5]": lambda np_, a, b: a[5],
    "a[:, 3]": lambda np_, a, b: a[:, 3],
    "a.T": lambda np_, a, b: a.T,
    "a.reshape(-1, 8)": lambda np_, a, b: a.reshape(-1, 8),
    "a.astype('f4')": lambda np_, a, b: a.astype("f4"),
    "len(a)": lambda np_, a, b: len(a),
    "a.size": lambda np_, a, b: a.size,
    "for row in a": lambda np_, a, b: [row for row in a][1],
    "np.concatenate([a, b])": lambda np_, a, b: np.concatenate([a, b]),
    "np.zeros((40, 8))": lambda np_, a, b: np_.zeros((40, 8)),
    "np.arange(40)": lambda np_, a, b: np_.arange(40),
    "np.random.default_rng(1).random((40, 8))": lambda np_, a, b: (
        np_.random.default_rng(1).random((40, 8)).shape
    ),
    "a.rechunk(20)": lambda np_, a, b: a if np_ is np else a.rechunk(20),
    "a.persist()": lambda np_, a, b: a if np_ is np else a.persist(),
}


@pytest.mark.parametrize("line", LINES)
def test_lines(runtime, line):
    random = np.random.default_rng(1)
    a, b = random.random((40, 8)), random.random((40, 8))
    with runtime:
        made = LINES[line](outhaul, outhaul.from_array(a, 7), outhaul.from_array(b, 7))
        wanted = LINES[line](np, a, b)
        np.testing.assert_allclose(np.asarray(made), wanted)
    assert isinstance(made, outhaul.Array) or not isinstance(wanted, np.ndarray)


def test_the_example_is_as_numpy_has_it(capsys):
    path = os.path.join(os.path.dirname(__file__), "..", "examples", "like_numpy.py")
    runpy.run_path(path)["main"]("host", 2048)
    assert "as NumPy has it" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_programs(name, capsys):
    """Programs as people write them with NumPy: only their import differs."""
    main = runpy.run_path(str(PROGRAMS / f"{name}.py"))["main"]
    wanted, printed = values_of(main(np)), capsys.readouterr().out
    with outhaul.Runtime("host", gpus=2, memory="8 MB"):
        made = values_of(main(outhaul))
    assert capsys.readouterr().out == printed
    for one, other in zip(made, wanted, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def values_of(results):
    """The arrays and numbers that a program returns."""
    if isinstance(results, (tuple, list)):
        return [value for each in results for value in values_of(each)]
    return [np.asarray(results)]
