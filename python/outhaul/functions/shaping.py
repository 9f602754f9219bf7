"""Arrays in another shape with the same elements: `reshape`, transposition, `concat`, `stack`,
`flip`, `roll`, `repeat` and others. The cuts of a result follow from those of its inputs."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import chunks as grid
from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Node, specs_of
from ..arrays.creation import asarray
from ..arrays.elementwise import astype
from ..arrays.indexing import axis_of, basic
from ..arrays.members.views import copied, is_contiguous, reshaped_strides, strides_of, viewed
from ..arrays.selection import contiguous_chunks, index_axis, selected, slice_axis, whole_axis
from ..arrays.type_aliases import Axis, Shape, Type
from ..errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Permute:
    """A partition with its axes in another order."""

    axes: tuple

    key = "permute"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0].transpose(self.axes)


@dataclass(frozen=True)
class Refill:
    """Returns the same elements in order, in the shape of the result."""

    key = "reshape"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0].reshape(out.shape)


@dataclass(frozen=True, eq=False)
class Permuted(Node):
    """Axes in another order, partition by partition."""

    array: Any
    axes: tuple

    def expand(self, flow, array):
        parts, shape = flow.expand(self.array), grid.grid_of(self.array.chunks)
        label = flow.label("permute")
        back = np.argsort(self.axes)
        number = lambda at: grid.number_of([at[i] for i in back], shape)
        positions = grid.positions(array.chunks)
        one = lambda at, spec: flow.subtask(
            label + grid.suffix(array.chunks, at), Permute(self.axes), [parts[number(at)]], spec
        )
        return [one(at, spec) for at, spec in zip(positions, specs_of(array))]


@dataclass(frozen=True, eq=False)
class Refilled(Node):
    """Partition i has the elements of the other array's partition i, in order, in another shape."""

    array: Any

    def expand(self, flow, array):
        label = flow.label("reshape")
        placed = zip(grid.positions(array.chunks), flow.expand(self.array), specs_of(array))
        return [
            flow.subtask(label + grid.suffix(array.chunks, at), Refill(), [p], spec)
            for at, p, spec in placed
        ]


@dataclass(frozen=True, eq=False)
class Concatenated(Node):
    """Arrays one after another along an axis, with equal cuts of the other axes. It has their own
    partitions, in another order."""

    arrays: tuple
    axis: int

    def expand(self, flow, array):
        grids = [
            np.array(flow.expand(each)).reshape(grid.grid_of(each.chunks)) for each in self.arrays
        ]
        return np.concatenate(grids, axis=self.axis).reshape(-1).tolist()


def permute_dims(array: Array, /, axes: Sequence[int]) -> Array:
    """Returns the array with its axes in another order. Raises GraphError if `axes` does not have
    each axis once."""
    axes = tuple(axis_of(array, axis, "permute_dims") for axis in axes)
    if sorted(axes) != list(range(array.ndim)):
        raise GraphError(f"permute_dims: {axes} are not the {array.ndim} axes, each once")
    if axes == tuple(range(array.ndim)):
        return array
    chunks = tuple(array.chunks[axis] for axis in axes)
    again = lambda base: permute_dims(base, axes)
    put = lambda base, value: permute_dims(value, np.argsort(axes).tolist())
    strides = strides_of(array)
    layout = tuple(strides[axis] for axis in axes)
    return viewed(array, Array(Permuted(array, axes), chunks, array.dtype), again, put, layout)


def transpose(array: Array, axes: Sequence[int] | None = None) -> Array:
    """Returns the array with its axes in reverse, or in the given order."""
    return permute_dims(array, range(array.ndim)[::-1] if axes is None else axes)


def matrix_transpose(array: Array, /) -> Array:
    """Returns the array with its last two axes exchanged."""
    if array.ndim < 2:
        raise GraphError(f"matrix_transpose: an array with {array.ndim} axes")
    return swapaxes(array, -1, -2)


def swapaxes(array: Array, axis1: int, axis2: int) -> Array:
    """Returns the array with two axes exchanged."""
    axes = list(range(array.ndim))
    a, b = (axis_of(array, axis, "swapaxes") for axis in (axis1, axis2))
    axes[a], axes[b] = axes[b], axes[a]
    return permute_dims(array, axes)


def moveaxis(
    array: Array, source: int | Sequence[int], destination: int | Sequence[int], /
) -> Array:
    """Moves axes to other positions; the other axes keep their order."""
    source, destination = (
        [operator.index(axis) for axis in np.atleast_1d(each)] for each in (source, destination)
    )
    source, destination = (
        [axis_of(array, axis, "moveaxis") for axis in each] for each in (source, destination)
    )
    if len(source) != len(destination):
        raise GraphError(f"moveaxis: {len(source)} axes to {len(destination)} places")
    order = [axis for axis in range(array.ndim) if axis not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return permute_dims(array, order)


def reshape(array: Array, /, shape: Shape, order: str = "C", *, copy: bool | None = None) -> Array:
    """Returns the same elements in order, in another shape. One length may be -1. Raises ValueError
    if the sizes differ."""
    if order == "F" or (order == "A" and is_fortran(array)):
        return transpose(reshape(transpose(array), grid.as_shape(shape)[::-1], copy=copy))
    if order not in ("C", "A"):
        raise GraphError(f'reshape: order "{order}"; there are "C", "F" and "A"')
    shape = whole_shape(array, grid.as_shape(shape))
    layout = reshaped_strides(array, shape)
    if layout is None or copy:
        if copy is False:
            raise ValueError("reshape: this order of elements takes a copy, copy=False cannot be")
        made = reshaped(array, shape)
        made.is_cell = not shape
        return made
    again = lambda base: reshaped(base, shape)
    put = lambda base, value: reshaped(value, base.shape)
    return viewed(array, reshaped(array, shape), again, put, layout)


def reshaped(array, shape):
    """Returns another array with the same elements in order."""
    if shape == array.shape:
        return copied(array)
    if without_ones(shape) == without_ones(array.shape):
        return with_ones(array, shape)
    flat = array if array.ndim == 1 else flattened(array)
    elements_max = max(grid.largest_part(array.chunks), 1)
    return refilled(flat, shape, contiguous_chunks(shape, elements_max))


def whole_shape(array, shape):
    """Returns the shape with -1 replaced. Raises ValueError if the sizes differ."""
    known = math.prod(n for n in shape if n != -1)
    if shape.count(-1) == 1 and known and array.size % known == 0:
        shape = tuple(array.size // known if n == -1 else n for n in shape)
    if min(shape, default=0) < 0 or math.prod(shape) != array.size:
        raise ValueError(
            f"reshape: {array.size} elements, {list(array.shape)}, do not fill {list(shape)}"
        )
    return shape


def without_ones(shape):
    """Returns the lengths other than 1."""
    return [n for n in shape if n != 1]


def with_ones(array, shape):
    """Adds or removes axes of one element only, so the array keeps its cuts."""
    rest = iter(lengths for lengths in array.chunks if sum(lengths) != 1)
    chunks = tuple((1,) if n == 1 else next(rest) for n in shape)
    axes = [
        slice_axis(lengths, 0, 1, 1) if sum(lengths) == 1 else whole_axis(lengths)
        for lengths in array.chunks
    ]
    return selected("reshape", array, axes, chunks)


def flattened(array):
    """Returns all elements on one axis."""
    rows = array.rechunk(kept_if_contiguous(array))
    lengths = [math.prod(grid.part_shape(rows.chunks, at)) for at in grid.positions(rows.chunks)]
    return Array(Refilled(rows), (tuple(lengths),), array.dtype)


def kept_if_contiguous(array):
    """Returns the array's own cuts if its partitions, in order, are its elements in order;
    otherwise cuts with that property."""
    cut = [axis for axis, lengths in enumerate(array.chunks) if len(lengths) > 1]
    if not cut or all(set(lengths) == {1} for lengths in array.chunks[: cut[-1]]):
        return array.chunks
    return contiguous_chunks(array.shape, max(1, grid.largest_part(array.chunks)))


def refilled(flat, shape, chunks):
    """Returns an array of one axis in another shape, whose partitions must be contiguous."""
    lengths = tuple(math.prod(grid.part_shape(chunks, at)) for at in grid.positions(chunks))
    return Array(Refilled(flat.rechunk((lengths,))), chunks, flat.dtype)


def is_fortran(array):
    """Returns whether NumPy would have the elements one after another in Fortran's order only."""
    return is_contiguous(transpose(array)) and not is_contiguous(array)


def ravel(array: Array, order: str = "C") -> Array:
    """Returns all elements on one axis, the last axis's side by side, or in Fortran's order the
    first one's."""
    if order != "C":
        return reshape(array, (array.size,), order="A" if order == "K" else order)
    return reshape(array, (array.size,), copy=None if is_contiguous(array) else True)


def expand_dims(array: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Adds a new axis of one element, or several."""
    axes = [operator.index(each) for each in (axis if isinstance(axis, tuple) else (axis,))]
    ndim = array.ndim + len(axes)
    if any(not -ndim <= each < ndim for each in axes) or len({each % ndim for each in axes}) < len(
        axes
    ):
        raise IndexError(f"expand_dims: axis {axis} for a result with {ndim}")
    rest = iter(array.shape)
    new = {each % ndim for each in axes}
    return reshape(array, tuple(1 if i in new else next(rest) for i in range(ndim)))


def squeeze(array: Array, /, axis: Axis = None) -> Array:
    """Removes axes of one element: all, or those given. Raises ValueError for longer axes."""
    if axis is None:
        return reshape(array, tuple(without_ones(array.shape)))
    axes = {
        axis_of(array, each, "squeeze") for each in (axis if isinstance(axis, tuple) else (axis,))
    }
    if any(array.shape[each] != 1 for each in axes):
        raise ValueError(
            f"squeeze: axis {axis} of an array of shape {list(array.shape)} has more than one "
            f"element"
        )
    return reshape(array, tuple(n for i, n in enumerate(array.shape) if i not in axes))


def concat(arrays: Sequence[Operand], /, axis: int | None = 0, *, dtype: Type = None) -> Array:
    """Joins arrays along an axis; if it is None, joins the flat arrays. Raises an error if their
    other axes differ."""
    arrays = [asarray(each) for each in arrays]
    if not arrays:
        raise ValueError("concat: no arrays")
    if axis is None:
        arrays, axis = [ravel(each) for each in arrays], 0
    axis = axis_of(arrays[0], axis, "concat")
    rest = lambda each: each.shape[:axis] + each.shape[axis + 1 :]
    if any(each.ndim != arrays[0].ndim or rest(each) != rest(arrays[0]) for each in arrays):
        raise GraphError(
            f"concat: shapes {[list(each.shape) for each in arrays]} differ along axes other than "
            f"{axis}"
        )
    dtype = dtype or np.result_type(*(each.dtype for each in arrays))
    model = max(arrays, key=lambda each: each.nbytes).chunks
    alike = [
        astype(each, dtype).rechunk((*model[:axis], each.chunks[axis], *model[axis + 1 :]))
        for each in arrays
    ]
    chunks = (*model[:axis], sum((each.chunks[axis] for each in alike), ()), *model[axis + 1 :])
    joined = Array(Concatenated(tuple(alike), axis), chunks, dtype)
    longest = max(each for array in alike for each in array.chunks[axis])
    return joined.rechunk((*model[:axis], merged(chunks[axis], longest), *model[axis + 1 :]))


def merged(lengths, length_max):
    """Returns lengths of pieces, with neighbours that are together no longer than this as one, so
    that arrays that grow by small pieces do not have ever more partitions."""
    result = []
    for n in lengths:
        if result and result[-1] + n <= length_max:
            result[-1] += n
        else:
            result.append(n)
    return tuple(result)


def stack(arrays: Sequence[Operand], /, axis: int = 0) -> Array:
    """Joins arrays of one shape along a new axis. Raises GraphError if their shapes differ."""
    arrays = [asarray(each) for each in arrays]
    if len({each.shape for each in arrays}) != 1:
        raise GraphError(
            f"stack: shapes {[list(each.shape) for each in arrays]}; give arrays of one shape"
        )
    return concat([expand_dims(each, axis=axis) for each in arrays], axis=axis)


def unstack(array: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Returns the array's slices along an axis, as a tuple."""
    axis = axis_of(array, axis, "unstack")
    return tuple(array[(slice(None),) * axis + (i,)] for i in range(array.shape[axis]))


def flip(array: Array, /, axis: Axis = None) -> Array:
    """Reverses elements along axes, by default along all."""
    axes = (
        range(array.ndim)
        if axis is None
        else [axis_of(array, each, "flip") for each in np.atleast_1d(axis)]
    )
    return basic(
        array, [slice(None, None, -1) if i in axes else slice(None) for i in range(array.ndim)]
    )


def roll(array: Array, /, shift: int | tuple[int, ...], axis: Axis = None) -> Array:
    """Moves elements along axes, from the end back to the start. Without an axis it moves elements
    of the flat array."""
    if axis is None:
        return reshape(roll(ravel(array), shift, axis=0), array.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    cuts = array.chunks
    for each, by in zip(axes, shifts):
        each = axis_of(array, each, "roll")
        n = array.shape[each]
        by = operator.index(by) % n if n else 0
        if by:
            at = lambda part: (slice(None),) * each + (part,)
            array = concat(
                [array[at(slice(n - by, None))], array[at(slice(None, n - by))]], axis=each
            ).rechunk(cuts)
    return copied(array)


def repeat(
    array: Array, repeats: int | Sequence[int] | np.ndarray, /, axis: int | None = None
) -> Array:
    """Returns each element several times, along an axis; without one, of the flat array. `repeats`
    is a number, or one number for each element of the axis."""
    if axis is None:
        array, axis = ravel(array), 0
    axis = axis_of(array, axis, "repeat")
    repeats = np.asarray(repeats)
    if repeats.ndim > 1 or repeats.size not in (1, array.shape[axis]) or repeats.min(initial=0) < 0:
        raise ValueError(
            f"repeat: {repeats.size} numbers of repeats for an axis of {array.shape[axis]}: give "
            f"one, or one for each, none of them negative"
        )
    index = np.repeat(np.arange(array.shape[axis]), repeats)
    axes = [whole_axis(lengths) for lengths in array.chunks]
    axes[axis] = index_axis(array.chunks[axis], index)
    return selected("repeat", array, axes)


def tile(array: Array, repetitions: Shape, /) -> Array:
    """Returns the whole array several times along each axis."""
    repetitions = tuple(np.atleast_1d(repetitions).tolist())
    if min(repetitions, default=1) < 0:
        raise ValueError(f"tile: {repetitions}: negative dimensions are not allowed")
    ndim = max(array.ndim, len(repetitions))
    array = reshape(array, (1,) * (ndim - array.ndim) + array.shape)
    for axis, times in enumerate((1,) * (ndim - len(repetitions)) + repetitions):
        if times == 0:
            array = array[(slice(None),) * axis + (slice(0, 0),)]
        elif times > 1:
            array = concat([array] * times, axis=axis)
    return copied(array)
