#!/usr/bin/env python3
"""Draws file names and comment sentences at random, for a reader who has not seen the code.

    sample.py SEED [COUNT]

The reader guesses from a path alone what is inside the file, and says of each sentence what it
means. The same seed on the same commit draws the same names and sentences.
"""

import random
import re
import subprocess
import sys

SOURCES = ("crates/*.rs", "xtask/*.rs", "python/outhaul/*.py")
DOCUMENTS = ("*.md",)
LEFT_OUT = re.compile(r"generated|tests?/|/mod\.rs|lib\.rs|main\.rs")
WORDS_MIN = 6


def tracked(*patterns: str) -> list[str]:
    """Returns the paths of the repository's own files, without generated ones and tests."""
    command = ["git", "ls-files", *patterns]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if not LEFT_OUT.search(path)]


def sentences(path: str) -> list[str]:
    """Returns the sentences of a file's comments, or of a document's paragraphs."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    mark = r"\s*//[/!]?\s?" if path.endswith(".rs") else r"(?![#|`>\s-])"
    prose = [re.sub(mark, "", line, count=1) if re.match(mark, line) else "" for line in lines]
    paragraphs = "\n".join(prose).split("\n\n")
    found = (re.split(r"(?<=[.!?])\s+", " ".join(part.split())) for part in paragraphs)
    whole = (text for part in found for text in part if text.endswith("."))
    return [text for text in whole if len(text.split()) >= WORDS_MIN and text[0].isupper()]


def main() -> None:
    """Prints the names, then the sentences."""
    seed, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
    draw = random.Random(seed)
    for number, path in enumerate(draw.sample(tracked(*SOURCES), count), 1):
        print(f"{number}. {path}")
    readable = [path for path in tracked(*SOURCES, *DOCUMENTS) if not path.endswith(".py")]
    drawn = draw.sample([(text, path) for path in readable for text in sentences(path)], count)
    for number, (text, path) in enumerate(drawn, 1):
        print(f"{number}. {text}  [{path}]")


main()
