"""Generates one CUDA kernel for a tree of functions of elements, with intermediate values in
registers instead of memory. The C of each function returns the same values as the function alone:
with NumPy's types, integers that wrap, and no products fused into sums. A tree with an unsupported
function or type has no kernel, and is evaluated function by function. Numbers are arguments, so
that other numbers need no other kernel."""

from __future__ import annotations

import functools

import numpy as np

from . import numpy_results
from .expression import Call, Cast, Input

KERNELS_MAX = 512
"""Maximum number of kernels that are kept."""

NAMES = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "q": "long long",
    "Q": "unsigned long long",
    "f": "float",
    "d": "double",
}
"""C's names of the types of elements."""

PREAMBLE = """
template <typename T> __device__ T floor_quotient(T a, T b) {
  if (b == 0) return 0;
  if (T(-1) < T(0) && b == T(-1)) return T(0ull - (unsigned long long)a);
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
template <typename T> __device__ T left_over(T a, T b) {
  if (b == 0 || (T(-1) < T(0) && b == T(-1))) return 0;
  T left = a % b;
  return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}
template <typename T> __device__ T left_over_real(T a, T b) {
  T left = fmod(a, b);
  if (left == 0) return copysign(left, b);
  return (b < 0) != (left < 0) ? left + b : left;
}
template <typename T> __device__ T floor_quotient_real(T a, T b) {
  if (b == 0) return a / b;
  T left = fmod(a, b);
  T quotient = (a - left) / b;
  if (left != 0 && (b < 0) != (left < 0)) quotient -= 1;
  if (quotient == 0) return copysign(quotient, a / b);
  T whole = floor(quotient);
  return quotient - whole > T(0.5) ? whole + 1 : whole;
}
template <typename T> __device__ T lesser(T a, T b) { return b < a ? b : a; }
template <typename T> __device__ T greater(T a, T b) { return a < b ? b : a; }
template <typename T> __device__ T lesser_real(T a, T b) {
  return isnan(a) ? a : isnan(b) ? b : min(a, b);
}
template <typename T> __device__ T greater_real(T a, T b) {
  return isnan(a) ? a : isnan(b) ? b : max(a, b);
}
"""
"""Functions of the kernels. Those for floats follow NumPy's npy_divmod: the remainder is exact, and
the quotient fits it."""


def same(text):
    """Returns C that is the same for booleans, integers and floats."""
    return {"b": text, "i": text, "f": text}


COMPARED = {
    numpy_results.equal: "==",
    numpy_results.not_equal: "!=",
    numpy_results.less: "<",
    numpy_results.less_equal: "<=",
    numpy_results.greater: ">",
    numpy_results.greater_equal: ">=",
}
REAL = {
    np.rint: "rint",
    np.sqrt: "sqrt",
    np.exp: "exp",
    np.exp2: "exp2",
    np.log: "log",
    np.log1p: "log1p",
    np.log2: "log2",
    np.log10: "log10",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    numpy_results.expm1: "expm1",
    numpy_results.tanh: "tanh",
}
REAL_OF_TWO = {
    np.arctan2: "atan2",
    np.copysign: "copysign",
    np.fmax: "fmax",
    np.fmin: "fmin",
    numpy_results.power: "pow",
    numpy_results.fmod: "fmod",
}
TEXTS = {
    np.add: {"b": "{0} || {1}", "i": "{u}({0}) + {u}({1})", "f": "{0} + {1}"},
    np.subtract: {"i": "{u}({0}) - {u}({1})", "f": "{0} - {1}"},
    np.multiply: {"b": "{0} && {1}", "i": "{u}({0}) * {u}({1})", "f": "{0} * {1}"},
    np.true_divide: {"f": "{0} / {1}"},
    np.negative: {"i": "{u}(0) - {u}({0})", "f": "-{0}"},
    np.positive: {"i": "{0}", "f": "{0}"},
    np.conjugate: {"i": "{0}", "f": "{0}"},
    np.absolute: {"b": "{0}", "i": "{0} < 0 ? {u}(0) - {u}({0}) : {u}({0})", "f": "fabs({0})"},
    np.square: {"i": "{u}({0}) * {u}({0})", "f": "{0} * {0}"},
    np.floor: {"i": "{0}", "f": "floor({0})"},
    np.ceil: {"i": "{0}", "f": "ceil({0})"},
    np.trunc: {"i": "{0}", "f": "trunc({0})"},
    np.isnan: {"b": "false", "i": "false", "f": "isnan({0})"},
    np.isinf: {"b": "false", "i": "false", "f": "isinf({0})"},
    np.isfinite: {"b": "true", "i": "true", "f": "isfinite({0})"},
    np.sign: {"i": "({0} > 0) - ({0} < 0)", "f": "isnan({0}) ? {0} : ({0} > 0) - ({0} < 0)"},
    np.reciprocal: {"f": "1 / {0}"},
    np.minimum: {"b": "{0} && {1}", "i": "lesser({0}, {1})", "f": "lesser_real({0}, {1})"},
    np.maximum: {"b": "{0} || {1}", "i": "greater({0}, {1})", "f": "greater_real({0}, {1})"},
    np.bitwise_and: {"b": "{0} && {1}", "i": "{0} & {1}"},
    np.bitwise_or: {"b": "{0} || {1}", "i": "{0} | {1}"},
    np.bitwise_xor: {"b": "{0} != {1}", "i": "{0} ^ {1}"},
    np.invert: {"b": "!{0}", "i": "~{0}"},
    numpy_results.floor_divide: {
        "i": "floor_quotient({0}, {1})",
        "f": "floor_quotient_real({0}, {1})",
    },
    numpy_results.remainder: {"i": "left_over({0}, {1})", "f": "left_over_real({0}, {1})"},
    numpy_results.logical_not: same("!{0}"),
    numpy_results.logical_and: same("{0} != 0 && {1} != 0"),
    numpy_results.logical_or: same("{0} != 0 || {1} != 0"),
    numpy_results.logical_xor: same("({0} != 0) != ({1} != 0)"),
    **{f: same(f"{{0}} {sign} {{1}}") for f, sign in COMPARED.items()},
    **{f: {"f": f"{name}({{0}})"} for f, name in REAL.items()},
    **{f: {"f": f"{name}({{0}}, {{1}})"} for f, name in REAL_OF_TWO.items()},
}
"""The C of each function by kind: booleans, integers, floats. {u} is the unsigned type as wide as
the result, in which integers wrap."""

NUMPYS = {own: function for function, own in numpy_results.OWN.items()}


class NotThere(Exception):
    """A function or a type has no C."""


class Writer:
    """Writes the C of a tree: its statements, and the numbers that the kernel takes as
    arguments."""

    def __init__(self, dtypes):
        self.dtypes = dtypes
        self.lines = []
        self.numbers = []

    def write(self, tree):
        """Returns the text of a value and its type; a Python number has no type."""
        if isinstance(tree, Input):
            return f"a{tree.number}", self.dtypes[tree.number]
        if isinstance(tree, Cast):
            text, dtype = self.write(tree.argument)
            return self.variable(self.cast(text, dtype, tree.dtype), tree.dtype)
        if isinstance(tree, Call):
            return self.call(tree.f, [self.write(each) for each in tree.arguments])
        if isinstance(tree, np.generic):
            return tree, tree.dtype
        return tree, None

    def call(self, f, values):
        if f is np.where:
            return self.where(values)
        if f is np.clip:
            return self.clip(values)
        if f not in TEXTS:
            raise NotThere
        ufunc = NUMPYS.get(f, f)
        *wanted, made = resolved(ufunc, values)
        if f is numpy_results.power and is_two(values[1]):
            f, values, wanted = np.square, values[:1], wanted[:1]
        # The types of the inputs decide, so that comparisons of floats compare floats.
        text = TEXTS[f].get({"b": "b", "i": "i", "u": "i", "f": "f"}.get(wanted[0].kind))
        if text is None or len(set(wanted)) != 1:
            raise NotThere
        outcome = outcome_beyond(ufunc, *values) if f in COMPARED else None
        if outcome is not None:
            return self.variable(str(bool(outcome)).lower(), made)
        inputs = [self.cast(*value, dtype) for value, dtype in zip(values, wanted)]
        unsigned = "unsigned int" if made.itemsize <= 4 else "unsigned long long"
        return self.variable(text.format(*inputs, u=f"({unsigned})"), made)

    def where(self, values):
        dtype = result_type(np.where, values)
        condition, *sides = values
        a, b = (self.cast(*side, dtype) for side in sides)
        return self.variable(f"{self.cast(*condition, np.dtype(bool))} ? {a} : {b}", dtype)

    def clip(self, values):
        dtype = result_type(np.clip, values)
        a, least, most = (self.cast(*value, dtype) for value in values)
        of = {"f": "_real", "i": "", "u": ""}.get(dtype.kind)
        if of is None:
            raise NotThere
        return self.variable(f"lesser{of}(greater{of}({a}, {least}), {most})", dtype)

    def cast(self, text, dtype, wanted):
        """Returns the value in another type; numbers become arguments of that type."""
        if wanted.char.replace("l", "q").replace("L", "Q") not in NAMES:
            raise NotThere
        if isinstance(text, str):
            return text if dtype == wanted else conversion(text, dtype, wanted)
        with np.errstate(all="ignore"):
            # `where` also takes Python numbers that do not fit, and wraps them.
            self.numbers.append(np.asarray(text).astype(wanted)[()])
        return f"n{len(self.numbers) - 1}"

    def variable(self, text, dtype):
        name = f"v{len(self.lines)}"
        self.lines.append(f"{c_name(dtype)} {name} = {text};")
        return name, dtype


def conversion(text, dtype, wanted):
    """Returns C that converts a value to another type, with the results of
    `numpy_results.astype`."""
    name = c_name(wanted)
    if dtype.kind != "f" or wanted.kind != "u":
        return f"({name}){text}"
    wrapped = f"({name})(long long){text}"
    return (
        wrapped
        if wanted.itemsize < 8
        else f"({text} < 9223372036854775808.0 ? {wrapped} : ({name}){text})"
    )


def outcome_beyond(ufunc, left, right):
    """Returns the result of comparing with a Python number outside the range of elements, or None
    for other functions."""
    (a, of_a), (b, of_b) = left, right
    if numpy_results.is_beyond(b, of_a):
        return ufunc(0, b)
    return ufunc(a, 0) if numpy_results.is_beyond(a, of_b) else None


def is_two(value):
    """Returns whether it is the number 2: NumPy computes squares for it, which are exact."""
    text, dtype = value
    return dtype is None and text == 2


def c_name(dtype):
    """Returns C's name of a type. Raises NotThere if it has none."""
    try:
        return NAMES[dtype.char.replace("l", "q").replace("L", "Q")]
    except KeyError:
        raise NotThere from None


def resolved(ufunc, values):
    """Returns the types of the loop that NumPy uses for these values, inputs first."""
    weak = lambda text: bool if isinstance(text, bool) else type(text)
    dtypes = [weak(text) if dtype is None else dtype for text, dtype in values]
    dtypes = [np.dtype(bool) if dtype is bool else dtype for dtype in dtypes]
    try:
        return ufunc.resolve_dtypes((*dtypes, None))
    except TypeError:
        raise NotThere from None


def result_type(f, values):
    """Returns the type of NumPy's result for ones of these types, and for these numbers."""
    examples = [text if dtype is None else np.ones(1, dtype) for text, dtype in values]
    return np.asarray(f(*examples)).dtype


def written(tree, dtypes, made):
    """Returns parameters, statements and numbers of the kernel that makes elements of type `made`,
    or None if there is no kernel."""
    writer = Writer(dtypes)
    try:
        text, dtype = writer.write(tree)
        result = writer.cast(text, dtype, made)
        parameters = [f"{dtype.name} a{i}" for i, dtype in enumerate(dtypes) if c_name(dtype)]
    except NotThere:
        return None
    parameters += [f"{number.dtype.name} n{i}" for i, number in enumerate(writer.numbers)]
    return (
        ", ".join(parameters),
        made.name,
        "\n".join([*writer.lines, f"out = {result};"]),
        writer.numbers,
    )


@functools.lru_cache(maxsize=KERNELS_MAX)
def compiled(parameters, made, body):
    """Returns CuPy's kernel with this C."""
    import cupy

    return cupy.ElementwiseKernel(
        parameters,
        f"{made} out",
        body,
        "outhaul_elements",
        preamble=PREAMBLE,
        options=("--fmad=false",),
    )


MANY = (numpy_results.floor_divide, numpy_results.remainder, np.where)
"""Functions for which a kernel is better even alone: it replaces several kernels, or returns
NumPy's results."""


def is_worth_it(tree):
    """Returns whether evaluating function by function would take more than one kernel."""
    if isinstance(tree, Cast):
        return isinstance(tree.argument, (Call, Cast))
    if not isinstance(tree, Call):
        return False
    inner = any(isinstance(each, (Call, Cast)) for each in tree.arguments)
    return inner or tree.f in MANY
