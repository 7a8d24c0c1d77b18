"""What the blocks of rows are asked to decide them: how they lie to some weights, and which rows matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..problem import spans
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import MAX_ROWS_SHOWN
from ..problem.rows import zero_rows
from ..problem.scores import least_scores
from ..proof import claim_checks
from ..proof.claim_checks import Question, Seen
from .working_rows import Rows, lowest

_TINY = float(np.finfo(float).tiny)

Least: TypeAlias = dict[int, tuple[Fraction, int]] | None


@dataclass(frozen=True)
class Asked:
    """What is asked of a block."""

    question: Question
    two: bool | None
    """Whether the least scores of each class are wanted, without the constant, or of all rows; None: they are not."""
    tied: spans.Annihilators | None
    """What tells the tied rows; nothing: all are; None: none is."""
    reach: float
    """Rows that score less are of interest, also if they are right."""
    most: int
    """Rows of each class that are given, at most."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a block tells, or some do."""

    seen: Seen
    rows: Rows | None
    """Those that are wrong, and others that are near."""
    wrong: int = 0
    """How many are wrong: below 0, or 0 without being tied."""
    first: tuple[int, ...] = ()
    """The first rows that are separated."""
    losing: int | None = None
    """The first tied row of the class that a score of 0 does not predict, under a tie rule."""
    level: int = 0
    """How many rows score 0 that are not rows of zeros."""
    least: Least = None
    """The exact least scores, see `least_of`, if they are wanted and no row is wrong."""

    def with_(self, other: Told, most: int) -> Told:
        """Put together what two parts tell."""
        rows = [each.rows for each in (self, other) if each.rows is not None]
        return Told(
            seen=Seen.of_all((self.seen, other.seen)),
            rows=Rows.together(rows).lowest(most) if rows else None,
            wrong=self.wrong + other.wrong,
            first=tuple(sorted((*self.first, *other.first))[:MAX_ROWS_SHOWN]),
            losing=min((each.losing for each in (self, other) if each.losing is not None), default=None),
            level=self.level + other.level,
            least=lesser(self.least, other.least),
        )


def sample(problem: Problem, start: int, most: int) -> Rows:
    """Draw rows of each class."""
    rng = np.random.default_rng(start)
    return Rows(start + np.arange(problem.n), rng.random(problem.n), problem).lowest(most)


def scores_of(lifted: Lifted, weights: Dyadic, by_length: bool) -> Floats:
    """Return scores in floating point that can be compared with those of other blocks; minus infinity if not known.

    Those of rows without a constant mean more over their lengths.
    """
    scores, _ = lifted.scores(weights)
    scores = scores / np.maximum(lifted.rows.norms, _TINY) if by_length else np.ldexp(scores, -lifted.shift)
    return np.where(np.isnan(scores), -np.inf, scores)


def least_of(problem: Problem, start: int, weights: Dyadic | None, two: bool) -> Least:
    """Return the exact least score of some rows, by 0, and the row that has it; with ``two`` those of each label, by that.

    They are times the denominator of the rows; with ``two``, rows go without the constant.
    """
    if weights is None:
        return None
    groups = {int(label): problem.y == label for label in np.unique(problem.y)} if two else {0: np.ones(problem.n, bool)}
    lifted = Lifted.of(replace(problem, intercept=False) if two else problem)
    plain = weights.part(0, problem.d) if two else weights
    found = least_scores(lifted, plain, list(groups.values()))
    return {label: (score, start + row) for label, (score, row) in zip(groups, found, strict=True)}


def lesser(first: Least, second: Least) -> Least:
    """Return the lesser of least scores of parts."""
    if first is None or second is None:
        return first or second
    both = [*first.items(), *second.items()]
    return {label: min(each for other, each in both if other == label) for label, _ in both}


def ask(problem: Problem, start: int, asked: Asked) -> Told:
    """Ask a block."""
    question, weights = asked.question, asked.question.weights
    if weights is None:
        signs, scores = np.zeros(problem.n, np.int64), -np.random.default_rng(start).random(problem.n)
    else:
        lifted = Lifted.of(problem)
        signs, scores = lifted.signs(weights), scores_of(lifted, weights, not problem.intercept)
    tied = np.zeros(problem.n, bool)
    level = np.flatnonzero(signs == 0)
    if asked.tied is not None and level.size:
        tied[level] = spans.annihilated(problem.with_rows(level), asked.tied)
    wrong = (signs < 0) | ((signs == 0) & ~tied)
    if wrong.any():
        question = replace(question, listed=None)  # there is another pass: no sum is wanted yet
    chosen = np.flatnonzero(wrong | (~tied & (scores < asked.reach)))
    # Rows that are wrong come first, whatever floating point says.
    scores = np.where(wrong, np.minimum(scores, 0.0), np.maximum(scores, _TINY))[chosen]
    kept = lowest(scores, problem.y[chosen], asked.most)
    losing = np.flatnonzero(tied & (problem.y == question.loser))[:1]
    nothing = np.zeros(problem.n, bool)
    if not problem.intercept:
        nothing[zero_rows(problem.X)] = True
    return Told(
        seen=claim_checks.see(problem, start, question, signs),
        rows=Rows(start + chosen[kept], scores[kept], problem.with_rows(chosen[kept])) if kept.size else None,
        wrong=int(np.count_nonzero(wrong)),
        first=tuple((start + np.flatnonzero(signs > 0)[:MAX_ROWS_SHOWN]).tolist()),
        losing=start + int(losing[0]) if losing.size else None,
        level=int(np.count_nonzero((signs == 0) & ~nothing)),
        least=None if asked.two is None or wrong.any() else least_of(problem, start, weights, asked.two),
    )
