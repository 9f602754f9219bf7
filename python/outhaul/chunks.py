"""The cuts of an array: for each axis the lengths of its pieces, as in Dask. Partitions are
numbered in row-major order of that grid."""

import itertools
import math
import operator

import numpy as np

from .sizes import counted, parse_bytes

PARTITION_BYTES = "128 MB"
"""Default size of a partition, where GPUs have enough memory for it."""
PARTITIONS_MIN = 16
"""Minimum number of default partitions for which a GPU has memory: a subtask's arguments and
results, and those of the next."""

known_memory = [lambda: None]
"""Functions that return the memory of each GPU for partitions in bytes, or None if it is not known
yet. The runtimes have one."""


def partition_bytes():
    """Returns the default size of a partition in bytes."""
    size = parse_bytes(PARTITION_BYTES)
    for known in known_memory:
        memory = known()
        if memory is not None:
            size = min(size, max(1, memory // PARTITIONS_MIN))
    return size


def as_shape(shape):
    """Returns a shape as a tuple of Python's integers: of one length, or of several. A length may
    be a lazy number, which is computed."""
    is_one = isinstance(shape, int) or getattr(shape, "ndim", None) == 0
    return (operator.index(shape),) if is_one else tuple(map(operator.index, shape))


def normalize(chunks, shape, dtype):
    """Returns the lengths for each axis. `chunks` has lengths, one number for each axis, a number
    of rows, or the maximum bytes of a partition ("64 MB"). Raises ValueError if they do not fit."""
    if len(shape) == 0:
        return ()
    if chunks is None or isinstance(chunks, str):
        size = partition_bytes() if chunks is None else parse_bytes(chunks)
        row_bytes = max(1, int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize)
        if chunks is None and row_bytes > size and len(shape) > 1:
            return axis_lengths(1, shape[0]), *normalize(None, shape[1:], dtype)
        chunks = max(1, size // row_bytes)
    if isinstance(chunks, (int, np.integer)):
        chunks = (int(chunks),) + tuple(shape[1:])
    if len(chunks) != len(shape):
        raise ValueError(f"chunks {chunks} for an array with {counted(len(shape), 'axis', 'axes')}")
    return tuple(axis_lengths(length, n) for length, n in zip(chunks, shape))


def axis_lengths(length, n):
    """Returns the lengths of an axis of n elements from lengths, or from one maximum length. Raises
    ValueError if they do not fit."""
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
    """Returns the shape of an array with these chunks."""
    return tuple(sum(lengths) for lengths in chunks)


def grid_of(chunks):
    """Returns the number of pieces along each axis."""
    return tuple(len(lengths) for lengths in chunks)


def positions(chunks):
    """Returns the positions of the grid in order."""
    return list(itertools.product(*(range(len(lengths)) for lengths in chunks)))


def part_shape(chunks, position):
    """Returns the shape of the partition at a position of the grid."""
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
