"""Rows as points, class by class: what most pictures begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import style
from ..parts import Truths
from ..scene import Points, View

if TYPE_CHECKING:
    from matplotlib.collections import PathCollection

    from .canvas import Canvas

_MOST_CLASSES_NAMED = 12

_MOST_ON = 40
"""Rows on a hyperplane that are marked: more marks hide the rows."""


def draw_rows(canvas: Canvas, view: View, points: Points) -> list[PathCollection]:
    """Draw rows on the axes of a view, class by class; where several are at one place, the mark is larger."""
    if view.kind == "line":
        canvas.lanes(points.classes)
    canvas.name_axes(*view.axes)
    places, place, counts = np.unique(points.at, axis=0, return_inverse=True, return_counts=True)
    place = place.reshape(-1)
    canvas.dot *= 1.0 if len(places) <= 60 else 0.6 if len(places) <= 300 else 0.35
    drawn = []
    taken = np.zeros(len(places))  # how many at each place are under what is drawn next
    most = 1
    for k, name in enumerate(points.classes):
        here, first, several = np.unique(place[points.code == k], return_index=True, return_counts=True)
        at = points.at[points.code == k][first]
        sizes = canvas.dot * (1.0 + np.log2(np.maximum(several, 1))) * np.where(taken[here] > 0, 0.4, 1.0)
        taken[here] += several
        most = max(most, int(several.max(initial=1)))
        drawn.append(
            canvas.dots(
                at, k, style.cut(name, style.LONGEST_NAME) if k < _MOST_CLASSES_NAMED else None, sizes, zorder=3 + 0.01 * k
            )
        )
    if most > 1:
        canvas.note(f"A larger mark stands for several rows of a class at one place, up to {most:,}.")
    if view.kind != "line" and np.any(counts > taken_by_one_class(place, points.code, len(places))):
        canvas.note("Where rows of several classes are at one place, the marks are one on the other.")
    if len(points.classes) > _MOST_CLASSES_NAMED:
        canvas.note(f"The legend names {_MOST_CLASSES_NAMED} of {len(points.classes):,} classes.")
    return drawn


def taken_by_one_class(place: np.ndarray, code: np.ndarray, places: int) -> np.ndarray:
    """Return for each place how many of its rows are of the class of the first of them."""
    first = np.zeros(places, np.int64)
    first[place[::-1]] = code[::-1]
    return np.bincount(place[code == first[place]], minlength=places)


def ringed(
    canvas: Canvas, points: Points, which: Truths | None, label: str, colour: str, marker: str = "o", wide: float = 3.2
) -> PathCollection | None:
    """Mark some of the rows, if there are any."""
    return canvas.rings(points.at[which], label, colour, marker, wide) if which is not None and which.any() else None


def ringed_on(canvas: Canvas, points: Points) -> PathCollection | None:
    """Mark the rows on the hyperplane; of very many say how many they are."""
    on = 0 if points.on is None else int(np.count_nonzero(points.on))
    if on > _MOST_ON:
        canvas.note(f"{on:,} of the rows that are shown are on the hyperplane.")
        return None
    return ringed(canvas, points, points.on, "on the hyperplane", style.INK, "d", 6.0)
