"""The table of steps that ``fit --steps`` writes or shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exceptions import FileError

if TYPE_CHECKING:
    from ..tracing.step_table import StepTable
    from .lessons import Lesson

ALGORITHMS = ("perceptron", "averaged", "voted", "pocket", "kernel")
"""What has steps."""


class Asked(NamedTuple):
    """What is asked for."""

    path: Path
    mistakes_only: bool
    first: int | None

    @property
    def shown(self) -> bool:
        """Whether the table is part of the result, not a file."""
        return str(self.path) == "-"


def refuse_steps(asked: Asked | None, algorithm: str, holdout: float, detailed: bool) -> None:
    """Refuse at once what cannot be shown."""
    if asked is None:
        if detailed:
            raise FileError("--mistakes-only and --first are about --steps, which is not given.")
        return
    if algorithm not in ALGORITHMS:
        raise FileError(f"--steps is not for --algorithm {algorithm}, which has none, but for {', '.join(ALGORITHMS)}.")
    if holdout:
        raise FileError("--steps shows a run on all rows: leave --holdout out.")
    if asked.first is not None and asked.first < 1:
        raise FileError(f"--first must be at least 1, got {asked.first}.")


def step_table(asked: Asked, lesson: Lesson) -> StepTable:
    """Return the table, in the names of the columns and classes, and write it if it goes to a file."""
    from ..estimators.kernel_perceptron import KernelPerceptron
    from ..tracing.steps import steps

    shown: dict[str, Any] = {"mistakes_only": asked.mistakes_only, "first": asked.first}
    table = steps(lesson.classifier, lesson.X, lesson.y, **lesson.first, **shown).with_classes(lesson.classes)
    if not isinstance(lesson.classifier, KernelPerceptron):
        table = replace(table, features=tuple(lesson.rows.names))
    if not asked.shown:
        table.to_csv(asked.path)
    return table
