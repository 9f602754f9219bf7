"""What is said of a graph before, while and after it runs."""

import io
import json
import threading
import xml.etree.ElementTree

import numpy as np
import pytest

import outhaul


def doubled(part):
    return part * 2


def test_explain_counts_what_then_happens(runtime, numbers):
    lazy = outhaul.from_array(numbers, chunks=32).map(doubled).map(np.sqrt)
    before = lazy.explain(runtime)
    [stage] = before.stages
    assert (stage.subtasks, stage.measured, stage.given_bytes, stage.result_bytes) == (
        16,
        0,
        numbers.nbytes,
        numbers.nbytes,
    )
    assert stage.moved_bytes["load"] == numbers.nbytes
    assert 0 < stage.bound_s <= stage.makespan_s
    assert all(0 < peak <= before.capacity_bytes for peak in stage.peak_bytes)
    lazy.compute(runtime)
    assert runtime.last.moved_bytes("load") == numbers.nbytes
    [stage] = lazy.explain(runtime).stages
    assert stage.measured == 16
    assert "16 subtasks of kinds measured here, 0 guessed" in str(lazy.explain(runtime))


def test_explain_a_sort_in_two_graphs(runtime):
    explained = (
        outhaul.from_array(np.arange(4000.0), chunks=1000).sort().explain(runtime, policy="fifo")
    )
    assert [stage.subtasks for stage in explained.stages] == [4, 4]


def test_pictures(runtime, numbers, tmp_path):
    lazy = outhaul.from_array(numbers, chunks=64).map(doubled)
    drawn = outhaul.visualize(lazy, tmp_path / "graph.svg")
    assert drawn == (tmp_path / "graph.svg").read_text()
    names = [
        text.text
        for text in xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert names == [f"array[{i}]" for i in range(4)] + [f"doubled[{i}]" for i in range(4)]
    xml.etree.ElementTree.fromstring(
        lazy.map(np.sqrt).visualize(kind="schedule", runtime=outhaul.Runtime("host", memory="1 MB"))
    )


def test_progress_counts_subtasks(runtime, numbers):
    shown = io.StringIO()
    with outhaul.progress(shown):
        outhaul.from_array(numbers, chunks=32).map(doubled).compute(runtime)
    assert "8/8" in shown.getvalue() and "2 GPUs" in shown.getvalue()


def test_a_trace_has_a_lane_for_each_kind(runtime, numbers, tmp_path):
    with outhaul.trace(tmp_path / "run.json"):
        outhaul.from_array(numbers, chunks=32).map(doubled).to_npy(tmp_path / "out.npy", runtime)
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    done = [event for event in events if event["ph"] == "X"]
    count = lambda kind: sum(event["cat"] == kind for event in done)
    assert [count(kind) for kind in ("compute", "load", "store", "write")] == [8, 8, 8, 8]
    assert sum(event["args"]["bytes"] for event in done if event["cat"] == "load") == numbers.nbytes
    lanes = {(event["pid"], event["tid"]): event["cat"] for event in done}
    assert len(lanes) == 7, "compute, load, store of two GPUs, and writes"


def test_costs_are_kept_in_a_file(numbers, tmp_path):
    lazy = outhaul.from_array(numbers, chunks=32).map(doubled)
    lazy.compute(outhaul.Runtime("host", memory="64 KB", costs=tmp_path / "costs.json"))
    later = outhaul.Runtime("host", memory="64 KB", costs=tmp_path / "costs.json")
    assert lazy.explain(later).stages[0].measured == 8


@pytest.mark.parametrize("policy", ["ours", "victream", "locality"])
def test_the_next_partition_loads_while_one_computes(policy):
    """No clock: a subtask waits until its GPU has begun to load for the next one, which would never
    be if loads waited for computing."""
    runtime = outhaul.Runtime("host", gpus=1, memory="64 KB")
    device = runtime.backend.devices[0]
    loaded = threading.Condition()
    load = device.load

    def counting(host, buffer):
        load(host, buffer)
        with loaded:
            loaded.notify_all()

    device.load = counting
    done = []

    def patient(part):
        done.append(1)
        with loaded:
            ahead = loaded.wait_for(lambda: device.loads > len(done) or len(done) == 8, timeout=120)
        assert ahead, "nothing was loaded while this ran"
        return part + 1

    lazy = outhaul.from_array(np.zeros((8, 1000)), chunks=(1, 1000)).map(patient)
    np.testing.assert_array_equal(
        outhaul.compute(lazy, runtime=runtime, policy=policy)[0], np.ones((8, 1000))
    )
