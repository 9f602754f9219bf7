"""Lazy arrays over existing data: in memory, in .npy files, Zarr arrays and Parquet columns. The
functions here read only headers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import chunks as grid
from .array import Array
from .locations import full, is_url
from .nodes import Given
from .sizes import parse_bytes
from .sources import Memory, NpyPart, ParquetColumn, UrlPart, ZarrChunk, npy_header

if TYPE_CHECKING:
    from .annotations import Chunks, Operand


def given(name, shape, dtype, chunks, reader):
    """Returns an array for which reader(slices) returns the reader of a partition."""
    lengths = grid.normalize(chunks, shape, dtype)
    readers = tuple(map(reader, grid.indices(lengths)))
    return Array(Given(name, readers), lengths, dtype)


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
    groups = group_rows(rows, max(1, parse_bytes(chunks or grid.PARTITION_BYTES) // dtype.itemsize))
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
