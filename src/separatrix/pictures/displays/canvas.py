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
from matplotlib.patches import FancyArrowPatch, Patch, Polygon
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

_HANDLE, _GAP = 1.8, 1.2
"""How long the lines in a legend are, and how far its columns are apart, in sizes of letters."""

_MOST_LEGEND = 0.3
"""Share of the height that a legend may take before it has shorter labels, in two columns."""

_SQUARISH = 4.0
"""Axes have equal scales, so that right angles are seen as such, unless the ranges differ by more than this factor."""


class Canvas:
    """Axes, and what is to be said below them."""

    def __init__(self, ax: Axes) -> None:
        self.ax = ax
        self.entries: list[tuple[Any, str]] = []
        """Handles and labels of the legend."""
        self.classes: list[tuple[Any, str]] = []
        """The same of the classes, which have a legend of their own."""
        self.class_legend: Legend | None = None
        self.notes: list[str] = []
        self.box: Box = (0.0, 1.0, 0.0, 1.0)
        box = ax.get_window_extent()
        self.width = box.width / self.figure.dpi
        """How wide the axes are, in inches, and roughly: legend and notes are not there yet."""
        self.height = box.height / self.figure.dpi
        self._used = 0.0
        """How much of the height the legends and notes take."""
        self._up = ""
        self.size = float(np.clip(5.5 + 0.75 * self.width, 6.5, 10.0))
        """Of letters, in points: smaller in small pictures."""
        self.dot = float(np.clip(8.0 * self.width, 14.0, 44.0))
        """Of a point that is one of few: an area, in square points."""

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

    def frame(self, *at: Floats, lines: Sequence[Cut] = (), equal: bool = True, room: float = _ROOM) -> None:
        """Set the limits so that these points are seen, with room around them, and lines that pass not too far from them."""
        points = np.concatenate([np.reshape(each, (-1, 2)) for each in at])
        points = points[np.isfinite(points).all(axis=1)]
        self.box = _around(points, room)
        beside = [_closest(cut, self.box) for cut in lines if segment(cut, self.box) is None and _near(cut, self.box)]
        if beside:
            self.box = _around(np.concatenate([points, beside]), room)
        self._limit()
        across, up = self.box[1] - self.box[0], self.box[3] - self.box[2]
        if equal and max(across, up) < _SQUARISH * min(across, up):
            self.ax.set_aspect("equal", adjustable="datalim")

    def lanes(self, names: Sequence[str]) -> None:
        """Make the vertical axis one of classes, with room for each."""
        self.box = (*self.box[:2], -0.6, len(names) - 0.4)
        self._limit()
        labels = [style.cut(each, 16) for each in names]
        self.ax.set_yticks(range(len(names)), labels, parse_math=False, usetex=False)
        tried = plain(self.ax.text(0, 0, "\n".join(labels), fontsize=0.9 * self.size))
        self.width -= max(tried.get_window_extent().width / self.figure.dpi - 0.2, 0.0)
        tried.remove()

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
        fit(self.ax.set_xlabel("", fontsize=self.size), across, self.width)
        self._up = up

    # ---- What is drawn.

    def dots(self, at: Floats, k: int, label: str | None = None, size: Any = None, **options: Any) -> PathCollection:
        """Draw points of class k; the size is an area, in square points."""
        many = len(at) > 300
        given: dict[str, Any] = {
            "alpha": 0.6 if many else 0.95,
            "zorder": 3,
            "linewidths": 0.5 if self.dot > 15 else 0.2,
        } | options
        drawn = self.ax.scatter(
            at[:, 0], at[:, 1], self.dot if size is None else size, c=style.colour(k), marker=style.marker(k),
            edgecolors="white", **given,
        )  # fmt: skip
        if label is not None:
            self.entry(Line2D([], [], ls="", marker=style.marker(k), color=style.colour(k), ms=5), label, of_class=True)
        return drawn

    def rings(
        self, at: Floats, label: str | None, colour: str = style.WRONG, marker: str = "o", wide: float = 3.2
    ) -> PathCollection:
        """Draw rings around points, or other hollow marks; they are so many times as large as a point."""
        drawn = self.ax.scatter(
            at[:, 0], at[:, 1], s=wide * self.dot, marker=marker, facecolors="none", edgecolors=colour, linewidths=1.2,
            zorder=4,
        )  # fmt: skip
        if label is not None:
            self.entry(Line2D([], [], ls="", marker=marker, mfc="none", mec=colour, ms=7, mew=1.2), label)
        return drawn

    def line(
        self, cut: Cut, label: str | None = None, span: tuple[float, float] = (-math.inf, math.inf), **options: Any
    ) -> Line2D | None:
        """Draw the line ``a u + b v + c = 0``, or a part of it; None if nothing is near the picture, which is noted.

        The part is from where to where along ``(-b, a)``, from the point of the line that is next to the origin.
        """
        ends = segment(cut, wider(self.box))
        if ends is None or not _near(cut, self.box):
            name = label or "a line"
            self.note(f"{name[:1].upper()}{name[1:]} lies outside of the picture.")
            return None
        if span != (-math.inf, math.inf):
            a, b, c = cut
            foot, along = np.array([-a * c, -b * c]), np.array([-b, a])
            places = np.clip((ends - foot) @ along, *span)
            ends = foot + places[:, None] * along
        given: dict[str, Any] = {"color": style.INK, "lw": style.WIDTH, "zorder": 2} | options
        drawn = Line2D(ends[:, 0], ends[:, 1], **given)
        self.ax.add_artist(drawn)  # not add_line: the limits are those of the points
        if label is not None:
            self.entry(drawn, label)
        return drawn

    def within(self, cut: Cut) -> Floats | None:
        """Return the ends of a line where it leaves the picture; None if it does not cross it."""
        return segment(cut, self.box)

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

    def region(self, corners: Floats, colour: str, alpha: float, **options: Any) -> list[Artist]:
        """Draw a convex polygon, or what is left of one: a segment, or a point, which has rings of its own."""
        drawn: list[Artist] = []
        if len(corners) > 2:
            drawn = [
                Polygon(corners, closed=True, fc=colour, ec="none", alpha=alpha, zorder=1.2),
                Polygon(corners, closed=True, fc="none", ec=colour, zorder=2.5, **options),
            ]
        elif len(corners) == 2:
            drawn = [Line2D(corners[:, 0], corners[:, 1], color=colour, zorder=2.5, **options)]
        for each in drawn:
            self.ax.add_artist(each)
        return drawn

    def star(self, at: Sequence[float], label: str) -> PathCollection:
        """Draw a star."""
        drawn = self.ax.scatter(
            [at[0]], [at[1]], 4 * self.dot, c=style.INK, marker="*", zorder=6, ec="white", linewidths=0.6
        )
        self.entry(Line2D([], [], ls="", marker="*", color=style.INK, ms=9), label)
        return drawn

    def letter(self, at: Floats, letter: str, avoid: Floats) -> Annotation:
        """Put a letter beside a point, on the side where other points are farthest."""
        place = self.ax.transData.transform
        here, others = place(at), place(avoid)
        others = others[np.abs(others - here).max(axis=1) > 0.5]
        far = 0.8 * self.size + math.sqrt(self.dot) * 1.1  # beyond a ring
        spots = [far * np.array([math.cos(turn), math.sin(turn)]) for turn in np.arange(16) * math.pi / 8 + math.pi / 4]
        inside = self.ax.get_window_extent()

        def room(spot: Floats) -> float:
            there = here + spot * self.figure.dpi / 72
            edge = min(there[0] - inside.x0, inside.x1 - there[0], there[1] - inside.y0, inside.y1 - there[1])
            return min(float(np.linalg.norm(others - there, axis=1).min(initial=math.inf)), 3 * edge)

        best = max(spots, key=room)
        drawn = self.ax.annotate(
            letter, (at[0], at[1]), (best[0], best[1]), textcoords="offset points", ha="center", va="center",
            fontsize=self.size, fontweight="bold", color=style.INK, zorder=7,
        )  # fmt: skip
        drawn.set_in_layout(False)
        plain(drawn)
        return drawn

    def words(self, x: float, y: float, words: str, share: float, **options: Any) -> Text:
        """Write words at a place of the axes, cut to a share of their width."""
        given: dict[str, Any] = {"fontsize": self.size, "color": style.INK} | options
        text = self.ax.text(x, y, "", **given)
        return fit(text, words, share * self.width)

    def patch(self, colour: str, alpha: float) -> Patch:
        """Return a handle of the legend for what is filled."""
        return Patch(fc=colour, ec="none", alpha=alpha)

    def key(self, letter: str) -> Line2D:
        """Return a handle of the legend for a letter."""
        return Line2D([], [], ls="", marker=f"${letter}$", color=style.INK, ms=0.7 * self.size, mew=0.3)

    # ---- What is said.

    def entry(self, handle: Any, label: str, of_class: bool = False) -> None:
        """Have something in the legend, or in that of the classes, in order."""
        (self.classes if of_class else self.entries).append((handle, label))

    def note(self, *notes: str | None) -> None:
        """Have notes below the axes; None is nothing to say."""
        self.notes += [each for each in dict.fromkeys(notes) if each and each not in self.notes]

    def finish(self) -> tuple[Legend | None, Annotation | None]:
        """Put the legend of the classes, the legend of all else, and the notes below the axes, one below the other."""
        self._limit()
        if self.classes:
            self.class_legend = self._legend(self.classes)
        legend = self._legend(self.entries, self.class_legend) if self.entries else None
        note = self._below(legend or self.class_legend) if self.notes else None
        if self._up:
            fit(self.ax.set_ylabel("", fontsize=self.size), self._up, max(self.height - self._used, 0.4))
        return legend, note

    def _legend(self, entries: list[tuple[Any, str]], above: Legend | None = None) -> Legend:
        size = 0.9 * self.size
        beside = (_HANDLE + 0.8 + _GAP) * size / 72
        least = 2 if len(entries) * 1.5 * size / 72 > _MOST_LEGEND * self.height else 1  # else no room is left for data
        tried = self.ax.text(0, 0, "", fontsize=size)
        found = [(fit(tried, label, self.width / least - beside).get_text(), length_of(tried)) for _, label in entries]
        tried.remove()
        columns = max(least, min(len(entries), int(self.width / (max(width for _, width in found) + beside))))
        legend = LegendBelow(
            self.ax, [handle for handle, _ in entries], ["-"] * len(entries), ncols=columns, loc="upper left",
            frameon=False, fontsize=size, borderaxespad=0.4, borderpad=0, handlelength=_HANDLE, columnspacing=_GAP,
            labelspacing=0.3,
        )  # fmt: skip
        for text, (label, _) in zip(legend.get_texts(), found, strict=True):  # set late: a label "_a" would be left out
            plain(text).set_text(label)
        legend.above = above
        self.ax.add_artist(legend)
        legend.set_clip_on(False)  # else it would not be made room for
        self._used += -(-len(entries) // columns) * 1.5 * size / 72
        return legend

    def _below(self, legend: Legend | None) -> Annotation:
        size = 0.8 * self.size
        words = style.wrapped(self.notes, self.letters(self.width, 0.92 * size))
        self._used += (words.count("\n") + 1.5) * 1.3 * size / 72
        note = self.ax.annotate(
            words, (0, 0), (0, -4),
            xycoords=("axes fraction", legend or _axis_box(self.ax)), textcoords="offset points",
            va="top", ha="left", fontsize=size, color=style.GREY, annotation_clip=False,
        )  # fmt: skip
        plain(note)
        return note


class LegendBelow(Legend):
    """A legend that hangs below the axes with all their labels, or below another legend, wherever these are in the end."""

    above: Legend | None = None

    def get_bbox_to_anchor(self) -> BboxBase:
        """Return the lower left corner of the axes, or of the other legend, as a box without size."""
        assert self.axes is not None
        left, bottom = self.axes.get_window_extent().x0, _axis_box(self.axes)(None).y0
        if self.above is not None:
            bottom = self.above.get_window_extent().y0
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


def _around(points: Floats, room: float) -> Box:
    """Return a box around points, with some room: a share of their range."""
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.ones(2))
    span = high - low
    if not span.any():  # one place: as much room as its numbers are large
        span = np.full(2, max(float(np.abs(high).max()), 1.0))
    span = np.where(span > 0, span, span.max())
    left, right = low - room * span, high + room * span
    for j in np.flatnonzero(high == low):  # in the middle
        left[j], right[j] = low[j] - span[j] / 2, low[j] + span[j] / 2
    return float(left[0]), float(right[0]), float(left[1]), float(right[1])


def _near(cut: Cut, box: Box) -> bool:
    """Whether a line meets a box, or passes beside it at no more than its size."""
    left, right, bottom, top = box
    dx, dy = right - left, top - bottom
    return segment(cut, (left - dx, right + dx, bottom - dy, top + dy)) is not None


def _closest(cut: Cut, box: Box) -> Floats:
    """Return the point of a line that is next to the middle of a box, as the box sees it."""
    left, right, bottom, top = box
    sizes = np.array([right - left, top - bottom])
    middle = np.array([left + right, bottom + top]) / 2
    normal = np.array(cut[:2]) * sizes
    return np.asarray(middle - (float(np.dot(cut[:2], middle)) + cut[2]) * sizes * normal / float(normal @ normal))
