"""The picture that a notebook shows of an answer; `support.notebook` finds it by its name."""

from __future__ import annotations

from typing import Any

from ..comparison.results import Comparison
from ..errors.disagreement import Disagreement
from ..estimators.shared.hyperplanes import Hyperplanes
from ..separation.margins import Margin
from ..separation.verdict import Verdict
from ..theorem.kernel_ledger import KernelLedger
from ..theorem.ledger import Ledger
from . import plot
from .displays.display import Display
from .making import scene
from .scene import Scene
from .scenery.courses import course_of
from .scenery.units import unit_alone
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
        return plot.BoundaryDisplay if shown.witness is None else plot.WitnessDisplay, shown
    return (plot.StructureDisplay, unit_alone(answer)) if isinstance(answer, Hyperplanes) else None
