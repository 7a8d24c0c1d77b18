"""Where rows may lie so that margin and radius come out as asked for, and which rows see to it.

The margin is not hoped for but built. The lifted margin is the distance of the origin from the hull of the signed, lifted
rows z. Take a whole vector w and a whole number c with ``c^2 / ||w||^2 = gamma^2``. If all rows have ``w.z >= c``, and the
point ``c w / ||w||^2`` is a convex combination of some that have ``w.z = c``, that point is the nearest one, and the margin
is gamma. A linear program finds the combination. Every margin that whole rows can have comes from some such w and c, as the
nearest point is rational. The geometric margin likewise: w is normal to two planes, ``w.x = c_1`` and ``w.x = c_2``, at the
distance of twice gamma.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from scipy.optimize import linprog

from .._types import Indices
from ..exact.squares import random_vector
from .request import Request

_MAX_POOL = 20_000
"""Rows to choose from, at most; where there are more, those with small coordinates."""

_LARGEST_FACTOR = 12
"""Multiples of the shortest normal that are tried."""

_MANY = 60
"""So many mistakes take rows as near to the hyperplane as there are."""

_LONGEST_NORMAL = 10**9
"""The largest square of the length of a normal that is tried: small rows have none that are longer."""

_Row: TypeAlias = tuple[int, Indices]
"""A label and a point."""

_Drawn: TypeAlias = tuple[Indices, int, int, list[_Row]]
"""A normal, the planes of the negative and the positive class, and rows that must be there."""


@dataclass(frozen=True)
class Placement:
    """Rows to choose from, and those that must be among the chosen."""

    X: Indices
    y: Indices
    core: tuple[int, ...]

    def lifted(self, intercept: bool) -> Indices:
        """Return the signed, lifted rows."""
        Z = np.hstack([self.X, np.ones((len(self.X), int(intercept)), np.int64)])
        return Z * self.y[:, None]


class Placer:
    """Draws placements for a request."""

    def __init__(self, request: Request, rng: np.random.RandomState) -> None:
        self.request, self.rng = request, rng
        d = request.dimension
        longest = math.isqrt(request.most_squared - request.intercept)
        size = min(request.largest, longest)
        while (2 * size + 1) ** d > _MAX_POOL and size > 1:
            size -= 1
        points = np.array(list(itertools.product(range(-size, size + 1), repeat=d)), np.int64)
        squares = np.square(points).sum(axis=1) + request.intercept
        kept = squares <= request.most_squared
        if not request.intercept:
            kept &= squares > 0
        self.points = points[kept]

    def draw(self) -> Placement | None:
        """Draw a placement; None if this draw leads nowhere."""
        request = self.request
        if request.margin_squared is None:
            drawn = self._loose()
        else:
            drawn = self._tight_by_class() if request.by_class else self._tight()
        if drawn is None:
            return None
        w, lower, upper, core = drawn
        return self._placed(w, lower, upper, core)

    def _normal(self) -> tuple[list[int], int] | None:
        """Draw a whole normal and the whole offset that make the margin asked for; see `Request.normals`."""
        if self.request.normals is None:
            return None
        free, root, below = self.request.normals
        factor = 1 + int(self.rng.randint(_LARGEST_FACTOR)) if self.rng.randint(3) else 1
        square = below * free * factor**2
        w = random_vector(square, self.request.parts, self.rng) if square <= _LONGEST_NORMAL else None
        return None if w is None or math.gcd(*w) > 1 else (w, free * root * factor)

    def _loose(self) -> _Drawn | None:
        """Take any hyperplane: rows with ``w.x >= upper`` are positive, those with ``w.x <= lower`` negative."""
        request, rng = self.request, self.rng
        steep = 5 + math.isqrt(request.mistakes) // 4  # the longer the normal, the smaller the margin may be
        w = rng.randint(-steep, steep + 1, size=request.dimension)
        if not w.any():
            return None
        size = int(np.abs(w).sum())
        gap = 1 + (int(rng.randint(size + 1)) ** 2 // (1 + size) if request.mistakes < _MANY else 0)
        if not request.intercept:
            return w, -gap, gap, []
        middle = (0, int(rng.randint(-size, size + 1)), int(rng.choice(self.points @ w)))[rng.randint(3)]
        return w, middle - gap, middle + gap, []

    def _tight(self) -> _Drawn | None:
        """Build the lifted margin: one plane through rows of either class, in the space of lifted rows."""
        drawn = self._normal()
        if drawn is None:
            return None
        w, c = np.array(drawn[0], np.int64), drawn[1]
        normal, last = w[: self.request.dimension], int(w[-1]) if self.request.intercept else 0
        if not normal.any():
            return None
        upper, lower = c - last, -c - last
        scores = self.points @ normal
        on = [(1, self.points[scores == upper]), (-1, self.points[scores == lower])]
        rows = [(label, point) for label, points in on for point in points]
        lifts = [label * np.append(point, [1] * self.request.intercept) for label, point in rows]
        return self._combined(normal, lower, upper, rows, lifts, [Fraction(c * int(v), int(w @ w)) for v in w])

    def _tight_by_class(self) -> _Drawn | None:
        """Build the geometric margin: a plane through rows of each class."""
        drawn = self._normal()
        if drawn is None:
            return None
        w, gap = np.array(drawn[0], np.int64), drawn[1]
        scores = self.points @ w
        lower = int(self.rng.choice(scores))
        upper = lower + gap
        on = [(1, self.points[scores == upper]), (-1, self.points[scores == lower])]
        rows = [(label, point) for label, points in on for point in points]
        lifts = [np.append(label * point, [label > 0, label < 0]) for label, point in rows]
        return self._combined(w, lower, upper, rows, lifts, [*(Fraction(gap * int(v), int(w @ w)) for v in w), 1, 1])

    def _combined(
        self, w: Indices, lower: int, upper: int, rows: list[_Row], lifts: list[Indices], target: list[Fraction | int]
    ) -> _Drawn | None:
        """Choose a few rows of which the target is a combination, at random among the vertices of all such."""
        if not rows:
            return None
        columns = np.array(lifts, float).T
        right = np.array([float(each) for each in target])
        if not self.request.by_class:
            columns, right = np.vstack([columns, np.ones(len(rows))]), np.append(right, 1.0)
        done = linprog(self.rng.random_sample(len(rows)), A_eq=columns, b_eq=right, method="highs-ds")
        if done.status != 0:
            return None
        return w, lower, upper, [rows[i] for i in np.flatnonzero(done.x > 1e-9)]

    def _placed(self, w: Indices, lower: int, upper: int, core: list[_Row]) -> Placement | None:
        """Collect the rows beyond the planes, with the row that has the radius; None if a class has none."""
        request, rng = self.request, self.rng
        scores = self.points @ w
        positive, negative = self.points[scores >= upper], self.points[scores <= lower]
        chosen = [(label, tuple(point.tolist())) for label, point in core]
        if request.radius_squared is not None and not any(_square(x) == self._rest() for _, x in chosen):
            x = random_vector(self._rest(), request.dimension, rng, request.largest)
            score = 0 if x is None else sum(a * int(b) for a, b in zip(x, w, strict=True))
            label = 1 if score >= upper else -1 if score <= lower else 0
            if x is None or not label:
                return None
            chosen.append((label, tuple(x)))
        rows = {(1, *point): None for point in map(tuple, positive.tolist())}
        rows |= {(-1, *point): None for point in map(tuple, negative.tolist())}
        rows |= {(label, *x): None for label, x in chosen}
        places = {row: i for i, row in enumerate(rows)}
        table = np.array(list(rows), np.int64).reshape(len(rows), request.dimension + 1)
        if len(set(table[:, 0].tolist())) < 2:
            return None
        return Placement(table[:, 1:], table[:, 0], tuple(places[(label, *x)] for label, x in chosen))

    def _rest(self) -> int:
        assert self.request.radius_squared is not None
        return int(self.request.radius_squared) - self.request.intercept


def _square(x: tuple[int, ...]) -> int:
    return sum(value * value for value in x)
