"""A graph on the GPUs of two nodes, one of which is killed while it runs. Needs the binary
`outhaul` in OUTHAUL, and CuPy."""

import os
import re
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
import numpy as np
import outhaul

runtime = outhaul.Runtime(memory="512 KB", scratch="50%", retries=int(sys.argv[2]))
numbers = np.arange(80_000, dtype="f4")
done = []

def add_one(part):
    done.append(1)
    if len(done) == 6:
        os.killpg(int(sys.argv[1]), signal.SIGKILL)
    return part + 1

lazy = outhaul.from_array(numbers, chunks=4000).map(add_one).map(add_one).map(add_one)
try:
    np.testing.assert_array_equal(lazy.compute(runtime), numbers + 3)
    print("RESULT whole, without GPUs", sorted(runtime.lost))
except outhaul.SubtaskError as error:
    print("RESULT", error)
sys.stdout.flush()
os._exit(0)  # CuPy would ask the lost node to free what it had
"""


@pytest.fixture
def nodes():
    """Two nodes of this machine, each with a software GPU: (process, address)."""
    pytest.importorskip("cupy")
    if "OUTHAUL" not in os.environ:
        pytest.skip("OUTHAUL does not name the binary")
    command = [os.environ["OUTHAUL"], "serve", "--listen", "127.0.0.1:0", "--gpu", "soft"]
    started = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        for _ in range(2)
    ]
    yield [
        (process, re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())[0])
        for process in started
    ]
    for process in started:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(
    ("retries", "result"),
    [
        (1, r"RESULT whole, without GPUs \[1\]"),
        (0, r"RESULT subtask `add_one(\.\d)?\[\d+\]`: DeviceLost on GPU 1"),
    ],
)
def test_a_node_that_is_killed(nodes, retries, result):
    victim = nodes[1][0].pid
    addresses = ",".join(address for _, address in nodes)
    command = [
        os.environ["OUTHAUL"],
        "run",
        "--node",
        addresses,
        "--",
        sys.executable,
        "-P",
        "-c",
        PROGRAM,
        str(victim),
        str(retries),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert re.search(result, done.stdout), done.stdout + done.stderr
