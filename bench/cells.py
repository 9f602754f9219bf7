#!/usr/bin/env python3
"""Measures the cost of a session's cell: the time of a program that starts a session and ends it,
on nodes with the whole cell, without a cell, and without each of its walls.

    bench/cells.py [RUNS [STARTS]]      5 runs of 100 starts each, in turn; prints the median of
                                        each run in milliseconds
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTHAUL = ROOT / "target/release/outhaul"
CLIENT = ROOT / "target/release/outhaul-client/libcuda.so.1"
WALLS = [
    "descriptors",
    "limits",
    "namespaces",
    "files",
    "network",
    "privileges",
    "secrecy",
    "calls",
]


def serve(folder, *flags):
    """Starts a node on the software GPU. Returns the node and its address."""
    command = [
        OUTHAUL,
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--gpu",
        "soft",
        "--cache",
        folder,
        *flags,
    ]
    node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return node, node.stdout.readline().split()[-1]


def start_ms(address):
    began = time.perf_counter()
    environment = {**os.environ, "OUTHAUL_NODE": address}
    subprocess.run(
        [OUTHAUL, "probe", "count", CLIENT], env=environment, stdout=subprocess.DEVNULL, check=True
    )
    return (time.perf_counter() - began) * 1e3


def main(runs=5, starts=100):
    with tempfile.TemporaryDirectory() as folder:
        nodes = {"all walls": serve(folder), "no walls": serve(folder, "--no-wall", "all")}
        nodes.update({f"all but {wall}": serve(folder, "--no-wall", wall) for wall in WALLS})
        try:
            medians = {name: [] for name in nodes}
            for _ in range(runs):
                took = {name: [] for name in nodes}
                for _ in range(starts):
                    for name, (_, address) in nodes.items():
                        took[name].append(start_ms(address))
                for name in nodes:
                    medians[name].append(statistics.median(took[name]))
            for name, found in medians.items():
                print(f"{name:20}", "  ".join(f"{ms:6.2f}" for ms in found))
        finally:
            for node, _ in nodes.values():
                node.kill()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
