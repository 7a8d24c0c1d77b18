"""The errors of given weights on labelled rows, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Indices
from ..compiled.environment import checked_arithmetic
from ..compiled.signs import loses_tie
from ..problem.labels import code_labels, distinct, is_class, read_labels
from ..problem.labels import read_weights as read_sample_weights
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.reading_rows import read_rows
from ..problem.scores import exact_signs
from ..problem.ties import TIES, mistakes
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted, few_of
from ..support.numbers import number_text
from .given_weights import GivenWeights, read_weights

_MAX_ROWS_SHOWN = 12
"""Rows that are listed in words."""


@dataclass(frozen=True, repr=False)
class ErrorCount(Answer):
    """How many rows given weights have wrong, and which.

    Attributes
    ----------
    count : int
        The number of errors.
    rows : array
        The rows that are wrong, in order, counted from 0.
    ties : array
        Those among all rows whose score is exactly zero, or whose largest scores are exactly equal, so that the tie rule
        decides.
    total : int
        The number of rows.
    weighted : Fraction
        The sum of the sample weights of the errors, exactly; without sample weights the count.
    """

    count: int
    rows: Indices
    ties: Indices
    total: int
    weighted: Fraction

    @property
    def rate(self) -> Fraction:
        """The share of rows that are wrong."""
        return Fraction(self.count, self.total)

    def __repr__(self) -> str:
        return f"<ErrorCount: {counted(self.count, 'error')} in {counted(self.total, 'row')}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how many rows are wrong, which, and where a tie rule decided; ``format`` as in `Verdict.explain`."""
        said = f"{counted(self.count, 'error')} in {counted(self.total, 'row')}, counted exactly."
        if self.weighted != self.count:
            said += f" By their sample weights they make {number_text(self.weighted)}."
        for what, rows in (("Wrong", self.rows), ("The tie rule decided", self.ties)):
            if rows.size:
                named = few_of([str(i) for i in rows[:_MAX_ROWS_SHOWN].tolist()], _MAX_ROWS_SHOWN)
                more = f" and {rows.size - _MAX_ROWS_SHOWN:,} more" if rows.size > _MAX_ROWS_SHOWN else ""
                said += f" {what}: {'row' if rows.size == 1 else 'rows'} {named}{more}."
        return written([f"{said}{' Rows are counted from 0.' if self.rows.size or self.ties.size else ''}"], format)


@checked_arithmetic
def count_errors(
    weights: Any,
    intercept: Any,
    X: Any,
    y: Any,
    *,
    tie: str = "update",
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ErrorCount:
    """Count the rows that a hyperplane has wrong, exactly, whoever has drawn it.

    Parameters
    ----------
    weights : array of shape (d,), or (K, d) for K > 2 classes
        The weights: numbers, fractions, or texts, which are the decimals that they write.
    intercept : number, or array of shape (K,)
        The intercept, minus the threshold.
    X, y
        Rows and labels; of two sorted classes the second is positive.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero, or a tie for the largest, predicts: nothing, so that it is an error for either class;
        the positive class, or the last of equals; the negative class, or the first. `predict` goes by "negative" where
        the rule is "update", as it must answer something.
    sample_weight : array of shape (n,), optional
        Weights to add up over the errors; rows of weight 0 are left out.
    classes : labels, optional
        The negative and the positive class, in this order, or all K classes; needed if ``y`` does not hold all of them.

    Returns
    -------
    ErrorCount
        The count, and the rows.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("xor")
    >>> sx.count_errors([1, 1], "-0.5", X, y)
    <ErrorCount: 1 error in 4 rows>
    >>> sx.count_errors([1, 1], "-0.5", X, y).rows
    array([3])
    """
    given = read_weights(weights, intercept)
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}. Got {tie!r} instead.")
    rows, labels = read_rows(X), read_labels(y)
    if rows.shape[1] != given.features:
        raise ValueError(f"There are {given.features} weights for {rows.shape[1]} columns of X. Give one for each.")
    if rows.shape[0] != labels.shape[0]:
        raise ValueError(f"X has {rows.shape[0]} rows, y has {labels.shape[0]} labels. Give one for each row.")
    known = read_sample_weights(sample_weight, len(rows))
    kept = np.arange(len(rows)) if known is None else np.flatnonzero(known)
    if not kept.size:
        raise ValueError("There are no rows to count: sample_weight is zero for every row.")
    problem = Problem.bare(rows[kept] if kept.size < len(rows) else rows, True)
    judge = _two_classes if given.vectors == 1 else _several_classes
    wrong, tied = judge(problem, given, labels[kept], TIES[tie], classes)
    erring = kept[wrong]
    cost = Fraction(erring.size) if known is None else sum(map(Fraction, known[erring].tolist()), Fraction(0))
    return ErrorCount(int(erring.size), erring, kept[tied], int(kept.size), cost)


def _two_classes(
    problem: Problem, given: GivenWeights, labels: NDArray[Any], tie: int, classes: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which rows of two classes err, and which have a score of zero."""
    signs, found = code_labels(labels, classes=classes)
    if len(found) < 2:
        raise ValueError(f"y holds the class {found[0]!r} only. Name both with classes=, the negative one first.")
    sides = exact_signs(problem.rows, given.joined())
    return mistakes(sides * signs.astype(np.int64), signs, tie), sides == 0


def _several_classes(
    problem: Problem, given: GivenWeights, labels: NDArray[Any], tie: int, classes: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which rows of several classes err, and which have no single largest score."""
    names = distinct(labels) if classes is None else list(np.asarray(classes).tolist())
    if len(names) != given.vectors:
        raise ValueError(
            f"There are {given.vectors} rows of weights, and {len(names)} classes. Give a row for each, in their order, and "
            "name all classes with classes= if y does not hold them."
        )
    strange = [name for name in distinct(labels) if name not in names]
    if strange:
        raise ValueError(f"y holds the class {strange[0]!r}, which is not among classes.")
    ahead = _comparisons(problem, given)
    wrong = np.zeros(len(labels), bool)
    for c, name in enumerate(names):
        of_class = is_class(labels, name)
        for k in range(given.vectors):
            if k != c:
                lost = (ahead[c, k] < 0) | ((ahead[c, k] == 0) & loses_tie(c, k, tie))
                wrong |= of_class & lost
    largest = [np.all([ahead[c, k] >= 0 for k in range(given.vectors) if k != c], axis=0) for c in range(given.vectors)]
    return wrong, np.sum(largest, axis=0) > 1


def _comparisons(problem: Problem, given: GivenWeights) -> dict[tuple[int, int], Indices]:
    """Return for each pair of classes the exact signs of the score of the first minus that of the second."""
    found: dict[tuple[int, int], Indices] = {}
    lifted = Lifted.of(problem)
    for c in range(given.vectors):
        for k in range(c):
            found[c, k] = lifted.signs(given.difference(c, k).numerators)
            found[k, c] = -found[c, k]
    return found
