"""Checks of statements that the repository can prove: links, trees, messages, figures."""

import re
from pathlib import Path

COLUMNS_MAX = 100
MACHINE = re.compile(r"(?<![\w.])(?:/work|/root|/home/[a-z]\w*)/")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
SUPPRESSED = re.compile(r"race:(?:((?:\w+::)*)(\w+)>::)?(\w+)$")
VARIABLE = re.compile(r"\bOUTHAUL_[A-Z][A-Z0-9_]*[A-Z0-9]\b")
# Pages whose blocks are records or generated.
RECORDS = ("docs/decisions/", "docs/performance", "docs/instructions.md", "tests/")
TREE_NAMES = re.compile(r"^( *)((?:[\w.-]+/?)+(?:  ?[\w.-]+(?:/|\.\w+))*)(?:  |$)")


def links(documents, root):
    """Finds links to a missing file, or to a heading that no document has."""
    anchors = {document.path: document.anchors() for document in documents}
    for document in documents:
        for number, target in document.links():
            if re.match(r"^[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            path = relative(document.path, name)
            if path is None or not (root / path).exists():
                yield f"{document.path}:{number}: {target} leads to no file of the repository"
            elif anchor and path in anchors and anchor not in anchors[path]:
                yield f"{document.path}:{number}: {path} has no heading for #{anchor}"


def relative(document, name):
    """Returns a link's path from the root of the repository, or None if it leads out of it."""
    if not name:
        return document
    parts = []
    for part in (*document.parent.parts, *name.split("/")):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return Path(*parts) if parts else Path(".")


def columns(documents):
    """Finds lines of code that are longer than a page is wide."""
    for document in documents:
        if str(document.path).startswith(RECORDS):
            continue
        for block in document.blocks:
            for number, line in enumerate(block.lines, block.line):
                if len(line) > COLUMNS_MAX and block.info != "text":
                    width = f"{len(line)} columns of code, over {COLUMNS_MAX}"
                    yield f"{document.path}:{number}: {width}"


def machines(documents):
    """Finds paths of the machine on which a document was written."""
    for document in documents:
        for number, line in enumerate(document.lines, 1):
            if found := MACHINE.search(line):
                yield f"{document.path}:{number}: {found[0]} is a path of one machine"


def trees(documents, root):
    """Finds names in a tree of ARCHITECTURE.md that the repository does not have."""
    for document in documents:
        if document.path != Path("ARCHITECTURE.md"):
            continue
        for block in document.blocks:
            if re.match(r"^[\w./-]+/(?:\s|$)", block.lines[0]):
                yield from tree(document, block, root)


def tree(document, block, root):
    folders = []
    for number, line in enumerate(block.lines, block.line):
        found = TREE_NAMES.match(line)
        if not found or len(found[1]) > 6:
            continue
        depth = len(found[1]) // 2
        for name in found[2].split():
            path = Path(*folders[:depth], name)
            if not (root / path).exists():
                yield f"{document.path}:{number}: there is no {path}"
        del folders[depth:]
        folders.append(found[2].split()[0])


def messages(documents, root):
    """Finds messages in docs/troubleshooting.md that the code does not have."""
    sources = "\n".join(path.read_text() for path in sorted((root / "crates").rglob("src/**/*.rs")))
    said = re.sub(r"\\\n\s*", "", sources).replace('\\"', '"')
    said = re.sub(r"\{[\w.:#?]*\}", "...", said)
    for document in documents:
        if document.path != Path("docs/troubleshooting.md"):
            continue
        for number, line in document.prose:
            for message in re.findall(r"`([^`]+)`", line) if line.startswith("### ") else []:
                pieces = [piece.strip() for piece in message.split("...")]
                for piece in pieces:
                    is_name = piece.startswith(("CUDA", "OUTHAUL"))
                    if len(piece) > 2 and piece not in said and not is_name:
                        yield f"{document.path}:{number}: no code says `{piece}`"


def results(documents):
    """Finds figures of the README that the pages with all figures do not have."""
    pages = {str(document.path): document for document in documents}
    readme = pages["README.md"]
    names = ("daily", "performance", "performance-parts")
    measured = [pages[f"docs/{name}.md"] for name in names]
    known = set(NUMBER.findall("\n".join(line for page in measured for _, line in page.prose)))
    for number, line in readme.prose:
        if line.startswith("|"):
            for figure in NUMBER.findall(line.partition("|")[2].partition("|")[2]):
                if figure not in known:
                    yield f"{readme.path}:{number}: no page with figures has {figure}"


def suppressions(root):
    """Finds types and functions in the thread sanitizer's suppressions that the code lacks."""
    path = root / "tests/tsan.supp"
    code = [
        (file.as_posix(), file.read_text())
        for pattern in ("crates/*/src/**/*.rs", "crates/*/tests/**/*.rs", "tests/*/src/**/*.rs")
        for file in root.glob(pattern)
    ]
    lines = path.read_text().splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        if not (found := SUPPRESSED.match(line)):
            continue
        modules, kind, function = found.groups()
        place = (modules or "").replace("::", "/").rstrip("/")
        defined = re.compile(rf"\b(?:struct|enum) {kind}\b")
        if kind and not any(place in file and defined.search(text) for file, text in code):
            yield f"tests/tsan.supp:{number}: no code has {modules or ''}{kind}"
        if not any(re.search(rf"\bfn \w*{function}", text) for _, text in code):
            yield f"tests/tsan.supp:{number}: no code has a function {function}"


def variables(documents, root):
    """Finds variables in the reference that the code does not read."""
    patterns = ("crates/*/src/**/*.rs", "python/outhaul/**/*.py", "crates/client/include/*.h")
    read = set()
    for pattern in patterns:
        for path in root.glob(pattern):
            read.update(VARIABLE.findall(path.read_text()))
    for document in documents:
        if document.path.parent != Path("docs") and document.path != Path("README.md"):
            continue
        for number, line in enumerate(document.lines, 1):
            for name in VARIABLE.findall(line):
                if name not in read:
                    yield f"{document.path}:{number}: no code reads {name}"
