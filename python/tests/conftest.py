"""Runtimes for tests: pretended GPUs, small enough that nothing fits at once."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import outhaul

# Some tests press Ctrl-C, which a shell that runs them in the background has had ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_logreport(report):
    """What came of each test, for the suite that runs pytest: a line each in a file, as tests/suites/verdicts.py says."""
    path = os.environ.get("OUTHAUL_VERDICTS")
    # The processes of pytest-xdist hand their reports to the one that started them.
    if path is None or "PYTEST_XDIST_WORKER" in os.environ:
        return
    if report.when != "call" and report.outcome == "passed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    # NumPy's words begin with an empty line; a process that ended leaves a text.
    why = crash.message if crash else skipped or report.longreprtext
    write_verdict(path, report, why)


def pytest_collectreport(report):
    """A file of tests that cannot be read is a failed test too."""
    path = os.environ.get("OUTHAUL_VERDICTS")
    if path is not None and "PYTEST_XDIST_WORKER" not in os.environ and report.failed:
        write_verdict(path, report, report.longreprtext.strip().splitlines()[-1])


def write_verdict(path, report, why):
    with open(path, "a", encoding="utf-8") as verdicts:
        verdicts.write(f"{report.outcome}\t{report.nodeid}\t{' '.join(why.split())}\n")


@pytest.fixture
def runtime():
    """Two GPUs of 64 KB, for arrays of a few hundred."""
    return outhaul.Runtime("host", gpus=2, memory="64 KB")


@pytest.fixture
def numbers():
    return np.random.default_rng(7).random((256, 64))


KEY = "a key for tests"


@pytest.fixture(scope="session")
def address():
    """A runtime of two pretended GPUs in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "outhaul.runtime",
        "serve",
        "--backend",
        "host",
        "--gpus",
        "2",
        "--memory",
        "64 KB",
        "--listen",
        "127.0.0.1:0",
    ]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "OUTHAUL_RUNTIME_KEY": KEY}
    )
    yield re.search(r"127\.0\.0\.1:\d+", server.stdout.readline())[0]
    server.terminate()
    server.wait()


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OUTHAUL_RUNTIME_KEY", KEY)
    return KEY


@pytest.fixture(autouse=True)
def no_memory_is_left(request):
    """Whatever a test did, no GPU still holds a partition afterwards."""
    yield
    runtime = request.node.funcargs.get("runtime")
    if runtime is not None:
        assert [device.used_bytes for device in runtime.backend.devices] == [0] * len(
            runtime.backend.devices
        )
