"""Cross products, powers, diagonals and traces."""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass

from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Together
from ..arrays.broadcasting import aligned
from ..arrays.creation import asarray, eye, zeros
from ..arrays.elementwise import broadcast_to
from ..arrays.indexing import axis_of
from ..arrays.selection import whole_along
from ..arrays.type_aliases import Type
from ..errors import GraphError
from ..functions.contraction import matmul
from ..functions.reductions import sum as summed
from ..functions.shaping import concat, moveaxis, stack
from ..sizes import counted
from .solving import inv
from .stacks import matrices


def cross(x1: Operand, x2: Operand, /, *, axis: int = -1) -> Array:
    """Returns the cross products of vectors of three elements along an axis; the other axes
    broadcast."""
    x1, x2 = asarray(x1), asarray(x2)
    a, b = (moveaxis(each, axis_of(each, axis, "cross"), -1) for each in (x1, x2))
    if (a.shape[-1], b.shape[-1]) != (3, 3):
        raise ValueError(f"cross: {a.shape[-1]} and {b.shape[-1]} elements along axis {axis}; 3")
    [a, b], _ = aligned("cross", [a, b])
    pairs = ((1, 2), (2, 0), (0, 1))
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in pairs]
    return moveaxis(stack(parts, axis=-1), -1, axis)


@dataclass(frozen=True)
class TakeDiagonal:
    """Returns the main diagonals of a partition's matrices."""

    key = "diagonal"

    def __call__(self, device, inputs, out):
        out[...] = device.xp.diagonal(inputs[0], axis1=-2, axis2=-1)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Returns the diagonals (..., K) of matrices (..., M, N), `offset` columns to the right of the
    main one. Reads only the partitions on the diagonal."""
    x = asarray(x)
    if x.ndim < 2:
        raise GraphError(
            f"diagonal: an array with {counted(x.ndim, 'axis', 'axes')}; matrices have two"
        )
    rows, columns = x.shape[-2:]
    row, column = max(0, -offset), max(0, offset)
    length = max(0, min(rows - row, columns - column))
    if not length:
        return zeros((*x.shape[:-2], 0), dtype=x.dtype)
    ends = [itertools.accumulate(cut) for cut in x.chunks[-2:]]
    bounds = {end - begin for begin, cut in zip((row, column), ends) for end in cut}
    bounds = sorted({0, length} | {each for each in bounds if 0 < each < length})
    parts = [
        diagonal_of(x[..., row + a : row + b, column + a : column + b])
        for a, b in itertools.pairwise(bounds)
    ]
    return concat(parts, axis=-1) if len(parts) > 1 else parts[0]


def diagonal_of(x):
    """Returns the main diagonals of matrices, which become whole for it."""
    x = whole_along(x, (-2, -1))
    node = Together("diagonal", TakeDiagonal(), (x,))
    return Array(node, (*x.chunks[:-2], x.chunks[-1]), x.dtype)


def trace(x: Array, /, *, offset: int = 0, dtype: Type = None) -> Array:
    """Returns the sums of diagonals; see `diagonal`. Sums integers in 64 bits."""
    return summed(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_power(x: Array, n: int, /) -> Array:
    """Returns the n-th power of matrices (..., M, M), by repeated squaring, and of their inverses
    for negative n. Raises ValueError if the matrices are not square."""
    x = asarray(x)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"matrix_power: {list(x.shape)} is not a stack of square matrices")
    n = operator.index(n)
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    x = inv(matrices(x, "matrix_power")) if n < 0 else x
    n, result = abs(n), None
    while n:
        if n % 2:
            result = x if result is None else matmul(result, x)
        n //= 2
        x = matmul(x, x) if n else x
    return result
