"""Which runtime a program means when it names none: that of the innermost `with`, of this thread
or, where this thread has none, of the whole process; else the one at the address in
OUTHAUL_RUNTIME; else one of all this machine's GPUs."""

import contextvars
import os
import threading

_entered_here = contextvars.ContextVar("outhaul_runtimes", default=())
_entered = []
_default = []
_books = threading.Lock()


class Context:
    """`with runtime:` makes it the one that compute() and its kin take. It may be entered again,
    and by several threads."""

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
    """The runtime of the innermost `with`. Raises RuntimeError in a thread without one of its own
    while others have entered several."""
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
    """The runtime at HOST:PORT. Its key is that of OUTHAUL_RUNTIME_KEY, or the file that `serve`
    wrote."""
    from .client import RemoteRuntime

    return RemoteRuntime(address, key)
