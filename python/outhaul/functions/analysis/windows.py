"""Windows that slide over an array, under NumPy's name."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ...arrays.array import Array
from ...arrays.indexing import axis_of
from ...arrays.members.views import viewed
from ...sizes import counted
from ..shaping import stack

if TYPE_CHECKING:
    from ...arrays.type_aliases import Axis, Shape

__all__ = ["sliding_window_view"]


def sliding_window_view(x: Array, window_shape: Shape, axis: Axis = None) -> Array:
    """Returns the windows of a length along an axis, or of lengths along several, at each place
    where they fit: along new axes at the end, only to read. It is lazy; a window of n elements
    takes n slices of the array, so that a GPU holds n times as much."""
    window = as_tuple(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else as_tuple(axis)
    axes = tuple(axis_of(x, each, "sliding_window_view") for each in axes)
    if len(window) != len(axes):
        raise ValueError(
            f"sliding_window_view: {counted(len(window), 'length')} for {counted(len(axes), 'axis', 'axes')}; give one for each"
        )
    made = x
    for length, each in zip(window, axes):
        made = windows(made, length, each)
    return viewed(x, made, lambda base: sliding_window_view(base, window, axes), None)


def as_tuple(value):
    """Returns a number, or several, as a tuple."""
    return (operator.index(value),) if not hasattr(value, "__iter__") else tuple(value)


def windows(x, length, axis):
    """Returns the windows along one axis, along a new last axis."""
    places = x.shape[axis] - length + 1
    if length < 0 or places < 1:
        raise ValueError(
            f"sliding_window_view: a window of {length} does not fit axis {axis} of "
            f"{x.shape[axis]} elements"
        )
    if not length:
        raise ValueError("sliding_window_view: a window without elements")
    before = (slice(None),) * axis
    return stack([x[(*before, slice(i, i + places))] for i in range(length)], axis=x.ndim)
