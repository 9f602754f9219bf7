"""Solves by conjugate gradients in CuPy with managed memory; the CPU reads the scalars in place."""

import measure

# isort: split
import ctypes

import cupy as cp
import numpy as np

SIDE, ITERATIONS = 512, 60


def host(array):
    """Returns the same memory as an array of the CPU."""
    kind = ctypes.c_double if array.dtype == np.float64 else ctypes.c_float
    return np.ctypeslib.as_array((kind * array.size).from_address(array.data.ptr))


def main():
    cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc)
    laplace = cp.RawKernel(
        r"""
extern "C" __global__ void laplace(const float* p, float* q, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % side, y = i / side;
    if (y >= side) return;
    float sum = 4.01f * p[i];
    if (x > 0) sum -= p[i - 1];
    if (x < side - 1) sum -= p[i + 1];
    if (y > 0) sum -= p[i - side];
    if (y < side - 1) sum -= p[i + side];
    q[i] = sum;
}
""",
        "laplace",
    )
    count = SIDE * SIDE
    goal, x, q = (
        cp.zeros(count, np.float32),
        cp.zeros(count, np.float32),
        cp.zeros(count, np.float32),
    )
    product = cp.zeros(1, np.float64)
    stream = cp.cuda.get_current_stream()
    random = np.random.default_rng(1)
    stream.synchronize()

    def dot(a, b):
        cp.sum(a * b, dtype=np.float64, out=product[0])
        stream.synchronize()
        return float(host(product)[0])

    def solve():
        # The CPU writes the right side in the memory that the kernels read.
        host(goal)[:] = random.random(count, dtype=np.float32)
        x.fill(0)
        r = goal.copy()
        p = r.copy()
        old = dot(r, r)
        for _ in range(ITERATIONS):
            laplace(((count + 255) // 256,), (256,), (p, q, np.int32(SIDE)))
            step = old / dot(p, q)
            x[:] += np.float32(step) * p
            r -= np.float32(step) * q
            new = dot(r, r)
            p = r + np.float32(new / old) * p
            old = new
        stream.synchronize()
        return float(np.abs(host(x)).mean(dtype=np.float64))

    measure.run(
        "CuPy, managed memory",
        solve,
        wait=stream.synchronize,
        calls=10,
        per=ITERATIONS,
        tolerance=1e-4,
    )


if __name__ == "__main__":
    main()
