"""Arrays put together and taken apart: `vstack`, `split`, `append`, `insert`, `diag` and others."""

from __future__ import annotations

import functools as tools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array, Operand
from ..arrays.creation import array, asarray, converted, eye, zeros
from ..arrays.elementwise import astype, broadcast_to
from ..arrays.indexing import axis_of, in_memory
from ..arrays.members.method_functions import functions
from ..arrays.members.views import is_contiguous
from ..errors import GraphError
from .analysis.hosted import hosted
from .shaping import concat, expand_dims, flip, moveaxis, ravel, swapaxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays.type_aliases import Shape, Type


def at_least(ndim, x, places):
    """Returns the array with new axes of one element at these places, up to `ndim` axes."""
    x = asarray(x)
    return x if x.ndim >= ndim else expand_dims(x, axis=places[x.ndim])


def each_or_all(f, arrays):
    """Returns f of the only array, or a tuple of f of each."""
    return f(arrays[0]) if len(arrays) == 1 else tuple(map(f, arrays))


def atleast_1d(*arrays: Operand) -> Any:
    """Returns each array with one axis at least."""
    return each_or_all(lambda x: at_least(1, x, [0]), arrays)


def atleast_2d(*arrays: Operand) -> Any:
    """Returns each array with two axes at least."""
    return each_or_all(lambda x: at_least(2, x, [(0, 1), 0]), arrays)


def atleast_3d(*arrays: Operand) -> Any:
    """Returns each array with three axes at least."""
    return each_or_all(lambda x: at_least(3, x, [(0, 1, 2), (0, 2), 2]), arrays)


def vstack(arrays: Sequence[Operand], *, dtype: Type = None) -> Array:
    """Joins arrays by rows."""
    return concat([atleast_2d(each) for each in arrays], dtype=dtype)


def hstack(arrays: Sequence[Operand], *, dtype: Type = None) -> Array:
    """Joins arrays by columns; those of one axis along it."""
    arrays = [atleast_1d(each) for each in arrays]
    return concat(arrays, axis=0 if arrays[0].ndim == 1 else 1, dtype=dtype)


def dstack(arrays: Sequence[Operand]) -> Array:
    """Joins arrays along the third axis."""
    return concat([atleast_3d(each) for each in arrays], axis=2)


def column_stack(arrays: Sequence[Operand]) -> Array:
    """Joins columns, which may be arrays of one axis, to a matrix."""
    column = lambda x: x.reshape(-1, 1) if x.ndim < 2 else x
    return concat([column(asarray(each)) for each in arrays], axis=1)


def array_split(x: Array, sections: Any, axis: int = 0) -> list[Array]:
    """Splits an array into so many parts of nearly equal length, or before these indices. The parts
    are views."""
    axis = axis_of(x, axis, "split")
    n = x.shape[axis]
    if np.ndim(sections) == 0:
        count = operator.index(sections)
        if count < 1:
            raise ValueError("number sections must be larger than 0.")
        ends = np.cumsum([n // count + (i < n % count) for i in range(count)])[:-1].tolist()
    else:
        ends = [int(each) for each in np.asarray(sections)]
    at = lambda start, stop: x[(slice(None),) * axis + (slice(start, stop),)]
    return [at(start, stop) for start, stop in zip([0, *ends], [*ends, None])]


def split(x: Array, sections: Any, axis: int = 0) -> list[Array]:
    """As `array_split`. Raises ValueError if the parts are not of equal length."""
    if np.ndim(sections) == 0 and x.shape[axis_of(x, axis, "split")] % sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(x, sections, axis)


def vsplit(x: Array, sections: Any) -> list[Array]:
    """Splits an array by rows."""
    return split(x, sections, 0)


def hsplit(x: Array, sections: Any) -> list[Array]:
    """Splits an array by columns; one of one axis along it."""
    return split(x, sections, 0 if x.ndim == 1 else 1)


def append(x: Array, values: Operand, axis: int | None = None) -> Array:
    """Returns the array with values at the end of an axis; without one, both flat."""
    if axis is None:
        return concat([ravel(x), ravel(asarray(values))])
    return concat([x, values], axis=axis)


def insert(x: Array, places: Any, values: Operand, axis: int | None = None) -> Array:
    """Returns the array with values before the given indices of an axis; without one, of the flat
    array. Raises IndexError for an index out of bounds."""
    if axis is None:
        x, axis = ravel(x), 0
    axis = axis_of(x, axis, "insert")
    n, places = x.shape[axis], in_memory(places)
    if isinstance(places, slice):
        places = np.arange(*places.indices(n))
    if np.any((np.asarray(places) < -n) | (np.asarray(places) > n)):
        raise IndexError(f"index {places} is out of bounds for axis {axis} with size {n}")
    values = converted(values, x.dtype)
    if np.ndim(places) == 0:
        if values.ndim < x.ndim and axis and values.ndim:
            values = expand_dims(values, axis=axis)
        count = values.shape[axis - x.ndim] if values.ndim >= x.ndim - axis else 1
        places = np.full(count if values.ndim else 1, places)
    count = len(places)
    values = broadcast_to(values, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    places = np.where(np.asarray(places) < 0, np.asarray(places) + n, places)
    order = np.argsort(np.concatenate([np.arange(n) + 0.5, places]), kind="stable")
    return functions.take(concat([x, values], axis=axis), order, axis=axis)


def delete(x: Array, places: Any, axis: int | None = None) -> Array:
    """Returns the array without the elements at indices of an axis; without one, of the flat
    array."""
    if axis is None:
        x, axis = ravel(x), 0
    axis = axis_of(x, axis, "delete")
    places = places if isinstance(places, slice) else in_memory(places)
    kept = np.delete(np.arange(x.shape[axis]), places)
    return functions.take(x, kept, axis=axis)


def diag(x: Array, k: int = 0) -> Array:
    """Returns the k-th diagonal of a matrix, or a matrix with these elements on it."""
    if x.ndim == 2:
        return functions.diagonal(x, k)
    if x.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = x.size + abs(k)
    row, column = max(0, -k), max(0, k)
    made = zeros((n, n), dtype=x.dtype)
    made[row : row + x.size, column : column + x.size] = eye(x.size, dtype=x.dtype) * x
    return made


def diagflat(x: Array, k: int = 0) -> Array:
    """Returns a matrix with the elements of the flat array on the k-th diagonal."""
    return diag(ravel(x), k)


def identity(n: int, dtype: Type = None) -> Array:
    """Returns ones on the diagonal, and zeros."""
    return eye(n, dtype=dtype)


def tri(n: int, m: int | None = None, k: int = 0, dtype: Type = float) -> Array:
    """Returns ones at and below the k-th diagonal, and zeros."""
    return functions.tril(functions.ones((n, n if m is None else m), dtype=dtype), k=k)


def vander(x: Array, n: int | None = None, increasing: bool = False) -> Array:
    """Returns the powers of each element, as rows."""
    powers = np.arange(x.size if n is None else n)
    return x.reshape(-1, 1) ** (powers if increasing else powers[::-1])


def fliplr(x: Array) -> Array:
    """Reverses the second axis."""
    return flip(x, axis=1)


def flipud(x: Array) -> Array:
    """Reverses the first axis."""
    return flip(x, axis=0)


def rot90(x: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turns the plane of two axes by k quarters of a turn."""
    for _ in range(k % 4):
        x = flip(swapaxes(x, *axes), axis=axes[0])
    return x


def rollaxis(x: Array, axis: int, start: int = 0) -> Array:
    """Moves an axis before another."""
    axis = axis_of(x, axis, "rollaxis")
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - (axis < start))


def compress(condition: Operand, x: Array, axis: int | None = None) -> Array:
    """Returns the elements along an axis where a condition is true."""
    kept = np.flatnonzero(np.asarray(condition))
    return functions.take(x, kept, axis=axis)


def extract(condition: Operand, x: Array) -> Array:
    """Returns the elements where a condition is true."""
    return ravel(x)[ravel(asarray(condition)) != 0]


def resize(x: Array, shape: Shape) -> Array:
    """Returns the elements in another shape, again from the start if they are too few."""
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    wanted = int(np.prod(shape))
    flat = ravel(x)
    if not x.size:
        return zeros(shape, dtype=x.dtype)
    return concat([flat] * -(-wanted // x.size))[:wanted].reshape(shape).copy()


def changing(function):
    """Returns a function that changes its first argument, and leaves arrays in memory to NumPy."""

    @tools.wraps(function)
    def call(to, *others, **options):
        if isinstance(to, Array):
            return function(to, *others, **options)
        return hosted(getattr(np, function.__name__))(to, *others, **options)

    call.is_changing = True
    return call


@changing
def fill_diagonal(x: Array, value: Operand) -> None:
    """Gives the elements of the main diagonal of a matrix a value, or values, in place."""
    if x.ndim != 2:
        raise GraphError(f"fill_diagonal: an array with {x.ndim} axes; give a matrix")
    count = min(x.shape)
    x[np.arange(count), np.arange(count)] = (
        functions.resize(asarray(value), (count,)) if (np.ndim(value)) else value
    )


@changing
def copyto(to: Array, values: Operand, where: Operand = True) -> None:
    """Gives an array the elements of another, where a condition is true, in place."""
    to[...] = values if where is True else functions.where(where, values, to)


@changing
def putmask(x: Array, mask: Operand, values: Operand) -> None:
    """Gives elements a value where a mask is true, in place: those of `values` at the same
    place."""
    values = converted(values, x.dtype)
    whole = values if values.size == 1 else functions.resize(values, x.shape)
    x[...] = functions.where(mask, whole.reshape(()) if values.size == 1 else whole, x)


@changing
def put(x: Array, places: Operand, values: Operand) -> None:
    """Gives the elements of the flat array at indices new values, in place."""
    places = np.atleast_1d(np.asarray(places))
    x.flat[places] = functions.resize(asarray(values), places.shape) if np.ndim(values) else values


def copy(x: Array) -> Array:
    """Returns an array of its own with the same elements."""
    return x.copy("K")


def asanyarray(obj: Any, dtype: Type = None) -> Array:
    """Returns `asarray`."""
    return asarray(obj, dtype)


def ascontiguousarray(obj: Any, dtype: Type = None) -> Array:
    """Returns `asarray`: the runtime chooses where elements are."""
    made = atleast_1d(asarray(obj, dtype))
    return made if is_contiguous(made) else made.copy()


def frombuffer(buffer: Any, dtype: Type = float, count: int = -1, offset: int = 0) -> Array:
    """Returns the bytes of an object as numbers."""
    return array(np.frombuffer(buffer, dtype, count, offset))


def fromiter(values: Any, dtype: Type, count: int = -1) -> Array:
    """Returns an array of an iterable."""
    return array(np.fromiter(values, dtype, count))


def fromfunction(f: Any, shape: Any, *, dtype: Type = float, **options: Any) -> Any:
    """Returns f of the indices along each axis, which are arrays."""
    return f(*(functions.asarray(each) for each in np.indices(shape, dtype=dtype)), **options)
