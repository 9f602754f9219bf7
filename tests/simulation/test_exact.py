"""Checks the exact search with CP-SAT: its proven makespan is reachable, and one slot less is not.

Run: cargo build --release -p outhaul-dag --example sim_dag
     python3 -m venv target/venv-dag && target/venv-dag/bin/pip install ortools pytest
     target/venv-dag/bin/pytest tests/simulation
"""

import pytest

from instances import INSTANCES, SLOT_MS, simulate
from slots import feasible

SECONDS_MAX = 120
AGREED_MIN = 20
agreed = []


@pytest.mark.parametrize("instance", INSTANCES, ids=str)
def test_best_is_what_cp_sat_proves(instance):
    row = simulate(instance.flags(), "ours,best")["best"]
    slots, rest = divmod(row["makespan_ns"], SLOT_MS * 1_000_000)
    assert rest == 0
    assert feasible(instance, slots, SECONDS_MAX) is True
    shorter = feasible(instance, slots - 1, SECONDS_MAX)
    assert not (shorter and row["proven"]), "CP-SAT found a shorter schedule than the proven best"
    if shorter is None or not row["proven"]:
        pytest.skip(
            f"not proven by {'CP-SAT' if shorter is None else 'the exact search'} in time; no "
            f"contradiction"
        )
    agreed.append(instance)


def test_enough_instances_are_proven_by_both():
    assert len(agreed) >= AGREED_MIN
