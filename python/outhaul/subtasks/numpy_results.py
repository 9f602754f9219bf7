"""Functions of elements for which NumPy and CuPy, or both and the standard, return different
results. Arrays get one result on every device: NumPy's, so that a program that changes only its
import gets the same values. The exceptions are infinite complex numbers, for which NumPy returns
NaN. For these, arrays get the number of the standard, which is C99's annex G."""

import numpy as np


def on_gpu(*operands):
    """Returns whether any operand is in GPU memory."""
    return any(hasattr(each, "__cuda_array_interface__") for each in operands)


def is_real(*operands):
    """Returns whether the operands are real floating-point numbers."""
    return np.result_type(*operands).kind == "f"


def floor_divide(a, b):
    """Returns NumPy's and Python's quotient. CuPy computes floor(a / b), which is 60 for 6 // 0.1;
    NumPy returns 59, because 0.1 is a little more than a tenth."""
    if not on_gpu(a, b) or not is_real(a, b):
        return np.floor_divide(a, b)
    left = np.fmod(a, b)
    quotient = (a - left) / b
    quotient = np.where((left != 0) & ((b < 0) != (left < 0)), quotient - 1, quotient)
    whole = np.floor(quotient)
    whole = np.where(quotient - whole > 0.5, whole + 1, whole)
    whole = np.where(quotient == 0, np.copysign(quotient, a / b), whole)
    return np.where(np.equal(b, np.zeros_like(left)), a / b, whole)


def remainder(a, b):
    """Returns NumPy's remainder. CuPy computes a - floor(a / b) * b, which loses the digits that
    a / b rounds away, and is NaN for infinite b."""
    if not on_gpu(a, b) or not is_real(a, b):
        return np.remainder(a, b)
    left = np.fmod(a, b)
    turned = np.where((b < 0) != (left < 0), left + b, left)
    return np.where(left == 0, np.copysign(left, b), turned)


def fmod(a, b):
    """Returns NumPy's result. CuPy converts integers to float64, and so loses digits of 64-bit
    ones."""
    if not on_gpu(a, b) or np.result_type(a, b).kind not in "iu":
        return np.fmod(a, b)
    left = np.remainder(a, b)
    return np.where((left != 0) & ((a < 0) != (b < 0)), left - b, left)


def power(a, b):
    """Returns NumPy's result: NumPy computes squares as products, CuPy as rounded powers."""
    if on_gpu(a) and type(b) in (int, float) and b == 2 and np.result_type(a, b) == a.dtype:
        return np.square(a)
    return np.power(a, b)


def expm1(z):
    """Returns exp(z) - 1; for infinite complex numbers, the value of C99's annex G."""
    if np.result_type(z).kind != "c":
        return np.expm1(z)
    x, y = z.real, z.imag
    low, is_finite = x == -np.inf, np.isfinite(y)
    # The real part of 0 is 0, without a sign.
    real = np.expm1(x) * np.cos(y) - 2 * np.sin(y / 2) ** 2 + x.dtype.type(0)
    real = np.where(low, -1, np.where((x == np.inf) & ~is_finite, np.inf, real))
    imag = np.where(y == 0, y, np.exp(x) * np.sin(y))
    imag = np.where(low & ~is_finite, 0, imag)
    return joined(z, real, imag)


def tanh(z):
    """Returns the hyperbolic tangent; for infinite complex numbers, the value of C99's annex G."""
    if np.result_type(z).kind != "c":
        return np.tanh(z)
    x, y = z.real, z.imag
    result, at_end = np.tanh(z), np.isinf(x) & np.isfinite(y)
    real = np.where(at_end, np.sign(x), result.real)
    return joined(z, real, np.where(at_end, np.copysign(0 * x.dtype.type(0), y), result.imag))


def joined(like, real, imag):
    """Combines parts into complex numbers. Arithmetic would lose infinities and signs of zeros."""
    made = np.empty_like(like, shape=np.shape(real))
    made.real, made.imag = real, imag
    return made


def astype(value, dtype):
    """Returns numbers in another type. A negative float as an unsigned integer wraps around, as in
    NumPy on x86; a GPU's conversion makes it 0."""
    if not on_gpu(value) or value.dtype.kind != "f" or np.dtype(dtype).kind != "u":
        return value.astype(dtype, copy=False)
    wrapped = value.astype(np.int64).astype(dtype)
    if np.dtype(dtype).itemsize < 8:
        return wrapped
    return np.where(value < 2.0**63, wrapped, value.astype(dtype))


def of_order(f):
    """Wraps a comparison. CuPy cannot compare integers with a Python number outside the range of
    their type."""

    def function(a, b):
        if on_gpu(a, b) and is_beyond(b, getattr(a, "dtype", None)):
            return np.full_like(a, f(0, b), dtype=bool)
        if on_gpu(a, b) and is_beyond(a, getattr(b, "dtype", None)):
            return np.full_like(b, f(a, 0), dtype=bool)
        return f(a, b)

    function.__name__ = function.__qualname__ = f.__name__
    return function


def is_beyond(number, dtype):
    """Returns whether a Python number is outside the range of an integer type."""
    if type(number) is not int or dtype is None or dtype.kind not in "iu":
        return False
    limits = np.iinfo(dtype)
    return not limits.min <= number <= limits.max


def of_truth(f):
    """Wraps a logical function, because CuPy has these for real numbers only."""

    def function(*operands):
        if on_gpu(*operands):
            operands = [
                each != 0 if np.result_type(each).kind == "c" else each for each in operands
            ]
        return f(*operands)

    function.__name__ = function.__qualname__ = f.__name__
    return function


logical_not, logical_and, logical_or, logical_xor = map(
    of_truth, (np.logical_not, np.logical_and, np.logical_or, np.logical_xor)
)

equal, not_equal, less, less_equal, greater, greater_equal = map(
    of_order,
    (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
)

OWN = {
    np.equal: equal,
    np.not_equal: not_equal,
    np.less: less,
    np.less_equal: less_equal,
    np.greater: greater,
    np.greater_equal: greater_equal,
    np.floor_divide: floor_divide,
    np.remainder: remainder,
    np.fmod: fmod,
    np.power: power,
    np.expm1: expm1,
    np.tanh: tanh,
    np.logical_not: logical_not,
    np.logical_and: logical_and,
    np.logical_or: logical_or,
    np.logical_xor: logical_xor,
}
"""The functions by their NumPy functions."""
