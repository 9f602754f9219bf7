"""Linear equations, inverses and determinants."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays.array import Array, Operand
from ..arrays.broadcasting import broadcast_shape
from ..arrays.creation import asarray, eye
from ..arrays.elementwise import astype, broadcast_to, elementwise, real, where
from ..functions.reductions import max as greatest
from ..functions.reductions import prod
from ..functions.reductions import sum as summed
from ..functions.shaping import expand_dims, moveaxis, squeeze
from .decompositions import svd
from .panels import Determinants, in_panels, reflected, reflectors, solved_upper
from .stacks import adjoint, floating, is_cut, matrices, real_type, whole


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Array
    logabsdet: Array


def solve(x1: Array, x2: Operand, /) -> Array:
    """Returns x with x1 x = x2, for x1 (..., M, M) and x2 (M,) or (..., M, K). A cut matrix is
    solved by Householder's QR, panel by panel: it needs no pivots and twice the work of LU, and is
    as stable. If a matrix is singular, the run raises SubtaskError with LinAlgError as its
    cause."""
    x1, x2 = matrices(x1, "solve", square=True), floating(asarray(x2), "solve")
    rows = x1.shape[-1]
    if not x2.ndim or x2.shape[-min(2, x2.ndim)] != rows:
        raise ValueError(f"solve: {list(x2.shape)} does not fit matrices of {rows} rows")
    dtype = np.result_type(x1.dtype, x2.dtype)
    x1, x2 = astype(x1, dtype), astype(x2, dtype)
    if x2.ndim == 1:
        return squeeze(solve(x1, expand_dims(x2, axis=1)), axis=-1)
    if is_cut(x1) and x2.size:
        columns = moveaxis(x2, -2, 0)
        solved = solved_in_panels(x1, columns.reshape((rows, -1)))
        return moveaxis(solved.reshape(columns.shape), 0, -2)
    batch = broadcast_shape("solve", [x1.shape[:-2], x2.shape[:-2]])
    x1, x2 = (
        each if each.shape[:-2] == batch else broadcast_to(each, (*batch, *each.shape[-2:]))
        for each in (x1, x2)
    )
    return whole("solve", solve_of, [x1, x2], [x2.shape[-2:]], [dtype])[0]


def solved_in_panels(x1, x2):
    """Returns the solution for a matrix that is cut into panels."""
    factors = reflectors(x1)
    turned = reflected(factors, x2, len(x1), is_adjoint=True)
    return solved_upper(factors, turned, len(x1))


def inv(x: Array, /) -> Array:
    """Returns the inverses of matrices (..., M, M). See `solve`."""
    x = matrices(x, "inv", square=True)
    if is_cut(x):
        panels = in_panels(x)
        return solve(x, eye(len(x), dtype=x.dtype, chunks=panels.chunks))
    return whole("inv", inv_of, [x], [x.shape[-2:]], [x.dtype])[0]


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    """Returns the pseudo-inverses (..., N, M) of matrices (..., M, N), by singular values. Values
    below `rtol` times the greatest count as 0; by default, `rtol` is the larger of M and N times
    the epsilon."""
    x = matrices(x, "pinv")
    if not x.size:
        return broadcast_to(eye(x.shape[-1], x.shape[-2], dtype=x.dtype), adjoint(x).shape)
    u, s, vh = svd(x, full_matrices=False)
    kept = s > cutoff(s, x, rtol)
    inverse = where(kept, 1 / where(kept, s, 1), 0)
    return (adjoint(vh) * expand_dims(astype(inverse, x.dtype), axis=-2)) @ adjoint(u)


def cutoff(s, x, rtol):
    """Returns the limit at or below which singular values (..., K) of matrices count as 0."""
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(s.dtype).eps)
    elif np.ndim(rtol):
        rtol = expand_dims(rtol, axis=-1) if hasattr(rtol, "node") else np.asarray(rtol)[..., None]
    return greatest(s, axis=-1, keepdims=True) * rtol


def slogdet(x: Array, /) -> SlogdetResult:
    """Returns for matrices (..., M, M) the sign of the determinant, or its direction for complex
    numbers, and the logarithm of its absolute value. For a singular matrix these are 0 and -inf."""
    x = matrices(x, "slogdet", square=True)
    if is_cut(x):
        return slogdet_in_panels(x)
    return SlogdetResult(
        *whole("slogdet", slogdet_of, [x], [(), ()], [x.dtype, real_type(x.dtype)])
    )


def slogdet_in_panels(x):
    """Returns sign and logarithm for a matrix that is cut into panels."""
    factors = reflectors(x)
    count = len(factors.chunks[1])
    parts = Array(Determinants(factors, len(x)), ((1,) * count, (2,)), x.dtype)
    sign, logarithm = prod(parts[:, 0], dtype=x.dtype), summed(parts[:, 1], dtype=x.dtype)
    return SlogdetResult(sign, real(logarithm))


def det(x: Array, /) -> Array:
    """Returns the determinants of matrices (..., M, M)."""
    x = matrices(x, "det", square=True)
    if is_cut(x):
        sign, logarithm = slogdet(x)
        return sign * elementwise(np.exp, [logarithm])
    return whole("det", det_of, [x], [()], [x.dtype])[0]


def solve_of(xp, a, b):
    """Returns the solutions for whole matrices."""
    return (xp.linalg.solve(a, b),)


def inv_of(xp, a):
    """Returns the inverses of whole matrices."""
    return (xp.linalg.inv(a),)


def slogdet_of(xp, a):
    """Returns signs and logarithms of the determinants of whole matrices."""
    return tuple(xp.linalg.slogdet(a))


def det_of(xp, a):
    """Returns the determinants of whole matrices."""
    return (xp.linalg.det(a),)
