"""Runs the tests of the crates, some at a time.

    crates.py unit [NAME...]         tests that start no processes: those in the crates' sources,
                                     and of crates without processes
    crates.py processes [NAME...]    tests of nodes, pools and the command, each in its own process
                                     and under a time limit
    crates.py soak [NAME...]         tests marked #[ignore], one at a time: long ones, timed ones,
                                     and those that need programs that a machine may lack

PROFILE is the Cargo profile (release). A NAME is `executable::test`, or an executable or a module
of it with all tests. Without NAMEs it runs all tests. `--list` prints them."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import processes
import verdicts
from verdicts import Verdict

# Number of tests at a time. Tests with processes mostly wait.
JOBS = {"unit": 2, "processes": 4, "soak": 1}
# Time limits against hangs: for all tests of an executable, for one test, and for one long test.
UNIT_SECONDS_MAX = 300
PROCESSES_SECONDS_MAX = 180
SOAK_SECONDS_MAX = 1800
# Crates whose integration tests start processes.
WITH_PROCESSES = {"outhaul-cli", "outhaul-node"}


@dataclass(frozen=True)
class Executable:
    name: str
    path: str
    folder: str
    kind: str

    def tests(self, *options):
        output = subprocess.run(
            [self.path, "--list", "--format", "terse", *options],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        if output.returncode != 0:
            raise SystemExit(f"crates.py: {self.path} cannot list its tests: {output.stderr}")
        return {
            line.removesuffix(": test")
            for line in output.stdout.splitlines()
            if line.endswith(": test")
        }


def executables(profile):
    """Builds the tests, and returns the executables."""
    # The same selection as in `make build-tests`. With another one, features would differ, and
    # cargo would compile much again.
    command = ["cargo", "build", "--profile", profile, "--workspace", "--all-targets"]
    output = subprocess.run(
        [*command, "--quiet", "--message-format", "json-render-diagnostics"],
        stdout=subprocess.PIPE,
        text=True,
    )
    if output.returncode != 0:
        raise SystemExit("crates.py: the tests do not build")
    found = []
    for line in output.stdout.splitlines():
        message = json.loads(line)
        if (
            message.get("reason") != "compiler-artifact"
            or not message["profile"]["test"]
            or not message["executable"]
        ):
            continue
        package = message["package_id"].partition("#")[0].rpartition("/")[2]
        manifest = Path(message["manifest_path"])
        package = f"outhaul-{package}" if manifest.parent.parent.name == "crates" else package
        is_integration = "test" in message["target"]["kind"]
        kind = "processes" if is_integration and package in WITH_PROCESSES else "unit"
        name = (
            f"{package.removeprefix('outhaul-')}"
            f"{'::' + message['target']['name'] if is_integration else ''}"
        )
        found.append(Executable(name, message["executable"], str(manifest.parent), kind))
    return sorted(found, key=lambda executable: executable.name)


def run(executable, limit_s, *options):
    """Runs an executable with these options. Returns its exit status, or None if it took too long,
    its seconds, and its output."""
    environment = {"CARGO_MANIFEST_DIR": executable.folder, "RUST_BACKTRACE": "1"}
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        status = processes.run(
            [executable.path, *options], log, limit_s, environment, executable.folder
        )
        log.seek(0)
        output = log.read().decode(errors="replace")
    return status, time.monotonic() - start, output


def run_one(executable, test, limit_s, *options):
    """Runs one test, in its own process. Returns its verdict, the seconds, and its output."""
    status, seconds, output = run(executable, limit_s, "--exact", test, "--nocapture", *options)
    name = f"{executable.name}::{test}"
    skipped = next(
        (
            line.removeprefix("skipped: ")
            for line in output.splitlines()
            if line.startswith("skipped: ")
        ),
        None,
    )
    if status is None:
        verdict = Verdict("failed", name, f"no end within {limit_s} s")
    elif status != 0:
        verdict = Verdict("failed", name, why_ended(status, output))
    elif skipped is not None:
        verdict = Verdict("skipped", name, skipped)
    elif not re.search(r"^test result: ok\. 1 passed", output, re.MULTILINE):
        verdict = Verdict("failed", name, "there is no such test, or its output ends early")
    else:
        verdict = Verdict("passed", name)
    return [verdict], seconds, output


def run_all(executable, tests, limit_s):
    """Runs these tests of an executable in one process. Returns a verdict for each, the seconds of
    all, and the output."""
    status, seconds, output = run(
        executable, limit_s, "--exact", *tests, "--test-threads", str(JOBS["unit"])
    )
    outcomes = dict(
        re.findall(
            r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$",
            # The output of failed tests comes after that.
            output.partition("\nfailures:\n")[0],
            re.MULTILINE,
        )
    )
    told = re.split(r"^---- (\S+) stdout ----$", output, flags=re.MULTILINE)
    said = dict(zip(told[1::2], told[2::2]))
    verdicts = []
    for test in tests:
        name, outcome = f"{executable.name}::{test}", outcomes.get(test)
        if outcome == "ok":
            verdicts.append(Verdict("passed", name))
        elif outcome == "FAILED":
            verdicts.append(Verdict("failed", name, first_error(said.get(test, ""))))
        elif status is None:
            verdicts.append(Verdict("failed", name, f"no end within {limit_s} s"))
        else:
            # One of these tests ended the process, and so the others did not run.
            alone, more, said_alone = run_one(executable, test, limit_s)
            verdicts += alone
            seconds += more
            if alone[0].outcome == "failed":
                output += said_alone
    if status not in (0, None) and all(verdict.outcome != "failed" for verdict in verdicts):
        why = f"{why_ended(status, '')}, though each test passes by itself"
        verdicts.append(Verdict("failed", executable.name, why))
    return verdicts, seconds, output


def why_ended(status, output):
    """Returns why a process ended with a status other than 0."""
    if status > 0:
        return first_error(output) or f"exit status {status}"
    killed = f"killed by {signal.Signals(-status).name}"
    return f"{killed}: {first_error(output)}" if "panicked at " in output else killed


def first_error(output):
    """Returns the place of the first panic, and its message with the compared values."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if "panicked at " in line:
            place = line.partition("panicked at ")[2].rstrip(":")
            words, *compared = lines[number + 1 : number + 4] or [""]
            compared = [word.strip() for word in compared if re.match(r" +(left|right): ", word)]
            return f"{place}: {'; '.join([words, *compared])}"
    return next((line for line in reversed(lines) if line.strip()), "")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["unit", "processes", "soak"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = choose(options.kind, set(options.names))
    if options.list:
        print(
            "\n".join(
                f"{executable.name}::{test}" for executable, tests in chosen for test in tests
            )
        )
        return
    processes.adopt_orphans()
    counts = dict.fromkeys(verdicts.OUTCOMES, 0)
    # One at a time, if tests are timed or run again after a failure.
    is_alone = options.kind == "soak" or options.names or "OUTHAUL_TIMED" in os.environ
    with ThreadPoolExecutor(1 if is_alone else JOBS[options.kind]) as pool:
        for found, seconds, output in pool.map(lambda task: task(), tasks(options.kind, chosen)):
            tell(found, seconds, output)
            for verdict in found:
                counts[verdict.outcome] += 1
    processes.end_children()
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    sys.exit(counts["failed"] > 0)


def choose(kind, names):
    """Returns executables with their tests of this kind, and only those with one of these names, if
    there are any."""
    chosen = []
    for executable in executables(os.environ.get("PROFILE", "release")):
        if kind not in ("soak", executable.kind):
            continue
        ignored = executable.tests("--ignored")
        tests = ignored if kind == "soak" else executable.tests() - ignored
        if names:
            tests = {test for test in tests if is_in(f"{executable.name}::{test}", names)}
        if tests:
            chosen.append((executable, sorted(tests)))
    return chosen


def is_in(test, names):
    """Returns whether a test has one of these names, or is in an executable or module with it."""
    return any(f"{test}::".startswith(f"{name}::") for name in names)


def tasks(kind, chosen):
    """Returns the work as functions without arguments."""
    if kind == "unit":
        return [
            partial(run_all, executable, tests, UNIT_SECONDS_MAX) for executable, tests in chosen
        ]
    limit_s, flags = (
        (SOAK_SECONDS_MAX, ["--ignored"]) if kind == "soak" else (PROCESSES_SECONDS_MAX, [])
    )
    return [
        partial(run_one, executable, test, limit_s, *flags)
        for executable, tests in chosen
        for test in tests
    ]


def tell(found, seconds, output):
    """Writes and prints verdicts, and prints the output of failed tests."""
    for verdict in found:
        verdicts.write(verdict)
        word = {"passed": "ok", "failed": "FAILED"}.get(verdict.outcome, verdict.outcome)
        taken = f" ({seconds:.1f} s)" if len(found) == 1 else ""
        print(
            f"{word:8} {verdict.name}{taken}{f': {verdict.why}' if verdict.why else ''}", flush=True
        )
    if len(found) > 1:
        print(f"ok       these {len(found)} took {seconds:.1f} s", flush=True)
    if any(verdict.outcome == "failed" for verdict in found):
        lines = [
            line for line in output.splitlines() if not re.fullmatch(r"test .* \.\.\. ok", line)
        ]
        print("\n".join(f"   | {line}" for line in lines[-80:]), flush=True)


if __name__ == "__main__":
    main()
