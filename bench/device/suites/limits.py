"""A pytest plugin with three functions: a time limit for each test that also ends a hang inside a
driver, a share of the tests, and a fixture that Numba's tests need and its wheel lacks.

TEST_LIMIT_S=60   a test that takes longer ends its process; under pytest-xdist the test has failed,
                  and a new process continues with the next test
SHARE=1/4         a fourth of the tests, the same each time
"""

import faulthandler
import os
import zlib

import numpy
import pytest

test_limit_s = float(os.environ.get("TEST_LIMIT_S", "60"))
part, parts = (int(number) for number in os.environ.get("SHARE", "1/1").split("/"))

# The original stderr: captured output is lost when the process ends.
stderr = os.dup(2)


# numba-cuda 0.30 takes this name from NumPy, which removed it in 2.5.
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    # The thread of faulthandler needs no lock of Python's, which a hanging test may hold.
    faulthandler.dump_traceback_later(test_limit_s, exit=True, file=stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_collection_modifyitems(config, items):
    chosen, left = [], []
    for item in items:
        mine = zlib.crc32(item.nodeid.encode()) % parts == part - 1
        (chosen if mine else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = chosen


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """A fixture that Numba's test classes need and its wheel lacks."""
    request.cls._dump_failed_filechecks = False
