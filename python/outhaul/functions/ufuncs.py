"""Functions of elements under the names of the array API standard, and NumPy's names of others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array, Operand
from ..arrays.creation import asarray
from ..arrays.elementwise import astype, elementwise
from ..arrays.members.numpy_protocols import array_ufunc, written_out

if TYPE_CHECKING:
    from collections.abc import Callable


def one(name: str) -> Callable[[Array], Array]:
    """Returns the function of the elements of one array, as the standard declares it."""
    ufunc = getattr(np, name)

    def function(
        x: Array, /, out: Any = None, *, where: Any = True, dtype: Any = None, **options: Any
    ) -> Array:
        return applied(ufunc, name, [x], out, where, dtype=dtype, **options)

    return described(function, name)


def two(name: str) -> Callable[[Operand, Operand], Array]:
    """Returns the function of the elements of two arrays, as the standard declares it."""
    ufunc = getattr(np, name)

    def function(
        x1: Operand,
        x2: Operand,
        /,
        out: Any = None,
        *,
        where: Any = True,
        dtype: Any = None,
        **options: Any,
    ) -> Array:
        return applied(ufunc, name, [x1, x2], out, where, dtype=dtype, **options)

    return described(function, name)


def applied(ufunc, name, operands, out, where, dtype=None, casting="same_kind"):
    """Returns a function's result, computed in a type if one is given, and written into `out` if
    that is given, where a mask is true."""
    if dtype is not None:
        operands = [astype(asarray(each), dtype, copy=False) for each in operands]
    made = elementwise(ufunc, operands, name)
    if out is None and where is True:
        return made
    return written_out(name, operands, made, out, where, casting)


def described(function, name):
    """Gives a function its name and docstring, and NumPy's methods of ufuncs; returns it."""
    function.__name__ = function.__qualname__ = name
    ufunc = getattr(np, name)
    for method in ("reduce", "accumulate", "outer", "at", "reduceat"):
        setattr(function, method, partial(array_ufunc, None, ufunc, method))
    function.__doc__ = f"np.{name} of the elements; shapes broadcast."
    return function


abs = one("abs")
acos = one("acos")
acosh = one("acosh")
add = two("add")
asin = one("asin")
asinh = one("asinh")
atan = one("atan")
atan2 = two("atan2")
atanh = one("atanh")
bitwise_and = two("bitwise_and")
bitwise_invert = one("bitwise_invert")
bitwise_left_shift = two("bitwise_left_shift")
bitwise_or = two("bitwise_or")
bitwise_right_shift = two("bitwise_right_shift")
bitwise_xor = two("bitwise_xor")
ceil = one("ceil")
conj = one("conj")
copysign = two("copysign")
cos = one("cos")
cosh = one("cosh")
divide = two("divide")
equal = two("equal")
exp = one("exp")
expm1 = one("expm1")
floor = one("floor")
floor_divide = two("floor_divide")
greater = two("greater")
greater_equal = two("greater_equal")
hypot = two("hypot")
isfinite = one("isfinite")
isinf = one("isinf")
isnan = one("isnan")
less = two("less")
less_equal = two("less_equal")
log = one("log")
log10 = one("log10")
log1p = one("log1p")
log2 = one("log2")
logaddexp = two("logaddexp")
logical_and = two("logical_and")
logical_not = one("logical_not")
logical_or = two("logical_or")
logical_xor = two("logical_xor")
maximum = two("maximum")
minimum = two("minimum")
multiply = two("multiply")
negative = one("negative")
nextafter = two("nextafter")
not_equal = two("not_equal")
positive = one("positive")
pow = two("pow")
reciprocal = one("reciprocal")
remainder = two("remainder")
sign = one("sign")
signbit = one("signbit")
sin = one("sin")
sinh = one("sinh")
sqrt = one("sqrt")
square = one("square")
subtract = two("subtract")
tan = one("tan")
tanh = one("tanh")
trunc = one("trunc")

# NumPy's names that the standard lacks.
absolute = one("absolute")
arccos = one("arccos")
arccosh = one("arccosh")
arcsin = one("arcsin")
arcsinh = one("arcsinh")
arctan = one("arctan")
arctan2 = two("arctan2")
arctanh = one("arctanh")
bitwise_count = one("bitwise_count")
cbrt = one("cbrt")
conjugate = one("conjugate")
deg2rad = one("deg2rad")
exp2 = one("exp2")
fabs = one("fabs")
float_power = two("float_power")
fmax = two("fmax")
fmin = two("fmin")
fmod = two("fmod")
gcd = two("gcd")
heaviside = two("heaviside")
invert = one("invert")
isnat = one("isnat")
lcm = two("lcm")
left_shift = two("left_shift")
logaddexp2 = two("logaddexp2")
mod = two("mod")
power = two("power")
rad2deg = one("rad2deg")
right_shift = two("right_shift")
rint = one("rint")
true_divide = two("true_divide")
