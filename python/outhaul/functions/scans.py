"""Cumulative sums and products: `cumulative_sum` and others. First each partition is totalled. Then
the sums before each partition are computed from the totals. Then all partitions are scanned at
once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Node, specs_of
from ..arrays.creation import asarray, full
from ..arrays.elementwise import broadcast_to
from ..arrays.indexing import axis_of
from ..arrays.type_aliases import Type
from ..subtasks.partition_spec import Spec
from .reductions import sum_dtype
from .shaping import concat, ravel

TOTALS = {"cumsum": ("sum", "add", 0), "cumprod": ("prod", "multiply", 1)}


@dataclass(frozen=True)
class Total:
    """The total of a partition along an axis."""

    name: str
    axis: int

    @property
    def key(self):
        return f"total {self.name}"

    def __call__(self, device, inputs, out):
        out[...] = getattr(device.xp, TOTALS[self.name][0])(
            inputs[0], axis=self.axis, keepdims=True, dtype=out.dtype
        )


@dataclass(frozen=True)
class Carry:
    """The total of the elements up to the next partition."""

    name: str

    @property
    def key(self):
        return f"carry {self.name}"

    def __call__(self, device, inputs, out):
        out[...] = getattr(device.xp, TOTALS[self.name][1])(*inputs)


@dataclass(frozen=True)
class Scan:
    """Scans a partition, beginning with the total of the elements before it, if there are any."""

    name: str
    axis: int

    @property
    def key(self):
        return f"{self.name} {self.axis}"

    def __call__(self, device, inputs, out):
        out[...] = getattr(device.xp, self.name)(inputs[0], axis=self.axis, dtype=out.dtype)
        if len(inputs) > 1:
            getattr(device.xp, TOTALS[self.name][1])(out, inputs[1], out=out)


@dataclass(frozen=True, eq=False)
class Scanned(Node):
    """The cumulative sums or products of an array along an axis."""

    name: str
    array: Any
    axis: int

    def expand(self, flow, array):
        shape, parts = grid.grid_of(array.chunks), flow.expand(self.array)
        label = flow.label(self.name)
        carries, out = {}, []
        for at, p, spec in zip(grid.positions(array.chunks), parts, specs_of(array)):
            name = label + grid.suffix(array.chunks, at)
            row = at[: self.axis] + at[self.axis + 1 :]
            before = carries.get(row)
            out.append(
                flow.subtask(
                    name, Scan(self.name, self.axis), [p] if before is None else [p, before], spec
                )
            )
            if at[self.axis] + 1 < shape[self.axis]:
                one = Spec((*spec.shape[: self.axis], 1, *spec.shape[self.axis + 1 :]), spec.dtype)
                total = flow.subtask(f"{name} total", Total(self.name, self.axis), [p], one)
                carries[row] = (
                    total
                    if before is None
                    else flow.subtask(f"{name} carry", Carry(self.name), [before, total], one)
                )
        return out


def scanned(name, array, axis, dtype, include_initial):
    """Returns the lazy result of a scan."""
    if axis is None:
        if array.ndim > 1:
            array = ravel(array)
        axis = 0
    axis = axis_of(array, axis, name)
    dtype = sum_dtype(array, dtype)
    result = Array(Scanned(name, array, axis), array.chunks, dtype)
    if not include_initial:
        return result
    shape = tuple(1 if i == axis else n for i, n in enumerate(array.shape))
    return concat([full(shape, TOTALS[name][2], dtype=dtype), result], axis=axis)


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: Type = None, include_initial: bool = False
) -> Array:
    """Returns cumulative sums along an axis; without one, of the flat array. With `include_initial`
    they begin with 0."""
    return scanned("cumsum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: Type = None, include_initial: bool = False
) -> Array:
    """Returns cumulative products along an axis; without one, of the flat array. With
    `include_initial` they begin with 1."""
    return scanned("cumprod", x, axis, dtype, include_initial)


def cumsum(x: Array, /, axis: int | None = None, dtype: Type = None) -> Array:
    """Returns `cumulative_sum` under NumPy's name."""
    return cumulative_sum(x, axis=axis, dtype=dtype)


def cumprod(x: Array, /, axis: int | None = None, dtype: Type = None) -> Array:
    """Returns `cumulative_prod` under NumPy's name."""
    return cumulative_prod(x, axis=axis, dtype=dtype)


def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> Array:
    """Returns the differences of neighbours along an axis, n times."""
    axis = axis_of(x, axis, "diff")
    edge = tuple(1 if i == axis else m for i, m in enumerate(x.shape))
    ends = [
        each if each is None or np.ndim(each) else broadcast_to(asarray(each), edge)
        for each in (prepend, append)
    ]
    parts = [asarray(each) for each in (ends[0], x, ends[1]) if each is not None]
    x = concat(parts, axis=axis) if len(parts) > 1 else x
    at = lambda start, stop: (slice(None),) * axis + (slice(start, stop),)
    for _ in range(n):
        x = (
            x[at(1, None)] ^ x[at(None, -1)]
            if x.dtype == bool
            else x[at(1, None)] - x[at(None, -1)]
        )
    return x
