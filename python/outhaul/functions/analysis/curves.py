"""Curves given by points: `interp`, `gradient`, `trapezoid`, `convolve`, `polyval`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays.array import Array, Operand
from ...arrays.creation import asarray, zeros_like
from ...arrays.elementwise import astype, elementwise
from ...arrays.indexing import axis_of
from ...arrays.members.method_functions import functions
from ..reductions import sum as summed
from ..shaping import concat, flip, ravel


@dataclass(frozen=True)
class Interpolate:
    """Interpolates at the elements of a partition."""

    left: Any
    right: Any
    period: Any

    @property
    def key(self):
        return f"interp {self.left} {self.right} {self.period}"

    __name__ = "interp"

    def __call__(self, x, xp, fp):
        module = np if isinstance(x, np.ndarray) else __import__("cupy")
        return module.interp(x, xp, fp, self.left, self.right, self.period).reshape(x.shape)


def interp(
    x: Operand, xp: Operand, fp: Operand, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """Returns values between the points (xp, fp), on straight lines. The points must fit a GPU."""
    x = astype(asarray(x), np.float64, copy=False)
    one = lambda each: each.rechunk(each.shape)
    xp, fp = (one(ravel(asarray(each))) for each in (xp, fp))
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length.")
    fp = astype(fp, np.complex128 if fp.dtype.kind == "c" else np.float64, copy=False)
    f = Interpolate(left, right, period)
    return x.map(f, astype(xp, np.float64, copy=False), fp, dtype=fp.dtype)


def gradient(f: Array, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Returns slopes along axes: between both neighbours, and at the ends between two. `spacing` is
    a distance, or the places along the axis, for all axes or for each."""
    axes = range(f.ndim) if axis is None else np.atleast_1d(axis).tolist()
    axes = [axis_of(f, each, "gradient") for each in axes]
    if len(spacing) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    spacing = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    if edge_order not in (1, 2) or any(f.shape[each] < edge_order + 1 for each in axes):
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    f = f if f.dtype.kind in "fc" else astype(f, np.float64)
    results = [slopes(f, np.asarray(s), each, edge_order) for s, each in zip(spacing, axes)]
    return results[0] if len(results) == 1 else tuple(results)


def slopes(f, places, axis, edge_order):
    """Returns the slopes along an axis, for a distance or places."""
    at = lambda start, stop: (slice(None),) * axis + (slice(start, stop),)
    along = (-1,) + (1,) * (f.ndim - axis - 1)
    if places.ndim and np.all(np.diff(places) == np.diff(places)[0]):
        places = np.diff(places)[0]
    steps = np.diff(places) if places.ndim else np.full(f.shape[axis] - 1, places, float)
    if places.ndim:
        before, after = steps[:-1].reshape(along), steps[1:].reshape(along)
        middle = (
            -after / (before * (before + after)) * f[at(None, -2)]
            + (after - before) / (before * after) * f[at(1, -1)]
            + before / (after * (before + after)) * f[at(2, None)]
        )
    else:
        middle = (f[at(2, None)] - f[at(None, -2)]) / (2.0 * places)
    if edge_order == 1:
        first = (f[at(1, 2)] - f[at(0, 1)]) / steps[0]
        last = (f[at(-1, None)] - f[at(-2, -1)]) / steps[-1]
    else:
        first, last = end(f, at, steps[0], steps[1], 1), end(f, at, steps[-1], steps[-2], -1)
    return astype(concat([first, middle, last], axis=axis), f.dtype, copy=False)


def end(f, at, near, far, way):
    """Returns the slope at one end, of second order, from its three last points."""
    picked = [at(0, 1), at(1, 2), at(2, 3)]
    if way < 0:
        picked = [at(-1, None), at(-2, -1), at(-3, -2)]
    a = -(2.0 * near + far) / (near * (near + far))
    b, c = (near + far) / (near * far), -near / (far * (near + far))
    return way * (a * f[picked[0]] + b * f[picked[1]] + c * f[picked[2]])


def trapezoid(y: Array, x: Operand | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Returns the area below points, on straight lines."""
    axis = axis_of(y, axis, "trapezoid")
    at = lambda start, stop: (slice(None),) * axis + (slice(start, stop),)
    steps = dx
    if x is not None:
        x = asarray(x)
        steps = functions.diff(x, axis=-1 if x.ndim == 1 else axis)
        steps = steps.reshape((-1,) + (1,) * (y.ndim - axis - 1)) if x.ndim == 1 else steps
    return summed(steps * (y[at(1, None)] + y[at(None, -1)]) / 2.0, axis=axis)


def convolve(a: Operand, v: Operand, mode: str = "full") -> Array:
    """Returns the sums of products of two arrays of one axis, one of them reversed and moved along
    the other. The shorter one is computed at once: there is a term for each of its elements."""
    a, v = (ravel(asarray(each)) for each in (a, v))
    if v.size > a.size:
        a, v = v, a
    if not v.size:
        raise ValueError("v cannot be empty")
    n, m = a.size, v.size
    padded = concat([functions.zeros(m - 1, dtype=a.dtype), a, functions.zeros(m - 1, a.dtype)])
    begin, length = {
        "full": (0, n + m - 1),
        "same": ((m - 1) // 2, n),
        "valid": (m - 1, n - m + 1),
    }[mode]
    result = None
    for i, weight in enumerate(v.compute()):
        start = begin + m - 1 - i
        term = padded[start : start + length] * weight
        result = term if result is None else result + term
    return result


def correlate(a: Operand, v: Operand, mode: str = "valid") -> Array:
    """Returns the sums of products of two arrays of one axis, one moved along the other."""
    a, v = asarray(a), asarray(v)
    v = flip(elementwise(np.conjugate, [v]) if v.dtype.kind == "c" else v)
    result = convolve(a, v, mode)
    return result


def polyval(p: Operand, x: Operand) -> Array:
    """Returns a polynomial's values; its coefficients begin with that of the highest power."""
    x, result = asarray(x), 0
    result = zeros_like(x)
    for coefficient in np.asarray(p):
        result = result * x + coefficient
    return result


def unwrap(p: Array, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Array:
    """Returns angles without jumps of more than half a period."""
    axis = axis_of(p, axis, "unwrap")
    steps = functions.diff(p, axis=axis)
    half = period / 2
    modulo = (steps + half) % period - half
    modulo = functions.where((modulo == -half) & (steps > 0), half, modulo)
    limit = half if discont is None else max(discont, half)
    correction = functions.where(elementwise(np.abs, [steps]) < limit, 0, modulo - steps)
    first = p[(slice(None),) * axis + (slice(0, 1),)]
    rest = p[(slice(None),) * axis + (slice(1, None),)]
    return concat([first, rest + functions.cumsum(correction, axis=axis)], axis=axis)
