"""Functions that compute lazy arrays: they give one graph and sinks for its results to a
runtime."""

import contextlib
import itertools
import os

import numpy as np

from ..arrays.creation import asarray
from ..arrays.opening import from_npy
from ..files.file_locations import is_url
from ..files.hdf5 import Hdf5Sink
from ..files.sinks import ArraySink, NpySink, UrlNpySink, ZarrSink
from ..files.tiff import TiffSink
from .default_runtime import current

SHARING_WORK_MAX = 10_000
"""Maximum work, in candidate elements, to find out whether two views of one array overlap."""


def compute(*arrays, runtime=None, policy=None, out=None):
    """Computes arrays with one graph, which makes common parts once, and returns them in host
    memory. `out` has arrays for the results, which saves pinning new memory each time."""
    places = out or [None] * len(arrays)
    refuse_overlap([place for place in places if place is not None])
    return (runtime or current()).run(
        [ArraySink(array, place) for array, place in zip(arrays, places, strict=True)], policy
    )


def refuse_overlap(places):
    """Raises ValueError if two results would share memory."""
    for first, second in itertools.combinations(places, 2):
        with contextlib.suppress(np.exceptions.TooHardError):
            if np.shares_memory(first, second, max_work=SHARING_WORK_MAX):
                raise ValueError(
                    "two of the arrays in out share memory: give each result an array of its own"
                )


def to_npy(array, path, *, runtime=None, policy=None, resume=False):
    """Writes a .npy file, on the runtime's machine or at a URL that fsspec knows. With `resume`, a
    run that is ended keeps its partitions next to the file. The next run of the same program with
    the same graph and path makes only the missing ones. It assumes that arrays in host memory have
    the same values."""
    if is_url(path) and resume:
        raise ValueError(
            f"to_npy: {path} is a URL, where nothing is left to go on from; write a file with "
            f"resume=True, and copy it there"
        )
    sink = UrlNpySink(array, path) if is_url(path) else NpySink(array, path, resume)
    (runtime or current()).run([sink], policy)


def save(file, array):
    """Writes a .npy file, as NumPy does: adds the suffix to a path that lacks it."""
    if hasattr(file, "write"):
        np.save(file, np.asarray(array))
        return
    path = os.fspath(file)
    to_npy(asarray(array), path if path.endswith(".npy") else f"{path}.npy")


def load(file, mmap_mode=None, **options):
    """Reads a .npy file into host memory and returns a lazy array of it; with `mmap_mode`, one that
    reads the file when it is computed, as `from_npy`. Other files are NumPy's to read."""
    if mmap_mode is not None:
        return from_npy(os.fspath(file))
    held = np.load(file, **options)
    return asarray(held) if isinstance(held, np.ndarray) else held


def to_zarr(array, path, *, runtime=None, policy=None, overwrite=False):
    """Writes a Zarr array into a folder, on the runtime's machine. Raises FileExistsError if the
    folder exists. With `overwrite` it replaces a Zarr array, but nothing else, once the new one is
    complete."""
    if is_url(path):
        raise ValueError(
            f"to_zarr: {path} is a URL, where no array would have its name only when it is whole; "
            f"write a folder and copy it there"
        )
    (runtime or current()).run([ZarrSink(array, path, overwrite)], policy)


def to_hdf5(array, path, dataset="data", *, runtime=None, policy=None, overwrite=False):
    """Writes an HDF5 file with one dataset, on the runtime's machine. Raises FileExistsError if the
    file exists. With `overwrite` it replaces a file that has only this dataset, once the new one is
    complete."""
    (runtime or current()).run([Hdf5Sink(array, path, dataset, overwrite)], policy)


def to_tiff(array, path, *, runtime=None, policy=None):
    """Writes a BigTIFF file, on the runtime's machine: an uncompressed page for each image of the
    last two axes."""
    (runtime or current()).run([TiffSink(array, path)], policy)
