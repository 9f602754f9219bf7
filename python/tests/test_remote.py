"""A runtime in another process: the same results and the same errors, for those who have the
key."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import outhaul
from outhaul.runtime.events import listening


@pytest.fixture
def remote(address, key):
    runtime = outhaul.connect(address)
    yield runtime
    runtime.close()


def test_a_graph_runs_there(remote, numbers):
    process = os.getpid()

    def elsewhere(part):
        assert os.getpid() != process
        return part * 2

    with remote:
        lazy = outhaul.from_array(numbers, chunks=16).map(elsewhere)
        np.testing.assert_array_equal(lazy.compute(), numbers * 2)
        assert lazy.explain().stages[0].measured == 16


def test_files_are_those_of_its_machine(remote, numbers, tmp_path):
    np.save(tmp_path / "in.npy", numbers)
    lazy = remote.from_npy(str(tmp_path / "in.npy"), chunks=16).map(np.sqrt)
    lazy.to_npy(tmp_path / "out.npy", remote)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sqrt(numbers))
    with pytest.raises(FileNotFoundError):
        remote.from_npy(str(tmp_path / "none.npy"))


def test_more_than_one_message(remote):
    """Requests and results go in pieces."""
    large = np.arange(1 << 20, dtype="f8")
    np.testing.assert_array_equal(
        outhaul.from_array(large, chunks=2000).map(np.negative).compute(remote), -large
    )


def test_into_an_array_of_ones_own(remote, numbers):
    out = np.empty_like(numbers)
    assert outhaul.from_array(numbers, chunks=16).map(np.sqrt).compute(remote, out=out) is out
    np.testing.assert_array_equal(out, np.sqrt(numbers))


def test_sort_and_dask(remote):
    numbers = np.random.default_rng(1).random(10_000)
    np.testing.assert_array_equal(
        outhaul.from_array(numbers, chunks=2000).sort().compute(remote), np.sort(numbers)
    )
    da = pytest.importorskip("dask.array")
    total = (da.from_array(numbers, chunks=2000) * 2).sum()
    np.testing.assert_allclose(total.compute(scheduler=outhaul.dask_get(remote)), numbers.sum() * 2)


def test_progress_and_errors_come_back(remote, numbers, tmp_path):
    def fails(part):
        raise ZeroDivisionError("over there")

    lazy = outhaul.from_array(numbers, chunks=16).map(fails)
    with (
        outhaul.trace(tmp_path / "run.json") as trace,
        pytest.raises(
            outhaul.SubtaskError, match=r"`fails\[\d+\]`: ZeroDivisionError on GPU \d: over there"
        ) as caught,
    ):
        lazy.compute(remote)
    assert caught.value.subtask.startswith("fails[")
    assert {event["cat"] for event in trace.events if event["ph"] == "X"} == {"load"}
    with pytest.raises(outhaul.GraphError, match="needs 131072 bytes"):
        outhaul.from_array(numbers, chunks=128).map(np.sqrt).compute(remote)


def test_a_client_that_is_gone_ends_its_run(remote, numbers, tmp_path):
    def gated(part):
        """The first partition at once, the others when the gate is open."""
        (folder / f"{part[0, 0]}").touch()
        while part[0, 0] and not (folder / "gate").exists():
            pass
        return part

    class Leaves:
        def began(self, subtasks, gpus):
            pass

        def ended(self, span):
            if span.kind == "compute":
                raise KeyboardInterrupt

    folder = tmp_path
    lazy = outhaul.from_array(np.arange(4096.0).reshape(64, 64), chunks=2).map(gated)
    with listening(Leaves()), pytest.raises(KeyboardInterrupt):
        lazy.compute(remote)
    lazy.explain(remote)  # on the same connection, so the server has seen that the client left
    (folder / "gate").touch()
    np.testing.assert_array_equal(
        outhaul.from_array(numbers, chunks=16).map(np.sqrt).compute(remote), np.sqrt(numbers)
    )
    assert len(os.listdir(folder)) < 10


def test_without_the_key_nothing_runs(address, numbers):
    with pytest.raises(outhaul.RuntimeUnreachable, match="the key is wrong"):
        outhaul.from_array(numbers, chunks=16).map(np.sqrt).compute(
            outhaul.connect(address, "guess")
        )


def test_nobody_there(key, numbers):
    with pytest.raises(outhaul.RuntimeUnreachable, match="127.0.0.1:1"):
        outhaul.from_array(numbers, chunks=16).map(np.sqrt).compute(outhaul.connect("127.0.0.1:1"))


def test_it_listens_on_this_machine_only_unless_told():
    from outhaul.runtime.protocol import DEFAULT_ADDRESS

    assert DEFAULT_ADDRESS.startswith("127.0.0.1:")


def test_a_long_chain(remote):
    lazy = outhaul.from_array(np.zeros(8), chunks=4)
    for _ in range(1000):
        lazy = lazy.map(lambda part: part + 1)
    both = lazy.zip(lazy, np.add)
    np.testing.assert_array_equal(both.compute(remote), np.full(8, 2000.0))


def test_more_clients_than_calls_at_a_time(address, key):
    lazy = outhaul.from_array(np.arange(16.0), chunks=4).map(
        lambda part: (time.sleep(0.02), part + 1)[1]
    )

    def client():
        runtime = outhaul.connect(address)
        try:
            return lazy.compute(runtime)
        finally:
            runtime.close()

    with ThreadPoolExecutor(40) as pool:
        for result in [pool.submit(client) for _ in range(40)]:
            np.testing.assert_array_equal(result.result(), np.arange(16.0) + 1)


def test_a_function_that_ends_the_program_ends_its_run_only(remote, numbers):
    with pytest.raises(outhaul.SubtaskError, match="SystemExit on GPU"):
        outhaul.from_array(numbers, chunks=16).map(lambda part: sys.exit(3)).compute(remote)
    np.testing.assert_array_equal(
        outhaul.from_array(numbers, chunks=16).map(np.sqrt).compute(remote), np.sqrt(numbers)
    )
