"""Classifiers side by side: errors on the rows learnt from and on others, beside what no hyperplane avoids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...comparison.results import in_few_words
from ...support.counts import counted
from .. import style
from ..making import scene
from ..scene import Bar, Bars
from .display import Display, canvas_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.lines import Line2D

    from .canvas import Canvas

_LONGEST_REASON = 200
"""Letters of a reason that are shown."""

_APART = 0.19
"""How far above and below the middle of its place a classifier's two errors are."""


class ComparisonDisplay(Display):
    """Classifiers side by side.

    Attributes
    ----------
    bars_ : BarContainer
        Errors on the rows learnt from, in per cent of them, from top to bottom.
    crossed_ : ErrorbarContainer or None
        The cross-validated error of each, with its standard deviation over the folds.
    bound_ : Line2D or None
        The share of errors that no hyperplane avoids, proved.
    counts_ : list of Text
        At the right: the number of errors of each, or what kept it from learning.
    """

    picture = "comparison"

    bars_: BarContainer
    crossed_: ErrorbarContainer | None
    bound_: Line2D | None
    counts_: list[Any]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on given axes or in a figure of its own, which is higher the more classifiers there are."""
        if ax is None:
            found: Bars = self.scene.require("comparison", self.picture)
            [canvas] = canvas_on(None, width=7.6, height=float(np.clip(1.9 + 0.42 * len(found.bars), 3.0, 30.0)))
            ax = canvas.ax
        return super().plot(ax)

    def _draw(self, canvas: Canvas) -> None:
        found: Bars = self.scene.require("comparison", self.picture)
        ax, n = canvas.ax, len(found.bars)
        at = np.arange(n, dtype=np.float64)
        share = 100.0 / max(found.rows, 1)
        errors = np.array([0.0 if each.errors is None else share * each.errors for each in found.bars])
        self.bars_ = ax.barh(at - _APART, errors, 0.4, color=style.colour(0), zorder=2)
        if any(each.errors is not None for each in found.bars):
            canvas.entry(self.bars_, "errors on the rows learnt from")
        self.crossed_, reach = self._crossed(canvas, found, at)
        self.bound_ = self._bound(canvas, found, share)
        tops = [1.0, *errors, *reach, *([] if found.lower_bound is None else [share * found.lower_bound])]
        canvas.box = (0.0, 1.04 * max(tops), n - 0.4, -0.6)
        self._name(canvas, found, at)
        canvas.name_axes(f"errors, % of {found.rows:,} rows", "")
        failed = [each for each in found.bars if each.failure is not None and _says_more(each)]
        canvas.note(*(f"{each.name}: {style.cut(each.failure or '', _LONGEST_REASON)}" for each in failed), found.note)

    def _crossed(self, canvas: Canvas, found: Bars, at: Any) -> tuple[ErrorbarContainer | None, list[float]]:
        known = [
            (at[k], each.cv_error, each.cv_spread or 0.0) for k, each in enumerate(found.bars) if each.cv_error is not None
        ]
        if not known:
            return None, []
        place, mean, spread = (np.array(each) for each in zip(*known, strict=True))
        least = np.minimum(spread, mean)  # no share is below 0
        drawn = canvas.ax.errorbar(
            100 * mean, place + _APART, xerr=100 * np.stack([least, spread]), fmt="D", color=style.colour(1), ms=5,
            mec="white", mew=0.6, elinewidth=1.4, capsize=3, zorder=4,
        )  # fmt: skip
        canvas.entry(drawn, f"errors on other rows, ± standard deviation, {found.folds} folds")
        return drawn, list(100 * (mean + spread))

    def _bound(self, canvas: Canvas, found: Bars, share: float) -> Line2D | None:
        if not found.lower_bound:
            return None
        drawn = canvas.ax.axvline(share * found.lower_bound, color=style.INK, lw=style.WIDTH, ls="--", zorder=3)
        canvas.entry(drawn, f"{counted(int(found.lower_bound), 'error')}, proved: no hyperplane makes fewer")
        return drawn

    def _name(self, canvas: Canvas, found: Bars, at: Any) -> None:
        """Write the names at the left and the numbers at the right, outside of the axes."""
        ax, free = canvas.ax, found.lower_bound is not None and any(not each.bounded for each in found.bars)
        names = [f"{each.name}{' *' if free and not each.bounded else ''}" for each in found.bars]
        most = canvas.letters(0.38 * canvas.width)
        names, counts = [style.cut(name, most) for name in names], [_count(each) for each in found.bars]
        beyond = max(map(len, names), default=0)
        canvas.width = max(
            0.4 * canvas.width, canvas.width - 0.5 * beyond * canvas.size / 72
        )  # names take room from the axes
        ax.set_yticks(at, names)
        ax.tick_params(axis="y", length=0)
        beside = ax.secondary_yaxis("right")
        beside.set_yticks(at, counts)
        beside.tick_params(axis="y", length=0, labelsize=0.9 * canvas.size)
        beside.spines["right"].set_visible(False)
        for text in (*ax.get_yticklabels(), *beside.get_yticklabels()):
            text.set_parse_math(False)
        self.counts_ = beside.get_yticklabels()
        if free:
            canvas.note("* not a hyperplane in these features: the bound does not apply.")


def _count(each: Bar) -> str:
    if each.errors is None:
        return in_few_words(each.failure) if _says_more(each) else each.failure or "–"
    return counted(each.errors, "error")


def _says_more(each: Bar) -> bool:
    """Whether a failure is more than two words, which are shown in place of the number."""
    return each.failure is not None and len(each.failure.split()) > 2


def comparison(answer: Any, *, ax: Axes | None = None) -> ComparisonDisplay:
    """Draw classifiers side by side: errors on the rows learnt from, cross-validated error, and the proven bound.

    Parameters
    ----------
    answer : Comparison or Scene
        What `compare` returned.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    ComparisonDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.compare(*sx.examples.load("credit-noisy"), bound_time_limit=5)
    >>> drawn = sx.plot.comparison(found)
    >>> len(drawn.bars_) == len(found.table)
    True
    """
    return ComparisonDisplay.from_scene(scene(answer), ax=ax)
