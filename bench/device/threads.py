"""Measures CPU time by thread: samples a process and its descendants ten times a second until it
ends.

    threads.py PID...      prints `NAME MS` for each name of a thread, most first, when the first of
                           the processes has ended

A worker is a descendant of the listener. Threads of one name are added up, without the last tenth
of a second of each."""

import collections
import os
import sys
import time

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def processes():
    """Yields each process with its parent."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat:
                yield int(name), int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            pass


def below(roots):
    parents = dict(processes())
    found = set(roots)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def look(roots, seen):
    for process in below(roots):
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/stat") as stat:
                    name, _, rest = stat.read().partition("(")[2].rpartition(")")
                fields = rest.split()
                kind = f"{name} (first)" if int(thread) == process else name
                seen[process, thread] = kind, (int(fields[11]) + int(fields[12])) * TICK_MS
        except OSError:
            pass


def main():
    roots = [int(argument) for argument in sys.argv[1:]]
    seen = {}
    while os.path.exists(f"/proc/{roots[0]}"):
        look(roots, seen)
        time.sleep(0.1)
    sums = collections.Counter()
    for name, ms in seen.values():
        sums[name] += ms
    for name, ms in sums.most_common():
        print(name, round(ms))


main()
