"""The folders of the package: how much lies side by side, and which modules import which."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "outhaul"
ENTRIES_MAX, CIRCLE_MAX = 15, 4
LOW = "errors sizes chunks _dag".split()
ORDER = "subtasks files arrays functions linalg fft random graph backends runtime dask reports"
"""Entries of the package. Each imports only earlier ones, and all may import the `LOW` ones."""

PATHS = PACKAGE.rglob("*.py")
MODULES = {("outhaul", *path.relative_to(PACKAGE).with_suffix("").parts): path for path in PATHS}


def imports_of(name):
    """Yields the imported modules of the package, also those that functions or types import."""
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        base = ()
        if isinstance(node, ast.ImportFrom):
            above = name[: len(name) - node.level] if node.level else ()
            base = above + tuple(node.module.split(".") if node.module else ())
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for full in ((*base, *each.name.split(".")) for each in node.names):
                found = (full, (*full, "__init__"), full[:-1], (*full[:-1], "__init__"))
                yield from [each for each in found if each in MODULES][:1]


IMPORTS = {name: set(imports_of(name)) for name in MODULES}


def test_few_entries_lie_side_by_side():
    for folder in {path.parent for path in MODULES.values()}:
        names = {path.name for path in folder.iterdir() if path.suffix in (".py", "")}
        assert len(names - {"__init__.py", "__pycache__"}) <= ENTRIES_MAX, folder


def reached(name):
    """Returns all modules that a module imports, directly or not."""
    seen, left = set(), [name]
    while left:
        new = IMPORTS[left.pop()] - seen
        seen, left = seen | new, left + list(new)
    return seen


def test_circles_of_imports_are_small():
    every = {name: reached(name) for name in MODULES}
    for name, own in every.items():
        circle = [each for each in own if name in every[each]]
        assert len(circle) <= CIRCLE_MAX, circle


def test_folders_import_only_those_below():
    order = ORDER.split()
    for (_, entry, *_), modules in IMPORTS.items():
        for _, other, *_ in modules if entry != "__init__" else ():
            allowed = order[: order.index(entry) + 1] if entry in order else ()
            assert other in (*LOW, *allowed), (entry, other)
