"""Lines and boxes of a plane: which part of a line is seen, and how large a picture must be."""

from __future__ import annotations

import math

import numpy as np

from ..._types import Floats

Cut = tuple[float, float, float]
"""The numbers a, b, c of a line ``a u + b v + c = 0``."""

Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""

_BEYOND = 20.0
"""How far lines go on beyond the picture, in its sizes: axes of equal scales may show more than was asked for."""


def wider(box: Box) -> Box:
    """Return a box that reaches far beyond another."""
    left, right, bottom, top = box
    dx, dy = _BEYOND * (right - left), _BEYOND * (top - bottom)
    return left - dx, right + dx, bottom - dy, top + dy


def segment(cut: Cut, box: Box) -> Floats | None:
    """Return the ends of the part of the line ``a u + b v + c = 0`` that lies in a box; None if it does not meet it.

    >>> segment((1.0, 0.0, -0.5), (0.0, 1.0, 0.0, 2.0))
    array([[0.5, 0. ],
           [0.5, 2. ]])
    """
    a, b, c = cut
    left, right, bottom, top = box
    if not all(map(math.isfinite, cut)):
        return None
    if abs(b) * (right - left) > abs(a) * (top - bottom):  # closer to level, as the box sees it
        ends = np.array([[u, -(a * u + c) / b] for u in (left, right)])
        ends = _between(ends, 1, bottom, top)
    else:
        ends = np.array([[-(b * v + c) / a, v] for v in (bottom, top)])
        ends = _between(ends, 0, left, right)
    return None if ends.shape != (2, 2) else ends


def _between(ends: Floats, axis: int, low: float, high: float) -> Floats:
    """Cut a segment so that a coordinate is between limits; nothing is left if none of it is."""
    (start, end), values = ends, ends[:, axis]
    change = values[1] - values[0]
    if not change:
        return ends if low <= values[0] <= high else np.empty((0, 2))
    first, last = sorted(((low - values[0]) / change, (high - values[0]) / change))
    first, last = max(first, 0.0), min(last, 1.0)
    return np.array([start + t * (end - start) for t in (first, last)]) if first < last else np.empty((0, 2))


def around(points: Floats, room: float) -> Box:
    """Return a box around points, with some room: a share of their range."""
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.ones(2))
    span = high - low
    if not span.any():  # one place: as much room as its numbers are large
        span = np.full(2, max(float(np.abs(high).max()), 1.0))
    span = np.where(span > 0, span, span.max())
    left, right = low - room * span, high + room * span
    for j in np.flatnonzero(high == low):  # in the middle
        left[j], right[j] = low[j] - span[j] / 2, low[j] + span[j] / 2
    return float(left[0]), float(right[0]), float(left[1]), float(right[1])


def near(cut: Cut, box: Box) -> bool:
    """Whether a line meets a box, or passes beside it at no more than its size."""
    left, right, bottom, top = box
    dx, dy = right - left, top - bottom
    return segment(cut, (left - dx, right + dx, bottom - dy, top + dy)) is not None


def closest(cut: Cut, box: Box) -> Floats:
    """Return the point of a line that is next to the middle of a box, as the box sees it."""
    left, right, bottom, top = box
    sizes = np.array([right - left, top - bottom])
    middle = np.array([left + right, bottom + top]) / 2
    normal = np.array(cut[:2]) * sizes
    return np.asarray(middle - (float(np.dot(cut[:2], middle)) + cut[2]) * sizes * normal / float(normal @ normal))
