"""Runs that were ended and go on: only what is missing is made, and never of another graph."""

import functools
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import outhaul
from outhaul.files import journal


@pytest.fixture
def runtime(tmp_path_factory):
    """With room for a few results, so that most are written when the last is made."""
    spill = tmp_path_factory.mktemp("spill")
    return outhaul.Runtime("host", memory="4 KB", host_memory="8 KB", spill=spill)


def numbered():
    return np.repeat(np.arange(20.0), 16)[:, None] * np.ones(8)


class Work:
    """A function whose failures are no part of what it is."""

    made, fails = [], ()

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, part):
        if part[0, 0] in Work.fails:
            raise OSError("injected")
        Work.made.append(float(part[0, 0]))
        return part * self.factor


@pytest.fixture(autouse=True)
def calm():
    Work.made, Work.fails = [], ()


def run(path, runtime, factor=2, **options):
    numbers = outhaul.from_array(numbered(), 16)
    numbers.map(Work(factor)).to_npy(path, runtime, **options)


def test_a_run_goes_on(runtime, tmp_path):
    Work.fails = (19,)
    with pytest.raises(outhaul.SubtaskError, match="injected"):
        run(tmp_path / "out.npy", runtime, resume=True)
    before, Work.made, Work.fails = set(Work.made), [], ()
    assert len(os.listdir(tmp_path)) == 2 and not (tmp_path / "out.npy").exists()
    run(tmp_path / "out.npy", runtime, resume=True)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), numbered() * 2)
    # Of what was made before, all that was written by then is not made again.
    assert len(Work.made) < 20 and before | set(Work.made) == set(range(20))
    assert os.listdir(tmp_path) == ["out.npy"]


def test_another_graph_starts_anew(runtime, tmp_path):
    Work.fails = (19,)
    with pytest.raises(outhaul.SubtaskError):
        run(tmp_path / "out.npy", runtime, resume=True)
    Work.made, Work.fails = [], ()
    run(tmp_path / "out.npy", runtime, factor=3, resume=True)
    assert len(Work.made) == 20
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), numbered() * 3)
    assert os.listdir(tmp_path) == ["out.npy"]


def test_who_does_not_resume_leaves_nothing_and_finds_nothing(runtime, tmp_path):
    Work.fails = (19,)
    for resume in (True, False):
        with pytest.raises(outhaul.SubtaskError):
            run(tmp_path / "out.npy", runtime, resume=resume)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ValueError, match="is a URL, where nothing is left"):
        run("memory://out.npy", runtime, resume=True)


PROGRAM = """
import sys, time, numpy, outhaul
from outhaul.files import journal
journal.INTERVAL_S = 0
numpy.save("in.npy", numpy.arange(4000.0)) if len(sys.argv) > 1 else None
def slow(part):
    time.sleep(0.02)
    print(int(part[0]), flush=True)
    return part + 1
runtime = outhaul.Runtime("host", gpus=1, memory="64 KB")
outhaul.from_npy("in.npy", 100).map(slow).to_npy("out.npy", runtime, resume=True)
"""


def test_a_process_that_was_killed(tmp_path):
    """Its notes are those of another process, so what they say must hold there."""
    command = [sys.executable, "-c", PROGRAM]
    first = subprocess.Popen([*command, "new"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    for _ in range(20):
        first.stdout.readline()
    first.send_signal(signal.SIGKILL)
    first.wait()
    second = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True)
    assert 0 < len(second.stdout.split()) <= 40 - 10
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.arange(4000.0) + 1)
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy"]


def test_what_tells_functions_apart():
    def scaled(factor, extra=0):
        return lambda part: [part * factor + extra for _ in range(1)]

    texts = [
        *(scaled(factor, extra) for factor, extra in ((1, 0), (2, 0), (1, 3))),
        *(functools.partial(np.add, each) for each in (1, 2)),
        *(Work(factor) for factor in (1, 2)),
        Work(1).__call__,
        np.add,
        np.multiply,
    ]
    assert len({journal.described(each) for each in texts}) == len(texts)
    assert journal.described(scaled(1)) == journal.described(scaled(1))
    assert " at 0x" not in "".join(map(journal.described, texts))


def test_a_note_that_is_half_written(tmp_path):
    draft = str(tmp_path / "draft")
    for text, wanted in (("abc\n1\n23\n4", {1, 23}), ("", None), ("abc\nx\n", None)):
        (tmp_path / "draft.journal").write_text(text)
        assert journal.noted(draft, "abc") == wanted
    assert journal.noted(draft, "other") is None
