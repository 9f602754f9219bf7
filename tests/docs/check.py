"""Checks the documents against the repository and the help texts of `outhaul`.

python3 tests/docs/check.py [--outhaul target/release/outhaul] [ROOT]
"""

import argparse
import sys
from pathlib import Path

import commands
import facts
import markdown

# Documents with current commands. Decisions and the change log describe those of their time.
WITH_COMMANDS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SPECIFICATION.md")


def faults(root, binary):
    documents = markdown.documents(root)
    yield from facts.links(documents, root)
    yield from facts.columns(documents)
    yield from facts.machines(documents)
    yield from facts.trees(documents, root)
    yield from facts.messages(documents, root)
    yield from facts.results(documents)
    yield from facts.variables(documents, root)
    yield from facts.suppressions(root)
    help_texts = commands.Help(binary)
    for document in documents:
        if document.path.parent == Path("docs") or str(document.path) in WITH_COMMANDS:
            yield from commands.faults_of(document, help_texts)


def main():
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=here)
    parser.add_argument("--outhaul", default=str(here / "target/release/outhaul"))
    arguments = parser.parse_args()
    found = list(faults(arguments.root.resolve(), arguments.outhaul))
    print("\n".join(found) if found else "documents: no faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
