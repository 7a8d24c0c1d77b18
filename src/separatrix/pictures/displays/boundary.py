"""Rows, and the hyperplanes between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import style
from ..making import scene
from ..scene import Points
from .display import Display

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

    from .canvas import Canvas


class BoundaryDisplay(Display):
    """Rows, hyperplanes, the band of the margin, and where the axes are cut.

    Attributes
    ----------
    points_ : list of PathCollection
        The points, class by class.
    lines_ : list of Line2D
        The hyperplanes.
    bands_ : list of tuple of artists
        The bands of margins: filled, and the edges.
    wrong_, support_ : PathCollection or None
        Rings around the rows that are wrong, and around those that hold the margin.
    """

    picture = "boundary"

    points_: list[PathCollection]
    lines_: list[Line2D]
    bands_: list[tuple[Artist, ...]]
    wrong_: PathCollection | None
    support_: PathCollection | None

    def _draw(self, canvas: Canvas) -> None:
        view, points = self.scene.require("view", self.picture), self.scene.require("points", self.picture)
        canvas.frame(points.at, equal=view.kind != "line")
        canvas.name_axes(*view.axes)
        self.points_ = draw_points(canvas, points)
        self.lines_, self.bands_ = [], []
        for k, line in enumerate(self.scene.lines):
            if line.cut is None:
                canvas.note(f"{line.name} does not cut the plane of the picture.")
                continue
            drawn = canvas.line(line.cut, f"{line.name}: {line.equation}", ls=style.line(k))
            if drawn is not None:
                self.lines_.append(drawn)
            if line.margin is not None and line.margin > 0:
                self.bands_.append(canvas.band(line.cut, line.margin))
        self.support_ = _ringed(canvas, points, points.support, "holds the margin", style.INK)
        self.wrong_ = _ringed(canvas, points, points.wrong, "wrong", style.WRONG)
        canvas.note(view.note, points.note)


def draw_points(canvas: Canvas, points: Points) -> list[PathCollection]:
    """Draw rows, class by class."""
    return [canvas.dots(points.at[points.code == k], k, each) for k, each in enumerate(points.classes)]


def _ringed(canvas: Canvas, points: Points, which: Any, label: str, colour: str) -> PathCollection | None:
    return canvas.rings(points.at[which], label, colour) if which is not None and np.any(which) else None


def boundary(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> BoundaryDisplay:
    """Draw rows and the hyperplanes between them.

    Parameters
    ----------
    answer : Verdict, Margin, Disagreement, fitted classifier, or Scene
        What to show.
    X, y : rows and labels, or `Data` in place of X
        The rows that a classifier is shown with.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    BoundaryDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.boundary(sx.Perceptron().fit(X, y), X, y)
    >>> len(drawn.lines_)
    1
    """
    return BoundaryDisplay.from_scene(scene(answer, X, y), ax=ax)
