"""Makes arrays of different shapes and cuts fit each other. Shapes broadcast as in NumPy. Cuts
follow the largest array that is cut along an axis; partitions that would be too large are cut
further."""

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from .array import Array
from .opening import from_array


def broadcast_shape(name, shapes):
    """Returns the shape that all broadcast to. Raises GraphError if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(str(list(shape)) for shape in shapes)
        raise GraphError(f"{name}: {listed} do not broadcast to one shape") from None


def aligned(name, operands, *, shape=None, itemsize=8):
    """Makes lazy arrays with the same cuts from lazy and NumPy arrays. Returns them and the cuts of
    the shape that they broadcast to. Axes of length 1 keep it."""
    shape = broadcast_shape(
        name, ([] if shape is None else [shape]) + [each.shape for each in operands]
    )
    cuts = common_cuts(shape, [each for each in operands if isinstance(each, Array)], itemsize)
    own = lambda each: tuple(
        (1,) if n == 1 else cut for n, cut in zip(each.shape, cuts[len(shape) - each.ndim :])
    )
    return [
        each.rechunk(own(each)) if isinstance(each, Array) else from_array(each, own(each))
        for each in operands
    ], cuts


def common_cuts(shape, arrays, itemsize):
    """Returns for each axis the cuts of the largest array with the whole axis."""
    by_size = sorted(arrays, key=lambda array: -array.nbytes)
    cuts = []
    for axis, n in enumerate(shape):
        at = axis - len(shape)
        having = [
            array.chunks[at] for array in by_size if array.ndim >= -at and array.shape[at] == n
        ]
        cuts.append(having[0] if having else (n,))
    largest = max((grid.largest_part(array.chunks) for array in arrays), default=1)
    return grid.bounded(tuple(cuts), max(largest, grid.partition_bytes() // itemsize))
