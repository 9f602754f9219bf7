"""Arrays in host memory as rows of one length at even distances, which GPUs copy by themselves: a tile of a larger array is one."""

import math
from typing import NamedTuple


class Rows(NamedTuple):
    count: int
    row_bytes: int
    pitch_bytes: int


def rows_of(array):
    """The array as rows, a single one where it is contiguous; None where it is more irregular than that."""
    if array.size == 0:
        return Rows(1, 0, 0)
    row_bytes, axis = array.itemsize, array.ndim
    while axis > 0 and (array.shape[axis - 1] == 1 or array.strides[axis - 1] == row_bytes):
        axis -= 1
        row_bytes *= array.shape[axis]
    if axis == 0:
        return Rows(1, row_bytes, row_bytes)
    pitch_bytes = array.strides[axis - 1]
    outer = zip(array.shape[: axis - 1], array.strides[: axis - 1], array.shape[1:axis], array.strides[1:axis])
    if pitch_bytes < row_bytes or any(length > 1 and stride != inner_length * inner for length, stride, inner_length, inner in outer):
        return None
    return Rows(math.prod(array.shape[:axis]), row_bytes, pitch_bytes)
