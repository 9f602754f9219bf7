"""Linear algebra and Fourier transforms on CUDA devices, where CUDA's libraries are."""

import os
import sys

import pytest
from cuda_libraries import need, need_time

import outhaul

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
from test_fft import signal, test_single_precision_stays_that  # noqa: E402, F401
from test_linalg import (  # noqa: E402, F401
    test_a_rank_that_is_not_full,
    test_eigenvectors,
    test_matrices_that_are_wrong,
    test_qr,
    test_svd,
    test_what_is_cut_is_solved,
)


@pytest.fixture
def runtime():
    need_time()
    need("cublas", "cusolver", "cufft")
    runtime = outhaul.Runtime("cuda", memory="256 MB", scratch="50%")
    yield runtime
    runtime.close()
