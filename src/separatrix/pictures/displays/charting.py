"""Charts on axes: curves over time, horizontal levels, and limits that leave room for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..._types import Floats
from .. import style
from ..scene import Chart, Curve

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

    from .canvas import Canvas

_ROOM = 0.06
"""Share of the range that is left free on either side."""

_BEYOND = 3.0
"""A level is drawn unless it is so many times as high as all else, which would be pressed flat."""

_FEW = 40
"""Values up to which each has a mark."""

_MARKS = ("o", "s", "^", "D")


@dataclass
class Drawn:
    """What is drawn of a chart."""

    curves: list[Line2D] = field(default_factory=list)
    levels: list[Line2D] = field(default_factory=list)


def draw_curve(canvas: Canvas, each: Curve, k: int, label: str | None, **options: Any) -> Line2D:
    """Draw a curve; where values are few, each has a mark."""
    marked = each.dots or each.at.size <= _FEW
    mark = _MARKS[k % len(_MARKS)]
    given: dict[str, Any] = {
        "color": style.colour(k), "lw": style.WIDTH, "ls": "" if each.dots else "-", "zorder": 3, "ms": 0.45 * canvas.size,
        "marker": mark if marked else "", "drawstyle": "steps-post" if each.steps else "default",
    } | options  # fmt: skip
    if each.at.size == 1:  # a line has two ends
        given["marker"] = given["marker"] or mark
    value = np.where(np.isfinite(each.value), each.value, np.nan)
    [drawn] = canvas.ax.plot(each.at, value, **given)
    if label is not None and each.at.size:
        canvas.entry(drawn, label)
    return drawn


def draw_chart(canvas: Canvas, chart: Chart, options: list[dict[str, Any]] | None = None) -> Drawn:
    """Draw all curves of a chart and its levels; curves of the same name are one entry of the legend."""
    drawn, named = Drawn(), set[str]()
    for k, each in enumerate(chart.curves):
        given = options[k % len(options)] if options else {}
        drawn.curves.append(draw_curve(canvas, each, k, None if each.name in named else each.name, **given))
        named.add(each.name)
    top = max((finite(each.value).max(initial=0.0) for each in chart.curves), default=0.0)
    for k, (name, height) in enumerate(chart.levels):
        label = f"{name}: {number(height)}"
        if not np.isfinite(height) or (height > _BEYOND * max(top, 1.0)):
            canvas.note(f"{label}, beyond the picture.")
            continue
        drawn.levels.append(canvas.ax.axhline(height, color=style.INK, lw=1.2, ls=style.line(k + 1), zorder=2))
        canvas.entry(drawn.levels[-1], label)
    canvas.note(chart.note)
    if any(not np.isfinite(each.value).all() for each in chart.curves):
        canvas.note("Numbers beyond float64 are left out.")
    canvas.name_axes(*chart.axes)
    whole_ticks(canvas, chart)
    heights = [each.value for each in chart.curves] + [
        np.array([level for _, level in chart.levels if level <= _BEYOND * top])
    ]
    fit(canvas, np.concatenate([each.at for each in chart.curves]) if chart.curves else np.zeros(0), np.concatenate(heights))
    return drawn


def whole_ticks(canvas: Canvas, chart: Chart) -> None:
    """Have ticks at whole numbers where the axes count."""
    if all(np.all(finite(each.at) % 1 == 0) for each in chart.curves):
        count_ticks(canvas, "x", max((finite(each.at).max(initial=0.0) for each in chart.curves), default=0.0))
    if all(each.steps and np.all(finite(each.value) % 1 == 0) for each in chart.curves):
        count_ticks(canvas, "y")


def count_ticks(canvas: Canvas, axis: Literal["x", "y"], top: float = 0.0) -> None:
    """Have ticks at whole numbers, with commas between thousands, and across only as many as there is room for."""
    wide = len(f"{top:,.0f}") + 3
    most = canvas.letters(canvas.width, 0.9 * canvas.size) // wide if axis == "x" else 8
    canvas.ax.locator_params(axis=axis, integer=True, nbins=max(2, min(8, most)))
    (canvas.ax.xaxis if axis == "x" else canvas.ax.yaxis).set_major_formatter(lambda value, _: f"{value:,.0f}")


def finite(values: Floats) -> Floats:
    """Return the numbers that can be drawn."""
    return values[np.isfinite(values)]


def fit(canvas: Canvas, across: Floats, up: Floats, *, log: bool = False, zero: bool = True) -> None:
    """Set the limits so that these numbers are seen, with room around them, and by default 0 as the lowest."""
    xs, ys = finite(np.asarray(across, np.float64)), finite(np.asarray(up, np.float64))
    if not xs.size:
        canvas.box = (0.0, 1.0, 0.0, 1.0)
        return
    if log:
        canvas.ax.set_xscale("log")
        canvas.ax.set_yscale("log")
        (left, right), (bottom, top) = (_widened(np.log10(each[each > 0])) for each in (xs, ys))
        canvas.box = (10**left, 10**right, 10**bottom, 10**top)
        return
    canvas.box = (*_widened(xs), *_widened(np.append(ys, 0.0) if zero else ys))


def _widened(values: Floats) -> tuple[float, float]:
    """Return limits around values; around a single one those of a unit, or of half its size."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    room = _ROOM * (high - low) or max(abs(high) * 0.5, 0.5)
    return low - room, high + room


def number(value: float) -> str:
    """Write a number of a legend: whole ones in full, six digits of others."""
    if np.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}"
