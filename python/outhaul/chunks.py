"""The cuts of an array: for each axis the lengths of its pieces, as in Dask. Partitions are
numbered in row-major order of that grid."""

import itertools
import math

import numpy as np

from .sizes import parse_bytes

PARTITION_BYTES = "128 MB"
"""Default size of a partition."""


def normalize(chunks, shape, dtype):
    """Returns the lengths for each axis. `chunks` has lengths, one number for each axis, a number
    of rows, or the maximum bytes of a partition ("64 MB"). Raises ValueError if they do not fit."""
    if len(shape) == 0:
        return ()
    if chunks is None or isinstance(chunks, str):
        row_bytes = max(1, int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize)
        chunks = max(1, parse_bytes(chunks or PARTITION_BYTES) // row_bytes)
    if isinstance(chunks, (int, np.integer)):
        chunks = (int(chunks),) + tuple(shape[1:])
    if len(chunks) != len(shape):
        raise ValueError(f"chunks {chunks} for an array with {len(shape)} axes")
    return tuple(axis_lengths(length, n) for length, n in zip(chunks, shape))


def axis_lengths(length, n):
    if not isinstance(length, (int, np.integer)):
        lengths = tuple(int(part) for part in length)
        if sum(lengths) != n or not lengths or min(lengths) < 0:
            raise ValueError(f"chunks {lengths} do not add up to {n}")
        return lengths
    if n == 0:
        return (0,)
    if length < 1:
        raise ValueError(f"a chunk of {length} rows")
    return tuple(min(int(length), n - start) for start in range(0, n, int(length)))


def shape_of(chunks):
    return tuple(sum(lengths) for lengths in chunks)


def grid_of(chunks):
    return tuple(len(lengths) for lengths in chunks)


def positions(chunks):
    """Returns the positions of the grid in order."""
    return list(itertools.product(*(range(len(lengths)) for lengths in chunks)))


def part_shape(chunks, position):
    return tuple(lengths[i] for lengths, i in zip(chunks, position))


def indices(chunks):
    """Returns the slices of each partition in the whole array, in order."""
    axes = (
        [slice(end - n, end) for n, end in zip(lengths, itertools.accumulate(lengths))]
        for lengths in chunks
    )
    return list(itertools.product(*axes))


def number_of(position, shape):
    """Returns the number of a position in a grid of this shape."""
    number = 0
    for i, n in zip(position, shape):
        number = number * n + i
    return number


def largest_part(chunks):
    """Returns the number of elements of the largest partition."""
    return math.prod(max(lengths) for lengths in chunks)


def bounded(chunks, elements_max):
    """Cuts the first axes further until no partition has more elements."""
    chunks = list(chunks)
    for axis, lengths in enumerate(chunks):
        elements = largest_part(chunks)
        if elements <= elements_max:
            break
        longest = max(1, max(lengths) * elements_max // elements)
        chunks[axis] = tuple(piece for n in lengths for piece in (axis_lengths(longest, n)))
    return tuple(chunks)


def suffix(chunks, position):
    """Returns the position for names, without axes that are not cut."""
    cut = [str(i) for lengths, i in zip(chunks, position) if len(lengths) > 1]
    return f"[{','.join(cut)}]" if cut else ""


def contiguous_runs(shape, index):
    """Yields a part of an array in C order as runs of contiguous memory: the start of each run, in
    elements, and its index in the part."""
    cut = [axis for axis, part in enumerate(index) if (part.start, part.stop) != (0, shape[axis])]
    last = cut[-1] if cut else 0
    strides = [int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
    begin = sum(part.start * stride for part, stride in zip(index, strides))
    for lead in itertools.product(*(range(part.stop - part.start) for part in index[:last])):
        yield begin + sum(i * stride for i, stride in zip(lead, strides)), lead
