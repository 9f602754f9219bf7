"""`a[index]` as in NumPy: slices, numbers, `...`, new axes, index arrays and masks. A lazy mask is
counted at once, because the number of elements that it selects determines the shape. Assignment is
deliberately absent: assignment.py has it."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from ..sizes import counted
from .array import Array
from .array_nodes import Node, specs_of
from .members.method_functions import functions
from .members.views import copied, layout_in_order, strides_of, viewed
from .opening import from_array
from .selection import index_axis, selected, slice_axis, whole_axis


def getitem(array, key):
    """Returns NumPy's indexing, lazily. Raises IndexError as NumPy does."""
    key = key if isinstance(key, tuple) else (key,)
    if (
        len(key) == 1
        and isinstance(key[0], (Array, np.ndarray, np.bool_, bool))
        and np.dtype(getattr(key[0], "dtype", bool)) == bool
    ):
        return masked(array, key[0])
    whole = key
    key = with_masks_as_indices(array, [in_memory(each) for each in key])
    together = are_together(key)
    key = with_all_axes(array, key)
    advanced = [each for each in key if isinstance(each, np.ndarray)]
    if not advanced:
        return element(array, key) if is_element(key, whole) else basic(array, key, whole)
    if len(advanced) == 1 and not any(isinstance(each, int) for each in key):
        return along_one_axis(array, key)
    return pointwise(array, key, together)


def are_together(key):
    """Returns whether index arrays, and numbers with them, are side by side in an index."""
    places = [i for i, each in enumerate(key) if isinstance(each, (np.ndarray, int))]
    return not places or places == list(range(places[0], places[-1] + 1))


def is_element(key, whole):
    """Returns whether an index chooses one number: it has an integer for each axis and no `...`."""
    return all(isinstance(each, int) for each in key) and not any(each is ... for each in whole)


def element(array, key):
    """Returns one number of an array."""
    made = basic(array, key)
    made.view_of, made.layout, made.is_cell = None, None, made is array and array.is_cell
    return made


def with_masks_as_indices(array, key):
    """Replaces masks by the indices of their true elements. Raises IndexError for a mask of another
    length than its axes."""
    taken = sum(each.ndim if is_mask(each) else each is not None for each in key if each is not ...)
    axis, result = 0, []
    for each in key:
        if not is_mask(each):
            result.append(each)
            axis += array.ndim - taken if each is ... else each is not None
            continue
        if not each.ndim:
            raise IndexError("True or False beside other indices: write a[None] or a[:0]")
        for i, n in enumerate(each.shape):
            if axis + i >= array.ndim or array.shape[axis + i] != n:
                size = array.shape[axis + i] if axis + i < array.ndim else "missing"
                raise IndexError(
                    f"boolean index did not match indexed array along axis {axis + i}; size of axis"
                    f" is {size} but size of corresponding boolean axis is {n}"
                )
        result.extend(np.nonzero(each))
        axis += each.ndim
    return result


def in_memory(part):
    """Converts a part of an index. A lazy index array is computed, because its values determine the
    graph. Lists become index arrays, and NumPy numbers become numbers."""
    if isinstance(part, Array):
        part = part.compute()
    if part is None or part is Ellipsis or isinstance(part, (slice, bool, np.bool_)):
        return np.asarray(part) if isinstance(part, (bool, np.bool_)) else part
    if isinstance(part, (list, tuple, range, np.ndarray)) and np.ndim(part):
        is_empty_list = not isinstance(part, np.ndarray) and not len(part)
        part = np.asarray(part, np.intp if is_empty_list else None)
        if part.dtype.kind not in "iub":
            raise IndexError(f"an index array of {part.dtype}: indices are integers or booleans")
        return part
    try:
        return operator.index(part)
    except TypeError:
        raise IndexError(
            f"{part!r} is not an index: give integers, slices, `...`, None, or arrays of integers "
            f"or booleans"
        ) from None


def is_mask(part):
    """Returns whether a part of an index is a mask in memory."""
    return isinstance(part, np.ndarray) and part.dtype == bool


def with_all_axes(array, key):
    """Returns one entry for each axis, and None for each new one. Checks indices, and counts
    negative ones from the front."""
    taken = sum(each is not None and each is not Ellipsis for each in key)
    if taken > array.ndim:
        raise IndexError(
            f"too many indices: {taken} for an array with {counted(array.ndim, 'axis', 'axes')}"
        )
    if sum(each is Ellipsis for each in key) > 1:
        raise IndexError("an index has one `...` at most")
    rest = [slice(None)] * (array.ndim - taken)
    if any(each is Ellipsis for each in key):
        at = next(i for i, each in enumerate(key) if each is Ellipsis)
        key = [*key[:at], *rest, *key[at + 1 :]]
    else:
        key = [*key, *rest]
    axes = iter(range(array.ndim))
    return [each if each is None else from_front(each, next(axes), array.shape) for each in key]


def from_front(part, axis, shape):
    """Returns indices of an axis counted from the front. Raises IndexError outside the axis."""
    n = shape[axis]
    if isinstance(part, slice):
        return part
    low, high = (
        (part, part) if isinstance(part, int) else (part.min(initial=0), part.max(initial=-1))
    )
    if low < -n or high >= n:
        raise IndexError(
            f"index {low if low < -n else high} is out of bounds for axis {axis} with size {n}"
        )
    return (
        part + n
        if isinstance(part, int) and part < 0
        else part
        if isinstance(part, int)
        else np.where(part < 0, part + n, part)
    )


def basic(array, key, whole=None):
    """Applies slices, numbers and new axes, as a view. Axes of one element come and go with the
    shape. `whole` is the index as the program has it."""
    axes, chunks, layout = [], [], []
    strides = iter(strides_of(array))
    own = iter(array.chunks)
    for each in key:
        if each is None:
            chunks.append((1,))
            layout.append(0)
            continue
        lengths, stride = next(own), next(strides)
        if isinstance(each, int):
            axes.append(slice_axis(lengths, each, 1, 1))
            continue
        start, stop, step = each.indices(sum(lengths))
        count = len(range(start, stop, step))
        layout.append(stride * step)
        axes.append(
            whole_axis(lengths)
            if (start, step, count) == (0, 1, sum(lengths))
            else slice_axis(lengths, start, step, count)
        )
        chunks.append(tuple(sum(part.length for part in parts) for parts in axes[-1]))
    is_whole = all(isinstance(each, slice) and each == slice(None) for each in key)
    made = copied(array) if is_whole else selected("getitem", array, axes, tuple(chunks))
    again = lambda base: basic(base, key)
    put = lambda base, value: functions.assigned(base, tuple(key), value)
    index = whole if whole is None or len(whole) != 1 else whole[0]
    return viewed(array, made, again, put, tuple(layout), index)


def along_one_axis(array, key):
    """Applies one index array, which may have several axes."""
    at = next(i for i, each in enumerate(key) if isinstance(each, np.ndarray))
    axis = sum(each is not None for each in key[:at])
    index = key[at]
    axes = [whole_axis(lengths) for lengths in array.chunks]
    axes[axis] = index_axis(array.chunks[axis], index.reshape(-1))
    chosen = selected("getitem", array, axes)
    if index.ndim != 1:
        chosen = chosen.reshape(chosen.shape[:axis] + index.shape + chosen.shape[axis + 1 :])
    begin = at
    key = key[:at] + [slice(None)] * index.ndim + key[at + 1 :]
    kept = sum(not isinstance(each, int) for each in key[:begin])
    return apart(basic(chosen, key), kept, index.ndim)


def pointwise(array, key, together):
    """Applies several index arrays together. The axes that they index become one axis of rows."""
    places, indices = pointwise_places(key)
    axes = [sum(each is not None for each in key[:i]) for i in places]
    others = [axis for axis in range(array.ndim) if axis not in axes]
    indexed = tuple(array.shape[axis] for axis in axes)
    rows = array.permute(axes + others)
    rows = rows.reshape((math.prod(indexed), *rows.shape[len(axes) :]))
    number = np.ravel_multi_index([each.reshape(-1) for each in indices], indexed)
    parts = [index_axis(rows.chunks[0], number), *map(whole_axis, rows.chunks[1:])]
    chosen = selected("getitem", rows, parts)
    chosen = chosen.reshape(indices[0].shape + chosen.shape[1:])
    return placed(chosen, indices[0].ndim, key, places, together)


def pointwise_places(key):
    """Returns which parts of an index select elements together, and their arrays, broadcast."""
    places = [i for i, each in enumerate(key) if isinstance(each, (np.ndarray, int))]
    try:
        return places, np.broadcast_arrays(*(key[i] for i in places))
    except ValueError:
        shapes = [np.shape(key[i]) for i in places]
        raise IndexError(f"index arrays of shapes {shapes} do not broadcast") from None


def placed(chosen, ndim, key, places, together):
    """Moves the first `ndim` axes, those of index arrays, to the position of the index arrays, or
    to the front if other axes are between them. Then applies the rest of the key."""
    begin = places[0] if together else 0
    before = sum(each is not None for each in key[:begin])
    outer = list(range(ndim, chosen.ndim))
    chosen = chosen.permute([*outer[:before], *range(ndim), *outer[before:]])
    rest = [each for i, each in enumerate(key) if i not in places]
    made = basic(chosen, [*rest[:begin], *[slice(None)] * ndim, *rest[begin:]])
    return apart(made, before + sum(each is None for each in key[:begin]), ndim)


def apart(made, begin, count):
    """Returns an index's result as an array of its own. As in NumPy, the axes of its index arrays,
    `count` from `begin`, are the first in memory."""
    index = range(begin, begin + count)
    order = [*index, *(axis for axis in range(made.ndim) if axis not in index)]
    made.view_of, made.is_cell = None, False
    made.layout = layout_in_order(order, made.shape)
    return made


@dataclass(frozen=True)
class Count:
    """Counts the true elements of a mask."""

    key = "count"
    __name__ = "count"

    def __call__(self, mask):
        return mask.sum(dtype="i8").reshape(1)


@dataclass(frozen=True)
class Compress:
    """Selects rows of a partition with a mask."""

    key = "compress"

    def __call__(self, device, inputs, out):
        part, mask = inputs
        out[...] = part[mask]


@dataclass(frozen=True, eq=False)
class Compressed(Node):
    """Rows that a mask of one axis selects. The counts are the lengths of the first axis's
    pieces."""

    array: Any
    mask: Any

    def expand(self, flow, array):
        parts, masks = flow.expand(self.array), flow.expand(self.mask)
        label = flow.label("mask")
        out = []
        for at, part, spec in zip(grid.positions(array.chunks), parts, specs_of(array)):
            out.append(
                flow.subtask(
                    label + grid.suffix(array.chunks, at), Compress(), [part, masks[at[0]]], spec
                )
            )
        return out


def masked(array, mask):
    """Returns the elements that a mask selects, in order. For a lazy mask, computes the counts of
    each partition."""
    mask = mask if isinstance(mask, Array) else np.asarray(mask)
    refuse_misfit(array, mask)
    rows = array if mask.ndim == 1 else array.reshape((mask.size, *array.shape[mask.ndim :]))
    lengths, flat = rows.chunks[:1], mask.reshape(mask.size)
    if isinstance(mask, Array):
        flat = flat.rechunk(lengths)
        counts = flat.map(Count(), shape=(1,), dtype="i8").compute().tolist()
    else:
        counts = [int(np.count_nonzero(flat[index])) for index in grid.indices(lengths)]
        flat = from_array(flat, lengths)
    return Array(Compressed(rows, flat), (tuple(counts), *rows.chunks[1:]), array.dtype)


def refuse_misfit(array, mask):
    """Raises IndexError if a mask does not have the lengths of the array's first axes."""
    if mask.ndim > array.ndim or mask.shape != array.shape[: mask.ndim]:
        raise IndexError(
            f"a mask of shape {list(mask.shape)} does not fit an array of shape "
            f"{list(array.shape)}: boolean index did not match indexed array"
        )


def axis_of(array, axis, name):
    """Returns an axis counted from the front. Raises GraphError if there is no such axis."""
    axis = operator.index(axis)
    if not -array.ndim <= axis < array.ndim:
        raise GraphError(f"{name}: no axis {axis} in an array with {array.ndim}")
    return axis % array.ndim
