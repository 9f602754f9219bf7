"""Runs the sections of a suite: one after the other, and at once those that mostly wait. Runs
failed tests once more if the machine may have caused the failure."""

import itertools
import os
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import processes
import verdicts
from section import Section
from verdicts import Verdict

# Number of sections that run at once, of those that mostly wait.
JOBS = 3
# More failures than this are not chance, so running them again would tell nothing.
RETRIES_MAX = 5
# The shell's exit status for a command that cannot be run.
NOT_RUN = 127
# Maximum number of lines of a failed section's output that are shown.
TAIL_LINES = 60


@dataclass
class Outcome:
    """The result of a section. The names of its tests do not contain the section's."""

    section: Section
    seconds: float
    verdicts: list[Verdict]
    flaky: list[Verdict] = field(default_factory=list)

    def of(self, outcome):
        return [verdict for verdict in self.verdicts if verdict.outcome == outcome]


class Runner:
    """Runs sections, with a folder for logs: one file for each section."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.outcomes: list[Outcome] = []
        self.printing = threading.Lock()

    def run(self, sections: list[Section]):
        """Runs all sections, up to one that fails and stops the rest; then the retries."""
        numbered = enumerate(sections, start=1)
        # A section that does not wait is a group by itself.
        for _, group in itertools.groupby(numbered, lambda one: 0 if one[1].waits else one[0]):
            with ThreadPoolExecutor(JOBS) as pool:
                outcomes = list(pool.map(lambda one: self.run_section(*one), group))
            processes.end_children()
            self.outcomes += outcomes
            for outcome in outcomes:
                if outcome.section.stops and outcome.of("failed"):
                    print(f"stopped: after a failed {outcome.section.name}, nothing can be trusted")
                    return
        self.retry()

    def run_section(self, number, section, is_again=False, names=()):
        """Runs a section, or its tests with these names, and judges it."""
        suffix = "-again" if is_again else ""
        name = f"{number:02}-{re.sub('[^a-z0-9]+', '-', section.name.lower())}{suffix}"
        log_path, verdicts_path = self.folder / f"{name}.log", self.folder / f"{name}.verdicts"
        verdicts_path.unlink(missing_ok=True)
        print(f"== {section.name}{', once more' if is_again else ''}", flush=True)
        start = time.monotonic()
        command = [*section.command, *names]
        with open(log_path, "wb") as log:
            environment = {**section.environment, verdicts.VARIABLE: str(verdicts_path)}
            try:
                status = processes.run(command, log, section.limit_s, environment)
            except OSError as error:
                log.write(f"error: {command[0]} cannot be run: {error}\n".encode())
                status = NOT_RUN
        seconds = time.monotonic() - start
        found = self.judge(section, status, log_path, verdicts_path)
        outcome = Outcome(section, seconds, found)
        counts = f"{len(outcome.of('passed'))} passed, {len(outcome.of('failed'))} failed"
        with self.printing:
            print(f"-- {section.name}: {seconds:.0f} s, {counts}", flush=True)
            if outcome.of("failed"):
                show_tail(log_path)
        return outcome

    def judge(self, section, status, log_path, verdicts_path):
        """Returns the verdicts of a section, and one for the section itself if they are
        incomplete."""
        if not log_path.exists():
            return [Verdict("failed", section.name, "its log is missing")]
        ended = {0: None, None: f"no end within {section.limit_s} s"}.get(
            status, f"exit status {status}: {first_error(log_path)}"
        )
        if not section.has_verdicts:
            return [
                Verdict("failed", section.name, ended) if ended else Verdict("passed", section.name)
            ]
        try:
            found = verdicts.read(verdicts_path)
        except ValueError as error:
            return [Verdict("failed", section.name, str(error))]
        if not ended and all(verdict.outcome == "skipped" for verdict in found):
            ended = "it ran no test"
        # An exit status other than 1 means that tests may not have run.
        is_told = status == 1 and any(verdict.outcome == "failed" for verdict in found)
        if ended and not is_told:
            found.append(Verdict("failed", section.name, ended))
        return found

    def retry(self):
        if sum(len(outcome.of("failed")) for outcome in self.outcomes) > RETRIES_MAX:
            return
        for number, outcome in enumerate(self.outcomes, start=1):
            if outcome.section.retries and outcome.of("failed"):
                self.retry_section(number, outcome)
                processes.end_children()

    def retry_section(self, number, outcome):
        """Runs failed tests once more. Those that pass now are flaky, and count as passed."""
        section, before = outcome.section, outcome.of("failed")
        names = {verdict.name for verdict in before}
        # If the section itself failed, it may not have run all of its tests.
        is_whole = not section.retries_by_name or section.name in names
        again = [] if is_whole else [verdict.name for verdict in before]
        second = self.run_section(number, section, is_again=True, names=again)
        passed = {verdict.name for verdict in second.of("passed")}
        if not second.of("failed"):
            passed.add(section.name)
        outcome.flaky = [verdict for verdict in before if verdict.name in passed]
        others = second.verdicts if is_whole else outcome.verdicts + second.of("failed")
        outcome.verdicts = [verdict for verdict in others if verdict.name not in names]
        outcome.verdicts += [
            Verdict("passed", verdict.name) if verdict.name in passed else verdict
            for verdict in before
        ]


def first_error(path):
    """Returns the first line of a log that names an error. Without one it returns the last line,
    where a script states its reason."""
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    # Lines of the command that pip ran are better than pip's own.
    marks = r"^(?!ok |.*subprocess-exited).*\berror\b|^(FAILED|Diff in) "
    found = (line for line in lines if re.search(marks, line))
    last = lines[-1] if lines else "it printed nothing"
    # A script that dies within a test does not report it.
    last = f"it ended after '{last.strip()}'" if last.startswith("ok ") else last
    return verdicts.printable(next(found, last).strip())


def show_tail(path):
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    # Lines about successful tests are not interesting here.
    lines = [line for line in lines if not line.startswith(("ok ", "skipped "))]
    if len(lines) > TAIL_LINES:
        print(
            f"   | ... {len(lines) - TAIL_LINES} lines before these are in {os.path.relpath(path)}"
        )
    for line in lines[-TAIL_LINES:]:
        print(f"   | {verdicts.printable(line[:300])}")
    sys.stdout.flush()
