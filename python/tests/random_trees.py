"""Random chains of functions of elements, on lazy arrays and on NumPy's: bit for bit the same,
since the functions are exact. On a GPU each chain is one generated kernel, so this says whether
that is right.

    python python/tests/random_trees.py --count 1000     # under `outhaul run --gpu soft`
"""

import argparse
import os
import random
import sys

import numpy as np

import outhaul

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
FLOATS = [0, -0.0, 1, -1, 0.5, -3, 7.25, -100, 0.1, 6, 1e10, np.inf, -np.inf, np.nan]
INTEGERS = [0, 1, 2, 3, 7, 100, -1, -2, -100, 127, -128, 200, 1 << 31, -(1 << 31), (1 << 63) - 1]
ONE = [np.negative, np.absolute, np.square, np.sign, np.sqrt, np.floor, np.ceil, np.trunc, np.rint]
ONE += [np.isnan, np.isinf, np.isfinite, np.logical_not, np.invert, np.positive, np.reciprocal]
TWO = [np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.minimum]
TWO += [np.maximum, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
TWO += [np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_and, np.logical_or, np.copysign]
TWO += [np.logical_xor, np.fmod, *[np.add, np.multiply] * 4]
NUMBERS = [0, 1, 2, 3, -1, 0.5, -2.5, True, 7, np.float32(0.1), np.int16(3), np.float64(-0.7)]
INEXACT = {np.reciprocal: "iu", np.fmod: "iu"}
"""What is left out, by kind: NumPy and CuPy have answers of their own for a division by 0."""


class Trees:
    """Pairs of a lazy array and NumPy's, of which more are made."""

    def __init__(self, seed):
        self.random, self.seed = random.Random(seed), seed
        draw = np.random.default_rng(seed)
        self.pairs, self.steps = [], []
        for shape in ((40, 9), (40, 9), (40, 1), (9,)):
            dtype = np.dtype(self.random.choice(TYPES + ["f4", "f8"] * 5))
            # Random ones are rounded by most functions, so that a fused product shows.
            values = INTEGERS if dtype.kind != "f" else [*FLOATS, *draw.standard_normal(40)]
            with np.errstate(all="ignore"):
                wanted = draw.choice(np.array(values), shape).astype(dtype)
            self.pairs.append((outhaul.from_array(wanted, (16, 4)[-len(shape) :]), wanted))
            self.steps.append(f"{dtype}{list(shape)}")

    def grow(self):
        """One function more, of the newest array and others; without one that NumPy refuses."""
        newest = self.pairs[-1] if self.random.random() < 0.7 else self.random.choice(self.pairs)
        other = self.random.choice([*self.pairs, *((n, n) for n in NUMBERS)])
        f, operands = self.random.choice(
            [
                (self.random.choice(ONE), [newest]),
                (self.random.choice(TWO), [newest, other]),
                (self.random.choice(TWO), [other, newest]),
                (self.choose, [self.random.choice(self.pairs), newest, other]),
                (self.cast, [newest]),
                (self.squared, [newest]),
            ]
        )
        wanted = [each for _, each in operands]
        if np.result_type(*wanted).kind in INEXACT.get(f, ""):
            return
        try:
            made = f(*wanted)
        except (TypeError, OverflowError):
            return
        if made.dtype.char not in "?bBhHiIlLqQfd" or is_subnormal(made).any():
            return
        self.pairs.append((f(*(lazy for lazy, _ in operands)), made))
        self.steps.append(f"{getattr(f, '__name__', f)}({', '.join(map(self.name, operands))})")

    def name(self, operand):
        return next((f"#{i}" for i, p in enumerate(self.pairs) if p is operand), repr(operand[0]))

    def choose(self, condition, a, b):
        return np.where(condition != 0, a, b)

    def squared(self, a):
        return a**2 if a.dtype != bool else np.square(a.astype("i4"))

    def cast(self, a):
        """To a type that holds what is there; C leaves open what others give."""
        return a.astype("f8" if a.dtype.kind == "f" else "f4" if a.dtype.itemsize < 4 else "i4")


def is_subnormal(values):
    """What CuPy's kernels take for 0 in float32."""
    return (values.dtype == "f4") & (values != 0) & (abs(values) < np.finfo("f4").tiny)


def run(seed, runtime):
    """Raises AssertionError with the steps of the trees that went wrong."""
    trees = Trees(seed)
    with np.errstate(all="ignore"):
        for _ in range(12):
            trees.grow()
        chosen = trees.pairs[-3:]
        for (lazy, wanted), made in zip(
            chosen, outhaul.compute(*(p[0] for p in chosen), runtime=runtime)
        ):
            assert lazy.dtype == made.dtype == wanted.dtype, trees.steps
            np.testing.assert_array_equal(made, wanted, err_msg=f"seed {seed}: {trees.steps}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--backend", default="cuda", choices=["host", "cuda"])
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--count", type=int, default=sys.maxsize)
    options = parser.parse_args()
    print(f"from seed {options.seed}", flush=True)
    with outhaul.Runtime(options.backend, memory="64 MB") as runtime:
        for seed in range(options.seed, options.seed + options.count):
            run(seed, runtime)
    print(f"{options.count} times as NumPy says")


if __name__ == "__main__":
    main()
