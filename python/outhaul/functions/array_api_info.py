"""Outhaul as a namespace of the Python array API standard, 2024.12: its types, their
limits and casts, and the inspection functions."""

from __future__ import annotations

import numpy as np

VERSION = "2024.12"

TYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()


def type_of(value):
    """Returns a type, or the type of an array."""
    return np.dtype(value) if isinstance(value, (np.dtype, type, str)) else value.dtype


def can_cast(from_, to, /):
    """Returns whether a type, or an array's, converts to another without loss."""
    return np.can_cast(type_of(from_), to)


class FloatLimits:
    """np.finfo with Python numbers, as the standard requires."""

    def __init__(self, dtype):
        self._numpys = np.finfo(dtype)

    def __getattr__(self, name):
        value = getattr(self._numpys, name)
        return float(value) if isinstance(value, np.floating) else value

    def __repr__(self):
        return repr(self._numpys)


def finfo(type, /):
    """Returns the limits of a floating-point type, or of an array's type."""
    return FloatLimits(type_of(type))


def iinfo(type, /):
    """Returns the limits of an integer type, or of an array's type."""
    return np.iinfo(type_of(type))


def isdtype(dtype, kind):
    """Returns whether a type is of a kind, such as "integral", or of one of several kinds."""
    return np.isdtype(np.dtype(dtype), kind)


def result_type(*arrays_and_dtypes):
    """Returns the type that these are promoted to."""
    return np.result_type(
        *(
            each.dtype if hasattr(each, "dtype") and hasattr(each, "chunks") else each
            for each in arrays_and_dtypes
        )
    )


class Info:
    """Answers to the standard's inspection functions."""

    def capabilities(self):
        """Returns the capabilities. Masks and sizes that depend on data are supported; they compute
        something at once."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Returns the name of the only device: the runtime that will compute."""
        return "runtime"

    def devices(self):
        """Returns the names of all devices."""
        return ["runtime"]

    def default_dtypes(self, *, device=None):
        """Returns the default types."""
        return {
            "real floating": np.dtype("f8"),
            "complex floating": np.dtype("c16"),
            "integral": np.dtype("i8"),
            "indexing": np.dtype("i8"),
        }

    def dtypes(self, *, device=None, kind=None):
        """Returns types by name: all, or those of a kind."""
        every = {name: np.dtype(name) for name in TYPES}
        return (
            every
            if kind is None
            else {name: dtype for name, dtype in every.items() if np.isdtype(dtype, kind)}
        )


def __array_namespace_info__():
    """Returns an object with capabilities, devices and types."""
    return Info()
