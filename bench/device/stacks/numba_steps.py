"""Numba: kernels compiled by NVVM in the client's process; shared memory, atomics, reductions,
streams, mapped and managed memory."""

import numpy as np
from numba import cuda

import steps


@cuda.jit
def scale(x, k):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= k


@cuda.jit
def block_sums(x, out):
    shared = cuda.shared.array(128, np.float32)
    t = cuda.threadIdx.x
    shared[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])


@cuda.reduce
def add(a, b):
    return a + b


def scaled():
    x = cuda.to_device(np.arange(1000, dtype=np.float32))
    scale[8, 128](x, 2.0)
    return str(float(x.copy_to_host().sum()))


def summed():
    x, out = cuda.to_device(np.ones(1024, np.float32)), cuda.to_device(np.zeros(1, np.float32))
    block_sums[8, 128](x, out)
    return str(float(out.copy_to_host()[0]))


def in_place(array):
    array[:] = 1
    scale[8, 128](array, 3.0)
    cuda.synchronize()
    return str(float(array.sum()))


steps.run(
    {
        "device": lambda: str(cuda.get_current_device().name),
        "a kernel": scaled,
        "shared memory, atomics": summed,
        "reduction": lambda: str(float(add(cuda.to_device(np.arange(1000.0))))),
        "mapped memory": lambda: in_place(cuda.mapped_array(1000, dtype=np.float32)),
        "managed memory": lambda: in_place(cuda.managed_array(1000, dtype=np.float32)),
    }
)
