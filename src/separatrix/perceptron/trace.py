"""What the trace of a run implies: the weights after each mistake, how long they are, and where they point.

The trace is walked once in floating point whose errors are known; at a few marks the weights are kept exactly. Nothing
grows with the number of mistakes but the trace itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled import trace as compiled
from ..compiled.signs import UNKNOWN
from ..compiled.trace import FIRST_WRONG, STEP, WRONG, ZERO, WalkStop, walk
from ..exact.dyadic import Dyadic, mantissas_and_exponents
from ..problem.lifted import LARGEST, Lifted, exponent, is_tiny
from ..problem.problem import Problem
from ..problem.ties import is_mistake
from ..support import progress
from ..support.clock import present
from .integer_weights import IntegerWeights
from .updates import ROOM_BITS

MARKS_PER_SCALE = 1000
"""Each of so many first mistakes has its mark, and so many marks, evenly spaced on a logarithmic scale, follow."""

MIN_EXACT_MARKS = 64
"""At least so many first marks are decided exactly; later ones at powers of two, and at the last mistake."""

WEIGHTS_OF_EXACT_MARKS = 20_000
"""First marks are decided exactly as long as their weights are so many numbers: more mistakes where columns are few."""

STEPS_PER_CALL = 2**18
"""A call of the kernel takes at most so many steps; between two calls Ctrl-C is noticed."""


@dataclass(frozen=True)
class UpdateRule:
    """What a run was made of, besides its rows: the start, the multiples of rows that it adds, and the tie rule."""

    start: Dyadic
    multiples: Floats | None
    """For each row what a mistake on it adds, in multiples of the row; None: 1 for each."""
    factor: float | int
    """Multiplies all of them."""
    tie: int
    unit: Fraction = Fraction(1)
    """What the weights are counted in; rows of numerators are counted in 1 over their denominator."""
    rate: Fraction = Fraction(1)
    """What a mistake adds, in multiples of the row itself, but for those of its own: the factor, in units of weights."""

    @property
    def bare(self) -> bool:
        """Whether every step adds the row of numerators itself."""
        return self.multiples is None and self.factor == 1

    @property
    def plain(self) -> bool:
        """Whether every step adds the row itself."""
        return self.multiples is None and self.rate == 1

    def of(self, i: int) -> Fraction:
        """Return the multiple of row i that a mistake on it adds."""
        return self.rate * (1 if self.multiples is None else Fraction(float(self.multiples[i])))

    def sums(self, trace: Indices) -> tuple[Fraction, Fraction]:
        """Return the sum of the multiples along a trace, and that of their squares."""
        if self.plain:
            return Fraction(trace.size), Fraction(trace.size)
        counts = np.bincount(trace)
        rows = np.flatnonzero(counts).tolist()
        once = sum((int(counts[i]) * self.of(i) for i in rows), Fraction(0))
        return once, sum((int(counts[i]) * self.of(i) ** 2 for i in rows), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Course:
    """The course of a run at its marks; numbers are scaled: lengths by ``2**scale``, the reference to about 1."""

    marks: Indices
    exact: NDArray[np.bool_]
    """The marks at which the weights are known exactly."""
    weights: list[Dyadic]
    """What they are there."""
    measured: Floats
    """At each mark ``||w_k||^2`` times ``4**scale``, its error, ``star.w_k`` times ``2**scale``, for a reference scaled to a
    largest entry between 1/2 and 1, and its error; nothing at exact marks."""
    scale: int
    wrong: int
    """Number of steps that were no mistakes."""
    first_wrong: int
    """The first step that was no mistake, counted from 1; 0 if all were."""
    zeros: int
    """Number of steps at a score of exactly 0."""

    @property
    def squares(self) -> Floats:
        """The squares of the lengths, scaled."""
        return self.measured[0]

    @property
    def square_errors(self) -> Floats:
        """Bounds of their errors."""
        return self.measured[1]

    @property
    def products(self) -> Floats:
        """The products with the reference, scaled."""
        return self.measured[2]

    @property
    def product_errors(self) -> Floats:
        """Bounds of their errors."""
        return self.measured[3]


def marks_of(mistakes: int, columns: int) -> tuple[Indices, NDArray[np.bool_]]:
    """Choose the mistakes to look at, and tell which of them exactly."""
    powers = 2 ** np.arange(max(1, mistakes).bit_length())
    few = np.arange(1, min(mistakes, MARKS_PER_SCALE) + 1)
    many = (
        np.geomspace(MARKS_PER_SCALE, mistakes, MARKS_PER_SCALE).round().astype(np.int64)
        if mistakes > MARKS_PER_SCALE
        else few
    )
    marks = np.unique(np.concatenate([few, many, powers, [mistakes]]).astype(np.int64))
    marks = marks[(marks > 0) & (marks <= mistakes)]
    return marks, (marks <= max(MIN_EXACT_MARKS, min(MARKS_PER_SCALE, WEIGHTS_OF_EXACT_MARKS // columns))) | np.isin(
        marks, powers
    ) | (marks == mistakes)


def follow(lifted: Lifted, trace: Indices, steps: UpdateRule, star: Dyadic | None) -> Course:
    """Walk along a trace."""
    marks, exact = marks_of(trace.size, len(steps.start))
    reference = Dyadic([0] * len(steps.start), 0) if star is None else star.times_power(-star.magnitude())
    walker = _Walker.of(lifted, trace, steps)
    return (_slowly if walker is None else walker.go)(lifted, trace, steps, reference, marks, exact)


class Prefix:
    """The exact weights after some of the mistakes of a trace, in integers."""

    def __init__(self, problem: Problem, trace: Indices, steps: UpdateRule) -> None:
        self.trace, self.k = trace, 0
        self._truth = IntegerWeights(problem, steps.start, steps.multiples, steps.factor)

    def at(self, k: int) -> Dyadic:
        """Go on to the weights after k mistakes, not fewer than before."""
        counts, clock = np.bincount(self.trace[self.k : k]), present()
        for i in np.flatnonzero(counts).tolist():
            clock.check()
            self._truth.add(i, int(counts[i]))
        self.k = k
        return self._truth.now()


def _slowly(
    lifted: Lifted, trace: Indices, steps: UpdateRule, star: Dyadic, marks: Indices, exact: NDArray[np.bool_]
) -> Course:
    """Walk in integers alone, for numbers that the kernels cannot hold."""
    problem, prefix = lifted.problem, Prefix(lifted.problem, trace, steps)
    weights, wrong, first, zeros = [], 0, 0, 0
    now = prefix.at(0)
    stops = set(marks.tolist())
    for t, i in enumerate(trace.tolist()):
        sign = lifted.exact_sign(i, now)
        zeros += sign == 0
        if not is_mistake(sign, problem.y[i], steps.tie):
            wrong, first = wrong + 1, first or t + 1
        now = prefix.at(t + 1)
        if t + 1 in stops:
            weights.append(now)
    return Course(
        marks=marks,
        exact=np.ones_like(exact),
        weights=weights,
        measured=np.zeros((4, marks.size)),
        scale=0,
        wrong=wrong,
        first_wrong=first,
        zeros=zeros,
    )


@dataclass
class _Walker:
    """The walk in floating point."""

    parts: Floats
    loss: Floats
    multiples: Floats | None
    roomy: bool

    @classmethod
    def of(cls, lifted: Lifted, trace: Indices, steps: UpdateRule) -> _Walker | None:
        """Lay out what the kernel needs; None if it cannot hold it."""
        if not lifted.faithful:
            return None
        start, multiples = steps.start, None
        if start and start.magnitude() + lifted.shift > exponent(LARGEST):
            return None
        if not steps.bare:
            numbers = np.ones(lifted.problem.n) if steps.multiples is None else steps.multiples
            if not 2.0**-100 <= float(numbers.max()) * steps.factor <= 2.0**100:
                return None
            multiples, lost = Dyadic.from_parts(numbers).times(steps.factor).split(2, 0)
            if lost.any() or is_tiny(multiples):
                return None
        # Whatever the trace, no sum exceeds this.
        most = trace.size * lifted.rows.radius * (1 + 2.0**-40)
        roomy = steps.bare and not start and most <= 2.0**ROOM_BITS * lifted.smallest
        parts, loss = start.split(2 if roomy else 3, lifted.shift)
        if is_tiny(parts) or is_tiny(loss):
            return None
        return cls(lifted.place(parts).copy(), lifted.place(loss).copy(), multiples, roomy)

    def go(
        self, lifted: Lifted, trace: Indices, steps: UpdateRule, star: Dyadic, marks: Indices, exact: NDArray[np.bool_]
    ) -> Course:
        first, star_loss = star.split(1, 0)
        shots, parts = marks[exact], self.parts
        walker = compiled.Walker(lifted.rows, self.multiples, self.roomy, steps.tie, parts, self.loss, lifted.buffers())
        measured = np.zeros((4, marks.size))
        measuring = compiled.Marks(marks, lifted.place(first[0]), lifted.place(star_loss), measured)
        snapshots = compiled.Snapshots(shots, np.zeros((shots.size, *parts.shape)), np.zeros(shots.size, bool))
        state = np.zeros(6, np.int64)
        prefix, known, clock = Prefix(lifted.problem, trace, steps), UNKNOWN, present()
        while state[STEP] < trace.size:
            end = min(trace.size, int(state[STEP]) + STEPS_PER_CALL)
            reason = walk(walker, trace[:end], measuring, snapshots, state, known)
            known = UNKNOWN
            if reason == WalkStop.UNDECIDED:
                t = int(state[STEP])
                known = lifted.exact_sign(int(trace[t]), prefix.at(t))
            progress.report(lambda: f"audited {state[STEP]:,} of {trace.size:,} mistakes")
            clock.check()
        prefix = prefix if prefix.k == 0 else Prefix(lifted.problem, trace, steps)
        weights = [
            Dyadic.from_parts(lifted.unplace(snapshot), -lifted.shift) if is_exact else prefix.at(k)
            for snapshot, is_exact, k in zip(snapshots.parts, snapshots.exact.tolist(), shots.tolist(), strict=True)
        ]
        return Course(
            marks=marks,
            exact=exact,
            weights=weights,
            measured=measured,
            scale=lifted.shift,
            wrong=int(state[WRONG]),
            first_wrong=int(state[FIRST_WRONG]),
            zeros=int(state[ZERO]),
        )


def radius_squared(lifted: Lifted) -> Fraction:
    """Return the largest ``||z_i||^2``, exactly."""
    return longest_rows(lifted)[0]


def longest_rows(lifted: Lifted) -> tuple[Fraction, list[int]]:
    """Return the largest ``||z_i||^2``, exactly, and the rows that attain it.

    Those rows are squared whose upper bounds are near the largest.
    """
    norms, m = lifted.rows.norms, lifted.rows.longest
    candidates = np.arange(lifted.problem.n)
    if lifted.faithful and math.isfinite(lifted.rows.radius):
        # Norms are too large by (2m + 32) units at most, unless squares underflow.
        near = lifted.rows.radius * (1.0 - (4 * m + 100) * 2.0**-53) - 2.0**-400
        candidates = np.flatnonzero(norms >= near)
    best: tuple[int, int] = (0, 0)
    rows: list[int] = []
    for i in candidates.tolist():
        square = _square(lifted.problem, i)
        least = min(square[1], best[1])
        more = (square[0] << (square[1] - least)) - (best[0] << (best[1] - least))
        if more > 0:
            best, rows = square, []
        if more >= 0:
            rows.append(i)
    return _natural(best, lifted.problem), rows


def squared_length(problem: Problem, i: int) -> Fraction:
    """Return ``||z_i||^2``, exactly."""
    return _natural(_square(problem, i), problem)


def _square(problem: Problem, i: int) -> tuple[int, int]:
    """Return the square of a row of numerators, as a whole number and the exponent of the power of two it counts in."""
    numbers, exponents = mantissas_and_exponents(problem.row(i)[1])
    least = min(exponents, default=0)
    return sum((m << (e - least)) ** 2 for m, e in zip(numbers, exponents, strict=True)), 2 * least


def _natural(square: tuple[int, int], problem: Problem) -> Fraction:
    return Fraction(square[0]) * Fraction(2) ** square[1] / problem.rows.denominator**2
