"""Operators and conversions of lazy arrays. `a += b` changes the array, for all that have it or are
views of it; it is lazy like any other."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...sizes import counted
from .method_functions import functions
from .views import in_place, write_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..array import Array


def binary(ufunc: np.ufunc) -> tuple[Callable[[Any, Any], Array], Callable[[Any, Any], Array]]:
    """Returns the operator and its reflection. They return NotImplemented for other objects, so
    that Python asks the other side."""

    def forward(self, other):
        if is_foreign(other) and not (isinstance(other, str) and self.dtype.kind == "U"):
            return NotImplemented
        return functions.elementwise(ufunc, [self, other])

    def reflected(self, other):
        return NotImplemented if is_foreign(other) else functions.elementwise(ufunc, [other, self])

    forward.__doc__ = reflected.__doc__ = f"np.{ufunc.__name__} of the elements."
    return forward, reflected


def repeating(multiply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Returns the product's operator without lists: `[0] * a.max()` is a list, as with NumPy's
    numbers. Python repeats lists by what is an index."""

    def apply(self, other):
        is_repeated = (
            isinstance(other, (list, tuple)) and self.is_number and self.dtype.kind in "iu"
        )
        return NotImplemented if is_repeated else multiply(self, other)

    apply.__doc__ = multiply.__doc__
    return apply


def inplace(ufunc: np.ufunc) -> Callable[[Any, Any], Array]:
    """Returns the in-place operator."""

    def apply(self, other):
        return NotImplemented if is_foreign(other) else in_place(self, ufunc, other)

    apply.__doc__ = f"np.{ufunc.__name__} of the elements, which replaces them."
    return apply


def unary(ufunc: np.ufunc) -> Callable[[Any], Array]:
    """Returns the operator of one array."""

    def apply(self):
        return functions.elementwise(ufunc, [self])

    apply.__doc__ = f"np.{ufunc.__name__} of the elements."
    return apply


def is_foreign(other):
    """Returns whether it is neither an array nor a number, or handles the operation itself."""
    return (
        other is None
        or isinstance(other, (str, bytes, dict, set))
        or getattr(other, "__array_ufunc__", True) is None
    )


class Operators:
    """The operators and conversions of lazy arrays."""

    __add__, __radd__ = binary(np.add)
    __sub__, __rsub__ = binary(np.subtract)
    __mul__, __rmul__ = map(repeating, binary(np.multiply))
    __truediv__, __rtruediv__ = binary(np.true_divide)
    __floordiv__, __rfloordiv__ = binary(np.floor_divide)
    __mod__, __rmod__ = binary(np.remainder)
    __pow__, __rpow__ = binary(np.power)
    __lshift__, __rlshift__ = binary(np.left_shift)
    __rshift__, __rrshift__ = binary(np.right_shift)
    __and__, __rand__ = binary(np.bitwise_and)
    __or__, __ror__ = binary(np.bitwise_or)
    __xor__, __rxor__ = binary(np.bitwise_xor)
    __iadd__, __isub__ = inplace(np.add), inplace(np.subtract)
    __imul__, __itruediv__ = inplace(np.multiply), inplace(np.true_divide)
    __ifloordiv__, __imod__ = inplace(np.floor_divide), inplace(np.remainder)
    __ipow__ = inplace(np.power)
    __ilshift__, __irshift__ = inplace(np.left_shift), inplace(np.right_shift)
    __iand__, __ior__ = inplace(np.bitwise_and), inplace(np.bitwise_or)
    __ixor__ = inplace(np.bitwise_xor)
    __lt__, __gt__ = binary(np.less)[0], binary(np.greater)[0]
    __le__, __ge__ = binary(np.less_equal)[0], binary(np.greater_equal)[0]
    __eq__, __ne__ = binary(np.equal)[0], binary(np.not_equal)[0]
    __neg__, __pos__ = unary(np.negative), unary(np.positive)
    __abs__, __invert__ = unary(np.absolute), unary(np.invert)

    def __hash__(self) -> int:
        """Computes a number and returns its hash, as a key of a dictionary needs. Raises TypeError
        for an array."""
        if not self.is_number:
            raise TypeError("unhashable type: 'Array'")
        return hash(self.item())

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __matmul__(self, other: Any) -> Array:
        """Returns the matrix product, computed tile by tile."""
        return NotImplemented if is_foreign(other) else self.matmul(other)

    def __imatmul__(self, other: Any) -> Array:
        return write_result(self, "matmul", [self, other], self @ other)

    def __rmatmul__(self, other: Any) -> Array:
        return NotImplemented if is_foreign(other) else functions.matmul(other, self)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError(
                f"an array of {self.dtype} with {counted(self.ndim, 'axis', 'axes')} is not an index: only integers "
                f"without axes are"
            )
        return operator.index(self.item())
