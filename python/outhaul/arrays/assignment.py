"""`a[index] = value` for lazy arrays. The array becomes a new one, made of the old one and the
value. Arrays made of the old one do not change. Partitions without assigned elements are the old
ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from .array import Array
from .array_nodes import Node, specs_of
from .creation import asarray
from .elementwise import astype, broadcast_to, where
from .indexing import in_memory, is_mask, with_all_axes
from .selection import slice_axis


@dataclass(frozen=True)
class Overwrite:
    """Copies a partition, with some elements from another."""

    target: tuple
    key = "assign"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0]
        out[self.target] = inputs[1]


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


def assigned(array, key, value):
    """Returns the array with new elements at an index: slices, numbers and `...`, or one mask, for
    which the value must have no axes. Converts the value to the array's type."""
    value = astype(asarray(value), array.dtype)
    key = key if isinstance(key, tuple) else (key,)
    if len(key) == 1 and getattr(key[0], "dtype", None) == bool:
        return assigned_where(array, asarray(key[0]), value)
    key = [in_memory(each) for each in key]
    if any(each is None or is_mask(each) or isinstance(each, np.ndarray) for each in key):
        raise GraphError(
            "assignment: to slices, numbers and `...`, or to one mask; for index arrays say "
            "outhaul.where(condition, new, a)"
        )
    axes, shape = [], []
    for lengths, each in zip(array.chunks, with_all_axes(array, key)):
        if isinstance(each, int):
            axes.append(slice_axis(lengths, each, 1, 1))
            continue
        start, stop, step = each.indices(sum(lengths))
        shape.append(len(range(start, stop, step)))
        axes.append(slice_axis(lengths, start, step, shape[-1]))
    kept = iter(broadcast_to(value, tuple(shape)).shape)
    whole = tuple(1 if isinstance(each, int) else next(kept) for each in with_all_axes(array, key))
    pieces = tuple(tuple(part.length for [part] in axis) for axis in axes)
    value = broadcast_to(value, tuple(shape)).reshape(whole).rechunk(pieces)
    return Array(Assigned(array, value, tuple(axes)), array.chunks, array.dtype)


def assigned_where(array, mask, value):
    """Returns the array with one number where a mask is true. Raises GraphError for several
    numbers, and IndexError for a mask of another shape."""
    if value.ndim:
        raise GraphError(
            f"assignment: {list(value.shape)} values to a mask; give one number, or say "
            f"outhaul.where(mask, values, a) with values for all elements"
        )
    if mask.ndim > array.ndim or mask.shape != array.shape[: mask.ndim]:
        raise IndexError(
            f"a mask of shape {list(mask.shape)} does not fit an array of shape {list(array.shape)}"
        )
    return where(mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim)), value, array).rechunk(
        array.chunks
    )
