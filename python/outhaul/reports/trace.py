"""A trace for Perfetto (ui.perfetto.dev) and chrome://tracing: `with outhaul.trace("run.json"):
array.compute()`. Each GPU is a process with lanes for compute, loads and stores; files are another
process."""

import contextlib
import json

from ..runtime.events import listening

LANES = {"compute": 0, "load": 1, "peer": 1, "store": 2, "read": 0, "write": 1}
NAMES = {False: ["compute", "load", "store"], True: ["read", "write"]}
FILES = 10_000
"""Process number of files, higher than that of any GPU."""


class Trace:
    """A listener that collects the events of a trace."""

    def __init__(self):
        self.events = []
        self.gpus = []
        self.named = set()

    def began(self, subtasks, gpus):
        self.gpus = gpus

    def ended(self, span):
        process = FILES if span.kind in ("read", "write") else self.gpus[span.gpu]
        self._name(process)
        arguments = {"bytes": span.nbytes} if span.nbytes else {}
        start_us, duration_us = span.start_ns / 1000, (span.end_ns - span.start_ns) / 1000
        event = {
            "ph": "X",
            "pid": process,
            "tid": LANES[span.kind],
            "cat": span.kind,
            "name": span.name,
            "ts": start_us,
            "dur": duration_us,
        }
        self.events.append({**event, "args": arguments})

    def _name(self, process):
        if process in self.named:
            return
        self.named.add(process)
        name = "files" if process == FILES else f"GPU {process}"
        self.events.append(
            {"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}}
        )
        for thread, lane in enumerate(NAMES[process == FILES]):
            self.events.append(
                {
                    "ph": "M",
                    "pid": process,
                    "tid": thread,
                    "name": "thread_name",
                    "args": {"name": lane},
                }
            )


@contextlib.contextmanager
def trace(path):
    """Writes the file at the end, even if a run failed: then it shows the operations until then."""
    recorded = Trace()
    try:
        with listening(recorded):
            yield recorded
    finally:
        with open(path, "w") as file:
            json.dump({"traceEvents": recorded.events, "displayTimeUnit": "ms"}, file)
