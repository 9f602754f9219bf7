"""Readers of given partitions: from arrays in host memory, .npy files, Zarr arrays and Parquet
columns. A reader fills one partition's host buffer. Its `home` says whether that is the runtime's
work. Files are read, not mapped: if a mapped file becomes shorter, the process ends."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..chunks import contiguous_runs
from .file_locations import filesystem, opened, size_bytes


@dataclass(frozen=True)
class Memory:
    """A part of an array in host memory."""

    array: np.ndarray
    home = "host"

    def read(self, into):
        into[...] = self.array


@dataclass(frozen=True)
class Swapped:
    """A part whose reader gives another order of bytes than this machine's: of type `dtype`."""

    reader: Any
    dtype: np.dtype

    home = "file"

    @property
    def path(self):
        return getattr(self.reader, "path", None)

    def read(self, into):
        held = np.empty(into.shape, self.dtype)
        self.reader.read(held)
        into[...] = held


@dataclass(frozen=True)
class NpyPart:
    """Part of a .npy file: `index` as slices over the array of `shape` that begins at byte
    `offset`."""

    path: str
    offset: int
    shape: tuple
    index: tuple
    home = "file"

    def read(self, into):
        with open(self.path, "rb") as file:
            for start, lead in contiguous_runs(self.shape, self.index):
                self.read_at(file, self.offset + start * into.dtype.itemsize, into[(*lead, ...)])

    def read_at(self, file, offset, into):
        view = memoryview(into.reshape(-1).view(np.uint8))
        done = 0
        while done < len(view):
            count = os.preadv(file.fileno(), [view[done:]], offset + done)
            if count == 0:
                raise EOFError(
                    f"{self.path} ends at byte {offset + done}, {len(view) - done} bytes early"
                )
            done += count


@dataclass(frozen=True)
class UrlPart:
    """Part of a .npy file at a URL. It requests all stretches of the file at once."""

    url: str
    offset: int
    shape: tuple
    index: tuple
    home = "file"

    def read(self, into):
        system, name = filesystem(self.url)
        runs = list(contiguous_runs(self.shape, self.index)) if into.size else []
        places = [into[(*lead, ...)] for _, lead in runs]
        starts = [self.offset + start * into.itemsize for start, _ in runs]
        ends = [start + place.nbytes for start, place in zip(starts, places)]
        for place, start, end, data in zip(
            places,
            starts,
            ends,
            system.cat_ranges([name] * len(runs), starts, ends, on_error="raise"),
        ):
            if len(data) != end - start:
                raise EOFError(
                    f"{self.url} ends at byte {start + len(data)}, {end - start - len(data)} bytes "
                    f"early"
                )
            place[...] = np.frombuffer(data, into.dtype).reshape(place.shape)


@dataclass(frozen=True)
class ZarrChunk:
    """Part of a Zarr array. Each read opens it again, so that a reader can go to another
    process."""

    store: Any
    path: str
    index: tuple
    home = "file"

    def read(self, into):
        import zarr

        into[...] = zarr.open_array(self.store, path=self.path, mode="r")[self.index]


@dataclass(frozen=True)
class ParquetColumn:
    """Some row groups of one column of a Parquet file."""

    path: str
    column: str
    row_groups: tuple
    home = "file"

    def read(self, into):
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path) as file:
            column = file.read_row_groups(list(self.row_groups), columns=[self.column]).column(0)
        if column.null_count:
            raise ValueError(
                f"{self.path}: column `{self.column}` has {column.null_count} nulls in row groups "
                f"{list(self.row_groups)}; fill them first"
            )
        start = 0
        for chunk in column.chunks:
            into[start : start + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
            start += len(chunk)
        if start != len(into):
            raise EOFError(
                f"{self.path}: row groups {list(self.row_groups)} of column `{self.column}` have "
                f"{start} values, expected {len(into)}"
            )


def npy_header(path):
    """Returns (shape, dtype, offset of the data) of a .npy file. Raises EOFError if the file is
    shorter than its header says, and ValueError for an unsupported format."""
    with opened(path) as file:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            raise ValueError(
                f"{path}: .npy format {version} is not supported; save it with np.save"
            )
        shape, fortran, dtype = read(file)
        if fortran and len(shape) > 1:
            raise ValueError(f"{path} is in Fortran order; save np.ascontiguousarray of it")
        offset = file.tell()
    wanted = offset + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size_bytes(path) < wanted:
        raise EOFError(
            f"{path} ends early: {size_bytes(path)} bytes, and its header promises {wanted}"
        )
    return shape, dtype, offset
