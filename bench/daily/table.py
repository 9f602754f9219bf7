"""Makes the table of run.py's results: a row for each case, worst first over TCP."""

import ast
import math
import statistics

import machine

REMOTE = {"tcp": "TCP", "memory": "memory", "10g": "10 Gb/s"}
SAID_LINES = 12


def text(results) -> str:
    """Returns the table, the medians, the three worst, failures, start times and machines."""
    rows = [
        Row(program, case, found["runs"])
        for program, found in results["programs"].items()
        for case in case_names(program, found["runs"])
    ]
    rows.sort(key=Row.order)
    parts = [
        "\n".join(main_table(rows)),
        "\n".join(summary(rows)),
        "\n".join(starts(rows)),
        "\n".join(failures(results["programs"])),
        "\n".join(links(results["programs"])),
        "\n".join(dict.fromkeys(machine.line(one) for one in results["machines"])),
    ]
    return "\n\n".join(part for part in parts if part)


class Row:
    """A case: its runs by way, and values derived from them."""

    def __init__(self, program, name, runs):
        self.program, self.name = program, name
        self.runs = {}
        for run in runs:
            self.runs.setdefault(run["way"], []).append((run, case_of(run, name)))

    def values(self, way):
        return [case["value"] for _, case in self.runs.get(way, []) if case]

    def native(self):
        values = self.values("native")
        return statistics.median(values) if values else None

    def ratio(self, way, key="value"):
        """Returns the median of the rounds' ratios, or None without one."""
        pairs = zip(self.runs.get("native", []), self.runs.get(way, []))
        ratios = [
            remote[key] / native[key]
            for (_, native), (_, remote) in pairs
            if native and remote and native.get(key) and remote.get(key)
        ]
        return statistics.median(ratios) if ratios else None

    def faults(self, way):
        """Returns how failed runs ended."""
        ended = [run["status"] for run, _ in self.runs.get(way, [])]
        return sorted({status for status in ended if status != "ok"})

    def cell(self, way):
        ratio, faults = self.ratio(way), self.faults(way)
        shown = [f"{ratio:.2f}"] if ratio else []
        if not ratio and not faults:
            return "nothing" if self.runs.get(way) and self.values("native") else "-"
        return ", ".join(shown + faults)

    def order(self):
        """Orders cases that failed only remotely first, then by ratio; cases without a result
        last."""
        if self.native() is None:
            return (2, 0)
        ratios = [self.ratio(way) for way in REMOTE if way in self.runs]
        tcp = self.ratio("tcp") if "tcp" in self.runs else max(filter(None, ratios), default=None)
        failed = any(self.faults(way) or not self.values(way) for way in self.runs)
        if tcp is None:
            return (0, 0) if failed else (1, 0)
        return (1, -tcp)

    def same(self):
        """Returns whether each remote result is within the tolerance of a native one, round by
        round."""
        natives = [case for _, case in self.runs.get("native", []) if case]
        remotes = [(way, case) for way in REMOTE for _, case in self.runs.get(way, []) if case]
        if not natives or not remotes:
            return "-"
        for way, case in remotes:
            wrong = [difference(native, case) for native in natives]
            if all(wrong):
                return f"NO: {REMOTE[way]} {wrong[0]}"
        tolerance = natives[0]["tolerance"]
        return f"yes, {tolerance:g}" if tolerance else "yes, equal"

    def every(self):
        parts = []
        for way, runs in self.runs.items():
            values = " ".join(f"{case['value']:.4g}" if case else "-" for _, case in runs)
            parts.append(f"{way} {values}")
        return "; ".join(parts)


def case_of(run, name):
    found = [case for case in run["cases"] if case["name"] == name and "value" in case]
    return found[0] if found else None


def case_names(program, runs):
    """Returns the names of a program's cases, native ones first; its own name if no run has any."""
    names = [case["name"] for run in runs for case in run["cases"] if "value" in case]
    return list(dict.fromkeys(names)) or [program]


def difference(native, remote):
    """Returns the difference between two runs of a case, or nothing if they are equal."""
    for place, (a, b) in enumerate(zip(native["results"], remote["results"])):
        if not math.isfinite(a) or not abs(a - b) <= native["tolerance"] * max(abs(a), abs(b)):
            return f"{b!r} for {a!r} in round {place}"
    return None


def row(columns):
    return "| " + " | ".join(columns) + " |"


def main_table(rows):
    yield row(
        ["program", "native", *(f"{name} ratio" for name in REMOTE.values())]
        + ["same result", "all runs"]
    )
    yield "|" + "---|" * (len(REMOTE) + 4)
    for one in rows:
        faults = ", ".join(one.faults("native"))
        native = one.native()
        shown = f"{native:.4g} {unit(one)}" if native is not None else ""
        cells = [one.cell(way) for way in REMOTE]
        name = one.name if one.name == one.program else f"{one.name} (`{one.program}`)"
        native_cell = ", ".join(filter(None, [shown, faults])) or "-"
        yield row([name, native_cell, *cells, one.same(), one.every()])


def unit(one):
    return next(case["unit"] for runs in one.runs.values() for _, case in runs if case)


def summary(rows):
    for way, name in REMOTE.items():
        ratios = {one.name: ratio for one in rows if (ratio := one.ratio(way))}
        tried = [one for one in rows if way in one.runs and one.native() is not None]
        if not tried:
            continue
        failed = [one.name for one in tried if one.faults(way) or one.name not in ratios]
        worst = sorted(ratios, key=ratios.get, reverse=True)[:3]
        median = f"{statistics.median(ratios.values()):.2f}" if ratios else "none"
        yield (
            f"{name}: median {median} over {len(ratios)} cases; the three worst are "
            + (", ".join(f"{one} {ratios[one]:.2f}" for one in worst) or "unknown")
            + (f"; not ended well: {', '.join(failed)}" if failed else "")
        )


def starts(rows):
    """Returns the start times, which only the first case of each process has."""
    shown = [one for one in rows if any(first_s(one, way) for way in one.runs)]
    if not shown:
        return
    yield "From the start of the process to its first result, s, all runs:"
    yield ""
    yield row(["program", "native", *REMOTE.values()])
    yield "|" + "---|" * (len(REMOTE) + 2)
    for one in shown:
        yield row([one.program, *(first_s(one, way) or "-" for way in ("native", *REMOTE))])


def first_s(one, way):
    times = [case.get("first_s") for _, case in one.runs.get(way, []) if case]
    return " ".join(f"{time:.1f}" for time in times if time)


def failures(programs):
    for name, found in programs.items():
        for run in found["runs"]:
            for case in run["cases"]:
                if "skipped" in case:
                    yield f"{name}, {run['way']}: skipped: {case['skipped']}"
            if run["status"] == "left out":
                yield f"{name}, {run['way']}: left out, since TCP timed out"
            elif run["status"] not in ("ok", "skipped"):
                yield f"{name}, {run['way']}: {run['status']} after {run['took_s']} s"
                yield from (f"    {line}" for line in run.get("said", [])[-SAID_LINES:])


def links(programs):
    """Returns each link as measured before the first program and the last."""
    seen = {}
    for found in programs.values():
        for run in found["runs"]:
            if "link" in run:
                seen.setdefault(run["way"], []).append(run["link"])
    for way, lines in seen.items():
        yield f"{way}, first: {lines[0]}"
        if len(lines) > 1:
            yield f"{way}, last: {lines[-1]}"


def line(name, run) -> str:
    """Returns the result of one run in a line."""
    values = ", ".join(
        f"{case['name']} {case['value']:.4g} {case['unit']}"
        for case in run["cases"]
        if "value" in case
    )
    return f"{name:<20} {run['way']:<7} {run['status']:<8} {run['took_s']:>6.1f} s  {values}"


def purpose(path) -> str:
    document = ast.get_docstring(ast.parse(path.read_text())) or ""
    return " ".join(document.split())
