"""Draws the results of dag.sh: how work per second grows with the number of GPUs under each policy,
on the machine and as simulated; the errors of the simulator; and the share of native speed in other
places. Each file is given with the name of its place. `--native` may occur several times, for
several sizes, and applies to the arguments after it. Needs matplotlib, and no GPU.

    python3 bench/device/dag_plots.py --native native=dag-native.csv --remote "25 Gb/s=dag-25g.csv"
    --remote "10 Gb/s=dag-10g.csv" --out docs/figures"""

import argparse
import csv
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

COLORS = {
    "fifo": "#7f7f7f",
    "ptask": "#e69f00",
    "locality": "#56b4e9",
    "victream": "#cc79a7",
    "ours": "#0072b2",
}
PLACE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]
PLACE_MARKERS = "oosDD^v"
TITLES = {
    "logistic": "logistic regression",
    "sort": "sort",
    "blur": "blur",
    "matmul": "matrix product",
}
OFF_PAPER = 9
OFF_AIM = 5


def read(path):
    """Returns seconds, the simulator's prediction and its error in percent, by graph, number of
    GPUs and policy."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["how"] in COLORS]
    number = lambda row, name: float(row[name].rstrip(" %"))
    return {
        (row["app"], int(row["gpus"]), row["how"]): tuple(
            number(row, name) for name in ("seconds", "simulated", "off")
        )
        for row in rows
    }


def scaling(places, path):
    """Draws weak scaling: n GPUs have n times the data. Work per second is relative to PTask's on
    one GPU of the same place. Places with one number of GPUs are left out."""
    places = {place: cases for place, cases in places.items() if len({n for _, n, _ in cases}) > 1}
    if not places:
        return
    ticks = sorted({n for cases in places.values() for _, n, _ in cases})
    width = lambda policy: 2.2 if policy == "ours" else 1.2
    figure, rows = plt.subplots(
        len(places),
        len(TITLES),
        figsize=(11, 0.8 + 2.3 * len(places)),
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    for title, top, bottom in zip(TITLES.values(), rows[0], rows[-1]):
        top.set_title(title, fontsize=10)
        bottom.set_xlabel("GPUs")
    for panels, (place, cases) in zip(rows, places.items()):
        for panel, app in zip(panels, TITLES):
            base_s = cases.get((app, 1, "ptask"), (None,))[0]
            for policy, color in COLORS.items() if base_s else ():
                gpus = sorted(n for name, n, how in cases if (name, how) == (app, policy))
                for column, style in enumerate(
                    (
                        dict(marker="o", markersize=4),
                        dict(marker="o", markersize=6, linestyle=":", fillstyle="none"),
                    )
                ):
                    work = [n * base_s / cases[app, n, policy][column] for n in gpus]
                    panel.plot(
                        gpus, work, color=color, linewidth=1.2 if column else width(policy), **style
                    )
            panel.set(xticks=ticks, xlim=(ticks[0] - 0.25, ticks[-1] + 0.25))
            panel.set_ylim(bottom=0, top=panel.get_ylim()[1] * 1.04)
            panel.locator_params(axis="y", nbins=5)
            panel.grid(axis="y", color="0.93")
            panel.set_axisbelow(True)
            panel.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylabel(place, fontsize=10)
    shown = [
        policy
        for policy in COLORS
        if any(how == policy for cases in places.values() for _, _, how in cases)
    ]
    lines = [
        Line2D([], [], color=COLORS[policy], linewidth=width(policy), marker="o", markersize=4)
        for policy in shown
    ]
    lines.append(
        Line2D([], [], color="0.3", linestyle=":", marker="o", markersize=6, fillstyle="none")
    )
    names = [*shown, "the same, simulated"]
    figure.legend(
        lines,
        names,
        loc="outside upper center",
        ncols=len(names),
        frameon=False,
        title="work per second, PTask on one GPU of the same place = 1",
    )
    save(figure, path)


def simulated(places, path):
    """Draws every case: the machine's time on the x axis, and the simulator's error on the y
    axis."""
    figure, axes = plt.subplots(figsize=(8.5, 4), layout="constrained")
    for i, (place, cases) in enumerate(places.items()):
        color, marker = PLACE_COLORS[i % len(PLACE_COLORS)], PLACE_MARKERS[i % len(PLACE_MARKERS)]
        label = f"{place}: {within(cases, OFF_PAPER)} of {len(cases)}"
        points = [s for s, _, _ in cases.values()], [off for _, _, off in cases.values()]
        axes.scatter(
            *points, s=22, color=color, marker=marker, alpha=0.8, linewidths=0, label=label
        )
    axes.axhspan(-OFF_PAPER, OFF_PAPER, color="0.93", zorder=0)
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0.5)
    axes.set(xscale="log", xlabel="seconds on the machine", ylabel="simulator off by, %")
    ticks = [
        tick
        for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
        if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]
    ]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(
        loc="outside right upper",
        frameon=False,
        title=f"within {OFF_PAPER} % (grey)",
        alignment="left",
    )
    save(figure, path)


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})


def relative(pairs):
    """Prints the form of the paper's Table 3: native time over remote time, of the policy
    `ours`."""
    lines = [
        "| place, GPUs | " + " | ".join(TITLES.values()) + " |",
        "|---" * (len(TITLES) + 1) + "|",
    ]
    for place, native, cases in pairs:
        for gpus in sorted({n for _, n, _ in cases}):
            both = lambda app: {(app, gpus, "ours")} <= native.keys() & cases.keys()
            cell = lambda app: (
                f"{native[app, gpus, 'ours'][0] / cases[app, gpus, 'ours'][0]:.2f}"
                if both(app)
                else ""
            )
            lines.append(f"| {place}, {gpus} | " + " | ".join(map(cell, TITLES)) + " |")
    return "\n".join(lines)


def within(cases, percent):
    return sum(abs(off) <= percent for _, _, off in cases.values())


def named(entry):
    place, _, path = entry.rpartition("=")
    return place or "native", path


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    given = dict(dest="given", action="append")
    parser.add_argument(
        "--native",
        **given,
        required=True,
        type=lambda entry: (True, *named(entry)),
        metavar="[PLACE=]FILE",
    )
    parser.add_argument(
        "--remote", **given, type=lambda entry: (False, *named(entry)), metavar="PLACE=FILE"
    )
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    places, pairs, native = {}, [], {}
    for is_native, place, path in options.given:
        places[place] = read(path)
        if is_native:
            native = places[place]
        else:
            pairs.append((place, native, places[place]))
    plt.rcParams.update({"svg.hashsalt": "outhaul", "svg.fonttype": "none", "font.size": 9})
    scaling(places, os.path.join(options.out, "dag-gpu-scaling.svg"))
    simulated(places, os.path.join(options.out, "dag-gpu-simulated.svg"))
    print(relative(pairs))
    for place, cases in places.items():
        near = [
            f"within {percent} % on {within(cases, percent)}" for percent in (OFF_PAPER, OFF_AIM)
        ]
        print(f"{place}: of {len(cases)} cases the simulator is {', '.join(near)}")


if __name__ == "__main__":
    main()
