"""Functions of whole matrices by LAPACK and cuSOLVER, for each matrix of a stack. A stack is cut
into smaller stacks, but a matrix is never cut. A matrix too large for a GPU is an error that says
so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.array import Array
from ..arrays.array_nodes import Together
from ..arrays.creation import asarray
from ..arrays.elementwise import astype
from ..arrays.selection import whole_along
from ..errors import GraphError
from ..functions.shaping import matrix_transpose
from ..sizes import counted, format_bytes
from ..subtasks.partition_spec import Spec
from ..subtasks.subtask_functions import raising


@dataclass(frozen=True)
class Whole:
    """Applies f(xp, *stacks), which returns a tuple of results. A single result becomes the
    partition. Several results of each matrix follow each other along the last axis. `matrix` is the
    Spec of one matrix."""

    name: str
    f: Any
    options: tuple
    matrix: Spec

    @property
    def key(self):
        return f"{self.name} {self.options}"

    def __call__(self, device, inputs, out):
        with raising(device):
            results = self.f(device.xp, *inputs, **dict(self.options))
        if len(results) == 1:
            out[...] = results[0]
            return
        batch, start = out.shape[:-1], 0
        for result in results:
            length = math.prod(result.shape[len(batch) :])
            out[..., start : start + length] = result.reshape((*batch, length))
            start += length

    def advice(self, specs):
        fewer = "; full_matrices=False makes less" if self.has("full_matrices") else ""
        return (
            f"{self.name} takes a matrix whole, and this one, {self.matrix}, has"
            f" {format_bytes(self.matrix.nbytes)}, in addition to its results: give the runtime"
            f" more memory for partitions (memory=, or less scratch=) or take a smaller type{fewer}"
        )

    def has(self, option):
        return bool(dict(self.options).get(option))


@dataclass(frozen=True)
class Unpack:
    """Returns one of several results: elements of the last axis from `start` on."""

    start: int
    of: Whole

    key = "unpack"

    def __call__(self, device, inputs, out):
        batch = inputs[0].shape[:-1]
        length = math.prod(out.shape[len(batch) :])
        part = inputs[0][..., self.start : self.start + length].reshape(out.shape)
        out[...] = part if out.dtype.kind == "c" else part.real

    def advice(self, specs):
        return self.of.advice(specs)


def whole(name, f, arrays, shapes, dtypes, **options):
    """Returns the lazy results of f for each matrix, or for each group of matrices from stacks of
    one shape. `shapes` are those of the results."""
    first = whole_along(arrays[0], (-2, -1))
    batch = first.chunks[:-2]
    arrays = [first] + [
        each.rechunk((*batch, *((n,) for n in each.shape[-2:]))) for each in arrays[1:]
    ]
    function = Whole(name, f, tuple(sorted(options.items())), Spec(first.shape[-2:], first.dtype))
    cut = lambda shape: (*batch, *((n,) for n in shape))
    if len(shapes) == 1:
        return [Array(Together(name, function, tuple(arrays)), cut(shapes[0]), dtypes[0])]
    lengths = [math.prod(shape) for shape in shapes]
    packed = Array(
        Together(name, function, tuple(arrays)), cut((sum(lengths),)), np.result_type(*dtypes)
    )
    starts = np.cumsum([0, *lengths]).tolist()
    return [
        Array(Together(name, Unpack(start, function), (packed,)), cut(shape), dtype)
        for start, shape, dtype in zip(starts, shapes, dtypes)
    ]


def matrices(x, name, *, square=False):
    """Returns a lazy array of matrices of floating-point numbers; integers become float64. Raises
    GraphError for fewer than two axes, and ValueError if `square` and the matrices are not."""
    x = asarray(x)
    if x.ndim < 2:
        raise GraphError(
            f"{name}: an array with {counted(x.ndim, 'axis', 'axes')}; matrices have two"
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: {list(x.shape[-2:])} is not a square matrix")
    return floating(x, name)


def floating(x, name):
    """Returns the array in a type that LAPACK has. Raises TypeError for a type that NumPy would not
    convert to one either."""
    if x.dtype.kind in "iub":
        return astype(x, np.float64)
    if x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
        raise TypeError(
            f"{name}: {x.dtype} is not supported; astype float32, float64 or complex first"
        )
    return x


def real_type(dtype):
    """Returns the type of a number's absolute value."""
    return np.empty(0, dtype).real.dtype


def is_cut(x):
    """Returns whether this is a single matrix in several partitions, for algorithms by blocks."""
    return x.ndim == 2 and x.partitions > 1 and x.size > 0


def adjoint(x):
    """Returns the conjugate transpose."""
    return matrix_transpose(x.conj() if x.dtype.kind == "c" else x)
