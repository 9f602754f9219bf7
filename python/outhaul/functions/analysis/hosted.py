"""NumPy functions that this package leaves to NumPy: they compute their arrays at once, in host
memory, and return lazy arrays of the results."""

from __future__ import annotations

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import asarray, evaluated
from ...arrays.members import views

NAMES = (
    "angle apply_along_axis apply_over_axes argpartition argwhere array2string array_repr "
    "bartlett base_repr binary_repr blackman block broadcast_shapes choose common_type "
    "cumulative_trapezoid diag_indices diag_indices_from ediff1d frexp fromfile fromstring "
    "genfromtxt geomspace hamming hanning histogram2d histogramdd i0 indices intersect1d "
    "iscomplex isneginf isposinf isreal ix_ kaiser kron ldexp lexsort loadtxt logspace "
    "mask_indices modf partition piecewise poly polyadd polyder polydiv polyfit polyint "
    "polymul polysub promote_types ravel_multi_index real_if_close roots savetxt select "
    "setdiff1d setxor1d sinc sort_complex spacing tril_indices tril_indices_from trim_zeros "
    "triu_indices triu_indices_from typename union1d unravel_index"
).split()


def hosted(f):
    """Returns a function that computes its arrays, calls NumPy's, and makes lazy arrays of the
    results."""

    def call(*arguments, **options):
        names, values = list(options), [*arguments, *options.values()]
        known = evaluated(values)
        numbers = known[: len(arguments)]
        return lazy(f(*numbers, **dict(zip(names, known[len(arguments) :]))))

    call.__name__, call.__doc__ = getattr(f, "__name__", "function"), f.__doc__
    return call


def lazy(result):
    """Returns NumPy's arrays as lazy ones, also in tuples and lists."""
    if isinstance(result, np.ndarray):
        return asarray(result)
    if isinstance(result, (tuple, list)) and any(isinstance(each, np.ndarray) for each in result):
        return (
            type(result)(map(lazy, result))
            if type(result) in (tuple, list)
            else tuple(map(lazy, result))
        )
    return result


def at(ufunc, array, indices, values=None):
    """Applies a ufunc in place at indices, of which each counts as often as it occurs."""
    [indices] = evaluated([indices])
    held = array.compute() if isinstance(array, Array) else array
    if values is None:
        ufunc.at(held, indices)
    else:
        ufunc.at(held, indices, np.asarray(values))
    if held is not array:
        views.write(array, asarray(held))


class HostIndex:
    """NumPy's objects that make arrays by indexing, such as `mgrid` and `r_`."""

    def __init__(self, made):
        self.made = made

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        known = tuple(evaluated(key))
        return lazy(self.made[known if len(known) > 1 else known[0]])


def own(present):
    """Returns the functions of NAMES that the package does not have itself, by name."""
    return {
        name: hosted(getattr(np, name))
        for name in NAMES
        if hasattr(np, name) and name not in present
    }
