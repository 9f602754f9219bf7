"""Arrays with additional elements at the ends of their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import chunks as grid
from ..arrays.array import Array, Operand
from ..arrays.creation import asarray, full
from ..arrays.members.views import copied
from ..arrays.type_aliases import Number
from ..errors import GraphError
from .searching import take
from .shaping import concat

REPEATING = ("edge", "reflect", "symmetric", "wrap")


def pad(
    x: Operand, pad_width: Any, mode: str = "constant", *, constant_values: Number | Any = 0
) -> Array:
    """Adds elements before and after each axis, as in NumPy: of one value, or of the array's own by
    "edge", "reflect", "symmetric" or "wrap"."""
    x = asarray(x)
    widths = by_axis(x, pad_width, np.int64)
    if mode != "constant" and mode not in REPEATING:
        raise GraphError(f'pad: mode "{mode}"; there are "constant", {REPEATING}')
    if widths.min(initial=0) < 0:
        raise ValueError(f"pad: a width of {widths.min()}")
    values = by_axis(x, constant_values, x.dtype) if mode == "constant" else None
    for axis, (before, after) in enumerate(widths.tolist()):
        if (before, after) == (0, 0):
            continue
        if mode != "constant":
            places = np.pad(np.arange(x.shape[axis]), (before, after), mode=mode)
            x = take(x, places, axis=axis)
            continue
        ends = [constant(x, axis, n, values[axis, i]) for i, n in enumerate((before, after)) if n]
        x = concat([ends[0], x, *ends[1:]] if before else [x, *ends], axis=axis)
    return copied(x)


def by_axis(x, given, dtype):
    """Returns for each axis the elements before and after it, from NumPy's forms: one number, a
    pair, a pair for each axis, or a dict of those."""
    if isinstance(given, dict):
        pairs = np.zeros((x.ndim, 2), dtype)
        for axis, pair in given.items():
            pairs[axis] = pair
        return pairs
    return np.broadcast_to(np.asarray(given).astype(dtype), (x.ndim, 2))


def constant(x, axis, n, value):
    """Returns n elements of one value to join to an array along an axis."""
    lengths = grid.axis_lengths(max(1, *x.chunks[axis]), n)
    chunks = (*x.chunks[:axis], lengths, *x.chunks[axis + 1 :])
    return full(grid.shape_of(chunks), value, dtype=x.dtype, chunks=chunks)
