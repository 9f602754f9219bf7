"""Pictures as SVG: the graph, drawn level by level, and the simulated schedule, which crates/dag
draws."""

import collections
from html import escape

from ..graph.explain import flows
from ..runtime import current

BOX = (120, 22)
GAP = (50, 8)


def visualize(array, path=None, *, kind="graph", runtime=None, policy=None):
    """Returns an SVG of an array's graph (kind "graph"), or of how a runtime would run it
    ("schedule"). Also writes it to `path` if given. Raises ValueError for another kind."""
    if kind == "graph":
        svg = graph(flows([array])[-1])
    elif kind == "schedule":
        svg = (runtime or current()).explain([array], policy).stages[-1].gantt
    else:
        raise ValueError(f'no picture "{kind}": there are "graph" and "schedule"')
    if path is not None:
        with open(path, "w") as file:
            file.write(svg)
    return svg


def graph(flow):
    """Draws given partitions on the left, then each subtask one column after the last that it waits
    for."""
    column = {p: 0 for p, partition in enumerate(flow.partitions) if partition.source is not None}
    for subtask in flow.subtasks:
        column[subtask.output] = 1 + max((column[p] for p in subtask.inputs), default=0)
    filled, at = collections.Counter(), {}
    for p, x in column.items():
        at[p] = (10 + x * (BOX[0] + GAP[0]), 10 + filled[x] * (BOX[1] + GAP[1]))
        filled[x] += 1
    width = 20 + max(x for x, _ in at.values()) + BOX[0]
    height = 20 + max(y for _, y in at.values()) + BOX[1]
    edges = [
        edge(at[p], at[subtask.output])
        for subtask in flow.subtasks
        for p in dict.fromkeys(subtask.inputs)
    ]
    boxes = [box(at[p], flow.partitions[p]) for p in column]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' font-family="sans-serif" font-size="11">'
    )
    return "\n".join(
        [head, '<rect width="100%" height="100%" fill="white"/>', *edges, *boxes, "</svg>\n"]
    )


def edge(start, end):
    """Returns the curve between two boxes as SVG."""
    x1, y1 = start[0] + BOX[0], start[1] + BOX[1] / 2
    x2, y2 = end[0], end[1] + BOX[1] / 2
    middle = (x1 + x2) / 2
    return (
        f'<path d="M{x1},{y1} C{middle},{y1} {middle},{y2} {x2},{y2}" fill="none" stroke="#999"/>'
    )


def box(corner, partition):
    """Given, made, wanted: blue, orange, green."""
    colour = (
        "#56B4E9" if partition.source is not None else "#009E73" if partition.sinks else "#E69F00"
    )
    name = partition.name if len(partition.name) <= 20 else partition.name[:19] + "…"
    x, y = corner
    title = escape(f"{partition.name}: {partition.spec}")
    shape = (
        f'<rect x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="4"'
        f' fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>'
    )
    return (
        f'<g><title>{title}</title>{shape}<text x="{x + 6}" y="{y + 15}">{escape(name)}</text></g>'
    )
