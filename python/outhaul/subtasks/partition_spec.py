"""The known properties of a partition before it exists: shape and dtype, and so its bytes."""

import functools
from dataclasses import dataclass
from math import prod

import numpy as np


def native(dtype):
    """Returns the type of the same numbers in this machine's order of bytes, the only one that GPUs
    have."""
    dtype = np.dtype(dtype)
    return dtype if dtype.isnative else dtype.newbyteorder("=")


@dataclass(frozen=True)
class Spec:
    """The shape and native dtype of a partition. Raises TypeError for Python objects."""

    shape: tuple
    dtype: np.dtype

    def __post_init__(self):
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))
        object.__setattr__(self, "dtype", native(self.dtype))
        if self.dtype.hasobject:
            raise TypeError(f"{self.dtype} has Python objects, which a GPU cannot store")

    @property
    def nbytes(self):
        return prod(self.shape) * self.dtype.itemsize

    def __str__(self):
        return text_of(self.dtype, self.shape)


@functools.lru_cache(maxsize=1024)
def text_of(dtype, shape):
    """Returns a type's name. Cached, because NumPy needs microseconds to name a type."""
    return f"{dtype}{list(shape)}"
