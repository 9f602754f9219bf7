"""Measures sensitivity to parameters that the paper leaves open, and the disaggregated machine.
Prints Markdown tables for docs/.

Run: python3 tests/simulation/sweeps.py thresholds|rules|wait|lookahead|effort|scaling
"""

from itertools import product
import sys

from instances import simulate

TABLE_2 = [
    ("logistic", 3, 1, 0.5),
    ("blur", 4, 2, 0.66),
    ("blur", 5, 2, 0.66),
    ("matmul", 4, 2, 0.66),
]
LARGE = {
    "blur 32x10, 2 GPUs": "--app blur --home host --partitions 32 --iterations 10 --partition-mb "
    "100 --compute-ms 8 --gpus 2",
    "blur 32x10, 4 GPUs": "--app blur --home host --partitions 32 --iterations 10 --partition-mb "
    "100 --compute-ms 8 --gpus 4",
    "gemm 10^3, 2 GPUs": "--app gemm --home host --partitions 10 --partition-mb 50 --compute-ms 8 "
    "--memory-mb 1000 --gpus 2",
    "outer 30x30, 2 GPUs": "--app outer --home host --partitions 30 --partition-mb 50 --compute-ms "
    "4 --memory-mb 500 --gpus 2",
    "logistic 40x10, 2 GPUs": "--app logistic --home host --partitions 40 --iterations 10 "
    "--partition-mb 100 --compute-ms 5 --gpus 2",
}
# A link of 3700 MB/s is 0.58 of Table 1's, the paper's own ratio for logistic regression on one
# disaggregated GPU.
DISAGGREGATED = (
    "--partition-mb 128 --iterations 10 --compute-ms 10 --link-mbps 3700 --memory-mb 1650"
)


def table(head, rows):
    print("| " + " | ".join(map(str, head)) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    print()


def case_2(app, partitions, gpus, load, extra=()):
    return [
        *f"--app {app} --partitions {partitions} --gpus {gpus} --load-threshold {load}".split(),
        *extra,
    ]


def over(flags, policy, best):
    return f"{100 * (simulate(flags, policy)[policy]['makespan_ns'] / best - 1):.1f}"


def rules():
    """Prints Victream's excess over the proven best, in %, for each reading of the thresholds."""
    for compute, home in ((40, "file"), (40, "host"), (400, "host")):
        cost = ["--compute-ms", str(compute), "--home", home]
        bests = [simulate(case_2(*case, cost), "best")["best"]["makespan_ns"] for case in TABLE_2]
        rows = []
        for load, swap, loading in product(
            ("committed", "taken"), ("need", "clean", "out"), (1, 2, 4)
        ):
            extra = [*cost, "--load-rule", load, "--swap-rule", swap, "--loading-max", str(loading)]
            rows.append(
                [
                    load,
                    swap,
                    loading,
                    *(
                        over(case_2(*case, extra), "victream", best)
                        for case, best in zip(TABLE_2, bests)
                    ),
                ]
            )
        print(f"{compute} ms a subtask, {home}:\n")
        table(
            ["load rule", "swap rule", "loading", "logistic", "blur 4", "blur 5", "matrix product"],
            rows,
        )


def thresholds():
    """Prints Victream's makespan over the lower bound for pairs of thresholds."""
    rows = []
    for load, swap in product((0.33, 0.5, 0.66, 0.8, 1.0), (0.1, 0.33, 0.66, 1.0)):
        extra = ["--load-threshold", str(load), "--swap-threshold", str(swap)]
        rows.append(
            [
                load,
                swap,
                *(
                    f"{simulate(flags.split() + extra, 'victream')['victream']['over_bound']:.2f}"
                    for flags in LARGE.values()
                ),
            ]
        )
    table(["load threshold", "swap threshold", *LARGE], rows)


def wait():
    """Prints PTask's makespan over the lower bound for values of its wait."""
    rows = []
    for ms in (0, 5, 10, 20, 50, 100, 200, 500):
        cells = (
            simulate(flags.split() + ["--ptask-wait-ms", str(ms)], "ptask")["ptask"]["over_bound"]
            for flags in LARGE.values()
        )
        rows.append([ms, *(f"{cell:.2f}" for cell in cells)])
    table(["wait, ms", *LARGE], rows)


def ours(flag, values):
    rows = []
    for value in values:
        cells = (
            simulate(flags.split() + [flag, str(value)], "ours")["ours"]["over_bound"]
            for flags in LARGE.values()
        )
        rows.append([value, *(f"{cell:.3f}" for cell in cells)])
    table([flag, *LARGE], rows)


def scaling():
    """Prints weak scaling on disaggregated GPUs: work per second relative to PTask's on one GPU
    (the paper's Figs 11, 12)."""
    policies = ["fifo", "ptask", "locality", "victream", "ours"]
    for app, per_gpu in (("logistic", 16), ("sort", 16), ("blur", 16), ("matmul", 4)):
        rows, unit = [], None
        for gpus in (1, 2, 3, 4):
            flags = (
                f"--app {app} --partitions {per_gpu * gpus} --gpus {gpus} {DISAGGREGATED}".split()
            )
            runs = {policy: simulate(flags, policy)[policy] for policy in policies}
            for ms in (0, 10, 20, 100, 200):
                other = simulate(flags + ["--ptask-wait-ms", str(ms)], "ptask")["ptask"]
                runs["ptask"] = min(runs["ptask"], other, key=lambda row: row["makespan_ns"])
            speed = {policy: gpus / runs[policy]["over_compute"] for policy in policies}
            unit = unit or speed["ptask"]
            gains = [
                f"{100 * (speed[policy] / speed['ptask'] - 1):+.0f} %"
                for policy in ("ours", "victream")
            ]
            rows.append(
                [
                    gpus,
                    *(f"{speed[policy] / unit:.2f}" for policy in policies),
                    *gains,
                    f"{runs['ours']['over_bound']:.2f}",
                ]
            )
        print(f"{app}, {per_gpu} partitions of 128 MB per GPU:\n")
        table(["GPUs", *policies, "ours over ptask", "victream over ptask", "ours / bound"], rows)


def main():
    commands = {
        "rules": rules,
        "thresholds": thresholds,
        "wait": wait,
        "scaling": scaling,
        "lookahead": lambda: ours("--lookahead", (1, 2, 4, 8, 16, 32)),
        "effort": lambda: ours("--effort", (1, 1000, 10_000, 40_000, 500_000)),
    }
    for name in sys.argv[1:]:
        commands[name]()


if __name__ == "__main__":
    main()
