"""Nodes that lazy arrays are made by. A node expands into partitions and subtasks when a graph is
built; until then it only stores its inputs."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .. import chunks as grid
from ..errors import GraphError
from ..files.spool import Pieces
from ..subtasks import subtask_functions
from ..subtasks.partition_spec import Spec

PIECES_MAX = 1 << 12
"""Maximum number of pieces of sorted runs that GPUs load one by one in one pass. With more, the
host first joins the pieces of a partition."""


def specs_of(array):
    """Returns the Spec of each partition, in order."""
    return [
        Spec(grid.part_shape(array.chunks, at), array.dtype) for at in grid.positions(array.chunks)
    ]


class Node:
    """Base class of nodes."""

    def __post_init__(self):
        """Replaces arrays by their current state, so that later assignments do not change the
        node."""
        for field in fields(self):
            value = getattr(self, field.name)
            if hasattr(value, "node"):
                object.__setattr__(self, field.name, value.value)
            elif isinstance(value, tuple) and any(hasattr(each, "node") for each in value):
                object.__setattr__(
                    self, field.name, tuple(getattr(each, "value", each) for each in value)
                )

    def parents(self):
        """The arrays that it reads."""
        values = (getattr(self, field.name) for field in fields(self))
        every = (v for value in values for v in (value if isinstance(value, tuple) else (value,)))
        return [v for v in every if hasattr(v, "node")]


@dataclass(frozen=True, eq=False)
class Given(Node):
    """Partitions from readers, in order."""

    name: str
    readers: tuple

    def expand(self, flow, array):
        label = flow.label(self.name)
        at = grid.positions(array.chunks)
        return [
            flow.given(label + grid.suffix(array.chunks, i), spec, reader)
            for i, spec, reader in zip(at, specs_of(array), self.readers)
        ]


@dataclass(frozen=True, eq=False)
class Map(Node):
    """f of the partitions of several arrays at one position. Every subtask gets the partition of an
    array that has only one."""

    f: Any
    arrays: tuple

    def expand(self, flow, array):
        columns = [flow.expand(a) for a in self.arrays]
        label, function = (
            flow.label(subtask_functions.name_of(self.f)),
            subtask_functions.Apply(self.f),
        )
        out = []
        for i, (at, spec) in enumerate(zip(grid.positions(array.chunks), specs_of(array))):
            inputs = [column[i] if len(column) > 1 else column[0] for column in columns]
            out.append(flow.subtask(label + grid.suffix(array.chunks, at), function, inputs, spec))
        return out


@dataclass(frozen=True, eq=False)
class Together(Node):
    """f of the partitions of arrays with equal grids at one position; f fills its result itself."""

    name: str
    f: Any
    arrays: tuple

    def expand(self, flow, array):
        label = flow.label(self.name)
        columns = zip(*(flow.expand(each) for each in self.arrays))
        placed = zip(grid.positions(array.chunks), columns, specs_of(array))
        return [
            flow.subtask(label + grid.suffix(array.chunks, at), self.f, inputs, spec)
            for at, inputs, spec in placed
        ]


@dataclass(frozen=True, eq=False)
class MapOverlap(Node):
    """f of each partition with `depth` rows of its neighbours along an axis."""

    f: Any
    array: Any
    depth: int
    axis: int
    boundary: Any

    def expand(self, flow, array):
        parts = flow.expand(self.array)
        shape = grid.grid_of(array.chunks)
        numbers = np.arange(len(parts)).reshape(shape)
        label = flow.label(subtask_functions.name_of(self.f))
        out = []
        for at, spec in zip(grid.positions(array.chunks), specs_of(array)):
            near = [
                at[: self.axis] + (at[self.axis] + step,) + at[self.axis + 1 :]
                for step in (-1, 0, 1)
            ]
            before, after = near[0][self.axis] >= 0, near[2][self.axis] < shape[self.axis]
            inputs = [parts[numbers[n]] for n in near if 0 <= n[self.axis] < shape[self.axis]]
            function = subtask_functions.Overlap(
                self.f, self.depth, self.axis, self.boundary, before, after
            )
            out.append(flow.subtask(label + grid.suffix(array.chunks, at), function, inputs, spec))
        return out


@dataclass(frozen=True, eq=False)
class Reduce(Node):
    """A tree of subtasks that each combine up to `fan_in` partitions."""

    f: Any
    array: Any
    fan_in: int

    def expand(self, flow, array):
        level = flow.expand(self.array)
        (spec,) = specs_of(array)
        label = flow.label(f"reduce {subtask_functions.name_of(self.f)}")
        depth = 0
        while len(level) > 1:
            groups = [level[i : i + self.fan_in] for i in range(0, len(level), self.fan_in)]
            level = [
                self.one(flow, f"{label}/{depth}[{i}]", group, spec)
                for i, group in enumerate(groups)
            ]
            depth += 1
        return level

    def one(self, flow, name, group, spec):
        return (
            flow.subtask(name, subtask_functions.Combine(self.f), group, spec)
            if len(group) > 1
            else group[0]
        )


@dataclass(frozen=True, eq=False)
class Matmul(Node):
    """One subtask per product of two tiles, chained over the inner axis."""

    a: Any
    b: Any

    def expand(self, flow, array):
        a, b = flow.expand(self.a), flow.expand(self.b)
        rows, inner = grid.grid_of(self.a.chunks)
        cols = grid.grid_of(self.b.chunks)[1]
        label = flow.label("matmul")
        sums = {}
        for k in range(inner):
            for at, spec in zip(grid.positions(array.chunks), specs_of(array)):
                i, j = at
                inputs = [a[i * inner + k], b[k * cols + j]] + ([sums[at]] if k else [])
                sums[at] = flow.subtask(
                    f"{label}[{i},{j},{k}]", subtask_functions.MultiplyAdd(), inputs, spec
                )
        return [sums[at] for at in grid.positions(array.chunks)]


@dataclass(frozen=True, eq=False)
class SortEach(Node):
    """Sorts each partition by itself."""

    array: Any

    def expand(self, flow, array):
        label = flow.label("sort")
        parts = zip(grid.positions(array.chunks), flow.expand(self.array), specs_of(array))
        return [
            flow.subtask(
                label + grid.suffix(array.chunks, at), subtask_functions.SortOne(), [p], spec
            )
            for at, p, spec in parts
        ]


@dataclass(frozen=True, eq=False)
class Sort(Node):
    """Sorts each partition, then cuts the runs at common splitters and merges them. The cuts are
    known only after the first passes, so a graph ends there and a second one begins. The runtime
    replaces this array by `merged`. If it is expanded unreplaced, cuts are assumed to be even."""

    runs: Any

    def expand(self, flow, array):
        raise GraphError("a sort is expanded by a runtime, in two graphs")


@dataclass(frozen=True, eq=False)
class Merged(Node):
    """Merges sorted runs. Partition j has the stretches of the spool from `starts[j]` to
    `stops[j]`, one of each run."""

    spool: Any
    starts: np.ndarray
    stops: np.ndarray

    def expand(self, flow, array):
        label = flow.label("merge")
        one_by_one = self.spool.file is None and self.starts.size <= PIECES_MAX
        out = []
        for at, spec, starts, stops in zip(
            grid.positions(array.chunks), specs_of(array), self.starts, self.stops
        ):
            name = label + grid.suffix(array.chunks, at)
            if one_by_one:
                pairs = [(a, b) for a, b in zip(starts.tolist(), stops.tolist()) if a < b]
                inputs = [
                    flow.given(
                        f"{name} piece {i}", Spec((b - a,), spec.dtype), self.spool.part(a, b)
                    )
                    for i, (a, b) in enumerate(pairs)
                ]
            else:
                inputs = [flow.given(f"{name} pieces", spec, Pieces(self.spool, starts, stops))]
            out.append(flow.subtask(name, subtask_functions.Merge(), inputs, spec))
        return out
