"""Dask's graphs, read: which tasks are needed and in which order, what Dask fused, what is alike.
All that leans on private names of Dask is here; test_dask.py fails when they change."""

import functools
import graphlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import GraphError
from .functions import WrongResult


def graph_nodes(graph, keys):
    """Dask's graph as its tasks by key, those needed only, in an order that they can run in."""
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
    """Dask fuses data into the tasks that read it, and the putting together of a result into the
    last task. Data is taken out again, so that a GPU loads it, and tasks that put together are
    taken apart, so that the host does that."""
    from dask._task_spec import Alias, DataNode, Task, TaskRef, _execute_subgraph

    fused = {
        key: node for key, node in graph.items() if getattr(node, "func", None) is _execute_subgraph
    }
    # An inner task comes back under its own name, which Dask has made an alias of the fused one.
    result = {key: node for key, node in graph.items() if key not in fused}
    for key, node in fused.items():
        inner, out, names, *inputs = node.args
        if any(is_finalize(each) for each in inner.values()):
            result.update(inner)
            result.update(
                (name, Alias(name, each.key))
                for name, each in zip(names, inputs)
                if name != each.key
            )
            result[key] = Alias(key, out) if key != out else inner[out]
            continue
        data = {
            name: each
            for name, each in inner.items()
            if isinstance(each, DataNode) and isinstance(each.value, np.ndarray)
        }
        result.update(data)
        rest = {name: each for name, each in inner.items() if name not in data}
        result[key] = Task(
            key, _execute_subgraph, rest, out, (*names, *data), *inputs, *map(TaskRef, data)
        )
    return result


def is_finalize(node):
    """Whether a task only puts a result together."""
    function = getattr(node, "func", None)
    return getattr(function, "__name__", "") == "finalize" and function.__module__.startswith(
        "dask."
    )


def wanted(keys):
    """All keys of nested lists."""
    return [key for each in keys for key in wanted(each)] if isinstance(keys, list) else [keys]


def is_fused(node):
    from dask._task_spec import _execute_subgraph

    return getattr(node, "func", None) is _execute_subgraph


def fused_parts(key, node, constants):
    """A fused task, the sources in it taken out, as pairs of key and task; empty where there is
    nothing to take out. A source needs nothing but constants, so the host can do it; what is done
    with its array is a GPU's."""
    from dask._task_spec import DataNode, Task, TaskRef, _execute_subgraph

    inner, out, names, *inputs = node.args
    bound = {name: bound_value(each, constants) for name, each in zip(names, inputs)}
    bound = {name: each for name, each in bound.items() if each is not None}
    data = {name for name, each in inner.items() if isinstance(each, DataNode)}
    is_source = lambda each: (
        isinstance(each, Task) and all(name in bound or name in data for name in each.dependencies)
    )
    sources = {name: each for name, each in inner.items() if name != out and is_source(each)}
    if not sources:
        return []
    keys = {name: ("source", key, name) for name in sources}
    parts = []
    for name, each in sources.items():
        needed = {part: inner[part] for part in each.dependencies if part in data}
        outer = [part for part in each.dependencies if part in bound]
        arguments = [inputs[names.index(part)] for part in outer]
        parts.append(
            (
                keys[name],
                Task(
                    keys[name],
                    _execute_subgraph,
                    {**needed, name: each},
                    name,
                    tuple(outer),
                    *arguments,
                ),
            )
        )
    rest = {name: each for name, each in inner.items() if name not in sources}
    # What only the sources needed would make each task a kind of its own.
    used = {part for each in rest.values() for part in each.dependencies}
    kept = [(name, each) for name, each in zip(names, inputs) if name in used]
    kept += [(name, TaskRef(keys[name])) for name in sources]
    return [
        *parts,
        (
            key,
            Task(
                key,
                _execute_subgraph,
                rest,
                out,
                tuple(name for name, _ in kept),
                *(each for _, each in kept),
            ),
        ),
    ]


def bound_value(argument, constants):
    """What a fused task gets for one of its names, if that is a constant: then in a list, since it
    may be None."""
    from dask._task_spec import DataNode, TaskRef

    if isinstance(argument, DataNode):
        return None if isinstance(argument.value, np.ndarray) else [argument.value]
    if isinstance(argument, TaskRef):
        return [constants[argument.key]] if argument.key in constants else None
    return [argument]


class OtherSize(WrongResult):
    """A source brought something else than the first of its kind."""


@dataclass(frozen=True)
class Source:
    """A task that needs constants only, done when a GPU wants what it brings."""

    task: Any
    constants: dict
    layout: Any
    home = "file"

    def read(self, into):
        try:
            self.layout.pack(np, self.task(self.constants), into)
        except WrongResult as error:
            raise OtherSize(str(error)) from error


def kind_of_source(node, constants):
    """Alike for sources that bring arrays of one shape, as far as can be told: functions and
    numbers count, where a piece begins and which random numbers come does not."""
    return outline(node, constants)


def outline(value, constants):
    from dask._task_spec import DataNode, GraphNode, TaskRef

    if isinstance(value, TaskRef):
        return (
            outline(constants[value.key], constants)
            if value.key in constants
            else ("inner", str(value.key)[:4])
        )
    if isinstance(value, DataNode):
        return outline(value.value, constants)
    if isinstance(value, GraphNode):
        parts = [getattr(value, part, None) for part in ("func", "args", "kwargs")]
        return (type(value).__name__, *(outline(part, constants) for part in parts))
    if isinstance(value, slice):
        length = (
            value.stop - value.start
            if isinstance(value.start, int) and isinstance(value.stop, int)
            else (value.start, value.stop)
        )
        return ("slice", length, value.step)
    if isinstance(value, dict):
        return tuple(outline_of_item(name, each, constants) for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(outline(each, constants) for each in value))
    if isinstance(value, np.ndarray):
        return (value.shape, str(value.dtype))
    if type(value).__module__.startswith("numpy.random"):
        return type(value).__name__
    if callable(value):
        return token_of_function(value) if value.__hash__ else token_of(value)
    return (
        value
        if isinstance(value, (int, float, complex, str, bytes, type(None)))
        else ("object", id(value))
    )


def outline_of_item(name, value, constants):
    """Of what Dask tells a function about its block, its place does not count, its size does."""
    if name in ("chunk-location", "block_id"):
        return str(name)
    if name == "array-location":
        return (name, *(stop - start for start, stop in value))
    return (
        "item" if isinstance(name, tuple) else str(name).split("-")[0],
        outline(value, constants),
    )


def inner_names(task):
    """The keys of what Dask fused into a task, and what that calls its inputs."""
    return (*task.args[0], *task.args[2]) if is_fused(task) else ()


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
        return tuple(
            (signature(name, names), signature(value, names)) for name, value in task.items()
        )
    if isinstance(task, (list, tuple)):
        return tuple(signature(each, names) for each in task)
    return token_of_function(task) if callable(task) and task.__hash__ else token_of(task)


def token_of(value):
    from dask.tokenize import tokenize

    return tokenize(value)


token_of_function = functools.lru_cache(maxsize=4096)(token_of)
"""A function that remembers things is still the same function."""
