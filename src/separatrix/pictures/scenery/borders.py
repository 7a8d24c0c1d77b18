"""Borders between the regions of more than two classes, each computed exactly: where two classes lead all others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from ...exact.rounding import nearest, rational_root
from ..scene import Border, View

MOST_CLASSES = 40
"""Borders are drawn for so many classes: more are a thicket, and pairs of them many."""

Vector = Sequence[Fraction]


def borders(view: View, vectors: Sequence[tuple[Vector, Fraction]]) -> tuple[Border, ...]:
    """Return the borders of one or two features, for the weights and the intercept of each class.

    The score is the largest on one side of a border for its first class, on the other for its second.
    """
    units = [Fraction(unit) for unit in view.units]
    scores = [([w * unit for w, unit in zip(weights, units, strict=False)], b) for weights, b in vectors]
    planes = [([*weights, Fraction(0)][:2], b) for weights, b in scores]  # of one feature: across the whole picture
    found = []
    for i, j in combinations(range(len(planes)), 2):
        (w, v), b = _difference(planes[i], planes[j])
        if not w and not v:
            continue
        square = w * w + v * v
        low, high = _where_both_lead(planes, i, (-b * w / square, -b * v / square), (-v, w))
        if low >= high:
            continue
        length = rational_root(square, up=False)
        cut = (nearest(w / length), nearest(v / length), nearest(b / length))
        found.append(Border((i, j), cut, (_times(low, length), _times(high, length))))
    return tuple(found)


def _difference(first: tuple[Vector, Fraction], second: tuple[Vector, Fraction]) -> tuple[list[Fraction], Fraction]:
    return [a - b for a, b in zip(first[0], second[0], strict=True)], first[1] - second[1]


Bound = Fraction | float


def _where_both_lead(
    planes: list[tuple[list[Fraction], Fraction]], i: int, point: Vector, along: Vector
) -> tuple[Bound, Bound]:
    """Return between which multiples of a direction, from a point of the line, no score is above that of class i."""
    low: Bound = -math.inf
    high: Bound = math.inf
    for plane in planes:
        w, b = _difference(planes[i], plane)
        at = sum((x * y for x, y in zip(w, point, strict=True)), b)
        slope = sum((x * y for x, y in zip(w, along, strict=True)), Fraction(0))
        if slope > 0:
            low = max(low, -at / slope)
        elif slope < 0:
            high = min(high, -at / slope)
        elif at < 0:
            return math.inf, -math.inf
    return low, high


def _times(bound: Bound, length: Fraction) -> float:
    return nearest(bound * length) if isinstance(bound, Fraction) else bound
