"""A run in exact numbers, one visit after another, slow and literal: what a person does by hand, for runs to be shown.

Every machine here looks at a row, says what it scores and whether that is a mistake, and learns from it. Numbers are whole
ones over a common denominator, so that nothing is rounded and little has to be reduced.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..compiled.signs import predicted
from ..perceptron.gram import Gram
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.ties import is_mistake, leader, rival

Vector = tuple[Fraction, ...]


class Seen(NamedTuple):
    """What a machine makes of a row, before it learns from it."""

    scores: Vector
    """The score; of more than two classes, one for each."""
    decision: int | None
    """The place of the class that is predicted; None where the tie rule predicts none."""
    mistake: bool
    rival: int | None = None
    """Of more than two classes, the place of the one that a mistaken row is subtracted from."""


class Terms(NamedTuple):
    """What an update u adds to both sides of the proof, with the weights w before it: ``||w + u||^2`` and ``w*.(w + u)``."""

    cross: Fraction
    """``2 w.u``."""
    square: Fraction
    """``||u||^2``."""
    alignment: Fraction | None
    """``w*.u``; None if there is no w*."""


class Machine(ABC):
    """Weights, and what they do at a visit."""

    def __init__(self, problem: Problem, tie: int, multiples: Sequence[Fraction]) -> None:
        self.problem, self.tie, self._multiples = problem, tie, multiples

    @abstractmethod
    def look(self, i: int) -> Seen:
        """Score row i."""

    @abstractmethod
    def update(self, i: int, seen: Seen) -> Vector:
        """Return what a mistake on row i adds to the weights."""

    @abstractmethod
    def terms(self, i: int, seen: Seen) -> Terms:
        """Return what a mistake on row i adds in the proof."""

    @abstractmethod
    def learn(self, i: int, seen: Seen) -> None:
        """Learn from a mistake on row i."""

    @abstractmethod
    def weights(self) -> Vector:
        """Return the weights as they are now."""


class LinearMachine(Machine):
    """Weights of two classes, or of more than two end to end, in whole numbers over one denominator.

    Parameters
    ----------
    problem : Problem
        The rows.
    tie : int
        The tie rule.
    multiples : sequence of Fraction
        For each row, what a mistake on it adds, in multiples of the row.
    start, star : sequence of Fraction
        The first weights; and w*, if there is one.
    """

    def __init__(
        self,
        problem: Problem,
        tie: int,
        multiples: Sequence[Fraction],
        start: Sequence[Fraction],
        star: Sequence[Fraction] | None = None,
    ) -> None:
        super().__init__(problem, tie, multiples)
        one = (Fraction(1),) if problem.intercept else ()
        rows = [(*point, *one) for point in problem.points(list(range(problem.n)))]
        self._over = math.lcm(*(number.denominator for row in rows for number in row))
        self._rows = [[int(number * self._over) for number in row] for row in rows]
        self._steps_over = math.lcm(*(number.denominator for number in multiples))
        self._unit = math.lcm(self._over * self._steps_over, *(number.denominator for number in start))
        self._integers = [int(number * self._unit) for number in start]
        self._star = star
        self._width = problem.width
        self._known: Vector | None = None

    @property
    def integers(self) -> list[int]:
        """The weights times `unit`."""
        return self._integers

    @property
    def unit(self) -> int:
        """What the whole numbers that stand for weights are to be divided by."""
        return self._unit

    def look(self, i: int) -> Seen:
        """Score row i."""
        row, width = self._rows[i], self._width
        vectors = range(0, len(self._integers), width)
        products = [sum(map(int.__mul__, row, self._integers[k : k + width])) for k in vectors]
        scores = tuple(Fraction(product, self._unit * self._over) for product in products)
        if isinstance(self.problem, Classes):
            other = rival(products, int(self.problem.codes[i]), self.tie)
            tied = not self.tie and products.count(max(products)) > 1
            return Seen(scores, None if tied else leader(products, self.tie), other is not None, other)
        return told(self.problem, self.tie, i, scores[0])

    def update(self, i: int, seen: Seen) -> Vector:
        """Return what a mistake on row i adds to the weights."""
        return tuple(Fraction(number, self._unit) for number in self._step(i, seen))

    def terms(self, i: int, seen: Seen) -> Terms:
        """Return what a mistake on row i adds in the proof."""
        step = self._step(i, seen)
        cross = 2 * sum(map(int.__mul__, step, self._integers))
        square, unit = sum(number * number for number in step), self._unit
        alignment = None
        if self._star is not None:
            alignment = sum(map(Fraction.__mul__, (Fraction(number, unit) for number in step), self._star), Fraction(0))
        return Terms(Fraction(cross, unit * unit), Fraction(square, unit * unit), alignment)

    def learn(self, i: int, seen: Seen) -> None:
        """Learn from a mistake on row i."""
        self._integers = list(map(int.__add__, self._integers, self._step(i, seen)))
        self._known = None

    def weights(self) -> Vector:
        """Return the weights, vector after vector, each with its intercept last if there is one."""
        if self._known is None:
            self._known = tuple(Fraction(number, self._unit) for number in self._integers)
        return self._known

    def _step(self, i: int, seen: Seen) -> list[int]:
        """Return the update in whole numbers."""
        factor = int(self._multiples[i] * self._steps_over) * (self._unit // (self._over * self._steps_over))
        row, width = self._rows[i], self._width
        if not isinstance(self.problem, Classes):
            signed = factor * int(self.problem.y[i])
            return [signed * number for number in row]
        assert seen.rival is not None
        step = [0] * len(self._integers)
        for vector, sign in ((int(self.problem.codes[i]), factor), (seen.rival, -factor)):
            step[vector * width : (vector + 1) * width] = [sign * number for number in row]
        return step


class KernelMachine(Machine):
    """Weights in the feature space of a kernel: the multiple of each row, signed as its class."""

    def __init__(self, problem: Problem, tie: int, multiples: Sequence[Fraction], gram: Gram) -> None:
        super().__init__(problem, tie, multiples)
        self._gram = gram
        self._dual = [Fraction(0)] * problem.n
        self._products: dict[tuple[int, int], Fraction] = {}

    def look(self, i: int) -> Seen:
        """Score row i."""
        support = [j for j, multiple in enumerate(self._dual) if multiple]
        score = sum((self._dual[j] * product for j, product in self._with(support, i)), Fraction(0))
        return told(self.problem, self.tie, i, score)

    def update(self, i: int, seen: Seen) -> Vector:
        """Return what a mistake on row i adds to its multiple."""
        return (self._multiples[i] * int(self.problem.y[i]),)

    def terms(self, i: int, seen: Seen) -> Terms:
        """Return what a mistake on row i adds in the proof."""
        ((_, square),) = self._with([i], i)
        (step,) = self.update(i, seen)
        return Terms(2 * step * seen.scores[0], step * step * square, None)

    def learn(self, i: int, seen: Seen) -> None:
        """Learn from a mistake on row i."""
        self._dual[i] += self.update(i, seen)[0]

    def weights(self) -> Vector:
        """Return the multiples of all rows."""
        return tuple(self._dual)

    def _with(self, rows: list[int], i: int) -> list[tuple[int, Fraction]]:
        """Return the exact products of some rows with row i, in the feature space."""
        new = [j for j in rows if (j, i) not in self._products]
        if new:
            numbers, exponent = self._gram.exact(new, i)
            unit = Fraction(2) ** exponent / self._gram.divisor
            self._products.update({(j, i): number * unit for j, number in zip(new, numbers, strict=True)})
        return [(j, self._products[j, i]) for j in rows]


def told(problem: Problem, tie: int, i: int, score: Fraction) -> Seen:
    """Tell what a score says of a row of two classes."""
    sign, label = (score > 0) - (score < 0), int(problem.y[i])
    says = int(predicted(sign, tie))
    return Seen((score,), None if not says else int(says > 0), bool(is_mistake(sign * label, label, tie)))


def label_of(problem: Problem, i: int) -> Any:
    """Return the class of row i, as it is called."""
    place = int(problem.codes[i]) if isinstance(problem, Classes) else int(problem.y[i] > 0)
    return problem.classes[place]


def given_row(problem: Problem, i: int) -> int:
    """Return the number of row i among those that were given, rows of weight 0 included."""
    return i if problem.kept is None else int(problem.kept[i])


def called(problem: Problem, place: int | None) -> Any:
    """Return a class by its place; None stays None."""
    return None if place is None else problem.classes[place]
