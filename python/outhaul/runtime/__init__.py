"""The runtime owns the GPUs of a host and runs graphs on them: in the program's own process (`Runtime`), or in a process of its own that
programs reach over gRPC (`python -m outhaul.runtime serve`, `connect`)."""

from .local import Runtime, connect, current

__all__ = ["Runtime", "connect", "current"]
