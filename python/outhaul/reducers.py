"""What reductions do: from a partition to a state, from states to one, from the last state to the
result. A state has the partition's axes, reduced ones with a single element, behind an axis of its
own where it holds several values."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from .spec import Spec

MERGES = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "any": "logical_or",
    "all": "logical_and",
}

WIDEST = {"f": np.dtype("f8"), "i": np.dtype("i8"), "u": np.dtype("u8"), "b": np.dtype("u8")}
"""Types of 64 bits in which any real number of a kind keeps its order."""


class Reducer:
    is_placed = False
    """Whether `first` wants to know where in the whole array the partition is."""

    @property
    def key(self):
        return str(self)

    @property
    def is_boolean(self):
        return self.name in ("any", "all")


@dataclass(frozen=True)
class Fold(Reducer):
    """The state is the result so far."""

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


@dataclass(frozen=True)
class Mean(Reducer):
    """The state is the sum, of half floats in more bits than they have."""

    dtype: np.dtype
    name = "mean"
    has_identity = True

    @property
    def wide(self):
        return np.result_type(self.dtype, np.float32)

    def state(self, shape):
        return Spec(shape, self.wide)

    def first(self, xp, part, axes, place):
        return xp.sum(part, axis=axes, keepdims=True, dtype=self.wide)

    def merge(self, xp, states, counts):
        return functools.reduce(xp.add, states)

    def finish(self, xp, state, count):
        return (state / xp.asarray(count, dtype=state.real.dtype)).astype(self.dtype)


@dataclass(frozen=True)
class Moments(Reducer):
    """The state is the mean, and the sum of squares around it; states merge as Chan, Golub and
    LeVeque have it (1979)."""

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
            mean, count = mean + apart * (more / both), both
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
    return values.real**2 + values.imag**2 if values.dtype.kind == "c" else values**2


@dataclass(frozen=True)
class ArgExtreme(Reducer):
    """The state is the place in the axis, or in the flat array, and the bits of the value there."""

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
            # From a place in the partition to one in the whole array, axis by axis from the last.
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
        """The first of several, also of NaNs, of which CuPy takes any."""
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
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
