"""NumPy's older random functions: `seed`, `rand`, `randn`, `randint`, `choice` and others, and
`RandomState`. They draw NumPy's own numbers for a seed, on the host, at once; `default_rng` makes
arrays of any size on GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import asarray, evaluated

NAMES = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel"
    " hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal"
    " negative_binomial normal pareto permutation poisson power rand randint randn random"
    " random_integers random_sample rayleigh seed set_state shuffle standard_cauchy"
    " standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises"
    " wald weibull zipf"
).split()


class RandomState:
    """A generator with NumPy's methods of that name and its numbers, as lazy arrays."""

    def __init__(self, seed: Any = None):
        self._state = np.random.RandomState(seed)

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"RandomState has no {name}: there are {', '.join(NAMES)}")
        method = getattr(self._state, name)

        def draw(*arguments, **options):
            known = evaluated([*arguments, *options.values()])
            count = len(arguments)
            made = method(*known[:count], **dict(zip(options, known[count:])))
            return asarray(made) if isinstance(made, np.ndarray) else made

        draw.__name__ = name
        return draw

    def shuffle(self, x: Any) -> None:
        """Changes the order of the first axis, in place."""
        held = x.compute() if isinstance(x, Array) else x
        self._state.shuffle(held)
        if held is not x:
            x[...] = held


shared = RandomState()
"""The generator behind the functions of the module."""
