"""Lazy partitioned arrays: what a program is written with. A method adds a node and returns at once; `compute` and its kin hand the graph to a
runtime. Deliberately absent: indexing; `map` takes any function of whole partitions."""

import numpy as np

from . import chunks as grid
from . import nodes
from .elementwise import AsType, elementwise
from .errors import GraphError
from .kernel import as_function


class Array(np.lib.mixins.NDArrayOperatorsMixin):
    """An array cut into partitions, each small enough for a GPU, of which nothing need exist yet."""

    def __init__(self, node, chunks, dtype):
        self.node = node
        self.chunks = chunks
        self.dtype = np.dtype(dtype)

    @property
    def shape(self):
        return grid.shape_of(self.chunks)

    @property
    def ndim(self):
        return len(self.chunks)

    @property
    def partitions(self):
        """How many there are."""
        return len(grid.positions(self.chunks))

    @property
    def nbytes(self):
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def __repr__(self):
        from .sizes import format_bytes

        return f"<outhaul.Array {self.dtype}{list(self.shape)}, {format_bytes(self.nbytes)} in {self.partitions} partitions by {type(self.node).__name__}>"

    def __array__(self, dtype=None, copy=None):
        """What NumPy takes it for: the whole array, computed. Raises ValueError for `copy=False`, since there is nothing to share."""
        if copy is False:
            raise ValueError("an array that is not computed yet has no memory to share: np.asarray(a) computes it")
        result = self.compute()
        return result if dtype is None else result.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        """Operators and NumPy's functions of elements; what they cannot do is TypeError."""
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            return NotImplemented
        return elementwise(ufunc, operands)

    def __bool__(self):
        if self.shape != () and self.shape != (1,) * self.ndim:
            raise ValueError("the truth of an array with several elements or none: compute it, and say any() or all()")
        return bool(self.compute())

    def astype(self, dtype):
        """The same numbers in another type, as NumPy converts them."""
        dtype = np.dtype(dtype)
        return self.map(AsType(dtype), dtype=dtype)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def map(self, f, *others, shape=None, dtype=None):
        """f(partition, ...) for every partition. `others` are arrays cut alike, or of a single partition that every subtask gets. The result
        has the partition's shape and this array's dtype unless `shape` (a tuple, or a function of the partition's shape) and `dtype` say otherwise."""
        for other in others:
            if other.partitions != 1 and grid.grid_of(other.chunks) != grid.grid_of(self.chunks):
                raise GraphError(f"map: {self.partitions} partitions beside {other.partitions}; cut both alike")
        return Array(nodes.Map(as_function(f), (self, *others)), self._mapped_chunks(shape), dtype or self.dtype)

    def zip(self, other, f, *, shape=None, dtype=None):
        """f(partition of this, partition of the other) for every pair."""
        if grid.grid_of(other.chunks) != grid.grid_of(self.chunks):
            raise GraphError(f"zip: {self.partitions} partitions with {other.partitions}; cut both alike")
        return Array(nodes.Map(as_function(f), (self, other)), self._mapped_chunks(shape), dtype or self.dtype)

    def map_overlap(self, f, depth, *, axis=0, boundary="nearest", dtype=None):
        """f(partition with `depth` rows of both neighbours). f returns the partition's own shape; a result as large as its argument is trimmed. Beyond the
        array lie its last rows again ("nearest"), their mirror image ("reflect"), a number, or nothing (None)."""
        if not 0 <= axis < self.ndim:
            raise GraphError(f"map_overlap: axis {axis} of an array with {self.ndim}")
        self._check_boundary(boundary)
        if not 1 <= depth <= min(self.chunks[axis]):
            raise GraphError(f"map_overlap: a depth of {depth} where the smallest partition has {min(self.chunks[axis])} rows; cut larger partitions")
        return Array(nodes.MapOverlap(as_function(f), self, depth, axis, boundary), self.chunks, dtype or self.dtype)

    def reduce(self, f, *, fan_in=8):
        """All partitions combined by f(a, b), which must not care for grouping; they must be of one shape, which is the result's."""
        shapes = {grid.part_shape(self.chunks, at) for at in grid.positions(self.chunks)}
        if len(shapes) != 1:
            raise GraphError(f"reduce: partitions of {len(shapes)} shapes; map them to one shape first")
        if fan_in < 2:
            raise GraphError(f"reduce: a fan-in of {fan_in} never ends")
        return Array(nodes.Reduce(f, self, fan_in), tuple((n,) for n in shapes.pop()), self.dtype)

    def matmul(self, other):
        """The matrix product, tile by tile."""
        if self.ndim != 2 or other.ndim != 2 or self.chunks[1] != other.chunks[0]:
            raise GraphError(f"matmul: columns cut {self.chunks[1:]} and rows cut {other.chunks[:1]}; cut them alike")
        return Array(nodes.Matmul(self, other), (self.chunks[0], other.chunks[1]), np.result_type(self.dtype, other.dtype))

    __matmul__ = matmul

    def sort(self):
        """All elements of an array of one axis in ascending order, cut as before."""
        if self.ndim != 1:
            raise GraphError(f"sort: an array with {self.ndim} axes")
        runs = Array(nodes.SortEach(self), self.chunks, self.dtype)
        return Array(nodes.Sort(runs), self.chunks, self.dtype) if self.partitions > 1 else runs

    def compute(self, runtime=None, out=None):
        """The whole array, in host memory: in `out` if there is one."""
        from .actions import compute

        return compute(self, runtime=runtime, out=None if out is None else [out])[0]

    def to_npy(self, path, runtime=None):
        """Writes a .npy file; nothing has its name before it is whole."""
        from .actions import to_npy

        to_npy(self, path, runtime=runtime)

    def to_zarr(self, store, runtime=None, overwrite=False):
        """Writes a Zarr array, a chunk per partition; nothing has its name before it is whole. It replaces nothing but a Zarr array, and that only
        with `overwrite`."""
        from .actions import to_zarr

        to_zarr(self, store, runtime=runtime, overwrite=overwrite)

    def explain(self, runtime=None, policy=None):
        """What running it would take: subtasks, bytes, lower bound, simulated makespan, peak memory."""
        from .runtime import current

        return (runtime or current()).explain([self], policy)

    def visualize(self, path=None, **options):
        """The graph, or its simulated schedule, as SVG."""
        from .picture import visualize

        return visualize(self, path, **options)

    def _check_boundary(self, boundary):
        if isinstance(boundary, str):
            if boundary not in ("nearest", "reflect"):
                raise GraphError(f'map_overlap: no boundary "{boundary}"; there are "nearest", "reflect", a number and None')
        elif boundary is not None:
            with np.errstate(all="ignore"):
                held = np.array(boundary).astype(self.dtype)
            if not np.array_equal(held, np.array(boundary), equal_nan=held.dtype.kind in "fc"):
                raise GraphError(f"map_overlap: {self.dtype} cannot hold the boundary {boundary}")

    def _mapped_chunks(self, shape):
        """Partitions side by side along the first axis, or as the grid has them."""
        if shape is None:
            return self.chunks
        make = shape if callable(shape) else lambda _: shape
        positions = grid.positions(self.chunks)
        shapes = [tuple(make(grid.part_shape(self.chunks, at))) for at in positions]
        if len(shapes) == 1:
            return tuple((n,) for n in shapes[0])
        if any(count > 1 for count in grid.grid_of(self.chunks)[1:]) or len({s[1:] for s in shapes}) > 1:
            return self._gridded_chunks(positions, shapes)
        if shapes[0] == ():
            raise GraphError("map: a partition cannot become a number; make it an array of one element, shape=(1,)")
        return (tuple(s[0] for s in shapes),) + tuple((n,) for n in shapes[0][1:])

    def _gridded_chunks(self, positions, shapes):
        if {len(s) for s in shapes} != {self.ndim}:
            raise GraphError("map: partitions that are cut along several axes keep their number of axes")
        lengths = [{} for _ in range(self.ndim)]
        for at, shape in zip(positions, shapes):
            for axis, (i, n) in enumerate(zip(at, shape)):
                if lengths[axis].setdefault(i, n) != n:
                    raise GraphError(f"map: shapes {shapes[0]} and {shape} do not make one array")
        return tuple(tuple(axis[i] for i in sorted(axis)) for axis in lengths)
