"""The measurements of frames_drawn.sh: OUTHAUL FRAMELOOP GPU LINKS INTO."""

import csv
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import frame_viewer

QUALITY = 85
FORMATS = {"RGBA": [], "JPEG": ["--jpeg", str(QUALITY)]}
NATIVE = "native"


class Scale:
    """What to draw: a headset's frames on a GPU, and few small ones on the software GPU."""

    def __init__(self, gpu):
        soft = gpu == "soft"
        self.size = "240x136" if soft else "2160x1200"
        self.objects = 40 if soft else 1000
        self.rate = 30 if soft else 90
        self.frames = 30 if soft else 900
        self.loads = [20, 40] if soft else [250, 500, 1000, 2000, 4000, 8000]
        self.frames_of_load = 5 if soft else 45

    def options(self, objects, frames, kind):
        options = ["--size", self.size, "--rate", self.rate, "--objects", objects]
        return [*map(str, options), "--frames", str(frames), *FORMATS[kind]]


class Places:
    """Runs commands natively, or with the GPU at the end of a link."""

    def __init__(self, outhaul, gpu):
        self.outhaul, self.gpu = outhaul, gpu

    def command(self, link, command):
        if link != NATIVE:
            over = [self.outhaul, "bench", "over", "--gpu", self.gpu, "--link", link]
            return [*over, "--", *command]
        return [self.outhaul, "run", "--gpu", "soft", "--", *command] if self.is_soft else command

    @property
    def is_soft(self):
        return self.gpu == "soft"


class Ages:
    """Takes frames as the viewer's page does, and notes how old each is when it has arrived."""

    def __init__(self):
        self.frames, self.ages = [], []

    def replace(self, frame, picture):
        self.ages.append(time.monotonic() * 1e3 - frame["started_ms"])
        self.frames.append(frame)


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def median(frames, name):
    return statistics.median(float(frame[name]) for frame in frames)


def spread(values):
    return f"{statistics.median(values):.2f}, 99 % {quantile(values, 0.99):.2f}"


def draw_one(places, frameloop, scale, file):
    """Saves a drawn frame."""
    command = [frameloop, *scale.options(scale.objects, 1, "JPEG"), "--stream"]
    lines = subprocess.run(
        places.command(NATIVE, command), stdout=subprocess.PIPE, check=True
    ).stdout.split(b"\n", 2)
    file.write_bytes(lines[2])


def in_time(places, frameloop, scale):
    """Prints whether encoded frames are in time, and how old they are when a viewer has them."""
    print(f"{scale.frames} frames of {scale.size} at {scale.rate} a second, JPEG {QUALITY}")
    print("| | in time | late | ticks dropped | kB | drawn within, ms | age, ms |")
    print("|---|---|---|---|---|---|---|")
    for link in (NATIVE, "memory", "loopback"):
        command = [frameloop, *scale.options(scale.objects, scale.frames, "JPEG"), "--stream"]
        ages = Ages()
        with subprocess.Popen(
            places.command(link, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as program:
            if link != NATIVE:
                program.stdout.readline()  # of the link
            frame_viewer.read_frames(program.stdout, ages)
        drawn = [frame["ready_ms"] - frame["started_ms"] for frame in ages.frames]
        late = sum(frame["ready_ms"] > frame["due_ms"] for frame in ages.frames)
        dropped = sum(frame["dropped"] for frame in ages.frames)
        kilobytes = statistics.mean(frame["bytes"] for frame in ages.frames) / 1e3
        print(
            f"| {link} | {len(drawn) - late} | {late} | {dropped} | {kilobytes:.0f} "
            f"| {spread(drawn)} | {spread(ages.ages)} |",
            flush=True,
        )


def loads(places, frameloop, scale, link):
    """Returns what a link is like, and the frames of each format and load over it."""
    runs = [(kind, objects) for kind in FORMATS for objects in scale.loads]
    each = [[frameloop, *scale.options(n, scale.frames_of_load, kind)] for kind, n in runs]
    script = "\n".join(" ".join(f"'{word}'" for word in command) for command in each)
    printed = subprocess.run(
        places.command(link, ["sh", "-ec", script]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    ).stdout
    about, *tables = re.split(r"^(?=frame,due_ms)", printed, flags=re.MULTILINE)
    frames = [list(csv.DictReader(table.splitlines())) for table in tables]
    return about, dict(zip(runs, frames, strict=True))


def report(link, about):
    """Returns a link as a file of the bench has it."""
    round_trip_us, there, back = map(
        float, re.search(r": ([\d.]+) us.*, ([\d.]+) GB/s.*, ([\d.]+) GB/s", about).groups()
    )
    reach = {
        "round_trip_us": round_trip_us,
        "to_node_bytes_per_s": there * 1e9,
        "to_client_bytes_per_s": back * 1e9,
    }
    return {"name": link, "shaped_by": "outhaul bench over", "reach": reach}


def row(case, link, objects, frames):
    """Returns frames as a row of such a file, with the median and what 90 % are within."""
    us = lambda name: [
        quantile([float(frame[name]) * 1e3 for frame in frames], part) for part in (0.05, 0.5, 0.95)
    ]
    return {
        "case": case,
        "what": f"{objects} objects",
        "link": link,
        "size": objects,
        "us": us("whole_ms"),
        "gpu_us": us("gpu_ms"),
    }


def rows(links, by_link):
    """Returns all rows: for each format, rates and switches are a case each."""
    groups = {
        "hops": [link for link in links if link.startswith("hops")],
        "rates": [link for link in links if not link.startswith("hops")],
    }
    return [
        row(f"frames-{kind.lower()}-{group}", link, objects, frames)
        for group, members in groups.items()
        for link in [NATIVE, *members]
        for (kind, objects), frames in by_link[link].items()
    ]


def print_loads(links, by_link, scale):
    for kind in FORMATS:
        print(f"\n{kind}: whole time of a frame (of it the GPU's), medians in ms, and kB")
        print("| objects | kB | " + " | ".join([NATIVE, *links]) + " |")
        print("|---|---|" + "---|" * (len(links) + 1))
        for objects in scale.loads:
            of_load = [by_link[link][kind, objects] for link in [NATIVE, *links]]
            times = [f"{median(f, 'whole_ms'):.2f} ({median(f, 'gpu_ms'):.2f})" for f in of_load]
            kilobytes = median(of_load[0], "bytes") / 1e3
            print(f"| {objects} | {kilobytes:.0f} | " + " | ".join(times) + " |")


def device(places):
    if places.is_soft:
        return "Outhaul Software GPU"
    asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        return subprocess.run(asked, capture_output=True, text=True).stdout.split("\n")[0]
    except FileNotFoundError:
        return "unknown GPU"


def main(outhaul, frameloop, gpu, links, into):
    start = time.monotonic()
    places, scale, links, into = Places(outhaul, gpu), Scale(gpu), links.split(","), Path(into)
    draw_one(places, frameloop, scale, into / "frame.jpg")
    in_time(places, frameloop, scale)
    by_link, reports = {}, []
    for link in [NATIVE, *links]:
        about, by_link[link] = loads(places, frameloop, scale, link)
        if link != NATIVE:
            print(about.strip(), flush=True)
            reports.append(report(link, about))
    print_loads(links, by_link, scale)
    version = subprocess.run([outhaul, "--version"], capture_output=True, text=True).stdout.split()
    results = {
        "version": 1,
        "outhaul": version[-1],
        "device": device(places),
        "software": places.is_soft,
        "kernel": os.uname().release,
        "cores": os.cpu_count(),
        "lanes": 4,
        "links": reports,
        "rows": rows(links, by_link),
        "failures": [],
    }
    (into / "frames-drawn.json").write_text(json.dumps(results, indent=2))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
