"""A hyperplane: the points of score zero, where it lies and how far from it others are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rationals import read_rational, vector_of
from ..exact.rounding import nearest, rational_root
from ..problem.exact_rows import ExactRows
from ..problem.problem import Problem
from ..problem.reading_rows import read_rows
from ..problem.scores import exact_signs
from ..support.answer import Answer
from ..support.blocks import Formulas, written
from ..support.counts import counted
from ..support.formulas import Formula, feature, formula, linear_combination, number
from ..support.numbers import number_text
from .given_weights import read_weights

_MAX_TERMS_SHOWN = 8


@dataclass(frozen=True, init=False, repr=False)
class Hyperplane(Answer):
    """The hyperplane ``{x : w.x + b = 0}``, with exact weights.

    What is rational is a `Fraction`: scores, projections, points, squares of distances. Distances are square roots, and
    float64. Points may be given as any estimator takes rows, fractions among them.

    Parameters
    ----------
    weights : array of shape (d,)
        The weights w, not all zero: numbers, fractions, or texts, which are the decimals that they write.
    intercept : number or text, default=0
        The intercept b.
    threshold : number or text, optional
        Minus the intercept, in its place: the hyperplane is where ``w.x`` is equal to it.

    Examples
    --------
    >>> import separatrix as sx
    >>> H = sx.Hyperplane([3, 4], threshold=10)
    >>> H
    <Hyperplane: 3*x1 + 4*x2 = 10>
    >>> H.distance([[0, 0], [2, 1], [5, 5]])
    array([-2.,  0.,  5.])
    >>> H.project([[5, 5]])
    array([[Fraction(2, 1), Fraction(1, 1)]], dtype=object)
    """

    weights: tuple[Fraction, ...]
    """The weights, which are at a right angle to it and point to its positive side."""
    intercept: Fraction

    def __init__(self, weights: Any, intercept: Any = 0, *, threshold: Any = None) -> None:
        given = read_weights(weights, intercept, threshold)
        if given.vectors > 1:
            raise ValueError(
                f"weights has {given.vectors} rows: a hyperplane has one. Between two classes it is that of the difference "
                "of their weights."
            )
        if not any(given.coef[0]):
            raise ValueError("All weights are zero: they define no hyperplane, as every point has the same score.")
        object.__setattr__(self, "weights", given.coef[0])
        object.__setattr__(self, "intercept", given.intercept[0])

    def __repr__(self) -> str:
        return f"<Hyperplane: {self._equation().text}>"

    def _equation(self) -> Formula:
        terms = ((weight, feature(f"x{j + 1}")) for j, weight in enumerate(self.weights))
        return formula(linear_combination(terms, _MAX_TERMS_SHOWN), "=", number(self.threshold))

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say where it lies; ``format`` as in `Verdict.explain`."""
        far = abs(self.distance([[0] * self.dimension])[0])
        return written(
            [
                f"A hyperplane in a space of {counted(self.dimension, 'dimension')}: the points with",
                Formulas([self._equation()]),
                f"It is {number_text(far)} away from the origin. Points with a larger left side are on its positive side.",
            ],
            format,
        )

    @property
    def dimension(self) -> int:
        """Number of coordinates of the space around it; its own dimension is one less."""
        return len(self.weights)

    @property
    def threshold(self) -> Fraction:
        """What ``w.x`` is on the hyperplane: minus the intercept."""
        return -self.intercept

    @property
    def squared_length(self) -> Fraction:
        """The square of the length of the weights."""
        return sum((weight * weight for weight in self.weights), Fraction(0))

    # ---- The points of it.

    @property
    def point(self) -> tuple[Fraction, ...]:
        """A point x0 of the hyperplane: the one next to the origin, ``-b w / ||w||^2``."""
        share = -self.intercept / self.squared_length
        return tuple(share * weight for weight in self.weights)

    @property
    def directions(self) -> tuple[tuple[Fraction, ...], ...]:
        """A basis of the directions within it, ``V = {v : w.v = 0}``: d - 1 vectors of whole numbers.

        The hyperplane is ``x0 + V``: its point, plus any combination of these.

        >>> Hyperplane([3, 0, "0.5"]).directions
        ((Fraction(0, 1), Fraction(1, 1), Fraction(0, 1)), (Fraction(-1, 1), Fraction(0, 1), Fraction(6, 1)))
        """
        pivot = next(j for j, weight in enumerate(self.weights) if weight)
        found = []
        for j, weight in enumerate(self.weights):
            if j == pivot:
                continue
            share = weight / self.weights[pivot]
            vector = [Fraction(0)] * self.dimension
            vector[pivot], vector[j] = Fraction(-share.numerator), Fraction(share.denominator)
            found.append(tuple(vector))
        return tuple(found)

    @property
    def axis_cuts(self) -> tuple[Fraction | None, ...]:
        """Where it cuts each axis, ``-b / w_j``; None for an axis that it is parallel to, or holds all of.

        >>> Hyperplane([3, 0, "0.5"], -6).axis_cuts
        (Fraction(2, 1), None, Fraction(12, 1))
        """
        return tuple(-self.intercept / weight if weight else None for weight in self.weights)

    def shifted(self, by: Any) -> Hyperplane:
        """Return the parallel hyperplane whose intercept is larger by a number: all distances grow by ``by / ||w||``."""
        return Hyperplane(self.weights, self.intercept + read_rational(by, "by"))

    def through(self, point: Any) -> Hyperplane:
        """Return the parallel hyperplane through a point.

        >>> Hyperplane([3, 4]).through([1, 1])
        <Hyperplane: 3*x1 + 4*x2 = 7>
        """
        score = self.score([point])[0]
        return Hyperplane(self.weights, self.intercept - score)

    # ---- Other points.

    def score(self, Z: Any) -> NDArray[Any]:
        """Return ``w.z + b`` of each row, as a fraction."""
        points = self._points(self._rows(Z))
        return _column([self._score(point) for point in points])

    def side(self, Z: Any) -> Indices:
        """Return 1 for rows on the positive side, -1 for those on the negative one, 0 for those on the hyperplane."""
        return exact_signs(self._rows(Z), self._vector)

    def contains(self, Z: Any) -> NDArray[np.bool_]:
        """Tell which rows lie on the hyperplane, exactly."""
        found: NDArray[np.bool_] = self.side(Z) == 0
        return found

    def distance(self, Z: Any) -> Floats:
        """Return the signed distance of each row, ``(w.z + b) / ||w||``: positive on the positive side.

        Each is the float64 nearest to it, or one beside that.
        """
        length = self._length
        return np.array([nearest(score / length) for score in self.score(Z)])

    def squared_distance(self, Z: Any) -> NDArray[Any]:
        """Return the square of the distance of each row, as a fraction."""
        return _column([score * score / self.squared_length for score in self.score(Z)])

    def project(self, Z: Any) -> NDArray[Any]:
        """Return the point of the hyperplane that is next to each row, in fractions: ``z - (w.z + b) w / ||w||^2``.

        For floats say ``.astype(float)``.
        """
        points = self._points(self._rows(Z))
        found = np.empty((len(points), self.dimension), object)
        for i, point in enumerate(points):
            share = self._score(point) / self.squared_length
            found[i] = [number - share * weight for number, weight in zip(point, self.weights, strict=True)]
        return found

    # ---- Below: rows, and numbers that are made once.

    @cached_property
    def _vector(self) -> Dyadic | Quotient:
        return vector_of([*self.weights, self.intercept])

    @cached_property
    def _length(self) -> Fraction:
        """The length of the weights: exact if it is rational, else with an error below ``2**-60`` of it."""
        square = self.squared_length
        exact = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        return exact if exact * exact == square else rational_root(square, up=True)

    def _rows(self, Z: Any) -> ExactRows:
        rows = read_rows(Z, "Z")
        if rows.shape[1] != self.dimension:
            raise ValueError(
                f"Z has {rows.shape[1]} columns, and the hyperplane {self.dimension} weights. Give one number for each."
            )
        return rows

    def _points(self, rows: ExactRows) -> tuple[tuple[Fraction, ...], ...]:
        return Problem.bare(rows, True).points(list(range(len(rows))))

    def _score(self, point: tuple[Fraction, ...]) -> Fraction:
        products = (weight * number for weight, number in zip(self.weights, point, strict=True))
        return sum(products, self.intercept)


def between(weights: Dyadic | Quotient, d: int, classes: list[Any], first: Any, second: Any) -> Hyperplane:
    """Return the hyperplane between two classes; weights are class after class, one vector for two, the intercept last."""
    if len(classes) == 2:
        if (first, second) not in ((None, None), (classes[0], classes[1]), (classes[1], classes[0])):
            raise ValueError(
                f"The hyperplane is between {classes[0]!r} and {classes[1]!r}, and not between {first!r} and {second!r}."
            )
        turn = -1 if (first, second) == (classes[0], classes[1]) else 1
        numbers = [turn * number for number in weights.fractions()]
        return Hyperplane(numbers[:d], sum(numbers[d:]))
    if first not in classes or second not in classes or first == second:
        raise ValueError(
            f"There are {len(classes)} classes, and a hyperplane between each two of them. Name two, such as "
            f"hyperplane({classes[0]!r}, {classes[1]!r})."
        )
    size = len(weights) // len(classes)
    one, other = (weights.part(size * k, size * (k + 1)).fractions() for k in (classes.index(first), classes.index(second)))
    numbers = [a - b for a, b in zip(one, other, strict=True)]
    if not any(numbers[:d]):
        raise ValueError(f"The weights of {first!r} and {second!r} are the same: no hyperplane is between them.")
    return Hyperplane(numbers[:d], sum(numbers[d:]))


def _column(numbers: list[Fraction]) -> NDArray[Any]:
    """Return fractions as an array of objects."""
    column = np.empty(len(numbers), object)
    column[:] = numbers
    return column
