"""Linear algebra: the extension `linalg` of the array API standard, 2024.12, and what of NumPy's is
beside it. `panels.py` factors one large matrix panel by panel, `tall.py` a matrix of many more rows
than columns by rows; `stacks.py` has what a GPU does to whole matrices, one or many."""

from ..contraction import matmul, outer, tensordot, vecdot
from ..shaping import matrix_transpose
from .decompositions import (
    EighResult,
    QRResult,
    SVDResult,
    cholesky,
    eigh,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from .norms import matrix_norm, matrix_rank, norm, vector_norm
from .products import cross, diagonal, matrix_power, trace
from .solving import SlogdetResult, det, inv, pinv, slogdet, solve
