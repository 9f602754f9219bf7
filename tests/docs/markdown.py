"""Reads the repository's documents: their names, lines in code, headings and links."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^ {0,3}(```+|~~~+)\s*(.*)$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]"  # the words, which may hold a picture
    r"\(([^()\s]+(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)


@dataclass
class Block:
    """A fenced block: its first words after the fence, the number of its first line, its lines."""

    info: str
    line: int
    lines: list[str]


class Document:
    def __init__(self, root, path):
        self.root = root
        self.path = path
        self.lines = (root / path).read_text(encoding="utf-8").splitlines()
        self.blocks = []
        self.prose = []
        self._split()

    def _split(self):
        fence = block = None
        for number, line in enumerate(self.lines, 1):
            found = FENCE.match(line)
            if block is None and found:
                fence, block = found[1], Block(found[2].strip(), number + 1, [])
                self.blocks.append(block)
            elif block is not None and found and found[1].startswith(fence) and not found[2]:
                block = None
            elif block is not None:
                block.lines.append(line)
            else:
                self.prose.append((number, line))

    def anchors(self):
        """Returns the anchors of the headings, as GitHub makes them."""
        seen, anchors = {}, set()
        for _, line in self.prose:
            if found := HEADING.match(line):
                anchor = slug(found[2])
                count = seen.get(anchor, 0)
                seen[anchor] = count + 1
                anchors.add(f"{anchor}-{count}" if count else anchor)
        return anchors

    def links(self):
        """Yields pairs of a line's number and the target of a link on it."""
        for number, line in self.prose:
            without_code = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
            for found in LINK.finditer(without_code):
                yield number, line[found.start(1) : found.end(1)]

    def code_spans(self):
        """Yields pairs of a line's number and a piece of code within prose."""
        for number, line in self.prose:
            for found in re.finditer(r"`([^`]+)`", line):
                yield number, found[1]


def slug(heading):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    kept = re.sub(r"[^\w\- ]", "", text.lower())
    return kept.replace(" ", "-")


def documents(root):
    """Returns every Markdown file that git tracks, or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in sorted(set(names.splitlines()))]
    return [Document(root, path) for path in paths if (root / path).exists()]
