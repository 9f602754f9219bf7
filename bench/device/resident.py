"""Measures programs that together need more memory than the GPU and always want it: how much they
compute, how much memory moves, and how long they wait. sharing-extra.sh starts it.

python3 resident.py OUTHAUL [--other OUTHAUL]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

START_S = 15
SETTLED_S = 5


class Node:
    """An oversubscribed node of a build."""

    def __init__(self, outhaul, options, folder):
        self.log = pathlib.Path(folder, "node")
        command = [outhaul, "serve", "--listen", "127.0.0.1:0", "--gpu", options.gpu]
        command += ["--cache", f"{folder}/cache", "--oversubscribe", "--gpu-memory", options.card]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(300):
            time.sleep(0.1)
            for line in self.log.read_text().splitlines():
                if "serving" in line and "127.0.0.1:" in line:
                    self.address = "127.0.0.1:" + line.split("127.0.0.1:")[1].split()[0].strip(",;")
                    return
        sys.exit(f"the node does not serve: {self.log.read_text()[-300:]}")

    def end(self):
        self.process.terminate()
        self.process.wait()


def measure(outhaul, node_of, options):
    """Returns kernels, moved bytes a second, and the longest burst of each program."""
    with tempfile.TemporaryDirectory() as folder:
        node = Node(node_of, options, folder)
        run = [outhaul, "run", "--node", node.address, "--", outhaul, "bench", "player"]
        try:
            speed = subprocess.run([*run, "--calibrate"], check=True, capture_output=True)
            rounds = round(json.loads(speed.stdout)["rounds_per_ms"])
            begin_ns = time.monotonic_ns() + START_S * 10**9
            end_ns = begin_ns + int(options.seconds * 1e9)
            run += ["--rounds", str(rounds), "--kernels", "4", "--mark", "4"]
            run += ["--hold-bytes", str(options.hold_mib << 20)]
            run += ["--from-ns", str(begin_ns), "--until-ns", str(end_ns)]
            programs = [
                subprocess.Popen(run, stdout=subprocess.PIPE) for _ in range(options.programs)
            ]

            def back_bytes(at_ns):
                time.sleep(max(0, at_ns - time.monotonic_ns()) / 1e9)
                show = [outhaul, "top", "--json", "--node", node.address]
                shown = subprocess.run(show, check=True, capture_output=True).stdout
                sessions = json.loads(shown)["sessions"]
                return sum(moved["back_bytes"] for one in sessions for moved in one["moved"])

            first = back_bytes(begin_ns + SETTLED_S * 10**9)
            last = back_bytes(end_ns - 10**9)
            records = [json.loads(program.communicate()[0]) for program in programs]
        finally:
            node.end()
    kernels = [record["marks"][-1][1] for record in records]
    longest_ms = max(max(record["bursts_us"]) for record in records) / 1e3
    return kernels, (last - first) / (options.seconds - SETTLED_S - 1), longest_ms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("outhaul")
    parser.add_argument("--other", help="the binary of a node to compare with")
    parser.add_argument("--gpu", default="auto")
    parser.add_argument("--card", default="16GiB", help="memory of the GPU that the node uses")
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--hold-mib", type=int, default=4928, help="memory of each program")
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    print("node   kernels of 1 ms, all and each         GB/s back  longest burst of 4, ms")
    nodes = [("this", options.outhaul), ("other", options.other)]
    for name, binary in [one for one in nodes if one[1]] * 2:
        kernels, back, longest_ms = measure(options.outhaul, binary, options)
        each = ", ".join(map(str, kernels))
        moved = f"{back / 1e9:9.2f} {longest_ms:9.0f}"
        print(f"{name:<6} {sum(kernels):6} ({each})  {moved}", flush=True)


if __name__ == "__main__":
    main()
