"""Prints a Markdown table of how far each policy is from the proven best: for Table 2's four cases,
then for the small instances.

Run: python3 tests/simulation/distances.py         # the cases and the listed instances
     python3 tests/simulation/distances.py 60 7    # instead, 60 random instances from seed 7
"""

from random import Random
from statistics import median
import sys

from instances import INSTANCES, Instance, simulate

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
    over = {
        policy: 100 * (rows[policy]["makespan_ns"] / best - 1) for policy in [*POLICIES, "worst"]
    }
    mark = "" if rows["best"]["proven"] else " (not proven)"
    cells = " | ".join(f"{over[policy]:.1f}" for policy in [*POLICIES, "worst"])
    over["proven"] = rows["best"]["proven"]
    print(f"| {name} | {best / 1e6:.1f}{mark} | {cells} |", flush=True)
    return over


def summary(name, overs):
    cells = [f"{name(over[policy] for over in overs):.1f}" for policy in [*POLICIES, "worst"]]
    print(f"| {name.__name__} of the {len(overs)} | | " + " | ".join(cells) + " |")


def drawn(count, seed):
    """Returns new random instances, of the same applications and ranges as the listed ones."""
    random = Random(seed)
    shapes = [
        ("blur", (3, 6), (1, 3), 4),
        ("matmul", (4, 4), (1, 2), 4),
        ("sort", (2, 2), (1, 2), 2),
        ("outer", (3, 4), (1, 1), 3),
        ("gemm", (2, 2), (1, 1), 4),
    ]
    for _ in range(count):
        app, partitions, iterations, memory = random.choice(shapes)
        files = random.random() < 0.3
        yield Instance(
            app,
            random.randint(*partitions),
            random.randint(*iterations),
            random.randint(1, 3),
            memory + random.randint(0, 2),
            2 if app == "sort" else random.randint(1, 2),
            random.randint(1, 4),
            random.choice(["full", "full", "half", "bus"]),
            random.randint(1, 3) if files else 0,
            random.randint(1, 3) if files else 0,
        )


def random_main(count, seed):
    print(
        "| instance | best, ms | "
        + " | ".join(f"{policy}, % over" for policy in [*POLICIES, "worst"])
        + " |"
    )
    print("|---|" + "---|" * (len(POLICIES) + 2))
    limits = ["--points-max", "3000000", "--schedules-max", "2000"]
    overs = []
    for instance in drawn(count, seed):
        overs.append(line(str(instance)[9:-1], instance.flags() + limits))
    proven = [over for over in overs if over["proven"]]
    summary(median, proven)
    summary(max, proven)


def main():
    if len(sys.argv) == 3:
        return random_main(int(sys.argv[1]), int(sys.argv[2]))
    print(
        "| case | best, ms | "
        + " | ".join(f"{policy}, % over" for policy in [*POLICIES, "worst"])
        + " |"
    )
    print("|---|" + "---|" * (len(POLICIES) + 2))
    for home in ("file", "host"):
        for name, (app, partitions, gpus, load) in TABLE_2.items():
            flags = (
                f"--app {app} --partitions {partitions} --gpus {gpus}"
                f" --load-threshold {load} --home {home}"
            )
            line(f"{name}, {home}", flags.split())
    overs = [line(str(instance)[9:-1], instance.flags()) for instance in INSTANCES]
    summary(median, overs)
    summary(max, overs)


if __name__ == "__main__":
    main()
