"""HTML of an array for notebooks: its properties, and a picture of its cuts."""

import html

from ... import chunks as grid
from ...sizes import format_bytes

SIDE_PIXELS = 160
LINES_MAX = 64
"""Maximum number of cuts that are drawn along an axis."""


def table(array):
    """Returns the array as HTML: a table, and a picture of its last two axes."""
    largest = grid.largest_part(array.chunks) * array.dtype.itemsize
    rows = [
        ("shape", " × ".join(map(str, array.shape)) or "one number"),
        ("type", str(array.dtype)),
        ("bytes", format_bytes(array.nbytes)),
        ("partitions", f"{array.partitions}, of {format_bytes(largest)} at most"),
        ("made by", f"{type(array.node).__name__} {array.line}"),
    ]
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td "
        f"style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    style = "display:flex;gap:1em;align-items:center"
    return f"<div style='{style}'><table>{cells}</table>{picture(array)}</div>"


def picture(array):
    """Returns the cuts of the last two axes as SVG, in proportion as far as that remains
    visible."""
    if not array.ndim or not array.size:
        return ""
    rows, columns = ((1,), *array.chunks)[-2:]
    height, width = sum(rows), sum(columns)
    scale = SIDE_PIXELS / max(height, width)
    height, width = max(12, height * scale), max(12, width * scale)
    lines = [
        f"<line x1='0' x2='{width:.1f}' y1='{y:.1f}' y2='{y:.1f}'/>" for y in cuts(rows, height)
    ]
    lines += [
        f"<line x1='{x:.1f}' x2='{x:.1f}' y1='0' y2='{height:.1f}'/>" for x in cuts(columns, width)
    ]
    frame = f"<rect width='{width:.1f}' height='{height:.1f}' fill='#4c78a8' fill-opacity='0.25'/>"
    size = f"width='{width + 2:.0f}' height='{height + 2:.0f}'"
    box = f"viewBox='-1 -1 {width + 2:.1f} {height + 2:.1f}' stroke='currentColor'"
    label = "role='img' aria-label='how the array is cut'"
    return f"<svg {size} {box} {label}>{frame}{''.join(lines)}</svg>"


def cuts(lengths, pixels):
    """Returns the positions of an axis's cuts in pixels."""
    places, at = [], 0
    for n in lengths[:-1]:
        at += n
        places.append(at * pixels / sum(lengths))
    step = -(-len(places) // LINES_MAX) or 1
    return places[::step]
