"""Functions of whole matrices, as LAPACK and cuSOLVER have them, of each matrix of a stack. A stack
is cut into smaller stacks, a matrix never; one that a GPU cannot hold is an error that says so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elementwise import astype
from ..errors import GraphError
from ..functions import raising
from ..nodes import Together
from ..selection import whole_along
from ..sizes import format_bytes
from ..spec import Spec


@dataclass(frozen=True)
class Whole:
    """f(xp, *stacks), a tuple of results. One becomes the partition as it is; of several, those
    of each matrix follow one another along the last axis. `matrix` is what one is."""

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
            f" {format_bytes(self.matrix.nbytes)}, and its results beside it: give the runtime more"
            f" memory for partitions (memory=, or less scratch=) or take a smaller type{fewer}"
        )

    def has(self, option):
        return bool(dict(self.options).get(option))


@dataclass(frozen=True)
class Unpack:
    """One of several results: elements of the last axis from `start` on."""

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
    """The lazy results of f of each matrix, or of several that go together, of `shapes` each.
    Stacks that go together are of one shape."""
    from ..array import Array

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
    """A lazy array of matrices of floating-point numbers; integers become float64. Raises
    GraphError for fewer than two axes, ValueError where matrices should be square and are not."""
    from ..creation import asarray

    x = asarray(x)
    if x.ndim < 2:
        raise GraphError(f"{name}: an array with {x.ndim} axes; matrices have two")
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: {list(x.shape[-2:])} is no square matrix")
    return floating(x, name)


def floating(x, name):
    """The array in a type that LAPACK has. Raises TypeError where it is none and would not become
    one as NumPy sees it."""
    if x.dtype.kind in "iub":
        return astype(x, np.float64)
    if x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
        raise TypeError(f"{name}: {x.dtype} is not there; astype float32, float64 or complex first")
    return x


def real_type(dtype):
    """The type of a number's absolute value."""
    return np.empty(0, dtype).real.dtype


def is_cut(x):
    """Whether it is a single matrix in several partitions: one for algorithms by blocks."""
    return x.ndim == 2 and x.partitions > 1 and x.size > 0


def adjoint(x):
    """Conjugate and transposed."""
    from ..shaping import matrix_transpose

    return matrix_transpose(x.conj() if x.dtype.kind == "c" else x)
