"""The verdicts of tests. A section's command appends a line for each test to the file that
OUTHAUL_VERDICTS names: passed, failed or skipped; the test's name; and the first line of the
reason. Tabs separate them."""

import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "OUTHAUL_VERDICTS"
OUTCOMES = ("passed", "failed", "skipped")


@dataclass(frozen=True)
class Verdict:
    outcome: str
    name: str
    why: str = ""


def printable(text):
    """Returns the text without control characters, which would move lines or a terminal's
    cursor."""
    return "".join(one if one.isprintable() else " " for one in text)


def write(verdict):
    """Appends a verdict; does nothing without OUTHAUL_VERDICTS."""
    path = os.environ.get(VARIABLE)
    if path is None:
        return
    name, why = printable(verdict.name), printable(verdict.why)
    # A single write, so that tests that run at once do not mix their lines.
    with open(path, "a", encoding="utf-8", buffering=1) as file:
        file.write(f"{verdict.outcome}\t{name}\t{why}\n")


def read(path: Path) -> list[Verdict]:
    """Returns the verdicts in a file, in their order; none if the file is missing. Raises
    ValueError for anything else in it."""
    if not path.exists():
        return []
    verdicts = []
    # Other line breaks do not end lines here.
    for line in path.read_bytes().decode(errors="replace").removesuffix("\n").split("\n"):
        outcome, name, why = (line + "\t\t").split("\t")[:3]
        if outcome not in OUTCOMES or not name:
            raise ValueError(f"{path} has a line that is no verdict: {line!r}")
        verdicts.append(Verdict(outcome, printable(name), printable(why)))
    return verdicts
