"""Dask graphs on a runtime: `dask_array.compute(scheduler=outhaul.dask_get(runtime))`. Tasks become subtasks as they are, functions and all. The scheduler wants to know
sizes beforehand, which Dask does not say, so each kind of task (one function on inputs of certain shapes) is tried once on the host with ones."""

import functools
import graphlib
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import GraphError
from .flow import Flow
from .layout import Layout
from .sinks import Values
from .sources import Memory


def dask_get(runtime=None):
    """A scheduler for Dask: one host's GPUs. Beyond one host, let dask.distributed move groups of partitions and give each worker a runtime."""

    def get(graph, keys, **_):
        from .runtime import current

        nodes = graph_nodes(graph, keys)
        results = Planner().results(nodes, wanted(keys), runtime or current())
        return gather(keys, results)

    return get


def graph_nodes(graph, keys):
    """Dask's graph as its tasks by key, those needed only, in an order that they can run in."""
    # Private names of Dask: test_dask.py fails when they change.
    from dask._task_spec import convert_legacy_graph

    if hasattr(graph, "__dask_graph__"):
        graph = graph.__dask_graph__()
    graph = unfused(convert_legacy_graph(dict(graph)))
    needed, stack = {}, wanted(keys)
    while stack:
        key = stack.pop()
        if key not in needed:
            if key not in graph:
                raise GraphError(f"no task makes {key!r}")
            needed[key] = set(graph[key].dependencies)
            stack.extend(needed[key])
    try:
        return {key: graph[key] for key in graphlib.TopologicalSorter(needed).static_order()}
    except graphlib.CycleError as error:
        raise GraphError(f"the graph has a cycle through task {error.args[1][0]!r}") from None


def unfused(graph):
    """Dask fuses data into the tasks that read it, and the putting together of a result into the last task. Data is taken out again, so that a
    GPU loads it, and tasks that put together are taken apart, so that the host does that."""
    from dask._task_spec import Alias, DataNode, Task, TaskRef, _execute_subgraph

    fused = {key: node for key, node in graph.items() if getattr(node, "func", None) is _execute_subgraph}
    # An inner task comes back under its own name, which Dask has made an alias of the fused one.
    result = {key: node for key, node in graph.items() if key not in fused}
    for key, node in fused.items():
        inner, out, names, *inputs = node.args
        if any(is_finalize(each) for each in inner.values()):
            result.update(inner)
            result.update((name, Alias(name, each.key)) for name, each in zip(names, inputs) if name != each.key)
            result[key] = Alias(key, out) if key != out else inner[out]
            continue
        data = {name: each for name, each in inner.items() if isinstance(each, DataNode) and isinstance(each.value, np.ndarray)}
        result.update(data)
        rest = {name: each for name, each in inner.items() if name not in data}
        result[key] = Task(key, _execute_subgraph, rest, out, (*names, *data), *inputs, *map(TaskRef, data))
    return result


def is_finalize(node):
    """Whether a task only puts a result together."""
    function = getattr(node, "func", None)
    return getattr(function, "__name__", "") == "finalize" and function.__module__.startswith("dask.")


def wanted(keys):
    """All keys of nested lists."""
    return [key for each in keys for key in wanted(each)] if isinstance(keys, list) else [keys]


def gather(keys, results):
    return [gather(each, results) for each in keys] if isinstance(keys, list) else results[keys]


class Planner:
    """Turns tasks into a flow. `known` has values that are on the host, `made` the partition and layout of what is on GPUs."""

    def __init__(self):
        self.flow = Flow()
        self.known = {}
        self.made = {}
        self.tried = {}

    def results(self, nodes, keys, runtime):
        last = {key for key in keys if is_finalize(nodes[key])}
        for key, node in nodes.items():
            if key not in last:
                self.plan(key, node)
        kept = dict.fromkeys(each for key in keys for each in (nodes[key].dependencies if key in last else [key]))
        values = {**self.known, **self.run(kept, runtime)}
        return {key: nodes[key](values) if key in last else values[key] for key in keys}

    def run(self, keys, runtime):
        """Runs the flow; the values of the keys that it makes."""
        made = [key for key in keys if key in self.made and key not in self.known]
        sink = Values()
        self.flow.want([self.made[key][0] for key in made], sink)
        [values] = runtime.execute_flow(self.flow, [sink])
        return {key: self.made[key][1].unpack(values[i]) for i, key in enumerate(made)}

    def plan(self, key, node):
        """What reads no arrays is done here and now; an alias is what it stands for; the rest becomes a subtask."""
        from dask._task_spec import Alias

        inputs = sorted(node.dependencies, key=str)
        if isinstance(node, Alias):
            self.known.update({key: self.known[name] for name in inputs if name in self.known})
            self.made.update({key: self.made[name] for name in inputs if name in self.made})
        elif all(name in self.known and not Layout.of(self.known[name]).leaves for name in inputs):
            self.known[key] = node({name: self.known[name] for name in inputs})
        else:
            for name in inputs:
                if name not in self.made:
                    self.give(name)
            self.made[key] = self.subtask(key, node, inputs)

    def subtask(self, key, node, inputs):
        partitions, layouts = zip(*(self.made[name] for name in inputs))
        layout = self.layout_of(DaskTask(node, tuple(inputs), layouts))
        function = DaskTask(node, tuple(inputs), layouts, layout)
        return self.flow.subtask(name_of(key), function, partitions, layout.spec), layout

    def give(self, key):
        """Puts a value of the host's where a GPU can load it."""
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
    task: Any
    names: tuple
    layouts: tuple
    result: Any = None

    @functools.cached_property
    def key(self):
        """Alike for tasks that differ in nothing but which partitions they read."""
        text = repr((signature(self.task, (*self.names, *inner_names(self.task))), self.layouts))
        return f"dask {hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def __call__(self, device, inputs, out):
        values = {name: layout.unpack(array) for name, array, layout in zip(self.names, inputs, self.layouts)}
        self.result.pack(device.xp, self.task(values), out)


def inner_names(task):
    """The keys of what Dask fused into a task."""
    from dask._task_spec import _execute_subgraph

    return tuple(task.args[0]) if getattr(task, "func", None) is _execute_subgraph else ()


def signature(task, names):
    """A task's functions and arguments; for keys their positions among `names`."""
    from dask._task_spec import GraphNode, TaskRef

    key = task.key if isinstance(task, TaskRef) else task
    if isinstance(key, (str, tuple)) and key in names:
        return ("key", names.index(key))
    if isinstance(task, GraphNode):
        parts = [getattr(task, part, None) for part in ("func", "args", "kwargs", "value")]
        return (type(task).__name__, *(signature(part, names) for part in parts))
    if isinstance(task, dict):
        return tuple((signature(name, names), signature(value, names)) for name, value in task.items())
    if isinstance(task, (list, tuple)):
        return tuple(signature(each, names) for each in task)
    return token_of_function(task) if callable(task) and task.__hash__ else token_of(task)


def token_of(value):
    from dask.tokenize import tokenize

    return tokenize(value)


token_of_function = functools.lru_cache(maxsize=4096)(token_of)
"""A function that remembers things is still the same function."""


def name_of(key):
    return f"{key[0]}[{','.join(map(str, key[1:]))}]" if isinstance(key, tuple) else str(key)
