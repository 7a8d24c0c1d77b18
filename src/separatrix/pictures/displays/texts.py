"""Words around a picture: legends that hang below the axes, and names that are no mathematics and not too long."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase

from .. import style


class AxisBox:
    """Where axes with the labels of the horizontal one are, wherever that is in the end.

    What hangs below them asks over and over while a figure is laid out, so that what was found is kept as long as nothing
    has moved.
    """

    def __init__(self, ax: Axes) -> None:
        self._ax = ax
        self._known: tuple[Any, Bbox] | None = None

    def __call__(self, renderer: Any = None) -> Bbox:
        """Return the box."""
        ax = self._ax
        figure = ax.get_figure(root=True)
        assert figure is not None
        now = (figure.dpi, ax.get_window_extent().bounds, ax.get_xlim(), ax.get_ylim(), ax.get_xlabel(), ax.axison)
        if self._known is None or self._known[0] != now:
            box = ax.xaxis.get_tightbbox(renderer) if ax.axison else None
            whole = ax.get_window_extent()
            self._known = now, Bbox.from_bounds(*whole.bounds) if box is None else Bbox.union([box, whole])
        return self._known[1]


class LegendBelow(Legend):
    """A legend that hangs below the axes with all their labels, or below another legend, wherever these are in the end."""

    below: AxisBox
    above: Legend | None = None

    def get_bbox_to_anchor(self) -> BboxBase:
        """Return the lower left corner of the axes, or of the other legend, as a box without size."""
        assert self.axes is not None
        left = self.axes.get_window_extent().x0
        bottom = self.below().y0 if self.above is None else self.above.get_window_extent().y0
        return Bbox([[left, bottom], [left, bottom]])


def plain(text: Text) -> Text:
    """Keep a text from being read as mathematics: a name may hold any signs."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def fit(text: Text, words: str, inches: float) -> Text:
    """Write words that are no mathematics, cut in the middle so that they are no longer than a length."""
    plain(text).set_text(style.cut(words, 400))
    for _ in range(4):  # letters differ in width
        if (length := length_of(text)) <= inches or len(text.get_text()) <= 3:
            break
        text.set_text(style.cut(words, max(3, int(len(text.get_text()) * inches / length))))
    return text


def length_of(text: Text) -> float:
    """Return how long a text of one line is, level or upright, in inches."""
    figure, box = text.get_figure(root=True), text.get_window_extent()
    assert isinstance(figure, Figure)
    return float(max(box.width, box.height) / figure.dpi)
