"""Skips tests whose functions need libraries of CUDA that are not there."""

import os

import cupy
import pytest

from outhaul.backends.software_gpu import NAME


def is_software_gpu():
    """Returns whether the first device is the software GPU."""
    return cupy.cuda.runtime.getDeviceProperties(0)["name"].startswith(NAME)


def need(*libraries):
    """Skips unless the libraries are there. The software GPU needs none: NumPy computes there."""
    if is_software_gpu():
        return
    for library in libraries:
        pytest.importorskip(
            f"cupy.cuda.{library}", reason=f"CuPy needs {library}", exc_type=ImportError
        )


def need_time():
    """Skips on the software GPU, unless OUTHAUL_ALL is 1."""
    if is_software_gpu() and not os.environ.get("OUTHAUL_ALL"):
        pytest.skip("takes minutes on the software GPU; OUTHAUL_ALL=1 runs it")
