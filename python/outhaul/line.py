"""The line of the user's program that is at work: what errors name."""

import sys

OWN = ("outhaul", "numpy", "cupy", "dask")


def users_line():
    """FILE:LINE of the innermost function that is neither ours nor NumPy's; empty where there is
    none."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in OWN:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
