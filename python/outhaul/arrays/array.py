"""Lazy partitioned arrays. A method adds a node and returns at once; `compute` and similar methods
give the graph to a runtime. The operations are functions in other files; this file has their method
names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, Union

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from ..sizes import counted, format_bytes
from ..subtasks.kernel import as_function
from ..subtasks.partition_spec import native
from .array_nodes import Map, MapOverlap, Reduce
from .members import numpy_protocols, views
from .members.html_table import table
from .members.method_functions import functions
from .members.methods import Members
from .members.operators import Operators
from .source_line import users_line
from .type_aliases import Axis, Chunks, Number, Type

Operand: TypeAlias = Union["Array", np.ndarray, Number, Sequence[Any]]
"""Value that may be combined with a lazy array."""


def shallow(array):
    """Returns another object with the same attributes."""
    twin = object.__new__(type(array))
    vars(twin).update(vars(array))
    return twin


class Array(Members, Operators):
    """A lazy array, cut into partitions that each fit a GPU. `line` is the line of the program that
    made it."""

    __array_priority__ = 100

    view_of = None
    """What it is a view of, if it is one."""
    layout = None
    """The strides in elements that NumPy would have, if they are not those of the shape."""
    is_cell = False
    """Whether it is an array even without axes; otherwise it is a number, which never changes."""

    def __init__(self, node, chunks, dtype):
        self._node = node
        self.chunks = chunks
        self.dtype = native(dtype)
        self.line = users_line()
        self.version = 0
        self._value = None

    @property
    def node(self) -> Any:
        """What makes the current elements."""
        views.refresh(self)
        return self._node

    @property
    def value(self) -> Array:
        """A copy of the current state, for arrays made from it: later assignments to this array do
        not change them."""
        views.refresh(self)
        if self._value is None:
            self._value = twin = shallow(self)
            twin.view_of = None
            twin._value = twin
        return self._value

    def twin(self) -> Array:
        """Returns another array with the same elements and the same copy of its state."""
        twin = shallow(self.value)
        twin.version = 0
        return twin

    def replace(self, value: Array) -> None:
        """Takes the state of another array of the same shape, cuts and type."""
        self._node, self._value, self.line = value._node, value, value.line

    @property
    def is_number(self) -> bool:
        """Whether NumPy would have a number here, which in-place operators replace."""
        return not self.chunks and not self.is_cell

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each axis."""
        return grid.shape_of(self.chunks)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.chunks)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def partitions(self) -> int:
        """Number of partitions."""
        return math.prod(grid.grid_of(self.chunks))

    @property
    def nbytes(self) -> int:
        """Size of all elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Size of an element in bytes."""
        return self.dtype.itemsize

    @property
    def device(self) -> str:
        """The only device: the runtime that will compute the array."""
        return "runtime"

    @property
    def T(self) -> Array:
        """The array with its axes in reverse order."""
        return functions.transpose(self)

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        return functions.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real part of the elements."""
        return functions.real(self)

    @real.setter
    def real(self, value: Any) -> None:
        functions.real(self)[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary part of the elements."""
        return functions.imag(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        functions.imag(self)[...] = value

    def __repr__(self) -> str:
        made_at = f" at {self.line}" if self.line else ""
        kind, size = f"{self.dtype}{list(self.shape)}", format_bytes(self.nbytes)
        made_by = f"{counted(self.partitions, 'partition')} by {type(self.node).__name__}{made_at}"
        return f"<outhaul.Array {kind}, {size} in {made_by}>"

    def _repr_html_(self) -> str:
        return table(self)

    def __array__(self, dtype: Type = None, copy: bool | None = None) -> np.ndarray:
        """Computes the whole array for NumPy. Raises ValueError for `copy=False`, because a lazy
        array has no memory to share."""
        if copy is False:
            raise ValueError(
                "an array that is not computed yet has no memory to share: np.asarray(a) computes "
                "it"
            )
        result = self.compute()
        return result if dtype is None else result.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        return numpy_protocols.array_ufunc(self, ufunc, method, *operands, **options)

    def __array_function__(self, function, types, arguments, options):
        return numpy_protocols.array_function(function, arguments, options)

    def __array_namespace__(self, *, api_version=None):
        """Returns the package, as a namespace of the array API standard."""
        package = functions.package
        version = package.__array_api_version__
        if api_version not in (None, "2021.12", "2022.12", "2023.12", version):
            raise ValueError(f"array API {api_version} is not supported; {version} is")
        return package

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Computes the array into host memory, and exports it."""
        if stream is not None:
            raise BufferError("a lazy array is computed into host memory, which has no streams")
        return self.compute().__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns the DLPack device of host memory."""
        return (1, 0)

    def to_device(self, device: str, /, *, stream: Any = None) -> Array:
        """Returns the array itself: the runtime is the only device."""
        if device != self.device or stream is not None:
            raise ValueError(f'to_device: "{device}"; there is "{self.device}", and no streams')
        return self

    def __getitem__(self, key: Any) -> Array:
        return functions.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.is_number:
            raise TypeError(f"a number of {self.dtype} does not support item assignment")
        view = getattr(value, "view_of", None)
        if view is not None and view.base is self and views.is_same_key(view.key, key):
            return  # `a[key] += b` has already written through the view
        views.write(self, functions.assigned(self, key, value))

    def rechunk(self, chunks: Chunks) -> Array:
        """Returns the same array with other cuts. `chunks` are as for `from_array`."""
        made = functions.rechunked(self, grid.normalize(chunks, self.shape, self.dtype))
        return views.copied(self) if made is self else made

    def persist(self, runtime: Any = None) -> Array:
        """Computes the array and returns it as a given array, from which other arrays start."""
        return functions.from_array(self.compute(runtime), self.chunks, name="persisted")

    def astype(self, dtype: Type, copy: bool = True) -> Array:
        """Returns the same numbers in another type, converted as NumPy does."""
        return functions.astype(self, dtype, copy=copy)

    def reshape(self, *shape: Any, order: str = "C") -> Array:
        """Returns the same elements in order, in another shape. One length may be -1."""
        return functions.reshape(self, shape[0] if len(shape) == 1 else shape, order=order)

    def transpose(self, *axes: Any) -> Array:
        """Returns the array with its axes in reverse, or in the given order."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes
        return functions.transpose(self, axes or None)

    def permute(self, axes: Sequence[int]) -> Array:
        """Returns the array with its axes in the given order."""
        return functions.permute_dims(self, axes)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Returns the array with two axes exchanged."""
        return functions.swapaxes(self, axis1, axis2)

    def ravel(self, order: str = "C") -> Array:
        """Returns all elements on one axis."""
        return functions.ravel(self, order)

    def flatten(self, order: str = "C") -> Array:
        """Returns all elements on one axis, in an array of its own."""
        return functions.ravel(self, order).copy()

    def squeeze(self, axis: Axis = None) -> Array:
        """Returns the array without axes of one element."""
        return functions.squeeze(self, axis)

    def repeat(self, repeats: int | Sequence[int] | np.ndarray, axis: int | None = None) -> Array:
        """Returns each element several times."""
        return functions.repeat(self, repeats, axis=axis)

    def take(self, indices: Operand, axis: int | None = None) -> Array:
        """Returns the elements at some indices along an axis."""
        return functions.take(self, indices, axis=axis)

    def clip(
        self,
        min: Operand | None = None,
        max: Operand | None = None,
        out: Any = None,
    ) -> Array:
        """Returns the elements limited to the range from `min` to `max`."""
        return functions.clip(self, min, max, out=out)

    def round(self, decimals: int = 0, out: Any = None) -> Array:
        """Rounds the elements to so many decimals."""
        return functions.round(self, decimals, out=out)

    def conj(self) -> Array:
        """Returns the complex conjugates."""
        return functions.elementwise(np.conjugate, [self])

    conjugate = conj

    def nonzero(self) -> tuple[Array, ...]:
        """Returns for each axis the indices of elements that are not zero."""
        return functions.nonzero(self)

    def dot(self, other: Operand, out: Any = None) -> Array:
        """Returns NumPy's `dot`."""
        return functions.dot(self, other, out=out)

    def tolist(self) -> Any:
        """Computes the array and returns it as nested lists."""
        return self.compute().tolist()

    def sum(
        self,
        axis: Axis = None,
        dtype: Type = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns sums along axes."""
        return functions.sum(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **options)

    def prod(
        self,
        axis: Axis = None,
        dtype: Type = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns products along axes."""
        return functions.prod(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **options)

    def mean(
        self,
        axis: Axis = None,
        dtype: Type = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns means along axes."""
        return functions.mean(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **options)

    def var(
        self,
        axis: Axis = None,
        dtype: Type = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns variances along axes."""
        return functions.var(
            self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, **options
        )

    def std(
        self,
        axis: Axis = None,
        dtype: Type = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns standard deviations along axes."""
        return functions.std(
            self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, **options
        )

    def max(
        self,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns the greatest elements along axes."""
        return functions.max(self, axis=axis, out=out, keepdims=keepdims, **options)

    def min(
        self,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns the least elements along axes."""
        return functions.min(self, axis=axis, out=out, keepdims=keepdims, **options)

    def any(
        self,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns whether any element along axes is true."""
        return functions.any(self, axis=axis, out=out, keepdims=keepdims, **options)

    def all(
        self,
        axis: Axis = None,
        out: Any = None,
        keepdims: bool = False,
        **options: Any,
    ) -> Array:
        """Returns whether all elements along axes are true."""
        return functions.all(self, axis=axis, out=out, keepdims=keepdims, **options)

    def argmax(self, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        """Returns the index of the greatest element."""
        return functions.argmax(self, axis=axis, out=out, keepdims=keepdims)

    def argmin(self, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        """Returns the index of the least element."""
        return functions.argmin(self, axis=axis, out=out, keepdims=keepdims)

    def cumsum(self, axis: int | None = None, dtype: Type = None, out: Any = None) -> Array:
        """Returns cumulative sums."""
        return functions.cumsum(self, axis, dtype, out=out)

    def cumprod(self, axis: int | None = None, dtype: Type = None, out: Any = None) -> Array:
        """Returns cumulative products."""
        return functions.cumprod(self, axis, dtype, out=out)

    def argsort(self, axis: int = -1) -> Array:
        """Returns the indices that would sort the elements along an axis."""
        return functions.argsort(self, axis=axis)

    def matmul(self, other: Operand) -> Array:
        """Returns the matrix product, computed tile by tile."""
        return functions.matmul(self, other)

    def map(self, f: Any, *others: Array, shape: Any = None, dtype: Type = None) -> Array:
        """Applies f(partition, ...) to every partition. `others` are arrays with the same cuts, or
        of a single partition, which every subtask gets. The result has the partition's shape and
        this array's dtype, unless `shape` (a tuple, or a function of the partition's shape) and
        `dtype` say otherwise. Raises GraphError if the numbers of partitions differ."""
        for other in others:
            if other.partitions != 1 and grid.grid_of(other.chunks) != grid.grid_of(self.chunks):
                raise GraphError(
                    f"map: {self.partitions} and {other.partitions} partitions; cut both alike"
                )
        return Array(
            Map(as_function(f), (self, *others)),
            self._mapped_chunks(shape),
            dtype or self.dtype,
        )

    def zip(self, other: Array, f: Any, *, shape: Any = None, dtype: Type = None) -> Array:
        """Applies f(partition of this array, partition of the other one) to every pair."""
        if grid.grid_of(other.chunks) != grid.grid_of(self.chunks):
            raise GraphError(
                f"zip: {self.partitions} partitions with {other.partitions}; cut both alike"
            )
        return Array(
            Map(as_function(f), (self, other)),
            self._mapped_chunks(shape),
            dtype or self.dtype,
        )

    def map_overlap(
        self, f: Any, depth: int, *, axis: int = 0, boundary: Any = "nearest", dtype: Type = None
    ) -> Array:
        """Applies f(partition with `depth` rows of both neighbours). f returns the partition's own
        shape, or one as large as its argument, which is trimmed. `boundary` gives the rows beyond
        the array: the last rows again ("nearest"), their mirror image ("reflect"), a number, or
        none (None)."""
        if not 0 <= axis < self.ndim:
            raise GraphError(f"map_overlap: axis {axis} of an array with {self.ndim}")
        self._check_boundary(boundary)
        if not 1 <= depth <= min(self.chunks[axis]):
            raise GraphError(
                f"map_overlap: a depth of {depth} where the smallest partition has "
                f"{min(self.chunks[axis])} rows; cut larger partitions"
            )
        return Array(
            MapOverlap(as_function(f), self, depth, axis, boundary),
            self.chunks,
            dtype or self.dtype,
        )

    def reduce(self, f: Any, *, fan_in: int = 8) -> Array:
        """Combines all partitions by f(a, b), in any grouping. All partitions must have the same
        shape, which is the result's; otherwise it raises GraphError."""
        shapes = {grid.part_shape(self.chunks, at) for at in grid.positions(self.chunks)}
        if len(shapes) != 1:
            raise GraphError(
                f"reduce: partitions of {len(shapes)} shapes; map them to one shape first"
            )
        if fan_in < 2:
            raise GraphError(f"reduce: a fan-in of {fan_in} never ends")
        return Array(Reduce(f, self, fan_in), tuple((n,) for n in shapes.pop()), self.dtype)

    def compute(self, runtime: Any = None, out: np.ndarray | None = None) -> np.ndarray:
        """Computes the whole array and returns it in host memory: in `out` if given."""
        return functions.compute(self, runtime=runtime, out=None if out is None else [out])[0]

    def to_npy(self, path: Any, runtime: Any = None, resume: bool = False) -> None:
        """Writes a .npy file, which gets its name only once it is complete. With `resume`,
        continues from the partitions that an earlier, ended run has kept."""
        functions.to_npy(self, path, runtime=runtime, resume=resume)

    def to_zarr(self, store: Any, runtime: Any = None, overwrite: bool = False) -> None:
        """Writes a Zarr array with a chunk per partition, which gets its name only once it is
        complete. With `overwrite` it replaces a Zarr array, and nothing else."""
        functions.to_zarr(self, store, runtime=runtime, overwrite=overwrite)

    def to_hdf5(
        self, path: Any, dataset: str = "data", runtime: Any = None, overwrite: bool = False
    ) -> None:
        """Writes an HDF5 file with one dataset, which gets its name only once it is complete. With
        `overwrite` it replaces a file that has only this dataset, and nothing else."""
        functions.to_hdf5(self, path, dataset, runtime=runtime, overwrite=overwrite)

    def to_tiff(self, path: Any, runtime: Any = None) -> None:
        """Writes a BigTIFF file with a page for each image of the last two axes. The file gets its
        name only once it is complete."""
        functions.to_tiff(self, path, runtime=runtime)

    def explain(self, runtime=None, policy=None):
        """Simulates a run and returns its costs: subtasks, bytes, lower bound, makespan, peak
        memory."""
        return (runtime or functions.current()).explain([self], policy)

    def visualize(self, path=None, **options):
        """Returns the graph, or its simulated schedule, as SVG."""
        return functions.visualize(self, path, **options)

    def _check_boundary(self, boundary):
        if isinstance(boundary, str):
            if boundary not in ("nearest", "reflect"):
                raise GraphError(
                    f'map_overlap: no boundary "{boundary}"; there are "nearest", "reflect", a '
                    f'number and None'
                )
        elif boundary is not None:
            with np.errstate(all="ignore"):
                held = np.array(boundary).astype(self.dtype)
            if not np.array_equal(held, np.array(boundary), equal_nan=held.dtype.kind in "fc"):
                raise GraphError(f"map_overlap: {self.dtype} cannot hold the boundary {boundary}")

    def _mapped_chunks(self, shape):
        """Returns the chunks of partitions along the first axis, or in the array's grid."""
        if shape is None:
            return self.chunks
        make = shape if callable(shape) else lambda _: shape
        positions = grid.positions(self.chunks)
        shapes = [tuple(make(grid.part_shape(self.chunks, at))) for at in positions]
        if len(shapes) == 1:
            return tuple((n,) for n in shapes[0])
        if (
            any(count > 1 for count in grid.grid_of(self.chunks)[1:])
            or len({s[1:] for s in shapes}) > 1
        ):
            return self._gridded_chunks(positions, shapes)
        if shapes[0] == ():
            raise GraphError(
                "map: a partition cannot become a number; make it an array of one element, "
                "shape=(1,)"
            )
        return (tuple(s[0] for s in shapes),) + tuple((n,) for n in shapes[0][1:])

    def _gridded_chunks(self, positions, shapes):
        if {len(s) for s in shapes} != {self.ndim}:
            raise GraphError(
                "map: partitions that are cut along several axes keep their number of axes"
            )
        lengths = [{} for _ in range(self.ndim)]
        for at, shape in zip(positions, shapes):
            for axis, (i, n) in enumerate(zip(at, shape)):
                if lengths[axis].setdefault(i, n) != n:
                    raise GraphError(f"map: shapes {shapes[0]} and {shape} do not make one array")
        return tuple(tuple(axis[i] for i in sorted(axis)) for axis in lengths)
