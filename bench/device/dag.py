"""Measures out-of-core graphs on a machine with GPUs, and prints one table. It runs four
micro-benchmarks with capped memory, under every policy, on 1, 2 and 4 GPUs. Next to each result are
the simulator's prediction with the measured costs and rates, the lower bound, and CuPy streamed by
hand. Builds nothing: pack.sh made the wheel on another machine.

    python3 -m pip install --no-index --no-deps --target /tmp/outhaul target/device/outhaul-*.whl
    PYTHONPATH=/tmp/outhaul python3 bench/device/dag.py --memory "2 GB" --partition "128 MB"

It measures weak scaling: each GPU has its own data. It checks results with CuPy or NumPy.
`--managed` adds CuPy on managed memory, in core. More managed memory than is free on a card can
hang it, so the script refuses that."""

import argparse
import contextlib
import csv
import ctypes
import importlib.util
import os
import sys
import time
import typing
from statistics import median

import numpy as np

import outhaul
from outhaul.files.sinks import ArraySink
from outhaul.sizes import format_bytes, parse_bytes

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]
COLUMNS = [
    "app",
    "gpus",
    "how",
    "seconds",
    "simulated",
    "off",
    "bound",
    "over_bound",
    "loaded_GB",
    "stored_GB",
    "sim_GB",
    "rates",
    "peak_MB",
]
RATE = 0.01


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Logistic:
    """Logistic regression by gradient descent: every iteration reads all data, which never
    changes."""

    def __init__(self, partitions, part_bytes, iterations):
        self.features = 255
        rows = part_bytes // 4 // (self.features + 1)
        self.iterations = iterations
        self.rows = rows
        self.data = np.random.default_rng(1).random(
            (partitions * rows, self.features + 1), dtype="f4"
        )
        self.start = np.zeros((1, self.features), "f4")

    @staticmethod
    def gradient(part, weights):
        x, y = part[:, :-1], part[:, -1:]
        return ((sigmoid(x @ weights.T) - (y > 0.5)) * x).mean(axis=0, keepdims=True, dtype="f4")

    @staticmethod
    def descend(weights, gradient):
        return (weights - np.float32(RATE) * gradient).astype("f4")

    def lazy(self):
        data, weights = (
            outhaul.from_array(self.data, chunks=self.rows),
            outhaul.from_array(self.start),
        )
        for _ in range(self.iterations):
            gradient = data.map(self.gradient, weights, shape=(1, self.features)).reduce(np.add)
            weights = weights.zip(gradient, self.descend)
        return weights

    def by_hand(self, streamer):
        with streamer.clock():
            weights = streamer.cupy.asarray(self.start)
            for _ in range(self.iterations):
                total = streamer.cupy.zeros_like(weights)

                def add(part, total=total, weights=weights):
                    total[...] += self.gradient(part, weights)

                streamer.stream(
                    [self.data[i : i + self.rows] for i in range(0, len(self.data), self.rows)], add
                )
                weights = self.descend(weights, total)
        return weights.get()


class Blur:
    """A vertical blur, repeated: every partition changes and has neighbours."""

    def __init__(self, partitions, part_bytes, iterations):
        self.columns = 8192
        self.rows = part_bytes // 4 // self.columns
        self.iterations = iterations
        self.data = np.random.default_rng(2).random(
            (partitions * self.rows, self.columns), dtype="f4"
        )

    @staticmethod
    def blur(part):
        return (part[:-2] + part[1:-1] + part[2:]) * np.float32(1 / 3)

    def lazy(self):
        image = outhaul.from_array(self.data, chunks=self.rows)
        for _ in range(self.iterations):
            image = image.map_overlap(self.blur, depth=1)
        return image

    def by_hand(self, streamer):
        """Copies from one host array to the other and back, one band at a time, with one more row
        on both sides."""
        source, target = (
            streamer.pinned(len(self.data) + 2, self.columns),
            streamer.pinned(len(self.data) + 2, self.columns),
        )
        source[1:-1] = self.data
        starts = range(0, len(self.data), self.rows)
        with streamer.clock():
            for _ in range(self.iterations):
                source[0], source[-1] = source[1], source[-2]
                streamer.stream(
                    [source[i : i + self.rows + 2] for i in starts],
                    self.blur,
                    [target[1 + i : 1 + i + self.rows] for i in starts],
                )
                source, target = target, source
        return source[1:-1]


class Matmul:
    """A product of two square matrices, cut into tiles."""

    def __init__(self, partitions, part_bytes, iterations):
        self.side = int((part_bytes / 4) ** 0.5)
        self.tiles = max(2, round(partitions**0.5))
        random = np.random.default_rng(3)
        n = self.side * self.tiles
        self.a, self.b = random.random((n, n), dtype="f4"), random.random((n, n), dtype="f4")

    def lazy(self):
        cut = (self.side, self.side)
        return outhaul.from_array(self.a, chunks=cut) @ outhaul.from_array(self.b, chunks=cut)

    def by_hand(self, streamer):
        """Computes a row of tiles at a time, which is contiguous; all of B streams by for each
        row."""
        out = streamer.pinned(*self.a.shape)
        rows = range(0, len(self.a), self.side)
        with streamer.clock():
            for i in rows:
                left = streamer.cupy.asarray(self.a[i : i + self.side])
                total = streamer.cupy.zeros((self.side, self.b.shape[1]), "f4")
                at = iter(rows)

                def add(part, left=left, total=total, at=at):
                    k = next(at)
                    total[...] += left[:, k : k + self.side] @ part

                streamer.stream([self.b[k : k + self.side] for k in rows], add)
                total.get(out=out[i : i + self.side])
        return out


class Sort:
    """Sorts keys: elements of each partition go to all partitions."""

    def __init__(self, partitions, part_bytes, iterations):
        self.length = part_bytes // 4
        self.data = np.random.default_rng(4).random(partitions * self.length, dtype="f4")

    def lazy(self):
        return outhaul.from_array(self.data, chunks=self.length).sort()

    by_hand = None


APPS = {"logistic": Logistic, "blur": Blur, "matmul": Matmul, "sort": Sort}


class Streamer:
    """Out-of-core CuPy as a programmer writes it by hand, on one GPU: three streams, and three
    buffers in each direction, all pinned. `seconds` is its time without work that a program does
    once: pinning, and filling its buffers."""

    DEPTH = 3

    def __init__(self):
        import cupy
        import cupyx

        self.cupy, self.cupyx = cupy, cupyx
        self.loads, self.works, self.stores = (
            cupy.cuda.Stream(non_blocking=True) for _ in range(3)
        )
        self.buffers, self.results = {}, {}
        self.seconds = 0

    @contextlib.contextmanager
    def clock(self):
        start = time.perf_counter()
        yield
        self.cupy.cuda.Device().synchronize()
        self.seconds = time.perf_counter() - start

    def pinned(self, *shape):
        return self.cupyx.empty_pinned(shape, "f4")

    def stream(self, sources, f, targets=None):
        events = [None] * self.DEPTH
        stored = [None] * self.DEPTH
        for i, source in enumerate(sources):
            slot = i % self.DEPTH
            with self.loads:
                if events[slot] is not None:
                    self.loads.wait_event(events[slot])
                key = (slot, source.shape)
                if key not in self.buffers:
                    self.buffers[key] = self.cupy.empty(source.shape, "f4")
                part = self.buffers[key]
                part.set(source, stream=self.loads)
                loaded = self.loads.record()
            with self.works:
                self.works.wait_event(loaded)
                if stored[slot] is not None:
                    self.works.wait_event(stored[slot])
                result = f(part)
                if targets is not None:
                    kept = self.results.setdefault(
                        (slot, result.shape), self.cupy.empty_like(result)
                    )
                    kept[...] = result
                events[slot] = self.works.record()
            if targets is not None:
                with self.stores:
                    self.stores.wait_event(events[slot])
                    kept.get(stream=self.stores, out=targets[i], blocking=False)
                    stored[slot] = self.stores.record()
        self.cupy.cuda.Device().synchronize()


class Ran(typing.NamedTuple):
    """One run: the simulator's predictions for its graphs, their measured times, and the measured
    rates."""

    stages: list
    graphs: list
    rates: dict

    @property
    def seconds(self):
        return sum(graph.makespan_ns for graph in self.graphs) / 1e9

    @property
    def simulated(self):
        return sum(stage.makespan_s for stage in self.stages)


def row(app, gpus, how, runs):
    seconds, simulated = median(run.seconds for run in runs), median(run.simulated for run in runs)
    last = runs[-1]
    bound = sum(stage.bound_s for stage in last.stages)
    moved = lambda kind: sum(graph.moved_bytes(kind) for graph in last.graphs) / 1e9
    foreseen = lambda kind: sum(stage.moved_bytes[kind] for stage in last.stages) / 1e9
    return dict(
        app=app,
        gpus=gpus,
        how=how,
        seconds=f"{seconds:.3f}",
        simulated=f"{simulated:.3f}",
        off=f"{(simulated / seconds - 1) * 100:+.1f} %",
        bound=f"{bound:.3f}",
        over_bound=f"{seconds / bound:.2f}",
        loaded_GB=f"{moved('load'):.2f}",
        stored_GB=f"{moved('store'):.2f}",
        sim_GB=f"{foreseen('load'):.2f}+{foreseen('store'):.2f}",
        rates=f"{last.rates['load'] / 1e9:.1f}+{last.rates['store'] / 1e9:.1f}",
        peak_MB=f"{max(max(graph.peak_bytes) for graph in last.graphs) / 1e6:.0f}",
    )


def timed(app, how, seconds):
    """Returns a line for a measurement without a runtime."""
    return {
        **dict.fromkeys(COLUMNS, "-"),
        "app": app,
        "gpus": 1,
        "how": how,
        "seconds": f"{seconds:.3f}",
    }


class Table:
    """Prints lines as they come, and writes them to a file."""

    def __init__(self, path):
        self.file = open(path, "w", newline="") if path else None
        self.writer = csv.DictWriter(self.file, COLUMNS) if path else None
        if path:
            self.writer.writeheader()
        print(" ".join(f"{column:>10}" for column in COLUMNS))

    def add(self, line):
        print(" ".join(f"{line[column]!s:>10}" for column in COLUMNS), flush=True)
        if self.file:
            self.writer.writerow(line)
            self.file.flush()


def run_policy(options, app, name, gpus, policy, wanted, out):
    """Two runs come first: they compile code and measure costs. Of the later runs it takes medians,
    each next to the simulator's prediction before it. Only the time of the graphs counts. It checks
    the results."""
    runtime = outhaul.Runtime(
        options.backend,
        gpus=gpus,
        memory=options.memory_bytes,
        scratch=options.scratch,
        policy=policy,
        shared_link=options.shared_link,
    )
    lazy = app.lazy()
    for _ in range(2):
        runtime.run([ArraySink(lazy, out)])
    runs = []
    for _ in range(options.runs):
        stages = runtime.explain([lazy]).stages
        runtime.history.clear()
        [result] = runtime.run([ArraySink(lazy, out)])
        runs.append(
            Ran(
                stages,
                list(runtime.history),
                {kind: t.rate for kind, t in runtime.costs.transfers.items()},
            )
        )
    if wanted is not None:
        np.testing.assert_allclose(
            np.asarray(result)[:: options.check], wanted[:: options.check], rtol=2e-3
        )
    runtime.close()
    return row(name, gpus, policy, runs)


def run_by_hand(app, name):
    """Runs on one GPU only: on several, the result would depend on the author. The second run
    counts here too."""
    streamer = Streamer()
    runtime = streamer.cupy.cuda.runtime
    arrays = [value for value in vars(app).values() if isinstance(value, np.ndarray)]
    for array in arrays:
        runtime.hostRegister(array.ctypes.data, array.nbytes, 0)
    app.by_hand(streamer)
    result = np.array(app.by_hand(streamer))
    line = timed(name, "by hand", streamer.seconds)
    for array in arrays:
        runtime.hostUnregister(array.ctypes.data)
    streamer.buffers.clear()
    streamer.results.clear()
    streamer.cupy.get_default_memory_pool().free_all_blocks()
    return line, result


def run_managed(app, name, prefetch):
    """Measures managed memory that a first touch moves page by page, or that a prefetch moves
    before. It is in core only, which favours managed memory."""
    import cupy

    free, _ = cupy.cuda.runtime.memGetInfo()
    if not isinstance(app, Blur) or 5 * app.data.nbytes > free:
        return None
    pool = cupy.cuda.MemoryPool(cupy.cuda.malloc_managed)
    with cupy.cuda.using_allocator(pool.malloc):
        image = cupy.empty(app.data.shape, "f4")
        on_host = np.frombuffer(
            (ctypes.c_char * image.nbytes).from_address(image.data.ptr), "f4"
        ).reshape(image.shape)
        on_host[...] = app.data
        start = time.perf_counter()
        if prefetch:
            cupy.cuda.runtime.memPrefetchAsync(image.data.ptr, image.nbytes, 0, 0)
        for _ in range(app.iterations):
            image = app.blur(cupy.concatenate([image[:1], image, image[-1:]]))
        cupy.cuda.Device().synchronize()
        line = timed(name, "prefetched" if prefetch else "managed", time.perf_counter() - start)
    pool.free_all_blocks()
    return line


def run_dask_cuda(options, app, name, gpus, wanted):
    """Runs Dask-CUDA if it is installed. `-P` keeps the folder of this file out of the path."""
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import dag_dask

    if name not in dag_dask.GRAPHS:
        return None
    memory_bytes = options.memory_bytes - parse_bytes(options.scratch, options.memory_bytes)
    if not importlib.util.find_spec("dask_cuda"):
        sys.exit(
            "dag.py: --dask-cuda needs Dask-CUDA: bench/device/packages.sh fetches its wheels, "
            "which dag.sh unpacks"
        )
    seconds = dag_dask.seconds(app, name, gpus, memory_bytes, options.runs, wanted)
    return {**timed(name, "dask-cuda", median(seconds)), "gpus": gpus}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--backend",
        default="cuda",
        choices=["cuda", "host"],
        help="host runs the script without a GPU; its times mean nothing",
    )
    parser.add_argument("--apps", default="logistic,blur,matmul,sort")
    parser.add_argument("--gpus", default="1,2,4", help="numbers of GPUs")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--memory", default="4 GB", help="of each GPU")
    parser.add_argument("--scratch", default="40%")
    parser.add_argument("--partition", default="256 MB")
    parser.add_argument("--partitions", type=int, default=24, help="per GPU")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3, help="runs that count, after two others")
    parser.add_argument(
        "--check", type=int, default=97, help="compares every so many rows of results"
    )
    parser.add_argument(
        "--managed", action="store_true", help="adds CuPy on managed memory, in core"
    )
    parser.add_argument(
        "--shared-link", action="store_true", help="the GPUs share one link, as on a remote node"
    )
    parser.add_argument(
        "--dask-cuda", action="store_true", help="adds Dask-CUDA, if it is installed"
    )
    parser.add_argument("--csv")
    options = parser.parse_args()
    options.memory_bytes = parse_bytes(options.memory)
    return options


def main():
    options = arguments()
    present = 4
    if options.backend == "cuda":
        import cupy

        present = cupy.cuda.runtime.getDeviceCount()
    table = Table(options.csv)
    for name in options.apps.split(","):
        for gpus in [count for count in map(int, options.gpus.split(",")) if count <= present]:
            app = APPS[name](
                options.partitions * gpus, parse_bytes(options.partition), options.iterations
            )
            out = np.empty(app.lazy().shape, app.lazy().dtype)
            wanted = np.sort(app.data) if name == "sort" else None
            if app.by_hand and gpus == 1 and options.backend == "cuda":
                line, wanted = run_by_hand(app, name)
                table.add(line)
            for policy in options.policies.split(","):
                table.add(run_policy(options, app, name, gpus, policy, wanted, out))
                wanted = out.copy() if wanted is None else wanted
            if (
                options.dask_cuda
                and options.backend == "cuda"
                and (line := run_dask_cuda(options, app, name, gpus, wanted))
            ):
                table.add(line)
            if options.managed and gpus == 1 and options.backend == "cuda":
                for line in filter(
                    None, (run_managed(app, name, prefetch) for prefetch in (False, True))
                ):
                    table.add(line)
    print(
        f"each GPU capped at {format_bytes(options.memory_bytes)}; simulated with the costs and "
        f"rates measured in the same run"
    )


if __name__ == "__main__":
    sys.exit(main())
