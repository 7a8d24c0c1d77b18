"""Rows that share their fate: equal in point and label, they are all right or all wrong, whatever the hyperplane.

What a search for the fewest errors works on: groups with whole costs, and their points in coordinates in which they are
spread evenly in all directions, for floating point to propose in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..problem.duplicates import labelled_points_of
from ..problem.problem import Problem
from ..problem.rows import filled_in
from ..problem.scaled import MAX_DENSE_COLUMNS, ScaledRows

MAX_POINT_ENTRIES = 100_000_000
"""Entries of the dense matrix of points up to which floating point proposes."""

_LARGEST_PLAIN_COST = 2**20
"""Costs below this are their own float64; if there are larger ones, all are scaled."""

_MAX_PRECISE_ENTRIES = 1_000_000
"""Entries of the points up to which their coordinates are found in extended precision, which no library is fast in."""

_MAX_PRECISE_COLUMNS = 300
"""Columns of the points up to which their coordinates are found in extended precision."""

_ENTRIES_PER_PART = 1_000_000
"""Entries of the points that are put into other coordinates at a time, where that is not in extended precision."""

_PRODUCTS_PER_SECOND = 3e9
"""Products that a matrix product adds up in a second, about."""

_LEAST_SPREAD = 1e-13
"""Axes along which points are spread less than this, over the longest, are left out."""

_LEAST_COARSE_SPREAD = 1e-6
"""Axes are left out likewise where they are found without extended precision."""


@dataclass(frozen=True, kw_only=True)
class Groups:
    """The groups of a problem's rows that cost something."""

    problem: Problem
    of_rows: NDArray[np.int64]
    """The group of each row; -1 if its group costs nothing."""
    first: NDArray[np.int64]
    """A row of each group."""
    places: NDArray[np.int64]
    """The number of each group's point: two groups with the same one contradict each other."""
    costs: list[int]
    """What it costs to err on each group, in units."""
    unit: Fraction

    @classmethod
    def of(cls, problem: Problem, weights: Floats | None) -> Groups:
        """Find the groups; rows cost their weights, or 1."""
        keys, first, members = np.unique(labelled_points_of(problem), return_index=True, return_inverse=True)
        members = members.ravel()
        if weights is None:
            costs = np.bincount(members).tolist()
            return cls(problem=problem, of_rows=members, first=first, places=keys // 2, costs=costs, unit=Fraction(1))
        exact = Dyadic.from_parts(weights)
        costs = [0] * len(first)
        for g, cost in zip(members.tolist(), exact.integers, strict=True):
            costs[g] += cost
        held = np.array([cost > 0 for cost in costs])
        places = np.where(held, np.cumsum(held) - 1, -1)
        divisor = math.gcd(*exact.integers) or 1  # of the rows, as the checkers take it, not of the groups
        unit = divisor * Fraction(2) ** exact.exponent
        whole = [cost // divisor for cost in costs if cost]
        return cls(
            problem=problem,
            of_rows=places[members],
            first=first[held],
            places=keys[held] // 2,
            costs=whole,
            unit=unit,
        )

    @property
    def total(self) -> int:
        """The cost of erring on all."""
        return sum(self.costs)

    def text(self, cost: int) -> str:
        """Write a cost that is given in units."""
        exact = cost * self.unit
        return f"{float(exact):.6g}" if exact.denominator > 1 and exact < 2**1000 else str(exact)

    def errors(self, wrong: NDArray[np.bool_]) -> int:
        """Return the cost of some groups, exactly."""
        return sum(self.costs[g] for g in np.flatnonzero(wrong).tolist())

    @cached_property
    def weighed(self) -> Floats:
        """The costs as float64, in multiples of `factor` units."""
        return np.array([cost / self.factor for cost in self.costs])  # Python's quotients of integers are rounded once

    @cached_property
    def factor(self) -> int:
        """1 if the costs are short, as counts are; else the largest of them."""
        largest = max(self.costs, default=1)
        return 1 if largest < _LARGEST_PLAIN_COST else largest

    @property
    def tractable(self) -> bool:
        """Whether the points are few enough for floating point, and not all 0."""
        few = len(self.first) * (self.problem.d + 1) <= MAX_POINT_ENTRIES and self.problem.d < MAX_DENSE_COLUMNS
        return few and (self.problem.intercept or bool(abs(self.problem.X[self.first]).max() > 0.0))

    @property
    def seconds_for_points(self) -> float:
        """About how many seconds it takes to find the coordinates of the points, which cannot be interrupted."""
        return 4.0 * len(self.first) * self.problem.width**2 / _PRODUCTS_PER_SECOND

    @cached_property
    def _scaled(self) -> ScaledRows:
        return ScaledRows(self.problem)

    @cached_property
    def _coordinates(self) -> NDArray[Any]:
        """The columns of the points, scaled, in which `points` are given: as many as the points span, evenly spread.

        A second round puts right what the first one, in float64, left uneven.
        """
        M: NDArray[Any] | None = None
        for _ in range(2):
            if self._precise:
                spread, directions = _axes(next(self._in(M)))
            else:
                size = self._scaled.width if M is None else M.shape[1]
                spread, directions = _coarse_axes(sum((W.T @ W for W in self._in(M)), np.zeros((size, size))))
            change = directions / spread * np.sqrt(len(self.first))
            M = change.astype(np.longdouble if self._precise else np.float64) if M is None else M @ change
        assert M is not None
        return M

    @property
    def _precise(self) -> bool:
        return self._scaled.width <= _MAX_PRECISE_COLUMNS and len(self.first) * self._scaled.width <= _MAX_PRECISE_ENTRIES

    def _in(self, M: NDArray[Any] | None) -> Iterator[Floats]:
        """Yield the points in coordinates: all at once, in extended precision, or in parts, lest copies fill the memory."""
        step = len(self.first) if self._precise else max(1, _ENTRIES_PER_PART // self._scaled.width)
        for start in range(0, len(self.first), step):
            Z = filled_in(self._scaled.take(self.first[start : start + step]))
            if M is None:
                yield Z
            else:
                yield (Z.astype(M.dtype) @ M).astype(np.float64)

    @property
    def points(self) -> Floats:
        """The signed, lifted point of each group in these coordinates."""
        return self.columns[:, :-1]

    @cached_property
    def columns(self) -> Floats:
        """The same with a last column of ones."""
        M = self._coordinates
        columns = np.ones((len(self.first), M.shape[1] + 1))
        start = 0
        for W in self._in(M):
            columns[start : start + len(W), :-1] = W
            start += len(W)
        return columns

    def coordinates_of(self, weights: Dyadic) -> Floats:
        """Return exact weights of the rows in the coordinates of `points`, as nearly as floats can."""
        scaled = weights.times_powers(-self._scaled.exponents)
        w = scaled.times_power(-scaled.magnitude()).round() if scaled else np.zeros(self._scaled.width)
        found: Floats = np.linalg.lstsq(self._coordinates.astype(np.float64), w, rcond=None)[0].astype(np.float64)
        return found

    def exact(self, w: Floats) -> Dyadic:
        """Return weights in the coordinates of `points` as exact ones of the rows."""
        long = self._coordinates @ w.astype(np.longdouble)
        high = long.astype(np.float64)
        return self._scaled.exact(np.stack([high, (long - high).astype(np.float64)]))


def _axes(W: Floats) -> tuple[Floats, Floats]:
    """Return how far points are spread along their principal axes, and these, but for axes along which they are not."""
    _, spread, across = np.linalg.svd(np.linalg.qr(W, mode="r") if len(W) > W.shape[1] else W, full_matrices=False)
    kept = spread > _LEAST_SPREAD * spread[0]
    return spread[kept], across[kept].T


def _coarse_axes(gram: Floats) -> tuple[Floats, Floats]:
    """Return the same from the products of the columns, which know nothing of short axes."""
    squares, directions = np.linalg.eigh(gram)
    kept = squares > _LEAST_COARSE_SPREAD**2 * squares[-1]
    return np.sqrt(squares[kept]), directions[:, kept]
