"""What things have cost here: time per kind of subtask, rates of links and files, and what a transfer takes beside its bytes. Measured at every run, used
by plans and `explain`, and kept in a file if one is named. Means, since what n of a kind take together is n times the mean."""

import json
import os
from statistics import fmean

COMPUTE_BYTES_PER_S = 500e9
"""What a subtask is taken to cost until one of its kind has run: its bytes at this rate."""
RATE_BYTES_MIN = 1 << 20
"""Transfers below this say what a transfer costs beside its bytes, those above at which rate bytes go."""
WIRES = {"load": "link", "store": "link"}


class Costs:
    def __init__(self, rates, path=None):
        self.path = path
        self.rates = dict(rates)
        self.latency_ns = 0
        self.compute_ns = {}
        self.ns_per_byte = {}
        if path and os.path.exists(path):
            with open(path) as file:
                self._take(json.load(file))

    def _take(self, kept):
        self.rates.update(kept["rates"])
        self.latency_ns = kept.get("latency_ns", 0)
        self.compute_ns.update(kept["compute_ns"])
        self.ns_per_byte.update(kept.get("ns_per_byte", {}))

    def has_run(self, function):
        return function in self.ns_per_byte

    def subtask_ns(self, function, key, nbytes):
        """What one of this kind took, else what this function took per byte of other shapes, else a guess."""
        guess_ns = nbytes * self.ns_per_byte.get(function, 1e9 / COMPUTE_BYTES_PER_S)
        return max(1, int(self.compute_ns.get(key, guess_ns)))

    def learn(self, flow, spans):
        """Takes over what a run took. The first of a kind on each GPU also compiles or loads code, so it counts only where it is alone."""
        subtasks, functions, transfers = {}, {}, {}
        for span, taken_ns in occupied(spans):
            if span.kind == "compute":
                subtask = flow.subtasks[span.id]
                subtasks.setdefault((flow.cost_key(subtask), span.gpu), []).append(taken_ns)
                functions.setdefault((subtask.function.key, span.gpu), []).append(taken_ns / max(1, flow.touched_bytes(subtask)))
            else:
                transfers.setdefault(WIRES.get(span.kind, span.kind), []).append((span.nbytes, taken_ns))
        self.compute_ns.update(without_first(subtasks))
        self.ns_per_byte.update(without_first(functions))
        self._learn_latency(transfers.get("link", []))
        for wire, moved in transfers.items():
            self._learn_rate(wire, [(nbytes, taken_ns) for nbytes, taken_ns in moved if nbytes >= RATE_BYTES_MIN])
        if self.path:
            with open(f"{self.path}.part", "w") as file:
                kept = {"compute_ns": self.compute_ns, "ns_per_byte": self.ns_per_byte, "rates": self.rates, "latency_ns": self.latency_ns}
                json.dump(kept, file, indent=1)
            os.replace(f"{self.path}.part", self.path)

    def _learn_latency(self, moved):
        small = [taken_ns for nbytes, taken_ns in moved if nbytes < RATE_BYTES_MIN]
        if small:
            self.latency_ns = int(fmean(small))

    def _learn_rate(self, wire, moved):
        taken_ns = sum(ns for _, ns in moved) - (self.latency_ns * len(moved) if wire in ("link", "peer") else 0)
        if moved:
            self.rates[wire] = sum(nbytes for nbytes, _ in moved) / max(1, taken_ns) * 1e9


def without_first(times):
    """The mean for each kind, from lists of times for each kind and GPU."""
    warm = {}
    for (kind, _), taken in times.items():
        warm.setdefault(kind, []).extend(taken[1:])
    alone = {kind: taken for (kind, _), taken in times.items()}
    return {kind: fmean(taken or alone[kind]) for kind, taken in warm.items()}


def occupied(spans):
    """Each operation with the time in which its lane could do nothing else, the runtime's own work included: from when it was issued, or from when the
    one before it was known to be done, until it was known to be done itself."""
    free_ns = {}
    for span in sorted(spans, key=lambda span: span.settled_ns):
        lane = span.kind, span.gpu
        yield span, max(1, span.settled_ns - max(span.issued_ns, free_ns.get(lane, 0)))
        free_ns[lane] = span.settled_ns
