"""The perceptron loss: of one row, with its kink, and of all rows in the course of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...estimators.perceptron import Perceptron
from .. import style
from ..making import scene
from ..scene import Chart, Scene
from ..scenery.losses import of_perceptron
from .charting import draw_chart, fit
from .display import Display, canvas_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from .canvas import Canvas

PARTS = ("row", "run")


class LossDisplay(Display):
    """The perceptron loss of one row as its score varies, and that of all rows in the course of a run.

    Parameters
    ----------
    scene : Scene
        What to show.
    part : {"row", "run"}, optional
        Which of the two to show; without it both, side by side.

    Attributes
    ----------
    row_, run_ : list of Line2D
        What is drawn of either: the loss of a row, slopes of its subgradients at the kink, and rows on it; the loss of all.
    axes_, legends_ : list
        What it is drawn on, and the legends; ``ax_`` is the first of them, ``legend_`` and ``notes_`` are those of the last.
    """

    picture = "loss"

    row_: list[Line2D]
    run_: list[Line2D]
    axes_: list[Axes]
    legends_: list[Legend | None]
    legend_: Legend | None
    notes_: Annotation | None

    def __init__(self, scene: Scene, *, part: str | None = None) -> None:
        super().__init__(scene)
        if part is not None and part not in PARTS:
            raise ValueError(f"part must be 'row', 'run' or None for both, got {part!r}.")
        self.part = part

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None, **options: Any) -> Self:
        """Draw the loss over the run of a fitted perceptron, which is repeated on its rows unless it was recorded.

        Parameters
        ----------
        estimator : Perceptron
            The fitted perceptron.
        X, y : rows and labels, or `Data` in place of X
            What it was fitted with.
        ax : matplotlib.axes.Axes, or two of them, optional
            What to draw on; without it, a figure is made.
        **options
            What else the picture takes.
        """
        return cls.from_scene(_of_run(estimator, X, y), ax=ax, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw it, on given axes, one for each part, or in a figure of its own."""
        parts = PARTS if self.part is None else (self.part,)
        axes = [None] * len(parts) if ax is None else [*np.ravel(np.asarray(ax, object))]
        if len(axes) != len(parts):
            raise ValueError(
                f"There are {len(axes)} axes for {len(parts)} parts: give ax=figure.subplots(1, 2), or choose part='row' or "
                "part='run'."
            )
        charts = [self.scene.require("kink" if part == "row" else "loss", self.picture) for part in parts]
        canvases = canvas_on(*axes, width=4.4 * len(parts) + 1.0)
        self.axes_, self.row_, self.run_, self.legends_ = [each.ax for each in canvases], [], [], []
        self.class_legend_ = None
        self.ax_, self.figure_ = canvases[0].ax, canvases[0].figure
        for part, chart, canvas in zip(parts, charts, canvases, strict=True):
            if part == "row":
                self.row_ = _draw_row(canvas, chart)
            else:
                self.run_ = draw_chart(canvas, chart, [{"marker": ""}]).curves
            self.legend_, self.notes_ = canvas.finish()
            self.legends_.append(self.legend_)
        return self


def _draw_row(canvas: Canvas, chart: Chart) -> list[Line2D]:
    """Draw the loss of one row: slopes at its kink are thin, and rows are dots on it."""
    given: list[dict[str, Any]] = [
        {"color": style.INK, "lw": 2.2, "marker": "", "zorder": 3}
        if k == 0
        else {"color": style.colour(1), "marker": "o", "ms": 6.0, "alpha": 0.9, "mec": "white", "mew": 0.5, "zorder": 4}
        if each.dots
        else {"color": style.colour(0), "lw": 1.0, "ls": "--", "marker": "", "zorder": 2}
        for k, each in enumerate(chart.curves)
    ]
    drawn = draw_chart(canvas, chart, given)
    values = np.concatenate([each.value for each in chart.curves])
    fit(canvas, np.concatenate([each.at for each in chart.curves]), values, zero=False)
    for at, place in ((0.0, canvas.ax.axhline), (0.0, canvas.ax.axvline)):
        place(at, color=style.PALE, lw=0.8, zorder=1)
    return drawn.curves


def _of_run(answer: Any, X: Any, y: Any) -> Scene:
    """Return the scene of a run, however long repeating it takes: it was asked for."""
    if not isinstance(answer, Perceptron):
        return scene(answer, X, y)
    charts = of_perceptron(answer, X, y)
    if charts is None:
        raise ValueError(
            f"The perceptron loss is one of two classes; the perceptron has learnt {len(answer.classes_)}. Set one class "
            f"against the rest, as in y == {answer.classes_[0]!r}."
        )
    return Scene("Perceptron", loss=charts[0], kink=charts[1])


def loss(answer: Any, X: Any = None, y: Any = None, *, part: str | None = None, ax: Any = None) -> LossDisplay:
    """Draw the perceptron loss: of one row, with its kink and the subgradients there, and of all rows over a run.

    Parameters
    ----------
    answer : fitted Perceptron, Descent, Ledger, or Scene
        The run. That of a perceptron is repeated on its rows, unless it was recorded.
    X, y : rows and labels, or `Data` in place of X
        What a perceptron was fitted with.
    part : {"row", "run"}, optional
        Which of the two to show; without it both, side by side.
    ax : matplotlib.axes.Axes, or two of them, optional
        What to draw on, one for each part; without it, a figure is made.

    Returns
    -------
    LossDisplay

    Examples
    --------
    >>> import separatrix as sx
    >>> descent = sx.descend_on_loss(*sx.examples.load("and"))
    >>> drawn = sx.plot.loss(descent, part="run")
    >>> drawn.run_[0].get_ydata().tolist()
    [0.0, 2.0, 0.0, 3.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0]
    """
    return LossDisplay.from_scene(_of_run(answer, X, y), ax=ax, part=part)
