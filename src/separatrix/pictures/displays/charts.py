"""Charts over the course of something: errors of a pocket, bounds of a search, mistakes of a game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...estimators.pocket import Pocket
from ...theorem.mistake_bound import MistakeBound
from .. import style
from ..making import scene
from ..scene import Chart, Scene
from ..scenery.pocket_course import pocket_chart
from .charting import draw_chart
from .display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from .canvas import Canvas


class PocketDisplay(Display):
    """Errors of the weights in hand and of those in the pocket, update by update.

    Attributes
    ----------
    curves_ : list of Line2D
        The weights in hand, if the run could be repeated, and those in the pocket; of more than two classes, the pockets.
    levels_ : list of Line2D
        The errors that no hyperplane avoids, if that was proved.
    """

    picture = "pocket"

    curves_: list[Line2D]
    levels_: list[Line2D]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the run of a fitted pocket, which is repeated on its rows.

        Parameters
        ----------
        estimator : Pocket
            The fitted pocket.
        X, y : rows and labels, or `Data` in place of X
            What it was fitted with.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        **options
            What else the picture takes.
        """
        return cls.from_scene(_of_pocket(estimator, X, y), ax=ax, **options)

    def _draw(self, canvas: Canvas) -> None:
        chart: Chart = self.scene.require("pocket", self.picture)
        kept = {"color": style.colour(0), "lw": 2.2, "marker": "", "zorder": 4}
        hand = {"color": style.colour(1), "lw": 0.9, "marker": "", "zorder": 3}
        alone = len(chart.curves) == 1 and "hand" not in chart.curves[0].name
        several = [{"color": style.colour(k), "ls": style.line(k), "marker": ""} for k in range(len(chart.curves))]
        drawn = draw_chart(canvas, chart, several if len(chart.curves) > 2 else [kept] if alone else [hand, kept])
        self.curves_, self.levels_ = drawn.curves, drawn.levels


def _of_pocket(answer: Any, X: Any, y: Any) -> Scene:
    """Return the scene of a pocket, however long repeating its run takes: it was asked for."""
    if isinstance(answer, Pocket):
        return Scene("Pocket", pocket=pocket_chart(answer, X, y))
    return scene(answer, X, y)


def pocket(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> PocketDisplay:
    """Draw the errors of the weights in hand and of those in the pocket, update by update, counted exactly.

    Parameters
    ----------
    answer : fitted Pocket, StepTable of one, or Scene
        The run. That of a fitted pocket is repeated, which needs its rows and a whole number as ``random_state``; without,
        the pocket alone is shown.
    X, y : rows and labels, or `Data` in place of X
        What it was fitted with.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    PocketDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("xor")
    >>> drawn = sx.plot.pocket(sx.Pocket(init="zero", max_updates=50, random_state=0).fit(X, y), X, y)
    >>> drawn.curves_[1].get_ydata().tolist()
    [4.0, 2.0, 2.0]
    """
    return PocketDisplay.from_scene(_of_pocket(answer, X, y), ax=ax)


class BoundsDisplay(Display):
    """What a search for the fewest errors had proved and found, over time.

    Attributes
    ----------
    upper_, lower_ : Line2D
        The errors of the best hyperplane found, and the errors that were proved unavoidable.
    gap_ : artist
        What is between them, where the truth lies.
    """

    picture = "bounds"

    upper_: Line2D
    lower_: Line2D
    gap_: Any

    def _draw(self, canvas: Canvas) -> None:
        chart: Chart = self.scene.require("bounds", self.picture)
        above, below = {"color": style.colour(1), "marker": "o"}, {"color": style.colour(0), "marker": "s"}
        drawn = draw_chart(canvas, replace(chart, levels=()), [above, below])
        self.upper_, self.lower_ = drawn.curves
        upper, lower = chart.curves
        self.gap_ = canvas.ax.fill_between(
            upper.at, lower.value, upper.value, step="post", color=style.INK, alpha=style.BAND, lw=0, zorder=1
        )
        _spread(canvas, upper.at, upper.value)


def _spread(canvas: Canvas, seconds: Any, errors: Any) -> None:
    """Spread what happens early, and low: most improvements do, and the first bounds are far apart."""
    left, right, _, top = canvas.box
    positive = seconds[seconds > 0]
    if positive.size > 1 and positive[-1] > 30 * positive[0]:
        canvas.ax.set_xscale("log")
        canvas.ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        left, right = positive[0] / 1.5, positive[-1] * 1.5
    bottom = -0.06 * top
    if errors[0] > 20 * max(errors[-1], 1.0):
        canvas.ax.set_yscale("symlog", linthresh=1.0, linscale=0.6)
        canvas.ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
        bottom, top = -0.3, 2.0 * float(np.max(errors))
    canvas.box = (left, right, bottom, top)


def bounds(answer: Any, *, ax: Axes | None = None) -> BoundsDisplay:
    """Draw what a search for the fewest errors had proved and found, over time.

    Parameters
    ----------
    answer : Disagreement or Scene
        What `least_errors` returned.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    BoundsDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> drawn = sx.plot.bounds(sx.least_errors(*sx.examples.load("xor")))
    >>> float(drawn.lower_.get_ydata()[-1]), float(drawn.upper_.get_ydata()[-1])
    (1.0, 1.0)
    """
    return BoundsDisplay.from_scene(scene(answer), ax=ax)


class OnlineDisplay(Display):
    """Mistakes over the rounds of a game.

    Attributes
    ----------
    mistakes_ : Line2D
        The mistakes so far.
    levels_ : list of Line2D
        Bounds of them, where one is known and near.
    """

    picture = "online"

    mistakes_: Line2D
    levels_: list[Line2D]

    def _draw(self, canvas: Canvas) -> None:
        drawn = draw_chart(canvas, self.scene.require("online", self.picture), [{"marker": ""}])
        [self.mistakes_], self.levels_ = drawn.curves, drawn.levels


def online(answer: Any, *, bound: float | MistakeBound | None = None, ax: Axes | None = None) -> OnlineDisplay:
    """Draw the mistakes over the rounds of the online protocol, beside a bound.

    Parameters
    ----------
    answer : list of Rounds, Ledger of a single pass, or Scene
        The rounds that `play` gave, as a list; or the audit of a perceptron that was shown each row once.
    bound : number or MistakeBound, optional
        The most mistakes that there can be, such as what `mistake_bound` returns for all rows. An audit brings its own.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    OnlineDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> rounds = list(sx.play(sx.Perceptron(), [*zip(X, y)] * 9, classes=[0, 1]))
    >>> drawn = sx.plot.online(rounds, bound=sx.mistake_bound(X, y))
    >>> int(drawn.mistakes_.get_ydata()[-1]), drawn.levels_[0].get_ydata()[0]
    (18, 51.0)
    """
    shown = scene(answer)
    if bound is not None:
        shown = replace(shown, online=_bounded(shown.require("online", "online"), bound))
    return OnlineDisplay.from_scene(shown, ax=ax)


def _bounded(chart: Chart, bound: float | MistakeBound) -> Chart:
    if isinstance(bound, MistakeBound):
        if bound.bound is None:
            note = "There is no bound: no hyperplane separates the classes."
            return replace(chart, note=note if chart.note is None else f"{chart.note} {note}")
        return replace(chart, levels=(*chart.levels, ("bound R²/γ²", bound.bound[1])))
    try:
        height = float(bound)
    except (TypeError, ValueError):
        raise TypeError(f"bound must be a number or a MistakeBound, got {type(bound).__name__}.") from None
    return replace(chart, levels=(*chart.levels, ("bound", height)))
