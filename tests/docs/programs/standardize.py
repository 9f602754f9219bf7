"""Stands for a reader's program: finds the GPU, writes to its memory and reads it back."""

import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def check(what, code):
    if code != 0:
        raise SystemExit(f"{what}: CUDA error {code}")


context, device_memory = ctypes.c_void_p(), ctypes.c_uint64()
numbers = (ctypes.c_uint32 * 1024)()
check("cuInit", cuda.cuInit(0))
check("cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check("cuCtxSetCurrent", cuda.cuCtxSetCurrent(context))
size = ctypes.c_size_t(ctypes.sizeof(numbers))
check("cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(device_memory), size))
check("cuMemsetD32", cuda.cuMemsetD32_v2(device_memory, 7, ctypes.c_size_t(len(numbers))))
check("cuMemcpyDtoH", cuda.cuMemcpyDtoH_v2(numbers, device_memory, size))
check("the numbers", sum(numbers) != 7 * len(numbers))
print("trained")
