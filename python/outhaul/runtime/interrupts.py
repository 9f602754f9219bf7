"""Ctrl-C while a run cleans up: it waits until that is done, since a clean-up by halves leaves
memory of GPUs taken."""

import contextlib
import signal
import threading


@contextlib.contextmanager
def uninterrupted():
    """Within it SIGINT is remembered, and handled at the end as it would have been at once. Only
    the main thread ever handles it."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    remembered = []
    signal.signal(signal.SIGINT, lambda number, frame: remembered.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if remembered:
            handler(*remembered[-1])
