"""Outhaul: NumPy arrays larger than a GPU's memory, on several local or remote GPUs.

    import outhaul
    image = outhaul.from_npy("in.npy", chunks="64 MB")
    with outhaul.Runtime():
        ((image - image.mean(axis=0)) / image.std(axis=0)).to_npy("out.npy")

It is a namespace of the Python array API standard, 2024.12. docs/python.md of the repository is the
guide.
"""

from __future__ import annotations

import sys
import types as _modules
from importlib import metadata as _metadata
from os import PathLike as _PathLike
from typing import Any

if sys.version_info < (3, 10):
    raise ImportError(
        "Outhaul's arrays need Python 3.10 or newer; its command line, `outhaul`, needs none"
    )

import numpy as _numpy

from . import fft, linalg, random
from .arrays.array import Array
from .arrays.assignment import assigned as _assigned
from .arrays.creation import (
    arange,
    array,
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
from .arrays.elementwise import (
    astype,
    broadcast_arrays,
    broadcast_to,
    clip,
    imag,
    real,
    round,
    where,
)
from .arrays.elementwise import elementwise as _elementwise
from .arrays.indexing import getitem as _getitem
from .arrays.members.accepting import accept_all as _accept_all
from .arrays.members.accepting import accepting as _accepting
from .arrays.members.method_functions import provide as _provide
from .arrays.members.views import viewed as _viewed
from .arrays.opening import from_array, from_hdf5, from_npy, from_parquet, from_tiff, from_zarr
from .arrays.selection import rechunked as _rechunked
from .backends import HostBackend
from .dask import dask_get
from .errors import DeviceLost, GraphError, RuntimeUnreachable, SubtaskError
from .functions.analysis.comparison import (
    allclose,
    array_equal,
    array_equiv,
    isclose,
    iscomplexobj,
    isrealobj,
    isscalar,
    nan_to_num,
    ndim,
    shape,
    size,
)
from .functions.analysis.curves import (
    convolve,
    correlate,
    gradient,
    interp,
    polyval,
    trapezoid,
    unwrap,
)
from .functions.analysis.hosted import HostIndex as _HostIndex
from .functions.analysis.hosted import at as _at
from .functions.analysis.hosted import hosted as _hosted
from .functions.analysis.hosted import own as _own
from .functions.analysis.statistics import (
    average,
    bincount,
    corrcoef,
    cov,
    digitize,
    histogram,
    histogram_bin_edges,
    isin,
    ptp,
    unique,
)
from .functions.analysis.windows import sliding_window_view as _sliding_window_view
from .functions.array_api_info import TYPES as _types
from .functions.array_api_info import VERSION as __array_api_version__
from .functions.array_api_info import (
    __array_namespace_info__,
    can_cast,
    finfo,
    iinfo,
    isdtype,
    result_type,
)
from .functions.assembling import (
    append,
    array_split,
    asanyarray,
    ascontiguousarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    column_stack,
    compress,
    copy,
    copyto,
    delete,
    diag,
    diagflat,
    dstack,
    extract,
    fill_diagonal,
    fliplr,
    flipud,
    frombuffer,
    fromfunction,
    fromiter,
    hsplit,
    hstack,
    identity,
    insert,
    put,
    putmask,
    resize,
    rollaxis,
    rot90,
    split,
    tri,
    vander,
    vsplit,
    vstack,
)
from .functions.contraction import dot, einsum, inner, matmul, outer, tensordot, vdot, vecdot
from .functions.nans import (
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
from .functions.padding import pad
from .functions.quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from .functions.reductions import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from .functions.scans import cummax as _cummax
from .functions.scans import cummin as _cummin
from .functions.scans import cumprod, cumsum, cumulative_prod, cumulative_sum, diff
from .functions.searching import flatnonzero, nonzero, take, take_along_axis
from .functions.shaping import (
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
from .functions.sorting import (
    argsort,
    searchsorted,
    sort,
    topk,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from .functions.ufuncs import (
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
    log1p,
    log2,
    log10,
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
from .reports.picture import visualize
from .reports.progress import progress
from .reports.trace import trace as _recorded
from .runtime import Runtime, connect
from .runtime import current as _current
from .runtime.compute import compute, load, save, to_hdf5, to_npy, to_tiff, to_zarr
from .sizes import format_bytes
from .subtasks.kernel import kernel

concatenate, newaxis, trapz, row_stack = concat, None, trapezoid, vstack
e, inf, nan, pi = _numpy.e, _numpy.inf, _numpy.nan, _numpy.pi
try:
    __version__ = _metadata.version("outhaul")
except _metadata.PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0"

testing = _numpy.testing
_windows = _modules.SimpleNamespace(sliding_window_view=_accepting(_sliding_window_view))
lib = _modules.SimpleNamespace(stride_tricks=_windows)
radians, degrees, fix, cross = deg2rad, rad2deg, trunc, linalg.cross
amax, amin, around, ndarray = max, min, round, Array
globals().update({name: getattr(_numpy, name) for name in _types})
globals().update(
    {
        name: getattr(_numpy, name)
        for name in (
            "bool_ intp uintp int_ uint intc byte ubyte short longlong half single double csingle"
            " cdouble dtype generic number integer signedinteger unsignedinteger inexact floating"
            " complexfloating errstate seterr geterr set_printoptions get_printoptions printoptions"
            " euler_gamma ndindex issubdtype"
        ).split()
    }
)


def diagonal(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Returns diagonals of the matrices of two axes, along a new last axis; only to read."""
    again = lambda base: linalg.diagonal(moveaxis(base, (axis1, axis2), (-2, -1)), offset=offset)
    return _viewed(x, again(x), again, None)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Returns the sums of diagonals of the matrices of two axes. `with trace(PATH):` writes what
    runs do into a file, for Perfetto."""
    if isinstance(x, (str, _PathLike)) or hasattr(x, "write"):
        return _recorded(x)
    x = asarray(x)
    return linalg.trace(moveaxis(x, (axis1, axis2), (-2, -1)), offset=offset, dtype=dtype)


def divmod(a: Any, b: Any) -> tuple[Array, Array]:
    """Returns quotients, rounded down, and remainders."""
    return floor_divide(a, b), remainder(a, b)


def vectorize(f: Any, **options: Any) -> Any:
    """Returns a function of the elements of arrays, which NumPy computes on the host."""
    return _hosted(_numpy.vectorize(f, **options))


mgrid, ogrid, r_, c_, s_, index_exp = (
    _HostIndex(getattr(_numpy, name)) for name in "mgrid ogrid r_ c_ s_ index_exp".split()
)
globals().update(_own(set(globals())))

__all__ = sorted(
    name
    for name, value in globals().items()
    if not name.startswith("_")
    and name not in ("annotations", "Any")
    and (name in ("fft", "linalg", "random") or not isinstance(value, type(sys)))
)

_accept_all(sys.modules[__name__])
_accept_all(linalg)
_accept_all(fft)
_provide(
    sys.modules[__name__],
    assigned=_assigned,
    at=_at,
    cummax=_cummax,
    cummin=_cummin,
    current=_current,
    elementwise=_elementwise,
    getitem=_getitem,
    hosted=_hosted,
    rechunked=_rechunked,
)


def __getattr__(name: str) -> Any:
    """Raises AttributeError with advice for what NumPy has and this package lacks."""
    if name.startswith("_") or not hasattr(_numpy, name):
        raise AttributeError(f"module 'outhaul' has no attribute {name!r}")
    raise AttributeError(
        f"outhaul has no `{name}`, which NumPy has: a.map(f) takes any function of partitions, and "
        f"numpy.{name}(np.asarray(a)) computes the array first"
    )
