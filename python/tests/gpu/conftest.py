"""Runtimes on real CUDA devices, whosever; run.sh brings two software GPUs. Memory is capped so
that nothing fits at once."""

import numpy as np
import pytest

import outhaul


@pytest.fixture
def runtime():
    runtime = outhaul.Runtime("cuda", gpus="all", memory="4 MB", scratch="50%")
    yield runtime
    assert [device.used_bytes for device in runtime.backend.devices] == [0] * len(
        runtime.backend.devices
    )
    runtime.close()


@pytest.fixture
def numbers():
    return np.random.default_rng(7).random((2048, 512), dtype="f4")
