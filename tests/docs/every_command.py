"""Runs every command of README.md and docs/*.md as it is written, or finds it in a list with a
reason.

    python3 tests/docs/every_command.py [--outhaul FOLDER] [PAGE...]

A command is a line of a fenced block without a language, or of `sh`. Each page has a new folder,
and a network of its own in which all machines of the examples are this one. `libcuda.so.1` of this
machine is the software GPU. A line that starts a server runs until the page ends.

`not-run.txt` lists what is not run: a page, a pattern of the line as in a shell, and the reason. A
command that fails and is not in the list, and a line of the list that fits no command, are faults.
"""

import argparse
import fnmatch
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import as_written
import markdown

ROOT = as_written.ROOT
LIST = Path(__file__).with_name("not-run.txt")
REMARK = re.compile(r"\s+#\s.*$|(?<=\S)\s{4,}(?=\S).*$")
CONTINUED = re.compile(r"\s*\\\n\s*")
PARALLEL_MAX = 3


def pages():
    names = [d.path for d in markdown.documents(ROOT)]
    return [p for p in names if str(p) == "README.md" or p.parent == Path("docs")]


def found_in(page):
    """Yields each command of a page with the number of its line."""
    for block in page.blocks:
        if block.info.split(" ")[0] not in ("", "sh", "bash"):
            continue
        number = block.line
        for line in CONTINUED.sub(" ", "\n".join(block.lines)).split("\n"):
            command = REMARK.sub("", line).strip()
            if command and not command.startswith("#"):
                yield number, command
            number += 1


def not_run():
    """Returns the list: page, pattern and reason of each line."""
    entries = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            page, pattern, reason = (part.strip() for part in line.split(" | "))
            entries.append((page, pattern, reason))
    return entries


def reason_of(page, command, entries):
    for entry in entries:
        if fnmatch.fnmatchcase(str(page), entry[0]) and fnmatch.fnmatchcase(command, entry[1]):
            return entry
    return None


def run_page(path, programs):
    """Runs the commands of a page that are not in the list. Returns their number."""
    entries = not_run()
    page = markdown.Document(ROOT, path)
    if all(reason_of(path, command, entries) for _, command in found_in(page)):
        return 0

    def run(page, terminal):
        count = 0
        terminal.environment |= {
            "LD_LIBRARY_PATH": f"{programs}/outhaul-soft",
            "OUTHAUL_SOFT_DEVICES": "2",
            "OUTHAUL_SOFT_MEMORY": "80GiB",
        }
        as_written.prepare(page, terminal)
        for number, command in found_in(page):
            if not reason_of(path, command, entries):
                as_written.run_line(page, number, command, terminal)
                count += 1
        return count

    return as_written.run_page(path, programs, run)


def stale():
    """Yields faults of the list."""
    entries, used = not_run(), set()
    for path in pages():
        for _, command in found_in(markdown.Document(ROOT, path)):
            if entry := reason_of(path, command, entries):
                used.add(entry)
    for entry in entries:
        if entry not in used:
            yield f"{LIST.name}: fits no command: {entry[0]} | {entry[1]}"


def run_all(paths, options):
    """Runs pages side by side, each in its own process. Returns the number of those that failed."""
    waiting, running, failed = list(paths), [], 0
    while waiting or running:
        while waiting and len(running) < PARALLEL_MAX:
            command = [sys.executable, __file__, "--outhaul", options.outhaul, str(waiting.pop(0))]
            running.append(subprocess.Popen(command))
        failed += running.pop(0).wait() != 0
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--outhaul", default=str(ROOT / "target/release"))
    options = parser.parse_args()
    if len(options.pages) != 1:
        faults = list(stale())
        print("\n".join(faults), end="\n" if faults else "", flush=True)
        return 1 if run_all(options.pages or pages(), options) or faults else 0
    if as_written.INSIDE not in os.environ:
        code = as_written.alone(__file__, sys.argv[1:])
        if code is None:
            print("skipped: running pages needs network namespaces")
            return 0
        return code
    (path,) = options.pages
    started = time.monotonic()
    try:
        count = run_page(path, Path(options.outhaul).resolve())
    except as_written.PageFailed as error:
        print(f"FAILED: {error}", flush=True)
        return 1
    if count:
        print(f"ok: {path}: {count} commands in {time.monotonic() - started:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
