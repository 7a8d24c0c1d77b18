"""How far a score that is computed in float64 may be from the exact one, proved; see docs/export.md.

A database and a runtime of ONNX add the terms of a score in an order of their own. Whatever the order, the error is at most
the bound that is computed here, upward: where the exact score of a row exceeds it, predictions are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..exact.rounding import outward
from ..problem.exact_rows import ExactRows
from ..problem.rows import arrays_of, filled_in, is_dense, row_entries, with_numbers
from ..problem.ties import leader
from .rule import Rule

UNIT = Fraction(1, 2**53)
"""The unit roundoff of float64."""

OF_TEXT = Fraction(8, 2**52)
"""How far a number that a database reads from text may be off, as a share of it: eight units in its last place."""

_LARGEST = 2.0**1000
"""Sums of magnitudes up to here leave room: nothing on the way to a score overflows."""

_WHOLE = 2.0**53
"""Up to here float64 holds every whole number."""

_LOST = 2.0**-1070
"""More than what a number or a product loses if it is subnormal, and than eight units in its last place then."""


_SMALLEST_SCALE = 2.0**-1000
"""Below it a scale, and what is divided by it, may be subnormal, and misread by any share."""


@dataclass(frozen=True)
class ScoreBound:
    """Bounds of the errors of scores in float64.

    Attributes
    ----------
    rule : Rule
        What the scores are those of.
    terms : int
        How many terms of a score differ from 0 in any row, at most, the intercept included.
    of_text : bool
        Whether weights and numbers may be read from text, as databases do, and be off by `OF_TEXT`.
    """

    rule: Rule
    terms: int
    of_text: bool

    @cached_property
    def weights(self) -> Floats:
        """The weights as they are exported, the nearest float64, of shape (vectors, features + 1), the intercept last."""
        return np.array([[float(each) for each in (*vector, last)] for vector, last in self._vectors])

    @property
    def _vectors(self) -> list[tuple[tuple[Fraction, ...], Fraction]]:
        return list(zip(self.rule.weights, self.rule.intercepts, strict=True))

    @cached_property
    def share(self) -> Fraction:
        """How far a term may be off, as a share of it: by reading its factors, by its product, and by all sums."""
        read = OF_TEXT if self.of_text else Fraction(0)
        rounding = (self.terms + 1) * UNIT
        return (1 + read) * (1 + max(read, UNIT)) * (1 + rounding / (1 - rounding)) - 1

    @cached_property
    def _coefficients(self) -> Floats:
        """What each feature contributes to the error for each unit of its size: not below the true number."""
        return np.array(
            [
                [
                    outward(abs(exact - Fraction(nearest)) + self.share * abs(Fraction(nearest)), up=True)
                    for exact, nearest in zip((*vector, last), rounded, strict=True)
                ]
                for (vector, last), rounded in zip(self._vectors, self.weights.tolist(), strict=True)
            ]
        )

    def errors(self, rows: Seen) -> Floats:
        """Return the bound for each row and each score, of shape (n, vectors); infinite where something may overflow."""
        sizes = _magnitudes(rows.exact.nearest())
        room = 1.0 + (16.0 * self.terms + 64.0) * float(UNIT)  # for what is computed here, in any order
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            found = _products(sizes, self._coefficients) * room
            factors = 1.0 + np.abs(self.weights).max(axis=1) + _largest(sizes)[:, None]
            lost = self.terms * _LOST * factors * room
            total = _products(sizes, np.abs(self.weights)) * room
            found = found + lost
            if rows.unsure is not None:
                more = (rows.unsure @ np.abs(self.weights[:, :-1]).T) * (room + float(self.share) * 2.0)
                found, total = found + more, total + more
        found[~(total < _LARGEST)] = np.inf
        if rows.unsure is None:
            found[self._are_whole(rows.exact)[:, None] & (total <= _WHOLE / 2)] = 0.0
        return found

    def _are_whole(self, rows: ExactRows) -> NDArray[np.bool_]:
        """Tell in which rows every term is a product of whole numbers, each read exactly; weights of 0 do not count."""
        exact = all(
            number.denominator == 1 and abs(number) <= _WHOLE for vector, last in self._vectors for number in (*vector, last)
        )
        if not exact or rows.wide is not None:
            return np.zeros(len(rows), bool)
        X, used = rows.numerators, np.logical_or.reduce(self.weights[:, :-1] != 0.0, axis=0)
        values: Floats = arrays_of(X)[0]
        odd: NDArray[np.bool_] = np.logical_or(np.abs(values) > _WHOLE, np.fmod(values, float(rows.denominator)) != 0.0)
        if is_dense(X):
            return np.logical_not(odd[:, used].any(axis=1))
        counts: Indices = np.concatenate([[0], np.cumsum(odd & used[X.indices])])
        return np.diff(counts[X.indptr]) == 0

    def undecided(self, rows: ExactRows) -> Indices:
        """Return the rows for which it is not proved that scores in float64 predict the same class."""
        seen = seen_by(self.rule, rows, of_text=self.of_text)
        errors, rows = self.errors(seen), seen.exact
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values = _products(rows.nearest(), self.weights)  # they are off by no more than the bound themselves
            if len(self.rule.weights) == 1:
                proved = np.abs(values[:, 0]) > 2.0 * errors[:, 0]
            else:
                lead = values.argmax(axis=1)
                every = np.arange(len(values))
                apart = values[every, lead][:, None] - values
                need = 3.0 * (errors[every, lead][:, None] + errors)
                need[every, lead] = -1.0
                proved = (apart > need).all(axis=1)
        proved |= (errors == 0.0).all(axis=1)  # all is exact
        open_ = np.flatnonzero(~proved).tolist()
        return np.array([i for i in open_ if not self._is_proved(rows, i, errors[i].tolist())], np.int64)

    def _is_proved(self, rows: ExactRows, i: int, errors: Sequence[float]) -> bool:
        """Whether the exact scores of a row are further apart than their bounds."""
        if np.inf in errors:
            return False
        scores = exact_scores(self.rule, rows, i)
        if len(scores) == 1:
            return abs(scores[0]) > Fraction(errors[0])
        first = leader(scores, 0)
        rest = [k for k in range(len(scores)) if k != first]
        return all(scores[first] - scores[k] > Fraction(errors[first]) + Fraction(errors[k]) for k in rest)


@dataclass(frozen=True)
class Seen:
    """Rows as hyperplanes see them.

    Attributes
    ----------
    exact : ExactRows
        The rows; numbers are scaled if they are to be, and 0 where they are missing, for which gaps have their weights.
    unsure : array of shape (n, d), or None
        How far numbers that a database has scaled may be from these; None if they are the same.
    """

    exact: ExactRows
    unsure: Floats | None


def seen_by(rule: Rule, rows: ExactRows, *, of_text: bool) -> Seen:
    """Return rows as the hyperplanes of a model see them; ``of_text``: if the numbers in them may be read from text."""
    sources = [source for source in rule.sources if source.scaling is not None]
    if not sources:
        return Seen(rows, None)
    X = filled_in(rows.nearest()).copy()
    unsure = np.zeros_like(X) if of_text else None
    read = float(OF_TEXT) * 1.01  # with room for the rounding of what is computed here
    for source in sources:
        assert source.scaling is not None
        shift, scale = source.scaling
        x, gone = X[:, source.number], np.zeros(len(X), bool) if source.gap is None else X[:, source.gap] != 0.0
        z = (x - shift) / scale
        if unsure is not None:
            sizes = (np.abs(x) + abs(shift)) / scale
            off = (sizes + np.abs(z)) * read + np.abs(z) * 2.0**-50 + _LOST + 4.0 * _LOST / scale
            unsure[:, source.number] = np.where(gone, 0.0, off if scale >= _SMALLEST_SCALE else np.inf)
        X[:, source.number] = np.where(gone, 0.0, z)
    return Seen(ExactRows(X), unsure)


def exact_scores(rule: Rule, rows: ExactRows, i: int) -> list[Fraction]:
    """Return the exact scores of a row."""
    columns, entries = row_entries(rows.numerators, i)
    exact = entries.tolist() if rows.wide is None else rows.wide[i, columns].tolist()
    numbers = [Fraction(number) / rows.denominator for number in exact]
    return [
        last + sum((vector[j] * number for j, number in zip(columns.tolist(), numbers, strict=True)), Fraction(0))
        for vector, last in zip(rule.weights, rule.intercepts, strict=True)
    ]


def bound_for(rule: Rule, rows: ExactRows, *, of_text: bool) -> ScoreBound:
    """Return the bounds for a table."""
    scaled = any(source.scaling for source in rule.sources)
    return ScoreBound(rule, rule.features + 1 if scaled else rows.measures.longest + 1, of_text)


def _magnitudes(X: Rows) -> Rows:
    return np.abs(X) if is_dense(X) else with_numbers(X, np.abs(arrays_of(X)[0]))


def _largest(sizes: Rows) -> Floats:
    """Return the largest of the numbers of each row, none of which is negative."""
    if not sizes.shape[1]:
        return np.zeros(sizes.shape[0])
    largest = sizes.max(axis=1)
    return largest if is_dense(sizes) else largest.toarray().ravel()


def _products(X: Rows, table: Floats) -> Floats:
    """Return the products of rows, with a 1 at their end, and vectors, of shape (n, vectors)."""
    found: Floats = np.asarray(X @ table[:, :-1].T) + table[:, -1]
    return found
