"""Decompositions of matrices: Cholesky, QR, singular values, eigenvalues. A single matrix that is
cut is factored in blocks if possible; all other decompositions need a whole matrix on a GPU."""

from __future__ import annotations

from typing import NamedTuple

from .. import chunks as grid
from ..arrays.array import Array
from ..arrays.creation import eye, triu
from ..functions.shaping import concat
from .panels import lower, reflected, reflectors
from .stacks import adjoint, is_cut, matrices, real_type, whole
from .tall import is_tall, q_and_r, qr_of_tall, r_of, r_of_tall


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Array
    S: Array
    Vh: Array


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Returns L with L L* = x for positive definite matrices (..., M, M), or with `upper` its
    adjoint. Reads the lower triangle only. A cut matrix is factored panel by panel. If a matrix is
    not positive definite, the run raises SubtaskError with LinAlgError as its cause."""
    x = matrices(x, "cholesky", square=True)
    if is_cut(x):
        factor = lower(x)
    else:
        [factor] = whole("cholesky", cholesky_of, [x], [x.shape[-2:]], [x.dtype])
    return adjoint(factor) if upper else factor


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """Returns Q with orthonormal columns and an upper triangular R, Q R = x, for x (..., M, N). Q
    has K = min(M, N) columns, or all M with mode "complete"; mode "r" returns R alone. A cut matrix
    is factored by rows if it is tall, otherwise panel by panel. Then the signs of R's rows may
    differ from those of an uncut matrix."""
    x = matrices(x, "qr")
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f'qr: mode "{mode}"; there are "reduced", "complete" and "r"')
    if is_cut(x):
        return cut_qr(x, mode)
    rows, columns = x.shape[-2:]
    k = rows if mode == "complete" else min(rows, columns)
    if mode == "r":
        return whole("qr", r_of, [x], [(k, columns)], [x.dtype])[0]
    f = complete_q_and_r if mode == "complete" else q_and_r
    return QRResult(*whole("qr", f, [x], [(rows, k), (k, columns)], [x.dtype] * 2))


def cut_qr(x, mode):
    """Factors one matrix in several partitions."""
    elements_max = grid.largest_part(x.chunks)
    if is_tall(x) and mode != "complete":
        return r_of_tall(x, elements_max) if mode == "r" else QRResult(*qr_of_tall(x, elements_max))
    rows, columns = x.shape
    k = rows if mode == "complete" else min(rows, columns)
    factors = reflectors(x)
    r = triu(factors[:k])
    if mode == "r":
        return r
    width = max(1, elements_max // rows)
    identity = eye(rows, k, dtype=x.dtype, chunks=(rows, width))
    return QRResult(reflected(factors, identity, rows, is_adjoint=False, begins=True), r)


def svd(x: Array, /, full_matrices: bool = True, compute_uv: bool = True) -> SVDResult | Array:
    """Returns U (..., M, M), singular values (..., K) in descending order, and V* (..., N, N) with
    U S V* = x. Without `full_matrices`, U has K = min(M, N) columns and V* K rows. For a cut matrix
    it decomposes R, K by K, which must fit one GPU together with its results. Without `compute_uv`,
    returns the singular values alone."""
    if not compute_uv:
        return svdvals(x)
    x = matrices(x, "svd")
    rows, columns = x.shape[-2:]
    if is_cut(x) and rows < columns and goes_by_r(columns, rows):
        u, s, vh = svd(adjoint(x), full_matrices=full_matrices)
        return SVDResult(adjoint(vh), s, adjoint(u))
    if is_cut(x) and goes_by_r(rows, columns):
        return svd_by_qr(x, full_matrices)
    k = min(rows, columns)
    shapes = [(rows, rows), (k,), (columns, columns)] if full_matrices else None
    return SVDResult(
        *whole(
            "svd",
            svd_of,
            [x],
            shapes or [(rows, k), (k,), (k, columns)],
            [x.dtype, real_type(x.dtype), x.dtype],
            full_matrices=full_matrices,
        )
    )


def goes_by_r(rows, columns):
    """Returns whether R is so much smaller than the matrix that computing it first pays."""
    return rows >= 2 * columns


def svd_by_qr(x, full_matrices):
    """Returns the singular value decomposition of a tall, cut matrix, by that of its R."""
    columns = x.shape[1]
    q, r = qr(x, mode="complete" if full_matrices else "reduced")
    u, s, vh = svd(r[:columns].rechunk((columns, columns)))
    inner = q[:, :columns] @ u
    return SVDResult(concat([inner, q[:, columns:]], axis=1) if full_matrices else inner, s, vh)


def svdvals(x: Array, /) -> Array:
    """Returns the singular values (..., K) in descending order of matrices (..., M, N), with
    K = min(M, N)."""
    x = matrices(x, "svdvals")
    rows, columns = x.shape[-2:]
    if is_cut(x) and rows < columns and goes_by_r(columns, rows):
        return svdvals(adjoint(x))
    if is_cut(x) and goes_by_r(rows, columns):
        x = qr(x, mode="r").rechunk((columns, columns))
    shape = (min(rows, columns),)
    return whole("svdvals", svdvals_of, [x], [shape], [real_type(x.dtype)])[0]


def eigh(x: Array, /) -> EighResult:
    """Returns eigenvalues (..., M) in ascending order and eigenvectors, as columns, of symmetric or
    Hermitian matrices (..., M, M). Reads the lower triangle only."""
    x = matrices(x, "eigh", square=True)
    n = x.shape[-1]
    return EighResult(*whole("eigh", eigh_of, [x], [(n,), (n, n)], [real_type(x.dtype), x.dtype]))


def eigvalsh(x: Array, /) -> Array:
    """Returns the eigenvalues (..., M) in ascending order; see `eigh`."""
    x = matrices(x, "eigvalsh", square=True)
    return whole("eigvalsh", eigvalsh_of, [x], [x.shape[-1:]], [real_type(x.dtype)])[0]


def cholesky_of(xp, a):
    """Returns L of whole matrices."""
    return (xp.linalg.cholesky(a),)


def complete_q_and_r(xp, a):
    """Returns the complete Q, and R, of whole matrices."""
    return tuple(xp.linalg.qr(a, mode="complete"))


def svd_of(xp, a, full_matrices):
    """Returns the singular value decomposition of whole matrices."""
    return tuple(xp.linalg.svd(a, full_matrices=full_matrices))


def svdvals_of(xp, a):
    """Returns the singular values of whole matrices."""
    return (xp.linalg.svd(a, compute_uv=False),)


def eigh_of(xp, a):
    """Returns eigenvalues and eigenvectors of whole matrices."""
    return tuple(xp.linalg.eigh(a))


def eigvalsh_of(xp, a):
    """Returns the eigenvalues of whole matrices."""
    return (xp.linalg.eigvalsh(a),)
