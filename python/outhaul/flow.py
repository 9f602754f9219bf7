"""A graph under construction: partitions and subtasks by index, with what each needs to be made. It
exists between lazy arrays, which know nothing of GPUs, and the scheduler, which knows nothing of
functions. Deliberately absent: where and when anything runs."""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from . import _dag
from .errors import GraphError
from .lineage import lineage
from .sources import Memory
from .spec import Spec


@dataclass
class Partition:
    """`source` is a reader of sources.py for what is given, None for what a subtask makes; `sinks`
    are those that want it, each with its key there."""

    name: str
    spec: Spec
    source: Any = None
    sinks: list = field(default_factory=list)

    def tuple(self):
        home = "made" if self.source is None else self.source.home
        return self.name, self.spec.nbytes, home, self.keep

    @property
    def keep(self):
        """Where it must be in the end, as the scheduler calls it."""
        keeps = {sink.keep for sink, _ in self.sinks}
        return "file" if "file" in keeps else "host" if keeps else "no"

    def deliver(self, values, keep):
        """Hands the values to the sinks of one kind."""
        for sink, key in self.sinks:
            if sink.keep == keep:
                sink.write(key, values)

    def place(self):
        """Where the values belong in the end, if that is host memory."""
        places = (sink.place(key) for sink, key in self.sinks)
        return next((place for place in places if place is not None), None)


@dataclass
class Subtask:
    """`line` is where the program made the array that it is for."""

    name: str
    function: Any
    inputs: list
    output: int
    line: str = ""
    kind: Any = field(default=None, compare=False)


class Kind(NamedTuple):
    """What subtasks that cost the same have in common: the function's key, that with the shapes of
    its arguments, and how many bytes it touches."""

    function: str
    key: str
    nbytes: int


@dataclass
class Flow:
    partitions: list = field(default_factory=list)
    subtasks: list = field(default_factory=list)
    replaced: dict = field(default_factory=dict)
    _expanded: dict = field(default_factory=dict)
    _labels: dict = field(default_factory=dict)
    _line: str = ""
    _keys: dict = field(default_factory=dict)

    def given(self, name, spec, source):
        """A partition that is there at the start."""
        self.partitions.append(Partition(name, spec, source))
        return len(self.partitions) - 1

    def subtask(self, name, function, inputs, spec):
        """A subtask and the partition that it makes, which has its name."""
        self.partitions.append(Partition(name, spec))
        self.subtasks.append(
            Subtask(name, function, list(inputs), len(self.partitions) - 1, self._line)
        )
        return self.subtasks[-1].output

    def expand(self, array):
        """The partitions of a lazy array, in row-major order of its grid; each array is expanded
        once."""
        array = self.replaced.get(id(array.value), array).value
        if id(array) not in self._expanded:
            for each in lineage([array], self.replaced):
                if id(each) not in self._expanded:
                    self._line = each.line
                    self._expanded[id(each)] = (each, each.node.expand(self, each))
        return self._expanded[id(array)][1]

    def label(self, name):
        """`name` the first time, `name.2` the second: names in messages are unambiguous."""
        self._labels[name] = self._labels.get(name, 0) + 1
        count = self._labels[name]
        return name if count == 1 else f"{name}.{count}"

    def want(self, ids, sink):
        """Says that `sink` wants these partitions, by position, but for what it has."""
        for key, p in enumerate(ids):
            if key not in getattr(sink, "has", ()):
                self.partitions[p].sinks.append((sink, key))

    def without_unwanted(self):
        """The graph without what nobody wants and nobody needs for it: of `a[:10]` only some
        partitions of `a` are made."""
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
        """What is read where it lies in the program's own memory."""
        return [
            partition.source.array
            for partition in self.partitions
            if isinstance(partition.source, Memory)
        ]

    def deliver_given(self):
        """Hands over what was given and is wanted as it is; no GPU need see it."""
        for partition in self.partitions:
            if partition.source is not None and partition.sinks:
                values = np.empty(partition.spec.shape, partition.spec.dtype)
                partition.source.read(values)
                partition.deliver(values, "host")
                partition.deliver(values, "file")
                partition.sinks = []

    def checked(self, costs):
        """The graph as the scheduler takes it. Raises GraphError, naming the culprit."""
        subtasks = []
        for subtask in self.subtasks:
            # A function may get one partition twice; the scheduler wants to hear of it once.
            inputs = list(dict.fromkeys(subtask.inputs))
            subtasks.append((subtask.name, inputs, [subtask.output], self.cost_ns(subtask, costs)))
        return _dag.Graph([p.tuple() for p in self.partitions], subtasks)

    def advised(self, error):
        """A GraphError about a subtask's size, with what its function says is to be done, or the
        first function that what it makes is for."""
        made = set()
        for subtask in self.subtasks:
            if f"`{subtask.name}` needs" not in str(error) and made.isdisjoint(subtask.inputs):
                continue
            if hasattr(subtask.function, "advice"):
                specs = [self.partitions[p].spec for p in subtask.inputs]
                line = f"; its array was made at {subtask.line}" if subtask.line else ""
                return GraphError(f"{error}; {subtask.function.advice(specs)}{line}")
            made.add(subtask.output)
        return error

    def cost_ns(self, subtask, costs):
        return costs.subtask_ns(*self.kind_of(subtask))

    def kind_of(self, subtask):
        """Worked out once for each subtask, and a function's key once for all of them."""
        if subtask.kind is None:
            function = subtask.function
            held, key = self._keys.get(id(function), (None, None))
            if held is not function:  # a graph that travelled has other addresses
                key = function.key
                self._keys[id(function)] = function, key
            specs = [self.partitions[p].spec for p in subtask.inputs]
            nbytes = (
                sum(spec.nbytes for spec in specs) + self.partitions[subtask.output].spec.nbytes
            )
            subtask.kind = Kind(key, f"{key} {','.join(map(str, specs))}", nbytes)
        return subtask.kind
