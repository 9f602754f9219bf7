"""Reductions that ignore NaNs, under NumPy's names. Arrays of integers have none, and are reduced
unchanged."""

from __future__ import annotations

import numpy as np

from ..arrays.array import Array
from ..arrays.elementwise import astype, elementwise, where
from ..arrays.type_aliases import Axis, Type
from . import reductions, scans


def has_nans(x):
    """Returns whether arrays of this type can contain NaNs."""
    return x.dtype.kind in "fc"


def filled(x, value):
    """Returns the array with a number in place of each NaN."""
    return where(elementwise(np.isnan, [x]), x.dtype.type(value), x) if has_nans(x) else x


def valid(x, axis, keepdims):
    """Returns the number of elements along axes that are not NaN."""
    return reductions.sum(~elementwise(np.isnan, [x]), axis=axis, keepdims=keepdims)


def nansum(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Returns sums along axes without NaNs; 0 if all are NaN."""
    return reductions.sum(filled(x, 0), axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Returns products along axes without NaNs; 1 if all are NaN."""
    return reductions.prod(filled(x, 1), axis=axis, dtype=dtype, keepdims=keepdims)


def nanmean(x: Array, axis: Axis = None, dtype: Type = None, keepdims: bool = False) -> Array:
    """Returns means along axes without NaNs; NaN if all are NaN."""
    if not has_nans(x):
        return reductions.mean(x, axis=axis, dtype=dtype, keepdims=keepdims)
    x = x if dtype is None else astype(x, dtype)
    return nansum(x, axis=axis, keepdims=keepdims) / astype(valid(x, axis, keepdims), x.dtype)


def nanvar(
    x: Array, axis: Axis = None, dtype: Type = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Returns variances along axes without NaNs, in two passes; NaN for at most `ddof` numbers."""
    x = x if dtype is None else astype(x, dtype)
    if not has_nans(x):
        return reductions.var(x, axis=axis, correction=ddof, keepdims=keepdims)
    apart = elementwise(np.abs, [x - nanmean(x, axis=axis, keepdims=True)])
    # An infinite element is NaN apart from its mean, and stays so.
    apart = where(elementwise(np.isnan, [x]), apart.dtype.type(0), apart)
    squares = reductions.sum(apart * apart, axis=axis, keepdims=keepdims)
    freedom = astype(valid(x, axis, keepdims), squares.dtype) - ddof
    return squares / where(freedom > 0, freedom, squares.dtype.type(np.nan))


def nanstd(
    x: Array, axis: Axis = None, dtype: Type = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Returns standard deviations along axes; see `nanvar`."""
    return elementwise(np.sqrt, [nanvar(x, axis, dtype, ddof, keepdims)])


def nanmax(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Returns the greatest elements along axes without NaNs; NaN if all are NaN."""
    return extreme(reductions.max, -np.inf, x, axis, keepdims)


def nanmin(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Returns the least elements along axes without NaNs; NaN if all are NaN."""
    return extreme(reductions.min, np.inf, x, axis, keepdims)


def extreme(f, beyond, x, axis, keepdims):
    """Returns the greatest or least elements, with NaNs replaced by `beyond`."""
    if not has_nans(x):
        return f(x, axis=axis, keepdims=keepdims)
    result = f(filled(x, beyond), axis=axis, keepdims=keepdims)
    return where(valid(x, axis, keepdims) > 0, result, x.dtype.type(np.nan))


def nanargmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Returns the index of the greatest element, the first of several; NaNs count as -inf. A run
    raises ValueError if all are NaN."""
    return chosen_index(reductions.argmax, -np.inf, x, axis, keepdims)


def nanargmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Returns the index of the least element; NaNs count as inf. See `nanargmax`."""
    return chosen_index(reductions.argmin, np.inf, x, axis, keepdims)


def chosen_index(f, beyond, x, axis, keepdims):
    """Returns f of the elements, with NaNs replaced by `beyond`; with nothing else it has no
    result."""
    made = f(filled(x, beyond), axis=axis, keepdims=keepdims)
    return elementwise(of_numbers, [made, valid(x, axis, keepdims)]) if has_nans(x) else made


def of_numbers(index, count):
    """Returns indices. Raises NumPy's ValueError if one was chosen among no numbers."""
    if not count.all():
        raise ValueError("All-NaN slice encountered")
    return index


def nancumsum(x: Array, axis: int | None = None, dtype: Type = None) -> Array:
    """Returns cumulative sums, with NaNs as 0."""
    return scans.cumsum(filled(x, 0), axis, dtype)


def nancumprod(x: Array, axis: int | None = None, dtype: Type = None) -> Array:
    """Returns cumulative products, with NaNs as 1."""
    return scans.cumprod(filled(x, 1), axis, dtype)
