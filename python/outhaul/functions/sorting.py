"""Sorted arrays, and functions that need them: `sort`, `argsort`, `topk`, `searchsorted`,
`unique_values` and others. An array of one axis is sorted out of core. Along an axis of an array
with several, that axis is one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Sort, SortEach, Together
from ..arrays.creation import arange, asarray, ones
from ..arrays.elementwise import astype, elementwise
from ..arrays.indexing import axis_of, masked
from ..errors import GraphError
from ..sizes import counted
from .scans import cumulative_sum
from .shaping import concat, flip, ravel


@dataclass(frozen=True)
class SortAlong:
    """Sorts a partition along an axis, or returns the indices that would sort it. NaNs are last."""

    name: str
    axis: int
    descending: bool

    @property
    def key(self):
        return f"{self.name} {self.axis} {self.descending}"

    def __call__(self, device, inputs, out):
        xp, part = device.xp, canonical(device.xp, inputs[0])
        if self.name == "sort":
            result = xp.sort(part, axis=self.axis)
            out[...] = xp.flip(result, axis=self.axis) if self.descending else result
        elif self.descending:
            # Equal elements keep their order: the sort runs on reversed input, and its result is
            # reversed.
            result = xp.argsort(xp.flip(part, axis=self.axis), axis=self.axis, kind="stable")
            out[...] = part.shape[self.axis] - 1 - xp.flip(result, axis=self.axis)
        else:
            out[...] = xp.argsort(part, axis=self.axis, kind="stable")


def canonical(xp, part):
    """Replaces NaNs by NumPy's own NaN, which every device sorts last. GPUs sort a negative NaN
    before all numbers."""
    if part.dtype.kind != "f" or xp is np:
        return part
    return xp.where(xp.isnan(part), part.dtype.type(np.nan), part)


def sort(
    x: Array,
    /,
    axis: int | None = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    kind: str | None = None,
) -> Array:
    """Returns elements in ascending order along an axis, or in descending order. NaNs are the
    greatest. `kind` is for NumPy, and has no effect."""
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    axis = axis_of(x, axis, "sort")
    if x.ndim == 1 and len(x.chunks[0]) > 1 and x.dtype.kind in "iufb":
        runs = Array(SortEach(x), x.chunks, x.dtype)
        ascending = Array(Sort(runs), x.chunks, x.dtype)
        return flip(ascending) if descending else ascending
    x = in_one_piece(x, axis)
    return Array(Together("sort", SortAlong("sort", axis, descending), (x,)), x.chunks, x.dtype)


def argsort(
    x: Array,
    /,
    axis: int | None = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    kind: str | None = None,
) -> Array:
    """Returns the indices of the elements in order along an axis. Equal elements keep their order,
    whatever the `kind`. An array of one axis that is larger than one partition is sorted together
    with its indices in 64 bits. That takes types of at most 32 bits, and fewer than 2**32 elements.
    Other arrays must fit a GPU along the axis."""
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    axis = axis_of(x, axis, "argsort")
    if (
        x.ndim == 1
        and len(x.chunks[0]) > 1
        and x.dtype.itemsize <= 4
        and x.size < 1 << 32
        and x.dtype.kind in "iufb"
    ):
        keys = ranked(x)
        if descending:
            keys = elementwise(np.subtract, [np.uint64(0xFFFFFFFF), keys])
        places = arange(x.size, dtype=np.uint64, chunks=x.chunks)
        joined = sort(
            elementwise(np.add, [elementwise(np.left_shift, [keys, np.uint64(32)]), places])
        )
        return astype(elementwise(np.bitwise_and, [joined, np.uint64(0xFFFFFFFF)]), np.int64)
    x = in_one_piece(x, axis)
    return Array(
        Together("argsort", SortAlong("argsort", axis, descending), (x,)), x.chunks, np.int64
    )


@dataclass(frozen=True)
class Rank:
    """Converts numbers of at most 32 bits to integers in the same order."""

    key = "rank"
    __name__ = "rank"

    def __call__(self, device, inputs, out):
        xp, [part] = device.xp, inputs
        if part.dtype.kind == "f":
            wide = part.astype(np.float32) + np.float32(0)
            bits = wide.view(np.uint32).astype(np.uint64)
            ordered = xp.where(
                bits >> np.uint64(31) > 0, np.uint64(0xFFFFFFFF) - bits, bits + np.uint64(1 << 31)
            )
            out[...] = xp.where(xp.isnan(wide), np.uint64(0xFFFFFFFF), ordered)
        elif part.dtype.kind == "i":
            out[...] = (part.astype(np.int64) + (1 << 31)).astype(np.uint64)
        else:
            out[...] = part


def ranked(x):
    """Returns an array of integers in the same order."""
    return Array(Together("rank", Rank(), (x,)), x.chunks, np.uint64)


def in_one_piece(x, axis):
    """Returns the array with this axis as one piece."""
    return x.rechunk((*x.chunks[:axis], (x.shape[axis],), *x.chunks[axis + 1 :]))


@dataclass(frozen=True)
class Largest:
    """Returns the k largest elements of a partition, in descending order."""

    key = "topk"

    def __call__(self, device, inputs, out):
        k = out.shape[0]
        ordered = device.xp.sort(canonical(device.xp, inputs[0]))
        out[...] = device.xp.flip(ordered[len(ordered) - k :])


def topk(x: Array, k: int, /) -> Array:
    """Returns the k largest elements of an array of one axis, in descending order. NaNs are the
    greatest. The k largest elements of all partitions together must fit a GPU."""
    if x.ndim != 1 or not 0 <= k <= x.size:
        raise GraphError(f"topk: {k} of an array of shape {list(x.shape)}")
    lengths = tuple(min(k, n) for n in x.chunks[0])
    some = Array(Together("topk", Largest(), (x,)), (lengths,), x.dtype).rechunk(((sum(lengths),),))
    return Array(Together("topk", Largest(), (some,)), ((k,),), x.dtype)


@dataclass(frozen=True)
class Search:
    """Finds the indices at which elements of a partition would go in a sorted array, or in an array
    that given indices sort."""

    side: str

    @property
    def key(self):
        return f"searchsorted {self.side}"

    __name__ = "searchsorted"

    def __call__(self, values, ordered):
        xp = np if isinstance(values, np.ndarray) else __import__("cupy")
        return (
            xp.searchsorted(ordered, values, side=self.side).astype(np.int64).reshape(values.shape)
        )


def searchsorted(
    x1: Operand, x2: Operand, /, side: str = "left", sorter: Operand | None = None
) -> Array:
    """Returns the index at which each element of x2 would go in x1, which must fit a GPU. x1 is
    sorted, or the indices in `sorter` sort it."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or side not in ("left", "right"):
        raise GraphError(
            f'searchsorted: in an array with {counted(x1.ndim, "axis", "axes")}, side "{side}"; give one with one '
            f'axis, and "left" or "right"'
        )
    if sorter is not None:
        x1 = x1[sorter]
    common = np.result_type(x1.dtype, x2.dtype)
    x1, x2 = astype(in_one_piece(x1, 0), common), astype(x2, common)
    return x2.map(Search(side), x1, dtype=np.int64)


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


def unique_values(x: Array, /) -> Array:
    """Returns the different elements in ascending order. Each NaN is different from all others.
    Computes their number first."""
    ordered, firsts = runs_of(x)
    return masked(ordered, firsts)


def unique_counts(x: Array, /) -> UniqueCounts:
    """Returns the different elements in ascending order, and the count of each."""
    ordered, firsts = runs_of(x)
    places = masked(arange(ordered.size, dtype=np.int64, chunks=ordered.chunks), firsts)
    ends = concat([places[1:], arange(ordered.size, ordered.size + 1)]) if places.size else places
    return UniqueCounts(masked(ordered, firsts), ends - places)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """Returns the different elements in ascending order, and for each element of x its index among
    them."""
    values, inverse, _ = by_places(x)
    return UniqueInverse(values, inverse)


def unique_all(x: Array, /) -> UniqueAll:
    """Returns the different elements in ascending order, the first index of each, for each element
    of x its index among them, and the count of each."""
    values, inverse, order_firsts = by_places(x)
    return UniqueAll(values, order_firsts, inverse, unique_counts(x).counts)


def runs_of(x):
    """Returns the elements in order, and which of them are the first of their kind."""
    ordered = sort(ravel(x) if x.ndim != 1 else x)
    if ordered.size == 0:
        return ordered, astype(ordered, bool)
    return ordered, concat(
        [ones((1,), dtype=bool), elementwise(np.not_equal, [ordered[1:], ordered[:-1]])]
    )


def by_places(x):
    """Returns different elements, the index of each element among them, and the first index of
    each. It sorts the elements together with their indices."""
    flat = ravel(x) if x.ndim != 1 else x
    order = argsort(flat)
    ordered = flat[order]
    if not flat.size:
        return ordered, astype(flat, np.int64).reshape(x.shape), astype(flat, np.int64)
    firsts = concat(
        [ones((1,), dtype=bool), elementwise(np.not_equal, [ordered[1:], ordered[:-1]])]
    )
    numbers = cumulative_sum(astype(firsts, np.int64)) - 1
    inverse = numbers[argsort(order)]
    return masked(ordered, firsts), inverse.reshape(x.shape), masked(order, firsts)
