"""Points, and their feet on a hyperplane."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...geometry.hyperplane import Hyperplane
from ...problem.problem import Problem
from ...problem.reading_rows import read_rows
from ...separation.margins import Margin
from ...separation.verdict import Verdict
from ...tables.data import Data
from ...tables.reading import problem_of
from .. import style
from ..scene import Foot, Points, Scene, View
from ..scenery.feet import scene_of_feet
from .display import Display
from .rows import draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

    from .canvas import Canvas

_MOST_FEET = 12
"""More feet are a thicket."""


class ProjectionDisplay(Display):
    """Points, and their feet on a hyperplane.

    Attributes
    ----------
    points_ : list of PathCollection
        The points, class by class.
    line_ : Line2D or None
        The hyperplane.
    ways_ : list of Line2D
        What leads from each point to its foot.
    rows_, feet_ : PathCollection
        Rings around the points, and their feet.
    corners_ : list of Line2D
        The signs of the right angles.
    """

    picture = "projection"

    points_: list[PathCollection]
    line_: Line2D | None
    ways_: list[Line2D]
    rows_: PathCollection
    feet_: PathCollection
    corners_: list[Line2D]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, row: int | Sequence[int] = 0, **options: Any
    ) -> Self:
        """Draw rows and their feet on the hyperplane of a fitted classifier of two classes; see `projection`."""
        return cls.from_scene(_scene_of(estimator, X, y, row), ax=ax, **options)

    def _draw(self, canvas: Canvas) -> None:
        feet: tuple[Foot, ...] = self.scene.require("feet", self.picture)
        view: View = self.scene.require("view", self.picture)
        points: Points = self.scene.require("points", self.picture)
        line = self.scene.require("lines", self.picture)[0]
        places = np.array([each.foot for each in feet])
        canvas.frame(points.at, places, lines=[] if line.cut is None else [line.cut], equal=view.kind != "line")
        self.points_ = draw_rows(canvas, view, points)
        self.line_ = None if line.cut is None else canvas.line(line.cut, f"{line.name}: {line.equation}", short=line.name)
        self.ways_, self.corners_ = [], []
        for k, foot in enumerate(feet):
            [way] = canvas.ax.plot(
                *np.array([foot.point, foot.foot]).T, color=style.INK, ls=style.line(k + 1), lw=1.2, zorder=2.5
            )
            self.ways_.append(way)
            canvas.entry(way, f"{foot.label}: distance {foot.distance}", short=f"{foot.label}: {foot.distance}")
            if canvas.is_square:
                self.corners_ += _right_angle(canvas, foot)
        self.rows_ = canvas.rings(np.array([each.point for each in feet]), None, style.INK)
        self.feet_ = canvas.rings(places, "foot on the hyperplane", style.INK, "X", 1.6, "foot")
        if not canvas.is_square and view.kind != "line":
            canvas.note("The axes have different scales: right angles and distances are not seen as they are.")
        canvas.note(*self.scene.notes, view.note, points.note)


def _right_angle(canvas: Canvas, foot: Foot) -> list[Line2D]:
    """Draw the sign of a right angle at a foot."""
    start, end = np.array(foot.point), np.array(foot.foot)
    length = float(np.linalg.norm(start - end))
    left, right, bottom, top = canvas.box
    side = min(0.03 * min(right - left, top - bottom), 0.3 * length)
    if not side:
        return []
    back = (start - end) / length * side
    along = np.array([-back[1], back[0]])
    return canvas.ax.plot(*np.array([end + back, end + back + along, end + along]).T, color=style.INK, lw=0.8, zorder=2.4)


def projection(
    answer: Any, X: Any = None, y: Any = None, *, row: int | Sequence[int] = 0, ax: Axes | None = None
) -> ProjectionDisplay:
    """Draw points and their feet on a hyperplane: the points of it that are next to them, with the distances.

    Parameters
    ----------
    answer : Hyperplane, Verdict, Margin, fitted classifier of two classes, or Scene
        What has the hyperplane.
    X, y : rows and labels, or `Data` in place of X
        The points; a hyperplane takes them without labels, a verdict and a margin have theirs.
    row : int or several
        The rows whose feet are drawn, from 0; at most 12.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    ProjectionDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> drawn = sx.plot.projection(sx.Hyperplane([3, 4], threshold=10), [[5, 5]])
    >>> drawn.scene.feet[0].foot, drawn.scene.feet[0].distance
    ((2.0, 1.0), '5')
    """
    return ProjectionDisplay.from_scene(_scene_of(answer, X, y, row), ax=ax)


def _scene_of(answer: Any, X: Any, y: Any, row: int | Sequence[int]) -> Scene:
    if isinstance(answer, Scene):
        return answer
    if isinstance(answer, Verdict | Margin):
        problem, hyperplane = answer.problem, _hyperplane(answer)
    elif isinstance(answer, Hyperplane):
        hyperplane = answer
        labelled = isinstance(X, Data) or y is not None
        problem = problem_of(X, y) if labelled else Problem.bare(read_rows(X), True, classes=("point",))
    else:
        check_is_fitted(answer)
        problem, hyperplane = problem_of(X, y), answer.hyperplane()
    if problem.d != hyperplane.dimension:
        raise ValueError(f"X has {problem.d} columns, and the hyperplane {hyperplane.dimension} weights.")
    return scene_of_feet(problem, hyperplane, _rows(row, problem.n))


def _hyperplane(answer: Verdict | Margin) -> Hyperplane:
    if isinstance(answer, Margin):
        numbers = answer.weights.fractions()
        return Hyperplane(numbers[: answer.problem.d], sum(numbers[answer.problem.d :], Fraction(0)))
    separator = None if answer.certificate is None else answer.certificate.separator
    if separator is None:
        raise ValueError(f"There is no hyperplane to project to. {answer.message}")
    return Hyperplane(separator.weights, separator.intercept)


def _rows(row: int | Sequence[int], n: int) -> list[int]:
    rows: list[Any] = [row] if isinstance(row, numbers.Integral) else list(row)  # type: ignore[arg-type]
    if not 1 <= len(rows) <= _MOST_FEET:
        raise ValueError(f"row must name from 1 to {_MOST_FEET} rows, got {len(rows)}.")
    for each in rows:
        if not isinstance(each, numbers.Integral) or not 0 <= int(each) < n:
            raise ValueError(f"row must be a number from 0 to {n - 1:,}, got {each!r}.")
    return [int(each) for each in rows]
