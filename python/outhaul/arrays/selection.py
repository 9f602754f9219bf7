"""Partitions made of parts of other partitions, for slices, index arrays and other cuts. Along each
axis, a selection says which elements of which pieces go where. If many partitions each give a small
part, the parts are taken out first, so that a GPU need not hold all partitions at once."""

import itertools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import chunks as grid
from ..subtasks.partition_spec import Spec
from .array import Array
from .array_nodes import Node, specs_of

WHOLE_INPUTS_MAX = 3
"""Maximum bytes of a partition's inputs at once, as a multiple of its own bytes. Beyond it, parts
are first taken out of its inputs one by one."""


class Part(NamedTuple):
    """Elements `source` of the piece `piece` become elements `target`; `length` is their number.
    Both are slices, or index arrays for elements in any order."""

    piece: int
    source: Any
    target: Any
    length: int


@dataclass(frozen=True)
class Gather:
    """Fills the result from its inputs. `shape` is the result's, with the axes that an index has
    removed."""

    parts: tuple
    shape: tuple

    key = "select"

    def __call__(self, device, inputs, out):
        out = out.reshape(self.shape)
        for array, (source, target) in zip(inputs, self.parts):
            out[on(device, target)] = array[on(device, source)]


def on(device, index):
    """Returns an index with its arrays in the device's memory."""
    return tuple(
        device.xp.asarray(each) if isinstance(each, np.ndarray) else each for each in index
    )


@dataclass(frozen=True, eq=False)
class Selected(Node):
    """For each axis of the array, the parts of each piece of the result. Axes of one element may
    come or go, as the result's shape says."""

    name: str
    array: Any
    axes: tuple

    def expand(self, flow, array):
        inputs, given = flow.expand(self.array), specs_of(self.array)
        shape = grid.grid_of(self.array.chunks)
        label = flow.label(self.name)
        out = []
        for at, parts, spec in zip(
            grid.positions(array.chunks), itertools.product(*self.axes), specs_of(array)
        ):
            chosen = list(itertools.product(*parts))
            numbers = [grid.number_of([part.piece for part in each], shape) for each in chosen]
            if (
                len(chosen) == 1
                and spec == given[numbers[0]]
                and all(map(is_whole, chosen[0], spec.shape))
            ):
                out.append(inputs[numbers[0]])
                continue
            name = label + grid.suffix(array.chunks, at)
            full = tuple(sum(part.length for part in axis) for axis in parts)
            sources = [tuple(part.source for part in each) for each in chosen]
            targets = [tuple(part.target for part in each) for each in chosen]
            taken = [inputs[number] for number in numbers]
            if len(chosen) > 1 and sum(
                given[number].nbytes for number in numbers
            ) > WHOLE_INPUTS_MAX * max(1, spec.nbytes):
                taken = [
                    taken_out(flow, f"{name} part {i}", p, spec, each)
                    for i, (p, each) in enumerate(zip(taken, chosen))
                ]
                sources = [(slice(None),) * len(full)] * len(chosen)
            out.append(flow.subtask(name, Gather(tuple(zip(sources, targets)), full), taken, spec))
        return out


def taken_out(flow, name, p, spec, parts):
    """Returns a partition of only those parts that another partition takes from this one."""
    shape = tuple(part.length for part in parts)
    whole = (slice(None),) * len(shape)
    gather = Gather(((tuple(part.source for part in parts), whole),), shape)
    return flow.subtask(name, gather, [p], Spec(shape, spec.dtype))


def is_whole(part, length):
    """Returns whether a part is a whole piece in order."""
    return (
        isinstance(part.source, slice)
        and part.length == length
        and part.source == slice(0, length, 1)
    )


def selected(name, array, axes, chunks=None):
    """Returns the array that these axes select. Its cuts are theirs, unless `chunks` adds or
    removes axes of one element."""
    own = tuple(tuple(sum(part.length for part in parts) for parts in axis) for axis in axes)
    return Array(Selected(name, array, tuple(axes)), own if chunks is None else chunks, array.dtype)


def slice_axis(lengths, start, step, count, out_lengths=None):
    """Returns the parts of a slice: elements start, start + step and so on, `count` of them. The
    result is cut where the array is, or as `out_lengths` says."""
    stretches = []  # (first and last index in the result, piece, source)
    begin = 0
    for piece, n in enumerate(lengths):
        first, last = positions_within(begin, begin + n, start, step, count)
        if first < last:
            at = start + first * step - begin
            stretches.append((first, last, piece, at))
        begin += n
    stretches.sort()
    if out_lengths is None:
        out_lengths = [last - first for first, last, _, _ in stretches] or [0]
    ends = list(itertools.accumulate(out_lengths))
    parts = [[] for _ in out_lengths]
    out = 0
    for first, last, piece, at in stretches:
        while first < last:
            while ends[out] <= first:
                out += 1
            length = min(last, ends[out]) - first
            target = first - (ends[out] - out_lengths[out])
            parts[out].append(
                Part(piece, stepped(at, step, length), slice(target, target + length), length)
            )
            first, at = first + length, at + length * step
    return [tuple(each) or (Part(0, slice(0, 0, 1), slice(0, 0), 0),) for each in parts]


def positions_within(begin, end, start, step, count):
    """Returns the range of a slice's positions in a piece, first to one past the last."""
    if step > 0:
        first, last = -((start - begin) // step), -((start - end) // step)
    else:
        first, last = (start - end) // -step + 1, (start - begin) // -step + 1
    return max(0, first), min(count, last)


def stepped(at, step, length):
    """Returns the slice of `length` elements from `at` in steps of `step`."""
    stop = at + length * step
    return slice(at, stop if stop >= 0 else None, step)


def index_axis(lengths, index, out_lengths=None):
    """Returns the parts of an index array, whose elements select elements of the axis in order."""
    ends = np.cumsum(lengths)
    pieces = np.searchsorted(ends, index, "right")
    if out_lengths is None:
        longest = max(1, max(lengths))
        out_lengths = grid.axis_lengths(longest, len(index))
    axis, begin = [], 0
    for n in out_lengths:
        own, at = pieces[begin : begin + n], index[begin : begin + n]
        parts = []
        for piece in np.unique(own):
            target = np.flatnonzero(own == piece)
            source = at[target] - (ends[piece] - lengths[piece])
            parts.append(Part(int(piece), source, target, len(target)))
        axis.append(tuple(parts) or (Part(0, slice(0, 0, 1), slice(0, 0), 0),))
        begin += n
    return axis


def whole_axis(lengths):
    """Returns an axis unchanged."""
    return [(Part(piece, slice(0, n, 1), slice(0, n), n),) for piece, n in enumerate(lengths)]


def rechunked(array, chunks):
    """Returns the same array with other cuts."""
    if chunks == array.chunks:
        return array
    axes = [slice_axis(own, 0, 1, sum(own), wanted) for own, wanted in zip(array.chunks, chunks)]
    return selected("rechunk", array, axes, chunks)


def whole_along(array, axes):
    """Returns the array with these axes as one piece. The other axes are cut further, so that no
    partition becomes larger than the largest was, if possible."""
    axes = [axis % array.ndim for axis in axes]
    inner = math.prod(array.shape[axis] for axis in axes)
    others = tuple((1,) if i in axes else cut for i, cut in enumerate(array.chunks))
    others = grid.bounded(others, max(1, grid.largest_part(array.chunks) // max(1, inner)))
    return rechunked(
        array,
        tuple((array.shape[i],) if i in axes else cut for i, cut in enumerate(others)),
    )


def contiguous_chunks(shape, elements_max):
    """Returns cuts whose partitions, one after another, are the array's elements in order: single
    elements of the first axes, pieces of one axis, and all of the others."""
    chunks = []
    for axis, n in enumerate(shape):
        inner = math.prod(shape[axis + 1 :])
        if inner * n <= elements_max or n == 0:
            return (*chunks, *((m,) for m in shape[axis:]))
        if inner <= elements_max:
            return (
                *chunks,
                grid.axis_lengths(max(1, elements_max // max(1, inner)), n),
                *((m,) for m in shape[axis + 1 :]),
            )
        chunks.append((1,) * n)
    return tuple(chunks)
