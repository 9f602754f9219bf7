"""Simulated costs of running arrays: subtasks, bytes, a lower bound of the time for any schedule,
and the time and memory with this policy. Costs are measured if a subtask of the kind has run here,
otherwise guessed from bytes; the text says which."""

import math
from dataclasses import dataclass, field

import numpy as np

from .._dag import simulate as simulate_plan
from ..arrays.array_nodes import Sort
from ..errors import GraphError
from ..files.sinks import ArraySink
from ..files.spool import Spool
from ..sizes import counted, format_bytes
from .ancestors import ancestors_of
from .fusion import fused
from .graph_builder import Flow
from .sort_passes import merged
from .sort_splits import evenly


@dataclass
class Stage:
    """One graph. A sort ends a graph, and the next one begins."""

    subtasks: int
    measured: int
    partitions: int
    given_bytes: int
    result_bytes: int
    moved_bytes: dict
    bound_s: float
    makespan_s: float
    peak_bytes: list
    gantt: str = field(repr=False)

    def __str__(self):
        moved = ", ".join(
            f"{kind} {format_bytes(count)}" for kind, count in self.moved_bytes.items() if count
        )
        guessed = self.subtasks - self.measured
        return "\n".join(
            [
                f"  {counted(self.subtasks, 'subtask')} over "
                f"{counted(self.partitions, 'partition')}; "
                f"{format_bytes(self.given_bytes)} given, {format_bytes(self.result_bytes)} wanted",
                f"  moves: {moved or 'nothing'}",
                f"  no schedule is faster than {self.bound_s * 1e3:.4g} ms; simulated: "
                f"{self.makespan_s * 1e3:.4g} ms ({self.makespan_s / max(self.bound_s, 1e-12):.2f} "
                f"times that)",
                f"  peak memory: {', '.join(map(format_bytes, self.peak_bytes))}",
                f"  costs: {self.measured} subtasks of kinds measured here, {guessed} guessed",
            ]
        )


@dataclass
class Explanation:
    """The simulated costs of a run, stage by stage."""

    policy: str
    gpus: int
    capacity_bytes: int
    stages: list

    @property
    def makespan_s(self):
        return sum(stage.makespan_s for stage in self.stages)

    def __str__(self):
        gpus = f"{self.gpus} GPU{'s' if self.gpus > 1 else ''}"
        head = f"{self.policy} on {gpus} of {format_bytes(self.capacity_bytes)} for partitions"
        parts = [
            f"graph {i} of {len(self.stages)}:\n{stage}" if len(self.stages) > 1 else str(stage)
            for i, stage in enumerate(self.stages, 1)
        ]
        return "\n".join([head, *parts])


def flows(arrays, scratch_bytes=math.inf):
    """Returns the graphs that computing these arrays takes, in order. Assumes that sorts cut
    evenly."""
    done, replaced = [], {}

    def imagine(stage):
        done.append(flow_of([stage], replaced, scratch_bytes))
        return Spool(np.broadcast_to(np.zeros((), stage.dtype), stage.shape))

    for array in ancestors_of(arrays):
        if isinstance(array.node, Sort):
            replaced[id(array)] = merged(array, imagine, evenly)
    return [flow for flow in [*done, flow_of(arrays, replaced, scratch_bytes)] if flow.subtasks]


def flow_of(arrays, replaced, scratch_bytes=math.inf):
    """Returns the graph that computes these arrays."""
    flow = Flow(replaced=fused(arrays, replaced, scratch_bytes))
    for array in arrays:
        flow.want(flow.expand(array), ArraySink(array))
    return flow.without_unwanted()


def simulate(flow, costs, machine, policy, effort):
    """Simulates a stage. It plans with the effort of a run, so that the result is what a run would
    do."""
    try:
        simulation = simulate_plan(flow.checked(costs), machine, policy, effort=effort)
    except GraphError as error:
        raise flow.advised(error) from None
    moved = dict.fromkeys(["load", "store", "peer", "read", "write"], 0)
    for (kind, id, _, _), _, _ in simulation.spans():
        if kind != "compute":
            moved[kind] += flow.partitions[id].spec.nbytes
    return Stage(
        subtasks=len(flow.subtasks),
        measured=sum(costs.has_run(flow.kind_of(subtask).function) for subtask in flow.subtasks),
        partitions=len(flow.partitions),
        given_bytes=sum(p.spec.nbytes for p in flow.partitions if p.source is not None),
        result_bytes=sum(p.spec.nbytes for p in flow.partitions if p.sinks),
        moved_bytes=moved,
        bound_s=simulation.bound_ns / 1e9,
        makespan_s=simulation.makespan_ns / 1e9,
        peak_bytes=simulation.peak_bytes,
        gantt=simulation.gantt(f"{policy}, simulated"),
    )
