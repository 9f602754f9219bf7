"""Runs a suite: the tests of what the repository promises.

    python3 tests/suites gate [SECTION...]    tests that every change must pass, with the same
                                              verdict for the same commit
    python3 tests/suites soak [PART...]       long, random, timed, sanitised and foreign tests; a
                                              PART is a group of sections

A SECTION is part of a section's name; `--list` prints them. Logs are in target/suites."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import gate
import processes
import report
import soak
from runner import Runner

ROOT = Path(__file__).resolve().parent.parent.parent


def main():
    parser = argparse.ArgumentParser(
        prog="suites", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=["gate", "soak"])
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the sections and run none")
    options = parser.parse_args()
    os.chdir(ROOT)
    sections = gate.choose(options.parts) if options.suite == "gate" else soak.choose(options.parts)
    if options.list or not sections:
        print("\n".join(section.name for section in sections or gate.SECTIONS))
        sys.exit(0 if options.list else 2)
    sys.exit(0 if run(options.suite, sections) else 1)


def run(suite, sections):
    logs = ROOT / "target" / "suites" / suite
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    # Not in /tmp, which other programs clean up. The path is short, because sockets have paths.
    scratch = tempfile.mkdtemp(prefix=f"outhaul-{suite}-", dir="/var/tmp")
    os.chmod(scratch, 0o755)
    os.environ["TMPDIR"] = scratch
    processes.adopt_orphans()
    before, start = steal(), time.monotonic()
    try:
        runner = Runner(logs)
        runner.run(sections)
        print(
            f"\n{time.monotonic() - start:.0f} s; other machines took {steal() - before:.0f} s"
            f" of the CPUs' time"
        )
        return report.tell(runner.outcomes)
    finally:
        processes.end_children()
        shutil.rmtree(scratch, ignore_errors=True)


def steal():
    """Returns the seconds of CPU time, over all CPUs, that the host gave to other machines."""
    fields = processes.read("/proc/stat").splitlines()[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
