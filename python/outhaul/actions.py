"""What makes lazy arrays happen: one graph, handed to a runtime, with places for what comes out."""

import contextlib
import itertools

import numpy as np

from .locations import is_url
from .runtime import current
from .sinks import ArraySink, NpySink, UrlNpySink, ZarrSink

SHARING_WORK_MAX = 10_000
"""How far it is looked into whether two views of one array have an element in common."""


def compute(*arrays, runtime=None, policy=None, out=None):
    """The arrays, in host memory, by one graph: what they share is made once. `out` are arrays to
    put them into, which saves pinning new memory each time."""
    places = out or [None] * len(arrays)
    refuse_overlap([place for place in places if place is not None])
    return (runtime or current()).run(
        [ArraySink(array, place) for array, place in zip(arrays, places, strict=True)], policy
    )


def refuse_overlap(places):
    """Two results in one place would be neither."""
    for first, second in itertools.combinations(places, 2):
        with contextlib.suppress(np.exceptions.TooHardError):
            if np.shares_memory(first, second, max_work=SHARING_WORK_MAX):
                raise ValueError(
                    "two of the arrays in out share memory: give each result an array of its own"
                )


def to_npy(array, path, *, runtime=None, policy=None, resume=False):
    """Writes a .npy file, on the runtime's machine, or behind a URL that fsspec knows. With
    `resume` a run that is ended leaves what it has beside the file, and the next one of the same
    graph into the same path, by the same program, makes only what is missing. Arrays in host memory
    are taken to have the same values then."""
    if is_url(path) and resume:
        raise ValueError(
            f"to_npy: {path} is a URL, where nothing is left to go on from; write a file with "
            f"resume=True, and copy it there"
        )
    sink = UrlNpySink(array, path) if is_url(path) else NpySink(array, path, resume)
    (runtime or current()).run([sink], policy)


def to_zarr(array, path, *, runtime=None, policy=None, overwrite=False):
    """Writes a Zarr array into a folder, on the runtime's machine. Where there is something already
    it raises FileExistsError; a Zarr array, and nothing else, is replaced with `overwrite`, when
    the new one is whole."""
    if is_url(path):
        raise ValueError(
            f"to_zarr: {path} is a URL, where no array would have its name only when it is whole; "
            f"write a folder and copy it there"
        )
    (runtime or current()).run([ZarrSink(array, path, overwrite)], policy)


def to_hdf5(array, path, dataset="data", *, runtime=None, policy=None, overwrite=False):
    """Writes an HDF5 file with one dataset, on the runtime's machine. Where there is a file already
    it raises FileExistsError; one with this dataset only, and nothing else, is replaced with
    `overwrite`, when the new one is whole."""
    from .hdf5 import Hdf5Sink

    (runtime or current()).run([Hdf5Sink(array, path, dataset, overwrite)], policy)


def to_tiff(array, path, *, runtime=None, policy=None):
    """Writes a BigTIFF file, on the runtime's machine: a page for each image of the last two axes,
    without compression."""
    from .tiff import TiffSink

    (runtime or current()).run([TiffSink(array, path)], policy)
