"""Values of one axis between two graphs, as in a sort: in host memory if they are few, otherwise in
a file without a name. A position for a reader is deliberately absent: readers pass it."""

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from .sources import Memory


@dataclass(frozen=True)
class FilePart:
    """Elements of a spool's file."""

    spool: Any
    start: int
    home = "file"

    def read(self, into):
        view = memoryview(into.view(np.uint8))
        offset = self.start * into.dtype.itemsize
        while view:
            count = os.preadv(self.spool.file.fileno(), [view], offset)
            view, offset = view[count:], offset + count


@dataclass(frozen=True)
class Pieces:
    """Several stretches of a spool, one after another."""

    spool: Any
    starts: np.ndarray
    stops: np.ndarray
    home = "file"

    def read(self, into):
        done = 0
        for start, stop in zip(self.starts.tolist(), self.stops.tolist()):
            if start < stop:
                self.spool.part(start, stop).read(into[done : done + stop - start])
                done += stop - start


class Spool:
    """`values` can be searched; `part` returns a reader for a part of it."""

    def __init__(self, values, file=None):
        self.values = values
        self.file = file

    def part(self, start, stop):
        return Memory(self.values[start:stop]) if self.file is None else FilePart(self, start)


class SpoolSink:
    """`folder` is the folder for the file, or None for host memory."""

    def __init__(self, array, folder):
        self.array = array
        self.folder = folder
        self.keep = "host" if folder is None else "file"
        self.indices = grid.indices(array.chunks)

    def open(self, backend):
        self.file = None
        if self.folder is None:
            self.values = np.empty(self.array.shape, self.array.dtype)
            backend.pin(self.values)
        else:
            self.file = tempfile.TemporaryFile(dir=self.folder)
            os.posix_fallocate(self.file.fileno(), 0, self.array.nbytes)

    def place(self, key):
        return None if self.file else self.values[self.indices[key]]

    def write(self, key, values):
        [index] = self.indices[key]
        if self.file is None:
            part = self.values[index]
            # Values that are not in their place yet are in another buffer.
            if not np.may_share_memory(part, values):
                part[...] = values
            return
        view, offset = memoryview(values.view(np.uint8)), index.start * self.array.dtype.itemsize
        while view:
            count = os.pwrite(self.file.fileno(), view, offset)
            view, offset = view[count:], offset + count

    def commit(self):
        if self.file is not None:
            self.values = np.memmap(self.file, self.array.dtype, "r", shape=self.array.shape)
        return Spool(self.values, self.file)

    def abort(self):
        if self.file is not None:
            self.file.close()
