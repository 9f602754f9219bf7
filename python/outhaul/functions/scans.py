"""Cumulative sums, products and extremes: `cumulative_sum` and others. Each partition is scanned
from the last element of the one before it, so a result that overflows spoils only what comes after
it, as in NumPy."""

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

STEPS = {"cumsum": "add", "cumprod": "multiply", "cummax": "maximum", "cummin": "minimum"}
"""The ufunc that joins two neighbours in each scan."""
INITIAL = {"cumsum": 0, "cumprod": 1}


@dataclass(frozen=True)
class Scan:
    """Scans a partition, beginning with the result before it, if there is one."""

    name: str
    axis: int

    @property
    def key(self):
        return f"{self.name} {self.axis}"

    def __call__(self, device, inputs, out):
        xp, ufunc = device.xp, STEPS[self.name]
        first = (slice(None),) * self.axis + (slice(0, 1),)
        with np.errstate(all="ignore"):
            out[...] = inputs[0]
            if len(inputs) > 1 and out.size:
                out[first] = getattr(xp, ufunc)(inputs[1], out[first])
            if xp is np:
                getattr(np, ufunc).accumulate(out, axis=self.axis, out=out)
            else:
                scan_on_gpu(xp, self.name, out, self.axis)


def scan_on_gpu(xp, name, out, axis):
    """Scans an array in place. GPUs join elements in another order than NumPy, in which more may
    overflow: the host repeats a scan that is not finite."""
    if name in ("cummax", "cummin"):
        step, reach = getattr(xp, STEPS[name]), 1
        while reach < out.shape[axis]:
            at = lambda *part: (slice(None),) * axis + (slice(*part),)
            out[at(reach, None)] = step(out[at(reach, None)], out[at(None, -reach)])
            reach *= 2
        return
    scan = getattr(xp, name)(out, axis=axis, dtype=out.dtype)
    if out.dtype.kind in "fc" and not bool(xp.isfinite(scan).all()):
        scan = xp.asarray(getattr(np, name)(xp.asnumpy(out), axis=axis, dtype=out.dtype))
    out[...] = scan


@dataclass(frozen=True)
class Last:
    """Returns the last elements of a partition along an axis."""

    axis: int

    @property
    def key(self):
        return f"last {self.axis}"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0][(slice(None),) * self.axis + (slice(-1, None),)]


@dataclass(frozen=True, eq=False)
class Scanned(Node):
    """A scan of an array along an axis."""

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
            inputs = [p, carries[row]] if row in carries else [p]
            out.append(flow.subtask(name, Scan(self.name, self.axis), inputs, spec))
            if spec.shape[self.axis] and at[self.axis] + 1 < shape[self.axis]:
                one = Spec((*spec.shape[: self.axis], 1, *spec.shape[self.axis + 1 :]), spec.dtype)
                carries[row] = flow.subtask(f"{name} last", Last(self.axis), [out[-1]], one)
        return out


def scanned(name, array, axis, dtype, include_initial):
    """Returns the lazy result of a scan."""
    if axis is None:
        if array.ndim > 1:
            array = ravel(array)
        axis = 0
    axis = axis_of(array, axis, name)
    dtype = sum_dtype(array, dtype) if name in INITIAL else array.dtype
    result = Array(Scanned(name, array, axis), array.chunks, dtype)
    if not include_initial:
        return result
    shape = tuple(1 if i == axis else n for i, n in enumerate(array.shape))
    return concat([full(shape, INITIAL[name], dtype=dtype), result], axis=axis)


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


def cummax(x: Array, /, axis: int | None = None) -> Array:
    """Returns the greatest element up to each, along an axis: NumPy's `maximum.accumulate`."""
    return scanned("cummax", x, axis, None, False)


def cummin(x: Array, /, axis: int | None = None) -> Array:
    """Returns the least element up to each, along an axis: NumPy's `minimum.accumulate`."""
    return scanned("cummin", x, axis, None, False)


def diff(
    x: Array,
    /,
    n: int = 1,
    axis: int = -1,
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
