"""`a[index] = value` for lazy arrays: a new expression, made of the old one and the value. Arrays
made of the old one do not change. Partitions without assigned elements are the old ones."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from .array import Array
from .array_nodes import Node, specs_of
from .creation import asarray, converted
from .elementwise import broadcast_to, where
from .indexing import (
    are_together,
    basic,
    in_memory,
    pointwise_places,
    refuse_misfit,
    with_all_axes,
    with_masks_as_indices,
)
from .selection import index_axis, on, selected, slice_axis, whole_axis


@dataclass(frozen=True)
class Overwrite:
    """Copies a partition, with some elements from another."""

    target: tuple
    key = "assign"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0]
        out[on(device, self.target)] = inputs[1]


@dataclass(frozen=True, eq=False)
class Assigned(Node):
    """For each axis, the assigned parts, which are the pieces of the value along that axis."""

    array: Any
    value: Any
    axes: tuple

    def expand(self, flow, array):
        olds, values = flow.expand(self.array), flow.expand(self.value)
        shape = grid.grid_of(self.value.chunks)
        placed = [
            {part.piece: (number, part.source) for number, [part] in enumerate(axis) if part.length}
            for axis in self.axes
        ]
        label = flow.label("assign")
        out = []
        for at, old, spec in zip(grid.positions(array.chunks), olds, specs_of(array)):
            if not all(i in axis for i, axis in zip(at, placed)):
                out.append(old)
                continue
            own = [axis[i] for i, axis in zip(at, placed)]
            value = values[grid.number_of([number for number, _ in own], shape)]
            target = tuple(source for _, source in own)
            out.append(
                flow.subtask(
                    label + grid.suffix(array.chunks, at), Overwrite(target), [old, value], spec
                )
            )
        return out


@dataclass(frozen=True, eq=False)
class Scattered(Node):
    """Rows at given places, from the value's rows in order: for each piece of the first axis the
    places in it, and as many rows of the value."""

    array: Any
    value: Any
    places: Any

    def expand(self, flow, array):
        olds, values = flow.expand(self.array), iter(flow.expand(self.value))
        label, out = flow.label("assign"), []
        rest = (slice(None),) * (array.ndim - 1)
        for at, old, spec in zip(grid.positions(array.chunks), olds, specs_of(array)):
            places, value = self.places[at[0]], next(values)
            name = label + grid.suffix(array.chunks, at)
            overwrite = Overwrite((places, *rest))
            out.append(flow.subtask(name, overwrite, [old, value], spec) if len(places) else old)
        return out


def assigned(array, key, value):
    """Returns the array with new elements at an index, converted to the array's type. Raises
    IndexError as NumPy does, and GraphError if the value does not broadcast to the index."""
    value = converted(value, array.dtype)
    key = key if isinstance(key, tuple) else (key,)
    if len(key) == 1 and getattr(key[0], "dtype", None) == bool:
        mask = asarray(key[0])
        refuse_misfit(array, mask)
        if value.size == 1 and value.ndim <= 1:
            return assigned_where(array, mask, value.reshape(()))
        key = (mask,)
        if not mask.ndim:
            return assigned(array, (None, ...), value) if mask else array
    key = with_masks_as_indices(array, [in_memory(each) for each in key])
    if value.ndim and len(key) == array.ndim and all(isinstance(each, int) for each in key):
        raise ValueError("setting an array element with a sequence.")
    together = are_together(key)
    key = with_all_axes(array, key)
    if any(isinstance(each, np.ndarray) for each in key):
        return assigned_at_places(array, key, value, together)
    return assigned_to_slices(array, key, value)


def assigned_to_slices(array, key, value):
    """Returns the array with new elements at slices, numbers and new axes."""
    axes, shape, whole = [], [], []
    own = iter(array.chunks)
    for each in key:
        if each is None:
            shape.append(1)
            continue
        lengths = next(own)
        start, stop, step = (
            (each, each + 1, 1) if isinstance(each, int) else each.indices(sum(lengths))
        )
        count = len(range(start, stop, step))
        axes.append(slice_axis(lengths, start, step, count))
        whole.append(count)
        shape += [] if isinstance(each, int) else [count]
    pieces = tuple(tuple(part.length for [part] in axis) for axis in axes)
    value = fitted(value, tuple(shape)).reshape(tuple(whole)).rechunk(pieces)
    return Array(Assigned(array, value, tuple(axes)), array.chunks, array.dtype)


def fitted(value, shape):
    """Returns a value in the shape of what it is assigned to. As in NumPy, it may have more axes in
    front, of one element."""
    extra = value.ndim - len(shape)
    if extra > 0 and value.shape[:extra] == (1,) * extra:
        value = value.reshape(value.shape[extra:])
    return broadcast_to(value, shape)


def assigned_where(array, mask, value):
    """Returns the array with one number where a mask is true."""
    mask = mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim))
    return where(mask, value, array).rechunk(array.chunks)


def assigned_at_places(array, key, value, together):
    """Returns the array with new elements at index arrays. The axes that they index become one axis
    of rows; of several values for a row, the last one counts."""
    if any(each is None for each in key):
        raise GraphError("assignment: a new axis beside index arrays; leave it out")
    outer = [each if isinstance(each, slice) else slice(None) for each in key]
    if any(each != slice(None) for each in outer):
        part = basic(array, outer)
        inner = [slice(None) if isinstance(each, slice) else each for each in key]
        return assigned_to_slices(array, outer, assigned_at_places(part, inner, value, together))
    places, indices = pointwise_places(key)
    others = [axis for axis in range(array.ndim) if axis not in places]
    indexed = tuple(array.shape[axis] for axis in places)
    # The index's own axes are where its arrays are, or in front if others are between them.
    begin = places[0] if together else 0
    kept = [array.shape[axis] for axis in others]
    lead, count = indices[0].shape, len(indices[0].shape)
    value = fitted(value, (*kept[:begin], *lead, *kept[begin:]))
    order = [*range(begin, begin + count), *range(begin), *range(begin + count, value.ndim)]
    value = value.permute(order).reshape((indices[0].size, *kept))
    rows = array.permute(places + others).reshape((math.prod(indexed), *kept))
    number = np.ravel_multi_index([each.reshape(-1) for each in indices], indexed)
    rows = scattered(rows, number, value)
    back = rows.reshape(indexed + tuple(kept)).permute(np.argsort(places + others).tolist())
    return back.rechunk(array.chunks)


def scattered(rows, number, value):
    """Returns rows, of which those with these numbers are the value's."""
    number, last = np.unique(number[::-1], return_index=True)
    taken = [index_axis(value.chunks[0], len(value) - 1 - last), *map(whole_axis, value.chunks[1:])]
    value = selected("getitem", value, taken)
    ends = np.cumsum((0, *rows.chunks[0]))
    cuts = np.searchsorted(number, ends)
    places = [number[a:b] - end for a, b, end in zip(cuts, cuts[1:], ends)]
    value = value.rechunk((tuple(np.diff(cuts).tolist()), *rows.chunks[1:]))
    return Array(Scattered(rows, value, places), rows.chunks, rows.dtype)
