"""The space of weights: half-planes of the rows, the cone of solutions, and the path of the run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...tables.data import rows_and_labels
from ...tracing.step_table import StepTable
from ...tracing.steps import steps
from .. import style
from ..making import problem_of
from ..scene import Scene, WeightSpace
from ..scenery.weight_space import scene_of_weights
from .display import Display

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch

    from .canvas import Canvas

_MOST_MISTAKES = 2_000
"""Mistakes of a run that are gone through."""


class WeightSpaceDisplay(Display):
    """Half-planes of the rows, the cone of solutions, the path of the weights, and w*.

    Attributes
    ----------
    rows_ : list of Line2D
        For each row the line between weights that are right about it and those that are not.
    cone_ : list of artists
        The cone of the weights that are right about all rows; empty if there are none.
    path_ : Line2D
        The weights of the run.
    ends_ : PathCollection
        The first and the last of them.
    star_ : FancyArrowPatch or None
        The direction of w*.
    """

    picture = "weight_space"

    rows_: list[Line2D]
    cone_: list[Artist]
    path_: Line2D
    ends_: PathCollection
    star_: FancyArrowPatch | None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the run of a fitted perceptron.

        Parameters
        ----------
        estimator : Perceptron, VotedPerceptron or Pocket
            What ran; the run is repeated.
        X, y : rows and labels, or `Data` in place of X
            What it was fitted with.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        **options
            What else it was fitted with, or w*, as `separatrix.steps` takes it.
        """
        table = steps(estimator, X, y, mistakes_only=True, first=_MOST_MISTAKES, **options)
        return cls.from_scene(_scene_of(table, X, y), ax=ax)

    def _draw(self, canvas: Canvas) -> None:
        space: WeightSpace = self.scene.require("weight_space", self.picture)
        far = float(np.linalg.norm(space.path, axis=1).max(initial=0.0)) or 1.0
        star = None if space.star is None else 1.08 * far * np.array(space.star)
        shown = [space.path, np.zeros((1, 2)), *([] if star is None else [star[None, :]])]
        canvas.frame(*shown, room=0.14)
        canvas.name_axes(*space.axes)
        self.cone_ = self._draw_cone(canvas, space)
        self.rows_ = []
        for k, name in enumerate(space.classes):
            for normal in space.normals[space.code == k]:
                a, b = normal / np.linalg.norm(normal)
                drawn = canvas.line(
                    (a, b, 0.0), None, color=style.colour(k), lw=0.8, ls=style.line(k), alpha=0.55, zorder=1.4
                )
                if drawn is not None:
                    self.rows_.append(drawn)
            if np.any(space.code == k):
                label = f"edge of what a row of {style.cut(name, 16)} allows"
                canvas.entry(canvas.stroke(style.colour(k), style.line(k)), label, of_class=True)
        [self.path_] = canvas.ax.plot(*space.path.T, color=style.AFTER, lw=1.2, marker=".", ms=4, zorder=3)
        canvas.entry(self.path_, "weights after each mistake")
        self.ends_ = canvas.rings(space.path[[0, -1]], "the first and the last of them", style.AFTER, "o", 2.0)
        self.star_ = None if star is None else canvas.arrow((0.0, 0.0), tuple(star), "direction of w*", lw=1.8)
        canvas.note(space.note)

    def _draw_cone(self, canvas: Canvas, space: WeightSpace) -> list[Artist]:
        """Shade the cone, far beyond the picture."""
        if space.cone is None:
            canvas.note("No weights of this plane are right about all rows: there is no cone.")
            return []
        start, end = space.cone
        left, right, bottom, top = canvas.box
        far = 30 * max(right - left, top - bottom)
        turns = np.linspace(start, end, 9)
        corners = np.array([(0.0, 0.0), *((far * math.cos(each), far * math.sin(each)) for each in turns)])
        drawn = canvas.region(corners, style.COLOURS[2], 0.2, lw=0)
        canvas.entry(canvas.patch(style.COLOURS[2], 0.25), "right about all rows")
        return drawn


def weight_space(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> WeightSpaceDisplay:
    """Draw a run in the space of weights.

    Weights are right about a row if they are on its side of a hyperplane through the origin: each row allows a half-space,
    and all of them together a cone, which the run of the perceptron ends in. Two weights are drawn as they are; of more,
    the plane of w* and of the last weights, and a note below the axes says so.

    Parameters
    ----------
    answer : StepTable, fitted Perceptron, VotedPerceptron or Pocket, or Scene
        The run.
    X, y : rows and labels, or `Data` in place of X
        What ran; not for a scene.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    WeightSpaceDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[1, 0], [-1, 2]], [1, 0]
    >>> drawn = sx.plot.weight_space(sx.Perceptron(fit_intercept=False).fit(X, y), X, y)
    >>> drawn.path_.get_xydata().tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    if isinstance(answer, Scene):
        return WeightSpaceDisplay.from_scene(answer, ax=ax)
    if isinstance(answer, StepTable):
        return WeightSpaceDisplay.from_scene(_scene_of(answer, X, y), ax=ax)
    return WeightSpaceDisplay.from_estimator(answer, X, y, ax=ax)


def _scene_of(table: StepTable, X: Any, y: Any) -> Scene:
    if X is None:
        raise ValueError("A table of steps does not have the rows: give X and y, such as plot.weight_space(table, X, y).")
    return scene_of_weights(table, problem_of(*rows_and_labels(X, y), list(table.classes)))
