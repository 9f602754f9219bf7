"""Times the steps of a program and prints the results, one line of JSON for each case.

Every program of this folder imports this module first, so that a missing library becomes a line
that says so, not a failure. Every run must return the same numbers, because seeds and the number of
steps are fixed. A very slow case ends early, with fewer rounds. `results` has a number for each
round, so that the finished rounds can be compared.
"""

import faulthandler
import json
import os
import statistics
import sys
import time

# Time after which a case starts no further round: remotely, a step may take a hundred times as
# long.
ROUNDS_SECONDS_MAX = 15

# Prefix of the names of cases, set by a program that runs other programs.
within = ""


def process_began_s() -> float:
    """Returns the time when this process began, in seconds since the machine started."""
    with open("/proc/self/stat") as file:
        ticks = file.read().rpartition(")")[2].split()[19]
    return int(ticks) / os.sysconf("SC_CLK_TCK")


# The time of the first result counts from this process's beginning, also in processes that it
# starts, unless DAILY_BEGAN_S is empty.
_began_s = os.environ.setdefault("DAILY_BEGAN_S", str(process_began_s()))
_first_is_known = not _began_s


def say(**what) -> None:
    print(json.dumps(what), flush=True)


def program() -> str:
    return os.path.basename(sys.argv[0]).removesuffix(".py")


def skip(why: str) -> None:
    """Ends the program because something that it needs is missing."""
    say(name=program(), skipped=why)
    sys.exit(0)


def _skip_for_a_module(kind, error, trace) -> None:
    if not issubclass(kind, ModuleNotFoundError):
        sys.__excepthook__(kind, error, trace)
        return
    say(name=program(), skipped=f"there is no Python package {error.name}")
    sys.stderr.flush()
    # Otherwise the interpreter would exit with 1.
    os._exit(0)


def run(
    name: str,
    step,
    *,
    wait,
    calls: int = 1,
    per: int = 1,
    unit: str = "ms/step",
    rounds: int = 5,
    warm_up: int = 1,
    result=float,
    tolerance: float = 0.0,
    limited: bool = True,
    speaks: bool = True,
) -> None:
    """Times `rounds` rounds of `calls` calls of `step`, each of which does `per` steps, after
    `warm_up` rounds that do not count.

    `wait` returns when the GPU is done. `result` returns a number for the return value of a round's
    last call; a remote number may differ from the native one by `tolerance`, relatively. If several
    processes work together, one `speaks`, and none may be `limited` in its rounds.
    """
    global _first_is_known
    last = step()
    result(last)
    wait()
    first_s = None
    if not _first_is_known:
        first_s = round(time.clock_gettime(time.CLOCK_BOOTTIME) - float(_began_s), 3)
        _first_is_known = True
    for _ in range(warm_up * calls - 1):
        last = step()
    wait()
    samples, results = [], []
    all_begin = time.perf_counter()
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            last = step()
        wait()
        samples.append((time.perf_counter() - begin) * 1e3 / (calls * per))
        results.append(float(result(last)))
        if limited and time.perf_counter() - all_begin > ROUNDS_SECONDS_MAX:
            break
    if speaks:
        say(
            name=within + name,
            unit=unit,
            value=round(statistics.median(samples), 5),
            samples=[round(sample, 5) for sample in samples],
            results=results,
            tolerance=tolerance,
            first_s=first_s,
        )


sys.excepthook = _skip_for_a_module
if "DAILY_LIMIT_S" in os.environ:
    # A program that is ended at its time limit first prints where it was.
    faulthandler.dump_traceback_later(max(1.0, float(os.environ["DAILY_LIMIT_S"]) - 2))
