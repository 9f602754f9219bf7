"""Makes a wheel of the files from stage.sh and of the Python package.

    wheel.py ARCH VERSION FOLDER

Writes the wheel into FOLDER and prints its path. A second run writes the same bytes. pip installs
the files of data/data into the environment's prefix, so that bin/outhaul finds ../lib/outhaul there
as in any installation.
"""

import base64
import hashlib
import pathlib
import sys
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC = "2_28"
# The command line needs no Python. The package checks for itself which Python it needs.
PYTHON = ">=3.9"
PACKAGE_PYTHON = 'python_version >= "3.10"'
# The earliest time that zip files support.
DATE = (1980, 1, 1, 0, 0, 0)


def metadata(project: dict, version: str) -> str:
    """Returns the text of METADATA."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        "Summary: Run unmodified CUDA programs on GPUs of other machines",
        f"License: {project['license']}",
        f"Requires-Python: {PYTHON}",
        "Description-Content-Type: text/markdown",
        *(f"Requires-Dist: {name}; {PACKAGE_PYTHON}" for name in project["dependencies"]),
    ]
    for extra, names in project["optional-dependencies"].items():
        lines += [
            f"Provides-Extra: {extra}",
            *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names),
        ]
    return "\n".join(lines) + "\n\n" + (ROOT / "packaging/wheel.md").read_text()


def contents(architecture: str, version: str, tag: str, project: dict):
    """Yields the name in the wheel, the bytes and the mode of each file."""
    staged = ROOT / "target/packaging" / architecture
    data = f"outhaul-{version}.data"
    package = ROOT / "python/outhaul"
    for path in sorted([*package.rglob("*.py"), package / "py.typed"]):
        yield (
            f"outhaul/{path.relative_to(package).as_posix()}",
            path.read_bytes(),
            0o644,
        )
    yield "outhaul/_dag.abi3.so", (staged / "python/_dag.abi3.so").read_bytes(), 0o755
    for path in sorted(path for path in (staged / "tree").rglob("*") if path.is_file()):
        place = path.relative_to(staged / "tree").as_posix()
        scheme = (
            "scripts/" + place.removeprefix("bin/") if place.startswith("bin/") else f"data/{place}"
        )
        yield f"{data}/{scheme}", path.read_bytes(), path.stat().st_mode & 0o777
    info = f"outhaul-{version}.dist-info"
    yield f"{info}/METADATA", metadata(project, version).encode(), 0o644
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644
    yield (
        f"{info}/WHEEL",
        f"Wheel-Version: 1.0\nGenerator: outhaul\nRoot-Is-Purelib: false\n{tags(tag)}".encode(),
        0o644,
    )


def tags(tag: str) -> str:
    """Returns the lines of WHEEL for a compressed tag."""
    interpreter, abi, platforms = tag.split("-")
    return "".join(f"Tag: {interpreter}-{abi}-{platform}\n" for platform in platforms.split("."))


def main() -> None:
    architecture, version, folder = sys.argv[1:]
    project = tomllib.loads((ROOT / "python/pyproject.toml").read_text())["project"]
    tag = f"py3-none-manylinux_{GLIBC}_{architecture}"
    wheel = pathlib.Path(folder) / f"outhaul-{version}-{tag}.whl"
    record = f"outhaul-{version}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def put(name: str, content: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)

        for name, content, mode in contents(architecture, version, tag, project):
            put(name, content, mode)
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            )
            rows.append(f"{name},sha256={digest},{len(content)}\n")
        put(record, ("".join(rows) + f"{record},,\n").encode(), 0o644)
    print(wheel)


if __name__ == "__main__":
    main()
