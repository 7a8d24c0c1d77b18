"""What an exercise is to be: mistakes, margin, radius and size, read once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..exact.rationals import read_square, read_whole
from ..exact.squares import without_squares
from ..problem.ties import TIES
from ..separation.margins import KINDS_OF_MARGIN

MAX_DIMENSION = 9
"""Features that an exercise may have."""

MAX_MISTAKES = 100_000
"""Mistakes that an exercise may take."""

MAX_ROWS = 200
"""Rows that an exercise may have."""

MAX_DIGITS_OF_MARGIN = 10**9
"""Numerator and denominator of the square of a margin that is worked with, at most."""

MAX_COORDINATE = 10_000
"""The largest coordinate that may be asked for."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What an exercise is to be; None where anything will do."""

    mistakes: int
    dimension: int
    rows: int | None
    margin_squared: Fraction | None
    kind: str
    """Which margin: "lifted" or "geometric"."""
    radius_squared: Fraction | None
    tie: str
    intercept: bool
    order: tuple[int, ...] | None
    """The rows in the order of visits, if they are not visited as they stand."""
    largest: int

    @property
    def width(self) -> int:
        """Number of weights, the intercept counted."""
        return self.dimension + self.intercept

    @property
    def by_class(self) -> bool:
        """Whether the margin is half the distance of the classes, not the distance of the origin from the lifted rows."""
        return self.kind == "geometric" and self.intercept

    @property
    def parts(self) -> int:
        """Number of coordinates of the normal of the planes that make the margin."""
        return self.dimension if self.by_class else self.width

    @cached_property
    def normals(self) -> tuple[int, int, int] | None:
        """What the planes of the nearest rows have to do with the margin asked for; None if that is any, or has many digits.

        Whole rows span planes with a whole normal w, without a common divisor, and a whole offset c (by class, c is that of
        one plane from the other), and ``c^2 / ||w||^2`` is the square of the margin (by class, of twice the margin). Write
        that as ``free root^2 / below``, where no square divides ``free``. Then ``||w||^2 = below free v^2`` and
        ``c = free root v`` for a whole v. Returned are ``free``, ``root`` and ``below``.
        """
        if self.margin_squared is None:
            return None
        square = self.margin_squared * (4 if self.by_class else 1)
        if max(square.numerator, square.denominator) > MAX_DIGITS_OF_MARGIN:
            return None
        free, root = without_squares(square.numerator)
        return free, root, square.denominator

    @property
    def most_squared(self) -> int:
        """No lifted row can be longer than the root of this: the radius asked for, or that of the largest coordinates."""
        longest = self.dimension * self.largest**2 + self.intercept
        return longest if self.radius_squared is None else min(longest, math.floor(self.radius_squared))


def read_request(
    mistakes: Any, *, dimension: Any, rows: Any, margin: Any, margin_squared: Any, kind: Any, radius: Any,
    radius_squared: Any, tie: Any, fit_intercept: Any, order: Any, largest: Any,
) -> Request:  # fmt: skip
    """Read the parameters of `make`, and refuse what they cannot be."""
    k = read_whole(mistakes, "mistakes", 1, MAX_MISTAKES)
    if kind not in KINDS_OF_MARGIN:
        raise ValueError(f"kind must be one of {', '.join(KINDS_OF_MARGIN)}, got {kind!r}.")
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(TIES)}, got {tie!r}.")
    n = None if rows is None else read_whole(rows, "rows", 2, MAX_ROWS)
    visits = _order(order, n)
    return Request(
        mistakes=k,
        dimension=read_whole(dimension, "dimension", 1, MAX_DIMENSION),
        rows=n if visits is None else len(visits),
        margin_squared=read_square(margin, margin_squared, "margin"),
        kind=kind,
        radius_squared=read_square(radius, radius_squared, "radius"),
        tie=tie,
        intercept=bool(fit_intercept),
        order=visits,
        largest=read_whole(largest, "largest", 1, MAX_COORDINATE),
    )


def _order(order: Any, rows: int | None) -> tuple[int, ...] | None:
    if isinstance(order, str):
        if order != "cyclic":
            raise ValueError(f"order must be 'cyclic' or the numbers of all rows in the order of visits, got {order!r}.")
        return None
    if not isinstance(order, Sequence | np.ndarray):
        raise ValueError(f"order must be 'cyclic' or the numbers of all rows in the order of visits, got {order!r}.")
    visits = [read_whole(each, "A row in order", 0, MAX_ROWS - 1) for each in np.asarray(order).tolist()]
    if sorted(visits) != list(range(len(visits))) or len(visits) < 2:
        raise ValueError(f"order must have each of the rows 0, 1, ... once, at least two of them, got {visits}.")
    if rows is not None and rows != len(visits):
        raise ValueError(f"order has {len(visits)} rows, but rows={rows} are asked for.")
    return tuple(visits)
