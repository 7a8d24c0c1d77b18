"""An exercise in words: the task, and its solution visit by visit, with margin, radius and bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..problem.problem import Problem
from ..proof.claims import whole
from ..separation.maximum_margin import margin_of_problem
from ..support.blocks import Block, Formulas, Grid, Line, said
from ..support.counts import counted
from ..support.formulas import (
    AT_LEAST,
    AT_MOST,
    Formula,
    Part,
    digits,
    dot,
    formula,
    glued,
    indexed,
    joined,
    linear_combination,
    named,
    norm,
    number,
    square_of,
)
from .exercise import Exercise, Visit

_MAX_VISITS = 120
"""Visits shown one by one; of longer runs only the mistakes are."""

_GAMMA, _R, _K, _U, _W = named("gamma"), *(Formula(letter, letter) for letter in "Rkuw")
_STAR = Formula("w*", "w^*")
_Z_I = indexed("z", "i")

_TIES = {
    "update": "a score of exactly 0 is a mistake whatever the label",
    "positive": "a score of exactly 0 predicts 1",
    "negative": "a score of exactly 0 predicts -1",
}


def task(exercise: Exercise) -> list[Block]:
    """Write what is asked."""
    n = len(exercise.y)
    header: list[Line] = ["row", *(said("{}", _feature(j)) for j in range(exercise.X.shape[1])), "label"]
    rows = [[str(i), *map(_said, row), _said(label)] for i, (row, label) in
            enumerate(zip(exercise.X.tolist(), exercise.y.tolist(), strict=True))]  # fmt: skip
    lift = formula(_Z_I, "=", indexed("y", "i"), _lifted_point(exercise))
    visited = "as they stand" if exercise.order == tuple(range(n)) else f"in the order {', '.join(map(str, exercise.order))}"
    return [
        said(
            f"Exercise. Write {{}} for row i times its label. The perceptron starts from {{}} and visits the rows "
            f"{visited}, over and over. Row i is right if its score predicts its label: a score above 0 predicts 1, one "
            f"below 0 predicts -1, and {_TIES[exercise.tie]}. At a mistake {{}} is added to {{}}.",
            lift, formula(_W, "=", "0"), _Z_I, _W,
        ),
        Grid(header, rows),
        "(a) Run the perceptron by hand until a pass is without a mistake. How many mistakes does it make, and what are the "
        "last weights?",
        said(
            "(b) Find the radius {}, the largest length {}, and the margin {}, the largest number for which a unit vector "
            "{} has {} for every row.",
            _R, norm(_Z_I), _GAMMA, _STAR, formula(dot(_STAR, _Z_I), AT_LEAST, _GAMMA),
        ),
        "(c) How many mistakes does the convergence theorem allow, and how many of them were made?",
    ]  # fmt: skip


def solution(exercise: Exercise) -> list[Block]:
    """Write the solution."""
    visits = exercise.visits
    shown: Sequence[Visit] = visits
    cut = ""
    if len(visits) > _MAX_VISITS:
        shown = [each for each in visits if each.mistake]
        cut = f" Of its {len(visits):,} visits, those to rows that are right are left out."
    weights = Formula("(w, b)", "(w, b)") if exercise.fit_intercept else _W
    header: list[Line] = ["visit", "row", "label", "score", "decision", "update", said("{} after it", weights)]
    rows = [[f"{each.number:,}", str(each.row), _said(each.label), _said(each.score), "mistake" if each.mistake else "right",
             said("{}", _update(exercise, each)) if each.mistake else "", said("{}", _vector(each.weights))]
            for each in shown]  # fmt: skip
    d = exercise.X.shape[1]
    names: list[Part] = [*(_feature(j) for j in range(d)), *([""] if exercise.fit_intercept else [])]
    terms = zip(map(Fraction, exercise.weights), names, strict=True)
    rule = formula(linear_combination(terms, d + 1), AT_LEAST if exercise.tie == "positive" else ">", "0")
    return [
        f"Solution. (a) The run makes {counted(exercise.mistakes, 'mistake')} in {counted(exercise.passes, 'pass')}, the "
        f"last of which is without one.{cut}",
        Grid(header, rows),
        said("The last weights are {}: label 1 is predicted where {}.", _vector(exercise.weights), rule),
        *_margin_and_radius(exercise),
        *_bound(exercise),
    ]


def _margin_and_radius(exercise: Exercise) -> list[Block]:
    """Write R, and gamma with the proof from both sides: a separator, and a convex combination of rows."""
    problem = Problem.of(exercise.X, exercise.y, intercept=exercise.fit_intercept)
    Z = [[int(v) for v in row] for row in problem.lifted(list(range(problem.n))).tolist()]
    margin = margin_of_problem(problem, "lifted", exact=True)
    numbers = whole(margin.weights.fractions())
    star = [number // math.gcd(*numbers) for number in numbers]
    least = min(sum(a * b for a, b in zip(star, z, strict=True)) for z in Z)
    length = sum(v * v for v in star)
    longest = max(range(len(Z)), key=lambda i: sum(v * v for v in Z[i]))
    shares = [(share, indexed("z", i)) for i, share in sorted(zip(margin.rows, margin.multipliers, strict=True))]
    point = [sum((share * Z[i][j] for i, share in zip(margin.rows, margin.multipliers, strict=True)), Fraction(0))
             for j in range(len(star))]  # fmt: skip
    square = margin.squared
    assert square is not None
    reduced = () if str(square) == f"{least**2}/{length}" else ("=", _fraction(square))
    gamma = formula(square_of(_GAMMA), "=", f"{least**2}/{length}", *reduced)
    return [
        said("(b) The longest row is row {}:", number(longest)),
        Formulas(
            [formula(square_of(_R), "=", square_of(norm(indexed("z", longest))), "=", number(exercise.radius_squared))]
        ),
        said(
            "For the margin take {}, of squared length {}. Every row has {}, so that the margin is at least {} over the "
            "length of {}. It is not larger, because the length of any convex combination of the {} is at least the margin, "
            "and this one is as short as that:",
            formula(_U, "=", _vector(star)),
            number(length),
            formula(dot(_U, _Z_I), AT_LEAST, number(least)),
            *(number(least), _U, _Z_I),
        ),
        Formulas([formula(linear_combination(shares, len(shares)), "=", _vector(point)), gamma]),
    ]


def _bound(exercise: Exercise) -> list[Block]:
    ratio, k = formula(square_of(_R), "/", square_of(_GAMMA)), exercise.mistakes
    return [
        said("(c) The theorem allows at most"),
        Formulas([formula(ratio, "=", _fraction(exercise.bound), *_rounded(exercise.bound))]),
        said("mistakes, and {} were made: {}.", number(k), formula(_K, "=", number(k), AT_MOST, _fraction(exercise.bound))),
    ]


def _lifted_point(exercise: Exercise) -> Formula:
    return glued("(", indexed("x", "i"), ", 1)") if exercise.fit_intercept else indexed("x", "i")


def _feature(j: int) -> Formula:
    return indexed("x", j + 1)


def _said(value: int) -> Line:
    return said("{}", digits(str(value)))


def _vector(values: Sequence[int | Fraction]) -> Formula:
    return glued("(", joined(", ", [_fraction(value) for value in values]), ")")


def _update(exercise: Exercise, visit: Visit) -> Formula:
    z = [visit.label * int(v) for v in exercise.X[visit.row]] + ([visit.label] if exercise.fit_intercept else [])
    return glued("+ ", _vector(z))


def _fraction(value: int | Fraction) -> Formula:
    """Write a fraction as one, not as a decimal."""
    return Formula(str(value), str(value))


def _rounded(value: Fraction) -> tuple[Part, ...]:
    return () if value.denominator == 1 else (Formula("~", r"\approx"), digits(f"{float(value):.6g}"))
