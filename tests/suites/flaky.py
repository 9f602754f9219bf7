"""The tests that are known to fail now and then. tests/flaky.txt has a line for each: its name, the
date and the cause, separated by tabs."""

from pathlib import Path

FILE = Path("tests/flaky.txt")
NAMES_MAX = 3


def known():
    """Returns the names in the file. Raises ValueError for a line without a date."""
    lines = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    for line in lines:
        if len(line.split("\t")) < 2:
            raise ValueError(
                f"{FILE}: a line is a name, a date and, if it is known, the cause, with tabs"
                f" between: {line!r}"
            )
    return [line.split("\t")[0] for line in lines]
