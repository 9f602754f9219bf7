"""Runs named steps and prints a line for each, so that a native and a remote run can be compared. A
failed step does not affect the others."""

import time
import traceback
import sys


def run(steps):
    failed = 0
    for name, step in steps.items():
        try:
            print(f"{name:<30} {step()}", flush=True)
        except Exception as error:
            failed += 1
            first = str(error).strip().splitlines()
            print(
                f"{name:<30} FAILED {type(error).__name__}: {first[0][:90] if first else ''}",
                flush=True,
            )
            traceback.print_exc(file=sys.stderr)
    print(f"{len(steps) - failed} passed, {failed} failed", flush=True)


def median_us(run, count, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - start) / count * 1e6)
    return sorted(times)[repeats // 2]
