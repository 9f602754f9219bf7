"""Reads datasets of HDF5 files part by part, and writes a dataset into a new file."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from .. import chunks as grid
from .file_locations import is_url, library, opened
from .partial_output import Draft


def h5py():
    """Returns the library h5py. Raises ImportError if it is not installed."""
    return library("h5py", "hdf5", "HDF5")


@dataclass(frozen=True)
class Hdf5Part:
    """Part of a dataset. Each read opens the file again, so that a reader can go to another
    process."""

    path: str
    dataset: str
    index: tuple
    home = "file"

    def read(self, into):
        with opened_hdf5(self.path) as file:
            if into.size and into.ndim:
                file[self.dataset].read_direct(into, self.index)
            elif into.size:
                into[...] = file[self.dataset][()]


class opened_hdf5:
    """A file open for reading; one at a URL is read through fsspec."""

    def __init__(self, path):
        self.raw = opened(path) if is_url(path) else None
        self.file = h5py().File(self.raw or path, "r")

    def __enter__(self):
        return self.file

    def __exit__(self, *_):
        self.file.close()
        if self.raw is not None:
            self.raw.close()


def rows_of_whole_chunks(shape, dtype, stored):
    """Returns the rows of a partition of the usual size, as a multiple of the file's chunks, so
    that no two partitions read the same chunk."""
    row_bytes = max(1, dtype.itemsize)
    for n in shape[1:]:
        row_bytes *= max(1, n)
    rows = grid.partition_bytes() // row_bytes
    return max(1, rows // stored[0]) * stored[0]


class Hdf5Sink:
    """A file with one dataset, whose elements are in order."""

    keep = "file"

    def __init__(self, array, path, dataset, overwrite):
        self.array = array
        self.draft = Draft(os.path.abspath(path))
        self.dataset = dataset
        self.overwrite = overwrite
        self.indices = grid.indices(array.chunks)

    def open(self, backend):
        self.refuse_others()
        self.draft.open_file()
        # The draft locks the file itself; HDF5 would take that lock for another program's.
        self.file = h5py().File(self.draft.name, "w", locking=False)
        self.file.create_dataset(self.dataset, shape=self.array.shape, dtype=self.array.dtype)

    def refuse_others(self):
        """Raises FileExistsError if the path exists and may not be replaced."""
        path = self.draft.path
        if not os.path.lexists(path) or os.path.isdir(path):
            return
        if not self.overwrite:
            message = "there is a file already; say overwrite=True to replace it"
            raise FileExistsError(errno.EEXIST, message, path)
        if not has_only(path, self.dataset):
            message = f"to_hdf5 replaces only a file that has the dataset {self.dataset} only"
            raise FileExistsError(errno.EEXIST, message, path)

    def place(self, key):
        return None

    def write(self, key, values):
        if values.size:
            self.file[self.dataset][self.indices[key] or ()] = values

    def commit(self):
        self.file.close()
        os.fsync(self.draft.descriptor)
        self.refuse_others()
        self.draft.take_name()

    def abort(self):
        if getattr(self, "file", None) is not None:
            self.file.close()
        self.draft.discard()


def has_only(path, dataset):
    """Returns whether this is an HDF5 file that has only this dataset and the groups around it."""
    library = h5py()
    if not library.is_hdf5(path):
        return False
    datasets = []
    with library.File(path, "r") as file:
        visit = lambda name, held: datasets.append(name) if hasattr(held, "dtype") else None
        file.visititems(visit)
    return datasets == [dataset.strip("/")]
