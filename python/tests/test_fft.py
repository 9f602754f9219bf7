"""Fourier transforms of arrays larger than a GPU. That they are NumPy's is in numpy_cases.py."""

import numpy as np
import pytest

import outhaul


@pytest.fixture
def signal():
    random = np.random.default_rng(5)
    return random.standard_normal(1 << 13) + 1j * random.standard_normal(1 << 13)


def near(made, wanted):
    epsilon = np.finfo(made.dtype).eps
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(made, wanted, rtol=0, atol=20 * epsilon * abs(wanted).max())


@pytest.mark.parametrize("name", ["fft", "ifft"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 5000, 10000])
def test_one_axis_in_two_steps(runtime, signal, name, norm, n):
    assert signal.nbytes > 2 * runtime.backend.devices[0].capacity_bytes
    made = getattr(outhaul.fft, name)(outhaul.from_array(signal, 500), n=n, norm=norm)
    near(made.compute(runtime), getattr(np.fft, name)(signal, n=n, norm=norm))


def test_single_precision_stays_that(runtime, signal):
    some = signal.astype("c8")
    near(outhaul.fft.fft(outhaul.from_array(some, 1000)).compute(runtime), np.fft.fft(some))


def test_axes_that_are_not_transformed_are_cut(runtime, signal):
    cube = signal.reshape(16, 16, 32).real
    lazy = outhaul.from_array(cube, 1)
    near(outhaul.fft.rfftn(lazy).compute(runtime), np.fft.rfftn(cube))
    device = runtime.backend.devices[0]
    assert all(0 < peak <= device.capacity_bytes for peak in runtime.last.peak_bytes)
    near(outhaul.fft.irfftn(outhaul.fft.rfftn(lazy), s=cube.shape).compute(runtime), cube)


def test_a_length_without_factors_says_what_to_do(runtime, signal):
    with pytest.raises(
        outhaul.GraphError,
        match=r"`rechunk` needs .*; fft takes axis 0 whole, 8191 elements .*131.1 KB: .*memory=.*a"
        " length with factors",
    ):
        outhaul.fft.fft(outhaul.from_array(signal[:8191], 500)).compute(runtime)


def test_what_is_wrong_is_said_at_once(signal):
    lazy = outhaul.from_array(signal, 500)
    with pytest.raises(ValueError, match='norm "other"; there are "backward"'):
        outhaul.fft.fft(lazy, norm="other")
    with pytest.raises(outhaul.GraphError, match="ifft: no axis 1"):
        outhaul.fft.ifft(lazy, axis=1)
    with pytest.raises(ValueError, match="fftn: 2 lengths for 1 axis"):
        outhaul.fft.fftn(lazy, s=(3, 4), axes=(0,))
