"""Dask graphs on a runtime: `dask_array.compute(scheduler=outhaul.dask_get(runtime))`. Each task
becomes a subtask with its own function. The scheduler needs sizes in advance, which Dask does not
know. So each kind of task (one function on inputs of certain shapes) first runs once on the host
with ones. Tasks that create data (a chunk of a Zarr array, random numbers) run on the host while
GPUs compute, each when it is needed."""

import functools
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SubtaskError
from ..files.sinks import Values
from ..files.sources import Memory
from ..graph.graph_builder import Flow
from ..runtime import current
from .graph_reader import (
    Source,
    fused_parts,
    graph_nodes,
    inner_names,
    is_finalize,
    is_fused,
    kind_of_source,
    signature,
    wanted,
)
from .value_layout import Layout


def dask_get(runtime=None):
    """Returns a scheduler for Dask that uses one host's GPUs. For several hosts, let
    dask.distributed move groups of partitions, with a runtime for each worker."""

    def get(graph, keys, **_):
        nodes, chosen = graph_nodes(graph, keys), runtime or current()
        try:
            results = Planner().results(nodes, wanted(keys), chosen)
        except SubtaskError as error:
            if "OtherSize" not in error.reason:
                raise
            # Sources that look alike may differ. Then the planner asks each one before planning.
            results = Planner(asks_all=True).results(nodes, wanted(keys), chosen)
        return gather(keys, results)

    return get


def gather(keys, results):
    """Returns the results of keys in nested lists, in the same lists."""
    return [gather(each, results) for each in keys] if isinstance(keys, list) else results[keys]


class Planner:
    """Turns tasks into a flow. `known` has values on the host, `made` the partition and layout of
    values on GPUs. Unless it `asks_all`, the planner assumes that sources of one kind return arrays
    of one shape, and asks only the first."""

    def __init__(self, asks_all=False):
        self.flow = Flow()
        self.asks_all = asks_all
        self.known = {}
        self.made = {}
        self.tried = {}
        self.sources = {}

    def results(self, nodes, keys, runtime):
        last = {key for key in keys if is_finalize(nodes[key])}
        for key, node in nodes.items():
            if key not in last:
                self.plan(key, node)
        kept = dict.fromkeys(
            each for key in keys for each in (nodes[key].dependencies if key in last else [key])
        )
        values = {**self.known, **self.run(kept, runtime)}
        return {key: nodes[key](values) if key in last else values[key] for key in keys}

    def run(self, keys, runtime):
        """Runs the flow, and returns the values of these keys that it makes."""
        made = [key for key in keys if key in self.made and key not in self.known]
        sink = Values()
        self.flow.want([self.made[key][0] for key in made], sink)
        [values] = runtime.execute_flow(self.flow, [sink])
        return {key: self.made[key][1].value(values[i]) for i, key in enumerate(made)}

    def plan(self, key, node):
        """Plans a task. An alias is replaced by its target. A task that reads no arrays is a
        source. Any other task becomes a subtask."""
        from dask._task_spec import Alias

        inputs = sorted(node.dependencies, key=str)
        if isinstance(node, Alias):
            self.known.update({key: self.known[name] for name in inputs if name in self.known})
            self.made.update({key: self.made[name] for name in inputs if name in self.made})
        elif is_fused(node) and (parts := fused_parts(key, node, self.constants(inputs))):
            for part, each in parts:
                self.plan(part, each)
        elif self.constants(inputs).keys() == set(inputs):
            self.source(key, node, inputs)
        else:
            for name in inputs:
                if name not in self.made:
                    self.give(name)
            self.made[key] = self.subtask(key, node, inputs)

    def constants(self, names):
        """Returns the known values among these that contain no array."""
        return {
            name: self.known[name]
            for name in names
            if name in self.known and not Layout.of(self.known[name]).leaves
        }

    def source(self, key, node, inputs):
        """Runs a source at once if it is the first of its kind, otherwise when a GPU needs it."""
        constants = {name: self.known[name] for name in inputs}
        kind = key if self.asks_all else kind_of_source(node, constants)
        if kind in self.sources:
            layout = self.sources[kind]
            self.made[key] = (
                self.flow.given(name_of(key), layout.spec, Source(node, constants, layout)),
                layout,
            )
            return
        self.known[key] = node(constants)
        layout = Layout.of(self.known[key])
        if layout.leaves:
            self.sources[kind] = layout

    def subtask(self, key, node, inputs):
        partitions, layouts = zip(*(self.made[name] for name in inputs))
        layout = self.layout_of(DaskTask(node, tuple(inputs), layouts))
        function = DaskTask(node, tuple(inputs), layouts, layout)
        return self.flow.subtask(name_of(key), function, partitions, layout.spec), layout

    def give(self, key):
        """Stores a value of the host for a GPU to load."""
        layout = Layout.of(self.known[key])
        packed = np.empty(layout.spec.shape, layout.spec.dtype)
        layout.pack(np, self.known[key], packed)
        self.made[key] = (self.flow.given(name_of(key), layout.spec, Memory(packed)), layout)

    def layout_of(self, function):
        if function.key not in self.tried:
            ones = {name: layout.ones() for name, layout in zip(function.names, function.layouts)}
            with np.errstate(all="ignore"):
                self.tried[function.key] = Layout.of(function.task(ones))
        return self.tried[function.key]


@dataclass(frozen=True)
class DaskTask:
    """A task of Dask as a function of partitions. `names` are the keys of its inputs, `layouts` and
    `result` the layouts of the inputs and the result."""

    task: Any
    names: tuple
    layouts: tuple
    result: Any = None

    @functools.cached_property
    def key(self):
        """Returns equal keys for tasks that differ only in the partitions that they read."""
        text = repr((signature(self.task, (*self.names, *inner_names(self.task))), self.layouts))
        return f"dask {hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def __call__(self, device, inputs, out):
        values = {
            name: layout.unpack(array)
            for name, array, layout in zip(self.names, inputs, self.layouts)
        }
        self.result.pack(device.xp, self.task(values), out)


def name_of(key):
    """Returns a key of Dask as text."""
    return f"{key[0]}[{','.join(map(str, key[1:]))}]" if isinstance(key, tuple) else str(key)
