"""The runtime of a program that names none. It is the runtime of the thread's innermost `with`, or,
if the thread has none, of the whole process's. Otherwise it is the runtime at the address in
OUTHAUL_RUNTIME, or else one with all this machine's GPUs."""

import os
import threading

from .. import chunks
from .entered_runtimes import innermost
from .local import Runtime

_default = []
_books = threading.Lock()


def current():
    """Returns the runtime of the innermost `with`. Raises RuntimeError in a thread without one if
    other threads have entered several."""
    entered = innermost()
    if entered is not None:
        return entered
    with _books:
        if not _default:
            _default.append(default())
        return _default[0]


def partition_memory():
    """Returns the bytes that each GPU of the current runtime has for partitions, or None if there
    is no runtime yet, or it is in another process."""
    try:
        runtime = innermost() or next(iter(_default), None)
    except RuntimeError:
        return None
    backend = getattr(runtime, "backend", None)
    return min((each.capacity_bytes for each in backend.devices), default=None) if backend else None


chunks.known_memory.append(partition_memory)


def default():
    """Returns the runtime at OUTHAUL_RUNTIME, or a new one on this machine's GPUs."""
    address = os.environ.get("OUTHAUL_RUNTIME")
    return connect(address) if address else Runtime()


def connect(address, key=None):
    """Returns the runtime at HOST:PORT. Its key is the argument, or OUTHAUL_RUNTIME_KEY, or in the
    file that `serve` wrote."""
    from .client import RemoteRuntime

    return RemoteRuntime(address, key)
