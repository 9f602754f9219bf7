"""Arrays that change. An array object is a place for elements: assignments and in-place operators
give it a new expression, and arrays made of it before keep the old one. A view is an array that
shows elements of another: it is made again when that one has changed, and what is written to it is
written to that one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .method_functions import functions


@dataclass
class View:
    """`again(base)` makes the view's elements from the array whose elements it shows. `put(base,
    value)` returns that array with the view's elements replaced; None for views that are only read.
    `key` is the index that made the view, if one did."""

    base: Any
    again: Any
    put: Any
    version: int
    key: Any = None


def viewed(base, made, again, put, layout=None, key=None):
    """Returns `made` as a view of an array. `layout` are the view's strides in elements."""
    if not base.is_number:
        made.view_of = View(base, again, put, version_of(base), key)
        made.layout = layout
        made.is_cell = made.ndim == 0
    elif key is not None:
        made.is_cell = True
    return made


def version_of(array):
    """Returns how often the elements behind an array have changed."""
    while array.view_of is not None:
        array = array.view_of.base
    return array.version


def refresh(array):
    """Makes a view's elements again if those behind it have changed."""
    view = array.view_of
    if view is not None and view.version != version_of(array):
        fresh = view.again(view.base)
        array.replace(fresh.value)
        view.version = version_of(array)


def write(array, made):
    """Gives an array other elements, of the same shape and type, and also the array that it is a
    view of. Raises ValueError for a view that is only read."""
    made = functions.rechunked(made, array.chunks)
    view = array.view_of
    if view is None:
        array.version += 1
    elif view.put is None:
        raise ValueError("assignment destination is read-only: write to a copy, a.copy()")
    else:
        write(view.base, view.put(view.base, made))
        view.version = version_of(array)
    array.replace(made.value)


def write_result(array, name, operands, made):
    """Writes an operation's result into an array, as NumPy's `out=`."""
    if array.is_number:
        raise TypeError(f"{name}: a number is no place for a result; give an array")
    refuse_misfit(array, name, operands, made)
    write(array, functions.astype(made, array.dtype))
    return array


def refuse_misfit(array, name, operands, made):
    """Raises NumPy's errors for an array that a result does not fit: of another shape, or of a type
    that would lose the kind of numbers."""
    if made.shape != array.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {array.shape} doesn't match the broadcast"
            f" shape {made.shape}"
        )
    if not np.can_cast(made.dtype, array.dtype, "same_kind"):
        ufunc = getattr(np, name)
        samples = [np.ones(1, each.dtype) if hasattr(each, "dtype") else each for each in operands]
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None:
            ufunc(*samples, out=np.ones(1, array.dtype))  # raises NumPy's own error
        raise TypeError(f"{name}: {made.dtype} does not fit an array of {array.dtype}")


def in_place(array, ufunc, other):
    """Returns `array += other` and the like. A number is replaced, as in NumPy; an array
    changes."""
    made = functions.elementwise(ufunc, [array, other])
    if array.is_number:
        return made
    return write_result(array, ufunc.__name__, [array, other], made)


def copied(array):
    """Returns another array object with the same elements, which neither follows the other."""
    twin = array.value.twin()
    twin.is_cell = array.is_cell
    return twin


def strides_of(array):
    """Returns the distances between neighbours along each axis, in elements, that NumPy would
    have."""
    if array.layout is not None:
        return array.layout
    strides, distance = [], 1
    for n in array.shape[::-1]:
        strides.insert(0, distance)
        distance *= max(1, n)
    return tuple(strides)


def is_contiguous(array):
    """Returns whether NumPy would have the elements one after another in memory."""
    like = np.lib.stride_tricks.as_strided(np.empty(0, "u1"), array.shape, strides_of(array))
    return like.flags.c_contiguous


def reshaped_strides(array, shape):
    """Returns the strides of the array in another shape, or None if NumPy would have to copy it."""
    if not array.size:
        return None
    # Nothing reads this array's elements, of which it has none: NumPy only compares its strides.
    like = np.lib.stride_tricks.as_strided(np.empty(0, "u1"), array.shape, strides_of(array))
    try:
        like.shape = shape
    except AttributeError:
        return None
    return like.strides


def order_kept(arrays, shape):
    """Returns the layout that NumPy gives a function's result: the order of axes that its operands
    have in memory, if all have the same."""
    whole = [each for each in arrays if each.shape == shape and each.size > 1]
    if not whole or all(each.layout is None for each in whole):
        return None
    orders = {
        tuple(sorted(range(len(shape)), key=lambda axis: -abs(strides_of(each)[axis])))
        for each in whole
    }
    if len(orders) > 1:
        return None
    return layout_in_order(*orders, shape)


def layout_in_order(order, shape):
    """Returns the layout of an array whose axes lie in memory in this order, the last one's
    elements side by side."""
    strides, distance = [0] * len(shape), 1
    for axis in order[::-1]:
        strides[axis], distance = distance, distance * max(1, shape[axis])
    return None if tuple(order) == tuple(range(len(shape))) else tuple(strides)


def is_same_key(one, other):
    """Returns whether two indices of slices, numbers, `...` and new axes are equal."""
    parts = lambda key: key if isinstance(key, tuple) else (key,)
    plain = (int, slice, type(...), type(None))
    return all(isinstance(each, plain) for each in (*parts(one), *parts(other))) and one == other
