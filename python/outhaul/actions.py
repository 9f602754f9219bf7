"""What makes lazy arrays happen: one graph, handed to a runtime, with places for what comes out."""

from .runtime import current
from .sinks import ArraySink, NpySink, ZarrSink


def compute(*arrays, runtime=None, policy=None, out=None):
    """The arrays, in host memory, by one graph: what they share is made once. `out` are arrays to put them into, which saves pinning new memory each time."""
    places = out or [None] * len(arrays)
    return (runtime or current()).run([ArraySink(array, place) for array, place in zip(arrays, places, strict=True)], policy)


def to_npy(array, path, *, runtime=None, policy=None):
    """Writes a .npy file, on the runtime's machine."""
    (runtime or current()).run([NpySink(array, path)], policy)


def to_zarr(array, path, *, runtime=None, policy=None, overwrite=False):
    """Writes a Zarr array into a folder, on the runtime's machine. Where there is something already it raises FileExistsError; a Zarr array, and nothing else,
    is replaced with `overwrite`, when the new one is whole."""
    (runtime or current()).run([ZarrSink(array, path, overwrite)], policy)
