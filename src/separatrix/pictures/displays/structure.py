"""The perceptron as a unit: inputs, weights, sum, threshold, output, with the fitted numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...estimators.shared.hyperplanes import Hyperplanes
from ...geometry.hyperplane import Hyperplane
from ...support.counts import counted
from .. import style
from ..making import scene
from ..scene import Unit
from ..scenery.units import unit_alone
from .display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from .canvas import Canvas

_NAMES, _INPUT, _SUM, _STEP, _OUTPUT = 0.26, 0.29, 0.59, 0.73, 0.83
"""Where things are, from left to right: where names end, the inputs, the sum, the threshold, where the outputs begin."""


class StructureDisplay(Display):
    """The unit: inputs, weights, sum, threshold, output.

    Attributes
    ----------
    inputs_ : PathCollection
        The inputs, the constant 1 last if there is an intercept.
    edges_ : list of Line2D
        What leads from each of them to the sum; dashed where the weight is negative.
    names_, weights_ : list of Text
        The names of the inputs, and their weights.
    outputs_ : list of Text
        The classes: of a score above the threshold, and of one below.
    """

    picture = "structure"

    inputs_: PathCollection
    edges_: list[Line2D]
    names_: list[Text]
    weights_: list[Text]
    outputs_: list[Text]

    def _draw(self, canvas: Canvas) -> None:
        unit: Unit = self.scene.require("unit", self.picture)
        canvas.box = (0.0, 1.0, 0.0, 1.0)
        canvas.ax.set_axis_off()
        canvas.width /= 0.8  # there is no axis to make room for
        names, weights = [*unit.inputs], [*unit.weights]
        more = unit.total - len(names)
        if unit.intercept is not None:
            names, weights = [*names, "constant 1"], [*weights, unit.intercept]
        heights = np.linspace(0.95, 0.05, len(names) + (more > 0)) if len(names) + (more > 0) > 1 else np.array([0.5])
        if more > 0:  # before the constant, where it would be
            place = len(unit.inputs)
            self._draw_more(canvas, float(heights[place]), more)
            heights = np.delete(heights, place)
        self._draw_inputs(canvas, names, weights, heights)
        self._draw_sum(canvas, unit)
        canvas.note("Numbers are rounded to five digits." if any(_brief(each) != each for each in weights) else None)
        canvas.note("All weights are divided by the largest one." if unit.divided else None, *self.scene.notes)
        if unit.tie in ("positive", "negative"):
            winner = unit.classes[-1] if unit.tie == "positive" else unit.classes[0]
            canvas.note(f"A sum of 0 predicts {style.cut(winner, style.LONGEST_NAME)}.")

    def _draw_inputs(self, canvas: Canvas, names: list[str], weights: list[str], heights: Any) -> None:
        ax, small = canvas.ax, 0.9 * canvas.size
        sizes = np.array([abs(_number(each)) for each in weights])
        widths = 0.7 + 2.3 * sizes / (sizes.max() if sizes.size and sizes.max() > 0 else 1.0)
        self.edges_, self.names_, self.weights_ = [], [], []
        for name, weight, height, width in zip(names, weights, heights, widths, strict=True):
            negative = weight.startswith("-")
            colour = style.COLOURS[1] if negative else style.COLOURS[0]
            [edge] = ax.plot([_INPUT, _SUM], [height, 0.5], color=colour, ls="--" if negative else "-", lw=width, zorder=1)
            self.edges_.append(edge)
            self.names_.append(canvas.words(_NAMES, height, name, _NAMES, ha="right", va="center"))
            up = height + 0.25 * (0.5 - height)  # on the way to the sum, with the edge behind it
            at = _INPUT + 0.25 * (_SUM - _INPUT)
            text = canvas.words(at, up, _brief(weight), 0.16, ha="center", va="center", fontsize=small)
            text.set_bbox({"fc": "white", "ec": "none", "pad": 0.8})
            self.weights_.append(text)
        self.inputs_ = ax.scatter(
            np.full(len(names), _INPUT), heights, 2.2 * canvas.dot, c="white", edgecolors=style.INK, linewidths=1.2, zorder=3
        )
        for label, ls, colour in (("positive weight", "-", style.COLOURS[0]), ("negative weight", "--", style.COLOURS[1])):
            shown = next((edge for edge in self.edges_ if edge.get_linestyle() == ls and edge.get_color() == colour), None)
            if shown is not None:
                canvas.entry(shown, label)

    def _draw_more(self, canvas: Canvas, height: float, more: int) -> None:
        """Say how many inputs of smaller weights there are besides."""
        text = canvas.words(_NAMES, height, f"{more:,} more", _NAMES, ha="right", va="center")
        text.set_color(style.GREY)
        canvas.ax.plot([_INPUT, _SUM], [height, 0.5], color=style.PALE, ls=":", lw=1.0, zorder=0.5)
        canvas.note(f"{counted(more, 'input')} of smaller weights are not drawn.")

    def _draw_sum(self, canvas: Canvas, unit: Unit) -> None:
        ax = canvas.ax
        node: dict[str, Any] = {"s": 16 * canvas.dot, "c": "white", "edgecolors": style.INK, "linewidths": 1.4, "zorder": 3}
        half = 0.5 * np.sqrt(16 * canvas.dot) / (72 * canvas.width)
        canvas.arrow((_SUM, 0.5), (_STEP - half, 0.5), lw=1.2, zorder=2)
        canvas.arrow((_STEP, 0.5), (_OUTPUT - 0.01, 0.5), lw=1.2, zorder=2)
        ax.scatter([_SUM], [0.5], marker="o", **node)
        ax.scatter([_STEP], [0.5], marker="s", **node)
        canvas.words(_SUM, 0.5, "Σ", 0.2, ha="center", va="center", fontsize=1.5 * canvas.size, zorder=4)
        canvas.words(_STEP, 0.5, "> 0", 0.2, ha="center", va="center", fontsize=canvas.size, zorder=4)
        canvas.words(_SUM, 0.30, "sum", 0.2, ha="center", va="top")
        canvas.words(_STEP, 0.30, "threshold", 0.2, ha="center", va="top")
        first, last = unit.classes[0], unit.classes[-1]
        said = [f"yes: {last}"] + ([f"no: {first}"] if len(unit.classes) > 1 else [])
        spots = [0.58, 0.42] if len(said) > 1 else [0.5]
        self.outputs_ = [
            canvas.words(_OUTPUT, height, text, 1 - _OUTPUT, ha="left", va="center")
            for height, text in zip(spots, said, strict=True)
        ]


def _brief(number: str) -> str:
    """Return a number as it is written if that is short, else rounded."""
    return number if len(number) <= 8 else f"{_number(number):.5g}"


def _number(text: str) -> float:
    """Return the size of a number that is written as a decimal or a fraction; too large ones are all as large."""
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom) if bottom else float(np.clip(float(top), -1e300, 1e300))


def structure(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> StructureDisplay:
    """Draw the unit: inputs, their weights, the sum, the threshold and the output, with the fitted numbers.

    Parameters
    ----------
    answer : Verdict, Margin, Disagreement, fitted classifier of two classes, Hyperplane, or Scene
        What has the weights.
    X, y : rows and labels, or `Data` in place of X
        The rows that a classifier is shown with; their names are those of the inputs. They may be left out.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    StructureDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> drawn = sx.plot.structure(sx.Perceptron().fit(X, y), X, y)
    >>> [text.get_text() for text in drawn.names_], [text.get_text() for text in drawn.weights_]
    (['x1', 'x2', 'constant 1'], ['3', '2', '-4'])
    """
    alone = X is None and isinstance(answer, Hyperplane | Hyperplanes)
    return StructureDisplay.from_scene(unit_alone(answer) if alone else scene(answer, X, y), ax=ax)
