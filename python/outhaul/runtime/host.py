"""What a run has in host memory: partitions by index, in the user's arrays, in buffers of the
backend's, or, where what leaves GPUs and comes back would take too much, in files without a name
that the kernel pages in and out. The scheduler sees to what is on its way from and to files."""

import mmap
import os
import tempfile
import threading

import numpy as np


class HostMemory:
    """`kept_bytes_max` is for what GPUs made and somebody still reads; beyond it such partitions go
    to files in `folder`."""

    def __init__(self, backend, kept_bytes_max, folder):
        self.backend = backend
        self.kept_bytes_max = kept_bytes_max
        self.folder = folder
        self.arrays = {}
        self._buffers = {}
        self._kept = {}
        self._kept_bytes = 0
        self._books = threading.Lock()

    def borrow(self, p, spec, *, passes):
        """An array for a partition, until `forget`. What passes from or to a file has room; the
        rest may find none."""
        buffer = self._buffer(p, spec.nbytes, passes)
        return buffer[: spec.nbytes].view(spec.dtype).reshape(spec.shape)

    def _buffer(self, p, nbytes, passes):
        with self._books:
            fits = passes or self._kept_bytes + nbytes <= self.kept_bytes_max
            if fits and not passes:
                self._kept[p] = nbytes
                self._kept_bytes += nbytes
        if not fits:
            return file_backed(nbytes, self.folder)
        self._buffers[p] = self.backend.host_buffer(nbytes)
        return self._buffers[p]

    def forget(self, p):
        """Gives its memory back, if it has any."""
        self.arrays.pop(p, None)
        buffer = self._buffers.pop(p, None)
        with self._books:
            self._kept_bytes -= self._kept.pop(p, 0)
        if buffer is not None:
            self.backend.give_back(buffer)

    def close(self):
        for p in list(self._buffers):
            self.forget(p)
        self.arrays.clear()


def file_backed(nbytes, folder):
    """Memory whose pages the kernel may write to disk. A full disk is an error here, not a signal
    later."""
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, nbytes)
        return np.frombuffer(mmap.mmap(file.fileno(), nbytes), np.uint8)
