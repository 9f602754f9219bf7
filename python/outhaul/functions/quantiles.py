"""Medians, quantiles and percentiles: of whole arrays by an exact out-of-core sort, and along an
axis with that axis as one piece."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.array import Array
from ..arrays.array_nodes import Together
from ..arrays.creation import asarray
from ..arrays.elementwise import astype, where
from ..arrays.selection import whole_along
from ..arrays.type_aliases import Axis
from ..errors import GraphError
from .nans import valid
from .reductions import axes_of
from .shaping import expand_dims, moveaxis, ravel, stack
from .sorting import canonical, sort


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of each row of a partition, between the two nearest elements, along a new axis in
    front."""

    qs: tuple
    skips_nans: bool

    @property
    def key(self):
        return f"quantiles {self.qs} {self.skips_nans}"

    def __call__(self, device, inputs, out):
        xp = device.xp
        ordered = xp.sort(canonical(xp, inputs[0]), axis=-1).astype(out.dtype)
        nans = xp.isnan(ordered).sum(axis=-1, keepdims=True)
        count = ordered.shape[-1] - (nans if self.skips_nans else 0 * nans)
        is_nan = (count == 0) | ((nans > 0) & (not self.skips_nans))
        for i, q in enumerate(self.qs):
            place = q * xp.maximum(count - 1, 0)
            low = xp.floor(place).astype(np.int64)
            high = xp.minimum(low + 1, xp.maximum(count - 1, 0))
            a, b = (xp.take_along_axis(ordered, each, -1) for each in (low, high))
            between = weighted(xp, a, b, (place - low).astype(out.dtype))
            out[i] = xp.where(is_nan, out.dtype.type(np.nan), between)[..., 0]


def weighted(xp, a, b, weight):
    """Returns a value between a and b, exact at both ends; the same value if they are equal, also
    if infinite."""
    with np.errstate(all="ignore"):
        apart = b - a
        result = xp.where(weight >= 0.5, b - apart * (1 - weight), a + apart * weight)
        return xp.where(a == b, a, result)


def quantile(
    x: Array, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Array:
    """Returns the value that a share q, from 0 to 1, of the elements does not exceed, interpolated
    linearly between the two nearest elements. Returns NaN if there is a NaN. Several q's make a new
    axis in front."""
    return quantiles("quantile", x, q, axis, keepdims, method, False)


def nanquantile(
    x: Array, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Array:
    """As `quantile`, without NaNs; NaN if all are NaN. For a whole array it first computes the
    number of elements that are not NaN."""
    return quantiles("nanquantile", x, q, axis, keepdims, method, True)


def percentile(
    x: Array, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Array:
    """As `quantile`, with q from 0 to 100."""
    return quantiles("percentile", x, np.true_divide(q, 100), axis, keepdims, method, False)


def nanpercentile(
    x: Array, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Array:
    """As `nanquantile`, with q from 0 to 100."""
    return quantiles("nanpercentile", x, np.true_divide(q, 100), axis, keepdims, method, True)


def median(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Returns the middle element, or the mean of the two in the middle."""
    return quantiles("median", x, 0.5, axis, keepdims, "linear", False)


def nanmedian(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """As `median`, without NaNs."""
    return quantiles("nanmedian", x, 0.5, axis, keepdims, "linear", True)


def quantiles(name, x, q, axis, keepdims, method, skips_nans):
    """Returns the lazy result. Raises ValueError for a q outside its range, and GraphError for a
    method other than "linear"."""
    x, shares = asarray(x), np.asarray(q, np.float64)
    if method != "linear":
        raise GraphError(f'{name}: method "{method}"; there is "linear"')
    if shares.size and not (shares.min() >= 0 and shares.max() <= 1):
        raise ValueError(f"{name}: q={q} is not a share of the elements")
    if x.dtype.kind not in "iufb" or not x.size:
        raise GraphError(f"{name}: {x.dtype}{list(x.shape)}; give real numbers, one at least")
    axes = axes_of(x, axis, name)
    dtype = np.dtype(np.result_type(x.dtype, np.float64) if x.dtype.kind != "f" else x.dtype)
    x = astype(x, dtype)
    if len(axes) == x.ndim and x.partitions > 1:
        result = of_all(x, shares.reshape(-1), skips_nans)
    else:
        result = of_rows(x, shares.reshape(-1), axes, skips_nans)
    if keepdims:
        for each in axes:
            result = expand_dims(result, axis=each + 1)
    return result.reshape(shares.shape + result.shape[1:])


def of_rows(x, shares, axes, skips_nans):
    """Returns quantiles along axes, which become one."""
    last = tuple(range(x.ndim - len(axes), x.ndim))
    x = whole_along(moveaxis(x, axes, last), last)
    rows = x.reshape((*x.shape[: x.ndim - len(axes)], math.prod(x.shape[i] for i in last)))
    rows = whole_along(rows, (-1,))
    function = Quantiles(tuple(shares.tolist()), skips_nans)
    node = Together("quantile", function, (rows,))
    return Array(node, ((len(shares),), *rows.chunks[:-1]), x.dtype)


def of_all(x, shares, skips_nans):
    """Returns quantiles of the whole array, sorted: NaNs are last."""
    flat = ravel(x)
    ordered, count = sort(flat), x.size
    numbers = valid(flat, None, False)
    if skips_nans:
        count = int(numbers.compute())
    found = []
    for share in shares.tolist():
        place = share * max(0, count - 1)
        low = math.floor(place)
        a, b = (ordered[min(each, max(0, count - 1))] for each in (low, low + 1))
        weight = place - low
        result = b - (b - a) * (1 - weight) if weight >= 0.5 else a + (b - a) * weight
        found.append(where(a == b, a, result))
    result = stack(found)
    return result if skips_nans else where(numbers < x.size, x.dtype.type(np.nan), result)
