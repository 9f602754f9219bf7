"""Gathers the pages of the site: docs/ as it is, the documents beside it, and what --help says.

    python3 docs/scripts/site.py FOLDER [outhaul]

Links between pages are made to fit. A link to a file that is no page, such as a source file, has
no place on the site: its words stay.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))

import commands  # noqa: E402
import facts  # noqa: E402
import markdown  # noqa: E402

# Documents of the repository's root, which lie in one folder of the site.
BESIDE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SPECIFICATION.md", "CHANGELOG.md"]
NOT_PAGES = shutil.ignore_patterns("scripts")


def place(path):
    """Where a file of the repository lies on the site; None if it does not."""
    if str(path) in BESIDE:
        return Path("project", path)
    return path.relative_to("docs") if path.parts[:1] == ("docs",) else None


def fitted(document):
    """The document's text with its links made to fit the site."""
    lines = list(document.lines)
    here = place(document.path)
    for number, target in reversed(list(document.links())):
        name, mark, anchor = target.partition("#")
        if not name or ":" in name:
            continue
        path = facts.relative(document.path, name)
        there = place(path) if path else None
        line = lines[number - 1]
        if there and (ROOT / path).is_file():
            link = os.path.relpath(there, here.parent) + mark + anchor
            lines[number - 1] = line.replace(f"]({target})", f"]({link})", 1)
        else:
            lines[number - 1] = without_link(line, target)
    return "\n".join(lines) + "\n"


def without_link(line, target):
    end = line.index(f"]({target})")
    start = line.rindex("[", 0, end)
    return line[:start] + line[start + 1 : end] + line[end + len(target) + 3 :]


def reference(binary):
    """A page of every command with its help."""
    help_texts = commands.Help(binary)
    parts = ["# Command reference", "Written from `outhaul --help` when this site was built."]
    waiting = [()]
    while waiting:
        names = waiting.pop(0)
        text = help_texts.text(names)
        parts += [f"## {' '.join(('outhaul', *names))}", f"```text\n{text.rstrip()}\n```"]
        deeper = [(*names, name) for name in help_texts.in_order(names) if name != "help"]
        waiting = deeper + waiting
    return "\n\n".join(parts) + "\n"


def main(folder, binary):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=NOT_PAGES)
    shutil.copy(ROOT / "docs/scripts/site.css", folder)
    for document in markdown.documents(ROOT):
        if there := place(document.path):
            (folder / there).parent.mkdir(exist_ok=True)
            (folder / there).write_text(fitted(document))
    (folder / "reference.md").write_text(reference(binary))


if __name__ == "__main__":
    main(Path(sys.argv[1]), (sys.argv[2:] or [str(ROOT / "target/release/outhaul")])[0])
