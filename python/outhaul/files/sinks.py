"""Sinks of results: an array, a .npy file, a Zarr array. A sink takes partitions in any order.
`commit` gives the complete result its name, and `abort` removes it. Until then a file is a draft,
so that an incomplete file is never mistaken for a complete one."""

import errno
import io
import json
import os
import secrets
import tempfile

import numpy as np

from .. import chunks as grid
from .file_locations import filesystem
from .journal import Journal, noted
from .partial_output import Draft


class ArraySink:
    """`keep` tells the scheduler where a partition must end: in host memory, or in a file."""

    keep = "host"

    def __init__(self, array, out=None):
        self.array = array
        self.out = out
        self.apart = False
        self.indices = grid.indices(array.chunks)
        if out is not None and (out.shape != array.shape or out.dtype != array.dtype):
            raise ValueError(
                f"out has {out.dtype}{list(out.shape)}, the result {array.dtype}{list(array.shape)}"
            )
        if (
            out is not None
            and out.size
            and any(stride == 0 and n > 1 for stride, n in zip(out.strides, out.shape))
        ):
            raise ValueError(
                "out has elements that share memory with one another: give an array that has "
                "memory for each"
            )

    def __getstate__(self):
        """Returns the state that a remote runtime needs; see `arrived`."""
        return {**self.__dict__, "out": None}

    def arrived(self, result):
        """Takes the result from a remote runtime."""
        if self.out is None:
            return result
        self.out[...] = result
        return self.out

    def keep_apart(self, given):
        """If the graph also reads `out`, makes the result in another array and copies it at the
        end, so that readers see unchanged values."""
        self.apart = self.out is not None and any(
            np.may_share_memory(self.out, each) for each in given
        )

    def open(self, backend):
        self.result = (
            np.empty(self.array.shape, self.array.dtype)
            if self.out is None or self.apart
            else self.out
        )
        backend.pin(self.result)

    def place(self, key):
        """Returns the partition's place in the result, for a copy straight from the GPU."""
        return self.result[(*self.indices[key], ...)]

    def write(self, key, values):
        part = self.place(key)
        # Values that are not in their place yet are in another buffer, or in the place of the same
        # partition elsewhere in the result.
        if part.ctypes.data != values.ctypes.data:
            part[...] = values

    def commit(self):
        if not self.apart:
            return self.result
        self.out[...] = self.result
        return self.out

    def abort(self):
        self.result = None


class Values:
    """A few partitions by their keys, each as a separate array."""

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
    """A .npy file. It is written by calls, not through a mapping, so that a full disk is an error.
    Its whole size is allocated before anything runs. With `resumes` it continues from the draft of
    an earlier run of the same graph, and keeps its draft if it is ended itself."""

    keep = "file"

    def __init__(self, array, path, resumes=False):
        self.array = array
        self.resumes = resumes
        self.has = frozenset()
        self.journal = None
        self.draft = Draft(os.path.abspath(path))
        self.indices = grid.indices(array.chunks)

    def look_for_draft(self, signature):
        """Takes over the draft of an earlier run of this graph, if there is one."""
        self.signature = signature
        if self.draft.adopt(lambda name: noted(name, signature) is not None):
            self.has = frozenset(noted(self.draft.name, signature))

    def open(self, backend):
        header = io.BytesIO()
        fields = {
            "descr": np.lib.format.dtype_to_descr(self.array.dtype),
            "fortran_order": False,
            "shape": self.array.shape,
        }
        np.lib.format.write_array_header_1_0(header, fields)
        self.offset = header.tell()
        is_new = self.draft.descriptor is None
        if is_new:
            self.draft.open_file()
            os.posix_fallocate(self.draft.descriptor, 0, self.offset + self.array.nbytes)
            os.pwrite(self.draft.descriptor, header.getvalue(), 0)
        if self.resumes:
            self.journal = Journal(self.draft.name, self.signature, is_new)

    def place(self, key):
        return None

    def write(self, key, values):
        for start, lead in grid.contiguous_runs(self.array.shape, self.indices[key]):
            self.write_at(self.offset + start * values.itemsize, np.ascontiguousarray(values[lead]))
        if self.journal is not None:
            self.journal.note(key, self.draft.descriptor)

    def write_at(self, offset, values):
        view = memoryview(values.reshape(-1).view(np.uint8))
        while view:
            count = os.pwrite(self.draft.descriptor, view, offset)
            view, offset = view[count:], offset + count

    def commit(self):
        os.fsync(self.draft.descriptor)
        self.close_journal()
        self.draft.take_name()

    def abort(self):
        if self.resumes and self.draft.descriptor is not None:
            self.close_journal()
            self.draft.leave()
        else:
            self.draft.discard()

    def close_journal(self):
        if self.journal is not None:
            self.journal.flush(self.draft.descriptor)
            self.journal.close()


class UrlNpySink(NpySink):
    """A .npy file at a URL. It is written to this machine's temporary folder, and uploaded when it
    is complete, because object stores take a file only as a whole."""

    def __init__(self, array, url):
        super().__init__(
            array, os.path.join(tempfile.gettempdir(), f"outhaul-{secrets.token_hex(8)}.npy")
        )
        self.url = url

    def open(self, backend):
        self.system, self.name = filesystem(self.url)
        super().open(backend)

    def commit(self):
        self.system.put_file(self.draft.name, self.name)
        self.draft.discard()


class ZarrSink:
    """A Zarr array in a folder, with a chunk for each partition. All partitions must be alike."""

    keep = "file"

    def __init__(self, array, path, overwrite=False):
        self.array = array
        self.draft = Draft(os.path.abspath(path))
        self.overwrite = overwrite
        self.indices = grid.indices(array.chunks)
        lengths = [set(axis[:-1]) for axis in array.chunks]
        if any(len(axis) > 1 for axis in lengths) or any(
            axis[-1] > axis[0] for axis in array.chunks
        ):
            raise ValueError(
                f"to_zarr: partitions {array.chunks} are not alike, as Zarr's chunks are; write a "
                f".npy file"
            )

    def open(self, backend):
        import zarr

        self.is_replaceable(self.draft.path)
        self.draft.open_folder()
        chunks = tuple(max(1, axis[0]) for axis in self.array.chunks)
        self.store = zarr.create_array(
            self.draft.name, shape=self.array.shape, dtype=self.array.dtype, chunks=chunks
        )

    def is_replaceable(self, path):
        """Returns True if the path may be replaced. Raises FileExistsError otherwise."""
        is_array = is_zarr_array(path)
        if is_array and not self.overwrite:
            raise FileExistsError(
                errno.EEXIST,
                "there is a Zarr array already; say overwrite=True to replace it",
                path,
            )
        # Checked last, because another run may be replacing it at this moment.
        if not is_array and is_something(path):
            raise FileExistsError(
                errno.EEXIST,
                "to_zarr replaces only a Zarr array; name a folder that does not exist yet",
                path,
            )
        return True

    def place(self, key):
        return None

    def write(self, key, values):
        self.store[self.indices[key]] = values

    def commit(self):
        self.draft.take_name(self.is_replaceable)

    def abort(self):
        self.draft.discard()


def is_something(path):
    """Returns whether there is a file, or a folder that is not empty, and that is not a Zarr array
    by now."""
    try:
        return (
            (not os.path.isdir(path) or bool(os.listdir(path)))
            and os.path.lexists(path)
            and not is_zarr_array(path)
        )
    except FileNotFoundError:
        return False


def is_zarr_array(path):
    """Returns whether it is a Zarr array itself, not a group or a folder with Zarr arrays."""
    if os.path.isfile(os.path.join(path, ".zarray")):
        return True
    try:
        with open(os.path.join(path, "zarr.json")) as file:
            return json.load(file).get("node_type") == "array"
    except (OSError, ValueError):
        return False
