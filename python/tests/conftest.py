"""Runtimes for tests: pretended GPUs, small enough that nothing fits at once."""

import numpy as np
import pytest

import outhaul


@pytest.fixture
def runtime():
    """Two GPUs of 64 KB, for arrays of a few hundred."""
    return outhaul.Runtime("host", gpus=2, memory="64 KB")


@pytest.fixture
def numbers():
    return np.random.default_rng(7).random((256, 64))


@pytest.fixture(autouse=True)
def no_memory_is_left(request):
    """Whatever a test did, no GPU still holds a partition afterwards."""
    yield
    runtime = request.node.funcargs.get("runtime")
    if runtime is not None:
        assert [device.used_bytes for device in runtime.backend.devices] == [0] * len(runtime.backend.devices)
