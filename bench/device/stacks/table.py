"""Prints the results of steps natively and over links in one table, and which of them differ.

    table.py STACK NATIVE_FILE LINK_FILE...

Each file has a line for each step, as `steps.run` prints it; if it has several runs, the last
counts. The name of a way follows the stack's name in the name of its file.
"""

import pathlib
import sys

STEP_COLUMNS = 30
CELL_COLUMNS = 26


def steps(path):
    """Returns the lines of a file as a dict from a step to its result; {} if the file is
    missing."""
    found = {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        step, result = line[:STEP_COLUMNS].strip(), line[STEP_COLUMNS + 1 :]
        if len(line) > STEP_COLUMNS and line[STEP_COLUMNS] == " " and result.strip():
            found[step] = result.strip()
    return found


def passed(result):
    return result is not None and not result.startswith("FAILED")


def main():
    stack, *paths = sys.argv[1:]
    ways = {pathlib.Path(p).name.removeprefix(f"{stack}."): steps(pathlib.Path(p)) for p in paths}
    native = ways["native"]
    print(" | ".join(f"{cell:<{CELL_COLUMNS}.{CELL_COLUMNS}}" for cell in (stack, *ways)))
    for step in native:
        row = (step, *(found.get(step, "missing") for found in ways.values()))
        print(" | ".join(f"{cell:<{CELL_COLUMNS}.{CELL_COLUMNS}}" for cell in row))
    for way, found in ways.items():
        wrong = [step for step in native if passed(native[step]) and not passed(found.get(step))]
        print(
            f"{stack} over {way}: {sum(passed(found.get(step)) for step in native)} steps pass",
            end="",
        )
        print(f"; natively also {', '.join(wrong)}" if wrong else "")


main()
