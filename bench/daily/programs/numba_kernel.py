"""Runs kernels of Numba on host arrays, which Numba copies there and back, and once on device
arrays."""

import measure

# isort: split
import warnings

import numpy as np
from numba import cuda

COUNT, STEPS = 1 << 20, 60


@cuda.jit
def smooth(x, y):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


@cuda.jit
def count(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, min(bins.size - 1, int(x[i] * bins.size)), 1)


def main():
    # The copies of host arrays are part of the measurement.
    warnings.simplefilter("ignore")
    x = np.random.default_rng(1).random(COUNT, dtype=np.float32)
    y, bins = np.zeros_like(x), np.zeros(256, np.int32)
    kept = cuda.to_device(x)
    blocks = (COUNT + 255) // 256

    def step():
        bins[:] = 0
        smooth[blocks, 256](x, y)
        count[blocks, 256](y, bins)
        count[blocks, 256](kept, bins)
        return int((bins * np.arange(bins.size)).sum())

    measure.run("Numba with host arrays", step, wait=cuda.synchronize, calls=STEPS)


if __name__ == "__main__":
    main()
