"""One step of a run: the row, the weights before and after, and how the hyperplane turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..._types import Floats
from ...support.counts import few_of
from ...tables.data import rows_and_labels
from ...tracing.step_table import StepTable
from ...tracing.steps import steps
from .. import style
from ..making import problem_of
from ..scene import Line, Points, Scene, Update, View
from ..scenery.updates import named, scene_of_steps
from .display import Display
from .rows import draw_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch

    from .canvas import Canvas

_LENGTH = 0.33
"""How long the longest arrow is, as a share of the shorter side of the picture."""


class UpdateDisplay(Display):
    """One step of a run.

    Parameters
    ----------
    scene : Scene
        A scene that has steps.
    step : int, optional
        The number of the step; without it, the first that the scene has.

    Attributes
    ----------
    points_ : list of PathCollection
        The points, class by class.
    row_ : PathCollection
        The ring around the row that is looked at.
    before_, after_ : Line2D or None
        The old and the new hyperplane; None while all weights are zero, or if it is outside of the picture, which is noted.
        A step that changes nothing has the old one alone.
    arrows_ : list of FancyArrowPatch
        The old weights, what is added, the new weights, as far as they are not zero.
    """

    picture = "update"

    points_: list[PathCollection]
    row_: PathCollection
    before_: Line2D | None
    after_: Line2D | None
    arrows_: list[FancyArrowPatch]

    def __init__(self, scene: Scene, step: int | None = None) -> None:
        super().__init__(scene)
        self.step = step

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, step: int = 1, **options: Any
    ) -> Self:
        """Draw a step of the run of a fitted perceptron.

        Parameters
        ----------
        estimator : Perceptron, VotedPerceptron or Pocket
            What ran; the run is repeated as far as the step.
        X, y : rows and labels, or `Data` in place of X
            What it was fitted with.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        step : int
            Which step, from 1.
        **options
            What else it was fitted with, as `separatrix.steps` takes it.
        """
        table = steps(estimator, X, y, first=step, star=False, **options)
        return cls.from_scene(_scene_of(table, X, y, step), ax=ax, step=step)

    def _draw(self, canvas: Canvas) -> None:
        update = self._chosen()
        view: View = self.scene.require("view", self.picture)
        points: Points = self.scene.require("points", self.picture)
        lines = [each.cut for each in (update.before, update.after) if each is not None and each.cut is not None]
        canvas.frame(points.at, np.array([update.at]), lines=lines, equal=view.kind != "line", room=0.14)
        self.points_ = draw_rows(canvas, view, points)
        changed = update.weights_before != update.weights_after
        self.row_ = canvas.rings(
            np.array([update.at]), named(update, points.classes), style.WRONG if update.mistake else style.INK, "o", 5.0
        )
        self.before_ = _draw_line(canvas, update.before, style.BEFORE, "--", "old " if changed else "")
        self.after_ = _draw_line(canvas, update.after, style.AFTER, "-", "new ") if changed else None
        self.arrows_ = _draw_arrows(canvas, view, update, changed)
        for which, line in (("old", update.before), ("new", update.after)):
            if line is None and (changed or which == "old"):
                canvas.note(f"All {which} weights of features are zero: there is no {which} hyperplane.")
        canvas.note(*self.scene.notes, view.note, points.note)

    def _chosen(self) -> Update:
        updates: tuple[Update, ...] = self.scene.require("updates", self.picture)
        found = [each for each in updates if self.step in (None, each.step)]
        if not found:
            has = few_of([f"{each.step:,}" for each in updates], 8, in_all=True)
            raise ValueError(f"The scene has no step {self.step!r}. It has: {has}.")
        return found[0]


def _draw_line(canvas: Canvas, line: Line | None, colour: str, ls: str, which: str) -> Line2D | None:
    if line is None or line.cut is None:
        return None
    return canvas.line(line.cut, f"{which}weights: {line.equation}", short=f"{which}weights", color=colour, ls=ls)


def _draw_arrows(canvas: Canvas, view: View, update: Update, changed: bool) -> list[FancyArrowPatch]:
    """Draw weights as arrows from where both hyperplanes meet, or near it, and what is added from tip to tip."""
    before, added, after = update.arrows
    lengths = np.linalg.norm(update.arrows, axis=1)
    if not lengths.any():
        return []
    left, right, bottom, top = canvas.box
    sizes = np.array([right - left, top - bottom])
    share = _LENGTH * (sizes.min() if canvas.is_square else sizes) / lengths.max()
    start, zero = _start(canvas, update), np.zeros(2)
    tails = [(before, zero, None, style.BEFORE, "-"), (added, before, "added to the weights", style.INK, ":")]
    tails.append((after, zero, None, style.AFTER, "-"))
    drawn = []
    for vector, tail, label, colour, ls in tails if changed else tails[:1]:
        if np.any(vector):
            tip = start + share * (tail + vector)
            drawn.append(canvas.arrow(start + share * tail, tip, label, color=colour, ls=ls))
    canvas.note("Arrows show directions and ratios of weights, not their lengths.")
    if not canvas.is_square and view.kind != "line":
        canvas.note("The axes have different scales: weights are at right angles to their hyperplane, but are not seen so.")
    return drawn


def _start(canvas: Canvas, update: Update) -> Floats:
    """Return where arrows start: where the hyperplanes meet, if that is well in the picture, else a point of one of them."""
    left, right, bottom, top = canvas.box
    middle, sizes = np.array([left + right, bottom + top]) / 2, np.array([right - left, top - bottom])
    cuts = [each.cut for each in (update.before, update.after) if each is not None and each.cut is not None]
    if len(cuts) == 2:
        table = np.array([cut[:2] for cut in cuts])
        if abs(np.linalg.det(table)) > 1e-3:
            meeting = np.linalg.solve(table, [-cut[2] for cut in cuts])
            if np.all(np.abs(meeting - middle) <= 0.3 * sizes):
                return np.asarray(meeting)
    for cut in reversed(cuts):
        within = canvas.within(cut)
        if within is not None:
            return np.asarray(within.mean(axis=0))
    return middle


def update(answer: Any, X: Any = None, y: Any = None, *, step: int | None = None, ax: Axes | None = None) -> UpdateDisplay:
    """Draw one step of a run: the row that is looked at, the old and the new weights and hyperplane.

    A row that is right changes nothing, and is shown with the hyperplane that has it right.

    Parameters
    ----------
    answer : StepTable, fitted Perceptron, VotedPerceptron or Pocket, or Scene
        The run.
    X, y : rows and labels, or `Data` in place of X
        What ran; not for a scene.
    step : int, optional
        Which step, from 1; without it, the first there is.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    UpdateDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.update(sx.Perceptron().fit(X, y), X, y, step=4)
    >>> drawn.scene.updates[0].weights_before, drawn.scene.updates[0].weights_after
    (('0', '0', '-1'), ('1', '1', '0'))
    """
    if isinstance(answer, Scene):
        return UpdateDisplay.from_scene(answer, ax=ax, step=step)
    if isinstance(answer, StepTable):
        return UpdateDisplay.from_scene(_scene_of(answer, X, y, step), ax=ax, step=step)
    return UpdateDisplay.from_estimator(answer, X, y, step=1 if step is None else step, ax=ax)


def _scene_of(table: StepTable, X: Any, y: Any, step: int | None) -> Scene:
    if X is None:
        raise ValueError("A table of steps does not have the rows: give X and y, too, such as plot.update(table, X, y).")
    return scene_of_steps(table, problem_of(*rows_and_labels(X, y), list(table.classes)), step)
