"""Rows, and the hyperplanes between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import style
from ..making import scene
from ..scene import Line, View
from .display import Display
from .rows import draw_rows, ringed, ringed_on

if TYPE_CHECKING:
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
        The hyperplanes that are seen.
    bands_ : list of tuple of artists
        The bands of margins: what is filled, and its two edges.
    borders_ : list of Line2D
        The borders between the regions of more than two classes.
    cuts_ : PathCollection or None
        Where the first hyperplane cuts the axes, of two features.
    wrong_, support_, on_ : PathCollection or None
        Marks around the rows that are wrong, those that hold the margin, and those on the hyperplane.
    """

    picture = "boundary"

    points_: list[PathCollection]
    lines_: list[Line2D]
    bands_: list[tuple[Any, ...]]
    borders_: list[Line2D]
    cuts_: PathCollection | None
    wrong_: PathCollection | None
    support_: PathCollection | None
    on_: PathCollection | None

    def _draw(self, canvas: Canvas) -> None:
        view, points = self.scene.require("view", self.picture), self.scene.require("points", self.picture)
        lines = self.scene.lines
        cuts = _axis_cuts(view, lines[0], points.at) if lines else np.empty((0, 2))
        canvas.frame(points.at, cuts, lines=[line.cut for line in lines if line.cut is not None], equal=view.kind != "line")
        self.points_ = draw_rows(canvas, view, points)
        self.lines_, self.bands_, self.borders_ = [], [], []
        for k, line in enumerate(lines):
            self._draw_line(canvas, line, k)
        self._draw_borders(canvas)
        self.cuts_ = _mark_cuts(canvas, view, lines[0], cuts) if lines else None
        self.support_ = ringed(canvas, points, points.support, "at the margin", style.INK)
        self.on_ = ringed_on(canvas, points)
        self.wrong_ = ringed(canvas, points, points.wrong, "wrong", style.WRONG)
        canvas.note(*self.scene.notes, view.note, points.note)

    def _draw_line(self, canvas: Canvas, line: Line, k: int) -> None:
        if line.cut is None:
            canvas.note(f"{line.name}, {line.equation}, does not cut the plane of the picture.")
            return
        look: dict[str, Any] = {
            "ls": style.line(k),
            "lw": style.WIDTH if k == 0 else 1.1,
            "color": style.INK if k == 0 else style.GREY,
        }
        drawn = canvas.line(line.cut, f"{line.name}: {line.equation}", short=line.name, **look)
        if drawn is not None:
            self.lines_.append(drawn)
        if line.margin:
            label, short = f"no row is nearer than {line.margin_text}", f"gap {line.margin_text}"
            self.bands_.append(canvas.band(line.cut, line.margin, label, short))

    def _draw_borders(self, canvas: Canvas) -> None:
        for border in self.scene.borders:
            label = None if self.borders_ else "border between classes"
            drawn = canvas.line(border.cut, label, border.span)
            if drawn is not None:
                self.borders_.append(drawn)


def _axis_cuts(view: View, line: Line, at: Any) -> Any:
    """Return where a line of two features cuts the axes, as far as that is near the rows."""
    if view.kind != "features" or len(line.cuts) != 2:
        return np.empty((0, 2))
    across, up = line.cuts
    found = {(across, 0.0), (0.0, up)}
    low, high = at.min(axis=0), at.max(axis=0)
    far = np.maximum(high - low, 0.5 * (high - low).max())
    near = [
        each for each in sorted(found)
        if all(map(math.isfinite, each)) and np.all(low - far <= each) and np.all(each <= high + far)
    ]  # fmt: skip
    return np.reshape(near, (-1, 2))


def _mark_cuts(canvas: Canvas, view: View, line: Line, cuts: Any) -> PathCollection | None:
    """Mark where the axes are cut, and draw the axes there."""
    if not len(cuts):
        return None
    canvas.ax.axhline(0.0, color=style.PALE, lw=0.7, zorder=0.5)
    canvas.ax.axvline(0.0, color=style.PALE, lw=0.7, zorder=0.5)
    names = [f"{style.cut(axis, 16)} = {text}" for axis, text in zip(view.axes, line.cut_texts, strict=True) if text]
    label = f"cuts the axes at {' and '.join(names)}"
    return canvas.rings(cuts, label, style.INK, "X", 1.6, short="axis cut")


def boundary(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> BoundaryDisplay:
    """Draw rows and the hyperplanes between them.

    One feature is drawn along a line, a lane for each class; two as they are; more are projected to the plane of the weights
    and of the first principal direction orthogonal to them, and a note below the axes says so.

    Parameters
    ----------
    answer : Verdict, Margin, Disagreement, fitted classifier, Hyperplane, or Scene
        What to show.
    X, y : rows and labels, or `Data` in place of X
        The rows that a classifier or a hyperplane is shown with.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    BoundaryDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.boundary(sx.Perceptron().fit(X, y), X, y)
    >>> len(drawn.lines_), len(drawn.bands_), drawn.wrong_
    (1, 1, None)
    """
    return BoundaryDisplay.from_scene(scene(answer, X, y), ax=ax)
