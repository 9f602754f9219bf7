"""Statistics and counts: `histogram`, `bincount`, `digitize`, `unique`, `cov`, `average` and
others. Counts go partition by partition; where a result's size depends on the data, it is computed
at once."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays.array import Array, Operand
from ...arrays.creation import array, asarray, number_of, zeros
from ...arrays.elementwise import astype, broadcast_to, elementwise, real
from ...arrays.members.method_functions import functions
from ...arrays.type_aliases import Axis
from ...errors import GraphError
from ..contraction import matmul
from ..reductions import axes_of, mean
from ..reductions import max as greatest
from ..reductions import min as least
from ..reductions import sum as summed
from ..shaping import concat, ravel
from ..sorting import searchsorted, unique_all, unique_counts


@dataclass(frozen=True)
class Counts:
    """Counts the elements of a partition in bins, or sums their weights. `edges` are the bins'
    edges, or None for a bin for each integer from 0."""

    edges: tuple | None
    length: int
    dtype: np.dtype

    @property
    def key(self):
        return f"counts {self.length} {self.edges is None}"

    __name__ = "counts"

    def __call__(self, part, weights=None):
        xp = np if isinstance(part, np.ndarray) else __import__("cupy")
        places = part
        if self.edges is not None:
            edges = xp.asarray(self.edges)
            places = xp.searchsorted(edges, part, side="right") - 1
            places = xp.where(part == edges[-1], self.length - 1, places)
            outside = (places < 0) | (places >= self.length) | (part != part)
            places = xp.where(outside, self.length, places)
        sums = lambda some: xp.bincount(places, some, self.length + 1)[: self.length]
        if weights is not None and weights.dtype.kind == "c":
            return (sums(weights.real) + 1j * sums(weights.imag)).astype(self.dtype)
        return sums(weights).astype(self.dtype)


def counted(x, weights, counts):
    """Returns the sum of the counts of all partitions."""
    flat = ravel(x)
    if weights is None:
        parts = flat.map(counts, shape=(counts.length,), dtype=counts.dtype)
    else:
        weights = ravel(asarray(weights)).rechunk(flat.chunks)
        parts = flat.map(counts, weights, shape=(counts.length,), dtype=counts.dtype)
    return summed(parts.reshape(-1, counts.length), axis=0, dtype=counts.dtype)


def histogram(
    x: Array, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array]:
    """Returns the number of elements in each bin, and the bins' edges. `bins` is a number of equal
    bins, or their edges. Computes the range of the elements first, unless it is given."""
    edges = histogram_bin_edges(x, bins, range).compute()
    dtype = np.dtype(np.int64)
    if weights is not None:
        weights = asarray(weights)
        dtype = np.dtype(weights.dtype if weights.dtype.kind in "iufc" else np.float64)
    counts = counted(x, weights, Counts(tuple(edges.tolist()), len(edges) - 1, dtype))
    if density:
        counts = counts / np.diff(edges) / summed(counts)
    return counts, asarray(edges)


def histogram_bin_edges(x: Array, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Returns the edges of a histogram's bins."""
    if isinstance(bins, str):
        return asarray(np.histogram_bin_edges(np.asarray(x), bins, range))
    if np.ndim(bins) == 0 and range is None and x.size:
        low, high = functions.compute(least(x), greatest(x))
        range = (low[()], high[()])
    range = None if range is None else tuple(map(number_of, range))
    edges = np.histogram_bin_edges(np.empty(0, x.dtype), np.asarray(bins)[()], range)
    return asarray(edges)


def bincount(x: Array, weights: Operand | None = None, minlength: int = 0) -> Array:
    """Returns how often each integer from 0 occurs, or the sums of its weights. Computes the
    greatest integer first. Raises ValueError for negative numbers and TypeError for others."""
    if x.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule "
            f"'safe'"
        )
    if x.ndim != 1:
        raise ValueError("object too deep for desired array")
    low, high = functions.compute(least(x), greatest(x)) if x.size else (0, -1)
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    dtype = np.dtype(np.int64 if weights is None else np.float64)
    if weights is not None:
        weights = astype(asarray(weights), np.float64)
    length = max(int(high) + 1, operator.index(minlength))
    if not x.size:
        return zeros(length, dtype)
    return counted(astype(x, np.int64), weights, Counts(None, length, dtype))


def digitize(x: Operand, bins: Operand, right: bool = False) -> Array:
    """Returns for each element the number of the bin that it is in."""
    x, edges = asarray(x), np.asarray(bins)
    side = "left" if right else "right"
    if np.all(np.diff(edges) >= 0):
        return searchsorted(edges, x, side=side)
    if not np.all(np.diff(edges) <= 0):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return len(edges) - searchsorted(edges[::-1], x, side=side)


def unique(
    x: Array,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Returns the different elements in ascending order. On request also the first index of each,
    for each element its index among them, and the count of each. Raises GraphError for an axis."""
    if axis is not None and x.ndim > 1:
        raise GraphError("unique: along an axis; np.unique(np.asarray(a), axis=axis) computes it")
    if return_index or return_inverse:
        values, indices, inverse, counts = unique_all(x)
    else:
        values, counts = unique_counts(x)
        indices = inverse = None
    if equal_nan and x.dtype.kind in "fc" and values.size:
        nans = int(summed(elementwise(np.isnan, [values])).compute())
        if nans > 1:
            last = values.size - nans
            ends = [counts[:last], summed(counts[last:]).reshape(1)]
            values, counts = values[: last + 1], concat(ends)
            if indices is not None:
                indices, inverse = indices[: last + 1], elementwise(np.minimum, [inverse, last])
    more = [(return_index, indices), (return_inverse, inverse), (return_counts, counts)]
    results = (values, *(result for wanted, result in more if wanted))
    return results if len(results) > 1 else values


def average(
    x: Array,
    axis: Axis = None,
    weights: Operand | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Returns means along axes, weighted on request, and with `returned` also the sum of the
    weights. Raises ZeroDivisionError for weights that sum to 0."""
    if weights is None:
        result = mean(x, axis=axis, keepdims=keepdims)
        scale = functions.full(result.shape, x.size / max(1, result.size), dtype=result.dtype)
        return (result, scale) if returned else result
    weights = asarray(weights)
    dtype = np.result_type(x.dtype, weights.dtype, np.float64 if x.dtype.kind in "iub" else x.dtype)
    if weights.shape != x.shape:
        [along] = axes_of(x, axis, "average") if axis is not None else (None,)
        if along is None or weights.shape != (x.shape[along],):
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        weights = weights.reshape((-1,) + (1,) * (x.ndim - along - 1))
        weights = broadcast_to(weights, x.shape)
    scale = summed(weights, axis=axis, dtype=dtype, keepdims=keepdims)
    if bool(functions.any(scale == 0)):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = summed(x * weights, axis=axis, dtype=dtype, keepdims=keepdims) / scale
    return (result, scale) if returned else result


def cov(
    m: Array, y: Operand | None = None, rowvar: bool = True, bias: bool = False, ddof: Any = None
) -> Array:
    """Returns the covariances of variables, which are rows, or columns without `rowvar`."""
    rows = variables(m, rowvar)
    if y is not None:
        rows = concat([rows, variables(asarray(y), rowvar)])
    rows = astype(rows, np.result_type(rows.dtype, np.float64))
    apart = rows - mean(rows, axis=1, keepdims=True)
    freedom = rows.shape[1] - (ddof if ddof is not None else 0 if bias else 1)
    other = apart.T.conj() if rows.dtype.kind == "c" else apart.T
    return (matmul(apart, other) / max(0, freedom)).squeeze()


def variables(x, rowvar):
    """Returns variables as rows."""
    if x.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    return x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T


def corrcoef(x: Array, y: Operand | None = None, rowvar: bool = True) -> Array:
    """Returns the correlations of variables, from -1 to 1."""
    c = cov(x, y, rowvar)
    if not c.ndim:
        return c / c
    deviation = elementwise(np.sqrt, [real(functions.diagonal(c))])
    c = c / deviation[:, None] / deviation
    if c.dtype.kind == "c":
        return c
    return functions.clip(c, -1, 1)


def ptp(x: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Returns the distances from the least to the greatest elements along axes."""
    return greatest(x, axis=axis, keepdims=keepdims) - least(x, axis=axis, keepdims=keepdims)


def isin(x: Array, values: Operand, *, invert: bool = False) -> Array:
    """Returns whether each element is among some values, which must fit a GPU."""
    ordered = functions.sort(ravel(array(values)))
    if not ordered.size:
        return functions.full(x.shape, invert, dtype=bool)
    places = functions.minimum(searchsorted(ordered, x), ordered.size - 1)
    found = ordered[places] == x
    return ~found if invert else found
