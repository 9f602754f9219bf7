"""What is learned of costs: plans and `explain` stand on it."""

import numpy as np
import pytest

import outhaul
from outhaul.runtime.lane import Span
from outhaul.graph.costs import occupied
from outhaul.graph.transfer_costs import Transfers, line


def test_a_line_through_transfers_of_two_sizes():
    latency_ns, ns_per_byte = line([(1_000, 20_020), (64_000_000, 1_300_000)])
    assert latency_ns == pytest.approx(20_000, rel=0.01) and ns_per_byte == pytest.approx(
        0.02, rel=0.01
    )


@pytest.mark.parametrize(
    "points", [[(1 << 26, 1_300_000)], [(4_000, 50_000), (1 << 20, 40_000)], [(1, 0)]]
)
def test_no_line_is_negative(points):
    latency_ns, ns_per_byte = line(points)
    assert latency_ns >= 0 and ns_per_byte >= 0


def test_small_pieces_leave_the_rate_of_large_ones_alone():
    transfers = Transfers(1e9)
    transfers.learn([(64_000_000, 1_300_000)] * 4)
    transfers.learn([(4_000_000, 180_000)] * 40)
    assert transfers.rate == pytest.approx(53.6e9, rel=0.02)
    assert transfers.latency_ns == pytest.approx(105_000, rel=0.05)


def test_a_lane_is_occupied_until_its_work_is_known_to_be_done():
    first = Span(("load", 0, 0, None), "a", 10, issued_ns=100, settled_ns=150)
    queued = Span(("load", 1, 0, None), "b", 10, issued_ns=110, settled_ns=190)
    beside = Span(("load", 2, 1, None), "c", 10, issued_ns=110, settled_ns=200)
    taken = lambda **how: [ns for _, ns in occupied([queued, beside, first], **how)]
    assert taken() == [50, 40, 90]
    assert taken(shared_link=True) == [50, 40, 10]


def test_costs_outlive_the_runtime(tmp_path):
    lazy = outhaul.from_array(np.arange(4096.0), chunks=512).map(np.sqrt)
    first = outhaul.Runtime("host", memory="16 KB", costs=tmp_path / "costs.json")
    lazy.compute(first)
    second = outhaul.Runtime("host", memory="16 KB", costs=tmp_path / "costs.json")
    assert lazy.explain(second).makespan_s == lazy.explain(first).makespan_s
    [stage] = lazy.explain(second).stages
    assert stage.measured == stage.subtasks


def test_a_sort_is_known_after_one(tmp_path):
    """Where it cuts depends on the data, so that no two merges have one shape."""
    runtime = outhaul.Runtime("host", memory="1 MB")
    lazy = outhaul.from_array(np.random.default_rng(1).random(4000), chunks=1000).sort()
    lazy.compute(runtime)
    assert all(stage.measured == stage.subtasks for stage in lazy.explain(runtime).stages)
