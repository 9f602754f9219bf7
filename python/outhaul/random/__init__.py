"""Random arrays under NumPy's names: `default_rng` and its generator, and the older functions."""

from .generator import Generator, default_rng
from .legacy import NAMES as _NAMES
from .legacy import RandomState
from .legacy import shared as _shared

globals().update({name: getattr(_shared, name) for name in _NAMES})
ranf = sample = _shared.random_sample

__all__ = ["Generator", "RandomState", "default_rng", "ranf", "sample", *_NAMES]
