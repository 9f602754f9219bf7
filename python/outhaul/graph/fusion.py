"""Chains of functions of elements as one subtask: `(a * 2 + 1) / b` loads a and b, and makes no
partitions of intermediate values. An array that several others read, or that a program wants, is
made once, by its own subtask. So is an array whose function would exceed the scratch memory."""

from __future__ import annotations

import collections
import math

from .. import chunks as grid
from ..arrays.array import Array
from ..arrays.elementwise import Elementwise
from ..subtasks.expression import Input, renumbered, temporaries
from .ancestors import ancestors_of

CALLS_MAX = 32
"""Maximum number of functions in one subtask."""


def fused(arrays, replaced, scratch_bytes=math.inf):
    """Returns replacements for arrays, by id, in addition to earlier ones."""
    order = ancestors_of(arrays, replaced)
    readers = collections.Counter(
        id(resolved(parent, replaced)) for array in order for parent in array.node.parents()
    )
    wanted = {id(resolved(array, replaced)) for array in arrays}
    nodes, added = {}, {}
    for array in order:
        if not isinstance(array.node, Elementwise):
            continue
        node = array.node
        for parent in node.arrays:
            inner = nodes.get(id(resolved(parent, replaced)))
            if (
                inner
                and readers[id(resolved(parent, replaced))] == 1
                and id(resolved(parent, replaced)) not in wanted
                and parent.chunks == array.chunks
            ):
                joined = Elementwise(*inlined(node, parent, inner))
                if is_small(joined, array, scratch_bytes):
                    node = joined
        nodes[id(array)] = node
        if node is not array.node:
            added[id(array)] = Array(node, array.chunks, array.dtype)
            added[id(array)].line = array.line
    return {**replaced, **added}


def resolved(array, replaced):
    """Returns the array's replacement, or its current state."""
    return replaced.get(id(array.value), array).value


def inlined(node, parent, inner):
    """Returns the tree and the arrays of a node, with one parent replaced by its own tree."""
    kept = [each for each in node.arrays if each is not parent]
    at = {id(each): Input(i) for i, each in enumerate(kept)}
    behind = renumbered(inner.tree, lambda number: Input(len(kept) + number))
    tree = renumbered(node.tree, lambda number: at.get(id(node.arrays[number]), behind))
    return tree, (*kept, *inner.arrays)


def is_small(node, array, scratch_bytes):
    """Returns whether the intermediate values of its function fit into the scratch memory."""
    calls, held = temporaries(node.tree)
    itemsize = max(8, array.dtype.itemsize, *(each.dtype.itemsize for each in node.arrays))
    return calls <= CALLS_MAX and held * grid.largest_part(array.chunks) * itemsize <= scratch_bytes
