"""What lazy arrays are made of, parents first, and the sorts among it, whose first halves must run before the graph is known."""

from itertools import accumulate, pairwise

import numpy as np

from .array import Array
from .nodes import Merged, Sort


def lineage(arrays, replaced=None):
    """Every array that these are made of, and they themselves, each after what it is made of."""
    order, seen, stack = [], set(), [(array, False) for array in reversed(arrays)]
    while stack:
        array, entered = stack.pop()
        array = (replaced or {}).get(id(array), array)
        if entered:
            order.append(array)
        elif id(array) not in seen:
            seen.add(id(array))
            stack.append((array, True))
            stack.extend((parent, False) for parent in reversed(array.node.parents()))
    return order


def resolve_sorts(arrays, compute):
    """Runs the first half of every sort by `compute(array, replaced)`; what to put in the sorts' places, by id."""
    replaced = {}
    for array in lineage(arrays):
        if isinstance(array.node, Sort):
            replaced[id(array)] = merged(array, compute(array.node.runs, replaced))
    return replaced


def merged(array, values):
    """The second half of a sort: `values` are its sorted runs, end to end. Partitions come out exactly as long as they went in."""
    ends = [0, *accumulate(array.chunks[0])]
    runs = [values[start:end] for start, end in pairwise(ends)]
    cuts = [cut_at(runs, rank) for rank in ends]
    pieces = tuple(tuple(run[a:b] for run, a, b in zip(runs, low, high)) for low, high in pairwise(cuts))
    return Array(Merged(pieces), array.chunks, array.dtype)


def evenly_merged(array):
    """As `merged` before anything has run, every cut in proportion; for plans only."""
    nothing = np.broadcast_to(np.zeros((), array.dtype), array.shape)
    lengths = array.chunks[0]
    ends = [0, *accumulate(lengths)]
    share = lambda n, rank: n * rank // ends[-1]
    pieces = tuple(tuple(nothing[share(n, low) : share(n, high)] for n in lengths) for low, high in pairwise(ends))
    return Array(Merged(pieces), array.chunks, array.dtype)


def cut_at(runs, rank):
    """Where to cut each sorted run so that `rank` elements lie before the cuts and none of them is greater than one behind."""
    low, high = [0] * len(runs), [len(run) for run in runs]
    while True:
        widest = max(range(len(runs)), key=lambda i: high[i] - low[i])
        if high[widest] == low[widest]:
            return low
        pivot = runs[widest][(low[widest] + high[widest]) // 2]
        left, right = ([int(np.searchsorted(run, pivot, side)) for run in runs] for side in ("left", "right"))
        if sum(left) > rank:
            high = [min(a, b) for a, b in zip(high, left)]
        elif sum(right) < rank:
            low = [max(a, b) for a, b in zip(low, right)]
        else:
            return share_ties(left, right, rank)


def share_ties(left, right, rank):
    """Elements equal to the pivot go before the cut until there are enough."""
    missing = rank - sum(left)
    cut = []
    for a, b in zip(left, right):
        taken = min(missing, b - a)
        missing -= taken
        cut.append(a + taken)
    return cut
