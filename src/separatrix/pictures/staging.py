"""Rows and hyperplanes of a problem, put into the plane of a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Indices
from ..problem.problem import Problem
from ..problem.wording import MAX_FEATURES_SHOWN, column_names
from ..support.escaping import shown
from ..support.formulas import linear_combination
from .projecting import Projection, codes_of
from .scene import Line, Points
from .thinning import MOST_POINTS, chosen_rows


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
        most: int = MOST_POINTS,
    ) -> Points:
        """Return rows as points: those to be shown first, and of the others as many as there is room for."""
        problem, codes = self.problem, codes_of(self.problem)
        wanted = np.concatenate([np.asarray(each, np.int64) for each in (first, () if support is None else support)])
        rows, note = chosen_rows(codes, wanted, most)
        return Points(
            at=self.projection.points(problem.rows[rows].nearest(), codes[rows]),
            code=codes[rows],
            row=rows if problem.kept is None else problem.kept[rows],
            classes=self.classes,
            total=problem.n,
            wrong=None if wrong is None else np.isin(rows, np.asarray(wrong, np.int64)),
            support=None if support is None else np.isin(rows, np.asarray(support, np.int64)),
            note=note,
        )

    def line(self, name: str, weights: Sequence[Fraction], intercept: Fraction, margin: float | None = None) -> Line:
        """Return a hyperplane as a line, with its rule in feature names."""
        return self.projection.line(name, weights, intercept, self.rule(weights, intercept), margin)

    def rule(self, weights: Iterable[Fraction], intercept: Fraction) -> str:
        """Write where scores are positive, in feature names; cut short if it is long."""
        terms = [(weight, name) for weight, name in zip(weights, column_names(self.problem), strict=True) if weight]
        return f"{linear_combination(terms[: MAX_FEATURES_SHOWN + 2], MAX_FEATURES_SHOWN).text} > {_number(-intercept)}"


def _number(number: Fraction) -> str:
    return linear_combination([(number, "")], 1).text
