"""Runtimes that programs have entered: `with runtime:` makes it the default, in this thread or in
all."""

import contextvars
import threading

_entered_here = contextvars.ContextVar("outhaul_runtimes", default=())
_entered = []
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


def innermost():
    """Returns the runtime of the innermost `with`, or None if there is none. Raises RuntimeError in
    a thread without one if other threads have entered several."""
    if _entered_here.get():
        return _entered_here.get()[-1]
    with _books:
        entered = {id(runtime): runtime for runtime in _entered}
    if len(entered) > 1:
        raise RuntimeError(
            f"which of {len(entered)} runtimes? Other threads have entered them, this one none: "
            f"say compute(runtime=...), or `with runtime:` here"
        )
    return next(iter(entered.values()), None)
