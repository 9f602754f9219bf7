"""Arrays in host memory as rows of one length at equal distances, which a GPU copies in one call. A
tile of a larger array is such an array."""

import math
from typing import NamedTuple


class Rows(NamedTuple):
    """Rows in memory: their number, the bytes of a row, and the distance between rows in bytes."""

    count: int
    row_bytes: int
    pitch_bytes: int


def rows_of(array):
    """Returns the array as rows, as a single row if it is contiguous, or None if it is more
    irregular."""
    if array.size == 0:
        return Rows(1, 0, 0)
    # Strides of axes with one element have no meaning.
    shape, strides = (
        zip(*((n, stride) for n, stride in zip(array.shape, array.strides) if n > 1))
        if array.size > 1
        else ((), ())
    )
    row_bytes, axis = array.itemsize, len(shape)
    while axis > 0 and strides[axis - 1] == row_bytes:
        axis -= 1
        row_bytes *= shape[axis]
    if axis == 0:
        return Rows(1, row_bytes, row_bytes)
    pitch_bytes = strides[axis - 1]
    outer = zip(strides[: axis - 1], shape[1:axis], strides[1:axis])
    if pitch_bytes < row_bytes or any(
        stride != inner_length * inner for stride, inner_length, inner in outer
    ):
        return None
    return Rows(math.prod(shape[:axis]), row_bytes, pitch_bytes)
