"""Reductions that leave NaNs out, under NumPy's names. Arrays of integers have none, and are
reduced as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import reductions, scans
from .elementwise import astype, elementwise, where

if TYPE_CHECKING:
    from .annotations import Axis, Type
    from .array import Array


def has_nans(x):
    return x.dtype.kind in "fc"


def filled(x, value):
    """The array with a number in the place of each NaN."""
    return where(elementwise(np.isnan, [x]), x.dtype.type(value), x) if has_nans(x) else x


def valid(x, axis, keepdims):
    """How many elements along axes are no NaNs."""
    return reductions.sum(~elementwise(np.isnan, [x]), axis=axis, keepdims=keepdims)


def nansum(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Sums along axes; 0 where there are NaNs only."""
    return reductions.sum(filled(x, 0), axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Products along axes; 1 where there are NaNs only."""
    return reductions.prod(filled(x, 1), axis=axis, dtype=dtype, keepdims=keepdims)


def nanmean(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Means along axes; NaN where there are NaNs only."""
    if not has_nans(x):
        return reductions.mean(x, axis=axis, dtype=dtype, keepdims=keepdims)
    x = x if dtype is None else astype(x, dtype)
    return nansum(x, axis=axis, keepdims=keepdims) / astype(valid(x, axis, keepdims), x.dtype)


def nanvar(
    x: Array, axis: Axis = None, dtype: Type = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Variances along axes, in two passes; NaN where there are no more than `ddof` numbers."""
    x = x if dtype is None else astype(x, dtype)
    if not has_nans(x):
        return reductions.var(x, axis=axis, correction=ddof, keepdims=keepdims)
    apart = elementwise(np.abs, [filled(x - nanmean(x, axis=axis, keepdims=True), 0)])
    squares = reductions.sum(apart * apart, axis=axis, keepdims=keepdims)
    freedom = astype(valid(x, axis, keepdims), squares.dtype) - ddof
    return squares / where(freedom > 0, freedom, squares.dtype.type(np.nan))


def nanstd(
    x: Array, axis: Axis = None, dtype: Type = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Standard deviations along axes; see `nanvar`."""
    return elementwise(np.sqrt, [nanvar(x, axis, dtype, ddof, keepdims)])


def nanmax(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The greatest along axes; NaN where there are NaNs only."""
    return extreme(reductions.max, -np.inf, x, axis, keepdims)


def nanmin(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The least along axes; NaN where there are NaNs only."""
    return extreme(reductions.min, np.inf, x, axis, keepdims)


def extreme(f, beyond, x, axis, keepdims):
    if not has_nans(x):
        return f(x, axis=axis, keepdims=keepdims)
    result = f(filled(x, beyond), axis=axis, keepdims=keepdims)
    return where(valid(x, axis, keepdims) > 0, result, x.dtype.type(np.nan))


def nanargmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Where the greatest is, the first of several, NaNs counting as -inf. 0 where there are NaNs
    only, for which NumPy raises ValueError."""
    return reductions.argmax(filled(x, -np.inf), axis=axis, keepdims=keepdims)


def nanargmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Where the least is, NaNs counting as inf; see `nanargmax`."""
    return reductions.argmin(filled(x, np.inf), axis=axis, keepdims=keepdims)


def nancumsum(x: Array, axis: int | None = None, dtype: Type = None) -> Array:
    """Sums of each element and those before it, NaNs as 0."""
    return scans.cumsum(filled(x, 0), axis, dtype)


def nancumprod(x: Array, axis: int | None = None, dtype: Type = None) -> Array:
    """Products of each element and those before it, NaNs as 1."""
    return scans.cumprod(filled(x, 1), axis, dtype)
