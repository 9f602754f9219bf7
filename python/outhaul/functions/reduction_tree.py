"""Reductions as trees of subtasks: each partition becomes a state, states merge in small groups,
and the last state becomes the result. The reducer defines the state; the tree knows how many
elements it stands for."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import chunks as grid
from ..arrays.array_nodes import Node, specs_of

FAN_IN = 8
"""Number of states that merge at a time."""


@dataclass(frozen=True)
class Step:
    """One step of a reduction: from a partition or from states, to a state or to the result.
    `counts` are the numbers of elements that each input stands for."""

    reducer: Any
    axes: tuple
    counts: tuple
    place: tuple
    is_first: bool
    is_last: bool

    @property
    def key(self):
        return f"{self.reducer.key} {self.axes} {self.is_first} {self.is_last}"

    def __call__(self, device, inputs, out):
        xp = device.xp
        with np.errstate(all="ignore"):
            state = (
                self.reducer.first(xp, inputs[0], self.axes, self.place, *inputs[1:])
                if self.is_first
                else self.reducer.merge(xp, inputs, self.counts)
            )
            result = self.reducer.finish(xp, state, sum(self.counts)) if self.is_last else state
        out[...] = result.reshape(out.shape)


@dataclass(frozen=True, eq=False)
class Reduced(Node):
    """An array with some axes reduced by a reducer."""

    array: Any
    axes: tuple
    reducer: Any

    def expand(self, flow, array):
        label = flow.label(self.reducer.name)
        groups = list(self.groups(flow))
        names = [label + grid.suffix(array.chunks, at) for at in grid.positions(array.chunks)]
        return [
            self.tree(flow, name, group, spec)
            for name, group, spec in zip(names, groups, specs_of(array))
        ]

    def groups(self, flow):
        """Returns for each partition of the result its input partitions, with their shapes and
        positions."""
        groups = {}
        placed = zip(
            grid.positions(self.array.chunks),
            grid.indices(self.array.chunks),
            flow.expand(self.array),
        )
        for at, index, p in placed:
            key = tuple(i for axis, i in enumerate(at) if axis not in self.axes)
            groups.setdefault(key, []).append(
                (p, grid.part_shape(self.array.chunks, at), tuple(part.start for part in index))
            )
        for group in groups.values():
            # An empty partition has no greatest element either, and adds nothing to a sum.
            yield [
                each for each in group if math.prod(each[1][axis] for axis in self.axes)
            ] or group[:1]

    def tree(self, flow, name, group, spec):
        count = lambda shape: math.prod(shape[axis] for axis in self.axes)
        shape = tuple(1 if axis in self.axes else n for axis, n in enumerate(group[0][1]))
        state = self.reducer.state(shape)
        place = lambda starts: (starts, self.array.shape) if self.reducer.is_placed else ()
        only = len(group) == 1
        step = lambda each: Step(
            self.reducer, self.axes, (count(each[1]),), place(each[2]), True, only
        )
        if only:
            return flow.subtask(name, step(group[0]), [group[0][0]], spec)
        if self.reducer.is_chained:
            return self.chain(flow, name, group, state, spec)
        level = [
            (flow.subtask(f"{name} part {i}", step(each), [each[0]], state), count(each[1]))
            for i, each in enumerate(group)
        ]
        depth = 0
        while len(level) > 1:
            some = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            depth, last = depth + 1, len(some) == 1
            level = [
                self.merged(
                    flow,
                    name if last else f"{name}/{depth}[{i}]",
                    each,
                    spec if last else state,
                    last,
                )
                for i, each in enumerate(some)
            ]
        return level[0][0]

    def chain(self, flow, name, group, state, spec):
        before = []
        for i, (p, _, starts) in enumerate(group):
            last = i == len(group) - 1
            step = Step(self.reducer, self.axes, (), (), True, last)
            label = name if last else f"{name} part {i}"
            before = [flow.subtask(label, step, [p, *before], spec if last else state)]
        return before[0]

    def merged(self, flow, name, states, spec, last):
        counts = tuple(count for _, count in states)
        if len(states) == 1 and not last:
            return states[0]
        step = Step(self.reducer, self.axes, counts, (), False, last)
        return flow.subtask(name, step, [p for p, _ in states], spec), sum(counts)
