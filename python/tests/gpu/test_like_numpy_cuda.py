"""Programs that look like NumPy's, on CUDA devices."""

import os
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import numpy_cases


@pytest.mark.parametrize("noun", numpy_cases.NOUNS)
def test_like_numpy_on_cuda(runtime, noun):
    if noun == "products":
        pytest.importorskip(
            "cupy.cuda.cublas", reason="CuPy multiplies matrices by cuBLAS", exc_type=ImportError
        )
    # Each has kernels of its own to compile, sorts large ones, so a part of them; OUTHAUL_ALL=1 runs all.
    some = slice(4, None, 17) if noun == "sorting" else slice(None, None, 3)
    chosen = slice(None) if os.environ.get("OUTHAUL_ALL") else some
    numpy_cases.check(noun, numpy_cases.ROWS["in tiles"], runtime, chosen)
