"""Errors, by the part that caused them: the graph (GraphError), one subtask (SubtaskError), a GPU
(DeviceLost)."""

from ._dag import GraphError

__all__ = ["DeviceLost", "GraphError", "RuntimeUnreachable", "SubtaskError"]


class SubtaskError(RuntimeError):
    """A subtask failed, and the runtime cancelled the rest of its graph. The cause is the error
    that the subtask raised. `line` is the line of the program that made its array."""

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
    """A GPU no longer answers; `gpu` is its number. A backend raises it. With retries, the runtime
    continues without that GPU."""

    def __init__(self, message, gpu=None):
        super().__init__(message)
        self.gpu = gpu


class RuntimeUnreachable(ConnectionError):
    """No runtime answers at the address, or it refuses the key."""
