"""Measured costs: time per kind of subtask, and of transfers by link and size. Every run measures
them; plans and `explain` use them, and a file may keep them. They are means, because n subtasks of
one kind together take n times the mean."""

import json
import os
from statistics import fmean

from ..files.private_files import open_regular, write_private
from .transfer_costs import Transfers

COMPUTE_BYTES_PER_S = 500e9
"""Assumed rate, in bytes per second, of a subtask before one of its kind has run."""


class Costs:
    """`rates` are guesses, in bytes per second, for loads, stores, transfers between peers, reads
    and writes."""

    def __init__(self, rates, path=None):
        self.path = path and os.path.realpath(path)
        self.transfers = {kind: Transfers(rate) for kind, rate in rates.items()}
        self.compute_ns = {}
        self.ns_per_byte = {}
        if path and os.path.exists(path):
            with open(open_regular(self.path)) as file:
                self._take(json.load(file))

    def has_run(self, function):
        return function in self.ns_per_byte

    def subtask_ns(self, function, key, nbytes):
        """Returns the time of a subtask of this kind. Without one, uses the function's time per
        byte at other shapes, or else a guess."""
        guess_ns = nbytes * self.ns_per_byte.get(function, 1e9 / COMPUTE_BYTES_PER_S)
        return max(1, int(self.compute_ns.get(key, guess_ns)))

    def learn(self, flow, spans, shared_link=False):
        """Learns from the spans of a run. If GPUs share a link, all their transfers in one
        direction count as one lane's. The first subtask of a kind on each GPU also compiles or
        loads code, so it counts only if it is the only one."""
        subtasks, functions, moved = {}, {}, {}
        for span, taken_ns in occupied(spans, shared_link):
            if span.kind == "compute":
                function, key, nbytes = flow.kind_of(flow.subtasks[span.id])
                subtasks.setdefault((key, span.gpu), []).append(taken_ns)
                functions.setdefault((function, span.gpu), []).append(taken_ns / max(1, nbytes))
            else:
                moved.setdefault(span.kind, []).append((span.nbytes, taken_ns))
        self.compute_ns.update(without_first(subtasks))
        self.ns_per_byte.update(without_first(functions))
        for kind, some in moved.items():
            self.transfers[kind].learn(some)
        if self.path:
            self._keep()

    def _keep(self):
        kept = {
            "compute_ns": self.compute_ns,
            "ns_per_byte": self.ns_per_byte,
            "transfers": {kind: transfers.kept() for kind, transfers in self.transfers.items()},
        }
        write_private(self.path, json.dumps(kept, indent=1))

    def _take(self, kept):
        self.compute_ns.update(kept["compute_ns"])
        self.ns_per_byte.update(kept.get("ns_per_byte", {}))
        for kind, transfers in kept.get("transfers", {}).items():
            self.transfers[kind].take(transfers)


def without_first(times):
    """Returns the mean of each kind, from lists of times for each kind and GPU."""
    warm = {}
    for (kind, _), taken in times.items():
        warm.setdefault(kind, []).extend(taken[1:])
    alone = {kind: taken for (kind, _), taken in times.items()}
    return {kind: fmean(taken or alone[kind]) for kind, taken in warm.items()}


def occupied(spans, shared_link=False):
    """Yields each operation with the time for which it occupied its lane, including the runtime's
    work. That time begins when the operation was issued, or when the end of the one before it was
    known, whichever is later. It ends when its own end was known."""
    free_ns = {}
    for span in sorted(spans, key=lambda span: span.settled_ns):
        lane = (
            span.kind if shared_link and span.kind in ("load", "store") else (span.kind, span.gpu)
        )
        yield span, max(1, span.settled_ns - max(span.issued_ns, free_ns.get(lane, 0)))
        free_ns[lane] = span.settled_ns
