"""Host memory of a run: partitions by index, in the user's arrays, in buffers of the backend, or in
files without a name that Linux pages in and out. Files take partitions that leave GPUs and come
back, and that would need too much memory. The scheduler plans what is on its way from and to
files."""

import mmap
import os
import tempfile
import threading

import numpy as np


class HostMemory:
    """`kept_bytes_max` limits partitions that GPUs made and that are still read; beyond it such
    partitions go to files in `folder`."""

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
        """Returns an array for a partition, until `forget`. A partition that `passes` from or to a
        file always has room; others may find none."""
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
        """Frees the partition's memory, if it has any."""
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
    """Returns memory whose pages Linux may write to disk. A full disk raises an error here, instead
    of a signal later."""
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, nbytes)
        return np.frombuffer(mmap.mmap(file.fileno(), nbytes), np.uint8)
