"""Types of signatures: axes, shapes, chunks, numbers and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import DTypeLike

Axis: TypeAlias = Union[int, tuple[int, ...], None]
"""One axis, several, or all of them."""
Shape: TypeAlias = Union[int, Sequence[int]]
"""Number of elements along each axis, or along the only one."""
Chunks: TypeAlias = Union[int, str, Sequence[Any], None]
"""Number of rows, bytes such as "64 MB", or for each axis one length or all of them."""
Number: TypeAlias = Union[bool, int, float, complex, np.generic]
Type: TypeAlias = Union[DTypeLike, None]
