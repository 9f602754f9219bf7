"""What can go wrong, by who is to act: the graph (GraphError), one subtask (SubtaskError), a GPU (DeviceLost)."""

from ._dag import GraphError

__all__ = ["DeviceLost", "GraphError", "RuntimeUnreachable", "SubtaskError"]


class SubtaskError(RuntimeError):
    """A subtask failed and the rest of its graph was cancelled. The cause is what the subtask raised."""

    def __init__(self, subtask, reason):
        super().__init__(subtask, reason)
        self.subtask = subtask
        self.reason = reason

    def __str__(self):
        return f"subtask `{self.subtask}`: {self.reason}; the rest of the graph was cancelled and nothing of its output kept"


class DeviceLost(RuntimeError):
    """A GPU that does not answer any more, by the number `gpu`. A backend raises it; with retries the runtime goes on without that GPU."""

    def __init__(self, message, gpu=None):
        super().__init__(message)
        self.gpu = gpu


class RuntimeUnreachable(ConnectionError):
    """No runtime answers at the address, or it does not take the key."""
