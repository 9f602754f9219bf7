"""Reads Dask's graphs: the needed tasks in order, the tasks that Dask fused, and kinds of tasks.
All uses of private names of Dask are in this file; test_dask.py fails when those change."""

import functools
import graphlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GraphError
from ..subtasks.subtask_functions import WrongResult


def graph_nodes(graph, keys):
    """Returns the needed tasks of Dask's graph by key, in an order in which they can run. Raises
    GraphError for a cycle."""
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
    """Undoes two fusions of Dask: of data into the tasks that read it, and of assembling a result
    into the last task. Separate data can be loaded by a GPU, and the host can assemble a separate
    result."""
    from dask._task_spec import Alias, DataNode, Task, TaskRef, _execute_subgraph

    fused = {
        key: node for key, node in graph.items() if getattr(node, "func", None) is _execute_subgraph
    }
    # An inner task comes back under its own name, which Dask has made an alias of the fused task.
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
    """Returns whether a task only assembles a result."""
    function = getattr(node, "func", None)
    return getattr(function, "__name__", "") == "finalize" and function.__module__.startswith(
        "dask."
    )


def wanted(keys):
    """Returns all keys of nested lists."""
    return [key for each in keys for key in wanted(each)] if isinstance(keys, list) else [keys]


def is_fused(node):
    """Returns whether Dask fused several tasks into this one."""
    from dask._task_spec import _execute_subgraph

    return getattr(node, "func", None) is _execute_subgraph


def fused_parts(key, node, constants):
    """Returns a fused task without its sources, and the sources, as pairs of key and task. Empty if
    there is nothing to separate. A source needs only constants, so the host can run it; a GPU uses
    its array."""
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
    # Names that only the sources need would make each task a separate kind.
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
    """Returns a fused task's value for one of its names if that is constant. The value is in a
    list, because it may be None."""
    from dask._task_spec import DataNode, TaskRef

    if isinstance(argument, DataNode):
        return None if isinstance(argument.value, np.ndarray) else [argument.value]
    if isinstance(argument, TaskRef):
        return [constants[argument.key]] if argument.key in constants else None
    return [argument]


class OtherSize(WrongResult):
    """A source returned another size than the first one of its kind."""


@dataclass(frozen=True)
class Source:
    """A task that needs only constants; it runs when a GPU needs its result."""

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
    """Returns equal values for sources that probably return arrays of one shape. Functions and
    numbers count; the start of a piece and the choice of random numbers do not."""
    return outline(node, constants)


def outline(value, constants):
    """Returns a value that is equal for arguments that probably lead to arrays of one shape."""
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
    """Outlines what Dask tells a function about its block: its size counts, its position does
    not."""
    if name in ("chunk-location", "block_id"):
        return str(name)
    if name == "array-location":
        return (name, *(stop - start for start, stop in value))
    return (
        "item" if isinstance(name, tuple) else str(name).split("-")[0],
        outline(value, constants),
    )


def inner_names(task):
    """Returns the keys of the tasks that Dask fused into a task, and the task's names for
    inputs."""
    return (*task.args[0], *task.args[2]) if is_fused(task) else ()


def signature(task, names):
    """Returns a task's functions and arguments, with keys replaced by positions in `names`."""
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
    """Returns Dask's token of a value."""
    from dask.tokenize import tokenize

    return tokenize(value)


token_of_function = functools.lru_cache(maxsize=4096)(token_of)
"""The token of a function, cached: changes of the function's own data do not change it."""
