"""Reductions of axes to one element: `sum`, `mean`, `max`, `argmax` and others, each in one pass
over the data."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import full
from ..arrays.elementwise import astype, elementwise
from ..arrays.elementwise import where as chosen
from ..arrays.indexing import axis_of
from ..arrays.selection import rechunked
from ..arrays.type_aliases import Axis, Type
from ..errors import GraphError
from .reducers import WIDEST, ArgExtreme, Fold, Moments, Product, total
from .reduction_tree import Reduced
from .shaping import kept_if_contiguous

if TYPE_CHECKING:
    from collections.abc import Callable


def reduced(array, reducer, axis, keepdims):
    """Returns the lazy result of a reducer over some axes, or all if `axis` is None."""
    axes = axes_of(array, axis, reducer.name)
    if (
        not reducer.has_identity
        and array.size == 0
        and math.prod(array.shape[i] for i in axes) == 0
    ):
        raise ValueError(
            f"{reducer.name}: no elements along axis {axis} of an array of shape "
            f"{list(array.shape)}, so there is no result"
        )
    if not axes and not keepdims and not isinstance(reducer, (Moments, ArgExtreme)):
        return astype(array, reducer.dtype) if not reducer.is_boolean else astype(array, bool)
    chunks = tuple(
        (1,) if i in axes else lengths
        for i, lengths in enumerate(array.chunks)
        if keepdims or i not in axes
    )
    return Array(Reduced(array, axes, reducer), chunks, reducer.dtype)


def axes_of(array, axis, name):
    """Returns axes counted from the front, sorted. Raises ValueError if one occurs twice."""
    if axis is None:
        return tuple(range(array.ndim))
    axes = tuple(
        axis_of(array, each, name) for each in (axis if isinstance(axis, tuple) else (axis,))
    )
    if len(set(axes)) < len(axes):
        raise ValueError(f"{name}: axis {axis} names one twice")
    return tuple(sorted(axes))


def sum_dtype(array, dtype, f=np.sum):
    """Returns the type of the result: `dtype`, or the type that NumPy's f returns."""
    return np.dtype(dtype) if dtype is not None else f(np.ones(1, array.dtype)).dtype


def selective(identity: Any, join: np.ufunc) -> Callable[[Any], Any]:
    """Returns a decorator that adds NumPy's `where=`, by which elements take part, and `initial=`,
    which is joined with each result."""

    def decorate(function):
        @functools.wraps(function)
        def call(array, *others, where=True, initial=None, **options):
            value = initial if identity is None else identity
            if where is not True and value is None:
                raise ValueError(
                    f"reduction operation '{function.__name__}' does not have an identity, so to "
                    f"use a where mask one has to specify 'initial'"
                )
            if where is not True:
                array = chosen(where, array, array.dtype.type(value))
            result = function(array, *others, **options)
            return result if initial is None else elementwise(join, [result, initial])

        return call

    return decorate


@selective(0, np.add)
def sum(array: Array, /, axis: Axis = None, dtype: Type = None, *, keepdims: bool = False) -> Array:
    """Returns sums along axes. Sums integers in 64 bits, unless `dtype` says otherwise."""
    return reduced(array, total("sum", sum_dtype(array, dtype)), axis, keepdims)


@selective(1, np.multiply)
def prod(
    array: Array, /, axis: Axis = None, dtype: Type = None, *, keepdims: bool = False
) -> Array:
    """Returns products along axes. Multiplies integers in 64 bits, unless `dtype` says
    otherwise."""
    reducer = total("prod", sum_dtype(array, dtype, np.prod))
    if isinstance(reducer, Product) and len(axes_of(array, axis, "prod")) == array.ndim:
        array = rechunked(array, kept_if_contiguous(array))  # NumPy's order of all elements
    return reduced(array, reducer, axis, keepdims)


@selective(None, np.maximum)
def max(array: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns the greatest elements along axes; NaN if there is one. Raises ValueError without
    elements."""
    return reduced(array, Fold("max", array.dtype), axis, keepdims)


@selective(None, np.minimum)
def min(array: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns the least elements along axes; NaN if there is one. Raises ValueError without
    elements."""
    return reduced(array, Fold("min", array.dtype), axis, keepdims)


@selective(False, np.logical_or)
def any(array: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns whether any element along axes is true."""
    return reduced(array, Fold("any", np.dtype(bool)), axis, keepdims)


@selective(True, np.logical_and)
def all(array: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns whether all elements along axes are true."""
    return reduced(array, Fold("all", np.dtype(bool)), axis, keepdims)


def count_nonzero(array: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns the number of elements along axes that are not zero."""
    return sum(astype(array, bool), axis=axis, dtype=np.int64, keepdims=keepdims)


def mean(
    array: Array,
    /,
    axis: Axis = None,
    dtype: Type = None,
    *,
    keepdims: bool = False,
    where: Any = True,
) -> Array:
    """Returns means along axes, of the elements where a mask is true; for integers as float64."""
    result = sum_dtype(array, dtype, np.mean)
    if where is not True:
        taken = {"axis": axis, "keepdims": keepdims}
        count = sum(chosen(where, full(array.shape, 1.0), 0.0), **taken)
        return astype(sum(array, dtype=result, where=where, **taken) / count, result)
    return reduced(array, total("mean", result), axis, keepdims)


def var(
    array: Array,
    /,
    axis: Axis = None,
    dtype: Type = None,
    *,
    correction: float = 0.0,
    ddof: float = 0,
    keepdims: bool = False,
    where: Any = True,
) -> Array:
    """Returns variances along axes, in one pass: the sum of squares around the mean, divided by the
    number of elements less `correction`. With a mask, of the elements where it is true."""
    array = array if dtype is None else astype(array, dtype, copy=False)
    if where is not True:
        return var_where(array, axis, correction or ddof, keepdims, where)
    return moments("var", array, axis, correction or ddof, keepdims)


def std(
    array: Array,
    /,
    axis: Axis = None,
    dtype: Type = None,
    *,
    correction: float = 0.0,
    ddof: float = 0,
    keepdims: bool = False,
    where: Any = True,
) -> Array:
    """Returns standard deviations along axes; see `var`."""
    array = array if dtype is None else astype(array, dtype, copy=False)
    if where is not True:
        return elementwise(np.sqrt, [var_where(array, axis, correction or ddof, keepdims, where)])
    return moments("std", array, axis, correction or ddof, keepdims)


def var_where(array, axis, correction, keepdims, where):
    """Returns variances of the elements where a mask is true, in two passes."""
    apart = elementwise(np.abs, [array - mean(array, axis=axis, keepdims=True, where=where)])
    taken = {"axis": axis, "keepdims": keepdims, "where": where}
    freedom = sum(full(array.shape, 1.0), **taken) - correction
    squares = sum(apart * apart, **taken)
    return squares / astype(elementwise(np.maximum, [freedom, 0]), squares.dtype)


def moments(name, array, axis, correction, keepdims):
    """Returns the lazy variance or standard deviation."""
    dtype = sum_dtype(array, None, getattr(np, name))
    wide = np.result_type(np.float64 if array.dtype.kind in "iub" else array.dtype, np.float32)
    return reduced(array, Moments(name, dtype, correction, wide), axis, keepdims)


def argmax(array: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Returns the index of the greatest element, the first of several, along an axis or in the flat
    array; the index of the first NaN if there is one."""
    return reduced(array, ArgExtreme("argmax", real_kind(array, "argmax")), axis, keepdims)


def argmin(array: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Returns the index of the least element, the first of several, along an axis or in the flat
    array; the index of the first NaN if there is one."""
    return reduced(array, ArgExtreme("argmin", real_kind(array, "argmin")), axis, keepdims)


def real_kind(array, name):
    """Returns the kind of a real type. Raises GraphError for another type."""
    if array.dtype.kind not in WIDEST:
        raise GraphError(f"{name}: {array.dtype} has no order; give real numbers")
    return array.dtype.kind
