"""The squeeze of the convergence theorem, and the cosine that it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..._types import Floats
from ...estimators.kernel_perceptron import KernelPerceptron
from ...estimators.perceptron import Perceptron
from ...theorem.auditing import audit
from .. import style
from ..making import scene
from ..scene import Course, Curve, Scene
from .charting import count_ticks, draw_curve, fit, number
from .display import Display

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from .canvas import Canvas

SCALES = ("auto", "linear", "log")

_MANY = 1_000
"""Mistakes from which on the scales are logarithmic, unless told: lines that grow like k and √k are straight there."""

_FAR = 4.0
"""The bound is drawn if it is no more than so many times the mistakes made; else a note tells it."""


class _CourseDisplay(Display):
    """A picture of what the convergence theorem says of a run."""

    def __init__(self, scene: Scene, *, scale: str = "auto") -> None:
        super().__init__(scene)
        if scale not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(map(repr, SCALES))}, got {scale!r}.")
        self.scale = scale

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, **options: Any) -> Self:
        """Audit the run of a fitted perceptron on its rows, and draw it.

        Parameters
        ----------
        estimator : Perceptron or KernelPerceptron
            The fitted perceptron.
        X, y : rows and labels, or `Data` in place of X
            What it was fitted with.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        **options
            What else the picture takes.
        """
        return cls.from_scene(audited(estimator, X, y), ax=ax, **options)

    def _is_log(self, course: Course, *values: Floats | None) -> bool:
        """Whether the scales are to be logarithmic, which they can be if all numbers are positive."""
        positive = all(each is None or bool(np.all(each[np.isfinite(each)] > 0)) for each in values) and course.k.size > 0
        return positive and (self.scale == "log" or (self.scale == "auto" and course.mistakes >= _MANY))

    def _is_near(self, course: Course) -> bool:
        """Whether the bound is not so far away that all else would be pressed together."""
        return course.bound is not None and course.bound <= _FAR * max(1, course.mistakes)

    def _bound(self, canvas: Canvas, course: Course) -> Line2D | None:
        """Draw the bound if it is near; else tell it."""
        if course.bound is None:
            return None
        label = f"bound R²/γ² = {number(course.bound)}" if course.meeting else f"bound {number(course.bound)}"
        if not np.isfinite(course.bound):
            canvas.note("No bound is known: the margin γ is not known to be above 0.")
        elif self._is_near(course):
            drawn = canvas.ax.axvline(course.bound, color=style.GREY, lw=1.2, ls=":", zorder=1.5)
            canvas.entry(drawn, label)
            return drawn
        else:
            canvas.note(f"The {label} is beyond the picture.")
        return None


def audited(answer: Any, X: Any = None, y: Any = None) -> Scene:
    """Return the scene of an audit, which is made first if a perceptron is given."""
    return scene(audit(answer, X, y)) if isinstance(answer, Perceptron | KernelPerceptron) else scene(answer, X, y)


class SqueezeDisplay(_CourseDisplay):
    """The squeeze: ``k γ <= w*·w_k <= ‖w_k‖ <= √k R`` after k mistakes, so that k is at most ``R²/γ²``.

    Parameters
    ----------
    scene : Scene
        What to show.
    scale : {"auto", "linear", "log"}
        The scale of both axes; "auto" is logarithmic for long runs.

    Attributes
    ----------
    alignment_, alignment_line_ : Line2D or None
        ``w*·w_k`` and the line below it; None if there is no margin.
    length_, length_line_ : Line2D
        ``‖w_k‖`` and the line above it.
    band_ : artist or None
        What is between the two lines: the room that is left to the weights.
    bound_ : Line2D or None
        Where the lines meet, if that is near.
    """

    picture = "squeeze"

    alignment_: Line2D | None
    alignment_line_: Line2D | None
    length_: Line2D
    length_line_: Line2D
    band_: Artist | None
    bound_: Line2D | None

    def _draw(self, canvas: Canvas) -> None:
        course: Course = self.scene.require("course", self.picture)
        canvas.name_axes("mistakes, k", "")
        near = self._is_near(course)
        k, lower, upper = _to_the_meeting(course, near)
        gamma, radius = _letters(course)
        self.length_line_ = _line(canvas, k, upper, f"{course.lines[1]}{radius}", "--")
        self.length_ = _values(canvas, course.k, course.length, 1, "‖wₖ‖", ms=0.6 * canvas.size)
        self.alignment_ = self.alignment_line_ = self.band_ = None
        if course.alignment is not None and lower is not None:
            self.alignment_ = _values(canvas, course.k, course.alignment, 0, "w*·wₖ")
            self.alignment_line_ = _line(canvas, k, lower, f"{course.lines[0]}{gamma}", "-.")
            self.band_ = canvas.ax.fill_between(k, lower, upper, color=style.INK, alpha=style.BAND, lw=0, zorder=1)
        self.bound_ = self._bound(canvas, course)
        count_ticks(canvas, "x", float(k[-1]) if k.size else 0.0)
        canvas.note(*course.notes)
        heights = [each for each in (course.alignment, course.length, lower, upper) if each is not None]
        if any(not np.isfinite(each).all() for each in heights):
            canvas.note("Numbers beyond float64 are left out.")
        fit(canvas, k, np.concatenate(heights), log=self._is_log(course, course.alignment, course.length, lower, upper))


def _letters(course: Course) -> tuple[str, str]:
    """Return what to say of the margin beside its line, and of the radius beside its own."""
    radius = [each for each in course.letters if each.startswith("R")]
    gamma = [each for each in course.letters if not each.startswith("R")]
    return "".join(f",  {each}" for each in gamma), "".join(f",  {each}" for each in radius)


def _to_the_meeting(course: Course, near: bool) -> tuple[Floats, Floats | None, Floats]:
    """Return k and the two lines; as far as where they meet, if that is in the picture."""
    k = course.k.astype(np.float64)
    if course.meeting is None or not near or course.alignment_line is None or (k.size and k[-1] >= course.meeting[0]):
        return k, course.alignment_line, course.length_line
    last, (end, height) = float(k[-1]) if k.size else 0.0, course.meeting
    beyond = np.linspace(last, end, 60)[1:]
    lower = np.concatenate([course.alignment_line, beyond / end * height])
    return np.concatenate([k, beyond]), lower, np.concatenate([course.length_line, np.sqrt(beyond / end) * height])


def _line(canvas: Canvas, k: Floats, value: Floats, label: str, ls: str) -> Line2D:
    return draw_curve(canvas, Curve(label, k, value), 0, label, color=style.INK, lw=1.2, ls=ls, marker="", zorder=2)


def _values(canvas: Canvas, k: Any, value: Floats, place: int, label: str, **options: Any) -> Line2D:
    return draw_curve(canvas, Curve(label, np.asarray(k, np.float64), value), place, label, **options)


class AlignmentDisplay(_CourseDisplay):
    """The cosine of the angle between w* and the weights after k mistakes, and the line that it is not below.

    Parameters
    ----------
    scene : Scene
        What to show.
    scale : {"auto", "linear", "log"}
        The scale of both axes; "auto" is logarithmic for long runs.

    Attributes
    ----------
    cosine_, line_ : Line2D or None
        The cosine and its line; None if there is no margin.
    one_ : Line2D
        1, which no cosine is above.
    bound_ : Line2D or None
        Where the line reaches 1, if that is near.
    """

    picture = "alignment"

    cosine_: Line2D | None
    line_: Line2D | None
    one_: Line2D
    bound_: Line2D | None

    def _draw(self, canvas: Canvas) -> None:
        course: Course = self.scene.require("course", self.picture)
        canvas.name_axes("mistakes, k", "cos(w*, wₖ)")
        self.cosine_ = self.line_ = None
        k, line = course.k.astype(np.float64), course.cosine_line
        if course.cosine is not None and line is not None:
            if course.meeting is not None and self._is_near(course) and not (k.size and k[-1] >= course.meeting[0]):
                beyond = np.linspace(float(k[-1]) if k.size else 0.0, course.meeting[0], 60)[1:]
                k, line = np.concatenate([k, beyond]), np.concatenate([line, np.sqrt(beyond / course.meeting[0])])
            self.cosine_ = _values(canvas, course.k, course.cosine, 0, "cos(w*, wₖ)")
            self.line_ = _line(canvas, k, line, f"{course.lines[2]}{''.join(_letters(course))}", "-.")
        self.bound_ = self._bound(canvas, course)
        count_ticks(canvas, "x", float(k[-1]) if k.size else 0.0)
        self.one_ = canvas.ax.axhline(1.0, color=style.PALE, lw=1.0, zorder=1)
        canvas.note(*course.notes)
        heights = [np.ones(1), *(each for each in (course.cosine, line) if each is not None)]
        fit(canvas, k, np.concatenate(heights), log=self._is_log(course, course.cosine, line))


def squeeze(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, scale: str = "auto") -> SqueezeDisplay:
    """Draw the squeeze of the convergence theorem on a run: ``k γ <= w*·w_k <= ‖w_k‖ <= √k R``.

    Parameters
    ----------
    answer : Ledger, KernelLedger, StepTable, fitted Perceptron or KernelPerceptron, or Scene
        The run; that of a perceptron is audited.
    X, y : rows and labels, or `Data` in place of X
        What a perceptron was fitted with.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.
    scale : {"auto", "linear", "log"}
        The scale of both axes; "auto" is logarithmic from 1,000 mistakes on.

    Returns
    -------
    SqueezeDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.squeeze(sx.Perceptron().fit(X, y), X, y)
    >>> [float(number) for number in drawn.bound_.get_xdata()]
    [51.0, 51.0]
    """
    return SqueezeDisplay.from_scene(audited(answer, X, y), ax=ax, scale=scale)


def alignment(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, scale: str = "auto") -> AlignmentDisplay:
    """Draw the cosine of the angle between w* and the weights in the course of a run, and the line it is not below.

    Parameters
    ----------
    answer : Ledger, KernelLedger, StepTable, fitted Perceptron or KernelPerceptron, or Scene
        The run; that of a perceptron is audited.
    X, y : rows and labels, or `Data` in place of X
        What a perceptron was fitted with.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.
    scale : {"auto", "linear", "log"}
        The scale of both axes; "auto" is logarithmic from 1,000 mistakes on.

    Returns
    -------
    AlignmentDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.alignment(sx.audit(sx.Perceptron().fit(X, y), X, y))
    >>> round(float(drawn.cosine_.get_ydata()[-1]), 3)
    0.991
    """
    return AlignmentDisplay.from_scene(audited(answer, X, y), ax=ax, scale=scale)
