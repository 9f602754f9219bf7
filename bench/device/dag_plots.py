"""Draws what dag.sh left: how work per second grows with the number of GPUs under each policy, the simulator beside the machine, and, with places beside the
native one, what is left of native speed there. Needs matplotlib, and no GPU.

    python3 bench/device/dag_plots.py --native dag-native.csv --remote 25g=dag-25g.csv --remote 10g=dag-10g.csv --out docs/figures"""

import argparse
import csv
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]
APPS = ["logistic", "sort", "blur", "matmul"]
OFF_PAPER = 0.09


def read(path):
    """Seconds, and what the simulator said, by graph, number of GPUs and policy."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["how"] in POLICIES]
    return {(row["app"], int(row["gpus"]), row["how"]): (float(row["seconds"]), float(row["simulated"])) for row in rows}


def scaling(native, path):
    """Weak scaling: n GPUs have n times the data. Work per second, that of PTask on one GPU being 1."""
    figure, panels = plt.subplots(1, len(APPS), figsize=(13, 3.2), constrained_layout=True)
    for app, panel in zip(APPS, panels):
        gpus = sorted({n for name, n, _ in native if name == app})
        base_s = native.get((app, 1, "ptask"), (None,))[0]
        for policy in POLICIES if base_s else []:
            points = [(n, n * base_s / native[app, n, policy][0]) for n in gpus if (app, n, policy) in native]
            panel.plot(*zip(*points), marker="o", label=policy, linewidth=2.5 if policy == "ours" else 1.2)
        panel.set(title=app, xlabel="GPUs", xticks=gpus or [1])
        panel.set_ylim(bottom=0)
    panels[0].set_ylabel("work per second, PTask on 1 GPU = 1")
    panels[-1].legend(fontsize=8)
    figure.savefig(path)


def simulated(places, path):
    """Every case: the machine's time across, by how much the simulator was off upwards."""
    figure, axes = plt.subplots(figsize=(7, 3.6), constrained_layout=True)
    for name, cases in places.items():
        axes.scatter([s for s, _ in cases.values()], [100 * (said / s - 1) for s, said in cases.values()], s=18, label=name)
    axes.axhspan(-100 * OFF_PAPER, 100 * OFF_PAPER, color="0.93", zorder=0)
    axes.set(xscale="log", xlabel="seconds on the machine", ylabel="simulator off by, %")
    axes.legend(fontsize=8)
    figure.savefig(path)


def relative(native, remote):
    """The form of the paper's Table 3: native time over remote time, of the policy `ours`."""
    lines = ["| place, GPUs | " + " | ".join(APPS) + " |", "|---" * (len(APPS) + 1) + "|"]
    for place, cases in remote.items():
        for gpus in sorted({n for _, n, _ in cases}):
            cell = lambda app: f"{native[app, gpus, 'ours'][0] / cases[app, gpus, 'ours'][0]:.2f}" if {(app, gpus, "ours")} <= native.keys() & cases.keys() else ""
            lines.append(f"| {place}, {gpus} | " + " | ".join(map(cell, APPS)) + " |")
    return "\n".join(lines)


def within(cases):
    """How many cases the simulator was within the paper's figure of."""
    good = sum(abs(said / s - 1) <= OFF_PAPER for s, said in cases.values())
    return f"{good} of {len(cases)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--native", required=True)
    parser.add_argument("--remote", action="append", default=[], metavar="PLACE=FILE")
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    native = read(options.native)
    remote = {place: read(path) for place, path in (entry.split("=", 1) for entry in options.remote)}
    plt.rcParams.update({"svg.hashsalt": "outhaul", "font.size": 9})
    scaling(native, os.path.join(options.out, "dag-gpu-scaling.svg"))
    simulated({"native": native, **remote}, os.path.join(options.out, "dag-gpu-simulated.svg"))
    print(relative(native, remote))
    for place, cases in {"native": native, **remote}.items():
        print(f"{place}: the simulator is within {OFF_PAPER:.0%} on {within(cases)}")


if __name__ == "__main__":
    main()
