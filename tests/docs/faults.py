"""Tests the checks of documents: plants a fault of each kind in a copy and looks for its line.

python3 tests/docs/faults.py
"""

import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import check

ROOT = Path(__file__).resolve().parents[2]

# The document, the fault to plant in it, and the words that the check must print.
FAULTS = [
    ("README.md", "[a page](docs/missing.md)", "docs/missing.md leads to no file"),
    ("README.md", "![a picture](docs/figures/no.svg)", "docs/figures/no.svg leads to no file"),
    ("README.md", "| a case | 0.123 | 1.01 | 1.02 |", "no page with figures has 0.123"),
    ("docs/faq.md", "[above](#no-such-heading)", "docs/faq.md has no heading for #no-such-heading"),
    ("docs/faq.md", "[there](pool.md#no-such)", "docs/pool.md has no heading for #no-such"),
    ("docs/faq.md", "Run `outhaul run --nod gpu7 -- ls`.", "there is no --nod"),
    ("docs/faq.md", "```\nouthaul pool serv\n```", "pool has no serv"),
    ("docs/faq.md", "```\nFOO=1 outhaul rnu -- ls\n```", "there is no command rnu"),
    ("docs/faq.md", "```\n" + "x" * 101 + "\n```", "101 columns of code"),
    ("docs/faq.md", "It lies in /" + "root/outhaul.", "is a path of one machine"),
    ("docs/faq.md", "Set `OUTHAUL_MISSING=1`.", "no code reads OUTHAUL_MISSING"),
    ("docs/troubleshooting.md", "### `the moon is ...`", "no code says `the moon is`"),
    ("tests/tsan.supp", "race:NoSuch>::read", "no code has NoSuch"),
    ("ARCHITECTURE.md", "```\ncrates/wire/src/\n  no.rs  none\n```", "no crates/wire/src/no.rs"),
]

# Replaces the binary, so that this script needs no build.
OUTHAUL = """#!/bin/sh
case "$*" in
--help) printf 'Commands:\\n  run  Run\\n  pool  Pool\\n' ;;
"run --help") printf 'Options:\\n      --node <HOST:PORT>\\n' ;;
"pool --help") printf 'Commands:\\n  serve  Serve\\n' ;;
"pool serve --help") printf 'Options:\\n      --listen <HOST:PORT>\\n' ;;
*) exit 2 ;;
esac
"""


def copied(folder):
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in set(names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    subprocess.run(["git", "init", "-q", folder], check=True)


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="outhaul-docs.") as name:
        folder = Path(name)
        copied(folder)
        binary = folder / "outhaul"
        binary.write_text(OUTHAUL)
        binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
        for path, text, wanted in FAULTS:
            document = folder / path
            before = document.read_text()
            document.write_text(before + "\n" + text + "\n")
            last = len(before.splitlines())
            found = list(check.faults(folder, str(binary)))
            document.write_text(before)
            if not any(wanted in line and number(line) > last for line in found):
                failed += 1
                print(f"FAILED: nothing says `{wanted}` of {path}")
    print(f"{len(FAULTS) - failed} planted faults found, {failed} missed")
    return 1 if failed else 0


def number(line):
    return int(line.split(":")[1])


if __name__ == "__main__":
    sys.exit(main())
