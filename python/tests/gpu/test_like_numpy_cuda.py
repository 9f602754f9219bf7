"""Programs that look like NumPy's, on CUDA devices."""

import os
import sys

import pytest
from cuda_libraries import need

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import numpy_cases


LIBRARIES = {
    "products": ["cublas"],
    "linear algebra": ["cublas", "cusolver"],
    "Fourier transforms": ["cufft"],
}
"""What a noun needs of CUDA's libraries."""


@pytest.mark.parametrize("noun", numpy_cases.NOUNS)
def test_like_numpy_on_cuda(runtime, noun):
    need(*LIBRARIES.get(noun, ()))
    # Each has kernels of its own to compile, sorts large ones, so a part of them; OUTHAUL_ALL=1
    # runs all.
    every = {"sorting": 17, "statistics": 6, "curves": 6, "assembling": 6}.get(noun, 3)
    some = slice(4 if noun == "sorting" else None, None, every)
    chosen = slice(None) if os.environ.get("OUTHAUL_ALL") else some
    numpy_cases.check(noun, numpy_cases.ROWS["in tiles"], runtime, chosen)
