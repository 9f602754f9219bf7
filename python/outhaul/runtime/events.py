"""Listeners for runs, such as progress bars and traces. A listener has `began(subtasks, gpus)` for
each graph that starts, with the numbers of its GPUs, and `ended(span)` for each operation. It
receives the events of its own context's runs only."""

import contextlib
import contextvars

listeners = contextvars.ContextVar("outhaul_listeners", default=())


@contextlib.contextmanager
def listening(listener):
    """Registers a listener for runs within the `with`."""
    token = listeners.set((*listeners.get(), listener))
    try:
        yield listener
    finally:
        listeners.reset(token)
