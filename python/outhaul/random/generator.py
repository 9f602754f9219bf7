"""Random arrays that do not depend on their cuts: `default_rng(seed)` as in NumPy. Numbers come
from Philox counters, and differ from NumPy's for the same seed. State other than the number of
draws is deliberately absent."""

import itertools
import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.creation import asarray, made
from ..arrays.elementwise import elementwise
from ..functions.searching import take
from ..functions.sorting import argsort, searchsorted
from .philox import bits, places_of

__all__ = ["Generator", "default_rng"]


def default_rng(seed=None):
    """Returns a generator; without a seed, with a random one."""
    return Generator(seed)


@dataclass(frozen=True)
class Draw:
    """The n-th draw of a generator, from a distribution."""

    name: str
    seed: int
    number: int
    shape: tuple
    range: Any = None

    def fill(self, xp, inputs, starts, out):
        places = places_of(xp, starts, out.shape, self.shape)
        first, second = bits(xp, places, self.seed, self.number)
        if self.name == "integers":
            out[...] = integers_of(xp, first, second, *self.range).astype(out.dtype)
        elif self.name == "normal":
            # Box and Muller's method: 1 - u is never 0.
            out[...] = xp.sqrt(-2 * xp.log1p(-unit(first))) * xp.cos(2 * np.pi * unit(second))
        else:
            out[...] = (
                -xp.log1p(-unit(first))
                if self.name == "exponential"
                else unit(first)
                if out.dtype.itemsize > 4
                else unit24(first)
            )


def unit(words):
    """Returns floats from 0 to just below 1, from the upper 53 bits."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def unit24(words):
    """Returns the same from the upper 24 bits, which a float32 represents."""
    return (words >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)


def integers_of(xp, first, second, low, span):
    """Returns the remainder of 64 bits, with a bias of at most `span` in 2 to the 64th."""
    values = first % np.uint64(span) if span < 1 << 64 else first
    return (
        values.astype(np.int64) + np.int64(low)
        if low < 0 or low + span <= 1 << 63
        else values + np.uint64(low)
    )


class Generator:
    """A generator that numbers its draws: the same seed and the same draws in the same order make
    the same arrays, whatever their chunks."""

    def __init__(self, seed=None):
        if isinstance(seed, Generator):
            seed = seed.seed
        self.seed = secrets.randbits(64) if seed is None else int(seed) & (2**64 - 1)
        self._draws = itertools.count()

    def __repr__(self):
        return f"<outhaul.random.Generator(Philox 4x32-10) seed {self.seed}>"

    def random(self, size=(), dtype=np.float64, chunks=None):
        """Returns uniform numbers from 0 to just below 1."""
        return self._draw("random", size, dtype, chunks)

    def uniform(self, low=0.0, high=1.0, size=(), chunks=None):
        """Returns uniform numbers from `low` to just below `high`."""
        return self.random(size, chunks=chunks) * (high - low) + low

    def standard_normal(self, size=(), dtype=np.float64, chunks=None):
        """Returns normal numbers with mean 0 and variance 1."""
        return self._draw("normal", size, dtype, chunks)

    def normal(self, loc=0.0, scale=1.0, size=(), chunks=None):
        """Returns normal numbers with mean `loc` and standard deviation `scale`."""
        return self.standard_normal(size, chunks=chunks) * scale + loc

    def exponential(self, scale=1.0, size=(), chunks=None):
        """Returns exponential numbers with mean `scale`."""
        return self._draw("exponential", size, np.float64, chunks) * scale

    def integers(self, low, high=None, size=(), dtype=np.int64, endpoint=False, chunks=None):
        """Returns integers from `low` to just below `high`, or up to it with `endpoint`. With one
        number, starts at 0. Raises ValueError for an empty range."""
        low, high = (0, low) if high is None else (low, high)
        span = high - low + bool(endpoint)
        held = np.iinfo(dtype)
        if span < 1 or low < held.min or low + span - 1 > held.max:
            raise ValueError(
                f"integers: from {low} to {high} there is no number in the range of "
                f"{np.dtype(dtype)}"
            )
        return self._draw("integers", size, dtype, chunks, (int(low), int(span)))

    def lognormal(self, mean=0.0, sigma=1.0, size=(), chunks=None):
        """Returns numbers whose logarithms are normal."""
        return elementwise(np.exp, [self.normal(mean, sigma, size, chunks)])

    def permutation(self, x, axis=0):
        """Returns the numbers up to x, or the elements of x along an axis, in random order. Equal
        keys, of which one of 2**32 is chosen for each element, keep their order."""
        if np.ndim(x) == 0:
            return argsort(self.integers(0, 1 << 32, int(x), dtype=np.uint32))
        x = asarray(x)
        return take(x, self.permutation(x.shape[axis]), axis=axis)

    def shuffle(self, x, axis=0):
        """Puts the elements of x along an axis in random order, in place."""
        x[...] = self.permutation(x, axis)

    def choice(self, a, size=(), replace=True, p=None, axis=0):
        """Returns elements of a, or numbers up to a, chosen at random, with the probabilities p if
        given. Raises ValueError for more elements than there are, without replacement."""
        n = int(a) if np.ndim(a) == 0 else asarray(a).shape[axis]
        size = () if size is None else size
        count = int(np.prod(size))
        if not replace and count > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if replace and p is None:
            places = self.integers(0, n, size)
        elif replace:
            ends = np.cumsum(np.asarray(p, np.float64))
            places = searchsorted(asarray(ends / ends[-1]), self.random(size), side="right")
        else:
            # The least of exponential numbers with these rates, without replacement.
            keys = None if p is None else self.exponential(1.0, n) / np.asarray(p)
            order = self.permutation(n) if p is None else argsort(keys)
            places = order[:count].reshape(size)
        return places if np.ndim(a) == 0 else take(asarray(a), places, axis=axis)

    def _draw(self, name, size, dtype, chunks, range=None):
        size = () if size is None else size
        shape = (int(size),) if np.ndim(size) == 0 else tuple(map(int, size))
        draw = Draw(name, self.seed, next(self._draws), shape, range)
        result = made(draw, shape, dtype, chunks)
        result.is_cell = False
        return result
