"""The five policies on pretended GPUs behind slow links: what each takes, what the simulator says
with the costs just measured, and what no schedule beats. Nothing here is fast; only the proportions
mean something.

    python python/examples/policies.py"""

import time

import numpy as np

import outhaul

PARTITIONS, ITERATIONS = 24, 4
POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]


def blur(rows):
    time.sleep(0.008)
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


def main():
    image = np.random.default_rng(1).random((PARTITIONS * 64, 4096), dtype="f4")
    print("GPUs  policy       ran, s  simulated, s     off  over the bound  loaded, MB  stored, MB")
    for gpus in (1, 2):
        for policy in POLICIES:
            backend = outhaul.HostBackend(gpus=gpus, memory="9 MiB", link="0.1 GB")
            runtime = outhaul.Runtime(backend, policy=policy)
            lazy, out = outhaul.from_array(image, chunks=64), np.empty_like(image)
            for _ in range(ITERATIONS):
                lazy = lazy.map_overlap(blur, depth=1)
            for _ in range(2):  # the second time, costs are known
                lazy.compute(runtime, out)
            [stage] = lazy.explain(runtime).stages
            lazy.compute(runtime, out)
            ran_s = runtime.last.makespan_ns / 1e9
            off = (stage.makespan_s / ran_s - 1) * 100
            moved = [runtime.last.moved_bytes(kind) / 1e6 for kind in ("load", "store")]
            print(
                f"{gpus:4}  {policy:<9} {ran_s:9.3f} {stage.makespan_s:13.3f} {off:+6.1f}% "
                f"{ran_s / stage.bound_s:15.2f} {moved[0]:11.0f} {moved[1]:11.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
