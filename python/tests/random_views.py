"""Random programs of views and changes in place: run with NumPy and with lazy arrays, which must
end with the same numbers in every array, or raise where NumPy does."""

import numpy as np

import outhaul

TYPES = ("f8", "i8", "f4", "c16", "?", "u1")
SHAPES = ((4,), (3, 4), (2, 3, 4), (6, 2), (1, 5), (5, 1), (12,), (), (0, 3), (2, 1, 3))


class Program:
    """Pairs of arrays, NumPy's and the lazy one with the same name in the program."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.pairs, self.lines = [], []

    def run(self, steps):
        with np.errstate(all="ignore"):
            self.make()
            for _ in range(steps):
                self.step()
            self.compare()

    def make(self):
        """A new array of its own."""
        shape = SHAPES[self.random.integers(len(SHAPES))]
        dtype = TYPES[self.random.choice(len(TYPES), p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.1])]
        values = self.random.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        chunks = tuple(int(self.random.integers(1, max(2, n + 1))) for n in shape) or None
        self.add(values, outhaul.from_array(values.copy(), chunks), f"{dtype}{shape} cut {chunks}")

    def add(self, array, lazy, line):
        self.lines.append(f"{len(self.pairs)} = {line}")
        self.pairs.append((array, lazy))

    def draw(self):
        number = int(self.random.integers(len(self.pairs)))
        return number, *self.pairs[number]

    def step(self):
        steps = [self.view] * 6 + [self.change] * 6 + [self.copy] * 2 + [self.make]
        steps[self.random.integers(len(steps))]()

    def both(self, line, f, a, b):
        """Runs f on both; returns the results, or None if NumPy raises, as the other then must."""
        try:
            wanted = f(a)
        except (ValueError, IndexError, TypeError):
            try:
                f(b)
            except (ValueError, IndexError, TypeError):
                return None
            raise AssertionError(f"NumPy raises: {line}\n" + "\n".join(self.lines)) from None
        try:
            return wanted, f(b)
        except Exception as error:
            raise AssertionError(f"{line}: {error!r}\n" + "\n".join(self.lines)) from error

    def key(self, shape, advanced):
        """A random index: its parts, and sometimes fewer than there are axes."""
        parts = []
        for n in shape[: self.random.integers(0, len(shape) + 1)]:
            low, high = (int(self.random.integers(-n - 1, n + 2)) for _ in range(2))
            step = int(self.random.choice([1, 1, 2, -1, -2]))
            choice = self.random.choice(5 if advanced else 3, p=None)
            parts.append(
                [
                    slice(low, None, step),
                    slice(None, high, step),
                    int(self.random.integers(-n, n)) if n else slice(None),
                    self.random.integers(-n, n, 2) if n else slice(None),
                    self.random.random(n) < 0.5 if n else slice(None),
                ][choice]
            )
        if self.random.random() < 0.2:
            parts.insert(int(self.random.integers(len(parts) + 1)), ...)
        if self.random.random() < 0.1 and not advanced:
            parts.append(None)
        return parts[0] if len(parts) == 1 else tuple(parts)

    def view(self):
        number, a, b = self.draw()
        axes = self.random.permutation(a.ndim).tolist()
        shapes = [(-1,), (2, -1), (-1, 1), a.shape[::-1], (1, *a.shape)]
        shape, key = shapes[self.random.integers(len(shapes))], self.key(a.shape, False)
        views = [
            (f"[{key}]", lambda x: x[key]),
            (f"[{key}]", lambda x: x[key]),
            (".T", lambda x: x.T),
            (f".transpose({axes})", lambda x: x.transpose(axes)),
            (f".reshape{shape}", lambda x: x.reshape(shape)),
            (".ravel()", lambda x: x.ravel()),
            (".squeeze()", lambda x: x.squeeze()),
            (".real", lambda x: x.real),
        ]
        name, f = views[self.random.integers(len(views))]
        pair = self.both(f"{number}{name}", f, a, b)
        if pair is not None:
            self.add(*pair, f"{number}{name}")

    def copy(self):
        number, a, b = self.draw()
        key = self.key(a.shape, True)
        other, c, d = self.draw()
        copies = [
            (f"{number}[{key}] + 0", lambda x: x[key] + 0),
            (f"{number}.copy()", lambda x: x.copy()),
            (f"{number} + 1", lambda x: x + 1),
            (f"{number}.astype(f8)", lambda x: x.astype("f8")),
            (f"{number} + {other}", lambda x: x + (c if x is a else d)),
            (f"{number}.flatten()", lambda x: x.flatten()),
        ]
        line, f = copies[self.random.integers(len(copies))]
        pair = self.both(line, f, a, b)
        if pair is not None:
            self.add(*pair, line)

    def change(self):
        number, a, b = self.draw()
        other, c, d = self.draw()
        key, value = self.key(a.shape, self.random.random() < 0.4), int(self.random.integers(9))
        mask = self.random.random(a.shape) < 0.5
        second = lambda x: c if x is a else d

        def add(x):
            x += value
            return x

        def multiply(x):
            x *= second(x)
            return x

        def assign(x):
            x[key] = value

        def assign_other(x):
            x[key] = second(x)

        def add_at(x):
            x[key] += value

        def assign_mask(x):
            x[mask] = value

        def assign_masked(x):
            x[mask] = x[mask] * 2

        def rows(x):
            for row in x[:3]:
                row += 1

        def twice(x):
            x[0][1:] = value

        def into(x):
            np.add(x, value, out=x)

        changes = [add, multiply, assign, assign_other, add_at, assign_mask, assign_masked]
        changes += [rows, twice, into]
        f = changes[self.random.integers(len(changes))]
        line = f"{number}: {f.__name__} {key} {value} {other}"
        pair = self.both(line, f, a, b)
        if pair is not None:
            self.lines.append(line)
            if f in (add, multiply):
                self.pairs[number] = pair

    def compare(self):
        lazy = [b for _, b in self.pairs if isinstance(b, outhaul.Array)]
        made = iter(outhaul.compute(*lazy))
        for number, (a, b) in enumerate(self.pairs):
            b = next(made) if isinstance(b, outhaul.Array) else b
            message = f"array {number}\n" + "\n".join(self.lines)
            assert np.shape(a) == np.shape(b) and a.dtype == np.asarray(b).dtype, message
            np.testing.assert_allclose(b, a, rtol=1e-6, err_msg=message)


def run(seeds, steps=10):
    with outhaul.Runtime("host", gpus=2, memory="1 MB"):
        for seed in seeds:
            try:
                Program(seed).run(steps)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {error}") from None


if __name__ == "__main__":
    import sys

    run(range(int(sys.argv[1]), int(sys.argv[2])))
