"""Rows and hyperplanes of a problem, put into the plane of a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Indices
from ..exact.rationals import vector_of
from ..exact.rounding import nearest, rational_root
from ..problem.lifted import Lifted
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.scores import least_scores
from ..problem.wording import MAX_FEATURES_SHOWN, column_names
from ..support.escaping import shown
from ..support.formulas import linear_combination
from .projecting import Projection, codes_of
from .scene import Line, Points
from .thinning import MOST_POINTS, chosen_rows

_LONG = 10**7
"""Weights from here up, and from 1 over it down, are not shown as they are."""


@dataclass(frozen=True)
class Stage:
    """A problem, and the plane it is drawn in."""

    problem: Problem
    projection: Projection

    @classmethod
    def of(cls, problem: Problem, weights: Sequence[Fraction] | None = None, intercept: Fraction = Fraction(0)) -> Stage:
        """Choose the plane, see `Projection.of`."""
        return cls(problem, Projection.of(problem, weights, intercept))

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, as a person may see them."""
        return tuple(map(shown, self.problem.classes))

    def points(
        self,
        first: Sequence[int] | Indices = (),
        wrong: Sequence[int] | Indices | None = None,
        support: Sequence[int] | Indices | None = None,
        on: Sequence[int] | Indices | None = None,
        most: int = MOST_POINTS,
    ) -> Points:
        """Return rows as points: those to be shown first, and of the others as many as there is room for."""
        problem, codes = self.problem, codes_of(self.problem)
        marked = [np.asarray(() if each is None else each, np.int64) for each in (first, support, on, wrong)]
        rows, note = chosen_rows(codes, np.concatenate([each[: most // 4] for each in marked]), most)
        truth = [None if each is None else np.isin(rows, np.asarray(each, np.int64)) for each in (wrong, support, on)]
        return Points(
            at=self.projection.points(problem.rows[rows].nearest(), codes[rows]),
            code=codes[rows],
            row=rows if problem.kept is None else problem.kept[rows],
            classes=self.classes,
            total=problem.n,
            wrong=truth[0],
            support=truth[1],
            on=truth[2],
            note=note,
        )

    def line(self, name: str, weights: Sequence[Fraction], intercept: Fraction, margin: float | None = None) -> Line:
        """Return a hyperplane as a line, with its rule in feature names."""
        return self.projection.line(name, weights, intercept, self.rule(weights, intercept), margin)

    def nearest(self, weights: Sequence[Fraction], intercept: Fraction) -> tuple[float | None, list[int]]:
        """Return how far the nearest row is, and the first such row of each class; None and none unless all are right.

        Exact scores say which they are; nothing is rounded but the distance.
        """
        problem = self.problem
        if isinstance(problem, Classes) or not any(weights) or (intercept and not problem.intercept):
            return None, []
        exact = vector_of([*weights, intercept] if problem.intercept else [*weights])
        groups = [group for group in (problem.y < 0, problem.y > 0) if group.any()]
        found = least_scores(Lifted.of(problem), exact.numerators, groups)
        least = min(score for score, _ in found)
        if least <= 0:
            return None, []
        length = rational_root(sum((w * w for w in weights), Fraction(0)), up=True)
        return nearest(least / (exact.divisor * problem.rows.denominator * length)), [row for _, row in found]

    def signs(self, weights: Sequence[Fraction], intercept: Fraction) -> Indices:
        """Return for each row, exactly, 1 if it is on its correct side, -1 on the other, 0 on the hyperplane."""
        exact = vector_of([*weights, intercept] if self.problem.intercept else [*weights])
        return Lifted.of(self.problem).signs(exact.numerators)

    def rule(self, weights: Iterable[Fraction], intercept: Fraction) -> str:
        """Write where scores are positive, in feature names; cut short if it is long.

        Where numbers are very large or very small, all are divided by the largest weight.
        """
        weights, intercept, _ = readable(list(weights), intercept)
        terms = [(weight, name) for weight, name in zip(weights, column_names(self.problem), strict=True) if weight]
        return f"{linear_combination(terms[: MAX_FEATURES_SHOWN + 2], MAX_FEATURES_SHOWN).text} > {_number(-intercept)}"


def readable(weights: Sequence[Fraction], intercept: Fraction) -> tuple[Sequence[Fraction], Fraction, bool]:
    """Return weights that define the same hyperplane, divided by the largest where they are very large or very small."""
    largest = max(map(abs, weights), default=Fraction(0))
    if not largest or Fraction(1, _LONG) < largest < _LONG:
        return weights, intercept, False
    return [weight / largest for weight in weights], intercept / largest, True


def _number(number: Fraction) -> str:
    return linear_combination([(number, "")], 1).text
