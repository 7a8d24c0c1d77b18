"""An exercise: a few rows of small whole numbers, and all that a run of the perceptron on them gives, exactly."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .._types import Indices
from ..exceptions import FileError
from ..perceptron.orders import UNLIMITED
from ..perceptron.run import Run
from ..problem.problem import Problem
from ..problem.ties import TIES, is_mistake
from ..separation.margins import Margin
from ..separation.maximum_margin import margin_of_problem
from ..separation.verdict import NotSeparable
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from ..support.writing import write_whole


@dataclass(frozen=True)
class Visit:
    """One visit of a run: the row, its score, whether that is a mistake, and the weights after it, the intercept last."""

    number: int
    row: int
    label: int
    score: int
    mistake: bool
    weights: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Exercise(Answer):
    """Data to set as an exercise, with the solution; `make` makes it, and has checked every number by the exact run.

    Attributes
    ----------
    X, y : arrays of whole numbers
        The rows, and their labels, -1 and 1.
    mistakes : int
        Mistakes of the perceptron, from zero, until a pass is without one.
    passes : int
        The passes of the run, the last one without a mistake included.
    margin_squared, geometric_margin_squared : Fraction
        The squares of the margins: gamma of the convergence theorem, the distance of the origin from the hull of the
        signed, lifted rows; and half the distance between the classes (of rows without an intercept the same as gamma).
    radius_squared : int
        R^2, of the longest lifted row.
    bound : Fraction
        ``R^2 / gamma^2``, the mistakes that the theorem allows.
    weights : tuple of int
        The last weights, the intercept last.
    trace : tuple of int
        The rows erred on.
    order : tuple of int
        The rows as they are visited, over and over.
    tie, fit_intercept, seed
        As they were given.
    """

    X: Indices
    y: Indices
    mistakes: int
    passes: int
    margin_squared: Fraction
    geometric_margin_squared: Fraction
    radius_squared: int
    weights: tuple[int, ...]
    trace: tuple[int, ...]
    order: tuple[int, ...]
    tie: str
    fit_intercept: bool
    seed: int

    @property
    def bound(self) -> Fraction:
        """``R^2 / gamma^2``."""
        return self.radius_squared / self.margin_squared

    @property
    def margin(self) -> float:
        """Gamma, rounded."""
        return math.sqrt(self.margin_squared)

    @property
    def radius(self) -> float:
        """R, rounded."""
        return math.sqrt(self.radius_squared)

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return [f"x{j + 1}" for j in range(self.X.shape[1])]

    @cached_property
    def visits(self) -> tuple[Visit, ...]:
        """Every visit of the run, in order, in whole numbers."""
        w = [0] * len(self.weights)
        found: list[Visit] = []
        for number in range(self.passes * len(self.order)):
            i = self.order[number % len(self.order)]
            x = [*map(int, self.X[i]), *([1] if self.fit_intercept else [])]
            label, score = int(self.y[i]), sum(a * b for a, b in zip(w, x, strict=True))
            mistake = bool(is_mistake((score > 0) - (score < 0) if label > 0 else (score < 0) - (score > 0), label,
                                      TIES[self.tie]))  # fmt: skip
            if mistake:
                w = [a + label * b for a, b in zip(w, x, strict=True)]
            found.append(Visit(number + 1, i, label, score, mistake, tuple(w)))
        assert tuple(each.row for each in found if each.mistake) == self.trace
        assert tuple(w) == self.weights
        return tuple(found)

    def task(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write what is asked of a student.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        from .solution import task

        return written(task(self), format)

    def solution(self, format: str = "text") -> str:  # noqa: A002
        """Write the task and its solution: the run visit by visit, the margin, R and the bound.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        from .solution import solution, task

        return written([*task(self), *solution(self)], format)

    def csv(self) -> str:
        """Write the data as CSV, the label in the last column, ``y``."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.names, "y"])
        writer.writerows([*row, label] for row, label in zip(self.X.tolist(), self.y.tolist(), strict=True))
        return text.getvalue()

    def to_csv(self, path: str | Path) -> None:
        """Write the data to a CSV file."""
        if not isinstance(path, str | Path):
            raise FileError(f"The path of a file must be a text or a Path, got {path!r}.")
        write_whole(path, self.csv())

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON has it; fractions are texts."""
        return {
            "columns": [*self.names, "y"],
            "rows": [[*row, label] for row, label in zip(self.X.tolist(), self.y.tolist(), strict=True)],
            "mistakes": self.mistakes, "passes": self.passes, "margin_squared": str(self.margin_squared),
            "geometric_margin_squared": str(self.geometric_margin_squared), "radius_squared": self.radius_squared,
            "bound": str(self.bound), "weights": list(self.weights), "trace": list(self.trace), "order": list(self.order),
            "tie": self.tie, "intercept": self.fit_intercept, "seed": self.seed,
        }  # fmt: skip

    def __repr__(self) -> str:
        n, d = self.X.shape
        return (
            f"<Exercise: {n} rows, {d} features, {counted(self.mistakes, 'mistake')}; gamma^2 = {self.margin_squared}, "
            f"R^2 = {self.radius_squared}, at most {self.bound}>"
        )

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Return the task and its solution, as `solution` does."""
        return self.solution(format)


def worked_out(X: Indices, y: Indices, *, order: tuple[int, ...] | None, tie: str, intercept: bool, seed: int, most: int,
               ) -> Exercise | None:  # fmt: skip
    """Run the perceptron exactly and find the exact margins; None if the rows are not separable or take more mistakes."""
    problem = Problem.of(X, y, intercept=intercept)
    visits = tuple(range(problem.n)) if order is None else order
    run = Run(problem, tie=tie, record=True)
    run.advance(np.array(visits, np.int64), UNLIMITED, most + 1)
    if run.mistakes > most:
        return None
    try:
        lifted, geometric = _exact(problem, "lifted"), _exact(problem, "geometric")
    except NotSeparable:
        return None
    square = int(np.square(X).sum(axis=1).max()) + intercept
    assert lifted.squared is not None
    assert geometric.squared is not None
    return Exercise(
        X=X, y=y, mistakes=run.mistakes, passes=run.passes, margin_squared=lifted.squared,
        geometric_margin_squared=geometric.squared, radius_squared=square,
        weights=tuple(int(each) for each in run.weights().fractions()), trace=tuple(run.trace.tolist()), order=visits,
        tie=tie, fit_intercept=intercept, seed=seed,
    )  # fmt: skip


def _exact(problem: Problem, kind: str) -> Margin:
    return margin_of_problem(problem, kind, exact=True)
