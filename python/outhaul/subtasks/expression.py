"""Functions of elements as trees: a tree says what `(a + 1) * b` does with one element of each
array. It is evaluated on the partitions of one position."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .numpy_results import astype


@dataclass(frozen=True)
class Input:
    """The partition of one of the arrays, by the array's number."""

    number: int

    def __str__(self):
        return f"#{self.number}"


@dataclass(frozen=True)
class Call:
    """A NumPy function of inputs, numbers and other calls. CuPy implements it for its own
    arrays."""

    f: Any
    arguments: tuple

    def __str__(self):
        return f"{self.f.__name__}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Cast:
    """Elements converted to another type."""

    argument: Any
    dtype: np.dtype

    def __str__(self):
        return f"astype({self.argument}, {self.dtype})"


def evaluate(tree, parts):
    """Returns the value of a tree for these partitions, an array or a number."""
    if isinstance(tree, Input):
        return parts[tree.number]
    if isinstance(tree, Cast):
        return astype(evaluate(tree.argument, parts), tree.dtype)
    if isinstance(tree, Call):
        return tree.f(*(evaluate(each, parts) for each in tree.arguments))
    return tree


def evaluate_into(tree, parts, out):
    """Fills `out`, without a temporary array for the outermost function if possible."""
    if isinstance(tree, Call) and isinstance(tree.f, np.ufunc):
        tree.f(*(evaluate(each, parts) for each in tree.arguments), out=out)
    else:
        out[...] = evaluate(tree, parts)


def name_of(tree):
    """Returns the name of the outermost function."""
    return (
        tree.f.__name__
        if isinstance(tree, Call)
        else "astype"
        if isinstance(tree, Cast)
        else "broadcast"
    )


def renumbered(tree, number):
    """Returns the tree with other numbers, or other trees, for its inputs."""
    if isinstance(tree, Input):
        return number(tree.number)
    if isinstance(tree, Cast):
        return Cast(renumbered(tree.argument, number), tree.dtype)
    if isinstance(tree, Call):
        return Call(tree.f, tuple(renumbered(each, number) for each in tree.arguments))
    return tree


def temporaries(tree):
    """Returns the number of functions, and the maximum number of their results that exist at once
    during evaluation, each at most as large as a partition."""
    if not isinstance(tree, (Call, Cast)):
        return 0, 0
    calls, held, most = 1, 0, 1
    for each in tree.arguments if isinstance(tree, Call) else (tree.argument,):
        inner, more = temporaries(each)
        calls, most = calls + inner, max(most, held + more)
        held += inner > 0
    return calls, max(most, held + 1)
