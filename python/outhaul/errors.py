"""What can go wrong, by who is to act: the graph (GraphError), one subtask (SubtaskError), a GPU
(DeviceLost)."""

from ._dag import GraphError

__all__ = ["DeviceLost", "GraphError", "RuntimeUnreachable", "SubtaskError"]


class SubtaskError(RuntimeError):
    """A subtask failed and the rest of its graph was cancelled. The cause is what the subtask
    raised. `line` is where the program made its array."""

    def __init__(self, subtask, reason, line=""):
        super().__init__(subtask, reason, line)
        self.subtask = subtask
        self.reason = reason
        self.line = line

    def __str__(self):
        made = f"; its array was made at {self.line}" if self.line else ""
        kept = "the rest of the graph was cancelled and nothing of its output kept"
        return f"subtask `{self.subtask}`: {self.reason}{made}; {kept}"


class DeviceLost(RuntimeError):
    """A GPU that does not answer any more, by the number `gpu`. A backend raises it; with retries
    the runtime goes on without that GPU."""

    def __init__(self, message, gpu=None):
        super().__init__(message)
        self.gpu = gpu


class RuntimeUnreachable(ConnectionError):
    """No runtime answers at the address, or it does not take the key."""
