"""Pretended GPUs in host memory. Each has limited memory, copies and computes with NumPy, and can
be lost. They test graphs, memory limits, overlap and errors on machines without a GPU. Limits on
what functions allocate, and speed, are deliberately absent."""

import contextlib
import math
import threading
import time

import numpy as np

from ..errors import DeviceLost
from ..sizes import parse_bytes


class HostDevice:
    xp = np
    scratch_bytes = math.inf

    def __init__(self, number, memory, scratch, link):
        self.number = number
        self.link_bytes_per_s = parse_bytes(link) if link else None
        total = parse_bytes(memory)
        self.capacity_bytes = total - parse_bytes(scratch, total)
        self.used_bytes = self.peak_bytes = 0
        self.lost = False
        self.loads = self.stores = 0
        self._books = threading.Lock()

    def enter(self):
        pass

    def allocate(self, nbytes):
        with self._books:
            self._alive()
            if self.used_bytes + nbytes > self.capacity_bytes:
                raise MemoryError(
                    f"GPU {self.number}: {nbytes} bytes beside {self.used_bytes} of "
                    f"{self.capacity_bytes}"
                )
            self.used_bytes += nbytes
            self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        return np.empty(nbytes, np.uint8)

    def free(self, buffer):
        with self._books:
            self.used_bytes -= len(buffer)

    def view(self, buffer, spec):
        return buffer.view(spec.dtype).reshape(spec.shape)

    def load(self, host, buffer):
        self._alive()
        self.loads += 1
        with self._paced(len(buffer)):
            buffer[:] = np.ascontiguousarray(host).reshape(-1).view(np.uint8)

    def store(self, buffer, host):
        self._alive()
        self.stores += 1
        with self._paced(len(buffer)):
            host[...] = buffer.view(host.dtype).reshape(host.shape)

    def peer(self, source, other, buffer):
        self._alive()
        source._alive()
        buffer[:] = other

    def apply(self, function, inputs, out):
        self._alive()
        for array in inputs:
            array.flags.writeable = False
        function(self, inputs, out)
        self._alive()

    def array(self, value):
        return (
            np.from_dlpack(value)
            if hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))
            else np.asarray(value)
        )

    @contextlib.contextmanager
    def _paced(self, nbytes):
        """Sleeps for as long as the link would take, if there is one."""
        started_s = time.monotonic()
        yield
        if self.link_bytes_per_s:
            time.sleep(max(0, nbytes / self.link_bytes_per_s - (time.monotonic() - started_s)))

    def _alive(self):
        if self.lost:
            raise DeviceLost(f"GPU {self.number} does not answer", self.number)


class HostBackend:
    """Pretended GPUs: `gpus` is their number, `memory` the memory of each, `link` the bytes per
    second of the link to each, or None without a limit."""

    rates = {"load": 10e9, "store": 10e9, "read": 2e9, "write": 2e9, "peer": 10e9}

    def __init__(self, gpus=1, memory="1 GB", scratch=0, link=None):
        self.devices = [
            HostDevice(number, memory, scratch, link)
            for number in range(1 if gpus == "all" else gpus)
        ]

        self.host_bytes_max = None
        self.host_used_bytes = self.host_peak_bytes = 0
        self._books = threading.Lock()

    def host_buffer(self, nbytes):
        with self._books:
            self.host_used_bytes += nbytes
            self.host_peak_bytes = max(self.host_peak_bytes, self.host_used_bytes)
        return np.empty(nbytes, np.uint8)

    def give_back(self, buffer):
        with self._books:
            self.host_used_bytes -= len(buffer)

    def pin(self, array):
        pass

    def close(self):
        pass
