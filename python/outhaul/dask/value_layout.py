"""The layout of a value that is not one array in one partition: nested lists, tuples and dicts of
arrays and numbers, which Dask's tasks pass. Arrays follow each other in the partition's bytes. The
layout remembers all other values, which must be the same whenever the value is made again."""

from dataclasses import dataclass, field

import numpy as np

from ..subtasks.partition_spec import Spec
from ..subtasks.subtask_functions import WrongResult

ALIGNMENT_BYTES = 256


@dataclass(frozen=True)
class Layout:
    """`tree` has a Spec for each array. A NumPy scalar is stored as an array without axes."""

    tree: object
    is_scalar: bool = field(default=False, compare=False)

    @staticmethod
    def of(value):
        return Layout(tree_of(value), isinstance(value, np.generic))

    @property
    def leaves(self):
        return leaves(self.tree)

    @property
    def spec(self):
        if isinstance(self.tree, Spec):
            return self.tree
        return Spec((sum(padded(spec) for spec in leaves(self.tree)),), "u1")

    def ones(self):
        return build(self.tree, [np.ones(spec.shape, spec.dtype) for spec in leaves(self.tree)])

    def unpack(self, array):
        """Returns the value, with arrays that are views into the partition."""
        return build(self.tree, [array] if isinstance(self.tree, Spec) else self.views(array))

    def value(self, array):
        """Returns the value as `unpack` does, but for the user: with scalars as scalars."""
        value = self.unpack(array)
        return value[()] if self.is_scalar else value

    def pack(self, xp, value, out):
        """Copies the value into the partition. Raises WrongResult if its tree differs."""
        found = tree_of(value)
        if found != self.tree:
            raise WrongResult(
                f"made {found} where a trial with ones made {self.tree}: its size depends on the "
                f"data, which cannot be planned"
            )
        for array, view in zip(
            arrays(value), [out] if isinstance(self.tree, Spec) else self.views(out)
        ):
            view[...] = xp.asarray(array)

    def views(self, array):
        views, start = [], 0
        for spec in leaves(self.tree):
            views.append(array[start : start + spec.nbytes].view(spec.dtype).reshape(spec.shape))
            start += padded(spec)
        return views


def padded(spec):
    """Returns the bytes of an array, rounded up to the alignment."""
    return -(-spec.nbytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def is_array(value):
    """Returns whether a value is an array or a number."""
    return (
        hasattr(value, "__array_interface__")
        or hasattr(value, "__cuda_array_interface__")
        or isinstance(value, (bool, int, float, complex))
    )


def tree_of(value):
    """Returns the tree of a value: a Spec for each array, and other values themselves."""
    if is_array(value):
        return Spec(
            np.shape(value), value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype
        )
    if isinstance(value, dict):
        return ("dict", tuple((name, tree_of(each)) for name, each in value.items()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(tree_of(each) for each in value))
    return ("constant", value)


def leaves(tree):
    """Returns the Specs of a tree, in order."""
    if isinstance(tree, Spec):
        return [tree]
    kind, parts = tree
    if kind == "constant":
        return []
    return [leaf for part in parts for leaf in leaves(part[1] if kind == "dict" else part)]


def arrays(value):
    """Returns the arrays of a value, in the order of `leaves`."""
    if is_array(value):
        return [value]
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in arrays(each)]
    return (
        [leaf for each in value for leaf in arrays(each)]
        if isinstance(value, (list, tuple))
        else []
    )


def build(tree, views):
    """Returns the value of a tree, with its arrays taken in order."""
    rest = iter(views)

    def one(tree):
        if isinstance(tree, Spec):
            return next(rest)
        kind, parts = tree
        if kind == "constant":
            return parts
        if kind == "dict":
            return {name: one(part) for name, part in parts}
        return tuple(map(one, parts)) if kind == "tuple" else list(map(one, parts))

    return one(tree)
