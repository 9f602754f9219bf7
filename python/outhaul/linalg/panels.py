"""Factors one matrix that is cut into panels of whole columns, panel by panel. A finished panel
updates those to its right, so a GPU needs only two panels at a time. The methods are Householder's
reflectors (QR, also for solving) and Cholesky.

Q of a panel is 1 - V T V*, with the reflectors V below the diagonal. The inverse of T has the
elements of V*V above its diagonal, and 1/tau on it: C. Puglisi, Modification of the Householder
method based on the compact WY representation, SIAM J. Sci. Stat. Comput. 13 (1992)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from .. import chunks as grid
from ..arrays.array import Array
from ..arrays.array_nodes import Node, specs_of
from ..subtasks.subtask_functions import raising

PANELS_MAX = 256
"""Maximum number of panels of a matrix: the number of subtasks grows with its square."""


def in_panels(x):
    """Returns the matrix in panels as large as its largest partition, or larger if there would be
    too many."""
    rows, columns = x.shape
    width = max(1, grid.largest_part(x.chunks) // max(1, rows), -(-columns // PANELS_MAX))
    return x.rechunk(((rows,), grid.axis_lengths(width, columns)))


def starts_of(x):
    """Returns the first column of each panel."""
    return [0, *itertools.accumulate(x.chunks[1])][:-1]


@dataclass(frozen=True, eq=False)
class Factored(Node):
    """Panels after their own step `factor(start)`. Before it, each panel had `update(first, start)`
    with every panel to its left. Columns beyond `rows` are neither factored nor used for
    updates."""

    name: str
    array: Any
    factor: Any
    update: Any

    def expand(self, flow, array):
        panels, given, made = flow.expand(self.array), specs_of(self.array), specs_of(array)
        rows, starts, label = self.array.shape[0], starts_of(self.array), flow.label(self.name)
        panels, factors = list(panels), []
        for s, start in enumerate(starts):
            factors.append(flow.subtask(f"{label}[{s}]", self.factor(start), [panels[s]], made[s]))
            for j in range(s + 1, len(panels) if start < rows else 0):
                panels[j] = flow.subtask(
                    f"{label}[{s},{j}]",
                    self.update(start, starts[j]),
                    [factors[s], panels[j]],
                    given[j],
                )
        return factors


@dataclass(frozen=True, eq=False)
class Swept(Node):
    """Panels of another matrix after `step(start)` with each panel of the factors, first to last,
    or `backward`. If that matrix `begins` like the identity, steps that cannot reach a panel's
    columns are left out."""

    name: str
    factors: Any
    array: Any
    step: Any
    rows: int
    backward: bool
    begins: bool = False

    def expand(self, flow, array):
        factors, panels, specs = (
            flow.expand(self.factors),
            flow.expand(self.array),
            specs_of(array),
        )
        starts, label = starts_of(self.factors), flow.label(self.name)
        order = [s for s, start in enumerate(starts) if start < self.rows]
        ends = itertools.accumulate(self.array.chunks[1])
        out = []
        for j, (panel, spec, end) in enumerate(zip(panels, specs, ends)):
            for s in reversed(order) if self.backward else order:
                if not self.begins or starts[s] < end:
                    panel = flow.subtask(
                        f"{label}[{s},{j}]", self.step(starts[s]), [factors[s], panel], spec
                    )
            out.append(panel)
        return out


def compact(xp, factor, start, rows):
    """Returns V and T of a factored panel."""
    k = min(rows - start, factor.shape[1])
    v = xp.tril(factor[start:rows, :k], -1)
    v[xp.arange(k), xp.arange(k)] = 1
    return v, factor[rows : rows + k, :k]


@dataclass(frozen=True)
class Reflectors:
    """Factors a panel whose diagonal begins in row `start`. The result has R down to that diagonal,
    the reflectors below it, and T in additional rows."""

    start: int

    key = "qr panel"

    def __call__(self, device, inputs, out):
        xp, [panel] = device.xp, inputs
        rows = len(panel)
        out[:rows], out[rows:] = panel, 0
        if self.start >= rows:
            return
        with raising(device):
            reflectors, tau = xp.linalg.qr(panel[self.start :], mode="raw")
        out[self.start : rows] = reflectors.T
        v, t = compact(xp, out, self.start, rows)
        # If tau is 0, nothing is reflected, whatever V contains.
        none = tau == 0
        v[:, none] = 0
        squares = xp.matmul(v.conj().T, v)
        inverse = xp.triu(squares, 1) + xp.diag(1 / xp.where(none, 1, tau))
        t[...] = xp.linalg.inv(inverse) - xp.diag(none.astype(out.dtype))


@dataclass(frozen=True)
class Reflect:
    """Multiplies another panel by Q of a factored panel, or by its adjoint."""

    start: int
    is_adjoint: bool

    key = "reflect"

    def __call__(self, device, inputs, out):
        factor, panel = inputs
        product = device.xp.matmul
        v, t = compact(device.xp, factor, self.start, len(panel))
        t = t.conj().T if self.is_adjoint else t
        out[...] = panel
        out[self.start :] -= product(v, product(t, product(v.conj().T, panel[self.start :])))


@dataclass(frozen=True)
class SolveUpper:
    """Replaces rows of the right side by rows of the solution, and subtracts their contribution
    from the rows above."""

    start: int

    key = "solve panel"

    def __call__(self, device, inputs, out):
        xp, (factor, panel) = device.xp, inputs
        rows = slice(self.start, self.start + factor.shape[1])
        with raising(device):
            solved = xp.linalg.solve(xp.triu(factor[rows]), panel[rows])
        out[...] = panel
        out[rows] = solved
        if self.start:
            out[: self.start] -= xp.matmul(factor[: self.start], solved)


@dataclass(frozen=True)
class Lower:
    """A panel of Cholesky's factor, whose diagonal begins in row `start`."""

    start: int

    key = "cholesky panel"

    def __call__(self, device, inputs, out):
        xp, [panel] = device.xp, inputs
        end = self.start + panel.shape[1]
        with raising(device):
            square = xp.linalg.cholesky(panel[self.start : end])
            out[: self.start], out[self.start : end] = 0, square
            if end < len(panel):
                out[end:] = xp.linalg.solve(square, panel[end:].conj().T).conj().T


@dataclass(frozen=True)
class TakeAway:
    """Subtracts from a panel, whose diagonal begins in row `start`, the contribution of a panel of
    the factor to its left."""

    start: int

    key = "cholesky update"

    def __call__(self, device, inputs, out):
        factor, panel = inputs
        own = factor[self.start : self.start + panel.shape[1]]
        out[...] = panel
        out[self.start :] -= device.xp.matmul(factor[self.start :], own.conj().T)


def reflectors(x):
    """Returns the panels of a matrix after QR; see Reflectors."""
    x = in_panels(x)
    rows = x.shape[0] + max(x.chunks[1])
    update = lambda first, start: Reflect(first, True)
    return Array(Factored("qr", x, Reflectors, update), ((rows,), x.chunks[1]), x.dtype)


def reflected(factors, x, rows, *, is_adjoint, begins=False):
    """Returns Q or its adjoint times a matrix that is cut into panels."""
    x = in_panels(x)
    step = lambda start: Reflect(start, is_adjoint)
    node = Swept("reflect", factors, x, step, rows, not is_adjoint, begins)
    return Array(node, x.chunks, x.dtype)


def solved_upper(factors, x, rows):
    """Returns the solution y of R y = x."""
    x = in_panels(x)
    return Array(Swept("solve", factors, x, SolveUpper, rows, True), x.chunks, x.dtype)


def lower(x):
    """Returns Cholesky's factor."""
    x = in_panels(x)
    update = lambda first, start: TakeAway(start)
    return Array(Factored("cholesky", x, Lower, update), x.chunks, x.dtype)


@dataclass(frozen=True)
class Determinant:
    """Sign and logarithm of a factored panel's contribution to the determinant: its part of R's
    diagonal and, for each reflector, -1, or 1 - tau |v|^2 for complex numbers."""

    start: int
    rows: int

    key = "determinant"

    def __call__(self, device, inputs, out):
        xp, [factor] = device.xp, inputs
        k = factor.shape[1]
        v, t = compact(xp, factor, self.start, self.rows)
        diagonal = xp.diagonal(factor[self.start : self.start + k])
        turned = 1 - xp.diagonal(t) * (xp.abs(v) ** 2).sum(axis=0)
        size = xp.abs(diagonal)
        is_zero = size == 0
        sign = xp.where(is_zero, 0, diagonal / xp.where(is_zero, 1, size)) * turned / xp.abs(turned)
        out[0, 0] = xp.prod(sign)
        out[0, 1] = xp.where(is_zero, -xp.inf, xp.log(xp.where(is_zero, 1, size))).sum()


@dataclass(frozen=True, eq=False)
class Determinants(Node):
    """Applies Determinant to each panel."""

    factors: Any
    rows: int

    def expand(self, flow, array):
        label = flow.label("det")
        placed = zip(starts_of(self.factors), flow.expand(self.factors), specs_of(array))
        return [
            flow.subtask(f"{label}[{s}]", Determinant(start, self.rows), [panel], spec)
            for s, (start, panel, spec) in enumerate(placed)
        ]
