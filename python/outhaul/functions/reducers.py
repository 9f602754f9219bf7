"""Reducers: from a partition to a state, from states to one state, and from the last state to the
result. A state has the partition's axes, with one element along reduced ones. A state of several
values has another axis in front."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from ..subtasks.partition_spec import Spec

MERGES = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "any": "logical_or",
    "all": "logical_and",
}

WIDEST = {"f": np.dtype("f8"), "i": np.dtype("i8"), "u": np.dtype("u8"), "b": np.dtype("u8")}
"""64-bit types in which all real numbers of a kind keep their order."""


class Reducer:
    """Base class of reducers."""

    is_placed = False
    """Whether `first` needs the partition's position in the whole array."""
    is_chained = False
    """Whether each partition begins with the state of the one before it, given to `first`."""

    @property
    def key(self):
        return str(self)

    @property
    def is_boolean(self):
        return self.name in ("any", "all")


@dataclass(frozen=True)
class Fold(Reducer):
    """A reducer whose state is the result so far."""

    name: str
    dtype: np.dtype

    @property
    def has_identity(self):
        return self.name not in ("max", "min")

    def state(self, shape):
        return Spec(shape, self.dtype)

    def first(self, xp, part, axes, place):
        if self.name in ("sum", "prod"):
            return getattr(xp, self.name)(part, axis=axes, keepdims=True, dtype=self.dtype)
        return getattr(xp, self.name)(part, axis=axes, keepdims=True)

    def merge(self, xp, states, counts):
        return functools.reduce(getattr(xp, MERGES[self.name]), states)

    def finish(self, xp, state, count):
        return state


SCALE = 2.0**-64
"""Factor for totals that no sum of fewer than 2**64 elements can make overflow."""


@dataclass(frozen=True)
class Total(Reducer):
    """A reducer whose state is the sum of floating-point numbers in 64 bits, and the sum times
    SCALE. It takes the second if the sum of some partitions overflows, but that of all does not.
    The result is the mean if its name says so."""

    name: str
    dtype: np.dtype
    has_identity = True

    @property
    def own(self):
        return np.result_type(self.dtype, np.float32) if self.name == "mean" else self.dtype

    @property
    def wide(self):
        return np.result_type(self.dtype, np.float64)

    def state(self, shape):
        return Spec((2, *shape), self.wide)

    def first(self, xp, part, axes, place):
        total = xp.sum(part, axis=axes, keepdims=True, dtype=self.own).astype(self.wide)
        scaled = total * SCALE
        if not bool(xp.isfinite(total).all()):
            total = xp.sum(part, axis=axes, keepdims=True, dtype=self.wide)
            scaled = xp.sum(part.astype(self.wide) * SCALE, axis=axes, keepdims=True)
        return xp.stack([total, scaled])

    def merge(self, xp, states, counts):
        return functools.reduce(xp.add, states)

    def finish(self, xp, state, count):
        total = xp.where(xp.isfinite(state[0]), state[0], state[1] / SCALE)
        if self.name == "sum":
            return total.astype(self.dtype)
        own = total.astype(self.own)
        return (own / xp.asarray(count, dtype=own.real.dtype)).astype(self.dtype)


@dataclass(frozen=True)
class Product(Reducer):
    """A reducer whose state is the product of floating-point numbers so far. Products of single
    partitions may overflow, and infinity times zero is no number: so it multiplies them in
    order."""

    dtype: np.dtype
    name = "prod"
    has_identity = True
    is_chained = True

    @property
    def wide(self):
        return np.result_type(self.dtype, np.float32)

    def state(self, shape):
        return Spec(shape, self.wide)

    def first(self, xp, part, axes, place, before=None):
        kept = [axis for axis in range(part.ndim) if axis not in axes]
        shape = [1 if axis in axes else n for axis, n in enumerate(part.shape)]
        rows = part.transpose(*kept, *axes).reshape(*(part.shape[axis] for axis in kept), -1)
        if before is not None:
            rows = xp.concatenate([before.reshape(*rows.shape[:-1], 1), rows], axis=-1)
        result = xp.prod(rows, axis=-1, dtype=self.wide)
        if xp is not np and not bool(xp.isfinite(result).all()):
            result = xp.asarray(np.prod(xp.asnumpy(rows), axis=-1, dtype=self.wide))
        return result.reshape(shape)

    def finish(self, xp, state, count):
        return state.astype(self.dtype)


def total(name, dtype):
    """Returns the reducer of a sum, a mean or a product."""
    if dtype.kind not in "fc":
        return Fold(name, dtype)
    return Product(dtype) if name == "prod" else Total(name, dtype)


@dataclass(frozen=True)
class Moments(Reducer):
    """A reducer whose state is the mean, and the sum of squares around it. States merge by the
    method of Chan, Golub and LeVeque (1979)."""

    name: str
    dtype: np.dtype
    correction: float
    wide: np.dtype
    has_identity = True

    def state(self, shape):
        return Spec((2, *shape), self.wide)

    def first(self, xp, part, axes, place):
        wide = part.astype(self.wide, copy=False)
        count = math.prod(part.shape[axis] for axis in axes)
        mean = wide.sum(axis=axes, keepdims=True) / max(count, 1)
        if not bool(xp.isfinite(mean).all()):
            mean = (wide / max(count, 1)).sum(axis=axes, keepdims=True)
        if count == 0:
            mean = mean * np.nan
        return xp.stack([mean, squared(wide - mean).sum(axis=axes, keepdims=True)]).astype(
            self.wide
        )

    def merge(self, xp, states, counts):
        mean, squares, count = states[0][0], states[0][1], counts[0]
        for state, more in zip(states[1:], counts[1:]):
            apart, both = state[0] - mean, count + more
            squares = squares + state[1] + squared(apart) * (count * more / both)
            beyond = mean * (count / both) + state[0] * (more / both)
            mean = xp.where(xp.isfinite(apart), mean + apart * (more / both), beyond)
            count = both
        return xp.stack([mean, squares]).astype(self.wide)

    def finish(self, xp, state, count):
        squares = state[1].real
        freedom = max(0.0, count - self.correction)
        result = (
            squares / freedom
            if freedom
            else squares * np.nan
            if count == 0
            else squares / xp.zeros_like(squares)
        )
        return (xp.sqrt(result) if self.name == "std" else result).astype(self.dtype)


def squared(values):
    """Returns squares of absolute values."""
    return values.real**2 + values.imag**2 if values.dtype.kind == "c" else values**2


@dataclass(frozen=True)
class ArgExtreme(Reducer):
    """A reducer whose state is the index, in the axis or the flat array, and the bits of the
    value."""

    name: str
    kind: str
    dtype = np.dtype(np.int64)
    is_placed = True
    has_identity = False

    def state(self, shape):
        return Spec((2, *shape), np.int64)

    def first(self, xp, part, axes, place):
        starts, shape = place
        if len(axes) == part.ndim:
            at = self.places(xp, part.reshape(-1), 0)
            value = part.reshape(-1)[at].reshape((1,) * part.ndim)
            local = at.astype(np.int64)
            index = xp.zeros((), np.int64)
            # Converts an index in the partition to one in the whole array, axis by axis from the
            # last.
            for n, whole, start, stride in zip(
                part.shape[::-1], shape[::-1], starts[::-1], strides_of(shape)[::-1]
            ):
                index = index + (local % n + start) * stride
                local = local // n
            index = index.reshape((1,) * part.ndim)
        else:
            [axis] = axes
            index = xp.expand_dims(self.places(xp, part, axis), axis).astype(np.int64)
            value = xp.take_along_axis(part, index, axis)
            index = index + starts[axis]
        return xp.stack([index, value.astype(WIDEST[self.kind]).view(np.int64)])

    def places(self, xp, part, axis):
        """Returns the first of several indices, also for NaNs, of which CuPy returns any."""
        places = getattr(xp, self.name)(part, axis=axis)
        if xp is np or part.dtype.kind != "f":
            return places
        nans = xp.isnan(part)
        return xp.where(nans.any(axis=axis), xp.argmax(nans, axis=axis), places)

    def merge(self, xp, states, counts):
        dtype = WIDEST[self.kind]
        best = states[0]
        for state in states[1:]:
            a, b = best[1].view(dtype), state[1].view(dtype)
            ahead = b > a if self.name == "argmax" else b < a
            same = a == b
            if dtype.kind == "f":
                ahead, same = (
                    ahead | (xp.isnan(b) & ~xp.isnan(a)),
                    same | (xp.isnan(a) & xp.isnan(b)),
                )
                ahead = ahead & ~(xp.isnan(a) & ~xp.isnan(b))
            best = xp.where(ahead | (same & (state[0] < best[0])), state, best)
        return best

    def finish(self, xp, state, count):
        return state[0]


def strides_of(shape):
    """Returns the distance, in elements, between neighbours along each axis in C order."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
