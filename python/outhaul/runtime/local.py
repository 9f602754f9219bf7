"""The runtime in the program's own process. It owns GPUs, runs graphs on them one at a time, learns
costs, and runs failed subtasks again on other GPUs. Scheduling (crates/dag) and moving bytes
(backends) are deliberately absent."""

import collections
import os
import tempfile
import threading
from dataclasses import replace

from .._dag import Machine, Scheduler
from ..arrays.opening import from_hdf5, from_npy, from_parquet, from_tiff, from_zarr
from ..backends import open_backend
from ..errors import DeviceLost, GraphError, SubtaskError
from ..files.journal import signature_of
from ..files.sinks import ArraySink
from ..files.sources import Memory
from ..files.spool import SpoolSink
from ..graph.costs import Costs
from ..graph.explain import Explanation, flows, simulate
from ..graph.fusion import fused
from ..graph.graph_builder import Flow
from ..graph.sort_passes import resolve_sorts
from ..sizes import parse_bytes
from .entered_runtimes import Context
from .events import listeners
from .host_memory import HostMemory
from .interrupts import uninterrupted
from .lane import refuse_inside_subtask
from .run import Cancelled, Run

HISTORY_MAX = 16
"""Maximum number of graphs whose summaries a runtime keeps."""
EFFORT_MAX = 40_000
PLANNING_SHARE = 0.1
SIMULATED_SUBTASK_S = 5e-6
"""Approximate time to simulate one subtask."""
HOST_MEMORY = "50%"
"""Default share of the host's memory that a runtime takes. Half of it is for partitions on their
way from and to files, a quarter for partitions that leave GPUs and come back, and a quarter for a
sort's values between its passes."""


class Runtime(Context):
    """Runtime() takes all GPUs of this machine. Runtime("host", gpus=2, memory="64 MB") has
    pretended GPUs.

    backend   "cuda", "host", or an object with the interface in outhaul.backends
    gpus      "all", a number, or a list of ordinals
    memory    memory of each GPU to use, as bytes, "16 GB" or "80%"
    scratch   the part of it for functions; partitions get the rest
    policy    ours, victream, locality, ptask, fifo
    retries   how often a failed subtask runs again, on another GPU if there is one
    peers     whether data may go from GPU to GPU, not only through host memory
    shared_link   whether all GPUs share one link to this host, as those of a remote node do
    costs     a file that keeps the costs of subtasks
    effort    maximum number of subtasks that a plan simulates; by default, planning takes at most
              about a tenth of the run
    host_memory   memory of this machine for partitions that are neither given nor returned in
                  host memory, as bytes, "16 GB" or "50%"
    spill     the folder for partitions that do not fit there: on a disk, not in memory
    """

    def __init__(
        self,
        backend="cuda",
        *,
        gpus=None,
        memory=None,
        scratch=None,
        policy="ours",
        retries=0,
        peers=False,
        shared_link=False,
        costs=None,
        effort=None,
        host_memory=HOST_MEMORY,
        spill=None,
    ):
        for name, value, least in (
            ("gpus", gpus, 1),
            ("retries", retries, 0),
            ("effort", effort, 0),
        ):
            if isinstance(value, int) and value < least:
                raise ValueError(f"{name}={value}: at least {least}")
        options = {"gpus": gpus, "memory": memory, "scratch": scratch}
        options = {name: value for name, value in options.items() if value is not None}
        self.backend = open_backend(backend, **options) if isinstance(backend, str) else backend
        self.policy = policy
        self.retries = retries
        self.peers = peers
        self.shared_link = shared_link
        self.effort = effort
        self.host_bytes = parse_bytes(host_memory, machine_bytes())
        self.spill = spill or tempfile.gettempdir()
        self.backend.host_bytes_max = self.host_bytes
        self.costs = Costs(self.backend.rates, costs)
        self.lost = set()
        self.history = collections.deque(maxlen=HISTORY_MAX)
        self._turn = threading.RLock()

    def close(self):
        self.backend.close()

    from_npy, from_zarr, from_parquet = map(staticmethod, (from_npy, from_zarr, from_parquet))
    from_hdf5, from_tiff = map(staticmethod, (from_hdf5, from_tiff))

    @property
    def last(self):
        """The summary of the last graph."""
        return self.history[-1] if self.history else None

    def devices(self, aside=()):
        """Returns the GPUs that answer, except those in `aside`."""
        return [
            device
            for device in self.backend.devices
            if device.number not in self.lost and device.number not in aside
        ]

    def machine(self, devices=None):
        """Returns the GPUs in the scheduler's form."""
        transfers, devices = self.costs.transfers, devices or self.devices()
        return Machine(
            gpus=len(devices),
            capacity_bytes=min(device.capacity_bytes for device in devices),
            load=transfers["load"].way,
            store=transfers["store"].way,
            files=(transfers["read"].rate, transfers["write"].rate),
            host_capacity_bytes=self.host_bytes // 2,
            peer_bytes_per_s=transfers["peer"].rate if self.peers else None,
            shared_link=self.shared_link,
        )

    @property
    def scratch_bytes(self):
        """Returns the bytes that functions may use on each GPU."""
        return min((getattr(device, "scratch_bytes", 0) for device in self.devices()), default=0)

    def planning_effort(self, flow, gpus):
        if self.effort is not None:
            return self.effort
        compute_s = sum(flow.cost_ns(subtask, self.costs) for subtask in flow.subtasks) / gpus / 1e9
        moved_s = (
            sum(partition.spec.nbytes for partition in flow.partitions)
            / gpus
            / self.costs.transfers["load"].rate
        )
        return min(EFFORT_MAX, int(max(compute_s, moved_s) * PLANNING_SHARE / SIMULATED_SUBTASK_S))

    def run(self, sinks, policy=None):
        """Fills all sinks or none, and returns their results."""
        refuse_inside_subtask()
        with self._turn:
            one_pass = lambda stage, replaced: self._run(
                [SpoolSink(stage, self._spool_folder(stage))], policy, replaced
            )[0]
            return self._run(sinks, policy, resolve_sorts([sink.array for sink in sinks], one_pass))

    def _spool_folder(self, stage):
        """Returns the folder of a spool, or None if host memory has room. Two passes of a sort may
        need room at once."""
        return None if stage.nbytes <= self.host_bytes // 8 else self.spill

    def _run(self, sinks, policy, replaced):
        flow = Flow(replaced=fused([sink.array for sink in sinks], replaced, self.scratch_bytes))
        expanded = [flow.expand(sink.array) for sink in sinks]
        for sink, ids in zip(sinks, expanded):
            if getattr(sink, "resumes", False):
                sink.look_for_draft(signature_of(flow))
            flow.want(ids, sink)
        return self.execute_flow(flow.without_unwanted(), sinks, policy)

    def execute_flow(self, flow, sinks, policy=None):
        """Runs a graph that is already built."""
        refuse_inside_subtask()
        with self._turn:
            try:
                for sink in sinks:
                    if isinstance(sink, ArraySink):
                        sink.keep_apart(flow.given_arrays())
                    sink.open(self.backend)
                self._execute(flow, policy or self.policy)
                return [sink.commit() for sink in sinks]
            except BaseException:
                with uninterrupted():
                    for sink in sinks:
                        sink.abort()
                raise

    def explain(self, arrays, policy=None):
        """Returns the simulated costs of running the arrays."""
        policy, machine = policy or self.policy, self.machine()
        effort = lambda flow: self.planning_effort(flow, len(self.devices()))
        stages = [
            simulate(flow, self.costs, machine, policy, effort(flow))
            for flow in flows(arrays, self.scratch_bytes)
        ]
        return Explanation(
            policy,
            len(self.devices()),
            min(device.capacity_bytes for device in self.devices()),
            stages,
        )

    def _execute(self, flow, policy):
        """Runs a graph until its sinks have everything; runs it again after failed subtasks while
        retries are left."""
        failures, aside, attempts = collections.Counter(), set(), []
        try:
            while True:
                flow.deliver_given()
                if not flow.subtasks:
                    return
                attempts.append(self._attempt(flow, self.devices(aside), policy))
                try:
                    attempts[-1].execute()
                    return
                except Cancelled as cancelled:
                    self._give_up_or_set_aside(cancelled, attempts[-1], failures, aside)
                    flow = remaining(attempts[-1])
                finally:
                    with uninterrupted():
                        self.history.append(attempts[-1].summary())
                        self.costs.learn(attempts[-1].flow, self.last.spans, self.shared_link)
        finally:
            with uninterrupted():
                for run in attempts:
                    run.host.close()

    def _attempt(self, flow, devices, policy):
        if not devices:
            raise DeviceLost("no GPU is left")
        for partition in flow.partitions:
            if isinstance(partition.source, Memory):
                self.backend.pin(partition.source.array)
        graph, machine = flow.checked(self.costs), self.machine(devices)
        try:
            effort = self.planning_effort(flow, len(devices))
            scheduler = Scheduler(graph, machine, policy, effort=effort)
        except GraphError as error:
            raise flow.advised(error) from None
        run = Run(
            devices,
            flow,
            scheduler,
            HostMemory(self.backend, self.host_bytes // 4, self.spill),
            listeners.get(),
        )
        for listener in listeners.get():
            listener.began(len(flow.subtasks), [device.number for device in devices])
        return run

    def _give_up_or_set_aside(self, cancelled, run, failures, aside):
        """Raises an error unless the subtask may run again."""
        error, span = cancelled.span.error, cancelled.span
        failures[cancelled.subtask] += 1
        on_gpu = span.kind not in ("read", "write")
        number = run.devices[span.gpu].number if on_gpu else None
        if isinstance(error, DeviceLost):
            number = error.gpu  # a copy has two GPUs; this is the lost one
            self.lost.add(number)
        if (
            failures[cancelled.subtask] > self.retries
            or not self.devices()
            or not isinstance(error, Exception)
        ):
            where = f" on GPU {number}" if on_gpu else ""
            what = (
                ""
                if span.kind == "compute" or isinstance(error, DeviceLost)
                else f"{span.kind} of partition `{span.name}`: "
            )
            line = next(
                (
                    subtask.line
                    for subtask in run.flow.subtasks
                    if subtask.name == cancelled.subtask
                ),
                "",
            )
            raise SubtaskError(
                cancelled.subtask, f"{what}{type(error).__name__}{where}: {error}", line
            ) from error
        if on_gpu and self.devices(aside | {number}):
            aside.add(number)
        if not self.devices(aside):  # the other GPUs are lost too
            aside.clear()


def remaining(run):
    """Returns the graph of the remaining work of a cancelled run, from partitions in host memory
    and files. Functions are pure, so partitions that only a GPU had are made again."""
    old, new, places = run.flow, Flow(), {}
    maker = {subtask.output: subtask for subtask in old.subtasks}
    made = {p: array for p, array in run.host.arrays.items() if old.partitions[p].source is None}
    to_make = lambda p: p in maker and p not in made
    wanted, needed = list(run.undelivered), set()
    while wanted:
        p = wanted.pop()
        if p not in needed:
            needed.add(p)
            wanted += maker[p].inputs if to_make(p) else []
    for p in sorted(needed):
        partition = old.partitions[p]
        source = Memory(made[p]) if p in made else partition.source
        places[p] = new.given(partition.name, partition.spec, source)
        new.partitions[-1].sinks = partition.sinks if p in run.undelivered else []
    for subtask in old.subtasks:
        if subtask.output in needed and to_make(subtask.output):
            inputs = [places[p] for p in subtask.inputs]
            new.subtasks.append(replace(subtask, inputs=inputs, output=places[subtask.output]))
    return new


def machine_bytes():
    """Returns the bytes of this machine's memory, or the limit of its container."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            return min(physical, int(file.read()))
    except (OSError, ValueError):  # not in a container, or in one without a limit
        return physical
