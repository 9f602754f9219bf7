"""The passes of sorts. All but the last run before the graph is known, because the pieces of the
last depend on the data."""

from itertools import accumulate

import numpy as np

from ..arrays.array import Array
from ..arrays.array_nodes import Merged, Sort
from .ancestors import ancestors_of
from .sort_splits import cuts

FAN_IN_MAX = 128
"""Maximum number of sorted runs that are merged at a time. More runs take another pass over the
data; no pass takes more pieces than this for each partition."""


def resolve_sorts(arrays, compute):
    """Runs all but the last pass of every sort. `compute(array, replaced)` computes an array and
    returns a spool. Returns the replacements of the sorts, by id."""
    replaced = {}
    for array in ancestors_of(arrays):
        if isinstance(array.node, Sort):
            replaced[id(array)] = merged(array, lambda stage: compute(stage, replaced))
    return replaced


def merged(array, compute, cut=cuts):
    """Returns a sort's last pass. Sorts each partition, then merges `FAN_IN_MAX` runs at a time
    until one run is left. Partitions of every pass are exactly as long as the array's own."""
    ends = np.array([0, *accumulate(array.chunks[0])])
    runs = [(i, i + 1) for i in range(array.partitions)]
    fan_in = fan_in_for(len(runs))
    stage = array.node.runs
    while len(runs) > 1:
        groups = [runs[i : i + fan_in] for i in range(0, len(runs), fan_in)]
        stage = Array(
            merge_pass(compute(stage), ends, groups, fan_in, cut), array.chunks, array.dtype
        )
        runs = [(group[0][0], group[-1][1]) for group in groups]
    return stage


def merge_pass(spool, ends, groups, fan_in, cut):
    """Runs one pass: the runs of each group, as pairs of partition numbers, become one run of the
    same partitions."""
    starts, stops = (np.zeros((len(ends) - 1, fan_in), np.int64) for _ in range(2))
    for group in groups:
        first, last = group[0][0], group[-1][1]
        runs = [spool.values[ends[a] : ends[b]] for a, b in group]
        places = cut(runs, ends[first : last + 1] - ends[first]) + ends[[a for a, _ in group]]
        starts[first:last, : len(group)], stops[first:last, : len(group)] = places[:-1], places[1:]
    return Merged(spool, starts, stops)


def fan_in_for(runs):
    """Returns the least fan-in that needs no more passes than `FAN_IN_MAX`."""
    passes = 1
    while FAN_IN_MAX**passes < runs:
        passes += 1
    return next(k for k in range(2, FAN_IN_MAX + 1) if k**passes >= runs)
