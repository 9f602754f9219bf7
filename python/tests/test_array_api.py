"""The names and parameters of the array API standard, 2024.12; the standard's own suite is run by
command, see array_api.py."""

import inspect

import numpy as np
import pytest

import outhaul

ONE = "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc"
TWO = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor"
    " maximum minimum multiply nextafter not_equal pow remainder subtract matmul"
)
PARAMETERS = {
    "clip": "x min max",
    "where": "condition x y",
    "astype": "x dtype copy device",
    "can_cast": "from to",
    "isdtype": "dtype kind",
    "result_type": "arrays",
    "broadcast_arrays": "arrays",
    "broadcast_to": "x shape",
    "finfo": "type",
    "iinfo": "type",
    "arange": "start stop step dtype device",
    "asarray": "obj dtype device copy",
    "empty": "shape dtype device",
    "empty_like": "x dtype device",
    "eye": "rows cols k dtype device",
    "from_dlpack": "x device copy",
    "full": "shape fill_value dtype device",
    "full_like": "x fill_value dtype device",
    "linspace": "start stop num dtype device endpoint",
    "meshgrid": "arrays indexing",
    "ones": "shape dtype device",
    "ones_like": "x dtype device",
    "tril": "x k",
    "triu": "x k",
    "zeros": "shape dtype device",
    "zeros_like": "x dtype device",
    "take": "x indices axis",
    "take_along_axis": "x indices axis",
    "matrix_transpose": "x",
    "tensordot": "a b axes",
    "vecdot": "a b axis",
    "concat": "arrays axis",
    "expand_dims": "x axis",
    "flip": "x axis",
    "moveaxis": "x source destination",
    "permute_dims": "x axes",
    "repeat": "x repeats axis",
    "reshape": "x shape copy",
    "roll": "x shift axis",
    "squeeze": "x axis",
    "stack": "arrays axis",
    "tile": "x repetitions",
    "unstack": "x axis",
    "argmax": "x axis keepdims",
    "argmin": "x axis keepdims",
    "count_nonzero": "x axis keepdims",
    "nonzero": "x",
    "searchsorted": "a b side sorter",
    "unique_all": "x",
    "unique_counts": "x",
    "unique_inverse": "x",
    "unique_values": "x",
    "argsort": "x axis descending stable",
    "sort": "x axis descending stable",
    "cumulative_sum": "x axis dtype include_initial",
    "cumulative_prod": "x axis dtype include_initial",
    "max": "x axis keepdims",
    "mean": "x axis keepdims",
    "min": "x axis keepdims",
    "prod": "x axis dtype keepdims",
    "std": "x axis correction keepdims",
    "sum": "x axis dtype keepdims",
    "var": "x axis correction keepdims",
    "all": "x axis keepdims",
    "any": "x axis keepdims",
    "diff": "x axis n prepend append",
    "__array_namespace_info__": "",
}
TYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)


@pytest.mark.parametrize(
    "name, count", [*((name, 1) for name in ONE.split()), *((name, 2) for name in TWO.split())]
)
def test_functions_of_elements(name, count):
    parameters = inspect.signature(getattr(outhaul, name)).parameters.values()
    assert (
        sum(each.default is each.empty and each.kind is each.POSITIONAL_ONLY for each in parameters)
        == count
    )


@pytest.mark.parametrize("name", PARAMETERS)
def test_other_functions(name):
    """What may be said by name is there by name; what comes by position is as much as the standard
    has."""
    parameters = inspect.signature(getattr(outhaul, name)).parameters.values()
    wanted = PARAMETERS[name].split()
    by_name = {each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY}
    by_position = [each for each in parameters if each.kind is each.POSITIONAL_ONLY]
    assert len(by_position) + len(by_name) >= len(wanted)
    assert (
        set(wanted[len(by_position) :]) <= by_name | {"arrays"}
        or not by_position
        and "arrays" in wanted[0]
    )


def test_constants_types_and_info():
    assert (outhaul.e, outhaul.pi, outhaul.inf, outhaul.newaxis) == (
        np.e,
        np.pi,
        np.inf,
        None,
    ) and np.isnan(outhaul.nan)
    info = outhaul.__array_namespace_info__()
    assert {name: np.dtype(getattr(outhaul, name)) for name in TYPES.split()} == info.dtypes()
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert (
        info.default_device() in info.devices() and outhaul.zeros(3).device == info.default_device()
    )
    assert outhaul.__array_api_version__ == "2024.12"


def test_every_public_name_is_documented():
    for name in outhaul.__all__:
        value = getattr(outhaul, name)
        assert (
            not callable(value)
            or inspect.isclass(value)
            and value.__module__.startswith("numpy")
            or value.__doc__
        ), name
    for name, value in vars(outhaul.Array).items():
        assert name.startswith("_") or not callable(value) or value.__doc__, name
