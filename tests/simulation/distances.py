"""How far each policy is from the proven best: Table 2's four cases, then the small instances. Prints a Markdown table.

Run: python3 tests/simulation/distances.py
"""

from statistics import median

from instances import INSTANCES, simulate

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]
TABLE_2 = {
    "logistic regression 3x2, 1 GPU": ("logistic", 3, 1, 0.5),
    "blur 4x2, 2 GPUs": ("blur", 4, 2, 0.66),
    "blur 5x2, 2 GPUs": ("blur", 5, 2, 0.66),
    "matrix product 4x2, 2 GPUs": ("matmul", 4, 2, 0.66),
}


def line(name, flags):
    rows = simulate(flags, ",".join(POLICIES) + ",best,worst")
    best = rows["best"]["makespan_ns"]
    over = {policy: 100 * (rows[policy]["makespan_ns"] / best - 1) for policy in [*POLICIES, "worst"]}
    mark = "" if rows["best"]["proven"] else " (not proven)"
    cells = " | ".join(f"{over[policy]:.1f}" for policy in [*POLICIES, "worst"])
    print(f"| {name} | {best / 1e6:.1f}{mark} | {cells} |", flush=True)
    return over


def summary(name, overs):
    cells = [f"{name(over[policy] for over in overs):.1f}" for policy in [*POLICIES, "worst"]]
    print(f"| {name.__name__} of the {len(overs)} | | " + " | ".join(cells) + " |")


def main():
    print("| case | best, ms | " + " | ".join(f"{policy}, % over" for policy in [*POLICIES, "worst"]) + " |")
    print("|---|" + "---|" * (len(POLICIES) + 2))
    for home in ("file", "host"):
        for name, (app, partitions, gpus, load) in TABLE_2.items():
            flags = f"--app {app} --partitions {partitions} --gpus {gpus} --load-threshold {load} --home {home}"
            line(f"{name}, {home}", flags.split())
    overs = [line(str(instance)[9:-1], instance.flags()) for instance in INSTANCES]
    summary(median, overs)
    summary(max, overs)


if __name__ == "__main__":
    main()
