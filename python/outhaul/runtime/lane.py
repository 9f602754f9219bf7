"""A lane runs one kind of operation in order, on its own thread: the compute, loads or stores of a
GPU, or the reads or writes of files. Lanes overlap. Operations of one lane run in the order in
which the scheduler issued them."""

import contextlib
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from ..errors import GraphError

_thread = threading.local()


def refuse_inside_subtask():
    """Raises GraphError in a subtask. A run waits for its subtasks, so a subtask that waited for a
    run would wait forever."""
    if getattr(_thread, "is_lane", False):
        raise GraphError(
            "compute() inside a subtask would wait for itself: compute that array before, or give "
            "it to map as another array"
        )


@dataclass
class Span:
    """An ended operation, for finish(), costs and traces. `error` is the exception that it raised.
    The run gave it to its lane at `issued`, and told the scheduler of its end at `settled`."""

    op: tuple
    name: str
    nbytes: int
    start_ns: int = 0
    end_ns: int = 0
    issued_ns: int = 0
    settled_ns: int = 0
    error: Any = field(default=None, repr=False)

    @property
    def kind(self):
        return self.op[0]

    @property
    def id(self):
        return self.op[1]

    @property
    def gpu(self):
        return self.op[2]


class Lane:
    def __init__(self, name, ended, enter=lambda: None):
        self._waiting = queue.SimpleQueue()
        self._ended = ended
        self._enter = enter
        self._thread = threading.Thread(target=self._serve, name=f"outhaul {name}", daemon=True)
        self._thread.start()

    def put(self, span, work):
        self._waiting.put((span, work))

    def close(self):
        """Ends the thread after the operation in progress. Waiting operations never begin, because
        their results are not needed."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(None)

    def join(self, timeout_s=None):
        """Waits for the end of the thread. Returns whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _serve(self):
        _thread.is_lane = True
        entered = None
        try:
            self._enter()
        except BaseException as error:
            entered = error
        while (item := self._waiting.get()) is not None:
            span, work = item
            span.start_ns = time.monotonic_ns()
            try:
                if entered is not None:
                    raise entered
                work()
            except BaseException as error:  # the thread that waits for the run raises it again
                span.error = error
            span.end_ns = time.monotonic_ns()
            # While the lane waits for the next operation, it keeps no references of the last one.
            del item, work
            self._ended.put(span)
            del span
