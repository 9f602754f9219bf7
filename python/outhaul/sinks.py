"""Where results go: into an array, a .npy file, a Zarr array. A sink takes partitions in any order; `commit` gives the whole its name, `abort`
leaves nothing. Until then a file is called NAME.part, so that what is half-written never looks whole."""

import os
import shutil

import numpy as np

from . import chunks as grid


class ArraySink:
    """`keep` tells the scheduler where a partition must end: in host memory, or in a file."""

    keep = "host"

    def __init__(self, array, out=None):
        self.array = array
        self.out = out
        self.positions = grid.positions(array.chunks)
        if out is not None and (out.shape != array.shape or out.dtype != array.dtype):
            raise ValueError(f"out has {out.dtype}{list(out.shape)}, the result {array.dtype}{list(array.shape)}")

    def __getstate__(self):
        """What a runtime elsewhere needs; see `arrived`."""
        return {**self.__dict__, "out": None}

    def arrived(self, result):
        """Takes the result of a runtime elsewhere."""
        if self.out is None:
            return result
        self.out[...] = result
        return self.out

    def open(self, backend):
        self.result = np.empty(self.array.shape, self.array.dtype) if self.out is None else self.out
        backend.pin(self.result)

    def place(self, key):
        """The partition's own place in the result, for a copy straight from the GPU."""
        return self.result[grid.part_index(self.array.chunks, self.positions[key])]

    def write(self, key, values):
        part = self.result[grid.part_index(self.array.chunks, self.positions[key])]
        # What is not its place already is in a buffer of its own.
        if not np.may_share_memory(part, values):
            part[...] = values

    def commit(self):
        return self.result

    def abort(self):
        self.result = None


class Values:
    """A few partitions by their keys, each an array of its own."""

    keep = "host"

    def open(self, backend):
        self.values = {}

    def place(self, key):
        return None

    def write(self, key, values):
        self.values[key] = values.copy()

    def commit(self):
        return self.values

    def abort(self):
        self.values = None


class NpySink:
    """Written by calls, not through a mapping, so that a full disk is an error; its whole size is asked for before anything runs."""

    keep = "file"

    def __init__(self, array, path):
        self.array = array
        self.path = os.path.abspath(path)
        self.positions = grid.positions(array.chunks)

    def open(self, backend):
        with open(f"{self.path}.part", "wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(self.array.dtype), "fortran_order": False, "shape": self.array.shape}
            np.lib.format.write_array_header_1_0(file, header)
            self.offset = file.tell()
        self.file = os.open(f"{self.path}.part", os.O_WRONLY)
        os.posix_fallocate(self.file, 0, self.offset + self.array.nbytes)

    def place(self, key):
        return None

    def write(self, key, values):
        index = grid.part_index(self.array.chunks, self.positions[key])
        for start, lead in grid.contiguous_runs(self.array.shape, index):
            self.write_at(self.offset + start * values.itemsize, np.ascontiguousarray(values[lead]))

    def write_at(self, offset, values):
        view = memoryview(values.reshape(-1).view(np.uint8))
        while view:
            count = os.pwrite(self.file, view, offset)
            view, offset = view[count:], offset + count

    def commit(self):
        os.fsync(self.file)
        self.close()
        os.replace(f"{self.path}.part", self.path)

    def abort(self):
        self.close()
        if os.path.exists(f"{self.path}.part"):
            os.remove(f"{self.path}.part")

    def close(self):
        file, self.file = getattr(self, "file", None), None
        if file is not None:
            os.close(file)


class ZarrSink:
    """A Zarr array in a folder, one chunk per partition where all are alike."""

    keep = "file"

    def __init__(self, array, path):
        self.array = array
        self.path = os.path.abspath(path)
        self.positions = grid.positions(array.chunks)
        lengths = [set(axis[:-1]) for axis in array.chunks]
        if any(len(axis) > 1 for axis in lengths) or any(axis[-1] > axis[0] for axis in array.chunks):
            raise ValueError(f"to_zarr: partitions {array.chunks} are not alike, as Zarr's chunks are; write a .npy file")

    def open(self, backend):
        import zarr

        self.abort()
        chunks = tuple(max(1, axis[0]) for axis in self.array.chunks)
        self.store = zarr.create_array(f"{self.path}.part", shape=self.array.shape, dtype=self.array.dtype, chunks=chunks)

    def place(self, key):
        return None

    def write(self, key, values):
        self.store[grid.part_index(self.array.chunks, self.positions[key])] = values

    def commit(self):
        if os.path.isdir(self.path):
            shutil.rmtree(self.path)
        os.replace(f"{self.path}.part", self.path)

    def abort(self):
        shutil.rmtree(f"{self.path}.part", ignore_errors=True)
