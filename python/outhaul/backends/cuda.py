"""GPUs through CuPy, on any libcuda.so.1: NVIDIA's, a remote node's, or the software GPU's. Loads,
computing and stores have a stream each, so they overlap. Partitions and the allocations of
functions come from separate memory, so a prefetch never waits for a kernel that still reads freed
memory."""

import contextlib
import threading
import weakref

import numpy as np

from ..errors import DeviceLost
from ..sizes import parse_bytes
from ..subtasks.partition_spec import native
from ..subtasks.subtask_functions import ChangedArgument
from .pitched_rows import Rows, rows_of
from .software_gpu import namespace_of

PIN_BYTES_MIN = 1 << 20
"""Minimum bytes for pinning: below it, pinning takes longer than it saves."""


class CudaDevice:
    """One GPU, with a limit on memory and a stream each for loads, computing and stores."""

    def __init__(self, cupy, ordinal, memory, scratch):
        self.cupy = cupy
        self.number = ordinal
        with cupy.cuda.Device(ordinal):
            self.xp = namespace_of(cupy, ordinal)
            free, total = cupy.cuda.runtime.memGetInfo()
            limit = min(parse_bytes(memory, total), free)
            self.scratch_bytes = parse_bytes(scratch, limit)
            self.capacity_bytes = limit - self.scratch_bytes
            self.streams = {
                kind: cupy.cuda.Stream(non_blocking=True) for kind in ("load", "store", "compute")
            }
            # CuPy rounds a limit down to 512 bytes; a limit of 0 would mean no limit.
            self.scratch = cupy.cuda.MemoryPool()
            self.scratch.set_limit(max(512, self.scratch_bytes))
        self.used_bytes = self.kept_bytes = 0
        self.lost = False
        self._kept = {}
        self._lost = []
        self._ways = set()
        self._trusted = set()
        mix = (
            "(unsigned long long)x * (2ull * (unsigned long long)_J + 1)"
            " ^ ((unsigned long long)x << 32)"
        )
        self.fingerprint = cupy.ReductionKernel(
            "T x", "uint64 y", mix, "a + b", "y = a", "0", "outhaul_fingerprint"
        )
        self._books = threading.Lock()

    def enter(self):
        """Sets the current device, which each thread has for itself."""
        self.cupy.cuda.Device(self.number).use()

    def allocate(self, nbytes):
        """Returns a freed buffer of this size, or else a new one. If a new one would exceed the
        capacity, releases kept buffers of other sizes first."""
        with self._books:
            kept = self._kept.get(nbytes)
            if kept:
                buffer = kept.pop()
                self.kept_bytes -= nbytes
            else:
                buffer = self._new(nbytes)
            self.used_bytes += nbytes
            return buffer

    def _new(self, nbytes):
        if self.used_bytes + self.kept_bytes + nbytes > self.capacity_bytes:
            self._kept.clear()
            self.kept_bytes = 0
        with self._faults(), self.cupy.cuda.Device(self.number):
            return self.cupy.cuda.Memory(max(1, nbytes)), nbytes

    def free(self, buffer):
        with self._books:
            # A lost GPU cannot free memory; the call would only fail.
            (self._lost if self.lost else self._kept.setdefault(buffer[1], [])).append(buffer)
            self.used_bytes -= buffer[1]
            self.kept_bytes += buffer[1]

    def view(self, buffer, spec):
        pointer = self.cupy.cuda.MemoryPointer(buffer[0], 0)
        return self.cupy.ndarray(spec.shape, spec.dtype, memptr=pointer)

    def load(self, host, buffer):
        rows = rows_of(host)
        if rows is None:
            host, rows = np.ascontiguousarray(host), Rows(1, buffer[1], buffer[1])
        self._copy(
            (buffer[0].ptr, rows.row_bytes),
            (host.ctypes.data, rows.pitch_bytes),
            rows,
            "load",
            self.cupy.cuda.runtime.memcpyHostToDevice,
        )

    def store(self, buffer, host):
        rows = rows_of(host)
        if rows is None:
            part = np.empty(host.shape, host.dtype)
            self.store(buffer, part)
            host[...] = part
        else:
            self._copy(
                (host.ctypes.data, rows.pitch_bytes),
                (buffer[0].ptr, rows.row_bytes),
                rows,
                "store",
                self.cupy.cuda.runtime.memcpyDeviceToHost,
            )

    def _copy(self, to, source, rows, kind, direction):
        """Copies rows. `to` and `source` are addresses, each with the distance between its rows."""
        stream = self.streams[kind]
        if rows.row_bytes == 0:
            return
        with self._faults():
            if rows.count == 1:
                self.cupy.cuda.runtime.memcpyAsync(
                    to[0], source[0], rows.row_bytes, direction, stream.ptr
                )
            else:
                self.cupy.cuda.runtime.memcpy2DAsync(
                    *to, *source, rows.row_bytes, rows.count, direction, stream.ptr
                )
            stream.synchronize()

    def peer(self, source, other, buffer):
        stream = self.streams["load"]
        with source._faults(), self._faults():
            self._open_way(source)
            self.cupy.cuda.runtime.memcpyPeerAsync(
                buffer[0].ptr, self.number, other[0].ptr, source.number, buffer[1], stream.ptr
            )
            stream.synchronize()

    def _open_way(self, source):
        """Enables peer access, once per pair. If the GPUs have none, the driver copies through host
        memory."""
        runtime = self.cupy.cuda.runtime
        if source.number not in self._ways and runtime.deviceCanAccessPeer(
            self.number, source.number
        ):
            with contextlib.suppress(runtime.CUDARuntimeError):  # it may be enabled already
                runtime.deviceEnablePeerAccess(source.number)
        self._ways.add(source.number)

    def apply(self, function, inputs, out):
        """Runs a function. Its allocations come from the scratch pool, which reuses blocks on this
        one stream only."""
        stream = self.streams["compute"]
        with self._faults(), stream, self.cupy.cuda.using_allocator(self.scratch.malloc):
            before = None if function.key in self._trusted else self._fingerprints(inputs)
            function(self, inputs, out)
            if before is not None:
                if self._fingerprints(inputs) != before:
                    raise ChangedArgument(
                        "changed its argument, which others read as well: let it work on a copy, "
                        "part.copy()"
                    )
                self._trusted.add(function.key)
            stream.synchronize()

    def _fingerprints(self, arrays):
        """Returns sums that change with any bit and with the order. Nothing prevents a function
        from writing to its arguments. So the first run of each function checks them, which costs
        two passes over its arguments."""
        words = (array.ravel().view("u4" if array.nbytes % 4 == 0 else "u1") for array in arrays)
        return [int(self.fingerprint(each)) for each in words]

    def array(self, value):
        if isinstance(value, self.cupy.ndarray):
            return value
        if hasattr(value, "__cuda_array_interface__"):
            return self.cupy.asarray(value)
        if isinstance(value, np.ndarray):
            value = value.astype(native(value.dtype), copy=False)
        return (
            self.cupy.from_dlpack(value)
            if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray)
            else self.cupy.asarray(value)
        )

    def _faults(self):
        return Faults(self)


class Faults:
    """Turns errors after which a GPU is unusable into DeviceLost. After such an error every call
    fails, so another call distinguishes it."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        pass

    def __exit__(self, kind, error, _):
        cuda = self.device.cupy.cuda
        errors = (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)
        if not isinstance(error, errors):
            return
        try:
            cuda.Device(self.device.number).synchronize()
        except errors:
            self.device.lost = True
            raise DeviceLost(
                f"GPU {self.device.number} does not answer any more: {error}", self.device.number
            ) from error


class CudaBackend:
    """GPUs of this machine. `gpus` selects them, `memory` is the memory to use of each, and
    `scratch` the part of it for functions."""

    rates = {"load": 25e9, "store": 25e9, "read": 2e9, "write": 1e9, "peer": 100e9}

    def __init__(self, gpus="all", memory="80%", scratch="25%"):
        self.cupy = import_cupy()
        present = self.cupy.cuda.runtime.getDeviceCount()
        ordinals = (
            range(present) if gpus == "all" else range(gpus) if isinstance(gpus, int) else gpus
        )
        if any(ordinal >= present for ordinal in ordinals):
            raise ValueError(f"GPUs {list(ordinals)} of {present}")
        self.devices = [CudaDevice(self.cupy, ordinal, memory, scratch) for ordinal in ordinals]
        self.host_bytes_max = None
        self._buffers = {}
        self._used_bytes = self._kept_bytes = 0
        self._pinned = {}
        self._books = threading.Lock()

    def host_buffer(self, nbytes):
        """Returns pinned memory, which stays pinned while the runtime lives and no other size needs
        the room."""
        with self._books:
            self._used_bytes += nbytes
            kept = self._buffers.get(nbytes)
            if kept:
                self._kept_bytes -= nbytes
                return kept.pop()
            if (
                self.host_bytes_max is not None
                and self._used_bytes + self._kept_bytes > self.host_bytes_max
            ):
                self._buffers.clear()
                self._kept_bytes = 0
        # Not from CuPy's pool, which rounds up to a power of two and never frees memory.
        memory = self.cupy.cuda.PinnedMemory(max(1, nbytes))
        return np.frombuffer(self.cupy.cuda.PinnedMemoryPointer(memory, 0), np.uint8, nbytes)

    def give_back(self, buffer):
        with self._books:
            self._used_bytes -= len(buffer)
            self._kept_bytes += len(buffer)
            self._buffers.setdefault(len(buffer), []).append(buffer)

    def pin(self, array):
        """Registers the whole array that this one is a part of, for as long as it exists."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        if array.base is not None or array.nbytes < PIN_BYTES_MIN or id(array) in self._pinned:
            return
        runtime, address = self.cupy.cuda.runtime, array.ctypes.data
        try:
            runtime.hostRegister(address, array.nbytes, 1)
        except runtime.CUDARuntimeError:
            return  # the driver then copies it through its own buffers

        def forget(key=id(array)):
            self._pinned.pop(key, None)
            with contextlib.suppress(runtime.CUDARuntimeError):
                runtime.hostUnregister(address)

        self._pinned[id(array)] = weakref.finalize(array, forget)
        self._pinned[id(array)].atexit = False

    def close(self):
        for finalizer in list(self._pinned.values()):
            finalizer()
        self._buffers.clear()
        for device in self.devices:
            device._kept.clear()
            device.scratch.free_all_blocks()


def import_cupy():
    """Returns CuPy. Raises an error with advice if it is not installed or finds no GPU."""
    try:
        import cupy
    except ImportError as error:
        raise ImportError(
            "a runtime on GPUs needs CuPy: pip install outhaul[cuda12] or outhaul[cuda13]"
        ) from error
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(
            f'no GPU: {error}; Runtime("host") pretends to have some, and `outhaul run` brings one'
        ) from error
    return cupy
