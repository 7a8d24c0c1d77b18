"""The convergence theorem, audited on a run in the feature space of a kernel.

The trace of the run is all there is: with ``w`` the weights before a mistake on row i, and ``c`` its step, the mistake adds
``c w*.z_i`` to the alignment, and ``2 c w.z_i + c^2 K(x_i, x_i)`` to the square of the length. Scores ``w.z_i`` are kept for
all rows that are ever erred on, in whole numbers.
"""

from __future__ import annotations

import math
import numbers
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from .._types import Indices
from ..estimators.kernel_perceptron import KernelPerceptron, LearntExpansion
from ..estimators.learnt import learnt_by
from ..estimators.shared.inputs import with_class_weight
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest, outward, root
from ..feature_space.gram_matrix import GramMatrix, gram_matrix
from ..perceptron.gram import Kernel
from ..problem.exact_rows import ExactRows
from ..problem.labels import read_labels
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..problem.ties import TIES, is_mistake
from ..proof.certificate import Certificate
from ..proof.claims import whole
from ..separation.kernel_margins import KernelMargin, margin_in_feature_space
from ..separation.verdict import NotSeparable
from .kernel_ledger import KernelLedger

_MAX_NUMBERS_FOR_EXACT_MARGIN = 64
"""Products of rows up to which the margin is found exactly, for short fractions."""

_MAX_ADDITIONS = 2 * 10**8
"""Whole numbers that may be added along a run: its mistakes times the rows that it erred on."""

_PRECISIONS = (256, 1024, 4096, 16384)
"""Bits of the values of the radial kernel, one after the other, until they tell the sign of every score."""


class _TooFewBits(Exception):  # noqa: N818 (it says what is missing)
    """A score is not 0, and the bits of the kernel's values do not tell its sign."""


@dataclass(frozen=True)
class _Run:
    """A run by its trace: rows of the problem, what was learnt, and steps as whole numbers in some unit."""

    problem: Problem
    kernel: Kernel
    trace: Indices
    steps: list[int]
    unit: Fraction
    tie: int


def audit_kernel(perceptron: KernelPerceptron, X: Any, y: Any, sample_weight: ArrayLike | None) -> KernelLedger:
    """Audit a run of the kernel perceptron."""
    if len(perceptron.classes_) > 2:
        raise ValueError(
            f"The theorem is about two classes; the perceptron has learnt {len(perceptron.classes_)}. Set one class against "
            f"the rest, as in y == {perceptron.classes_[0]!r}, and audit that."
        )
    learnt: LearntExpansion = learnt_by(perceptron)
    if learnt.kernel.function is not None:
        raise TypeError(
            "The kernel is a function, known by its values alone. Compute the matrix of products of all rows, and fit and "
            "audit a perceptron with kernel='precomputed'."
        )
    run = _run_of(perceptron, learnt, X, y, sample_weight)
    margin, obstruction = _margin(run)
    for bits in _PRECISIONS:
        gram = gram_matrix(run.kernel, run.problem.rows, bits)
        try:
            return _ledger(perceptron, run, gram, margin, obstruction)
        except _TooFewBits:
            continue
    raise ValueError("Some scores of the run are so close to 0 that their signs are not found within reason.")


# ---- The run, by its trace.


def _run_of(perceptron: KernelPerceptron, learnt: LearntExpansion, X: Any, y: Any, sample_weight: ArrayLike | None) -> _Run:
    """Return the run with its trace, recorded or found by running once more; refuse rows that are not those of the fit."""
    twin = clone(perceptron).set_params(record=True)
    labels, classes = read_labels(y), perceptron.classes_
    weighed = with_class_weight(perceptron.class_weight, labels, sample_weight, classes=classes)
    intercept = bool(perceptron.fit_intercept)
    problem = Problem.of(X, labels, classes=classes, intercept=intercept, sample_weight=weighed)
    if problem.d != learnt.features:
        raise ValueError(f"X has {problem.d} columns, but the perceptron was fitted on {learnt.features}.")
    trace = learnt.trace
    if trace is None:
        seeded = isinstance(perceptron.random_state, numbers.Integral)
        if isinstance(perceptron.order, str) and perceptron.order != "cyclic" and not seeded:
            raise ValueError(
                f"The run was in the order {perceptron.order!r}, which cannot be repeated without a whole number as "
                "random_state. Fit the perceptron with record=True, which keeps the trace."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            trace = learnt_by(twin.fit(X, y, sample_weight)).trace
    assert trace is not None
    places = np.arange(problem.given)
    if problem.kept is not None:
        places = np.full(problem.given, -1)
        places[problem.kept] = np.arange(problem.kept.size)
    if trace.size and int(trace.max()) >= problem.given:
        raise ValueError(_REFUSAL)
    trace = places[trace]
    if learnt.kernel.name == "precomputed":
        problem = _products_taken(problem)
    weights = np.ones(problem.n) if problem.weights is None else problem.weights
    parts = Dyadic.from_parts(weights)
    run = _Run(problem, learnt.kernel, trace, parts.integers, Fraction(2) ** parts.exponent, TIES[perceptron.tie])
    if np.any(trace < 0) or not _adds_up(run, learnt, perceptron.n_mistakes_):
        raise ValueError(_REFUSAL)
    return run


def _products_taken(problem: Problem) -> Problem:
    """Return the products of the rows that are left with each other, as the run takes them: long ones rounded to float64."""
    rows = problem.rows if problem.rows.wide is None else ExactRows(problem.rows.nearest())
    return replace(problem, rows=rows if problem.kept is None else rows.columns(problem.kept.tolist()))


_REFUSAL = (
    "The perceptron's run cannot be audited on these rows: repeated on them, or as it was recorded, it does not come to "
    "the weights that were learnt. Give the rows and sample_weight that it was fitted with, and leave its parameters "
    "as they were."
)


def _adds_up(run: _Run, learnt: LearntExpansion, mistakes: int) -> bool:
    """Whether the trace is one of so many mistakes that lead to the multiples of rows that were learnt, of these rows."""
    problem = run.problem
    rows, counts = np.unique(run.trace, return_counts=True)
    given = rows if problem.kept is None else problem.kept[rows]
    if run.trace.size != mistakes or not np.array_equal(given, learnt.support):
        return False
    pairs = zip(rows.tolist(), counts.tolist(), strict=True)
    multiples = [Fraction(int(problem.y[i]) * count * run.steps[i]) * run.unit for i, count in pairs]
    if multiples != learnt.multiples.fractions():
        return False
    same = learnt.support_rows
    if same is None or not rows.size:
        return True
    return problem.points(rows.tolist()) == Problem.bare(same, False).points(list(range(rows.size)))


# ---- The margin, and the statements.


def _margin(run: _Run) -> tuple[KernelMargin | None, Certificate | None]:
    """Return the margin of the rows that can be wrong, or what proves that there is none."""
    problem = run.problem
    few = problem.n**2 <= _MAX_NUMBERS_FOR_EXACT_MARGIN and run.kernel.name != "rbf"
    problem, _ = _fallible(run)
    try:
        return margin_in_feature_space(problem, run.kernel, "lifted", exact=few), None
    except NotSeparable as error:
        return None, error.certificate


def _fallible(run: _Run) -> tuple[Problem, NDArray[np.int64]]:
    """Return the problem without rows that are never wrong, and the places of the others.

    These are rows whose image is zero, of the class that a score of 0 predicts.
    """
    problem, everything = run.problem, np.arange(run.problem.n)
    if run.kernel.intercept or not run.tie:
        return problem, everything
    zero = np.array([square == 0 for square in gram_matrix(run.kernel, problem.rows).diagonal()])
    kept = np.flatnonzero(~(zero & (problem.y == run.tie)))
    if kept.size in (0, problem.n):
        return problem, everything
    smaller = problem.with_rows(kept)
    if run.kernel.name == "precomputed":
        smaller = replace(smaller, rows=smaller.rows.columns(kept.tolist()))
    return smaller, kept


def _ledger(
    perceptron: KernelPerceptron, run: _Run, gram: GramMatrix, margin: KernelMargin | None, obstruction: Certificate | None
) -> KernelLedger:
    problem = run.problem
    star = None if margin is None else _star(run, gram, margin)
    course = _follow(run, gram, star)
    divisor, unit = gram.divisor, run.unit
    radius_squared = Fraction(max(gram.diagonal()), divisor)
    scale = unit * unit / divisor
    squares = [square * scale for square in course.squares]
    lines = [total * unit * unit * radius_squared for total in course.step_squares]
    lengths = [root(square, up=False) for square in squares]
    sums = [total * unit for total in course.step_sums]
    found: dict[str, Any] = {
        "squared_length": [nearest(square) for square in squares],
        "squared_length_line": [nearest(line) for line in lines],
        "margin_ceiling": [length / nearest(total) for length, total in zip(lengths, sums, strict=True)],
    }
    nothing = [math.nan] * len(squares)
    found |= dict.fromkeys(("alignment", "alignment_line", "cosine", "cosine_line"), nothing)
    bound = None
    if margin is not None and star is not None:
        size = root(star.square, up=True)  # the length of w*, not scaled
        alignments = [nearest(product * unit / divisor) / size for product in course.products]
        ratio = margin.lo_squared / radius_squared
        least = Fraction(min(run.steps)), Fraction(max(run.steps))
        bound = _allowed(radius_squared * least[1] / least[0], margin)
        found |= {
            "alignment": alignments,
            "alignment_line": [root(total * total * margin.lo_squared, up=False) for total in sums],
            "cosine": [a / b if b else math.nan for a, b in zip(alignments, lengths, strict=True)],
            "cosine_line": [
                root(total * total / (squared * unit * unit) * ratio, up=False)
                for total, squared in zip(sums, course.step_squares, strict=True)
            ],
        }
    violations = [*course.violations]
    if bound is not None and run.trace.size > bound[1]:
        violations.append(f"There are {run.trace.size:,} mistakes, more than the theorem allows.")
    return KernelLedger(
        problem=problem,
        kernel=run.kernel,
        mistakes=int(run.trace.size),
        passes=perceptron.n_iter_,
        converged=perceptron.halted_,
        radius_squared=radius_squared,
        margin=margin,
        bound=bound,
        obstruction=obstruction,
        violations=tuple(violations),
        k=np.arange(1, run.trace.size + 1),
        updates=np.bincount(run.trace, minlength=problem.n),
        **{name: np.array(values, np.float64) for name, values in found.items()},
    )


def _allowed(weighted: Fraction, margin: KernelMargin) -> tuple[float, float]:
    return outward(weighted / margin.hi_squared, False), outward(weighted / margin.lo_squared, True)


@dataclass(frozen=True)
class _Star:
    """The direction of ``w*``, not scaled: its products with all signed images, and the square of its length."""

    scores: list[int]
    slack: int
    reach: int
    """No score of a row that can be wrong is below it."""
    square: Fraction


def _star(run: _Run, gram: GramMatrix, margin: KernelMargin) -> _Star:
    _, kept = _fallible(run)
    multiples = dict(zip((int(kept[i]) for i in margin.rows), whole(margin.multipliers), strict=True))
    signs = [int(label) for label in run.problem.y]
    scores = gram.scores({i: signs[i] * number for i, number in multiples.items()})
    scores = [sign * score for sign, score in zip(signs, scores, strict=True)]
    slack = gram.slack(multiples)
    square = Fraction(sum(number * scores[i] for i, number in multiples.items()), gram.divisor)
    return _Star(scores, slack, min(scores[i] for i in kept.tolist()) - slack, square)


@dataclass(frozen=True)
class _Course:
    """What the proof speaks of after each mistake, in whole numbers, and what is wrong with it."""

    squares: list[int]
    products: list[int]
    step_sums: list[int]
    step_squares: list[int]
    violations: list[str]


def _follow(run: _Run, gram: GramMatrix, star: _Star | None) -> _Course:
    """Go through the trace; decide at every mistake that it is one, and both claims of the proof."""
    rows = np.unique(run.trace).tolist()
    if run.trace.size * len(rows) > _MAX_ADDITIONS:
        raise ValueError(
            f"The run has {run.trace.size:,} mistakes on {len(rows):,} rows, too many to be followed in whole numbers. "
            "Audit a run on fewer rows, or one that was stopped earlier (max_iter)."
        )
    place = {i: k for k, i in enumerate(rows)}
    columns = [np.array([gram.column(i)[j] for j in rows], object) for i in rows]
    signs, diagonal = [int(run.problem.y[i]) for i in rows], gram.diagonal()
    radius = max(diagonal)
    scores: NDArray[Any] = np.array([0] * len(rows), object)
    multiples: dict[int, int] = {}
    square = square_slack = product = total = total_squares = 0
    course, first = _Course([], [], [], [], []), dict[str, int]()
    for k, i in enumerate(run.trace.tolist(), 1):
        p, step = place[i], run.steps[i]
        score, slack = signs[p] * int(scores[p]), gram.error * total
        if gram.error and abs(score) <= slack:
            if not gram.is_zero(multiples, i):
                raise _TooFewBits
            score = slack = 0
        if not is_mistake((score > 0) - (score < 0), signs[p], run.tie):
            first.setdefault("the step, on {row}, is no mistake: the weights before it have the row right", k)
        square += 2 * step * score + step * step * diagonal[i]
        square_slack += 2 * step * slack
        total, total_squares = total + step, total_squares + step * step
        if square - square_slack > total_squares * radius:
            first.setdefault("||w_k||^2 is above its line k R^2", k)
        if star is not None:
            product += step * star.scores[i]
            if product + total * star.slack < total * star.reach:
                first.setdefault("w*.w_k is below its line k gamma", k)
        scores = scores + signs[p] * step * columns[p]
        multiples[i] = multiples.get(i, 0) + signs[p] * step
        course.squares.append(square)
        course.products.append(product)
        course.step_sums.append(total)
        course.step_squares.append(total_squares)
    for what, k in first.items():
        row = RowNames(run.problem).name(int(run.trace[k - 1]))
        course.violations.append(f"At mistake {k:,}: {what.format(row=row)}.")
    return course
