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

from ..._types import Floats
from .. import style
from .boxes import Box, Cut, around, closest, near, segment, wider
from .texts import AxisBox, LegendBelow, fit, length_of, plain

_ROOM = 0.08
"""Share of the data's range that is left free on each side."""

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
        self._short: dict[str, str] = {}
        self._below_axes = AxisBox(ax)
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
        self.box = around(points, room)
        beside = [closest(cut, self.box) for cut in lines if segment(cut, self.box) is None and near(cut, self.box)]
        if beside:
            self.box = around(np.concatenate([points, beside]), room)
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
        self,
        at: Floats,
        label: str | None,
        colour: str = style.WRONG,
        marker: str = "o",
        wide: float = 3.2,
        short: str | None = None,
    ) -> PathCollection:
        """Draw rings around points, or other hollow marks; they are so many times as large as a point."""
        drawn = self.ax.scatter(
            at[:, 0], at[:, 1], s=wide * self.dot, marker=marker, facecolors="none", edgecolors=colour, linewidths=1.2,
            zorder=4,
        )  # fmt: skip
        if label is not None:
            self.entry(Line2D([], [], ls="", marker=marker, mfc="none", mec=colour, ms=7, mew=1.2), label, short=short)
        return drawn

    def line(
        self,
        cut: Cut,
        label: str | None = None,
        span: tuple[float, float] = (-math.inf, math.inf),
        short: str | None = None,
        **options: Any,
    ) -> Line2D | None:
        """Draw the line ``a u + b v + c = 0``, or a part of it; None if nothing is near the picture, which is noted.

        The part is from where to where along ``(-b, a)``, from the point of the line that is next to the origin.
        """
        ends = segment(cut, wider(self.box))
        if ends is None or not near(cut, self.box):
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
            self.entry(drawn, label, short=short)
        return drawn

    def within(self, cut: Cut) -> Floats | None:
        """Return the ends of a line where it leaves the picture; None if it does not cross it."""
        return segment(cut, self.box)

    def band(self, cut: Cut, half: float, label: str | None = None, short: str | None = None) -> tuple[Artist, ...]:
        """Draw the points nearer to a line than a distance: the filled band, then its two edges."""
        a, b, c = cut
        edges = [segment((a, b, c + side * half), wider(self.box)) for side in (-1.0, 1.0)]
        if edges[0] is None or edges[1] is None:
            return ()
        corners = np.concatenate([edges[0], edges[1][::-1]])
        filled = Polygon(corners, closed=True, fc=style.INK, ec="none", alpha=style.BAND, zorder=1)
        lines = [Line2D(e[:, 0], e[:, 1], color=style.INK, lw=0.8, ls="--", zorder=1.5) for e in edges if e is not None]
        for each in (filled, *lines):
            self.ax.add_artist(each)
        if label is not None:
            self.entry(lines[0], label, short=short)
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

    def stroke(self, colour: str, ls: Any) -> Line2D:
        """Return a handle of the legend for lines that are too thin to be recognised there."""
        return Line2D([], [], color=colour, ls=ls, lw=1.4)

    def patch(self, colour: str, alpha: float) -> Patch:
        """Return a handle of the legend for what is filled."""
        return Patch(fc=colour, ec="none", alpha=alpha)

    def key(self, letter: str) -> Line2D:
        """Return a handle of the legend for a letter."""
        return Line2D([], [], ls="", marker=f"${letter}$", color=style.INK, ms=0.7 * self.size, mew=0.3)

    # ---- What is said.

    def entry(self, handle: Any, label: str, of_class: bool = False, short: str | None = None) -> None:
        """Have something in the legend, or in that of the classes, in order; a short label is for small pictures."""
        (self.classes if of_class else self.entries).append((handle, label))
        if short is not None:
            self._short[label] = short

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
        given = [self._short.get(label, label) if least > 1 else label for _, label in entries]
        found = [(fit(tried, label, self.width / least - beside).get_text(), length_of(tried)) for label in given]
        tried.remove()
        columns = max(least, min(len(entries), int(self.width / (max(width for _, width in found) + beside))))
        legend = LegendBelow(
            self.ax, [handle for handle, _ in entries], ["-"] * len(entries), ncols=columns, loc="upper left",
            frameon=False, fontsize=size, borderaxespad=0.4, borderpad=0, handlelength=_HANDLE, columnspacing=_GAP,
            labelspacing=0.3,
        )  # fmt: skip
        for text, (label, _) in zip(legend.get_texts(), found, strict=True):  # set late: a label "_a" would be left out
            plain(text).set_text(label)
        legend.below, legend.above = self._below_axes, above
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
            xycoords=("axes fraction", legend or self._below_axes), textcoords="offset points",
            va="top", ha="left", fontsize=size, color=style.GREY, annotation_clip=False,
        )  # fmt: skip
        plain(note)
        return note
