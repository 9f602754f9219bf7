"""The runtime of a program that names none. It is the runtime of the thread's innermost `with`, or,
if the thread has none, of the whole process's. Otherwise it is the runtime at the address in
OUTHAUL_RUNTIME, or else one with all this machine's GPUs."""

import contextvars
import os
import threading

_entered_here = contextvars.ContextVar("outhaul_runtimes", default=())
_entered = []
_default = []
_books = threading.Lock()


class Context:
    """`with runtime:` makes the runtime the default of compute() and similar functions. A program
    may enter it again, and from several threads."""

    def __enter__(self):
        _entered_here.set((*_entered_here.get(), self))
        with _books:
            _entered.append(self)
        return self

    def __exit__(self, *_):
        stack = list(_entered_here.get())
        del stack[len(stack) - 1 - stack[::-1].index(self)]
        _entered_here.set(tuple(stack))
        with _books:
            _entered.remove(self)


def current():
    """Returns the runtime of the innermost `with`. Raises RuntimeError in a thread without one if
    other threads have entered several."""
    if _entered_here.get():
        return _entered_here.get()[-1]
    with _books:
        entered = {id(runtime): runtime for runtime in _entered}
        if len(entered) > 1:
            raise RuntimeError(
                f"which of {len(entered)} runtimes? Other threads have entered them, this one "
                f"none: say compute(runtime=...), or `with runtime:` here"
            )
        if entered:
            return next(iter(entered.values()))
        if not _default:
            _default.append(default())
        return _default[0]


def default():
    from .local import Runtime

    address = os.environ.get("OUTHAUL_RUNTIME")
    return connect(address) if address else Runtime()


def connect(address, key=None):
    """Returns the runtime at HOST:PORT. Its key is the argument, or OUTHAUL_RUNTIME_KEY, or in the
    file that `serve` wrote."""
    from .client import RemoteRuntime

    return RemoteRuntime(address, key)
