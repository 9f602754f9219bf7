"""Random graphs against NumPy, with as little memory as they can run in, on one to four GPUs, while
subtasks fail and GPUs disappear. A case is its seed.

python python/tests/random_graphs.py --seconds 3600            # on pretended GPUs, from a seed that
                                                               it prints
python python/tests/random_graphs.py --seed 17 --count 1       # one case again
outhaul run --gpu soft -- python python/tests/random_graphs.py --backend cuda --seconds 600
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time

import numpy as np

import outhaul

POLICIES = ["fifo", "ptask", "locality", "victream", "ours"]
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
ROWS_MAX = 60


class Flaky:
    """A function that fails at some of its calls, as told; what else happens at a call is
    `at_call`."""

    def __init__(self, f, case):
        self.f = f
        self.case = case
        self.__name__ = getattr(f, "__name__", "f")

    def __call__(self, *parts):
        self.case.called()
        return self.f(*parts)


class Case:
    def __init__(self, seed, backend, folder):
        self.seed = seed
        self.random = random.Random(seed)
        self.values = np.random.default_rng(seed)
        self.backend = backend
        self.folder = folder
        self.calls = 0
        self.fails_at, self.loses_at = set(), None
        self.runtime = None
        self.steps = []

    def run(self):
        """Raises AssertionError where the result is not NumPy's."""
        pairs = [self.given() for _ in range(self.random.randint(1, 3))]
        for _ in range(self.random.randint(1, 6)):
            pairs.append(self.step(pairs))
        chosen = [pairs[-1], *self.random.sample(pairs, self.random.randint(0, min(2, len(pairs))))]
        self.compare([lazy for lazy, _ in chosen], [wanted for _, wanted in chosen])

    def given(self):
        """An array as people have them: whole, in strides, backwards, read-only, in a file."""
        dtype = np.dtype(self.random.choice(DTYPES))
        shape = tuple(
            self.random.choice([0, 1, 2, 7, self.random.randint(1, ROWS_MAX)])
            for _ in range(self.random.choice([1, 1, 2, 2, 3]))
        )
        values = self.values.integers(0, 100, tuple(2 * n for n in shape)).astype(dtype)
        if dtype.kind == "f" and self.random.random() < 0.3:
            values[self.values.random(values.shape) < 0.2] = self.random.choice(
                [np.nan, -np.nan, np.inf]
            )
        whole = values[tuple(slice(n) for n in shape)]
        how = self.random.choice(
            ["whole", "strided", "reversed", "fortran", "read-only", "npy", "zarr"]
        )
        if how == "strided":
            whole = values[tuple(slice(None, None, 2) for _ in shape)]
        elif how == "reversed":
            whole = whole[::-1]
        elif how == "fortran":
            whole = np.asfortranarray(whole)
        chunks = tuple(self.lengths(n) for n in shape)
        self.steps.append(f"{how} {dtype}{list(shape)} in {chunks}")
        if how == "npy":
            path = f"{self.folder}/{len(self.steps)}.npy"
            np.save(path, np.ascontiguousarray(whole))
            return outhaul.from_npy(path, chunks), whole
        if how == "zarr":
            import zarr

            path = f"{self.folder}/{len(self.steps)}.zarr"
            zarr.create_array(
                path, data=np.ascontiguousarray(whole), chunks=tuple(max(1, n) for n in shape)
            )
            return outhaul.from_zarr(path, chunks=chunks), whole
        if how == "read-only":
            whole = whole.copy()
            whole.flags.writeable = False
        return outhaul.from_array(whole, chunks), whole

    def lengths(self, n):
        """An axis cut anyhow."""
        if n == 0 or self.random.random() < 0.2:
            return (n,)
        longest = self.random.randint(1, n)
        lengths = []
        while sum(lengths) < n:
            lengths.append(
                min(
                    longest if self.random.random() < 0.7 else self.random.randint(1, longest),
                    n - sum(lengths),
                )
            )
        return tuple(lengths)

    def step(self, pairs):
        lazy, wanted = self.random.choice(pairs[-3:])
        likely = [self.map, self.map, self.zip, self.overlap, self.sort, self.reduce, self.matmul]
        step = self.random.choice(
            [
                *likely,
                self.index,
                self.reshape,
                self.permute,
                self.concat,
                self.rechunk,
                self.fold,
                self.scan,
                self.broadcast,
                self.chain,
                self.chain,
                self.mask,
                self.assign,
            ]
        )
        made = step(lazy, wanted, pairs)
        self.steps.append(step.__name__ if made else "map")
        return made or self.map(lazy, wanted, pairs)

    def map(self, lazy, wanted, pairs):
        with np.errstate(all="ignore"):
            f = self.random.choice(
                [
                    lambda p: p + p,
                    lambda p: p.copy(),
                    lambda p: p * p.dtype.type(3),
                    lambda p: np.maximum(p, p.dtype.type(5)),
                ]
            )
            return lazy.map(Flaky(f, self)), f(wanted)

    def zip(self, lazy, wanted, pairs):
        others = [
            (other, values)
            for other, values in pairs
            if other.chunks == lazy.chunks and other.dtype == lazy.dtype
        ]
        other, values = self.random.choice(others)
        return lazy.zip(other, Flaky(np.add, self)), wanted + values

    def overlap(self, lazy, wanted, pairs):
        axis = self.random.randrange(lazy.ndim)
        depth_max = min(lazy.chunks[axis])
        if depth_max < 1:
            return None
        depth = self.random.randint(1, min(3, depth_max))
        boundary = self.random.choice(["nearest", "reflect", 7])
        modes = {
            "nearest": {"mode": "edge"},
            "reflect": {"mode": "symmetric"},
            7: {"constant_values": 7},
        }
        at = lambda start, stop: (slice(None),) * axis + (slice(start, stop),)
        f = lambda wide: wide[at(None, -2 * depth)] + wide[at(2 * depth, None)]
        padded = np.pad(
            wanted,
            [(depth, depth) if i == axis else (0, 0) for i in range(lazy.ndim)],
            **modes[boundary],
        )
        return lazy.map_overlap(Flaky(f, self), depth, axis=axis, boundary=boundary), f(padded)

    def sort(self, lazy, wanted, pairs):
        return (lazy.sort(), np.sort(wanted)) if lazy.ndim == 1 else None

    def reduce(self, lazy, wanted, pairs):
        """By rows of one length; the maximum does not care for the order of floats."""
        lengths = set(lazy.chunks[0])
        if len(lengths) > 1 or any(len(axis) > 1 for axis in lazy.chunks[1:]) or 0 in lazy.shape:
            return None
        parts = wanted.reshape(len(lazy.chunks[0]), *(n[0] for n in lazy.chunks))
        return lazy.reduce(
            Flaky(np.maximum, self), fan_in=self.random.randint(2, 5)
        ), np.maximum.reduce(parts, axis=0)

    def matmul(self, lazy, wanted, pairs):
        """Of integers, whose products are exact; on GPUs they take cuBLAS."""
        if self.backend == "cuda":
            return None
        others = [
            (o, v)
            for o, v in pairs
            if o.ndim == 2
            and lazy.ndim == 2
            and o.chunks[0] == lazy.chunks[1]
            and o.dtype.kind in "iu"
            and lazy.dtype.kind in "iu"
        ]
        if not others:
            return None
        other, values = self.random.choice(others)
        return lazy @ other, wanted @ values

    def index(self, lazy, wanted, pairs):
        key = tuple(self.key(n) for n in wanted.shape)
        if sum(isinstance(each, np.ndarray) for each in key) > 1:
            key = key[:1]
        return (lazy[key], wanted[key]) if wanted[key].ndim else None

    def key(self, n):
        at = lambda: self.random.randint(-n - 2, n + 2)
        if n and self.random.random() < 0.2:
            return self.values.integers(-n, n, self.random.randint(0, 9))
        return (
            slice(at(), at(), self.random.choice([1, 1, 2, -1, -3]))
            if self.random.random() < 0.7 or n == 0
            else self.random.randrange(-n, n)
        )

    def reshape(self, lazy, wanted, pairs):
        n = wanted.size
        factor = self.random.choice([f for f in range(1, 13) if n and n % f == 0] or [1])
        shape = (
            self.random.choice([(-1,), (factor, n // factor), (n // factor, 1, factor)])
            if n
            else (0, 3)
        )
        return lazy.reshape(shape), wanted.reshape(shape)

    def permute(self, lazy, wanted, pairs):
        axes = self.random.sample(range(wanted.ndim), wanted.ndim)
        return lazy.permute(axes), wanted.transpose(axes)

    def concat(self, lazy, wanted, pairs):
        axis = self.random.randrange(wanted.ndim)
        return outhaul.concat([lazy, lazy, lazy], axis=axis), np.concatenate(
            [wanted] * 3, axis=axis
        )

    def rechunk(self, lazy, wanted, pairs):
        return lazy.rechunk(tuple(self.lengths(n) for n in wanted.shape)), wanted

    def fold(self, lazy, wanted, pairs):
        """The maximum, which does not care for the order of floats, and where it is."""
        axis = self.random.choice([None, *range(wanted.ndim)])
        if 0 in wanted.shape or wanted.ndim == 1:
            return None
        name = self.random.choice(["max", "min", "argmax"])
        f = lambda values: getattr(values, name)(axis=axis)
        return (
            (f(lazy).reshape((-1,)), f(wanted).reshape((-1,)))
            if axis is None
            else (f(lazy), f(wanted))
        )

    def scan(self, lazy, wanted, pairs):
        axis = self.random.randrange(wanted.ndim)
        return (
            (lazy.cumsum(axis=axis), wanted.cumsum(axis=axis))
            if wanted.dtype.kind in "iu"
            else None
        )

    def broadcast(self, lazy, wanted, pairs):
        axis = self.random.randrange(wanted.ndim)
        at = (slice(None),) * axis + (slice(0, 1),)
        return np.maximum(lazy, lazy[at]), np.maximum(wanted, wanted[at])

    def chain(self, lazy, wanted, pairs):
        """Functions of elements, which may become one subtask with others before and behind."""
        f = lambda values, one, two: (
            np.where((values + one) * two > one, values, values + two) - one
        )
        other, values = self.random.choice(
            [(o, v) for o, v in pairs if v.shape == wanted.shape and v.dtype == wanted.dtype]
        )
        one = wanted.dtype.type(3)
        return f(lazy, one, other), f(wanted, one, values)

    def mask(self, lazy, wanted, pairs):
        """Counted at once, by a runtime without failures."""
        if self.backend == "cuda":
            return None
        with outhaul.Runtime("host"):
            calm, self.fails_at = self.fails_at, set()
            chosen = lazy[lazy > 5]
            self.fails_at, self.calls = calm, 0
        return chosen, wanted[wanted > 5]

    def assign(self, lazy, wanted, pairs):
        lazy, wanted = lazy[...], wanted.copy()
        made = outhaul.Array(lazy.node, lazy.chunks, lazy.dtype)
        at = (slice(self.random.randint(0, 9), None, self.random.choice([1, 2])),)
        made[at] = wanted[at] = 3
        return made, wanted

    def called(self):
        self.calls += 1
        if self.calls in self.fails_at:
            raise OSError("injected")
        if self.calls == self.loses_at:
            self.runtime.backend.devices[-1].lost = True

    def compare(self, arrays, wanted):
        gpus = self.random.randint(1, 4 if self.backend == "host" else 2)
        options = {
            "gpus": gpus,
            "policy": self.random.choice(POLICIES),
            "peers": self.random.random() < 0.3,
            "effort": self.random.choice([0, 100, 3000]),
        }
        options |= {
            "host_memory": self.random.choice([1, 1000, "1 GB"]),
            "spill": self.folder,
            "scratch": 0 if self.backend == "host" else "50%",
        }
        if self.random.random() < 0.4:
            options["retries"] = 3
            self.fails_at = set(self.random.sample(range(1, 60), self.random.randint(1, 3)))
        if (
            self.backend == "host"
            and gpus > 1
            and options.get("retries")
            and self.random.random() < 0.5
        ):
            self.loses_at = self.random.randint(1, 40)
        self.steps.append(str(options | {"fails at": self.fails_at, "loses at": self.loses_at}))
        results = self.computed(arrays, wanted, options)
        for result, values in zip(results, wanted):
            np.testing.assert_array_equal(result, values)
            assert result.dtype == values.dtype

    def computed(self, arrays, wanted, options):
        """In exactly the memory that it takes, half of the time: what is refused says how much that
        is."""
        need = self.random.choice([0, 0, 100, 5000]) if self.backend == "host" else 1 << 22
        sinks = self.random.choice(["values", "out", "npy"])
        while True:
            self.runtime = outhaul.Runtime(self.backend, memory=need, **options)
            try:
                if sinks == "npy":
                    for i, array in enumerate(arrays):
                        array.to_npy(f"{self.folder}/out{i}.npy", self.runtime)
                    return [np.load(f"{self.folder}/out{i}.npy") for i in range(len(arrays))]
                out = (
                    [np.empty(values.shape, values.dtype) for values in wanted]
                    if sinks == "out"
                    else None
                )
                return outhaul.compute(*arrays, runtime=self.runtime, out=out)
            except outhaul.GraphError as error:
                needs = re.search(r"needs (\d+) bytes", str(error))
                if not needs or int(needs[1]) <= need:
                    raise
                need = int(needs[1])
            finally:
                self.check_nothing_is_left()

    def check_nothing_is_left(self):
        devices = self.runtime.backend.devices
        assert [device.used_bytes for device in devices] == [0] * len(devices)
        if self.backend == "host":
            assert self.runtime.backend.host_used_bytes == 0
        self.runtime.close()


def run(seed, backend, count=sys.maxsize, seconds=sys.maxsize):
    """Cases from this seed on; how many there were. Raises AssertionError with the case that went
    wrong."""
    ends_s, done = time.monotonic() + seconds, 0
    while done < count and time.monotonic() < ends_s:
        folder = tempfile.mkdtemp()
        case = Case(seed + done, backend, folder)
        try:
            with np.errstate(all="ignore"):
                case.run()
        except BaseException as error:
            raise AssertionError(
                f"--seed {case.seed} --count 1 --backend {backend}: {'; '.join(case.steps)}"
            ) from error
        finally:
            shutil.rmtree(folder)
        done += 1
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--backend", default="host", choices=["host", "cuda"])
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--count", type=int, default=sys.maxsize, help="how many cases")
    parser.add_argument("--seconds", type=float, default=sys.maxsize, help="for how long")
    options = parser.parse_args()
    print(f"from seed {options.seed}", flush=True)
    print(f"{run(**vars(options))} graphs were as NumPy says")


if __name__ == "__main__":
    main()
