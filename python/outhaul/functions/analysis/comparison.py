"""Comparisons of whole arrays: `isclose`, `allclose`, `array_equal`; and the sizes of arrays under
NumPy's names. Answers of one truth value are computed at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.array import Array, Operand
from ...arrays.creation import asarray
from ...arrays.elementwise import elementwise, where
from ...arrays.members.method_functions import functions


def isclose(
    a: Operand, b: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Returns whether elements differ by at most atol + rtol * |b|."""
    a, b = asarray(a), asarray(b)
    if b.dtype.kind in "iub":
        b = functions.astype(b, np.result_type(b.dtype, 1.0))
    near = elementwise(np.abs, [a - b]) <= atol + rtol * elementwise(np.abs, [b])
    result = where(elementwise(np.isfinite, [b]), near, a == b)
    if equal_nan:
        result = result | (elementwise(np.isnan, [a]) & elementwise(np.isnan, [b]))
    return result


def allclose(
    a: Operand, b: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Computes whether all elements differ by at most atol + rtol * |b|."""
    return bool(functions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a: Operand, b: Operand, equal_nan: bool = False) -> bool:
    """Computes whether two arrays have one shape and the same elements."""
    a, b = asarray(a), asarray(b)
    if a.shape != b.shape:
        return False
    same = a == b
    if equal_nan and a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = same | (elementwise(np.isnan, [a]) & elementwise(np.isnan, [b]))
    return bool(functions.all(same))


def array_equiv(a: Operand, b: Operand) -> bool:
    """Computes whether two arrays have the same elements when their shapes are broadcast."""
    try:
        return bool(functions.all(asarray(a) == asarray(b)))
    except ValueError:
        return False


def ndim(a: Any) -> int:
    """Returns the number of axes."""
    return np.ndim(a) if not isinstance(a, Array) else a.ndim


def shape(a: Any) -> tuple[int, ...]:
    """Returns the number of elements along each axis."""
    return a.shape if isinstance(a, Array) else np.shape(a)


def size(a: Any, axis: int | None = None) -> int:
    """Returns the number of elements, in all or along an axis."""
    return math.prod(shape(a)) if axis is None else shape(a)[axis]


def isscalar(value: Any) -> bool:
    """Returns whether a value is a number, as a lazy array without axes is in NumPy's place."""
    return np.isscalar(value) or (isinstance(value, Array) and value.is_number)


def nan_to_num(
    x: Array, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    """Returns numbers in place of NaNs and infinities: 0 and the greatest and least of the type, or
    those given."""
    if x.dtype.kind not in "fc":
        return x.copy()
    if x.dtype.kind == "c":
        parts = (nan_to_num(part, True, nan, posinf, neginf) for part in (x.real, x.imag))
        return functions.add(next(parts), next(parts) * 1j)
    held = np.finfo(x.dtype)
    most, least = held.max if posinf is None else posinf, held.min if neginf is None else neginf
    number = x.dtype.type
    result = where(elementwise(np.isnan, [x]), number(nan), x)
    result = where(x == np.inf, number(most), result)
    return where(x == -np.inf, number(least), result)


def iscomplexobj(x: Any) -> bool:
    """Returns whether an array is of complex numbers."""
    return asarray(x).dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """Returns whether an array is not of complex numbers."""
    return not iscomplexobj(x)
