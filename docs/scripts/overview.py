#!/usr/bin/env python3
"""Draws docs/figures/overview.svg, the picture of the README: programs here, the GPU elsewhere.

    python3 docs/scripts/overview.py

The picture follows the reader's colour scheme, light or dark. Text stays text, so that a browser
can search it.
"""

from pathlib import Path
from xml.sax.saxutils import escape

TARGET = Path(__file__).resolve().parents[1] / "figures" / "overview.svg"
WIDTH, HEIGHT = 900, 326

STYLE = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .small { font-size: 12px; fill: #59636e; }
  .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 13px; }
  .machine { fill: #f6f8fa; stroke: #d1d9e0; }
  .part { fill: #ffffff; stroke: #d1d9e0; }
  .ours { fill: #ddf4ff; stroke: #0969da; }
  .gpu { fill: #dafbe1; stroke: #1a7f37; }
  .line { stroke: #0969da; stroke-width: 2; fill: none; }
  .head { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .machine { fill: #151b23; stroke: #3d444d; }
    .part { fill: #0d1117; stroke: #3d444d; }
    .ours { fill: #0c2d52; stroke: #4493f8; }
    .gpu { fill: #10361d; stroke: #3fb950; }
    .line { stroke: #4493f8; }
    .head { fill: #4493f8; }
  }
"""


def box(kind, left, top, width, height):
    return f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{height}" rx="8"/>'


def text(words, x, y, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def part(kind, left, top, width, first, second):
    """A box with a line of text and a smaller one below it."""
    middle = left + width / 2
    return [
        box(kind, left, top, width, 52),
        text(first, middle, top + 22, "mono", "middle"),
        text(second, middle, top + 41, "small", "middle"),
    ]


def arrow(left, right, y):
    """An arrow with a head at both ends."""
    heads = [f"M{left},{y} l9,-5 v10 z", f"M{right},{y} l-9,-5 v10 z"]
    return [f'<path class="line" d="M{left + 8},{y} H{right - 8}"/>'] + [
        f'<path class="head" d="{head}"/>' for head in heads
    ]


def client(top, program):
    """A machine with a program and no GPU."""
    words = "outhaul run --node gpu7:7654 -- " + program
    return [
        box("machine", 16, top, 364, 138),
        text("A machine without a GPU", 32, top + 26, "title"),
        *part("part", 32, top + 40, 160, program, "unchanged program"),
        *part("ours", 204, top + 40, 160, "libcuda.so.1", "Outhaul's client library"),
        text(words, 32, top + 120, "mono"),
    ]


def node():
    """The machine with the GPU."""
    left, top = 512, 16
    return [
        box("machine", left, top, 372, 294),
        text("A node: a machine with GPUs", left + 16, top + 26, "title"),
        *part("ours", left + 16, top + 40, 160, "outhaul worker", "one process per program"),
        *part("ours", left + 16, top + 196, 160, "outhaul worker", "one process per program"),
        *part("part", left + 212, top + 92, 144, "libcuda.so.1", "NVIDIA's driver"),
        box("gpu", left + 212, top + 156, 144, 40),
        text("GPU", left + 284, top + 181, "title", "middle"),
        f'<path class="line" d="M{left + 176},{top + 66} h14 q8,0 8,8 v26 q0,8 8,8 h6"/>',
        f'<path class="line" d="M{left + 176},{top + 222} h14 q8,0 8,-8 v-80 q0,-8 8,-8 h6"/>',
        text("outhaul serve", left + 16, top + 280, "mono"),
        text("shares the GPU's time and memory", left + 132, top + 280, "small"),
    ]


def picture():
    shapes = [
        *client(16, "./train"),
        *client(172, "./solver"),
        *node(),
        *arrow(366, 526, 82),
        text("driver calls", 446, 72, "small", "middle"),
        text("TCP or TLS", 446, 102, "small", "middle"),
        *arrow(366, 526, 238),
    ]
    title = "Programs on machines without a GPU use the GPU of a node"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">'
    )
    lines = [head, f"<title>{title}</title>", f"<style>{STYLE}</style>", *shapes, "</svg>", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    TARGET.write_text(picture())
