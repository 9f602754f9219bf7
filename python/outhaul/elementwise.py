"""NumPy's functions of elements and operators over lazy arrays: `a + b`, `np.sqrt(a)`, `a > 0`. Each is a map. Deliberately absent: broadcasting, and arrays
that are cut in different ways."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import GraphError


@dataclass(frozen=True)
class Ufunc:
    """A ufunc with its numbers filled in; where `operands` has None comes a partition."""

    ufunc: Any
    operands: tuple

    @property
    def __name__(self):
        return self.ufunc.__name__

    @property
    def key(self):
        return f"{self.__name__} {self.operands}"

    def __call__(self, *parts):
        rest = iter(parts)
        return self.ufunc(*(next(rest) if each is None else each for each in self.operands))


@dataclass(frozen=True)
class AsType:
    dtype: np.dtype
    __name__ = "astype"

    @property
    def key(self):
        return f"astype {self.dtype}"

    def __call__(self, part):
        return part.astype(self.dtype)


def elementwise(ufunc, operands):
    """The lazy result of a ufunc of lazy arrays, arrays of NumPy and numbers. Raises GraphError where shapes or cuts differ."""
    from .array import Array

    first = next(each for each in operands if isinstance(each, Array))
    operands = [each if isinstance(each, Array) else lazy_or_number(each, first) for each in operands]
    arrays = [each for each in operands if isinstance(each, Array)]
    for other in arrays:
        if other.chunks != first.chunks:
            raise GraphError(f"{ufunc.__name__}: {list(first.shape)} cut {first.chunks} beside {list(other.shape)} cut {other.chunks}; cut both alike")
    f = Ufunc(ufunc, tuple(None if isinstance(each, Array) else each for each in operands))
    with np.errstate(all="ignore"):
        dtype = f(*(np.ones(1, array.dtype) for array in arrays)).dtype
    return arrays[0].map(f, *arrays[1:], dtype=dtype)


def lazy_or_number(value, beside):
    """What stands beside a lazy array: an array of its shape, cut as that is, or a number as it is."""
    from .opening import from_array

    if np.ndim(value) == 0:
        return value[()] if isinstance(value, np.ndarray) else value
    if np.shape(value) != beside.shape:
        raise GraphError(f"{list(beside.shape)} beside {list(np.shape(value))}: give arrays of one shape, or numbers")
    return from_array(value, beside.chunks)
