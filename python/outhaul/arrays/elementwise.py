"""Elementwise functions on lazy arrays, for operators and NumPy's functions: `a + b`,
`np.sqrt(a)`, `a > 0`, `where`, `astype`. Operands broadcast, whatever their cuts."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from ..subtasks.expression import Call, Cast, Input, evaluate, evaluate_into, name_of
from ..subtasks.generated_kernels import compiled, is_worth_it, written
from ..subtasks.numpy_results import OWN
from ..subtasks.partition_spec import native
from .array import Array, Operand
from .array_nodes import Node, specs_of
from .broadcasting import aligned
from .members.method_functions import functions
from .members.views import copied, order_kept, strides_of, viewed
from .type_aliases import Shape, Type


@dataclass(frozen=True)
class Elements:
    """A tree of functions, as a function of partitions. On GPUs it is one kernel, if possible."""

    tree: Any
    _written: dict = field(default_factory=dict, compare=False, repr=False)

    @property
    def key(self):
        return f"elements {self.tree}"

    def __call__(self, device, inputs, out):
        code = None if device.xp is np else self.code(inputs, out)
        if code is None:
            evaluate_into(self.tree, inputs, out)
            return
        *source, numbers = code
        compiled(*source)(*inputs, *numbers, out)

    def code(self, inputs, out):
        """Returns the source of the kernel for partitions of these types, or None if there is
        none."""
        dtypes = (*(each.dtype for each in inputs), out.dtype)
        if dtypes not in self._written:
            tree, given = self.tree, dtypes[:-1]
            self._written[dtypes] = written(tree, given, out.dtype) if is_worth_it(tree) else None
        return self._written[dtypes]


@dataclass(frozen=True, eq=False)
class Elementwise(Node):
    """Arrays with the same cuts. Axes of length 1, and axes missing in front, repeat over all
    positions."""

    tree: Any
    arrays: tuple

    def expand(self, flow, array):
        columns = [flow.expand(each) for each in self.arrays]
        grids = [grid.grid_of(each.chunks) for each in self.arrays]
        label, function = flow.label(name_of(self.tree)), Elements(self.tree)
        out = []
        for at, spec in zip(grid.positions(array.chunks), specs_of(array)):
            inputs = [
                column[grid.number_of(clipped(at, shape), shape)]
                for column, shape in zip(columns, grids)
            ]
            out.append(flow.subtask(label + grid.suffix(array.chunks, at), function, inputs, spec))
        return out


def clipped(at, shape):
    """Returns a position in a grid that is broadcast."""
    return tuple(min(i, n - 1) for i, n in zip(at[len(at) - len(shape) :], shape))


def elementwise(f, operands, name=None):
    """Returns f of the elements of lazy arrays, NumPy arrays and numbers, lazily. Shapes broadcast.
    Raises GraphError if they do not."""
    name = name or f.__name__
    operands = [
        each if isinstance(each, Array) else number_or_array(each, name) for each in operands
    ]
    arrays = [each for each in operands if isinstance(each, (Array, np.ndarray))]
    numbers = iter(range(len(arrays)))
    tree = Call(
        OWN.get(f, f),
        tuple(
            Input(next(numbers)) if isinstance(each, (Array, np.ndarray)) else each
            for each in operands
        ),
    )
    dtype = result_dtype(tree, arrays)
    lazy = [each for each in arrays if isinstance(each, Array)]
    arrays, cuts = aligned(name, arrays, itemsize=dtype.itemsize)
    result = Array(Elementwise(tree, tuple(arrays)), cuts, dtype)
    result.layout = order_kept(lazy, result.shape)
    return result


def result_dtype(tree, arrays):
    """Returns the type of NumPy's result for ones of these types."""
    with np.errstate(all="ignore"):
        return np.asarray(evaluate(tree, [np.ones(1, array.dtype) for array in arrays])).dtype


def number_or_array(value, name):
    """Returns a Python or NumPy number unchanged, because its type affects the type of the result.
    Converts all other values, CuPy arrays too, to NumPy arrays."""
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    array = value.get() if hasattr(value, "__cuda_array_interface__") else np.asarray(value)
    if array.dtype.hasobject:
        raise GraphError(f"{name}: {type(value).__name__} is not an array of numbers")
    return array[()] if array.ndim == 0 else array


def astype(
    array: Array, dtype: Type, /, *, copy: bool | None = True, device: str | None = None
) -> Array:
    """Returns the same numbers in another type, converted as NumPy does."""
    dtype = native(dtype)
    if dtype == array.dtype:
        return copied(array) if copy else array
    result = Array(Elementwise(Cast(Input(0), dtype), (array,)), array.chunks, dtype)
    result.is_cell = array.is_cell
    result.layout = order_kept([array], array.shape)
    return result


def where(condition: Operand, x: Any = None, y: Any = None, /) -> Any:
    """Returns elements of x where the condition is true, and of y elsewhere. Without x and y,
    returns `nonzero` of the condition."""
    if x is None and y is None:
        return functions.nonzero(condition)
    return elementwise(np.where, [condition, x, y], "where")


def broadcast_to(array: Array, /, shape: Shape) -> Array:
    """Repeats the array along axes of length 1 and new axes in front, up to this shape. Raises
    GraphError if the array does not broadcast to it."""
    shape, given = grid.as_shape(shape), array
    [array], cuts = aligned("broadcast_to", [array], shape=shape, itemsize=array.dtype.itemsize)
    again = lambda base: broadcast_to(base, shape)
    if grid.shape_of(cuts) != shape:
        raise GraphError(f"broadcast_to: {list(array.shape)} does not broadcast to {list(shape)}")
    if cuts == array.chunks:
        return given if array is given else viewed(given, array, again, None)
    made = Array(Elementwise(Input(0), (array,)), cuts, array.dtype)
    return viewed(given, made, again, None)


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Returns all arrays in the shape that they broadcast to."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def clip(array: Array, /, min: Operand | None = None, max: Operand | None = None) -> Array:
    """Limits elements to the range from `min` to `max`, either of which may be None. The result has
    the array's own type."""
    min, max = limits_within(array.dtype, min, max)
    return (
        elementwise(np.clip, [array, min, max])
        if min is not None and max is not None
        else clip_one_way(array, min, max)
    )


def limits_within(dtype, least, greatest):
    """Returns the limits without Python integers that are outside the range of an integer type on
    their own side, so that they limit nothing. CuPy cannot compare with these."""
    if dtype.kind not in "iu":
        return least, greatest
    limits = np.iinfo(dtype)
    return (
        None if type(least) is int and least <= limits.min else least,
        None if type(greatest) is int and greatest >= limits.max else greatest,
    )


def clip_one_way(array, least, greatest):
    """Limits elements in one direction, or not at all."""
    if least is None and greatest is None:
        return copied(array)
    return (
        elementwise(np.minimum, [array, greatest])
        if least is None
        else elementwise(np.maximum, [array, least])
    )


def real(x: Array, /) -> Array:
    """Returns the real part of the elements."""
    if x.dtype.kind != "c":
        return x
    put = lambda base, part: elementwise(np.add, [part, imag(base) * 1j])
    return viewed(x, elementwise(np.real, [x]), real, put, doubled_strides(x))


def doubled_strides(x):
    """Returns the strides of one part of complex numbers."""
    return tuple(2 * stride for stride in strides_of(x))


def imag(x: Array, /) -> Array:
    """Returns the imaginary part of the elements."""
    if x.dtype.kind != "c":
        return elementwise(np.imag, [x])
    put = lambda base, part: elementwise(np.add, [real(base), part * 1j])
    return viewed(x, elementwise(np.imag, [x]), imag, put, doubled_strides(x))


def round(x: Array, /, decimals: int = 0) -> Array:
    """Rounds to the nearest integers, halves to the even one, or to so many decimals."""
    decimals = operator.index(decimals)
    return (
        elementwise(np.round, [x, decimals], "round")
        if decimals
        else elementwise(np.rint, [x], "round")
        if x.dtype.kind in "fc"
        else copied(x)
    )
