"""Products that sum over common axes: `matmul`, `tensordot`, `einsum`, `vecdot`. They work tile by
tile: one subtask for each product of two tiles, chained over the summed axes."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import string
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..arrays.array import Array, Operand
from ..arrays.array_nodes import Node, specs_of
from ..arrays.broadcasting import aligned, broadcast_shape
from ..arrays.creation import asarray
from ..arrays.elementwise import astype, elementwise
from ..arrays.members.numpy_protocols import written_out
from ..errors import GraphError
from ..subtasks.subtask_functions import MultiplyAdd
from .reductions import sum as summed
from .shaping import expand_dims, moveaxis, permute_dims, reshape, squeeze


def with_out(function):
    """Returns a function of two arrays with NumPy's `out=`."""

    @functools.wraps(function)
    def call(a: Operand, b: Operand, /, out: Any = None) -> Array:
        made = function(a, b)
        return made if out is None else written_out(function.__name__, [a, b], made, out)

    return call


@dataclass(frozen=True)
class TensordotAdd:
    """Adds the tensor product over some axes to the previous sum, if there is one."""

    axes: tuple

    @property
    def key(self):
        return f"tensordot {self.axes}"

    def __call__(self, device, inputs, out):
        a, b, *sums = inputs
        product = device.xp.tensordot(a, b, self.axes)
        out[...] = product + sums[0] if sums else product


@dataclass(frozen=True)
class EinsumAdd:
    """Adds the product of these subscripts to the previous sum, if there is one."""

    subscripts: str

    @property
    def key(self):
        return f"einsum {self.subscripts}"

    def __call__(self, device, inputs, out):
        a, b, *sums = inputs
        product = device.xp.einsum(self.subscripts, a, b)
        out[...] = product + sums[0] if sums else product


@dataclass(frozen=True, eq=False)
class Contracted(Node):
    """A product. Each axis of a, b and the result has a label. Axes of one label have the same
    cuts, or one element. The product sums over labels that the result lacks."""

    name: str
    f: Any
    a: Any
    b: Any
    labels: tuple

    def expand(self, flow, array):
        a, b = flow.expand(self.a), flow.expand(self.b)
        of_a, of_b, of_out = self.labels
        grids = grid.grid_of(self.a.chunks), grid.grid_of(self.b.chunks)
        pieces = {}
        for label, n in itertools.chain(zip(of_a, grids[0]), zip(of_b, grids[1])):
            pieces[label] = max(n, pieces.get(label, 0))
        summed = [label for label in pieces if label not in of_out]
        number = lambda at, labels, shape: grid.number_of(
            [min(at[label], n - 1) for label, n in zip(labels, shape)], shape
        )
        label, sums = flow.label(self.name), {}
        for inner in itertools.product(*(range(pieces[each]) for each in summed)):
            for outer, spec in zip(grid.positions(array.chunks), specs_of(array)):
                at = {**dict(zip(of_out, outer)), **dict(zip(summed, inner))}
                inputs = [a[number(at, of_a, grids[0])], b[number(at, of_b, grids[1])]] + (
                    [sums[outer]] if outer in sums else []
                )
                sums[outer] = flow.subtask(
                    f"{label}[{','.join(map(str, (*outer, *inner)))}]", self.f, inputs, spec
                )
        return [sums[at] for at in grid.positions(array.chunks)]


@with_out
def matmul(a: Operand, b: Operand, /) -> Array:
    """Returns the matrix product of (..., M, K) and (..., K, N). Axes before the last two
    broadcast. An array of one axis is a row on the left, and a column on the right. Raises
    ValueError for arrays without axes."""
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: an array without axes; multiply by * instead")
    if a.ndim == 1 or b.ndim == 1:
        product = matmul(
            expand_dims(a, axis=0) if a.ndim == 1 else a,
            expand_dims(b, axis=1) if b.ndim == 1 else b,
        )
        return squeeze(product, axis=(-2,) * (a.ndim == 1) + (-1,) * (b.ndim == 1))
    if a.shape[-1] != b.shape[-2]:
        raise GraphError(
            f"matmul: {list(a.shape)} has {a.shape[-1]} columns and {list(b.shape)} {b.shape[-2]} "
            f"rows"
        )
    batch = broadcast_shape("matmul", [a.shape[:-2], b.shape[:-2]])
    letters = tuple(range(len(batch)))
    own = lambda each: letters[len(letters) - (each.ndim - 2) :]
    labels = ((*own(a), "i", "k"), (*own(b), "k", "j"), (*letters, "i", "j"))
    return contracted("matmul", MultiplyAdd(), a, b, labels)


def contracted(name, f, a, b, labels):
    """Returns the lazy product. Common axes of the smaller array get the cuts of the larger one."""
    dtype = np.result_type(a.dtype, b.dtype)
    cuts = {}
    for array, own in sorted([(a, labels[0]), (b, labels[1])], key=lambda each: -each[0].nbytes):
        for label, lengths in zip(own, array.chunks):
            if label not in cuts or sum(cuts[label]) == 1:
                cuts[label] = lengths
            elif sum(lengths) not in (1, sum(cuts[label])):
                raise GraphError(
                    f"{name}: axes of {sum(lengths)} and {sum(cuts[label])} elements do not go "
                    f"together, in {list(a.shape)} and {list(b.shape)}"
                )
    largest = max(grid.largest_part(a.chunks), grid.largest_part(b.chunks))
    elements_max = max(largest, grid.partition_bytes() // dtype.itemsize)
    ones = [{each for each, n in zip(own, x.shape) if n == 1} for x, own in zip((a, b), labels)]
    for own, whole in zip(labels, (*ones, set())):
        cut_further(cuts, [label for label in own if label not in whole], elements_max)
    alike = lambda each, own: each.rechunk(
        tuple(cuts[label] if n != 1 else (1,) for label, n in zip(own, each.shape))
    )
    a, b = astype(alike(a, labels[0]), dtype), astype(alike(b, labels[1]), dtype)
    return Array(
        Contracted(name, f, a, b, labels), tuple(cuts[label] for label in labels[2]), dtype
    )


def cut_further(cuts, labels, elements_max):
    """Cuts the longest pieces in halves until a tile of these axes has no more elements."""
    longest = lambda label: max(cuts[label])
    while math.prod(map(longest, labels)) > elements_max:
        label = max(labels, key=longest)
        half = -(-longest(label) // 2)
        pieces = (grid.axis_lengths(half, n) for n in cuts[label])
        cuts[label] = tuple(piece for piece in itertools.chain(*pieces))


def tensordot(a: Operand, b: Operand, /, axes: Any = 2) -> Array:
    """Returns sums over pairs of axes: the last `axes` axes of a with the first of b, or two lists
    of axes."""
    a, b = asarray(a), asarray(b)
    if isinstance(axes, (int, np.integer)):
        axes = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    of_a, of_b = (
        [operator.index(axis) % max(1, each.ndim) for axis in np.atleast_1d(some)]
        for some, each in zip(axes, (a, b))
    )
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot: {len(of_a)} axes with {len(of_b)}")
    if any(a.shape[i] != b.shape[j] for i, j in zip(of_a, of_b)):
        raise ValueError(
            f"tensordot: axes {of_a} of {list(a.shape)} and {of_b} of {list(b.shape)} differ in "
            f"length"
        )
    labels = [("a", axis) for axis in range(a.ndim)], [("b", axis) for axis in range(b.ndim)]
    for i, j in zip(of_a, of_b):
        labels[1][j] = ("a", i)
    out = [each for each in labels[0] if each[1] not in of_a] + [
        each for each in labels[1] if each[0] == "b"
    ]
    return contracted(
        "tensordot",
        TensordotAdd((tuple(of_a), tuple(of_b))),
        a,
        b,
        (tuple(labels[0]), tuple(labels[1]), tuple(out)),
    )


def vdot(a: Operand, b: Operand, /) -> Array:
    """Returns the sum of the products of all elements, those of a conjugated."""
    a, b = (reshape(asarray(each), (-1,)) for each in (a, b))
    return dot(elementwise(np.conjugate, [a]) if a.dtype.kind == "c" else a, b)


def inner(a: Operand, b: Operand, /) -> Array:
    """Returns the sums of products along the last axes of both."""
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        return elementwise(np.multiply, [a, b])
    return tensordot(a, b, axes=(-1, -1))


def vecdot(a: Operand, b: Operand, /, *, axis: int = -1) -> Array:
    """Returns sums of conj(a) * b along an axis; the other axes broadcast."""
    a, b = asarray(a), asarray(b)
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"vecdot: {a.shape[axis]} and {b.shape[axis]} elements along axis {axis}")
    [a, b], _ = aligned("vecdot", [moveaxis(a, axis, -1), moveaxis(b, axis, -1)])
    product = elementwise(
        np.multiply, [elementwise(np.conjugate, [a]) if a.dtype.kind == "c" else a, b]
    )
    return summed(product, axis=-1, dtype=product.dtype)


@with_out
def dot(a: Operand, b: Operand, /) -> Array:
    """Returns NumPy's `dot`: numbers multiply, and vectors and matrices multiply as in `matmul`.
    With more axes it sums over the last axis of a and the one before the last of b."""
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        return a * b
    return (
        matmul(a, b)
        if b.ndim <= 2 and a.ndim <= 2
        else tensordot(a, b, axes=([a.ndim - 1], [max(0, b.ndim - 2)]))
    )


def outer(a: Operand, b: Operand, /) -> Array:
    """Returns the products of each element of a with each of b, shape (a.size, b.size)."""
    return a.reshape((-1, 1)) * b.reshape((1, -1))


def einsum(subscripts: str, *operands: Operand) -> Array:
    """Returns Einstein sums such as "ij,jk->ik" of one or more arrays, two at a time in the
    cheapest order that NumPy finds. Raises GraphError if a label occurs twice in one operand."""
    operands = [asarray(each) for each in operands]
    inputs, out = labels_of(subscripts, operands)
    if len(operands) == 1:
        return single(operands[0], inputs[0], out)
    text = f"{','.join(inputs)}->{out}"
    path = np.einsum_path(
        text, *(np.broadcast_to(np.float64(0), each.shape) for each in operands), optimize="greedy"
    )[0][1:]
    for chosen in path if len(operands) > 2 else [(0, 1)]:
        some = sorted(chosen, reverse=True)
        (b, of_b), (a, of_a) = ((operands.pop(i), inputs.pop(i)) for i in some[:2])
        left = set(out).union(*inputs)
        kept = "".join(dict.fromkeys(each for each in of_a + of_b if each in left))
        made = out if not operands else kept
        f = EinsumAdd(f"{of_a},{of_b}->{made}")
        operands.append(contracted("einsum", f, a, b, (tuple(of_a), tuple(of_b), tuple(made))))
        inputs.append(made)
    return operands[0]


def labels_of(subscripts, operands):
    """Returns the labels of each operand and of the result, with `...` expanded."""
    text = subscripts.replace(" ", "")
    inputs, _, out = text.partition("->")
    inputs = inputs.split(",")
    if len(inputs) != len(operands):
        raise ValueError(
            f'einsum: "{subscripts}" names {len(inputs)} operands, there are {len(operands)}'
        )
    free = [each for each in string.ascii_letters if each not in text]
    longest = (
        max(each.ndim - len(own.replace("...", "")) for own, each in zip(inputs, operands))
        if "..." in text
        else 0
    )
    dots = "".join(free[:longest])
    inputs = [
        own.replace("...", dots[longest - (each.ndim - len(own.replace("...", ""))) :])
        for own, each in zip(inputs, operands)
    ]
    counted = "".join(inputs)
    out = (
        out.replace("...", dots)
        if "->" in text
        else dots
        + "".join(sorted(each for each in set(counted) - set(dots) if counted.count(each) == 1))
    )
    for own, each in zip(inputs, operands):
        if len(own) != each.ndim:
            raise ValueError(f'einsum: "{own}" for an array with {each.ndim} axes')
        if len(set(own)) < len(own):
            raise GraphError(
                f'einsum: "{own}" has one label twice, a diagonal, which is not supported for lazy '
                f'arrays'
            )
    if set(out) - set(counted) or len(set(out)) < len(out):
        raise ValueError(f'einsum: the result "{out}" of "{subscripts}"')
    return inputs, out


def single(array, own, out):
    """Sums over labels that the result lacks, then puts the axes into its order."""
    axes = tuple(axis for axis, label in enumerate(own) if label not in out)
    kept = [label for label in own if label in out]
    return permute_dims(
        summed(array, axis=axes, dtype=array.dtype) if axes else array,
        [kept.index(label) for label in out],
    )
