"""Linear algebra: the extension `linalg` of the array API standard, 2024.12, and more of NumPy's
functions. `panels.py` factors one large matrix panel by panel. `tall.py` factors a matrix with many
more rows than columns by rows. `stacks.py` applies functions to whole matrices, one or many."""

from ..functions.contraction import matmul, outer, tensordot, vecdot
from ..functions.shaping import matrix_transpose
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
from .hosted import LinAlgError, cond, eig, eigvals, lstsq, multi_dot
from .norms import matrix_norm, matrix_rank, norm, vector_norm
from .products import cross, diagonal, matrix_power, trace
from .solving import SlogdetResult, det, inv, pinv, slogdet, solve
