"""Checks that tables of simulations in the documents equal the simulator's current output.

python3 tests/docs/tables.py [--outhaul target/release/outhaul]
"""

import argparse
import subprocess
import sys
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parents[2]
# Each page, and the command that prints its Markdown table.
TABLES = [(Path("docs/turns.md"), ["sim", "share"])]
SECONDS_MAX = 300


def rows(page):
    return [(number, line) for number, line in page.prose if line.startswith("|")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outhaul", default=str(ROOT / "target/release/outhaul"))
    binary = parser.parse_args().outhaul
    failed = 0
    for path, arguments in TABLES:
        command = [binary, *arguments]
        printed = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=SECONDS_MAX
        ).stdout.splitlines()
        shown = rows(markdown.Document(ROOT, path))[2:]
        stale = [(number, row) for number, row in shown if row not in printed]
        for number, row in stale:
            print(f"{path}:{number}: `outhaul {' '.join(arguments)}` no longer prints {row}")
        failed += len(stale)
        print(f"{path}: {len(shown) - len(stale)} of {len(shown)} rows are as printed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
