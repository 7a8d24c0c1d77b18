"""From rows of any number of features to points of a plane, and from hyperplanes to lines.

One feature is drawn along a line, the class beside it; two features are drawn as they are. More are projected: across is
the distance from a hyperplane, up is the direction along the hyperplane in which the rows differ most. So the side of each
row is seen as it is, and nothing else is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.rows import filled_in
from ..problem.wording import column_names
from ..support.blas import one_thread
from ..support.numbers import number_text
from .scene import Line, View

_WIDEST = 512
"""Columns up to which the products of all pairs of them are computed."""

_USUAL = (1e-30, 1e30)
"""Numbers between these are drawn as they are, others as multiples of a power of ten."""


def codes_of(problem: Problem) -> Indices:
    """Return the classes of the rows, as places in ``problem.classes``."""
    if isinstance(problem, Classes):
        return problem.codes
    return (problem.y > 0).astype(np.int64) * (len(problem.classes) - 1)


@dataclass(frozen=True)
class Projection:
    """A plane to draw in. Make one with `Projection.of`."""

    view: View
    origin: Floats
    """The row at (0, 0), in units of the picture."""
    basis: Floats
    """The directions of the axes, of shape (2, d); of one feature the second is zero."""

    @classmethod
    def of(
        cls, problem: Problem, weights: Sequence[Fraction] | None = None, intercept: Fraction = Fraction(0)
    ) -> Projection:
        """Choose the plane: with more than two features, the one of the hyperplane ``weights . x + intercept = 0``.

        Without weights, or if all are zero, it is the one that lies between the means of two classes; and for other numbers
        of classes, or equal means, the plane of the first two principal directions.
        """
        names, d = column_names(problem), problem.d
        if d <= 2:
            units = tuple(unit_for(np.abs(_column(problem.rows.nearest(), j)).max(initial=0.0)) for j in range(d))
            axes = tuple(axis_named(name, unit) for name, unit in zip(names, units, strict=True))
            if d == 2:
                return cls(View("features", (axes[0], axes[1]), (units[0], units[1]), 2), np.zeros(2), np.eye(2))
            first, unit = (axes[0], units[0]) if d else ("no feature", 1.0)
            return cls(View("line", (first, "class"), (unit, 1.0), d), np.zeros(d), np.eye(2, d))
        return cls._oblique(problem, weights, intercept)

    @classmethod
    def _oblique(cls, problem: Problem, weights: Sequence[Fraction] | None, intercept: Fraction) -> Projection:
        rows = problem.rows.nearest()
        unit = unit_for(problem.measures.largest / float(problem.rows.denominator))
        scaled = rows / unit if unit != 1.0 else rows
        mean = _mean(scaled)
        normal, offset = (None, 0.0) if weights is None else _normalised(weights, intercept / Fraction(unit))
        kind, across, up = "weights", "distance from the hyperplane", "principal direction along it"
        note = "across, the distance from the hyperplane, which is true for each row; up, the direction along the hyperplane"
        if normal is None and len(problem.classes) == 2 and not isinstance(problem, Classes):
            normal, offset = _between_means(scaled, problem.y > 0)
            kind, across, up = (
                "means",
                "direction from mean to mean of the classes",
                "orthogonal principal direction",
            )
            note = (
                "across, the direction from the mean of one class to that of the other; up, the direction orthogonal to it"
            )
        if normal is None:
            first = _principal(scaled, mean, [])
            view = View(
                "principal",
                (axis_named("first principal direction", unit), axis_named("second principal direction", unit)),
                (unit, unit),
                problem.d,
                f"{problem.d:,} features are projected to the plane in which the rows differ most; "
                "classes that cross here may be apart in space.",
            )
            return cls(view, mean, np.array([first, _principal(scaled, mean, [first])]))
        along = _principal(scaled, mean, [normal])
        view = View(
            kind,
            (axis_named(across, unit), axis_named(up, unit)),
            (unit, unit),
            problem.d,
            f"{problem.d:,} features are projected: {note} in which the rows differ most.",
        )
        return cls(view, mean - (float(normal @ mean) + offset) * normal, np.array([normal, along]))

    def points(self, rows: Rows, codes: Indices) -> Floats:
        """Return where rows are drawn, of shape (m, 2)."""
        if self.view.dimension <= 2:
            at = np.zeros((rows.shape[0], 2))
            for j in range(self.view.dimension):
                at[:, j] = _column(rows, j) / self.view.units[j]
            if self.view.kind == "line":
                at[:, 1] = codes
            return at
        unit = self.view.units[0]
        scaled = rows / unit if unit != 1.0 else rows
        return np.asarray(scaled @ self.basis.T) - self.origin @ self.basis.T

    def direction(self, vector: Sequence[Fraction] | Floats) -> tuple[float, float]:
        """Return a vector of the space of rows, such as weights, as it is seen in the plane."""
        found = self.basis @ np.array([float(each) for each in vector])
        return float(found[0]), float(found[1])

    def line(
        self,
        name: str,
        weights: Sequence[Fraction],
        intercept: Fraction,
        equation: str = "",
        margin: float | None = None,
    ) -> Line:
        """Return where a hyperplane cuts the plane; the margin is in units of the rows."""
        same = self.view.units[0] == self.view.units[1] or self.view.kind == "line"
        return Line(
            name,
            self._cut(weights, intercept),
            equation,
            margin / self.view.units[0] if margin is not None and same and self._is_upright(weights) else None,
            self._axis_cuts(weights, intercept),
            self._cut_texts(weights, intercept),
            None if margin is None else f"{margin:.6g}",
        )

    def _cut(self, weights: Sequence[Fraction], intercept: Fraction) -> tuple[float, float, float] | None:
        if self.view.dimension <= 2:
            units = [Fraction(unit) for unit in self.view.units]
            normal, offset = _normalised([w * unit for w, unit in zip(weights, units, strict=False)], intercept)
        else:
            normal, offset = _normalised(weights, intercept / Fraction(self.view.units[0]))
        if normal is None or not math.isfinite(offset):
            return None
        a, b = (float(each) for each in self.basis @ normal)
        length = math.hypot(a, b)
        if length < 1e-9:  # it runs along the picture, and nothing is seen of it
            return None
        return a / length, b / length, (offset + float(normal @ self.origin)) / length

    def _is_upright(self, weights: Sequence[Fraction]) -> bool:
        """Whether the normal of a hyperplane lies in the plane: then distances from it are seen as they are."""
        if self.view.dimension <= 2:
            return True
        normal, _ = _normalised(weights, Fraction(0))
        return normal is not None and float(np.hypot(*(self.basis @ normal))) > 1 - 1e-9

    def _axis_cuts(self, weights: Sequence[Fraction], intercept: Fraction) -> tuple[float, ...]:
        """Return where it cuts the axes of one or two features; infinity where it does not."""
        if self.view.dimension > 2:
            return ()
        return tuple(
            _float(-intercept / w / Fraction(unit)) if w else math.inf
            for w, unit in zip(weights, self.view.units, strict=False)
        )

    def _cut_texts(self, weights: Sequence[Fraction], intercept: Fraction) -> tuple[str, ...]:
        return () if self.view.dimension > 2 else tuple(number_text(-intercept / w) if w else "" for w in weights)


def _between_means(rows: Rows, positive: NDArray[np.bool_]) -> tuple[Floats | None, float]:
    """Return the direction from mean to mean of two classes, and minus the place halfway; None if the means are equal."""
    low, high = _mean(rows[~positive]), _mean(rows[positive])
    length = float(np.linalg.norm(high - low))
    if length <= 1e-12 * float(np.abs([low, high]).max()):
        return None, 0.0
    normal = (high - low) / length
    return normal, -float(normal @ (low + high)) / 2


def _mean(rows: Rows) -> Floats:
    mean: Floats = np.asarray(rows.mean(axis=0), np.float64).ravel()
    return mean


def _normalised(weights: Sequence[Fraction], intercept: Fraction) -> tuple[Floats | None, float]:
    """Return weights of length 1, and the intercept that belongs to them; None if all are zero."""
    largest = max((abs(w) for w in weights), default=Fraction(0))
    if not largest:
        return None, 0.0
    normal = np.array([_float(w / largest) for w in weights])
    length = float(np.linalg.norm(normal))
    return normal / length, _float(intercept / largest) / length


def _float(number: Fraction) -> float:
    """Round a fraction, to infinity if it is too large."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


@one_thread
def _principal(rows: Rows, mean: Floats, without: list[Floats]) -> Floats:
    """Return the direction in which rows differ most, among those orthogonal to the given ones, which are orthonormal."""
    n, d = rows.shape
    fixed = np.array(without).reshape(-1, d)
    if d <= _WIDEST:
        centred = (filled_in(rows) - mean) / max(1.0, float(np.abs(mean).max()))
        centred = centred - (centred @ fixed.T) @ fixed
        _, vectors = scipy.linalg.eigh(centred.T @ centred, subset_by_index=[d - 1, d - 1])
        found = vectors[:, 0]
    else:

        def down(v: Floats) -> Floats:
            v = v.ravel() - fixed.T @ (fixed @ v.ravel())
            return np.asarray(rows @ v).ravel() - float(mean @ v)

        def up(s: Floats) -> Floats:
            v = np.asarray(rows.T @ s.ravel()).ravel() - mean * float(s.sum())
            return v - fixed.T @ (fixed @ v)

        seen = scipy.sparse.linalg.LinearOperator((n, d), matvec=down, rmatvec=up, dtype=np.float64)
        start = np.ones(min(n, d))
        try:
            found = (
                scipy.sparse.linalg.svds(seen, k=1, v0=start, return_singular_vectors="vh")[2][0] if n > 1 else np.zeros(d)
            )
        except scipy.sparse.linalg.ArpackError:  # such as rows that are all the same
            found = np.zeros(d)
    found = found - fixed.T @ (fixed @ found)
    if not np.isfinite(found).all() or np.linalg.norm(found) < 1e-6:  # the rows do not differ: any direction will do
        start = np.eye(1, d, int(np.argmin(np.abs(fixed).sum(axis=0))))[0]
        found = start - fixed.T @ (fixed @ start)
    found = found / np.linalg.norm(found)
    return found * (1.0 if found[np.argmax(np.abs(found))] > 0 else -1.0)


def _column(rows: Rows, j: int) -> Floats:
    return filled_in(rows[:, [j]]).ravel()


def unit_for(largest: float) -> float:
    """Return 1, or the power of ten that numbers so large are multiples of."""
    if largest == 0.0 or _USUAL[0] <= largest <= _USUAL[1]:
        return 1.0
    return float(f"1e{max(-307, math.floor(math.log10(largest)))}")


def axis_named(name: str, unit: float) -> str:
    """Return what an axis shows, with its unit if that is not 1."""
    return name if unit == 1.0 else f"{name}, in units of {unit:g}"
