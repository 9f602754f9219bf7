"""Bad input and bad luck: an error that names the subtask, everything else cancelled, nothing
half-written left looking whole."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import outhaul
from outhaul import _dag


def fails_at(index, error):
    """A function that fails on the partition whose first element is `index`."""

    def function(part):
        if part.flat[0] == index:
            raise error
        return part * 2

    return function


def counted(rows=64):
    return np.repeat(np.arange(rows)[:, None], 16, axis=1).astype(float)


def test_a_function_that_raises(runtime, tmp_path):
    lazy = outhaul.from_array(counted(), chunks=4).map(fails_at(32, ZeroDivisionError("seventh")))
    with pytest.raises(
        outhaul.SubtaskError,
        match=r"subtask `function\[8\]`: ZeroDivisionError on GPU [01]: seventh",
    ) as caught:
        lazy.to_npy(tmp_path / "out.npy", runtime)
    assert caught.value.subtask == "function[8]"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert os.listdir(tmp_path) == []
    np.testing.assert_array_equal(
        outhaul.from_array(counted(), chunks=4).map(np.sqrt).compute(runtime), np.sqrt(counted())
    )


def test_what_was_there_before_stays(runtime, tmp_path):
    np.save(tmp_path / "out.npy", np.arange(3))
    lazy = outhaul.from_array(counted(), chunks=4).map(fails_at(32, ZeroDivisionError()))
    with pytest.raises(outhaul.SubtaskError):
        lazy.to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.arange(3))
    assert os.listdir(tmp_path) == ["out.npy"]


def test_a_function_that_runs_out_of_memory(runtime):
    def greedy(part):
        return np.zeros(1 << 56) if part.flat[0] == 8 else part

    with pytest.raises(outhaul.SubtaskError, match=r"`greedy\[2\]`: .*MemoryError.*GPU"):
        outhaul.from_array(counted(), chunks=4).map(greedy).compute(runtime)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda part: part[1:], r"returned float64\[3, 16\] where float64\[4, 16\] was declared"),
        (
            lambda part: part.astype("f4"),
            r"returned float32\[4, 16\] where float64\[4, 16\] was declared",
        ),
        (lambda part: None, r"`function\[\d+\]`: \w+ on GPU"),
    ],
)
def test_a_function_that_returns_the_wrong_thing(runtime, wrong, words):
    with pytest.raises(outhaul.SubtaskError, match=words):
        outhaul.from_array(counted(), chunks=4).map(wrong).compute(runtime)


def test_a_partition_larger_than_memory(runtime):
    lazy = outhaul.from_array(np.zeros((100, 1000)), chunks=(50, 1000)).map(np.sqrt)
    with pytest.raises(
        outhaul.GraphError,
        match=r"subtask `sqrt\[0\]` needs 800000 bytes at once but a GPU has 64000; its largest "
        r"partition is `array\[0\]`",
    ):
        lazy.compute(runtime)


def test_a_cycle_is_named():
    partitions = [("a", 8, "made", "no"), ("b", 8, "made", "no")]
    with pytest.raises(outhaul.GraphError, match="cycle through subtask `make [ab]`"):
        _dag.Graph(partitions, [("make a", [1], [0], 1), ("make b", [0], [1], 1)])


def test_arrays_that_do_not_fit_together():
    a, b = (
        outhaul.from_array(np.zeros((10, 4)), chunks=5),
        outhaul.from_array(np.zeros((10, 4)), chunks=2),
    )
    for refused in (
        lambda: a.zip(b, np.add),
        lambda: a.map(np.add, b),
        lambda: a @ b,
        lambda: a + b[:3],
        lambda: a.map_overlap(np.sqrt, depth=6),
    ):
        with pytest.raises(outhaul.GraphError):
            refused()


def test_a_file_that_ends_early(runtime, tmp_path):
    path = tmp_path / "in.npy"
    np.save(path, counted())
    lazy = outhaul.from_npy(path, chunks=4).map(np.sqrt)
    os.truncate(path, os.path.getsize(path) - 4 * 16 * 8 - 5)
    with pytest.raises(
        outhaul.SubtaskError,
        match=r"`sqrt\[1[45]\]`: read of partition `in.npy\[1[45]\]`: EOFError: .* ends at byte",
    ):
        lazy.to_npy(tmp_path / "out.npy", runtime)
    assert os.listdir(tmp_path) == ["in.npy"]
    with pytest.raises(EOFError, match="ends early"):
        outhaul.from_npy(path)


def test_retries_run_a_subtask_again_elsewhere(runtime):
    runtime.retries = 1
    tried = []

    def moody(part):
        if part.flat[0] == 20:
            tried.append(threading.current_thread().name)
            if len(tried) == 1:
                raise OSError("not today")
        return part * 2

    lazy = outhaul.from_array(counted(), chunks=4).map(moody).map(np.sqrt)
    np.testing.assert_allclose(lazy.compute(runtime), np.sqrt(counted() * 2))
    assert len(set(tried)) == 2, "the second try is on the other GPU"


def test_retries_end(runtime):
    runtime.retries = 2
    tried = []

    def never(part):
        tried.append(1)
        raise OSError("never")

    with pytest.raises(outhaul.SubtaskError, match="never"):
        outhaul.from_array(counted(4), chunks=4).map(never).compute(runtime)
    assert len(tried) == 3


@pytest.mark.parametrize("retries", [0, 1])
def test_a_gpu_that_disappears(runtime, tmp_path, retries):
    runtime.retries = retries
    victim = runtime.backend.devices[1]
    done = []

    def losing(part):
        done.append(1)
        if len(done) == 20:
            victim.lost = True
        return part + 1

    lazy = outhaul.from_array(counted(), chunks=4)
    for _ in range(4):
        lazy = lazy.map(losing)
    if retries:
        lazy.to_npy(tmp_path / "out.npy", runtime)
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), counted() + 4)
        assert runtime.lost == {1}
    else:
        with pytest.raises(
            outhaul.SubtaskError, match=r"DeviceLost on GPU 1: GPU 1 does not answer"
        ):
            lazy.to_npy(tmp_path / "out.npy", runtime)
        assert os.listdir(tmp_path) == []


def test_the_last_gpu_disappears():
    runtime = outhaul.Runtime("host", gpus=1, memory="64 KB", retries=5)

    def losing(part):
        runtime.backend.devices[0].lost = True
        return part

    with pytest.raises(outhaul.SubtaskError, match="does not answer"):
        outhaul.from_array(counted(), chunks=4).map(losing).compute(runtime)
    with pytest.raises(outhaul.DeviceLost, match="no GPU is left"):
        outhaul.from_array(counted(), chunks=4).map(np.sqrt).compute(runtime)


def test_a_kernel_needs_a_gpu(runtime, numbers):
    lazy = outhaul.from_array(numbers, chunks=32).map(
        outhaul.kernel('extern "C" __global__ void k() {}', "k")
    )
    with pytest.raises(
        outhaul.SubtaskError, match=r"subtask `k\[\d+\]`: .*cannot run on the backend"
    ):
        lazy.compute(runtime)


@pytest.mark.parametrize("retries", [0, 3])
def test_a_copy_from_a_gpu_that_is_gone_blames_that_one(retries):
    """Three GPUs make a partition each, and then load their neighbours'; the first that is asked
    for one is gone by then."""
    runtime = outhaul.Runtime(
        "host", gpus=3, memory="64 KB", peers=True, retries=retries, policy="fifo"
    )
    peer = outhaul.backends.host.HostDevice.peer
    gone, calls, together = [], itertools.count(), threading.Barrier(3)

    def losing(device, source, other, buffer):
        if not gone:
            gone.append(source.number)
            source.lost = True
        peer(device, source, other, buffer)

    def root(part):
        if next(calls) < 3:  # no GPU makes two, however slowly another starts
            together.wait(timeout=60)
        return np.sqrt(part)

    lazy = (
        outhaul.from_array(counted(60), chunks=20)
        .map(root)
        .map_overlap(lambda rows: rows[:-2] + rows[2:], depth=1)
    )
    wide = np.sqrt(counted(60))
    wide = np.concatenate([wide[:1], wide, wide[-1:]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outhaul.backends.host.HostDevice, "peer", losing)
        if retries:
            np.testing.assert_array_equal(lazy.compute(runtime), wide[:-2] + wide[2:])
        else:
            with pytest.raises(
                outhaul.SubtaskError, match=r"DeviceLost on GPU (\d): GPU \1 does not answer"
            ) as caught:
                lazy.compute(runtime)
            assert f"GPU {gone[0]} " in str(caught.value)
    assert runtime.lost == set(gone)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_a_function_that_wants_to_end_the_program(runtime, error):
    with pytest.raises(outhaul.SubtaskError, match=type(error).__name__):
        outhaul.from_array(counted(), chunks=4).map(fails_at(32, error)).compute(runtime)


SLOW = """
import sys, time, numpy as np, outhaul
runtime = outhaul.Runtime("host", gpus=2, memory=40000)
def slow(part):
    print("computing", flush=True)
    time.sleep(3)
    return part
try:
    outhaul.from_array(np.ones((200, 64)), chunks=4).map(slow).to_npy(sys.argv[1], runtime)
except KeyboardInterrupt:
    print("interrupted", [device.used_bytes for device in runtime.backend.devices], runtime.backend.host_used_bytes, flush=True)
"""


def test_ctrl_c_twice_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path / "out.npy")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # The second one comes while it waits because of the first.
    words = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, rest = process.communicate(timeout=120)
    words += rest
    assert "interrupted [0, 0] 0" in out, out + words
    assert "waiting for `slow[" in words
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "options",
    [
        {"gpus": 0},
        {"gpus": -1},
        {"retries": -1},
        {"effort": -1},
        {"memory": -5},
        {"host_memory": "much"},
    ],
)
def test_a_runtime_that_means_nothing(options):
    with pytest.raises(ValueError, match="at least|is not a size"):
        outhaul.Runtime("host", **options)
