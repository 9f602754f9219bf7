"""Shares an array in device memory between programs of one node, by key. CuPy computes in place,
without copies.

    outhaul run --node gpu7 --tenant research -- python shared_memory.py 7 0.5
    outhaul run --node gpu7 --tenant research -- python shared_memory.py 7 0.5
    outhaul run --node gpu7 --tenant research -- python shared_memory.py 7 remove

Each run adds its number to every element and prints the sum. The first run begins with zeros."""

import ctypes
import sys

import cupy

CREATE, EXCLUSIVE, OWN_READ_WRITE, REMOVE = 0o1000, 0o2000, 0o600, 3
ALREADY_ACQUIRED = 210
COUNT = 1 << 20

outhaul = ctypes.CDLL("libcuda.so.1")


def check(what, result):
    if result != 0:
        sys.exit(f"{what}: CUDA error {result}")


class Segment:
    """The shared memory with a key. The first program creates it."""

    def __init__(self, key, nbytes):
        number = ctypes.c_int()
        get = lambda flags: outhaul.outhaulShmGet(
            ctypes.byref(number), key, ctypes.c_size_t(nbytes), flags
        )
        result = get(CREATE | EXCLUSIVE | OWN_READ_WRITE)
        self.is_new = result == 0
        check("get", get(0) if result == ALREADY_ACQUIRED else result)
        self.number, self.nbytes = number, nbytes

    def array(self, shape, dtype):
        address = ctypes.c_uint64()
        check("attach", outhaul.outhaulShmAttach(ctypes.byref(address), self.number, 0))
        memory = cupy.cuda.UnownedMemory(address.value, self.nbytes, self)
        return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))

    def remove(self):
        check("control", outhaul.outhaulShmControl(self.number, REMOVE, None))


cupy.cuda.Device().use()
cupy.cuda.runtime.free(0)
segment = Segment(int(sys.argv[1]), COUNT * 4)
if sys.argv[2] == "remove":
    segment.remove()
else:
    array = segment.array(COUNT, cupy.float32)
    if segment.is_new:
        array.fill(0)
    array += float(sys.argv[2])
    print(f"{float(array.sum()):.1f}")
