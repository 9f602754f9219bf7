"""The record of the partitions that a result's draft already has, in a file next to the draft, so
that an ended run can continue. The journal syncs the draft to disk before it notes a partition. It
is valid for one graph only, which its signature identifies."""

import contextlib
import dataclasses
import functools
import hashlib
import os
import time
import types

import numpy as np

from ..subtasks.subtask_functions import key_of
from .private_files import open_regular

INTERVAL_S = 10
"""Seconds between syncs: an ended run loses at most so much work, and operations in progress."""
APPENDS = os.O_WRONLY | os.O_APPEND
DEPTH_MAX = 20
"""Maximum depth to which the signature follows values inside functions."""


class Journal:
    """The open journal of a draft."""

    def __init__(self, draft_name, signature, is_new):
        self.path = path_of(draft_name)
        self.pending = []
        self.noted_s = time.monotonic()
        self.file = open(create(self.path) if is_new else open_regular(self.path, APPENDS), "a")
        if is_new:
            self.file.write(f"{signature}\n")
            self.sync()

    def note(self, key, descriptor):
        """Notes that a partition was written to the draft with this descriptor."""
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


def create(path):
    """Creates an empty journal, in place of one that an ended run has left."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def path_of(draft_name):
    """Returns the path of a draft's journal."""
    return f"{draft_name}.journal"


def noted(draft_name, signature):
    """Returns the keys that a draft has, or None for another graph or without a journal."""
    try:
        with open(open_regular(path_of(draft_name))) as file:
            first, *lines = file.read().splitlines(keepends=True)
            # The last line may be incomplete.
            keys = {int(line) for line in lines if line.endswith("\n")}
    except (OSError, ValueError):
        return None
    return keys if first == f"{signature}\n" else None


def signature_of(flow):
    """Returns equal signatures for equal graphs, also in the next process. The signature covers
    what each subtask does with its inputs, and the current state of the files that it reads. It
    assumes that values in host memory are the same."""
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
    """Returns a text of a source's file, its size and its time, or an empty text."""
    path = getattr(source, "path", None)
    if not isinstance(path, str) or not os.path.exists(path):
        return ""
    state = os.stat(path)
    return f"{described(source)} {state.st_size} {state.st_mtime_ns}"


def described(value, depth=0):
    """Returns a text that identifies a function of partitions, without addresses in memory."""
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
    """Returns the values that a function has in addition to its code: its closure, its defaults,
    and the objects of a method or partial function."""
    if isinstance(f, functools.partial):
        return [f.func, f.args, f.keywords]
    if isinstance(f, types.MethodType):
        return [f.__func__, f.__self__]
    cells = [each.cell_contents for each in getattr(f, "__closure__", None) or ()]
    defaults = list(getattr(f, "__defaults__", None) or ())
    return [cells, defaults, dict(getattr(f, "__dict__", {}))]
