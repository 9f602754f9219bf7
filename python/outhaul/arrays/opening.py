"""Lazy arrays over existing data: in memory and in files. The functions read only headers."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import chunks as grid
from ..files.file_locations import full, is_url
from ..files.hdf5 import Hdf5Part, opened_hdf5, rows_of_whole_chunks
from ..files.sources import Memory, NpyPart, ParquetColumn, Swapped, UrlPart, ZarrChunk, npy_header
from ..files.tiff import Files, Pages, RawPart, tifffile
from ..sizes import parse_bytes
from .array import Array, Operand
from .array_nodes import Given
from .type_aliases import Chunks


def given(name, shape, dtype, chunks, reader):
    """Returns an array for which reader(slices) returns the reader of a partition."""
    lengths = grid.normalize(chunks, shape, dtype)
    readers = map(reader, grid.indices(lengths))
    if not np.dtype(dtype).isnative:
        readers = (Swapped(each, np.dtype(dtype)) for each in readers)
    readers = tuple(readers)
    result = Array(Given(name, readers), lengths, dtype)
    result.is_cell = not shape
    return result


def from_array(array: Operand, chunks: Chunks = None, name: str = "array") -> Array:
    """Returns a lazy array of a NumPy array, which is not copied and must not change before the
    graph has run. `chunks` are a number of rows, lengths for each axis, or bytes such as "64
    MB"."""
    array = np.asarray(array)
    return given(name, array.shape, array.dtype, chunks, lambda index: Memory(array[(*index, ...)]))


def from_npy(path: str, chunks: Chunks = None) -> Array:
    """Returns a .npy file, or one at a URL that fsspec knows. A run reads it partition by
    partition. For a file on a remote runtime's machine use `runtime.from_npy`."""
    path = full(path)
    shape, dtype, offset = npy_header(path)
    part = UrlPart if is_url(path) else NpyPart
    return given(
        os.path.basename(path), shape, dtype, chunks, lambda index: part(path, offset, shape, index)
    )


def from_zarr(store: Any, path: str = "", chunks: Chunks = None) -> Array:
    """Returns a Zarr array, by default cut as it is stored."""
    import zarr

    array = zarr.open_array(store, path=path or None, mode="r")
    store = os.path.abspath(store) if isinstance(store, str) and "://" not in store else store
    reader = lambda index: ZarrChunk(store, path or None, index)
    return given(
        os.path.basename(str(store)), array.shape, array.dtype, chunks or array.chunks, reader
    )


def from_parquet(path: str, column: str, chunks: Chunks = None) -> Array:
    """Returns one column of numbers of a Parquet file, cut between row groups."""
    import pyarrow.parquet

    path = os.path.abspath(path)
    with pyarrow.parquet.ParquetFile(path) as file:
        dtype = np.dtype(file.schema_arrow.field(column).type.to_pandas_dtype())
        rows = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    groups = group_rows(
        rows, max(1, (parse_bytes(chunks) if chunks else grid.partition_bytes()) // dtype.itemsize)
    )
    readers = tuple(ParquetColumn(path, column, tuple(group)) for group in groups)
    lengths = tuple(sum(rows[i] for i in group) for group in groups)
    return Array(Given(f"{os.path.basename(path)}:{column}", readers), (lengths,), dtype)


def group_rows(rows, rows_max):
    """Yields consecutive row groups with together at most `rows_max` rows, or a single larger
    one."""
    groups = [[]]
    for i, count in enumerate(rows):
        if groups[-1] and sum(rows[j] for j in groups[-1]) + count > rows_max:
            groups.append([])
        groups[-1].append(i)
    return groups


def from_hdf5(path: str, dataset: str, chunks: Chunks = None) -> Array:
    """Returns a dataset of an HDF5 file, by its name in the file, by default cut between rows of
    its own chunks. `path` may be a URL. Raises KeyError if there is no such dataset."""
    path = full(path)
    with opened_hdf5(path) as file:
        if dataset not in file or not hasattr(file[dataset], "dtype"):
            raise KeyError(f"{path} has no dataset `{dataset}`; it has {sorted(file)}")
        held = file[dataset]
        shape, dtype, stored = held.shape, held.dtype.newbyteorder("="), held.chunks
    if chunks is None and stored:
        chunks = rows_of_whole_chunks(shape, dtype, stored)
    name = f"{os.path.basename(path)}:{dataset}"
    return given(name, shape, dtype, chunks, lambda index: Hdf5Part(path, dataset, index))


def from_tiff(path: str | Sequence[str], chunks: Chunks = None) -> Array:
    """Returns the first series of images of a TIFF file, with its pages along the first axes. For
    several files, given as a list or a pattern such as "scan_*.tif" in the order of their names,
    returns one image each along a new first axis. Raises FileNotFoundError if there is no file."""
    if not isinstance(path, (str, os.PathLike)) or glob.has_magic(str(path)):
        return from_files(path, chunks)
    path = os.path.abspath(path)
    with tifffile().TiffFile(path) as file:
        series, order = file.series[0], file.byteorder
        shape, dtype, offset = series.shape, series.dtype, series.dataoffset
        lead = shape[: len(shape) - len(series.pages[0].shape)]
        if offset is None and math.prod(lead) != len(series.pages):
            raise ValueError(f"{path}: {len(series.pages)} pages do not make {list(shape)}")
    is_swapped = np.dtype(dtype).newbyteorder(order) != np.dtype(dtype).newbyteorder("=")
    reader = lambda index: (
        Pages(path, lead, index)
        if offset is None
        else RawPart(path, offset, shape, index, is_swapped)
    )
    return given(os.path.basename(path), shape, np.dtype(dtype).newbyteorder("="), chunks, reader)


def from_files(paths, chunks):
    """Returns an array of several files, one for each element of its first axis."""
    listed = sorted(glob.glob(str(paths))) if isinstance(paths, (str, os.PathLike)) else paths
    listed = tuple(os.path.abspath(each) for each in listed)
    if not listed:
        raise FileNotFoundError(f"no file is like {paths}")
    with tifffile().TiffFile(listed[0]) as file:
        shape, dtype = file.series[0].shape, file.series[0].dtype
    reader = lambda index: Files(listed, shape, index)
    name = os.path.basename(listed[0])
    return given(name, (len(listed), *shape), dtype, chunks, reader)
