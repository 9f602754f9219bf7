"""A kernel adds one to each word of memory, again and again until standard input ends, and the
program checks what it copies back. Prints "started", for each line of input how many rounds it has
completed, and the same at the end. Exits with 3 for an error of CUDA's, with 4 for a wrong number.
"""

import ctypes
import os
import select
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 memory) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [memory];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd3], %r5;
    ret;
}
"""
BLOCKS, THREADS = 64, 256

cuda = ctypes.CDLL("libcuda.so.1")
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
memory, words = ctypes.c_uint64(), (ctypes.c_uint32 * (BLOCKS * THREADS))()


def check(code):
    if code:
        print(f"error {code}", flush=True)
        sys.exit(3)


check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"count"))
check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.sizeof(words)))
check(cuda.cuMemsetD32_v2(memory, 0, len(words)))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
print("started", flush=True)
rounds, has_input = 0, True
while has_input:
    rounds += 1
    check(cuda.cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, arguments, None))
    check(cuda.cuMemcpyDtoH_v2(words, memory, ctypes.sizeof(words)))
    if any(words[i] != rounds for i in range(0, len(words), 1024)):
        sys.exit(4)
    if select.select([sys.stdin], [], [], 0)[0]:
        has_input = bool(os.read(sys.stdin.fileno(), 4096))
        print(rounds, flush=True)
