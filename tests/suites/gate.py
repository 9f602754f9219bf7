"""The tests that every change must pass. The same commit always gets the same verdict. So seeds and
counts are fixed, only guards against hangs use the clock, nothing depends on programs that a
machine may lack, and nothing is compiled while tests run. Sections that mostly wait come last, the
longest first, and run at once."""

import os
import shutil
import subprocess
from pathlib import Path

import section
from section import Section, check

# This profile compiles in half the time and, unlike release, checks arithmetic and assertions.
PROFILE = "ci"
# The compiler lints while it compiles, which saves a second pass.
LINTER = {"CLIPPY_ARGS": "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"}


def processes(name, *command, limit_s=300, waits=True, **environment):
    """Returns a script whose cases start processes, so that a busy machine may make one fail."""
    return section.script(name, *command, limit_s=limit_s, retries=True, waits=waits, **environment)


def conformance(name, *way, waits=False):
    return section.conformance(
        name, *way, limit_s=400, retries=True, waits=waits, OUTHAUL_CROWD_STEPS="80"
    )


def random_programs(name, *way, programs):
    fixed = ["--programs", str(programs), "--seed", "1", "--no-shrink"]
    return section.random_programs(name, *way, *fixed, limit_s=300, retries=True, waits=True)


def crates(kind, limit_s, retries, **environment):
    return Section(
        f"crates, {kind}",
        ["python3", "tests/suites/crates.py", kind],
        limit_s,
        retries=retries,
        retries_by_name=True,
        environment=environment,
    )


SECTIONS = [
    check("formatting", "cargo", "fmt", "--all", "--check", limit_s=60, stops=True),
    check("generated files", "cargo", "xtask", "codegen", "--check", limit_s=300, stops=True),
    check("layering", "cargo", "xtask", "layering", limit_s=60, stops=True),
    check("words", "cargo", "xtask", "words", limit_s=60),
    check("the gate itself", "python3", "tests/suites/test_gate.py", limit_s=120, stops=True),
    check("build and lint", "tests/suites/build.sh", limit_s=1500, stops=True),
    check("programs", "tests/e2e/build.sh", limit_s=600, stops=True),
    check("Python package", "python/tests/run.sh", "build", limit_s=300, stops=True),
    crates("unit", limit_s=600, retries=False, OUTHAUL_CUTS="20000"),
    crates("processes", limit_s=900, retries=True),
    conformance("in the process", "soft", "12.0"),
    conformance("tcp", "remote", "tcp", "4", "0"),
    conformance("shared memory", "remote", "shared-memory", "4", "0"),
    conformance("streams, threads that look", "remote", "tcp", "4", "1", "stream/"),
    processes("checker", "tests/e2e/soft/run.sh", waits=False),
    processes("managed memory", "tests/e2e/managed.sh", waits=False),
    processes("Python, pretended GPUs", "python/tests/run.sh", "host", limit_s=500, waits=False),
    processes("Python, software GPUs", "python/tests/run.sh", "gpu", limit_s=400, waits=False),
    check("documents", "tests/docs/run.sh", limit_s=300, waits=True),
    processes("programs, shared memory", "tests/e2e/run.sh", "--target", "remote", limit_s=400),
    processes(
        "programs, tcp",
        "tests/e2e/run.sh",
        "--target",
        "remote",
        limit_s=400,
        OUTHAUL_TRANSPORT="tcp",
    ),
    processes("programs, in the process", "tests/e2e/run.sh", "--target", "soft", limit_s=400),
    processes("connections that break", "tests/e2e/cuts.sh", limit_s=400),
    processes("faults", "tests/e2e/faults.sh", limit_s=400),
    random_programs("tcp", "remote", "tcp", "4", programs=60),
    random_programs("tcp on one lane", "remote", "tcp", "0", programs=60),
    processes("limits of programs", "tests/e2e/limits.sh", limit_s=120),
    processes("accounts of memory", "tests/e2e/accounts.sh", limit_s=300),
    processes("two nodes", "tests/e2e/two-nodes.sh", limit_s=400),
    processes("waits", "tests/e2e/waits.sh"),
    random_programs("memory that is soon absent", "absent", programs=60),
    random_programs("connections that break", "breaking", programs=40),
    random_programs("lanes that overtake", "overtaking", programs=40),
    conformance("arrival on one lane", "remote", "tcp", "0", "0", "arrival/", waits=True),
    check("PTX, NVIDIA's assembler", "tests/ptx/assemble.sh", limit_s=120, waits=True),
    conformance("tcp on one lane", "remote", "tcp", "0", "0", "copy/", waits=True),
    check(
        "benchmark's kernels",
        "crates/bench/src/kernels/build.sh",
        "--check",
        limit_s=120,
        waits=True,
    ),
    conformance(
        "reach, threads that look", "remote", "shared-memory", "4", "1", "reach/", waits=True
    ),
    random_programs("shared memory", "remote", "shared-memory", "4", programs=60),
    random_programs("in the process", "soft", programs=300),
    check("PTX, what an H200 computed", "tests/ptx/digests.sh", limit_s=120, waits=True),
    conformance("memory, oversubscribed", "oversubscribed", "memory/", waits=True),
    conformance("copies, oversubscribed", "oversubscribed", "copy/", waits=True),
    conformance("textures, oversubscribed", "oversubscribed", "texture/", waits=True),
    conformance("clusters", "cluster", waits=True),
    conformance("of capability 9.0", "soft", "9.0", "cluster/", waits=True),
    processes("slow link", "tests/conformance/slow-link.sh", limit_s=200),
    processes("lost workers", "tests/conformance/lost-worker.sh"),
    processes("frames", "tests/e2e/frames/run.sh"),
    processes("segments", "tests/e2e/segments.sh"),
    processes("NVML", "tests/e2e/nvml/run.sh"),
    processes("installation", "tests/install/run.sh"),
    processes("compile cache", "tests/e2e/compile-cache.sh"),
    processes("runtimes, in the process", "tests/e2e/startup.sh", limit_s=120),
    processes("runtimes, remotely", "tests/e2e/startup.sh", "--remote", limit_s=120),
    check("interfaces", "tests/interfaces/run.sh", limit_s=60, waits=True),
]


def choose(parts):
    """Returns the sections whose names have one of these parts, or all. Sets the build's
    variables."""
    os.environ.update(PROFILE=PROFILE, **LINTER)
    os.environ["RUSTC_WORKSPACE_WRAPPER"] = linter()
    return [one for one in SECTIONS if not parts or any(part in one.name for part in parts)]


def linter():
    """Returns the path of clippy's compiler."""
    if shutil.which("rustup"):
        return subprocess.run(
            ["rustup", "which", "clippy-driver"], capture_output=True, text=True, check=True
        ).stdout.strip()
    found = shutil.which("clippy-driver")
    if found is None:
        raise SystemExit("suites: clippy is missing: install it (rustup component add clippy)")
    return str(Path(found).resolve())
