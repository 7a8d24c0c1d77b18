"""The picture that a notebook shows of an answer; `support.notebook` finds it by its name."""

from __future__ import annotations

from typing import Any

from ..comparison.results import Comparison
from ..errors.disagreement import Disagreement
from ..estimators.learnt import Learner
from ..separation.margins import Margin
from ..separation.verdict import Verdict
from ..theorem.kernel_ledger import KernelLedger
from ..theorem.ledger import Ledger
from . import plot
from .courses import course_of
from .displays.display import Display
from .making import scene
from .scene import Scene
from .svg import svg

_MOST_NUMBERS = 20_000_000
"""Numbers that rows may have to be drawn unasked: a second's work."""

_INCHES = (6.4, 4.4)


def picture(answer: Any) -> str | None:
    """Return the picture of an answer as SVG; None if there is none that needs no more than the answer."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    found = _chosen(answer)
    if found is None:
        return None
    display, shown = found
    bars = 0 if shown.comparison is None else len(shown.comparison.bars)
    figure = Figure(figsize=(_INCHES[0], min(max(_INCHES[1], 2.0 + 0.42 * bars), 20.0)), layout="constrained")
    display.from_scene(shown, ax=figure.subplots())  # not in pyplot, which notebooks show once more
    return svg(figure, shown.title)


def _chosen(answer: Any) -> tuple[type[Display], Scene] | None:
    """Return the picture that says most, and what it shows; only that is computed."""
    if isinstance(answer, Ledger | KernelLedger):
        return plot.SqueezeDisplay, Scene(repr(answer), course=course_of(answer))
    if isinstance(answer, Comparison):
        return plot.ComparisonDisplay, scene(answer)
    if isinstance(answer, Verdict | Margin | Disagreement):
        if answer.problem.n * answer.problem.d > _MOST_NUMBERS:
            return None
        shown = scene(answer)
        refuted = getattr(plot, "WitnessDisplay", None)
        return plot.BoundaryDisplay if shown.witness is None or refuted is None else refuted, shown
    structure = getattr(plot, "StructureDisplay", None)
    if isinstance(answer, Learner) and structure is not None:
        shown = scene(answer)
        return None if shown.unit is None else (structure, shown)
    return None
