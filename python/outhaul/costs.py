"""What things have cost here: time per kind of subtask, and rates of links and files. Measured at every run, used by plans and `explain`, and kept in
a file if one is named."""

import json
import os
from statistics import median

RATE_BYTES_MIN = 1 << 20
"""Transfers below this say more about latency than about a rate."""


class Costs:
    def __init__(self, rates, path=None):
        self.path = path
        self.rates = dict(rates)
        self.compute_ns = {}
        if path and os.path.exists(path):
            with open(path) as file:
                kept = json.load(file)
            self.compute_ns.update(kept["compute_ns"])
            self.rates.update(kept["rates"])

    def get(self, key):
        return self.compute_ns.get(key)

    def learn(self, flow, spans):
        """Takes the medians of a run. A subtask costs what its GPU could do no other in, the runtime's own work included. The first of a kind also
        compiles, so it counts only where it is alone."""
        compute, moved = {}, {}
        for span in spans:
            if span.kind == "compute":
                compute.setdefault(flow.cost_key(flow.subtasks[span.id]), []).append(max(1, span.settled_ns - span.issued_ns))
            elif span.nbytes >= RATE_BYTES_MIN:
                wire = {"load": "link", "store": "link"}.get(span.kind, span.kind)
                moved.setdefault(wire, []).append(span.nbytes / max(1, span.end_ns - span.start_ns) * 1e9)
        self.compute_ns.update((key, int(median(times[1:] or times))) for key, times in compute.items())
        self.rates.update((wire, median(rates)) for wire, rates in moved.items())
        if self.path:
            with open(f"{self.path}.part", "w") as file:
                json.dump({"compute_ns": self.compute_ns, "rates": self.rates}, file, indent=1)
            os.replace(f"{self.path}.part", self.path)
