"""What came of each test. A section's command appends a line for each to the file that OUTHAUL_VERDICTS names:
passed, failed or skipped; the test's name; the first line of why. Tabs are between them."""

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
    """The text without control characters, which would move lines or a terminal's cursor."""
    return "".join(one if one.isprintable() else " " for one in text)


def write(verdict):
    """Appends a verdict; does nothing where nobody asked for verdicts."""
    path = os.environ.get(VARIABLE)
    if path is None:
        return
    name, why = printable(verdict.name), printable(verdict.why)
    # One write, so that tests that run at once do not mix their lines.
    with open(path, "a", encoding="utf-8", buffering=1) as file:
        file.write(f"{verdict.outcome}\t{name}\t{why}\n")


def read(path: Path) -> list[Verdict]:
    """The verdicts in a file, in their order; none if it is not there. Raises ValueError for anything else in it."""
    if not path.exists():
        return []
    verdicts = []
    # Other line breaks are no ends of lines here.
    for line in path.read_bytes().decode(errors="replace").removesuffix("\n").split("\n"):
        outcome, name, why = (line + "\t\t").split("\t")[:3]
        if outcome not in OUTCOMES or not name:
            raise ValueError(f"{path} has a line that is no verdict: {line!r}")
        verdicts.append(Verdict(outcome, printable(name), printable(why)))
    return verdicts
