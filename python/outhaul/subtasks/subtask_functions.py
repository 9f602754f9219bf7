"""Functions that subtasks apply to their partitions: the user's function, and the code around it
(halos, combining, products, merging). Each takes the device's arrays, fills the output, and does
not wait. Memory and streams are deliberately absent: the device has them."""

import contextlib
import functools
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .partition_spec import native


def name_of(function):
    """Returns the name for labels that a reader of the program would use."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "function" if name == "<lambda>" else name


def key_of(function):
    """Returns equal keys for equal functions, also in the next process: costs are kept by them."""
    function = getattr(function, "py_func", function)
    code = getattr(function, "__code__", None)
    text = code_text(code) if code else getattr(function, "key", name_of(function))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{getattr(function, '__module__', '')}.{name_of(function)}#{digest}"


def code_text(code):
    """Returns a text of the code and of functions inside it, without their addresses."""
    consts = [code_text(each) if hasattr(each, "co_code") else each for each in code.co_consts]
    return repr((code.co_code, consts, code.co_names))


class WrongResult(TypeError):
    """A function returned something other than its declaration says."""


class ChangedArgument(TypeError):
    """A function wrote into a partition that it may only read."""


def fill(device, result, out):
    """Copies a function's result into the partition that was declared for it. Raises WrongResult if
    it does not fit."""
    result = device.array(result)
    if result.shape != out.shape or native(result.dtype) != out.dtype:
        raise WrongResult(
            f"returned {result.dtype}{list(result.shape)} where {out.dtype}{list(out.shape)} was "
            f"declared; say shape= and dtype= where the result is declared, or return that"
        )
    out[...] = result


@contextlib.contextmanager
def raising(device):
    """Makes a GPU's linear algebra raise LinAlgError as NumPy's does, instead of continuing with
    NaNs."""
    if device.xp is np:
        yield
        return
    import cupyx

    with cupyx.errstate(linalg="raise"):
        yield


@dataclass(frozen=True)
class Apply:
    """Applies f(*partitions)."""

    f: Any

    @property
    def key(self):
        return key_of(self.f)

    def __call__(self, device, inputs, out):
        if hasattr(self.f, "launch"):
            self.f.launch(device, inputs, out)
        else:
            fill(device, self.f(*inputs), out)


@dataclass(frozen=True)
class Overlap:
    """Applies f(partition with `depth` rows of its neighbours along `axis`). f returns the
    partition's own shape, or the larger one, which is trimmed; a kernel writes the partition's
    own."""

    f: Any
    depth: int
    axis: int
    boundary: Any
    before: bool
    after: bool

    @property
    def key(self):
        return f"overlap {key_of(self.f)} {self.depth} {self.axis} {self.before} {self.after}"

    def __call__(self, device, inputs, out):
        middle = inputs[1] if self.before else inputs[0]
        low = (
            self.rows(inputs[0], -self.depth, None) if self.before else self.edge(device, middle, 0)
        )
        high = self.rows(inputs[-1], 0, self.depth) if self.after else self.edge(device, middle, -1)
        pieces = [piece for piece in (low, middle, high) if piece is not None]
        wide = device.xp.concatenate(pieces, axis=self.axis)
        if hasattr(self.f, "launch"):
            self.f.launch(device, [wide], out)
            return
        result = device.array(self.f(wide))
        if result.shape not in (out.shape, wide.shape):
            raise WrongResult(
                f"returned {list(result.shape)}; a function of map_overlap returns its partition's "
                f"shape, {list(out.shape)}, or its argument's, {list(wide.shape)}"
            )
        if result.shape != out.shape:
            start = 0 if low is None else self.depth
            result = self.rows(result, start, start + out.shape[self.axis])
        fill(device, result, out)

    def rows(self, array, start, stop):
        return array[(slice(None),) * self.axis + (slice(start, stop),)]

    def edge(self, device, middle, end):
        """Returns the rows beyond the array: its last row again, its mirror image, a number, or
        none."""
        if self.boundary is None:
            return None
        if self.boundary == "nearest":
            row = self.rows(middle, 0, 1) if end == 0 else self.rows(middle, -1, None)
            return device.xp.concatenate([row] * self.depth, axis=self.axis)
        if self.boundary == "reflect":
            rows = (
                self.rows(middle, 0, self.depth)
                if end == 0
                else self.rows(middle, -self.depth, None)
            )
            return device.xp.flip(rows, axis=self.axis)
        shape = list(middle.shape)
        shape[self.axis] = self.depth
        return device.xp.full(shape, self.boundary, dtype=middle.dtype)


@dataclass(frozen=True)
class Combine:
    """One step of a reduction: f(f(a, b), c)..."""

    f: Any

    @property
    def key(self):
        return f"combine {key_of(self.f)}"

    def __call__(self, device, inputs, out):
        fill(device, functools.reduce(self.f, inputs), out)


@dataclass(frozen=True)
class MultiplyAdd:
    """Adds a @ b to the previous sum, if there is one."""

    key = "matmul"

    def __call__(self, device, inputs, out):
        a, b, *sums = inputs
        product = device.xp.matmul(a, b)
        out[...] = product + sums[0] if sums else product


@dataclass(frozen=True)
class SortOne:
    """Sorts, with NaNs last, whatever their sign. GPUs sort a negative NaN before all numbers, so
    it gets the sign of NumPy's NaN."""

    key = "sort"

    def __call__(self, device, inputs, out):
        out[...] = inputs[0]
        if out.dtype.kind == "f" and device.xp is not np:
            device.xp.copyto(out, out.dtype.type(np.nan), where=device.xp.isnan(out))
        out.sort()


@dataclass(frozen=True)
class Merge:
    """Merges sorted runs into one."""

    key = "merge"

    def __call__(self, device, inputs, out):
        if inputs:
            device.xp.concatenate(inputs, out=out)
            out.sort()
