"""The runtime owns the GPUs of a host and runs graphs on them: in the program's own process (`Runtime`), or in a process of its own that
programs reach over gRPC (`python -m outhaul.runtime serve`, `connect`)."""

from .local import Runtime, current

__all__ = ["Runtime", "connect", "current"]


def connect(address, key=None):
    """The runtime at HOST:PORT. Its key is that of OUTHAUL_RUNTIME_KEY, or the file that `serve` wrote."""
    from .client import RemoteRuntime

    return RemoteRuntime(address, key)
