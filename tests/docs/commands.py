"""Checks that each `outhaul` command in a document exists with its options.

It starts only `outhaul NAME --help`, which lists commands and options. It does not check values.
"""

import re
import shlex
import subprocess

# Commands and options without help: processes that Outhaul starts itself, and an option of
# examples.
HIDDEN_COMMANDS = {"worker", "probe", "manual"}
HIDDEN_OPTIONS = {("demo",): {"--program"}}
PLACEHOLDER = re.compile(r"^[A-Z][A-Z0-9_:,.]*$|^\.\.\.$")
START = re.compile(r"(?:^|[\s(\"'=|;&`])outhaul\s+(?=[a-z\-.A-Z])")


class Help:
    """The help texts of the binary, each read once."""

    def __init__(self, binary):
        self.binary = binary
        self.texts = {}

    def text(self, names):
        if names not in self.texts:
            command = [self.binary, *names, "--help"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=30)
            self.texts[names] = done.stdout if done.returncode == 0 else None
        return self.texts[names]

    def in_order(self, names):
        """Returns the names of a command's subcommands, in the order of its help."""
        text = self.text(names) or ""
        section = re.search(r"^Commands:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
        return re.findall(r"^  ([a-z][a-z-]*)", section[1], re.M) if section else []

    def subcommands(self, names):
        return set(self.in_order(names))

    def options(self, names):
        found = re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", self.text(names) or "")
        return set(found) | HIDDEN_OPTIONS.get(names, set())


def faults_of(document, help_texts):
    """Yields lines of the form `path:line: fault`."""
    for number, text in shown(document):
        for command in found_in(text):
            if fault := fault_of(command, help_texts):
                yield f"{document.path}:{number}: `outhaul {command}`: {fault}"


def shown(document):
    yield from document.code_spans()
    for block in document.blocks:
        if block.info.split(" ")[0] in ("", "sh", "bash", "dockerfile"):
            number = block.line
            for line in joined(block.lines):
                yield number, line
                number += 1


def joined(lines):
    """Joins lines that end in a backslash with the next one."""
    return "\n".join(lines).replace("\\\n", " ").split("\n")


def found_in(text):
    """Returns the words after `outhaul` in a line, up to the end of the command."""
    if re.match(r"\s*(#|outhaul:|outhaul check:|import )", text):
        return
    for start in START.finditer(text):
        rest = text[start.end() :]
        rest = re.split(r"\s#|\s{2,}|[;|&>)`\"]|\s--(?=\s)", rest)[0]
        yield rest.strip()


def fault_of(command, help_texts):
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    names = ()
    while words and words[0] in help_texts.subcommands(names):
        names += (words.pop(0),)
    if names[:1] == ("help",) or words[:1] and words[0] in HIDDEN_COMMANDS:
        return None
    if help_texts.text(names) is None:
        return "there is no such command"
    subcommands = help_texts.subcommands(names)
    first = words[0] if words else ""
    if subcommands and re.match(r"^[a-z]", first) and names not in ((), ("bench",), ("config",)):
        return f"{' '.join(names)} has no {first}"
    if names == () and first and not first.startswith("-") and not PLACEHOLDER.match(first):
        return f"there is no command {first}"
    known = help_texts.options(names)
    for word in words:
        option = re.match(r"^(--?[A-Za-z][\w-]*)", word)
        if option and option[1] not in known:
            return f"there is no {option[1]}"
    return None
