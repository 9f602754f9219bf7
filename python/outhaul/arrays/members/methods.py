"""Members of lazy arrays that have NumPy's names and need no files of their own: copies, `flat`,
`fill`, conversions to text and bytes."""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphError
from . import views
from .method_functions import functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..array import Array

PRINTED_MAX = 1000
"""Maximum number of elements that `print` computes and shows, as NumPy does."""


class Flat:
    """`a.flat`: the elements in order, to read and to write."""

    def __init__(self, array):
        self.array = array

    def __len__(self) -> int:
        return self.array.size

    def __iter__(self) -> Iterator[Any]:
        return iter(functions.ravel(self.array))

    def __getitem__(self, key: Any) -> Array:
        return functions.ravel(self.array)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        made = functions.assigned(functions.ravel(self.array), key, value)
        views.write(self.array, functions.reshape(made, self.array.shape))


class Members:
    """Part of the class of lazy arrays."""

    def copy(self, order: str = "C") -> Array:
        """Returns an array of its own with the same elements. It is lazy: no element is copied."""
        made = views.copied(self)
        made.layout = self.layout if order in ("K", "A") else None
        return made

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    def view(self, dtype: Any = None) -> Array:
        """Returns another array of the same elements, which changes with this one. Raises
        GraphError for another type: `astype` converts the numbers."""
        if dtype is not None and np.dtype(dtype) != self.dtype:
            raise GraphError(f"view: {self.dtype} as {np.dtype(dtype)}; astype converts numbers")
        return self[...]

    @property
    def flat(self) -> Flat:
        """The elements in order, to read and to write."""
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        Flat(self)[:] = value

    @property
    def base(self) -> Array | None:
        """The array that this one is a view of, or None."""
        return None if self.view_of is None else self.view_of.base

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes between neighbours along each axis that NumPy's array would have."""
        return tuple(n * self.dtype.itemsize for n in views.strides_of(self))

    def fill(self, value: Any) -> None:
        """Gives all elements one value."""
        self[...] = value

    def sort(self, axis: int = -1, kind: str | None = None) -> Array:
        """Sorts the elements along an axis, in place, and returns the array."""
        views.write(self, functions.sort(self, axis=axis))
        return self

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Sorts the elements along an axis, in place; a full sort is one of the orders allowed."""
        self.sort(axis)

    def argpartition(self, kth: Any, axis: int = -1) -> Array:
        """Returns the indices that would sort the elements along an axis."""
        return functions.argsort(self, axis=axis)

    def searchsorted(self, values: Any, side: str = "left", sorter: Any = None) -> Array:
        """Returns the indices at which values would go in this array, which is sorted."""
        return functions.searchsorted(self, values, side=side, sorter=sorter)

    def trace(self, offset: int = 0) -> Array:
        """Returns the sum of a diagonal of a matrix."""
        return functions.trace(self, offset)

    def diagonal(self, offset: int = 0) -> Array:
        """Returns a diagonal of a matrix."""
        return functions.diagonal(self, offset)

    def compress(self, condition: Any, axis: int | None = None) -> Array:
        """Returns the elements along an axis where a condition is true."""
        return functions.compress(condition, self, axis)

    def tobytes(self) -> bytes:
        """Computes the array and returns its elements as bytes."""
        return self.compute().tobytes()

    def ptp(self, axis: Any = None) -> Array:
        """Returns the distance from the least to the greatest element along axes."""
        return functions.ptp(self, axis)

    def item(self, *index: int) -> Any:
        """Computes an element and returns it as a Python number: the only one, or the one at an
        index. Raises ValueError for an array of several elements or none."""
        if index:
            chosen = index[0] if len(index) == 1 else index
            return (self.flat[chosen] if np.ndim(chosen) == 0 else self[chosen]).item()
        if self.size != 1:
            raise ValueError(
                f"an array of shape {list(self.shape)} is not one number: choose an element, or "
                f"say any() or all()"
            )
        return self.compute().item()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Goes through the first axis: views of rows, or numbers, which it computes partition by
        partition."""
        if not self.shape:
            raise TypeError("an array without axes has no elements to go through")
        return numbers_of(self) if self.ndim == 1 else (self[i] for i in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __str__(self) -> str:
        """Computes a small array and returns its elements as NumPy prints them; of a large one only
        its properties."""
        if math.prod(self.shape) > PRINTED_MAX:
            return repr(self)
        return str(self.compute()[()])

    def __format__(self, form: str) -> str:
        """Formats a number as Python does."""
        return format(self.compute()[()], form) if form else str(self)

    def __round__(self, digits: int | None = None) -> Any:
        return builtins.round(self.compute()[()], digits)


def numbers_of(array):
    """Yields the elements of an array of one axis, as they are when it gets there."""
    begin = 0
    for length in array.chunks[0]:
        part, version = None, None
        for i in range(length):
            if version != views.version_of(array):
                version = views.version_of(array)
                part = array[begin : begin + length].compute()
            yield part[i]
        begin += length
