"""Describes the machine that a program runs on: GPU, driver, CPU, versions, commit."""

import importlib.metadata
import os
import platform
import subprocess
import time

PACKAGES = (
    "torch",
    "torchvision",
    "torchaudio",
    "triton",
    "transformers",
    "accelerate",
    "lightning",
    "jax",
    "optax",
    "cupy-cuda13x",
    "numba",
    "numba-cuda",
    "numpy",
)


def printed(*command) -> str:
    """Returns the output of a command, or an empty text if it cannot run."""
    try:
        ended = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, timeout=30)
        return ended.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def processor() -> str:
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions() -> dict:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def facts(root, outhaul, gpu) -> dict:
    query = "--query-gpu=name,driver_version,memory.total"
    gpus = printed("nvidia-smi", query, "--format=csv,noheader").splitlines()
    return {
        "gpus": gpus if gpu == "auto" else [f"{gpu}: figures say nothing about a GPU"],
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "linux": platform.release(),
        "python": platform.python_version(),
        "versions": versions(),
        "outhaul": printed(outhaul, "--version"),
        # A copy of a working tree may lack its history.
        "commit": os.environ.get("COMMIT") or printed("git", "-C", root, "rev-parse", "HEAD"),
        "date": time.strftime("%Y-%m-%d %H:%M:%S %z"),
    }


def line(facts: dict) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    halves = " in halves" if facts.get("halves") else ""
    return (
        f"{'; '.join(facts['gpus']) or 'no GPU'}; "
        f"{facts['cores']} cores{halves}, {facts['processor']}; "
        f"Linux {facts['linux']}, Python {facts['python']}, {packages}; {facts['outhaul']}, "
        f"commit {facts['commit'][:12] or 'unknown'}; {facts['date'][:10]}"
    )
