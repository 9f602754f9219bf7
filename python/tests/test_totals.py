"""Sums, products, means and scans of numbers at the ends of their types: where NumPy's results are
finite, those of a cut array are the same."""

import numpy as np
import pytest

import outhaul

LARGE = {"f8": 1e308, "f4": 3e38, "f2": 6e4, "c16": 1e308}
FUNCTIONS = ("sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "nansum", "nanmean")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "values, dtype",
    [
        ([0.0, 1.0, 1e200, 1e200], "f8"),
        ([-1e308, 0.0, 1e308, 1e308], "f8"),
        ([-1e308, 0.0, 1e308, 1e308], "c16"),
        ([1e-30, 1e-5, 1e30, 1e30], "f4"),
        ([-3e38, 0, 3e38, 3e38], "f4"),
        ([-60000, 0, 60000, 60000], "f2"),
        ([0, 1, 100, 1000], "f2"),
        ([1e308, 1e308, 1e308, 1e308], "f8"),
        ([1e-200, 1e-200, 1e200, 1e200], "f8"),
    ],
    ids=str,
)
def test_one_total_that_overflows(runtime, name, values, dtype):
    """Along one axis, and along each of two, cut before every element or every other."""
    row = np.array(values, dtype)
    for array, axis in ((row, 0), (row[:, None], 0), (np.stack([row, row * 0]), 1)):
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(array, axis=axis)
        for cut in (1, 2):
            lazy = outhaul.from_array(array, tuple(min(cut, n) for n in array.shape))
            made = getattr(outhaul, name)(lazy, axis=axis)
            assert made.dtype == wanted.dtype
            made = made.compute(runtime)
            finite = np.isfinite(wanted)
            np.testing.assert_allclose(made[finite], wanted[finite], rtol=2e-3)
            assert not np.isnan(made[~np.isnan(wanted)]).any()


@pytest.mark.parametrize("dtype", ["i4", "u1", "?", "f2"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_scans_and_totals_of_small_types(runtime, dtype, axis):
    array = np.random.default_rng(1).integers(0, 2, (7, 9)).astype(dtype)
    lazy = outhaul.from_array(array, (2, 4))
    for name in ("cumsum", "cumprod", "sum", "prod", "mean"):
        made = getattr(outhaul, name)(lazy, axis=axis)
        wanted = getattr(np, name)(array, axis=axis)
        assert made.dtype == wanted.dtype
        np.testing.assert_allclose(made.compute(runtime), wanted, rtol=1e-3)


def test_products_are_in_order(runtime):
    """NumPy's product of all elements in order of the rows, whatever the cuts."""
    array = np.array([[1e200, 1e-200, 1e200], [1e200, 1e-200, 1e-200]])
    for cut in ((1, 1), (2, 1), (1, 2)):
        made = outhaul.from_array(array, cut).prod().compute(runtime)
        np.testing.assert_allclose(made, array.prod())


def test_variance_of_large_numbers_is_not_nan(runtime):
    with np.errstate(all="ignore"):
        array = np.array([1e308, 1e308, -1e308, 1e308, 1e308])
        assert np.var(array) == np.inf == outhaul.from_array(array, 2).var().compute(runtime)
