"""Indices of elements, and elements at indices: `nonzero`, `take`, `take_along_axis`. If the size
of a result depends on the data, it is counted at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Node, specs_of
from ..arrays.creation import arange, asarray
from ..arrays.elementwise import astype
from ..arrays.indexing import axis_of, getitem, in_memory, masked
from ..errors import GraphError
from .shaping import ravel


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Returns for each axis the indices of elements that are not zero. Computes their number first.
    Raises ValueError for an array without axes."""
    if not x.ndim:
        raise ValueError("nonzero: an array without axes; reshape it to (1,) first")
    mask = ravel(astype(x, bool))
    places = masked(arange(x.size, dtype=np.int64, chunks=mask.chunks), mask)
    result, inner = [], 1
    for n in x.shape[::-1]:
        result.append((places // max(1, inner)) % max(1, n))
        inner *= n
    return tuple(result[::-1])


def flatnonzero(x: Array) -> Array:
    """Returns the indices, in the flat array, of elements that are not zero."""
    return nonzero(ravel(x))[0]


@dataclass(frozen=True)
class TakeAlong:
    """`take_along_axis` of a partition."""

    axis: int

    @property
    def key(self):
        return f"take_along_axis {self.axis}"

    def __call__(self, device, inputs, out):
        out[...] = device.xp.take_along_axis(*inputs, self.axis)


@dataclass(frozen=True, eq=False)
class TakenAlong(Node):
    """`take_along_axis` of an array with the axis as one piece."""

    array: Any
    indices: Any
    axis: int

    def expand(self, flow, array):
        label = flow.label("take_along_axis")
        placed = zip(
            grid.positions(array.chunks),
            flow.expand(self.array),
            flow.expand(self.indices),
            specs_of(array),
        )
        return [
            flow.subtask(label + grid.suffix(array.chunks, at), TakeAlong(self.axis), [p, i], spec)
            for at, p, i, spec in placed
        ]


def take(array: Array, indices: Operand, /, axis: int | None = None) -> Array:
    """Returns the elements at `indices` along an axis, in their order. Without an axis it indexes
    the flat array."""
    if axis is None:
        return take(ravel(array), indices, axis=0)
    axis = axis_of(array, axis, "take")
    return getitem(array, (slice(None),) * axis + (in_memory(indices),))


def take_along_axis(x: Array, indices: Operand, /, axis: int = -1) -> Array:
    """Returns elements of x at indices along an axis, which `indices` has for each row. The axis
    becomes one piece."""
    indices = asarray(indices)
    axis = axis_of(x, axis, "take_along_axis")
    shape = lambda each: each.shape[:axis] + each.shape[axis + 1 :]
    if x.ndim != indices.ndim or shape(x) != shape(indices):
        raise GraphError(
            f"take_along_axis: places of shape {list(indices.shape)} in an array of shape "
            f"{list(x.shape)}, axis {axis}"
        )
    one = lambda each: each.rechunk((*x.chunks[:axis], (each.shape[axis],), *x.chunks[axis + 1 :]))
    x, indices = one(x), one(indices)
    return Array(TakenAlong(x, indices, axis), indices.chunks, x.dtype)
