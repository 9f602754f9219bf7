"""Checks Numba on the software GPU, and prints a line for each step."""

import math
import sys
import warnings

import numpy as np
from numba import cuda, float32

warnings.simplefilter("ignore")
noise = np.random.RandomState(0)


@cuda.jit
def saxpy_kernel(a, x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = a * x[i] + y[i]


def saxpy():
    x = np.arange(10000, dtype=np.float32)
    out = np.zeros_like(x)
    saxpy_kernel[40, 256](np.float32(2), x, x, out)
    assert np.allclose(out, 3 * x)


@cuda.jit
def product_kernel(a, b, c):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    own = float32(0)
    for step in range(a.shape[1] // 16):
        tile_a[tx, ty] = a[x, ty + step * 16]
        tile_b[tx, ty] = b[tx + step * 16, y]
        cuda.syncthreads()
        for i in range(16):
            own += tile_a[tx, i] * tile_b[i, ty]
        cuda.syncthreads()
    c[x, y] = own


def product():
    a = noise.rand(64, 64).astype(np.float32)
    c = np.zeros_like(a)
    product_kernel[(4, 4), (16, 16)](a, a, c)
    assert np.allclose(c, a @ a, rtol=1e-4)


def reduction():
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(1000.0)) == 499500


@cuda.jit
def count_kernel(data, bins):
    i = cuda.grid(1)
    if i < data.size:
        cuda.atomic.add(bins, data[i], 1)


def atomics():
    data = noise.randint(0, 16, 5000).astype(np.int32)
    bins = np.zeros(16, np.int32)
    count_kernel[20, 256](data, bins)
    assert np.array_equal(bins, np.bincount(data, minlength=16))


@cuda.jit
def mathematics_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.sin(x[i]) * math.exp(-x[i]) + math.log(1 + x[i])


def mathematics():
    x = np.linspace(0, 10, 1000)
    y = np.zeros_like(x)
    mathematics_kernel[4, 256](x, y)
    assert np.allclose(y, np.sin(x) * np.exp(-x) + np.log(1 + x))


def main():
    failed = 0
    for step in [saxpy, product, reduction, atomics, mathematics]:
        try:
            step()
            print("ok      ", "Numba:", step.__name__, flush=True)
        except Exception as error:
            failed += 1
            print("FAILED  ", "Numba:", step.__name__, type(error).__name__, error, flush=True)
    sys.exit(failed > 0)


main()
