"""Which partitions of a result are in its draft already, in a file beside it, so that a run that
was ended goes on where it was. What is noted is on the disk: before it is, what was written is made
to be. A journal is of one graph, by its signature, and worth nothing to any other."""

import dataclasses
import functools
import hashlib
import os
import time
import types

import numpy as np

from .functions import key_of

INTERVAL_S = 10
"""How much work an end costs at most, beside what was under way."""
DEPTH_MAX = 20
"""How far it is looked into what functions hold."""


class Journal:
    def __init__(self, draft_name, signature, is_new):
        self.path = path_of(draft_name)
        self.pending = []
        self.noted_s = time.monotonic()
        self.file = open(self.path, "w" if is_new else "a")
        if is_new:
            self.file.write(f"{signature}\n")
            self.sync()

    def note(self, key, descriptor):
        """A partition is written; its draft is behind the descriptor."""
        self.pending.append(key)
        if time.monotonic() - self.noted_s >= INTERVAL_S:
            self.flush(descriptor)

    def flush(self, descriptor):
        if self.pending:
            os.fdatasync(descriptor)
            self.file.writelines(f"{key}\n" for key in self.pending)
            self.sync()
        self.pending, self.noted_s = [], time.monotonic()

    def sync(self):
        self.file.flush()
        os.fdatasync(self.file.fileno())

    def close(self):
        self.file.close()


def path_of(draft_name):
    return f"{draft_name}.journal"


def noted(draft_name, signature):
    """The keys of what a draft has, or None where it is of another graph, or has no journal."""
    try:
        with open(path_of(draft_name)) as file:
            first, *lines = file.read().splitlines(keepends=True)
            # The last line may be half of one.
            keys = {int(line) for line in lines if line.endswith("\n")}
    except (FileNotFoundError, ValueError):
        return None
    return keys if first == f"{signature}\n" else None


def signature_of(flow):
    """Equal for equal graphs, in the next process too: what every subtask does to what, and the
    files that are read, as they are now. Values in host memory are taken to be the same."""
    digest = hashlib.sha256()
    for partition in flow.partitions:
        digest.update(
            f"{partition.name} {partition.spec} {file_state(partition.source)}\n".encode()
        )
    for subtask in flow.subtasks:
        does = described(subtask.function)
        digest.update(f"{subtask.name} {subtask.inputs} {subtask.output} {does}\n".encode())
    return digest.hexdigest()


def file_state(source):
    path = getattr(source, "path", None)
    if not isinstance(path, str) or not os.path.exists(path):
        return ""
    state = os.stat(path)
    return f"{described(source)} {state.st_size} {state.st_mtime_ns}"


def described(value, depth=0):
    """A text that says what a function of partitions is, without addresses in memory."""
    inner = lambda each: described(each, depth + 1)
    if depth > DEPTH_MAX:
        return type(value).__name__
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(inner, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {inner(each)}' for key, each in value.items())}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (each for each in dataclasses.fields(value) if each.compare)
        parts = (f"{each.name}={inner(getattr(value, each.name))}" for each in fields)
        return f"{type(value).__name__}({', '.join(parts)})"
    if callable(value) and not isinstance(value, type):
        return f"{key_of(value)}{inner(held_by(value))}"
    return repr(value)


def held_by(f):
    """The values that a function has beside its code: what it closes over, its defaults, what a
    method is of and a partial function has."""
    if isinstance(f, functools.partial):
        return [f.func, f.args, f.keywords]
    if isinstance(f, types.MethodType):
        return [f.__func__, f.__self__]
    cells = [each.cell_contents for each in getattr(f, "__closure__", None) or ()]
    defaults = list(getattr(f, "__defaults__", None) or ())
    return [cells, defaults, dict(getattr(f, "__dict__", {}))]
