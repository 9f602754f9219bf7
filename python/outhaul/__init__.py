"""Outhaul: map/reduce graphs over arrays that are larger than GPU memory, on several local or remote GPUs.

    import outhaul
    image = outhaul.from_npy("in.npy", chunks="64 MB")
    with outhaul.Runtime():
        image.map_overlap(blur, depth=1).to_npy("out.npy")

docs/python.md of the repository is the guide.
"""

import sys

if sys.version_info < (3, 10):
    raise ImportError("Outhaul's arrays need Python 3.10 or newer; its command line, `outhaul`, needs none")

from .actions import compute, to_npy, to_zarr
from .array import Array
from .backends import HostBackend
from .dask import dask_get
from .errors import DeviceLost, GraphError, RuntimeUnreachable, SubtaskError
from .kernel import kernel
from .opening import from_array, from_npy, from_parquet, from_zarr
from .picture import visualize
from .progress import progress
from .runtime import Runtime, connect
from .sizes import format_bytes
from .trace import trace

__all__ = [
    "Array",
    "DeviceLost",
    "GraphError",
    "HostBackend",
    "Runtime",
    "RuntimeUnreachable",
    "SubtaskError",
    "compute",
    "connect",
    "dask_get",
    "format_bytes",
    "from_array",
    "from_npy",
    "from_parquet",
    "from_zarr",
    "kernel",
    "progress",
    "to_npy",
    "to_zarr",
    "trace",
    "visualize",
]
