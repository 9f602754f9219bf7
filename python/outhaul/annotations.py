"""Types of signatures: axes, shapes, chunks and operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import DTypeLike

if TYPE_CHECKING:
    from .array import Array

Axis: TypeAlias = Union[int, tuple[int, ...], None]
"""One axis, several, or all of them."""
Shape: TypeAlias = Union[int, Sequence[int]]
"""Number of elements along each axis, or along the only one."""
Chunks: TypeAlias = Union[int, str, Sequence[Any], None]
"""Number of rows, bytes such as "64 MB", or for each axis one length or all of them."""
Number: TypeAlias = Union[bool, int, float, complex, np.generic]
Operand: TypeAlias = Union["Array", np.ndarray, Number, Sequence[Any]]
"""Value that may be combined with a lazy array."""
Type: TypeAlias = Union[DTypeLike, None]
