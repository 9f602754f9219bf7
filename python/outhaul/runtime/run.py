"""One run of one graph. It executes operations that the scheduler issues, tells the scheduler of
their end, and cleans up. The scheduler decides, and lanes work. Decisions, and reactions to a
failure (`local.py`), are deliberately absent."""

import queue
import sys
import time
from dataclasses import dataclass

from ..errors import DeviceLost
from ..files.sources import Memory
from .interrupts import uninterrupted
from .lane import Lane, Span

SILENT_WAIT_S = 1
"""Seconds for which a cancelled run waits for operations in progress before it prints a message."""


class Cancelled(Exception):
    """A run was cancelled because of one operation."""

    def __init__(self, span, subtask):
        super().__init__(span.name)
        self.span = span
        self.subtask = subtask


@dataclass
class Summary:
    """Summary of a run. `peak_bytes` counts partitions on each GPU, `host_peak_bytes` partitions on
    their way from and to files."""

    makespan_ns: int
    peak_bytes: list
    host_peak_bytes: int
    spans: list

    def moved_bytes(self, kind):
        """Returns the bytes of all operations of a kind: load, store, peer, read, write."""
        return sum(span.nbytes for span in self.spans if span.kind == kind)


class Run:
    """`devices` are those of the backend's that the run uses, `host` its host memory."""

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
        """Returns when everything is delivered. Raises Cancelled, after all lanes have stopped and
        all memory of the GPUs is free."""
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
                # The device belongs to this thread, and a traceback may keep the run alive on
                # another.
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
        """Returns the partition's memory on a GPU. The scheduler has made sure that there is
        room."""
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
        """Stores into the partition's place in the result if it has one, else into the run's
        memory."""
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
        """Returns the operations that have ended. Waits for at least one, unless the policy asks to
        be woken earlier."""
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
        """Frees host memory that nothing will read."""
        if self.unread[p] == 0 and self.busy[p] == 0 and p not in self.undelivered:
            self.host.forget(p)

    def _culprit(self, span):
        """Returns the subtask of an operation: the one that makes a partition, or the first that
        wanted it. Other operations may be the first to notice a fault that a kernel caused on its
        GPU; then this is the subtask that was computing."""
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
        """Waits for operations in progress, and frees all memory of GPUs."""
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
