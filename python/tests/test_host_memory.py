"""Data larger than the machine: what is read, what is not written yet, what leaves GPUs and what a
sort has between its passes take no more host memory than was said."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import outhaul
from outhaul.files.sinks import NpySink

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]
PART = 1024 * 8


@pytest.fixture
def source(tmp_path):
    """64 partitions of 8 KB."""
    np.save(tmp_path / "in.npy", np.random.default_rng(5).random((64, 1024)))
    return tmp_path / "in.npy"


def runtime_of(parts, **options):
    """Room for so many partitions on their way, and half as many that leave GPUs."""
    return outhaul.Runtime("host", gpus=2, memory=4 * PART, host_memory=2 * parts * PART, **options)


@pytest.mark.parametrize("slow", ["compute", "write"])
@pytest.mark.parametrize("policy", POLICIES)
def test_file_to_file_in_bounded_memory(source, tmp_path, monkeypatch, policy, slow):
    runtime = runtime_of(4, policy=policy)
    if slow == "write":
        write = NpySink.write
        monkeypatch.setattr(
            NpySink,
            "write",
            lambda sink, key, values: (time.sleep(0.003), write(sink, key, values)),
        )
    wait = lambda part: (time.sleep(0.003 if slow == "compute" else 0), part * 2)[1]
    outhaul.from_npy(source, chunks=1).map(wait).to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.load(source) * 2)
    assert 0 < runtime.backend.host_peak_bytes <= 4 * PART
    assert runtime.last.host_peak_bytes <= 4 * PART
    assert runtime.backend.host_used_bytes == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_what_leaves_gpus_goes_to_files_when_it_is_too_much(source, tmp_path, policy):
    """Three rounds of a blur, read and written in files: every policy but ours holds a whole level
    at a time."""
    runtime = runtime_of(8, policy=policy, spill=tmp_path)
    lazy, wanted = outhaul.from_npy(source, chunks=1), np.load(source)
    for _ in range(3):
        lazy = lazy.map_overlap(lambda rows: rows[:-2] + rows[1:-1] + rows[2:], depth=1)
        wide = np.concatenate([wanted[:1], wanted, wanted[-1:]])
        wanted = wide[:-2] + wide[1:-1] + wide[2:]
    lazy.to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), wanted)
    assert runtime.backend.host_peak_bytes <= (8 + 4) * PART
    assert runtime.backend.host_used_bytes == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_files_are_read_again_rather_than_kept(source, policy):
    """Both factors of a matrix product are needed by many subtasks, and the host has room for two
    tiles."""
    runtime = outhaul.Runtime(
        "host", gpus=2, memory=20 * PART, host_memory=2 * 2 * 2 * PART, policy=policy
    )
    values = np.load(source)
    tiles = outhaul.from_npy(source, chunks=(16, 64)) @ outhaul.from_array(
        np.ascontiguousarray(values.T), chunks=(64, 16)
    )
    np.testing.assert_allclose(tiles.compute(runtime), values @ values.T)
    assert runtime.last.host_peak_bytes <= 2 * 2 * PART
    assert runtime.backend.host_used_bytes == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_a_partition_larger_than_the_limit_still_passes(source, tmp_path, policy):
    runtime = outhaul.Runtime("host", gpus=2, memory=4 * PART, host_memory=100, policy=policy)
    outhaul.from_npy(source, chunks=1).map(np.sqrt).to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sqrt(np.load(source)))
    assert runtime.backend.host_peak_bytes <= PART


@pytest.mark.parametrize("host_memory", ["1 GB", 8 * PART])
def test_a_sort_from_file_to_file(tmp_path, host_memory):
    numbers = np.random.default_rng(6).integers(0, 500, 64 * 1024).astype(float)
    np.save(tmp_path / "in.npy", numbers)
    runtime = outhaul.Runtime(
        "host", gpus=2, memory=8 * PART, host_memory=host_memory, spill=tmp_path
    )
    outhaul.from_npy(tmp_path / "in.npy", chunks=1024).sort().to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sort(numbers))
    if host_memory != "1 GB":
        assert runtime.backend.host_peak_bytes <= 8 * PART
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy", "out.npy"]


def test_a_retry_reads_files_again(source, tmp_path):
    runtime = runtime_of(4, retries=2)
    done = []

    def moody(part):
        done.append(1)
        if len(done) in (20, 50):
            raise OSError("not today")
        return part + 1

    outhaul.from_npy(source, chunks=1).map(moody).to_npy(tmp_path / "out.npy", runtime)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.load(source) + 1)
    assert runtime.backend.host_used_bytes == 0


LARGE = """
import resource, sys, time
import numpy as np, outhaul
runtime = outhaul.Runtime("host", memory="8 MB", host_memory="16 MB", policy=sys.argv[1], spill=sys.argv[2])
lazy = outhaul.from_npy(sys.argv[2] + "/in.npy", "1 MB").map(lambda part: (time.sleep(0.001), part * 2)[1])
lazy = lazy.sort() if sys.argv[3] == "sort" else lazy
resource.setrlimit(resource.RLIMIT_DATA, (400 << 20,) * 2)
lazy.to_npy(sys.argv[2] + "/out.npy", runtime)
print("DONE")
"""


SOAK = pytest.mark.soak


@pytest.mark.parametrize(
    ("what", "policy"),
    [
        ("map", "ours"),
        pytest.param("map", "victream", marks=SOAK),
        pytest.param("sort", "victream", marks=SOAK),
        pytest.param("sort", "ours", marks=SOAK),
    ],
)
def test_a_process_that_may_not_take_more(tmp_path, what, policy):
    """Ten times what the program may have beside what it is anyway."""
    numbers = np.lib.format.open_memmap(tmp_path / "in.npy", "w+", "f4", (1 << 25,))
    numbers[:] = np.random.default_rng(1).permutation(1 << 25)
    numbers.flush()
    environment = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    done = subprocess.run(
        [sys.executable, "-c", LARGE, policy, str(tmp_path), what],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert "DONE" in done.stdout, done.stdout + done.stderr
    wanted = np.sort(numbers) * 2 if what == "sort" else numbers * 2
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy", mmap_mode="r"), wanted)
