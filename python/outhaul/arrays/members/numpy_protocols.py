"""NumPy's protocols for arrays of other libraries: ufuncs (NEP 13) and functions (NEP 18) of lazy
arrays return lazy arrays, or raise a TypeError that names the missing function."""

import numpy as np

from .method_functions import functions
from .views import refuse_misfit, write_result

REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
SCANS = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}
RENAMED = {
    "amax": "max",
    "amin": "min",
    "concatenate": "concat",
    "transpose": "transpose",
    "unique": "unique_values",
    "round_": "round",
    "row_stack": "vstack",
    "trapz": "trapezoid",
}
"""NumPy's names of functions that this package has under the standard's names."""

ATTRIBUTES = ("ndim", "shape", "size")


def array_ufunc(array, ufunc, method, *operands, out=None, **options):
    """Applies a ufunc, its `outer`, or its `reduce` and `accumulate` if this package has them.
    `out` becomes the result if it is a lazy array, and is computed at once if it is NumPy's."""
    if out is not None or (method == "__call__" and "where" in options):
        where, casting = options.pop("where", True), options.pop("casting", "same_kind")
        made = array_ufunc(array, ufunc, method, *operands, **options)
        return written_out(ufunc.__name__, operands, made, *(out or [None]), where, casting)
    if method == "__call__" and ufunc is np.matmul:
        return functions.matmul(*operands, **options)
    if method == "__call__" and ufunc.signature is None and ufunc.nout == 1:
        dtype = options.pop("dtype", None)
        refuse(f"np.{ufunc.__name__}", options)
        if dtype is not None:
            operands = [functions.astype(functions.asarray(each), dtype) for each in operands]
        return functions.elementwise(ufunc, operands)
    if method == "__call__" and ufunc is np.divmod:
        return functions.elementwise(np.floor_divide, operands), functions.elementwise(
            np.remainder, operands
        )
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        options.setdefault("axis", 0)
        return getattr(functions, REDUCTIONS[ufunc.__name__])(*operands, **options)
    if method == "accumulate" and ufunc.__name__ in SCANS:
        return getattr(functions, SCANS[ufunc.__name__])(*operands, **{"axis": 0, **options})
    if method == "at":
        return functions.at(ufunc, *operands)
    if method == "reduceat" and ufunc.nout == 1:
        return functions.hosted(ufunc.reduceat)(*operands, **options)
    if method == "outer" and ufunc.nout == 1:
        a, b = map(functions.asarray, operands)
        return functions.elementwise(ufunc, [a.reshape(a.shape + (1,) * b.ndim), b])
    raise TypeError(
        f"np.{ufunc.__name__}{'' if method == '__call__' else f'.{method}'} of a lazy array is not "
        f"supported; a.map(f) takes any function of partitions, np.asarray(a) computes the array"
    )


def written_out(name, operands, made, out, where=True, casting="same_kind"):
    """Writes a function's result into an array where a mask is true, and returns the array."""
    if out is None:
        raise TypeError(
            f"{name}: where= without out= would leave the other elements undefined: write "
            f"out=np.zeros_like(a), or np.where(mask, f(a), 0)"
        )
    is_lazy = isinstance(out, type(made))
    if casting == "unsafe" and not (is_lazy and out.is_number):
        made = functions.astype(made, out.dtype)
    if where is not True:
        made = functions.broadcast_to(made, out.shape)
        refuse_misfit(out, name, operands, made)
        made = functions.where(where, functions.astype(made, out.dtype), out)
    if is_lazy:
        return write_result(out, name, operands, made)
    refuse_misfit(out, name, operands, made)
    out[...] = made.compute()
    return out


def array_function(function, arguments, options):
    """Applies the function that this package has for a NumPy function."""
    name = function.__name__
    if name in ATTRIBUTES and len(arguments) == 1:
        return getattr(arguments[0], name)
    module = functions.package
    for part in function.__module__.split(".")[1:]:
        module = getattr(module, part, None)
    own = getattr(module, RENAMED.get(name, name), None)
    if own is None or not callable(own):
        raise TypeError(
            f"{function.__module__}.{name} of a lazy array is not supported; a.map(f) takes any "
            f"function of partitions, np.asarray(a) computes the array"
        )
    return own(
        *arguments,
        **{key: value for key, value in options.items() if value is not None or key != "out"},
    )


def refuse(name, options):
    """Raises TypeError if there are any options."""
    if options:
        raise TypeError(
            f"{name}: {', '.join(f'{key}=' for key in options)} of a lazy array is not supported"
        )
