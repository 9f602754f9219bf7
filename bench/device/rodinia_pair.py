"""Runs Rodinia's LUD and heartwall as two tenants of equal shares, as the Gdev paper does, and
prints which part of the GPU each had by the node's accounts. sharing-extra.sh starts it.

python3 rodinia_pair.py OUTHAUL PROGRAMS OUT [--gpu auto] [--policies fifo,credit,band,weighted]

PROGRAMS is a folder with lud, heartwall and their libraries, built elsewhere. The video that
heartwall reads is made here, of noise: its kernels do the same work on any picture.
"""

import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time

# Heartwall's points lie within a picture of this size.
ROWS, COLUMNS = 609, 590
TENANTS = ("lud", "heartwall")
COLOURS = ("#0072B2", "#D55E00")


def write_video(path, frames):
    """Writes an uncompressed AVI of grey noise."""

    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def heading(kind, *chunks):
        return chunk(b"LIST", kind + b"".join(chunks))

    size = ROWS * COLUMNS
    main = struct.pack("<10I", 40_000, 25 * size, 0, 0x10, frames, 0, 1, size, COLUMNS, ROWS)
    main += b"\0" * 16
    stream = b"vids" + struct.pack("<11I", 0, 0, 0, 0, 1, 25, 0, frames, size, 0, 0) + b"\0" * 8
    picture = struct.pack("<3I2H6I", 40, COLUMNS, ROWS, 1, 8, 0, size, 0, 0, 0, 0)
    lists = heading(
        b"hdrl",
        chunk(b"avih", main),
        heading(b"strl", chunk(b"strh", stream), chunk(b"strf", picture)),
    )
    noise = random.Random(1).randbytes(size + size % 2)
    frame = chunk(b"00db", noise[:size])
    movie_bytes = 4 + frames * len(frame)
    index = b"".join(
        b"00db" + struct.pack("<3I", 0x10, 4 + i * len(frame), size) for i in range(frames)
    )
    tail = chunk(b"idx1", index)
    with path.open("wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 4 + len(lists) + 8 + movie_bytes + len(tail)))
        file.write(b"AVI " + lists + b"LIST" + struct.pack("<I", movie_bytes) + b"movi")
        for _ in range(frames):
            file.write(frame)
        file.write(tail)


class Node:
    """A node under one policy."""

    def __init__(self, options, policy, folder):
        self.outhaul = options.outhaul
        command = [self.outhaul, "serve", "--listen", "127.0.0.1:0", "--gpu", options.gpu]
        command += ["--cache", f"{folder}/cache", "--policy", policy, "--copies", "joint"]
        for tenant in TENANTS:
            command += ["--share", f"{tenant}=50"]
        log = pathlib.Path(folder, f"node-{policy}").open("w+")
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(300):
            time.sleep(0.1)
            lines = pathlib.Path(log.name).read_text().splitlines()
            serving = [line for line in lines if "serving" in line and "127.0.0.1:" in line]
            if serving or self.process.poll() is not None:
                break
        if not serving:
            sys.exit(f"the node does not serve: {lines[-3:]}")
        self.address = "127.0.0.1:" + serving[-1].split("127.0.0.1:")[-1].split()[0].strip(",;")

    def computed_ns(self):
        command = [self.outhaul, "top", "--json", "--node", self.address]
        status = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        used = {tenant["name"]: tenant["gpus"] for tenant in status["tenants"]}
        return [sum(gpu["compute_ns"] for gpu in used.get(tenant, [])) for tenant in TENANTS]

    def run(self, tenant, command, until, runs, failures):
        """Runs a program again and again. A run that the end interrupts does not count."""
        start = [self.outhaul, "run", "--node", self.address, "--tenant", tenant, "--", *command]
        while (left := until - time.monotonic()) > 0:
            try:
                done = subprocess.run(start, capture_output=True, timeout=left)
            except subprocess.TimeoutExpired:
                return
            if done.returncode != 0:
                failures.append(f"{tenant}: {done.stderr.decode(errors='replace')[-300:]}")
                return
            runs.append(tenant)


def measure(options, policy, commands, folder):
    """Returns each second's use of the GPU by the two tenants, in percent, and all runs."""
    node, runs, failures, uses = Node(options, policy, folder), [], [], []
    try:
        begin = time.monotonic()
        until = begin + options.seconds
        loops = []
        for late, tenant, command in zip((0, options.late), TENANTS, commands, strict=True):
            for _ in range(options.loops):
                arguments = (tenant, command, until, runs, failures)
                loops.append(threading.Timer(late, node.run, arguments))
        for loop in loops:
            loop.start()
        before, last = node.computed_ns(), time.monotonic()
        while time.monotonic() < until - 0.2:
            time.sleep(1)
            now, at = node.computed_ns(), time.monotonic()
            uses.append([(b - a) / (at - last) / 1e7 for a, b in zip(before, now, strict=True)])
            before, last = now, at
        for loop in loops:
            loop.join()
    finally:
        node.process.terminate()
        node.process.wait()
    if failures:
        sys.exit(failures[0])
    return uses, runs


def picture(policy, uses):
    """Draws the use of both tenants over time, as the paper's figure."""
    width, height, left, bottom = 640, 240, 50, 210
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="{left}" y="16">LUD and heartwall under {policy}: % of the GPU, by second</text>',
        f'<path d="M{left},30V{bottom}H{width - 10}" fill="none" stroke="black"/>',
        f'<text x="10" y="{bottom}">0</text><text x="10" y="40">100</text>',
    ]
    for tenant, colour in enumerate(COLOURS):
        points = " ".join(
            f"{left + i * (width - left - 10) / max(1, len(uses) - 1):.1f},"
            f"{bottom - min(use[tenant], 110) * 1.7:.1f}"
            for i, use in enumerate(uses)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        x, name = 400 + 80 * tenant, TENANTS[tenant]
        lines.append(f'<text x="{x}" y="16" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("outhaul")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--gpu", default="auto")
    parser.add_argument("--policies", default="fifo,credit,band,weighted")
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--late", type=float, default=10)
    parser.add_argument("--loops", type=int, default=3, help="processes of each tenant")
    parser.add_argument("--side", type=int, default=8192, help="rows of LUD's matrix")
    parser.add_argument("--frames", type=int, default=1000, help="frames of heartwall's video")
    options = parser.parse_args()
    print("policy     LUD %  heartwall %  difference in 1 s, points  runs of LUD, of heartwall")
    with tempfile.TemporaryDirectory() as folder:
        video = pathlib.Path(folder, "video.avi")
        write_video(video, options.frames)
        commands = (
            [str(options.programs / "lud"), "-s", str(options.side)],
            [str(options.programs / "heartwall"), str(video), str(options.frames)],
        )
        for policy in options.policies.split(","):
            uses, runs = measure(options, policy, commands, folder)
            both = uses[int(options.late) + 5 :] or uses
            mean = [sum(use[tenant] for use in both) / len(both) for tenant in (0, 1)]
            apart = sum(abs(use[0] - use[1]) for use in both) / len(both)
            counts = [runs.count(tenant) for tenant in TENANTS]
            print(f"{policy:<9} {mean[0]:6.1f} {mean[1]:12.1f} {apart:26.1f} {counts}", flush=True)
            rows = "".join(f"{i},{a:.2f},{b:.2f}\n" for i, (a, b) in enumerate(uses))
            name = options.out / f"rodinia-{policy}"
            name.with_suffix(".csv").write_text("second,lud,heartwall\n" + rows)
            name.with_suffix(".svg").write_text(picture(policy, uses))


if __name__ == "__main__":
    main()
