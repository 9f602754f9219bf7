"""Random arrays under NumPy's names: `default_rng` and its generator."""

from .generator import Generator, default_rng

__all__ = ["Generator", "default_rng"]
