"""A lane does one kind of operation in order, on a thread of its own: the compute, loads or stores
of a GPU, or the files' reads or writes. Lanes overlap; within one, operations follow one another as
the scheduler issued them."""

import contextlib
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from ..errors import GraphError

_thread = threading.local()


def refuse_inside_subtask():
    """A run waits for its subtasks; one of them that waited for a run would wait for ever."""
    if getattr(_thread, "is_lane", False):
        raise GraphError(
            "compute() inside a subtask would wait for itself: compute that array before, or give "
            "it to map as another array"
        )


@dataclass
class Span:
    """An operation that has ended: for finish(), costs and traces. `error` is what it raised. It
    was given to its lane when `issued`, and the scheduler knew of its end when `settled`."""

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
        """Ends the thread when what is under way is done. What waits is never begun: nobody needs
        it any more."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        self._waiting.put(None)

    def join(self, timeout_s=None):
        """Waits for that; whether it has ended."""
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
            except BaseException as error:  # it is raised again where the run waits
                span.error = error
            span.end_ns = time.monotonic_ns()
            # A finished operation holds nothing while the lane waits for the next.
            del item, work
            self._ended.put(span)
            del span
