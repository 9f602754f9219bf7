"""What makes lazy arrays happen: one graph, handed to a runtime, with places for what comes out."""

import contextlib
import itertools

import numpy as np

from .runtime import current
from .sinks import ArraySink, NpySink, ZarrSink

SHARING_WORK_MAX = 10_000
"""How far it is looked into whether two views of one array have an element in common."""


def compute(*arrays, runtime=None, policy=None, out=None):
    """The arrays, in host memory, by one graph: what they share is made once. `out` are arrays to put them into, which saves pinning new memory each time."""
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


def to_npy(array, path, *, runtime=None, policy=None):
    """Writes a .npy file, on the runtime's machine."""
    (runtime or current()).run([NpySink(array, path)], policy)


def to_zarr(array, path, *, runtime=None, policy=None, overwrite=False):
    """Writes a Zarr array into a folder, on the runtime's machine. Where there is something already it raises FileExistsError; a Zarr array, and nothing else,
    is replaced with `overwrite`, when the new one is whole."""
    (runtime or current()).run([ZarrSink(array, path, overwrite)], policy)
