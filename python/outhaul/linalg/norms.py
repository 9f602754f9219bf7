"""Norms, and the rank by singular values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import asarray, zeros
from ..arrays.elementwise import astype, elementwise, imag, real
from ..arrays.type_aliases import Axis
from ..functions.reductions import axes_of, count_nonzero
from ..functions.reductions import max as greatest
from ..functions.reductions import min as least
from ..functions.reductions import sum as summed
from ..functions.shaping import expand_dims, moveaxis
from .decompositions import svdvals
from .solving import cutoff
from .stacks import floating, matrices, real_type


def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """Returns the norms of vectors along one axis, or of several axes as one vector, by default
    all: (sum |x|^ord)^(1/ord), the greatest |x| for inf, the least for -inf, and the number of
    elements that are not 0 for 0."""
    x = floating(asarray(x), "vector_norm")
    dtype, axes = real_type(x.dtype), axes_of(x, axis, "vector_norm")
    along = {"axis": axes, "keepdims": keepdims}
    if ord == 0:
        return astype(count_nonzero(x, **along), dtype)
    if ord == 2:
        squares = elementwise(np.square, [real(x)])
        if x.dtype.kind == "c":
            squares = squares + elementwise(np.square, [imag(x)])
        return elementwise(np.sqrt, [summed(squares, **along)])
    size = elementwise(np.abs, [x])
    if math.isinf(ord):
        if not math.prod(x.shape[i] for i in axes):
            return summed(size, **along)
        return (greatest if ord > 0 else least)(size, **along)
    if ord == 1:
        return summed(size, **along)
    return summed(size**ord, **along) ** (1 / ord)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Returns the norms of matrices (..., M, N): "fro" and "nuc", 1 and inf and their negatives by
    sums of columns and rows, 2 and -2 by singular values. Raises ValueError for another `ord`."""
    x = matrices(x, "matrix_norm")
    result = one_norm(x, ord)
    return expand_dims(expand_dims(result, axis=-1), axis=-1) if keepdims else result


def one_norm(x, ord):
    """Returns the norms of matrices for one `ord`. Raises ValueError for another `ord`."""
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise ValueError(
            f"matrix_norm: ord={ord!r}; there are fro, nuc, 1, 2, inf and -1, -2, -inf"
        )
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1))
    if not x.shape[-1] * x.shape[-2]:
        return zeros(x.shape[:-2], dtype=real_type(x.dtype))
    if ord == "nuc":
        return summed(svdvals(x), axis=-1)
    choose = greatest if ord > 0 else least
    if abs(ord) == 2:
        return choose(svdvals(x), axis=-1)
    return choose(summed(elementwise(np.abs, [x]), axis=-2 if abs(ord) == 1 else -1), axis=-1)


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    """Returns the number of singular values of matrices (..., M, N) that exceed `rtol` times the
    greatest. By default, `rtol` is the larger of M and N times the type's epsilon."""
    x = matrices(x, "matrix_rank")
    if not x.shape[-1] * x.shape[-2]:
        return zeros(x.shape[:-2], dtype=np.int64)
    s = svdvals(x)
    return count_nonzero(s > cutoff(s, x, rtol), axis=-1)


def norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Returns NumPy's `norm`: of matrices for two axes, of vectors for one axis, and by default of
    all elements. Raises ValueError for more axes."""
    x = asarray(x)
    if axis is None and (ord is None or x.ndim == 1):
        return vector_norm(x, axis=None, keepdims=keepdims, ord=2 if ord is None else ord)
    axes = tuple(range(x.ndim)) if axis is None else axis
    if not isinstance(axes, tuple) or len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"norm: {len(axes)} axes; give one, for vectors, or two, for matrices")
    result = matrix_norm(moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    if keepdims:
        for each in sorted(each % x.ndim for each in axes):
            result = expand_dims(result, axis=each)
    return result
