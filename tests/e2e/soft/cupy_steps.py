"""Checks CuPy on the software GPU, and prints a line for each step. Steps that need cuBLAS or
cuRAND are left out, because those libraries have no PTX."""

import sys

import cupy as cp
import numpy as np

floats = np.arange(10000, dtype=np.float32)
noise = np.random.RandomState(0)


def elementwise():
    x = cp.asarray(floats)
    assert np.allclose(cp.asnumpy(cp.sqrt(x) * 2 + x), np.sqrt(floats) * 2 + floats)
    assert np.array_equal(cp.where(x > 5000, x, 0).get(), np.where(floats > 5000, floats, 0))


def indexing():
    x, at = cp.asarray(floats), np.array([5, 3, 9999])
    assert np.array_equal(x[cp.asarray(at)].get(), floats[at])
    assert np.array_equal(x[::-1].get(), floats[::-1])


def reductions():
    square = floats.reshape(100, 100)
    x = cp.asarray(square)
    assert np.allclose(x.sum(axis=0).get(), square.sum(axis=0))
    assert float(x.max()) == floats.max()
    assert np.isclose(float(x.mean()), floats.mean())


def scans():
    assert np.allclose(cp.cumsum(cp.asarray(floats)).get(), np.cumsum(floats), rtol=1e-4)


def sorting():
    keys = noise.rand(5000).astype(np.float32)
    assert np.array_equal(cp.sort(cp.asarray(keys)).get(), np.sort(keys))
    order = noise.permutation(5000)
    assert np.array_equal(cp.argsort(cp.asarray(order)).get(), np.argsort(order))
    few = noise.randint(0, 50, 2000)
    assert np.array_equal(cp.unique(cp.asarray(few)).get(), np.unique(few))


def histogram():
    values = noise.rand(5000)
    assert np.array_equal(
        cp.histogram(cp.asarray(values), 10)[0].get(), np.histogram(values, 10)[0]
    )


def random():
    x = cp.random.default_rng(1).random(10000)
    assert 0 <= float(x.min()) and float(x.max()) < 1 and 0.48 < float(x.mean()) < 0.52


def fusion():
    @cp.fuse()
    def bell(x, y):
        return cp.exp(-x * x) + y

    small = floats / 1e4
    x = cp.asarray(small)
    assert np.allclose(bell(x, x).get(), np.exp(-small * small) + small, rtol=1e-5)


def raw_kernel():
    source = """extern "C" __global__ void square(const float* x, float* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] * x[i];
    }"""
    x = cp.asarray(floats)
    y = cp.empty_like(x)
    cp.RawKernel(source, "square")((40,), (256,), (x, y, np.int32(floats.size)))
    assert np.allclose(y.get(), floats * floats)


def elementwise_kernel():
    difference = cp.ElementwiseKernel(
        "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "difference"
    )
    x = cp.asarray(floats)
    assert np.allclose(difference(x, x + 2).get(), 4)


def reduction_kernel():
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    assert np.isclose(
        float(norm(cp.asarray(floats))), np.sqrt((floats.astype(np.float64) ** 2).sum()), rtol=1e-4
    )


def main():
    failed = 0
    steps = [
        elementwise,
        indexing,
        reductions,
        scans,
        sorting,
        histogram,
        random,
        fusion,
        raw_kernel,
        elementwise_kernel,
        reduction_kernel,
    ]
    for step in steps:
        try:
            step()
            print("ok      ", "CuPy:", step.__name__.replace("_", " "), flush=True)
        except Exception as error:
            failed += 1
            print(
                "FAILED  ",
                "CuPy:",
                step.__name__.replace("_", " "),
                type(error).__name__,
                error,
                flush=True,
            )
    sys.exit(failed > 0)


main()
