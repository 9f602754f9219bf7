"""One run of one graph: does what the scheduler issues, tells it what has ended, and cleans up. The
scheduler decides, lanes work, and this is all between them. Deliberately absent: decisions, and
what happens after a failure; that is `local.py`'s."""

import queue
import sys
import time
from dataclasses import dataclass

from ..errors import DeviceLost
from ..sources import Memory
from .interrupts import uninterrupted
from .lane import Lane, Span

SILENT_WAIT_S = 1
"""How long a run that was given up waits for what is under way without a word."""


class Cancelled(Exception):
    """A run was given up because of one operation."""

    def __init__(self, span, subtask):
        super().__init__(span.name)
        self.span = span
        self.subtask = subtask


@dataclass
class Summary:
    """What a run took. `peak_bytes` is of partitions, per GPU, `host_peak_bytes` of what was on its
    way from and to files."""

    makespan_ns: int
    peak_bytes: list
    host_peak_bytes: int
    spans: list

    def moved_bytes(self, kind):
        """Bytes of all operations of a kind: load, store, peer, read, write."""
        return sum(span.nbytes for span in self.spans if span.kind == kind)


class Run:
    """`devices` are those of the backend that are to be used, `host` the memory of its own."""

    def __init__(self, devices, flow, scheduler, host, listeners):
        self.devices = devices
        self.flow = flow
        self.listeners = listeners
        self.scheduler = scheduler
        self.buffers = {}
        self.host = host
        host.arrays.update(
            (p, partition.source.array)
            for p, partition in enumerate(flow.partitions)
            if isinstance(partition.source, Memory)
        )
        self.unread = [0] * len(flow.partitions)
        for subtask in flow.subtasks:
            for p in set(subtask.inputs):
                self.unread[p] += 1
        self.busy = [0] * len(flow.partitions)
        self.undelivered = {p for p, partition in enumerate(flow.partitions) if partition.sinks}
        self.spans = []
        self.computing = {}
        self.ended = queue.SimpleQueue()

    def execute(self):
        """Returns when everything is delivered. Raises Cancelled, with all lanes at rest and all
        memory of the GPUs given back."""
        self._open_lanes()
        started_ns = time.monotonic_ns()
        finished = []
        whole = False
        try:
            while not whole:
                issued, released, forgotten = self.scheduler.step(
                    time.monotonic_ns() - started_ns, finished
                )
                for p, gpu in released:
                    self._release(p, gpu)
                for p in forgotten:
                    self.host.forget(p)
                for op in issued:
                    self._start(op)
                whole = self.scheduler.is_finished()
                finished = [] if whole else self._wait(started_ns)
        finally:
            with uninterrupted():
                self._close()
                self.makespan_ns = time.monotonic_ns() - started_ns
                self.peak_bytes = self.scheduler.peak_bytes()
                self.host_peak_bytes = self.scheduler.host_peak_bytes()
                # It belongs to this thread, and a traceback may keep the run alive on another.
                del self.scheduler

    def summary(self):
        spans = [span for span in self.spans if span.error is None]
        return Summary(self.makespan_ns, self.peak_bytes, self.host_peak_bytes, spans)

    def _open_lanes(self):
        self.lanes = {}
        for gpu, device in enumerate(self.devices):
            for kind in ("compute", "load", "store"):
                self.lanes[kind, gpu] = Lane(f"GPU{device.number} {kind}", self.ended, device.enter)
        for kind in ("read", "write"):
            self.lanes[kind, 0] = Lane(kind, self.ended)

    def _start(self, op):
        kind, id, gpu, _ = op
        lane = self.lanes["load" if kind == "peer" else kind, gpu]
        if kind == "compute":
            subtask = self.flow.subtasks[id]
            touched, name = {*subtask.inputs, subtask.output}, subtask.name
            self.computing[gpu] = name
        else:
            touched, name = {id}, self.flow.partitions[id].name
        nbytes = 0 if kind == "compute" else self.flow.partitions[id].spec.nbytes
        for p in touched:
            self.busy[p] += 1
        lane.put(Span(op, name, nbytes, issued_ns=time.monotonic_ns()), self._work(op))

    def _work(self, op):
        kind, id, gpu, source = op
        return {
            "read": lambda: self._read(id),
            "write": lambda: self._write(id),
            "load": lambda: self.devices[gpu].load(self.host.arrays[id], self._buffer(id, gpu)),
            "store": lambda: self._store(id, gpu),
            "peer": lambda: self.devices[gpu].peer(
                self.devices[source], self._buffer(id, source), self._buffer(id, gpu)
            ),
            "compute": lambda: self._compute(self.flow.subtasks[id], gpu),
        }[kind]

    def _compute(self, subtask, gpu):
        device = self.devices[gpu]
        view = lambda p: device.view(self._buffer(p, gpu), self.flow.partitions[p].spec)
        device.apply(subtask.function, [view(p) for p in subtask.inputs], view(subtask.output))

    def _buffer(self, p, gpu):
        """The partition's memory on a GPU. The scheduler has made sure that there is room."""
        if (p, gpu) not in self.buffers:
            self.buffers[p, gpu] = self.devices[gpu].allocate(self.flow.partitions[p].spec.nbytes)
        return self.buffers[p, gpu]

    def _release(self, p, gpu):
        buffer = self.buffers.pop((p, gpu), None)
        if buffer is not None:
            self.devices[gpu].free(buffer)

    def _read(self, p):
        partition = self.flow.partitions[p]
        array = self.host.borrow(p, partition.spec, passes=True)
        partition.source.read(array)
        self.host.arrays[p] = array

    def _store(self, p, gpu):
        """Into its place in the result if it has one, else into memory of the run's."""
        partition = self.flow.partitions[p]
        array = partition.place()
        if array is None:
            array = self.host.borrow(
                p, partition.spec, passes=partition.keep == "file" and self.unread[p] == 0
            )
        self.devices[gpu].store(self._buffer(p, gpu), array)
        self.host.arrays[p] = array
        partition.deliver(array, "host")
        if partition.keep != "file":
            self.undelivered.discard(p)

    def _write(self, p):
        self.flow.partitions[p].deliver(self.host.arrays[p], "file")
        self.undelivered.discard(p)

    def _wait(self, started_ns):
        """What has ended since: at least one operation, unless the policy wants to be woken
        before."""
        wake_ns = self.scheduler.wake_ns()
        timeout_s = (
            None if wake_ns is None else max(0, started_ns + wake_ns - time.monotonic_ns()) / 1e9
        )
        finished = []
        try:
            finished.append(self._settle(self.ended.get(timeout=timeout_s)))
            while True:
                finished.append(self._settle(self.ended.get_nowait()))
        except queue.Empty:
            return finished

    def _settle(self, span):
        span.settled_ns = time.monotonic_ns()
        self.spans.append(span)
        if span.error is not None:
            raise Cancelled(span, self._culprit(span)) from span.error
        for listener in self.listeners:
            listener.ended(span)
        if span.kind == "compute":
            subtask = self.flow.subtasks[span.id]
            touched = {*subtask.inputs, subtask.output}
            self.computing.pop(span.gpu)
            for p in set(subtask.inputs):
                self.unread[p] -= 1
        else:
            touched = {span.id}
        for p in touched:
            self.busy[p] -= 1
            self._forget_if_dead(p)
        return span.op

    def _forget_if_dead(self, p):
        """Gives host memory back that nobody will read."""
        if self.unread[p] == 0 and self.busy[p] == 0 and p not in self.undelivered:
            self.host.forget(p)

    def _culprit(self, span):
        """The subtask that an operation was for: a partition's maker, or the first that wanted it.
        What a kernel does to its GPU, others may notice first: then the subtask that was computing
        is named."""
        if span.kind == "compute":
            return span.name
        if isinstance(span.error, DeviceLost):
            lost = next(
                (gpu for gpu, device in enumerate(self.devices) if device.number == span.error.gpu),
                None,
            )
            if lost in self.computing:
                return self.computing[lost]
        makers = (s.name for s in self.flow.subtasks if span.id == s.output)
        readers = (s.name for s in self.flow.subtasks if span.id in s.inputs)
        return next(makers, None) or next(readers, span.name)

    def _close(self):
        """Waits for what is under way, and leaves no memory of a GPU taken."""
        for lane in self.lanes.values():
            lane.close()
        for lane in self.lanes.values():
            if not lane.join(SILENT_WAIT_S):
                print(
                    f"outhaul: waiting for "
                    f"{', '.join(f'`{name}`' for name in self.computing.values()) or 'a transfer'} "
                    f"to end",
                    file=sys.stderr,
                    flush=True,
                )
                lane.join()
        for p, gpu in list(self.buffers):
            self._release(p, gpu)
