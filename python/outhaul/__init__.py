"""Outhaul: NumPy arrays larger than a GPU's memory, on several local or remote GPUs.

    import outhaul
    image = outhaul.from_npy("in.npy", chunks="64 MB")
    with outhaul.Runtime():
        ((image - image.mean(axis=0)) / image.std(axis=0)).to_npy("out.npy")

It is a namespace of the Python array API standard, 2024.12. docs/python.md of the repository is the
guide.
"""

import sys

if sys.version_info < (3, 10):
    raise ImportError(
        "Outhaul's arrays need Python 3.10 or newer; its command line, `outhaul`, needs none"
    )

import numpy as _numpy

from . import fft, linalg, random
from .actions import compute, to_hdf5, to_npy, to_tiff, to_zarr
from .array import Array
from .backends import HostBackend
from .contraction import dot, einsum, matmul, outer, tensordot, vecdot
from .creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from .dask import dask_get
from .elementwise import astype, broadcast_arrays, broadcast_to, clip, where
from .elements import (
    abs,
    absolute,
    acos,
    acosh,
    add,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_count,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cbrt,
    ceil,
    conj,
    conjugate,
    copysign,
    cos,
    cosh,
    deg2rad,
    divide,
    equal,
    exp,
    exp2,
    expm1,
    fabs,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    gcd,
    greater,
    greater_equal,
    heaviside,
    hypot,
    invert,
    isfinite,
    isinf,
    isnan,
    isnat,
    lcm,
    left_shift,
    less,
    less_equal,
    log,
    log10,
    log1p,
    log2,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    power,
    rad2deg,
    reciprocal,
    remainder,
    right_shift,
    rint,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    true_divide,
    trunc,
)
from .errors import DeviceLost, GraphError, RuntimeUnreachable, SubtaskError
from .hdf5 import from_hdf5
from .indexing import take
from .kernel import kernel
from .namespace import TYPES as _types
from .namespace import VERSION as __array_api_version__
from .namespace import (
    __array_namespace_info__,
    can_cast,
    finfo,
    iinfo,
    imag,
    isdtype,
    real,
    result_type,
    round,
)
from .nans import (
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from .opening import from_array, from_npy, from_parquet, from_zarr
from .padding import pad
from .picture import visualize
from .progress import progress
from .quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from .reductions import all, any, argmax, argmin, count_nonzero, max, mean, min, prod, std, sum, var
from .runtime import Runtime, connect
from .scans import cumprod, cumsum, cumulative_prod, cumulative_sum, diff
from .searching import flatnonzero, nonzero, take_along_axis
from .shaping import (
    concat,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    ravel,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    swapaxes,
    tile,
    transpose,
    unstack,
)
from .sizes import format_bytes
from .sorting import (
    argsort,
    searchsorted,
    sort,
    topk,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from .tiff import from_tiff
from .trace import trace

concatenate, array, newaxis = concat, asarray, None
e, inf, nan, pi = _numpy.e, _numpy.inf, _numpy.nan, _numpy.pi
globals().update({name: getattr(_numpy, name) for name in _types})

__all__ = sorted(
    name
    for name, value in globals().items()
    if not name.startswith("_")
    and (name in ("fft", "linalg", "random") or not isinstance(value, type(sys)))
)
