"""Axes to draw on: points, lines and arrows in one style, with legend and notes below, where no data is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, BboxBase

from ..._types import Floats
from .. import style

Cut = tuple[float, float, float]
Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""

_ROOM = 0.08
"""Share of the data's range that is left free on each side."""

_BEYOND = 20.0
"""How far lines go on beyond the picture, in its sizes: axes of equal scales may show more than was asked for."""

_SQUARISH = 4.0
"""Axes have equal scales, so that right angles are seen as such, unless the ranges differ by more than this factor."""


class Canvas:
    """Axes, and what is to be said below them."""

    def __init__(self, ax: Axes) -> None:
        self.ax = ax
        self.entries: list[tuple[Any, str]] = []
        """Handles and labels of the legend."""
        self.notes: list[str] = []
        self.box: Box = (0.0, 1.0, 0.0, 1.0)
        box = ax.get_window_extent()
        self.width = box.width / self.figure.dpi
        """How wide the axes are, in inches, and roughly: legend and notes are not there yet."""
        self.height = 0.7 * box.height / self.figure.dpi
        self.size = float(np.clip(5.5 + 0.75 * self.width, 6.5, 10.0))
        """Of letters, in points: smaller in small pictures."""

    @classmethod
    def on(cls, ax: Axes | None = None) -> Canvas:
        """Take axes, or make a figure that makes room for what is outside of them."""
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        elif not isinstance(ax, Axes):
            raise TypeError(f"ax must be matplotlib axes, got {type(ax).__name__}: give ax=figure.subplots().")
        canvas = cls(ax)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.tick_params(labelsize=0.9 * canvas.size)
        return canvas

    @property
    def figure(self) -> Figure:
        """The figure of the axes."""
        figure = self.ax.get_figure(root=True)
        assert isinstance(figure, Figure)
        return figure

    def letters(self, inches: float, size: float | None = None) -> int:
        """Return how many letters go into a length."""
        return max(int(inches * 72 / (0.56 * (size or self.size))), 6)

    # ---- Where things are.

    def frame(self, *at: Floats, equal: bool = True) -> None:
        """Set the limits so that these points are seen, with room around them."""
        points = np.concatenate([np.reshape(each, (-1, 2)) for each in at])
        points = points[np.isfinite(points).all(axis=1)]
        low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.ones(2))
        span = high - low
        alone = np.maximum(np.abs(high), 1e-300) if not span.any() else np.full(2, span.max())
        span = np.where(span > 0, span, np.minimum(alone, np.maximum(span.max(), 1.0)) if span.any() else alone)
        self.box = (
            float(low[0] - _ROOM * span[0]), float(high[0] + _ROOM * span[0]),
            float(low[1] - _ROOM * span[1]), float(high[1] + _ROOM * span[1]),
        )  # fmt: skip
        self._limit()
        if equal and max(span) < _SQUARISH * min(span):
            self.ax.set_aspect("equal", adjustable="datalim")

    def _limit(self) -> None:
        """Set the limits; they are not fixed, as axes of equal scales must show more on one side."""
        self.ax.set_xlim(self.box[:2], auto=True)
        self.ax.set_ylim(self.box[2:], auto=True)
        self.ax.update_datalim(np.reshape(self.box, (2, 2)).T)  # else matplotlib takes the room around the points for spare

    @property
    def is_square(self) -> bool:
        """Whether right angles are seen as such."""
        return self.ax.get_aspect() == 1.0

    def name_axes(self, across: str, up: str) -> None:
        """Write what the axes show, cut to their lengths."""
        x = self.ax.set_xlabel(style.cut(across, self.letters(self.width)), fontsize=self.size)
        y = self.ax.set_ylabel(style.cut(up, self.letters(self.height)), fontsize=self.size)
        plain(x)
        plain(y)

    # ---- What is drawn.

    def dots(self, at: Floats, k: int, label: str | None = None, **options: Any) -> PathCollection:
        """Draw points of class k."""
        many = len(at) > 300
        given = {"s": 12.0 if many else 30.0, "alpha": 0.6 if many else 0.9, "zorder": 3, "linewidths": 0.5} | options
        drawn = self.ax.scatter(at[:, 0], at[:, 1], c=style.colour(k), marker=style.marker(k), edgecolors="white", **given)
        if label is not None:
            shown = Line2D([], [], ls="", marker=style.marker(k), color=style.colour(k), ms=5)
            self.entry(shown, label)
        return drawn

    def rings(self, at: Floats, label: str, colour: str = style.WRONG, size: float = 80.0, ls: str = "-") -> PathCollection:
        """Draw rings around points."""
        drawn = self.ax.scatter(
            at[:, 0], at[:, 1], s=size, facecolors="none", edgecolors=colour, linewidths=1.3, linestyles=ls, zorder=4
        )
        self.entry(Line2D([], [], ls="", marker="o", mfc="none", mec=colour, ms=7, mew=1.3), label)
        return drawn

    def line(self, cut: Cut, label: str | None = None, **options: Any) -> Line2D | None:
        """Draw the line ``a u + b v + c = 0``; None if nothing of it is near the picture, which is noted."""
        ends = segment(cut, wider(self.box))
        if ends is None or (segment(cut, self.box) is None and not _near(cut, self.box)):
            self.notes.append(f"{label or 'A hyperplane'} lies outside of the picture.")
            return None
        given: dict[str, Any] = {"color": style.INK, "lw": style.WIDTH, "zorder": 2} | options
        drawn = Line2D(ends[:, 0], ends[:, 1], **given)
        self.ax.add_artist(drawn)  # not add_line: the limits are those of the points
        if label is not None:
            self.entry(drawn, label)
        return drawn

    def band(self, cut: Cut, half: float, label: str | None = None, colour: str = style.INK) -> tuple[Artist, ...]:
        """Draw the points nearer to a line than a distance: the filled band, then its two edges."""
        a, b, c = cut
        edges = [segment((a, b, c + side * half), wider(self.box)) for side in (-1.0, 1.0)]
        if edges[0] is None or edges[1] is None:
            return ()
        corners = np.concatenate([edges[0], edges[1][::-1]])
        filled = Polygon(corners, closed=True, fc=colour, ec="none", alpha=style.BAND, zorder=1)
        lines = [Line2D(e[:, 0], e[:, 1], color=colour, lw=0.8, ls="--", zorder=1.5) for e in edges if e is not None]
        for each in (filled, *lines):
            self.ax.add_artist(each)
        if label is not None:
            self.entry(lines[0], label)
        return filled, *lines

    def arrow(
        self, start: Sequence[float], end: Sequence[float], label: str | None = None, **options: Any
    ) -> FancyArrowPatch:
        """Draw an arrow."""
        given: dict[str, Any] = {"color": style.INK, "lw": 1.6, "zorder": 5} | options
        drawn = FancyArrowPatch(
            (start[0], start[1]), (end[0], end[1]), arrowstyle="-|>", mutation_scale=11, shrinkA=0, shrinkB=0, **given
        )
        self.ax.add_artist(drawn)
        if label is not None:
            shown = Line2D([], [], color=given["color"], lw=given["lw"], ls=given.get("ls", "-"), marker=">", ms=5)
            self.entry(shown, label)
        return drawn

    # ---- What is said.

    def entry(self, handle: Any, label: str) -> None:
        """Have something in the legend, in order."""
        self.entries.append((handle, label))

    def note(self, *notes: str | None) -> None:
        """Have notes below the axes; None is nothing to say."""
        self.notes += [each for each in notes if each and each not in self.notes]

    def finish(self) -> tuple[Legend | None, Annotation | None]:
        """Put the legend and the notes below the axes."""
        self._limit()
        legend = self._legend() if self.entries else None
        return legend, self._below(legend) if self.notes else None

    def _legend(self) -> Legend:
        most = self.letters(self.width, 0.9 * self.size) - 5
        labels = [style.cut(label, max(most, 12)) for _, label in self.entries]
        widest = max(map(len, labels)) + 5
        columns = max(1, min(len(labels), (most + 5) // widest))
        legend = self.ax.legend_ = _LegendBelow(
            self.ax, [handle for handle, _ in self.entries], ["-"] * len(labels), ncols=columns, loc="upper left",
            frameon=False, fontsize=0.9 * self.size, borderaxespad=0.4, borderpad=0, handlelength=1.8, columnspacing=1.2,
            labelspacing=0.3,
        )  # fmt: skip
        for text, label in zip(legend.get_texts(), labels, strict=True):  # set late: a label "_a" would be left out
            plain(text).set_text(label)
        return legend

    def _below(self, legend: Legend | None) -> Annotation:
        size = 0.8 * self.size
        note = self.ax.annotate(
            style.wrapped(self.notes, self.letters(self.width, 0.92 * size)), (0, 0), (0, -4),
            xycoords=("axes fraction", legend or _axis_box(self.ax)), textcoords="offset points",
            va="top", ha="left", fontsize=size, color=style.GREY, annotation_clip=False,
        )  # fmt: skip
        plain(note)
        return note


class _LegendBelow(Legend):
    """A legend that hangs below the axes with all their labels, wherever these are in the end."""

    def get_bbox_to_anchor(self) -> BboxBase:
        """Return the lower left corner of the axes, as a box without size."""
        left, bottom = self.axes.get_window_extent().x0, _axis_box(self.axes)(None).y0
        return Bbox([[left, bottom], [left, bottom]])


def _axis_box(ax: Axes) -> Any:
    """Return what tells where the horizontal axis with its labels is."""

    def found(renderer: Any) -> BboxBase:
        box = ax.xaxis.get_tightbbox(renderer) if ax.axison else None
        return ax.get_window_extent() if box is None else Bbox.union([box, ax.get_window_extent()])

    return found


def plain(text: Text) -> Text:
    """Keep a text from being read as mathematics: a name may hold any signs."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def wider(box: Box) -> Box:
    """Return a box that reaches far beyond another."""
    left, right, bottom, top = box
    dx, dy = _BEYOND * (right - left), _BEYOND * (top - bottom)
    return left - dx, right + dx, bottom - dy, top + dy


def segment(cut: Cut, box: Box) -> Floats | None:
    """Return the ends of the part of the line ``a u + b v + c = 0`` that lies in a box; None if it does not meet it.

    >>> segment((1.0, 0.0, -0.5), (0.0, 1.0, 0.0, 2.0))
    array([[0.5, 0. ],
           [0.5, 2. ]])
    """
    a, b, c = cut
    left, right, bottom, top = box
    if not all(map(math.isfinite, cut)):
        return None
    if abs(b) * (right - left) > abs(a) * (top - bottom):  # closer to level, as the box sees it
        ends = np.array([[u, -(a * u + c) / b] for u in (left, right)])
        ends = _between(ends, 1, bottom, top)
    else:
        ends = np.array([[-(b * v + c) / a, v] for v in (bottom, top)])
        ends = _between(ends, 0, left, right)
    return None if ends.shape != (2, 2) else ends


def _between(ends: Floats, axis: int, low: float, high: float) -> Floats:
    """Cut a segment so that a coordinate is between limits; nothing is left if none of it is."""
    (start, end), values = ends, ends[:, axis]
    change = values[1] - values[0]
    if not change:
        return ends if low <= values[0] <= high else np.empty((0, 2))
    first, last = sorted(((low - values[0]) / change, (high - values[0]) / change))
    first, last = max(first, 0.0), min(last, 1.0)
    return np.array([start + t * (end - start) for t in (first, last)]) if first < last else np.empty((0, 2))


def _near(cut: Cut, box: Box) -> bool:
    """Whether a line that does not meet a box passes beside it, where axes of equal scales may show it."""
    left, right, bottom, top = box
    dx, dy = right - left, top - bottom
    return segment(cut, (left - dx, right + dx, bottom - dy, top + dy)) is not None
