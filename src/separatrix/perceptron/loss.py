"""The perceptron loss, of which the perceptron learning algorithm is a stochastic subgradient descent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Floats, Indices
from ..compiled.environment import checked_arithmetic
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rational, read_rationals, vector_of
from ..exact.rounding import nearest
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.scores import scores
from ..problem.sums import total
from ..problem.ties import TIES, mistakes
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted, few_of
from ..support.numbers import number_text

Vector = tuple[Fraction, ...]
"""Exact numbers, one for each weight, the intercept last."""

_MAX_NUMBERS_SHOWN = 8
"""Numbers of a vector that are shown in words."""

REDUCTIONS = ("sum", "mean", "none")


@overload
def perceptron_loss(
    coef: Any, intercept: Any, X: Any, y: Any, *, classes: ArrayLike | None = None, reduction: Literal["sum", "mean"] = "sum"
) -> float: ...


@overload
def perceptron_loss(
    coef: Any, intercept: Any, X: Any, y: Any, *, classes: ArrayLike | None = None, reduction: Literal["none"]
) -> Floats: ...


@checked_arithmetic
def perceptron_loss(
    coef: Any, intercept: Any, X: Any, y: Any, *, classes: ArrayLike | None = None, reduction: str = "sum"
) -> float | Floats:
    """Sum over rows of ``max(0, -y_i (w.x_i + b))``: how far the misclassified rows are on the wrong side.

    Parameters
    ----------
    coef : array of shape (d,) or (1, d)
        The weights ``w``: numbers, fractions, or texts, which are the decimals that they write.
    intercept : number or array of shape (1,)
        The intercept ``b``, likewise.
    X, y
        Rows and labels; of two sorted classes the second is +1.
    classes : two labels, optional
        The negative and the positive class; needed where ``y`` holds one only.
    reduction : {"sum", "mean", "none"}, default="sum"
        Whether to add up the losses of the rows, to take their mean, or to return them row by row.

    Returns
    -------
    float, or array of shape (n,)
        The loss, 0 if and only if no row is on the wrong side; with "none" that of each row.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.perceptron_loss([1.0, -1.0], 0.0, [[2, 0], [0, 3]], [0, 1])
    5.0
    >>> sx.perceptron_loss([1.0, -1.0], 0.0, [[2, 0], [0, 3]], [0, 1], reduction="none")
    array([2., 3.])
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction must be one of {', '.join(map(repr, REDUCTIONS))}. Got {reduction!r} instead.")
    problem, weights = _problem(coef, intercept, X, y, classes)
    losses: Floats = np.maximum(0.0, -problem.y * scores(problem.rows, weights))
    if reduction == "none":
        return losses
    return float(losses.sum()) if reduction == "sum" else float(losses.mean())


@checked_arithmetic
def perceptron_subgradient(
    coef: Any, intercept: Any, X: Any, y: Any, *, classes: ArrayLike | None = None, tie: str = "update", t: Any = None
) -> tuple[Floats, float]:
    """Return a subgradient of `perceptron_loss`: minus the sum of ``y_i (x_i, 1)`` over the mistakes.

    Where a row lies exactly on the hyperplane the loss has a kink, and any multiple between 0 and 1 of that row's
    term will do; the tie rule chooses 1 where it calls the row a mistake and 0 where it does not. All of them are in
    `perceptron_subdifferential`.

    Parameters
    ----------
    coef, intercept, X, y, classes
        As for `perceptron_loss`.
    tie : {"update", "positive", "negative"}
        The tie rule.
    t : number from 0 to 1, optional
        The multiple of the terms of all rows on the hyperplane, in place of what the tie rule chooses.

    Returns
    -------
    gradient : array of shape (d,)
        The part for ``coef``.
    gradient_intercept : float
        The part for ``intercept``.

    Examples
    --------
    A step of size 1 down the subgradient of a single row is the perceptron's update, here by ``-(2, 0)`` and -1:

    >>> import separatrix as sx
    >>> sx.perceptron_subgradient([1.0, -1.0], 0.0, [[2, 0]], [0], classes=[0, 1])
    (array([2., 0.]), 1.0)

    At a kink, half of it is a subgradient as well:

    >>> sx.perceptron_subgradient([0, 0], 0, [[2, 0]], [0], classes=[0, 1], t=0.5)
    (array([1., 0.]), 0.5)
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}. Got {tie!r} instead.")
    problem, weights = _problem(coef, intercept, X, y, classes)
    signs = Lifted.of(problem).signs(weights.numerators)
    if t is None:
        slope = _minus(sum_of_rows(problem, mistakes(signs, problem.y, TIES[tie])))
    else:
        share = _share(t)
        fixed, free = (sum_of_rows(problem, chosen) for chosen in (signs < 0, signs == 0))
        slope = tuple(-a - share * b for a, b in zip(fixed, free, strict=True))
    numbers = np.array([nearest(number) for number in slope])
    return numbers[:-1], float(numbers[-1])


@dataclass(frozen=True)
class Subdifferential(Answer):
    """All subgradients of the perceptron loss at one place: ``fixed``, plus from 0 to 1 times each vector of ``free``.

    Attributes
    ----------
    fixed : tuple of Fraction
        What the rows on the wrong side contribute, the intercept last.
    kinks : array
        The rows on the hyperplane itself, at which the loss has its kinks.
    free : tuple of tuples of Fraction
        What each of them may contribute in full: ``-y_i (x_i, 1)``.
    """

    fixed: Vector
    kinks: Indices
    free: tuple[Vector, ...]

    def __repr__(self) -> str:
        return f"<Subdifferential: {counted(len(self.free), 'kink')} in {counted(len(self.fixed), 'dimension')}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what subgradients there are; ``format`` as in `Verdict.explain`."""
        vector = few_of(list(map(number_text, self.fixed)), _MAX_NUMBERS_SHOWN)
        if not self.free:
            return written([f"The loss has one slope here, ({vector}): no row lies on the hyperplane."], format)
        rows = few_of([str(i) for i in self.kinks.tolist()], _MAX_NUMBERS_SHOWN, in_all=True)
        said = (
            f"The loss has a kink here: {counted(len(self.free), 'row')} on the hyperplane itself ({rows}, counted from 0). "
            f"Its subgradients are ({vector}), plus from 0 to 1 times -y (x, 1) of each of them."
        )
        return written([said], format)

    def at(self, t: Any) -> Vector:
        """Return the subgradient with this multiple, or these, one for each kink, of what the kinks may contribute."""
        shares = [_share(each) for each in read_rationals(t, "t")]
        if len(shares) == 1:
            shares *= len(self.free)
        if len(shares) != len(self.free):
            raise ValueError(f"t has {len(shares)} numbers for {len(self.free)} kinks: give one for all, or one for each.")
        slope = list(self.fixed)
        for share, vector in zip(shares, self.free, strict=True):
            slope = [a + share * b for a, b in zip(slope, vector, strict=True)]
        return tuple(slope)

    @property
    def ends(self) -> tuple[Vector, Vector]:
        """The subgradients for t = 0 and t = 1; with one kink the set is the segment between them."""
        return self.at(0), self.at(1)


@checked_arithmetic
def perceptron_subdifferential(
    coef: Any, intercept: Any, X: Any, y: Any, *, classes: ArrayLike | None = None
) -> Subdifferential:
    """Return the set of all subgradients of `perceptron_loss`, exactly. Parameters are as there.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.perceptron_subdifferential([1, -1], 0, [[2, 2]], [1], classes=[0, 1])
    >>> found.ends[0] == (0, 0, 0), found.ends[1] == (-2, -2, -1), found.at("0.5") == (-1, -1, -0.5)
    (True, True, True)
    """
    problem, weights = _problem(coef, intercept, X, y, classes)
    signs = Lifted.of(problem).signs(weights.numerators)
    kinks = np.flatnonzero(signs == 0)
    labels = problem.y[kinks].astype(np.int64).tolist()
    free = tuple(
        tuple(-label * number for number in (*point, Fraction(1)))
        for label, point in zip(labels, problem.points(kinks.tolist()), strict=True)
    )
    return Subdifferential(_minus(sum_of_rows(problem, signs < 0)), kinks, free)


def sum_of_rows(problem: Problem, chosen: NDArray[np.bool_]) -> Vector:
    """Return the exact sum of some of the signed, lifted rows."""
    if not chosen.any():
        return (Fraction(0),) * problem.width
    vector = total(problem, chosen.astype(np.int64)).fractions()
    return tuple(number / problem.rows.denominator for number in vector)


def _minus(vector: Vector) -> Vector:
    return tuple(-number for number in vector)


def _share(t: Any) -> Fraction:
    share = read_rational(t, "t")
    if not 0 <= share <= 1:
        raise ValueError(f"t must be from 0 to 1: what is beyond is no subgradient. Got {t}.")
    return share


def _problem(coef: Any, intercept: Any, X: Any, y: Any, classes: ArrayLike | None) -> tuple[Problem, Dyadic | Quotient]:
    problem = Problem.of(X, y, classes=classes)
    if len(problem.classes) < 2:
        raise ValueError(f"y holds the class {problem.classes[0]!r} only. Say which class is positive with classes=.")
    numbers = [*read_rationals(coef, "coef"), *read_rationals(intercept, "intercept")]
    if len(numbers) != problem.d + 1:
        raise ValueError(
            f"coef has shape {np.shape(coef)} and intercept {np.shape(intercept)}: expected {problem.d} weights, one for "
            "each column of X, and one intercept."
        )
    if any(np.isinf(nearest(number)) for number in numbers):
        raise ValueError("coef and intercept must be in the range of float64, and some are too large.")
    return problem, vector_of(numbers)
