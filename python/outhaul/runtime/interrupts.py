"""Delays Ctrl-C while a run cleans up, because an interrupted clean-up would not free memory of
GPUs."""

import contextlib
import signal
import threading


@contextlib.contextmanager
def uninterrupted():
    """Delays SIGINT within the `with`, and handles it at the end. Python handles signals on the
    main thread only."""
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
