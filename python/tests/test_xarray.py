"""Lazy arrays inside Xarray's: what people write first stays lazy, and gives what NumPy's give."""

import numpy as np
import pytest

import outhaul

xarray = pytest.importorskip("xarray")

PROGRAMS = {
    "arithmetic": lambda d: np.sqrt(d + 1) * d.isel(time=0, drop=True),
    "mean": lambda d: d.mean(),
    "anomalies": lambda d: d - d.mean("time"),
    "deviations": lambda d: d.std("lat"),
    "greatest": lambda d: d.max(),
    "place": lambda d: d.argmax("time"),
    "median": lambda d: d.median("time"),
    "quantile": lambda d: d.quantile(0.3, "time"),
    "slices": lambda d: d.isel(time=3, lat=slice(2, 9)),
    "labels": lambda d: d.sel(time=slice(3, 20)),
    "nearest": lambda d: d.sel(lat=10, method="nearest"),
    "where": lambda d: d.where(d > 0.5).sum("lon"),
    "fillna": lambda d: d.where(d > 0.5).fillna(3),
    "count": lambda d: d.where(d > 0.5).count("time"),
    "transpose": lambda d: d.transpose("lon", "lat", "time"),
    "concat": lambda d: xarray.concat([d, d + 1], "time"),
    "dot": lambda d: xarray.dot(d, d, dim="time"),
    "groups": lambda d: d.groupby(d.time % 4).mean(),
    "coarser": lambda d: d.coarsen(time=5).mean(),
    "differences": lambda d: d.diff("time"),
    "shift": lambda d: d.shift(time=2),
    "pad": lambda d: d.pad(time=2),
    "cumsum": lambda d: d.cumsum("time"),
    "stack": lambda d: d.stack(z=("lat", "lon")),
    "weights": lambda d: d.weighted(np.cos(np.deg2rad(d.lat))).mean("lat"),
    "correlation": lambda d: xarray.corr(d, d * 2, "time"),
    "any": lambda d: (d > 0.9).any("time"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(runtime, name):
    values = np.random.default_rng(0).random((40, 12, 10))
    coordinates = {"time": np.arange(40), "lat": np.linspace(-90, 90, 12), "lon": np.arange(10)}
    array = lambda data: xarray.DataArray(data, dims=tuple(coordinates), coords=coordinates)
    wanted = PROGRAMS[name](array(values))
    with runtime:
        made = PROGRAMS[name](array(outhaul.from_array(values, 7)))
        assert isinstance(made.data, outhaul.Array)
        np.testing.assert_allclose(np.asarray(made.data), wanted.data, rtol=1e-9, atol=1e-12)
    assert made.dims == wanted.dims
