"""Fourier transforms: the extension `fft` of the array API standard, 2024.12. cuFFT computes them
on GPUs, and NumPy's pocketfft on the host. A transformed axis is one piece, and other axes are cut
instead. If there are no others, as in an array of one axis, the transform takes two steps (D. H.
Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4 (1990))."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import chunks as grid
from .arrays.array import Array
from .arrays.array_nodes import Together
from .arrays.creation import arange, asarray, made, zeros
from .arrays.elementwise import astype, elementwise
from .arrays.indexing import axis_of
from .arrays.selection import whole_along
from .arrays.type_aliases import Axis, Type
from .functions.shaping import concat, matrix_transpose, moveaxis, roll
from .sizes import counted, format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Transform:
    """One of NumPy's transforms along an axis, to or from `n` elements."""

    name: str
    n: int
    axis: int
    norm: str

    @property
    def key(self):
        return f"{self.name} {self.n} {self.axis} {self.norm}"

    def __call__(self, device, inputs, out):
        transform = getattr(device.xp.fft, self.name)
        out[...] = transform(inputs[0], n=self.n, axis=self.axis, norm=self.norm)

    def advice(self, specs):
        return (
            f"{self.name} takes axis {self.axis} whole, {self.n} elements of {specs[0]},"
            f" {format_bytes(specs[0].nbytes)}: give the runtime GPUs with more memory for"
            " partitions (memory=, or less scratch=), cut other axes, or take a length with"
            " factors, which is transformed in two steps"
        )


def transformed(name, x, n, axis, norm):
    """Returns the lazy result of one of NumPy's transforms along one axis."""
    x = asarray(x)
    x = astype(x, np.float64) if x.dtype.kind in "iub" else x
    if norm not in ("backward", "ortho", "forward", None):
        raise ValueError(f'{name}: norm "{norm}"; there are "backward", "ortho" and "forward"')
    if not x.ndim:
        raise ValueError(f"{name}: an array without axes")
    axis = axis_of(x, axis, name)
    n = operator.index(n if n is not None else own_length(name, x.shape[axis]))
    if n < 1:
        raise ValueError(f"{name}: {n} elements along axis {axis}; give one at least")
    norm = norm or "backward"
    if name in ("fft", "ifft") and goes_in_two_steps(x, axis, n):
        return in_two_steps(name, of_length(x, axis, n), axis, norm)
    x = whole_along(x, (axis,))
    length = out_length(name, n)
    chunks = (*x.chunks[:axis], (length,), *x.chunks[axis + 1 :])
    dtype = getattr(np.fft, name)(np.ones(2, x.dtype), n=2).dtype
    return Array(Together(name, Transform(name, n, axis, norm), (x,)), chunks, dtype)


def own_length(name, length):
    """Returns the default of `n`."""
    return 2 * (length - 1) if name in ("irfft", "hfft") else length


def out_length(name, n):
    """Returns the number of elements of the result along the axis."""
    return n // 2 + 1 if name in ("rfft", "ihfft") else n


def goes_in_two_steps(x, axis, n):
    """Returns whether the axis is cut, and as one piece would make partitions larger than the
    largest."""
    if len(x.chunks[axis]) == 1 or smaller_factor(n) == 1:
        return False
    return grid.largest_part(whole_along(x, (axis,)).chunks) > grid.largest_part(x.chunks)


def smaller_factor(n):
    """Returns the smaller of the two factors of n that are nearest to each other."""
    return next(each for each in range(math.isqrt(n), 0, -1) if n % each == 0)


def of_length(x, axis, n):
    """Returns the array with n elements along an axis: cut, or filled up with zeros."""
    length = x.shape[axis]
    if length >= n:
        return x[(slice(None),) * axis + (slice(0, n),)]
    lengths = grid.axis_lengths(max(1, *x.chunks[axis]), n - length)
    chunks = (*x.chunks[:axis], lengths, *x.chunks[axis + 1 :])
    more = zeros(grid.shape_of(chunks), dtype=x.dtype, chunks=chunks)
    return concat([x, more], axis=axis)


@dataclass(frozen=True)
class Twiddles:
    """exp(-2 pi i j k / n) in row j and column k, or its conjugate. It is computed from jk modulo
    n, so that large products lose no digits."""

    n: int
    sign: int
    name = "twiddles"

    def fill(self, xp, inputs, starts, out):
        rows, columns = (
            xp.arange(start, start + length, dtype=np.int64)
            for start, length in zip(starts, out.shape)
        )
        turns = (rows[:, None] * columns) % self.n / self.n
        out[...] = xp.exp(2j * np.pi * self.sign * turns)


def in_two_steps(name, x, axis, norm):
    """Transforms in two steps. Element j of the axis is at row j // b and column j % b of an a x b
    matrix. The columns are transformed, multiplied by twiddles, then the rows are transformed; the
    result is read by columns."""
    x = moveaxis(x, axis, -1)
    n, elements = x.shape[-1], grid.largest_part(x.chunks)
    a = smaller_factor(n)
    b = n // a
    tiled = x.reshape((*x.shape[:-1], a, b))
    columns = transformed(name, tiled, None, -2, norm)
    sign = -1 if name == "fft" else 1
    chunks = grid.bounded(((a,), (b,)), elements)
    turned = columns * made(Twiddles(n, sign), (a, b), columns.dtype, chunks)
    rows = transformed(name, turned, None, -1, norm)
    return moveaxis(matrix_transpose(rows).reshape(x.shape), -1, axis)


def fft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the transform along an axis, cut or filled with zeros to n elements."""
    return transformed("fft", x, n, axis, norm)


def ifft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the inverse transform along an axis."""
    return transformed("ifft", x, n, axis, norm)


def rfft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the first n // 2 + 1 elements of the transform of real numbers along an axis."""
    return transformed("rfft", x, n, axis, norm)


def irfft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the inverse of `rfft`: n real elements, by default 2 (m - 1) for m elements."""
    return transformed("irfft", x, n, axis, norm)


def hfft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the real transform of an array with Hermitian symmetry, of which x is the first
    half."""
    return transformed("hfft", x, n, axis, norm)


def ihfft(x: Array, /, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """Returns the inverse of `hfft`."""
    return transformed("ihfft", x, n, axis, norm)


def fftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Array:
    """Returns the transform along several axes, by default all, one after another."""
    return along_axes("fft", x, *lengths_and_axes("fftn", x, s, axes), norm)


def ifftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Array:
    """Returns the inverse of `fftn`."""
    return along_axes("ifft", x, *lengths_and_axes("ifftn", x, s, axes), norm)


def rfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Array:
    """Returns the transform of real numbers along several axes, with `rfft` along the last."""
    lengths, axes = lengths_and_axes("rfftn", x, s, axes)
    x = transformed("rfft", x, lengths[-1], axes[-1], norm)
    return along_axes("fft", x, lengths[:-1], axes[:-1], norm)


def irfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Array:
    """Returns the inverse of `rfftn`; `s` has the lengths of the result."""
    lengths, axes = lengths_and_axes("irfftn", x, s, axes)
    x = along_axes("ifft", x, lengths[:-1], axes[:-1], norm)
    return transformed("irfft", x, lengths[-1] if s is not None else None, axes[-1], norm)


def lengths_and_axes(name, x, s, axes):
    """Returns for each transformed axis its length, or None, and the axis."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = [axis_of(x, axis, name) for axis in axes]
    lengths = [None] * len(axes) if s is None else list(s)
    if len(lengths) != len(axes) or not axes:
        raise ValueError(
            f"{name}: {counted(len(lengths), 'length')} for {counted(len(axes), 'axis', 'axes')}"
        )
    return lengths, axes


def along_axes(name, x, lengths, axes, norm):
    """Transforms along axes one after another, beginning with the last."""
    for n, axis in reversed(list(zip(lengths, axes))):
        x = transformed(name, x, n, axis, norm)
    return x


def fft2(
    x: Array,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
) -> Array:
    """Returns the transform along two axes."""
    return fftn(x, s=s, axes=axes, norm=norm)


def ifft2(
    x: Array,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
) -> Array:
    """Returns the inverse transform along two axes."""
    return ifftn(x, s=s, axes=axes, norm=norm)


def rfft2(
    x: Array,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
) -> Array:
    """Returns the transform of real numbers along two axes."""
    return rfftn(x, s=s, axes=axes, norm=norm)


def irfft2(
    x: Array,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
) -> Array:
    """Returns the inverse of `rfft2` along two axes."""
    return irfftn(x, s=s, axes=axes, norm=norm)


def fftfreq(
    n: int, /, d: float = 1.0, *, dtype: Type = None, device: str | None = None, chunks: Any = None
) -> Array:
    """Returns the frequencies of n samples at distances d: from 0 up, then the negative ones."""
    n = operator.index(n)
    places = arange(n, dtype=np.int64, chunks=chunks)
    signed = places - n * (places >= (n + 1) // 2)
    return astype(elementwise(np.divide, [signed, n * d]), dtype or np.float64)


def rfftfreq(
    n: int, /, d: float = 1.0, *, dtype: Type = None, device: str | None = None, chunks: Any = None
) -> Array:
    """Returns the frequencies of the result of `rfft` for n samples at distances d."""
    places = arange(operator.index(n) // 2 + 1, dtype=np.int64, chunks=chunks)
    return astype(elementwise(np.divide, [places, n * d]), dtype or np.float64)


def fftshift(x: Array, /, *, axes: Axis = None) -> Array:
    """Moves frequency 0 to the middle of the axes, by default of all."""
    return shifted(x, axes, lambda n: n // 2)


def ifftshift(x: Array, /, *, axes: Axis = None) -> Array:
    """Returns the inverse of `fftshift`."""
    return shifted(x, axes, lambda n: -(n // 2))


def shifted(x, axes, by):
    """Rolls each axis by a number that `by` returns for its length."""
    x = asarray(x)
    axes = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
    axes = tuple(axis_of(x, axis, "fftshift") for axis in axes)
    return roll(x, tuple(by(x.shape[axis]) for axis in axes), axis=axes)
