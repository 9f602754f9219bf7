"""Long, random, timed, sanitised and foreign tests. `make soak` runs all parts, `make soak-random`
and others run one. New seeds are printed, and what they find becomes a fixed case of the gate."""

import os
import random

import section
from section import check, script


# Executables and modules whose ignored tests need programs that a machine may lack, and those
# whose ignored tests use the clock.
WITH_SERVICES = [
    "cli::pool::absence",
    "cli::pool::operators",
    "cli::chaos",
    "cli::pool::page",
    "cli::pool::processes",
    "pool::etcd",
]
WITH_TIMES = [
    "cli::node::sharing",
    "cli::pool::frames",
    "cli::pool::leases",
    "cli::command::bench",
    "dag::promises",
]


def conformance(name, *way):
    return section.conformance(name, *way, limit_s=900)


def random_programs(name, *way, seconds, seed, **environment):
    drawn = ["--programs", "100000000", "--seconds", str(seconds), "--seed", seed]
    return section.random_programs(name, *way, *drawn, limit_s=seconds + 600, **environment)


def drawn():
    """Returns a new random seed, and prints it."""
    seed = random.SystemRandom().randrange(1 << 31)
    print(f"seed {seed}", flush=True)
    return str(seed)


BUILD = check("build", "tests/suites/build.sh", limit_s=3000, stops=True)
PROGRAMS = check("programs", "tests/e2e/build.sh", limit_s=900, stops=True)


def sanitize():
    return [
        check(f"sanitizer, {name}", "tests/sanitize.sh", name, limit_s=3000)
        for name in ("address", "thread")
    ]


def faults():
    return [
        BUILD,
        PROGRAMS,
        script("faults, timed", "tests/e2e/faults.sh", "--timed", limit_s=1200),
        script("lost workers, timed", "tests/conformance/lost-worker.sh", "--timed", limit_s=600),
        script("connections that break, timed", "tests/e2e/cuts.sh", "--timed", limit_s=1200),
        check("burst of a thousand programs", "tests/e2e/burst.sh", limit_s=900),
        script(
            "sessions, timed",
            "python3",
            "tests/suites/crates.py",
            "processes",
            limit_s=3000,
            OUTHAUL_TIMED="1",
            OUTHAUL_AWAY_SECONDS="12",
            OUTHAUL_PROGRAMS="300",
            OUTHAUL_SILENT="3000",
        ),
    ]


def pool():
    return [
        check("etcd, faketime, browser", "tests/toolchain/services.sh", limit_s=900, stops=True),
        BUILD,
        script(
            "tests that need them",
            "tests/toolchain/services.sh",
            "python3",
            "tests/suites/crates.py",
            "soak",
            *WITH_SERVICES,
            limit_s=7200,
        ),
        check(
            "the keeper under drawn faults",
            *cargo_test("outhaul-pool", "faults"),
            limit_s=3600,
            OUTHAUL_SEEDS="20000",
        ),
    ]


def share():
    return [
        BUILD,
        script(
            "shares, frames and other times",
            "python3",
            "tests/suites/crates.py",
            "soak",
            *WITH_TIMES,
            limit_s=3600,
            OUTHAUL_TIMED="1",
        ),
        script(
            "accounts of memory",
            "tests/e2e/accounts.sh",
            limit_s=1200,
            OUTHAUL_ACCOUNT_STEPS="10000",
        ),
    ]


def cargo_test(package, test, *words):
    return ["cargo", "test", "--release", "--package", package, "--test", test, *words]


def draws():
    seed = drawn()
    ways = [
        ("in the process", "soft"),
        ("shared memory", "remote", "shared-memory", "4"),
        ("tcp", "remote", "tcp", "4"),
    ]
    ways += [
        ("tcp on one lane", "remote", "tcp", "0"),
        ("memory that is soon absent", "absent"),
        ("lanes that overtake", "overtaking"),
        ("connections that break", "breaking"),
    ]
    return [
        BUILD,
        PROGRAMS,
        *[random_programs(name, *way, seconds=60, seed=seed) for name, *way in ways],
        check(
            "random kernels",
            *cargo_test("outhaul-softgpu", "random_kernels", "random"),
            limit_s=900,
            OUTHAUL_FUZZ_SECONDS="120",
        ),
        check(
            "mutated messages",
            *cargo_test("outhaul-node", "mutations"),
            limit_s=1800,
            OUTHAUL_MUTATIONS="1000",
            OUTHAUL_MUTATION_SEED=seed,
        ),
        check(
            "connections that break anywhere",
            *["cargo", "test", "--release", "--package", "outhaul-transport", "--lib", "line"],
            limit_s=3600,
            OUTHAUL_CUTS="1000000",
        ),
        check(
            "schedules",
            *cargo_test("outhaul-dag", "properties"),
            limit_s=1800,
            PROPTEST_CASES="5000",
            PROPTEST_RNG_SEED=seed,
        ),
        check(
            "random graphs, pretended GPUs",
            "python/tests/run.sh",
            "graphs",
            "host",
            "--seed",
            seed,
            "--seconds",
            "120",
            limit_s=900,
        ),
        check(
            "random graphs, software GPUs",
            "python/tests/run.sh",
            "graphs",
            "cuda",
            "--seed",
            seed,
            "--seconds",
            "60",
            limit_s=900,
        ),
    ]


def whole_conformance():
    return [
        BUILD,
        PROGRAMS,
        conformance("capability 9.0", "soft", "9.0"),
        conformance("tcp on one lane", "remote", "tcp", "0", "0"),
        conformance("tcp, threads that look", "remote", "tcp", "4", "1"),
        conformance("shared memory, threads that look", "remote", "shared-memory", "4", "1"),
        conformance("oversubscribed", "oversubscribed"),
        conformance("beside a program that holds most of a card", "beside"),
        script("releases beside each other", "tests/conformance/releases.sh", limit_s=2400),
        script("two nodes, the whole suite", "tests/e2e/two-nodes.sh", "--whole", limit_s=1200),
        script(
            "managed memory, digests on the device", "tests/e2e/managed.sh", "--whole", limit_s=600
        ),
    ]


def python():
    return [
        BUILD,
        PROGRAMS,
        script(
            "Python, pretended GPUs",
            "python/tests/run.sh",
            "host",
            "-m",
            "soak or not soak",
            limit_s=1800,
        ),
        script(
            "Python, software GPUs",
            "python/tests/run.sh",
            "gpu",
            "-m",
            "soak or not soak",
            limit_s=1800,
            OUTHAUL_ALL="1",
        ),
        check("CuPy, Numba and Triton", "tests/e2e/soft/frameworks.sh", limit_s=1800),
    ]


def aarch64():
    return [BUILD, script("programs, emulated aarch64", "tests/e2e/aarch64.sh", limit_s=1800)]


def release():
    """Runs all of the gate on the profile that users get."""
    import gate

    pages = check("documents, as they are written", "tests/docs/run.sh", "--pages", limit_s=900)
    return [one for one in gate.SECTIONS if one.name != "formatting"] + [pages]


PARTS = {
    "sanitize": sanitize,
    "random": draws,
    "faults": faults,
    "pool": pool,
    "share": share,
    "conformance": whole_conformance,
    "python": python,
    "aarch64": aarch64,
    "release": release,
}


def choose(parts):
    """Returns the sections of these parts, or of all, each once. Returns none for an unknown
    part."""
    os.environ.setdefault("PROFILE", "release")
    if unknown := [part for part in parts if part not in PARTS]:
        print(f"there is no part {', '.join(unknown)} of the soak; choose of {', '.join(PARTS)}")
        return []
    chosen = []
    for part in parts or PARTS:
        chosen += [one for one in PARTS[part]() if one not in chosen]
    return chosen
