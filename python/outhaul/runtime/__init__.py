"""The runtime owns the GPUs of a host and runs graphs on them. It runs in the program's own process
(`Runtime`), or in another process that programs reach over gRPC (`python -m outhaul.runtime serve`,
`connect`)."""

from .default_runtime import connect, current
from .local import Runtime

__all__ = ["Runtime", "connect", "current"]
