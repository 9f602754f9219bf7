"""Compares test runs, test by test, from JUnit files: the first with each of the others.

    compare.py SUITE FIRST.xml OTHER.xml...

A test's outcome is passed, failed, skipped or missing; a test whose process ended has failed. A run
has the name of its file. Exits with 1 if an outcome differs."""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LINE_COLUMNS = 160
SLOWER_TIMES = 3
SLOWER_S = 1
SLOWER_LISTED_MAX = 12

Result = collections.namedtuple("Result", "outcome words seconds")
MISSING = Result("missing", "", 0.0)


def first_line(node):
    """Returns the error in one line, without numbers that differ from run to run."""
    text = (node.get("message") or "").strip() or (node.text or "").strip()
    line = next((line for line in text.splitlines() if line.strip()), "")
    return re.sub(r"0x[0-9a-f]+|\bgw\d+|\d\d+", "#", line.strip())


def result(case):
    for child in case:
        if child.tag in ("failure", "error"):
            return Result("failed", first_line(child), float(case.get("time", 0)))
        if child.tag == "skipped":
            return Result("skipped", first_line(child), float(case.get("time", 0)))
    return Result("passed", "", float(case.get("time", 0)))


def results(path):
    """Returns the results in a JUnit file by test, or {} if there is no complete file.

    A test that occurs twice, such as one whose teardown failed, has its worst result.
    """
    found = {}
    try:
        cases = ElementTree.parse(path).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return found
    rank = ("passed", "skipped", "failed")
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        new, old = result(case), found.get(name)
        if old is None or rank.index(new.outcome) > rank.index(old.outcome):
            found[name] = new
    return found


def counts(found):
    by_outcome = collections.Counter(r.outcome for r in found.values())
    seconds = sum(r.seconds for r in found.values())
    cells = [by_outcome[outcome] for outcome in ("passed", "failed", "skipped")]
    return f"{len(found):>6} {cells[0]:>7} {cells[1]:>7} {cells[2]:>8} {seconds:>8.0f} s"


def clipped(line):
    return line if len(line) <= LINE_COLUMNS else line[: LINE_COLUMNS - 3] + "..."


def compare(name, first, other):
    """Prints how a run differs from the first. Returns the number of tests that differ."""
    both = [test for test in first if test in other]
    differ = [test for test in both if first[test].outcome != other[test].outcome]
    reworded = [
        test
        for test in both
        if first[test].outcome == other[test].outcome == "failed"
        and first[test].words != other[test].words
    ]
    print(f"{name}: {len(both) - len(differ)} same, {len(differ)} differ, ", end="")
    print(f"{len(first) - len(both)} missing, {len(other) - len(both)} only here, ", end="")
    print(f"{len(reworded)} fail in other words")
    for test in differ:
        was, now = first[test], other[test]
        print(clipped(f"  differs   {was.outcome} -> {now.outcome}: {test}"))
        print(clipped(f"            {now.words or was.words}"))
    for test in reworded:
        print(clipped(f"  reworded  {test}"))
        print(clipped(f"            {first[test].words}"))
        print(clipped(f"         -> {other[test].words}"))
    for test in slower(both, first, other):
        print(
            clipped(f"  slower    {first[test].seconds:.2f} -> {other[test].seconds:.2f} s: {test}")
        )
    return len(differ)


def slower(both, first, other):
    """Returns the tests that take much longer than in the first run, the worst first."""
    gain = {test: other[test].seconds - first[test].seconds for test in both}
    found = [
        test
        for test in both
        if gain[test] > SLOWER_S
        and other[test].seconds > SLOWER_TIMES * first[test].seconds
        and first[test].outcome == other[test].outcome == "passed"
    ]
    return sorted(found, key=gain.get, reverse=True)[:SLOWER_LISTED_MAX]


def main():
    suite, *paths = sys.argv[1:]
    runs = {pathlib.Path(path).stem: results(path) for path in paths}
    print(f"{suite:<16} {'tests':>6} {'passed':>7} {'failed':>7} {'skipped':>8} {'in tests':>10}")
    for name, found in runs.items():
        print(f"  {name:<14} {counts(found)}")
    (_, first), *others = runs.items()
    differ = sum(compare(name, first, found) for name, found in others)
    missing = any(set(first) - set(found) for _, found in others)
    sys.exit(1 if differ or missing or not first else 0)


main()
