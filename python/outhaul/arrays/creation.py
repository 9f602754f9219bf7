"""Arrays that are created on the GPU, partition by partition, without any transfer: `zeros`,
`arange`, `linspace`, `eye` and others. `asarray` converts existing arrays."""

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
from .elementwise import astype, broadcast_to
from .members.method_functions import functions
from .opening import from_array
from .type_aliases import Chunks, Number, Shape, Type


@dataclass(frozen=True)
class Make:
    """Fills a partition that begins at `starts`, by f(xp, starts, out)."""

    f: Any
    starts: tuple

    @property
    def key(self):
        return f"make {self.f}"

    def __call__(self, device, inputs, out):
        self.f.fill(device.xp, [*inputs], self.starts, out)


@dataclass(frozen=True, eq=False)
class Made(Node):
    """Partitions that depend on their position, and on at most one partition of another array, at
    the same position."""

    f: Any
    arrays: tuple = ()

    def expand(self, flow, array):
        label = flow.label(self.f.name)
        columns = [flow.expand(each) for each in self.arrays]
        placed = zip(grid.positions(array.chunks), grid.indices(array.chunks), specs_of(array))
        out = []
        for number, (at, index, spec) in enumerate(placed):
            make = Make(self.f, tuple(part.start for part in index))
            out.append(
                flow.subtask(
                    label + grid.suffix(array.chunks, at),
                    make,
                    [column[number] for column in columns],
                    spec,
                )
            )
        return out


@dataclass(frozen=True)
class Full:
    """One value everywhere."""

    value: Any
    name = "full"

    def fill(self, xp, inputs, starts, out):
        out[...] = self.value


@dataclass(frozen=True)
class Range:
    """first + i * step, with `last` as the last element if given."""

    name: str
    first: Any
    step: Any
    count: int
    last: Any = None

    def fill(self, xp, inputs, starts, out):
        wide = "i8" if out.dtype.kind in "iu" else np.result_type(out.dtype, np.float64)
        numbers = xp.arange(starts[0], starts[0] + len(out), dtype=np.int64).astype(wide)
        out[...] = numbers * self.step + self.first
        if self.last is not None and starts[0] + len(out) == self.count:
            out[-1:] = self.last


@dataclass(frozen=True)
class Diagonal:
    """Ones on the diagonal where the column is the row plus k, and zeros."""

    k: int
    name = "eye"

    def fill(self, xp, inputs, starts, out):
        out[...] = xp.eye(*out.shape, k=self.k + starts[0] - starts[1], dtype=out.dtype)


@dataclass(frozen=True)
class Triangle:
    """Each matrix without the elements above (`tril`) or below (`triu`) a diagonal."""

    name: str
    k: int

    def fill(self, xp, inputs, starts, out):
        k = self.k + starts[-2] - starts[-1]
        rows = xp.arange(out.shape[-2], dtype=np.int64)[:, None] + k
        columns = xp.arange(out.shape[-1], dtype=np.int64)
        kept = columns <= rows if self.name == "tril" else columns >= rows
        out[...] = xp.where(kept, inputs[0], out.dtype.type(0))


def made(f, shape, dtype, chunks):
    """Returns the lazy array that f fills. Raises ValueError for a negative length."""
    shape = grid.as_shape(shape)
    if min(shape, default=0) < 0:
        raise ValueError(f"{f.name}: a shape of {list(shape)}")
    result = Array(Made(f), grid.normalize(chunks, shape, dtype), np.dtype(dtype))
    result.is_cell = not shape
    return result


def full(
    shape: Shape,
    fill_value: Number,
    dtype: Type = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Returns an array of one value, cut by rows into partitions of 128 MB unless `chunks` says
    otherwise."""
    if np.ndim(fill_value) if not isinstance(fill_value, Array) else True:
        filled = asarray(fill_value, dtype)
        return broadcast_to(filled, shape).copy()
    if dtype is None:
        dtype = np.asarray(fill_value).dtype
    return made(Full(fill_value), shape, dtype, chunks)


def zeros(
    shape: Shape, dtype: Type = None, *, device: str | None = None, chunks: Chunks = None
) -> Array:
    """Returns an array of zeros, by default of float64."""
    return full(shape, zero_of(dtype or np.float64), dtype=dtype or np.float64, chunks=chunks)


def zero_of(dtype):
    """Returns the zero of a type; of text the empty text."""
    return np.zeros((), dtype)[()] if np.dtype(dtype).kind in "SU" else 0


def ones(
    shape: Shape, dtype: Type = None, *, device: str | None = None, chunks: Chunks = None
) -> Array:
    """Returns an array of ones, by default of float64."""
    return full(shape, 1, dtype=dtype or np.float64, chunks=chunks)


def empty(
    shape: Shape, dtype: Type = None, *, device: str | None = None, chunks: Chunks = None
) -> Array:
    """Returns an array with arbitrary values, which are zeros."""
    return zeros(shape, dtype=dtype, chunks=chunks)


def full_like(
    x: Array, /, fill_value: Number, *, dtype: Type = None, device: str | None = None
) -> Array:
    """Returns one value in the shape, type and cuts of another array."""
    return full(np.shape(x), fill_value, dtype=dtype or asarray(x).dtype, chunks=cuts_of(x))


def zeros_like(x: Array, /, dtype: Type = None, *, device: str | None = None) -> Array:
    """Returns zeros in the shape, type and cuts of another array."""
    return full_like(x, zero_of(dtype or asarray(x).dtype), dtype=dtype)


def ones_like(x: Array, /, dtype: Type = None, *, device: str | None = None) -> Array:
    """Returns ones in the shape, type and cuts of another array."""
    return full_like(x, 1, dtype=dtype)


def empty_like(x: Array, /, dtype: Type = None, *, device: str | None = None) -> Array:
    """Returns an array like another, with arbitrary values, which are zeros."""
    return zeros_like(x, dtype)


def converted(value, dtype):
    """Returns a value as an array of a type. Python's numbers must be in the range of the type, as
    in NumPy (OverflowError, ValueError for NaN); those of arrays wrap around."""
    if hasattr(value, "dtype"):
        return astype(asarray(value), dtype, copy=False)
    return asarray(value, dtype)


def number_of(value):
    """Returns a number, which it computes if it is a lazy array."""
    return value.compute()[()] if isinstance(value, Array) else value


def cuts_of(x):
    """Returns the chunks of a lazy array, or None."""
    return getattr(x, "chunks", None)


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: Type = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Returns numbers from `start` up to but not including `stop`. With one number, starts at 0.
    Raises ValueError for a step of 0."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = map(number_of, (start, stop, step))
    if step == 0:
        raise ValueError("arange: a step of 0 never reaches the end")
    if dtype is None:
        dtype = (
            np.arange(start, start + 1, step).dtype
            if all(isinstance(each, (int, np.integer)) for each in (start, stop, step))
            else np.float64
        )
    count = max(
        0,
        math.ceil((stop - start) / step)
        if any(isinstance(each, float) for each in (start, stop, step))
        else -((start - stop) // step),
    )
    return made(Range("arange", start, step, count), (count,), dtype, chunks)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    endpoint: bool = True,
    *,
    dtype: Type = None,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Returns `num` numbers at equal distances from `start` to `stop`, which is included unless
    `endpoint` is False."""
    start, stop, num = map(number_of, (start, stop, num))
    dtype = np.dtype(dtype or np.result_type(np.float64, np.asarray(start), np.asarray(stop)))
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts > 0 else 0
    return made(
        Range("linspace", start, step, num, stop if endpoint and num > 1 else None),
        (num,),
        dtype,
        chunks,
    )


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: Type = None,
    *,
    device: str | None = None,
    chunks: Chunks = None,
) -> Array:
    """Returns ones on the k-th diagonal above the main one, and zeros, shape (n_rows, n_cols)."""
    return made(
        Diagonal(k), (n_rows, n_rows if n_cols is None else n_cols), dtype or np.float64, chunks
    )


def tril(x: Array, /, k: int = 0) -> Array:
    """Returns each matrix without the elements above the k-th diagonal."""
    return triangle("tril", x, k)


def triu(x: Array, /, k: int = 0) -> Array:
    """Returns each matrix without the elements below the k-th diagonal."""
    return triangle("triu", x, k)


def triangle(name, x, k):
    """Returns `tril` or `triu` of matrices. Raises GraphError for fewer than two axes."""
    if x.ndim < 2:
        raise GraphError(f"{name}: an array with {counted(x.ndim, 'axis', 'axes')}")
    return Array(Made(Triangle(name, operator.index(k)), (x,)), x.chunks, x.dtype)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """Returns each array along its own axis, repeated along the axes of the others."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f'meshgrid: indexing "{indexing}"; there are "xy" and "ij"')
    axes = list(range(len(arrays)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [1, 0]
    shape = [0] * len(arrays)
    for axis, array in zip(axes, arrays):
        shape[axis] = np.size(array) if not isinstance(array, Array) else array.size
    place = lambda axis: tuple(-1 if i == axis else 1 for i in range(len(arrays)))
    return [
        broadcast_to(array.reshape(place(axis)), tuple(shape)).copy()
        for axis, array in zip(axes, map(asarray, arrays))
    ]


def asarray(
    obj: Any,
    /,
    dtype: Type = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
    chunks: Chunks = None,
) -> Array:
    """Returns a lazy array of a lazy array, a NumPy or CuPy array, an object with DLPack, or nested
    lists of numbers, which may contain lazy arrays without axes."""
    if isinstance(obj, Array):
        return astype(obj, obj.dtype if dtype is None else dtype, copy=bool(copy))
    if hasattr(obj, "__cuda_array_interface__"):
        obj = obj.get()
    elif hasattr(obj, "__dlpack__") and not isinstance(obj, (np.ndarray, np.generic)):
        obj = np.from_dlpack(obj)
    elif isinstance(obj, (list, tuple)):
        obj = evaluated(obj)
    array = np.array(obj, dtype=dtype) if copy or dtype is not None else np.asarray(obj)
    return from_array(array, chunks)


def array(
    obj: Any,
    /,
    dtype: Type = None,
    *,
    copy: bool | None = True,
    ndmin: int = 0,
    chunks: Chunks = None,
) -> Array:
    """Returns `asarray` in an array of its own."""
    made = asarray(obj, dtype, copy=copy, chunks=chunks)
    if isinstance(obj, np.ndarray) and copy and dtype is None:
        made = from_array(obj.copy(), chunks)
    return made.reshape((1,) * max(0, ndmin - made.ndim) + made.shape) if ndmin else made


def evaluated(nested):
    """Returns lists in which every lazy array is computed, all by one graph."""
    lazy = list(lazy_in(nested))
    values = iter(functions.compute(*lazy) if lazy else ())
    return replaced_by(values, nested)


def lazy_in(nested):
    """Yields the lazy arrays in nested lists."""
    for each in nested:
        if isinstance(each, (list, tuple)):
            yield from lazy_in(each)
        elif isinstance(each, Array):
            yield each


def replaced_by(values, nested):
    """Returns lists with the next values in place of lazy arrays."""
    made = [
        replaced_by(values, each)
        if isinstance(each, (list, tuple))
        else next(values)
        if isinstance(each, Array)
        else each
        for each in nested
    ]
    return tuple(made) if type(nested) is tuple else made


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Array:
    """Returns a lazy array of an object with DLPack."""
    return asarray(x)
