"""A graph under construction: partitions and subtasks by index, with what each needs. It connects
lazy arrays, which do not know GPUs, and the scheduler, which does not know functions. Where and
when subtasks run is deliberately absent."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._dag import Graph
from ..chunks import PARTITIONS_MIN
from ..errors import GraphError
from ..files.sources import Memory
from ..sizes import format_bytes
from ..subtasks.partition_spec import Spec
from .ancestors import ancestors_of


@dataclass
class Partition:
    """`source` is a reader of `files` for a given partition, or None if a subtask makes it.
    `sinks` are the sinks that want it, each with its key there."""

    name: str
    spec: Spec
    source: Any = None
    sinks: list = field(default_factory=list)

    def tuple(self):
        home = "made" if self.source is None else self.source.home
        return self.name, self.spec.nbytes, home, self.keep

    @property
    def keep(self):
        """The place where it must be at the end, in the scheduler's terms."""
        keeps = {sink.keep for sink, _ in self.sinks}
        return "file" if "file" in keeps else "host" if keeps else "no"

    def deliver(self, values, keep):
        """Writes the values to the sinks of one kind."""
        for sink, key in self.sinks:
            if sink.keep == keep:
                sink.write(key, values)

    def place(self):
        """The place of the values at the end, if that is host memory."""
        places = (sink.place(key) for sink, key in self.sinks)
        return next((place for place in places if place is not None), None)


@dataclass
class Subtask:
    """`line` is the line of the program that made the subtask's array."""

    name: str
    function: Any
    inputs: list
    output: int
    line: str = ""
    kind: Any = field(default=None, compare=False)


class Kind(NamedTuple):
    """Common properties of subtasks with equal costs: the function's key, that key with the shapes
    of its arguments, and the bytes that it touches."""

    function: str
    key: str
    nbytes: int


@dataclass
class Flow:
    """A graph of partitions and subtasks. `replaced` has replacements of arrays, by id."""

    partitions: list = field(default_factory=list)
    subtasks: list = field(default_factory=list)
    replaced: dict = field(default_factory=dict)
    _expanded: dict = field(default_factory=dict)
    _labels: dict = field(default_factory=dict)
    _line: str = ""
    _keys: dict = field(default_factory=dict)

    def given(self, name, spec, source):
        """Adds a partition that exists at the start."""
        self.partitions.append(Partition(name, spec, source))
        return len(self.partitions) - 1

    def subtask(self, name, function, inputs, spec):
        """Adds a subtask, and the partition that it makes, which has its name."""
        self.partitions.append(Partition(name, spec))
        self.subtasks.append(
            Subtask(name, function, list(inputs), len(self.partitions) - 1, self._line)
        )
        return self.subtasks[-1].output

    def expand(self, array):
        """Returns the partitions of a lazy array, in row-major order of its grid. Expands each
        array once."""
        array = self.replaced.get(id(array.value), array).value
        if id(array) not in self._expanded:
            for each in ancestors_of([array], self.replaced):
                if id(each) not in self._expanded:
                    self._line = each.line
                    self._expanded[id(each)] = (each, each.node.expand(self, each))
        return self._expanded[id(array)][1]

    def label(self, name):
        """Returns `name` the first time and `name.2` the second, so that names in messages are
        unique."""
        self._labels[name] = self._labels.get(name, 0) + 1
        count = self._labels[name]
        return name if count == 1 else f"{name}.{count}"

    def want(self, ids, sink):
        """Records that `sink` wants these partitions, by position, except those that it has."""
        for key, p in enumerate(ids):
            if key not in getattr(sink, "has", ()):
                self.partitions[p].sinks.append((sink, key))

    def without_unwanted(self):
        """Returns the graph without partitions that no sink needs: `a[:10]` makes only some
        partitions of `a`."""
        maker = {subtask.output: subtask for subtask in self.subtasks}
        wanted = [p for p, partition in enumerate(self.partitions) if partition.sinks]
        needed = set()
        while wanted:
            p = wanted.pop()
            if p not in needed:
                needed.add(p)
                wanted += maker[p].inputs if p in maker else []
        if len(needed) == len(self.partitions):
            return self
        kept = sorted(needed)
        number = {old: new for new, old in enumerate(kept)}
        return Flow(
            [self.partitions[p] for p in kept],
            [
                replace(
                    subtask,
                    inputs=[number[p] for p in subtask.inputs],
                    output=number[subtask.output],
                )
                for subtask in self.subtasks
                if subtask.output in needed
            ],
        )

    def given_arrays(self):
        """Returns arrays of the program's own memory that the graph reads in place."""
        return [
            partition.source.array
            for partition in self.partitions
            if isinstance(partition.source, Memory)
        ]

    def deliver_given(self):
        """Writes given partitions that are wanted unchanged; they need no GPU."""
        for partition in self.partitions:
            if partition.source is not None and partition.sinks:
                values = np.empty(partition.spec.shape, partition.spec.dtype)
                partition.source.read(values)
                partition.deliver(values, "host")
                partition.deliver(values, "file")
                partition.sinks = []

    def checked(self, costs):
        """Returns the graph in the scheduler's form. Raises GraphError with the name of the
        culprit."""
        subtasks = []
        for subtask in self.subtasks:
            # A function may get one partition twice; the scheduler must see it once.
            inputs = list(dict.fromkeys(subtask.inputs))
            subtasks.append((subtask.name, inputs, [subtask.output], self.cost_ns(subtask, costs)))
        return Graph([p.tuple() for p in self.partitions], subtasks)

    def advised(self, error):
        """Returns a GraphError about a subtask's size with the advice of its function, or of the
        first function that uses its result."""
        made = set()
        for subtask in self.subtasks:
            if f"`{subtask.name}` needs" not in str(error) and made.isdisjoint(subtask.inputs):
                continue
            if hasattr(subtask.function, "advice"):
                specs = [self.partitions[p].spec for p in subtask.inputs]
                line = f"; its array was made at {subtask.line}" if subtask.line else ""
                return GraphError(f"{error}; {subtask.function.advice(specs)}{line}")
            made.add(subtask.output)
        if "bytes at once but a GPU has" not in str(error):
            return error
        return GraphError(
            f'{error}; cut smaller partitions, by chunks="{self.smaller_chunks(error)}" where its '
            f"arrays are made or by a.rechunk()"
        )

    def smaller_chunks(self, error):
        """Returns partition bytes that would fit a GPU, from an error that says its memory."""
        capacity = int(re.search(r"a GPU has (\d+)", str(error))[1])
        return format_bytes(max(1, capacity // PARTITIONS_MIN))

    def cost_ns(self, subtask, costs):
        return costs.subtask_ns(*self.kind_of(subtask))

    def kind_of(self, subtask):
        """Computes the kind once for each subtask, and a function's key once for all of them."""
        if subtask.kind is None:
            function = subtask.function
            held, key = self._keys.get(id(function), (None, None))
            if held is not function:  # a graph from another process has other addresses
                key = function.key
                self._keys[id(function)] = function, key
            specs = [self.partitions[p].spec for p in subtask.inputs]
            nbytes = (
                sum(spec.nbytes for spec in specs) + self.partitions[subtask.output].spec.nbytes
            )
            subtask.kind = Kind(key, f"{key} {','.join(map(str, specs))}", nbytes)
        return subtask.kind
