"""Descent on the whole perceptron loss: each step adds all rows that are wrong, where the perceptron adds one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.environment import checked_arithmetic
from ..exact.rationals import read_rational, read_rationals, vector_of
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.ties import TIES, mistakes
from ..support.answer import Answer
from ..support.blocks import Grid, written
from ..support.counts import counted as counted_in_words
from ..support.numbers import number_text
from .loss import Vector, sum_of_rows

_SHOWN = 10
"""Steps whose losses are shown in words."""


@dataclass(frozen=True, repr=False)
class Descent(Answer):
    """The course of a descent, exactly: at 0 the start, at k what it is after k steps.

    Attributes
    ----------
    weights : tuple of tuples of Fraction
        The weights, the intercept last if there is one.
    losses : tuple of Fraction
        The perceptron loss of each of them.
    errors : tuple of int
        How many rows each of them has wrong under the tie rule.
    """

    weights: tuple[Vector, ...]
    losses: tuple[Fraction, ...]
    errors: tuple[int, ...]

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.weights) - 1

    @property
    def ended(self) -> bool:
        """Whether it came to an end by itself, with no row wrong."""
        return self.errors[-1] == 0

    def __repr__(self) -> str:
        end = "no row wrong" if self.ended else f"{counted_in_words(self.errors[-1], 'row')} wrong"
        return f"<Descent: {counted_in_words(self.steps, 'step')}, {end}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how the loss fell; ``format`` as in `Verdict.explain`."""
        first, last = number_text(self.losses[0]), number_text(self.losses[-1])
        end = (
            "No row is wrong then."
            if self.ended
            else f"{counted_in_words(self.errors[-1], 'row')} {'is' if self.errors[-1] == 1 else 'are'} wrong then."
        )
        chosen = sorted({*range(min(_SHOWN, self.steps + 1)), self.steps})
        lines = [[str(k), number_text(self.losses[k]), str(self.errors[k])] for k in chosen]
        course = f"The loss goes from {first} to {last} in {counted_in_words(self.steps, 'step')}. {end}"
        return written([course, Grid(["step", "loss", "rows wrong"], lines)], format)


@checked_arithmetic
def descend_on_loss(
    X: Any,
    y: Any,
    *,
    steps: int = 1000,
    eta: Any = 1,
    coef_init: Any = None,
    intercept_init: Any = None,
    tie: str = "update",
    fit_intercept: bool = True,
    classes: ArrayLike | None = None,
) -> Descent:
    """Descend on the perceptron loss of all rows at once, and record the exact course: the batch perceptron.

    A step subtracts ``eta`` times a subgradient of the loss, which adds ``eta`` times the sum of ``y_i (x_i, 1)`` over all
    rows that are wrong. It ends when none is. If a hyperplane separates the classes and ``eta`` is constant, it does end,
    as the perceptron does; the loss need not fall at each step. At zero weights the loss is 0, but all rows lie at its
    kink, and the tie rule says which of them count as wrong.

    Parameters
    ----------
    X, y
        Rows and labels, of two classes.
    steps : int, default=1000
        The most steps.
    eta : positive number, text or callable, default=1
        The step size, or a function that gives it for the steps 1, 2, 3 and so on. Texts are decimals, fractions exact.
    coef_init, intercept_init : optional
        The first weights; zero if not given.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    classes : two labels, optional
        The negative and the positive class; needed where ``y`` holds one only.

    Returns
    -------
    Descent
        Weights, losses and errors, step by step.

    Examples
    --------
    >>> import separatrix as sx
    >>> descent = sx.descend_on_loss(*sx.examples.load("and"))
    >>> descent
    <Descent: 9 steps, no row wrong>
    >>> [str(number) for number in descent.weights[-1]], [str(loss) for loss in descent.losses]
    (['2', '2', '-3'], ['0', '2', '0', '3', '0', '2', '1', '0', '2', '0'])
    """
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(map(repr, TIES))}. Got {tie!r} instead.")
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
        raise ValueError(f"steps must be a whole number from 0 up, got {steps!r}.")
    problem = Problem.of(X, y, classes=classes, intercept=fit_intercept)
    if len(problem.classes) < 2:
        raise ValueError(f"y holds the class {problem.classes[0]!r} only. Say which class is positive with classes=.")
    rate: Callable[[int], Any] = eta if callable(eta) else lambda k: eta
    lifted, w = Lifted.of(problem), _start(problem, coef_init, intercept_init)
    weights, losses, errors = [], [], []
    for k in count(1):
        wrong = mistakes(lifted.signs(vector_of(w).numerators), problem.y, TIES[tie])
        pull = sum_of_rows(problem, wrong)
        weights.append(w)
        losses.append(-sum((a * b for a, b in zip(pull, w, strict=True)), Fraction(0)))
        errors.append(int(wrong.sum()))
        if k > steps or not errors[-1]:
            break
        size = read_rational(rate(k), "eta")
        if size <= 0:
            raise ValueError(f"eta must be a positive number, but is {size} at step {k}.")
        w = tuple(a + size * b for a, b in zip(w, pull, strict=True))
    return Descent(tuple(weights), tuple(losses), tuple(errors))


def _start(problem: Problem, coef: Any, intercept: Any) -> Vector:
    """Return the first weights, the intercept last if there is one."""
    first = [Fraction(0)] * problem.d if coef is None else read_rationals(coef, "coef_init")
    if len(first) != problem.d:
        raise ValueError(f"coef_init has {len(first)} weights, expected {problem.d}: one for each feature.")
    last = [Fraction(0)] if intercept is None else read_rationals(intercept, "intercept_init")
    if len(last) != 1:
        raise ValueError(f"intercept_init has {len(last)} numbers, expected one.")
    if intercept is not None and not problem.intercept:
        raise ValueError("intercept_init was given, but fit_intercept is False. Leave one of the two out.")
    return (*first, *last) if problem.intercept else tuple(first)
