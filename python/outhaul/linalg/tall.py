"""QR by rows of a matrix with many more rows than columns: QR of each block, then of all their R's,
again by blocks if there are many. J. Demmel, L. Grigori, M. Hoemmen, J. Langou,
Communication-optimal parallel and sequential QR and LU factorizations, SIAM J. Sci. Comput. 34
(2012)."""

from __future__ import annotations

from dataclasses import dataclass

from .. import chunks as grid
from ..arrays.array import Array
from ..arrays.array_nodes import Together
from ..subtasks.subtask_functions import raising
from .stacks import whole


@dataclass(frozen=True)
class BlockQR:
    """Q and R of a block, Q's elements first; or R alone."""

    r_only: bool

    @property
    def key(self):
        return f"qr block {self.r_only}"

    def __call__(self, device, inputs, out):
        with raising(device):
            if self.r_only:
                out[...] = device.xp.linalg.qr(inputs[0], mode="r")
                return
            q, r = device.xp.linalg.qr(inputs[0])
        out[: q.size], out[q.size :] = q.reshape(-1), r.reshape(-1)


@dataclass(frozen=True)
class BlockR:
    """Returns a block's R from the result of BlockQR."""

    key = "qr block r"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0][inputs[0].size - out.size :].reshape(out.shape)


@dataclass(frozen=True)
class BlockQ:
    """Multiplies a block's Q by its rows of the Q of all R's."""

    key = "qr block q"

    def __call__(self, device, inputs, out):
        packed, rows = inputs
        q = packed[: len(out) * len(rows)].reshape(len(out), len(rows))
        out[...] = device.xp.matmul(q, rows)


def is_tall(x):
    """Returns whether a partition as large as the matrix's holds two R's, one above the other."""
    rows, columns = x.shape
    return rows > columns and 2 * columns * columns <= grid.largest_part(x.chunks)


def in_blocks(x, elements_max):
    """Returns the matrix by rows, each block except the last at least twice as high as wide."""
    columns = x.shape[1]
    if len(x.chunks[1]) == 1 and min(x.chunks[0][:-1], default=0) >= 2 * columns:
        return x
    rows = max(1, 2 * columns, elements_max // max(1, columns))
    return x.rechunk((grid.axis_lengths(rows, x.shape[0]), (columns,)))


def qr_of_tall(x, elements_max):
    """Returns Q and R, lazily. It combines as many R's as fit into `elements_max` elements."""
    x = in_blocks(x, elements_max)
    if x.partitions == 1:
        return one_block(x)
    heights, columns = blocks_of(x)
    lengths = tuple(m * k + k * columns for m, k in zip(x.chunks[0], heights))
    packed = Array(Together("qr", BlockQR(False), (x,)), (lengths,), x.dtype)
    rs = Array(Together("qr", BlockR(), (packed,)), (heights, (columns,)), x.dtype)
    q, r = qr_of_tall(rs, elements_max)
    rows = q.rechunk((heights, (columns,)))
    return Array(Together("qr", BlockQ(), (packed, rows)), x.chunks, x.dtype), r


def r_of_tall(x, elements_max):
    """Returns R alone, in one pass over the matrix."""
    x = in_blocks(x, elements_max)
    if x.partitions == 1:
        return whole("qr", r_of, [x], [(x.shape[1],) * 2], [x.dtype])[0]
    heights, columns = blocks_of(x)
    rs = Array(Together("qr", BlockQR(True), (x,)), (heights, (columns,)), x.dtype)
    return r_of_tall(rs, elements_max)


def blocks_of(x):
    """Returns the rows of each block's R, and the number of columns."""
    columns = x.shape[1]
    return tuple(min(m, columns) for m in x.chunks[0]), columns


def one_block(x):
    """Returns Q and R of a matrix that is one block."""
    rows, columns = x.shape
    return whole("qr", q_and_r, [x], [(rows, columns), (columns, columns)], [x.dtype] * 2)


def q_and_r(xp, a):
    """Returns Q and R of a whole matrix."""
    return tuple(xp.linalg.qr(a))


def r_of(xp, a):
    """Returns R of a whole matrix."""
    return (xp.linalg.qr(a, mode="r"),)
