"""Hyperplanes with few errors on rows in blocks, proposed from what a pass or two can teach.

The first pass adds up the products of the columns, for least squares; has perceptrons learn from a few blocks; and draws a
sample of the rows, on which the search in memory minimises losses and then errors (`surrogates`). Later ones collect the
rows next to the best hyperplane. Only these change sides when it moves a little: beside them, a few of the sample stand for
all that are farther off, and the search in memory goes on from there with every row counting what it stands for.

Floating point proposes; who is given a hyperplane counts its errors exactly on all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._types import Floats, Indices
from ..errors.disagreement import nearby
from ..exact.dyadic import Dyadic
from ..perceptron.pocket import averaged
from ..problem.batches import BatchedProblem, ended, one_after_another
from ..problem.exact_rows import ExactRows
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import times_powers
from ..problem.scaled import MAX_DENSE_COLUMNS, ScaledRows
from ..support.clock import Clock, OutOfTime
from ..surrogates.newton import solved
from ..surrogates.proposals import Proposals
from .asking import scores_of
from .passes import Passes

_MOST_NUMBERS = 10**7
"""Numbers of the sample, at most: more hardly make a hyperplane better, and take the longer."""

_SHARE_OF_ROOM = 4
"""Which part of the room for rows the sample may take; the rows next to a hyperplane take as much, and both together."""

_LEAST_ROWS, _LEAST_ROWS_PER_COLUMN = 500, 2
"""Rows of the sample, however little room there is: so many, and so many for each column besides."""

_PRODUCTS_PER_SECOND = 1e10
"""Products of columns that a processor adds up, about."""

_SHARE_FOR_PRODUCTS = 0.2
"""How much of the time they may take."""

_AVERAGED = 16
"""Blocks, evenly spaced, that perceptrons learn from, at most: more hardly make their mean better."""

_PASSES_TO_LEARN = 4.0
"""For how many passes there must be time, so that all blocks are learnt from in the first, and not some alone."""

_MOST_FRUITLESS_STEPS = 200
"""Steps that may come to nothing better, one after the other, before it takes rows that are nearer."""


@dataclass(frozen=True)
class Lesson:
    """What is wanted of each block in the first pass."""

    averaging: frozenset[int]
    """The first rows of the blocks that perceptrons learn from."""
    products: bool
    """Whether products of columns are added up."""
    share: float
    """The share of rows that the sample takes."""
    seed: int


class Sums(NamedTuple):
    """Sums over rows whose columns are scaled by powers of two: what least squares need to know of them."""

    gram: Floats
    right: Floats
    exponents: Indices

    def plus(self, other: Sums) -> Sums:
        """Add the sums over other rows, at the scale that suits both."""
        common = np.minimum(self.exponents, other.exponents)
        first, second = self._at(common), other._at(common)
        return Sums(first.gram + second.gram, first.right + second.right, common)

    def _at(self, exponents: Indices) -> Sums:
        by = exponents - self.exponents
        return Sums(np.ldexp(self.gram, by[:, None] + by), np.ldexp(self.right, by), exponents)

    def solution(self) -> Dyadic | None:
        """Return the weights of the regression of 1 on the signed, lifted rows."""
        spread = -(np.frexp(np.diag(self.gram))[1] // 2)  # columns that differ in size are brought to about the same
        even = self._at(self.exponents + spread)
        w = solved(even.gram, even.right)
        return None if w is None or not w.any() else Dyadic.from_parts(w).times_powers(even.exponents)


class Learnt(NamedTuple):
    """What a block has taught."""

    sums: Sums | None
    mean: Floats | None
    """The averaged perceptron, its largest weight about 1."""
    sample: Problem | None


def _learn(problem: Problem, start: int, lesson: Lesson) -> Learnt:
    """Learn from a block."""
    chosen = np.flatnonzero(np.random.default_rng([lesson.seed, start]).random(problem.n) < lesson.share)
    sample = problem.with_rows(chosen) if chosen.size else None
    with np.errstate(all="ignore"):  # what comes of it is looked at
        scaled = ScaledRows(problem, scale_rows=False)
        sums = Sums(scaled.gram(), scaled.combine(np.ones(problem.n)), scaled.exponents) if lesson.products else None
        mean = _mean(problem, scaled) if start in lesson.averaging else None
    return Learnt(sums, mean, sample)


def _mean(problem: Problem, scaled: ScaledRows) -> Floats | None:
    """Return the averaged perceptron of rows, whose columns are brought to about the same size for it."""
    d = problem.d
    squares = scaled.squares(np.ones(problem.n))[:d] / problem.n
    exponents = scaled.exponents[:d] - np.frexp(squares)[1] // 2
    X = times_powers(problem.X, exponents)
    numbers = X if isinstance(X, np.ndarray) else X.data
    if not np.all(np.isfinite(numbers)):
        return None
    found = nearby(averaged(Problem.bare(ExactRows(X), problem.intercept, problem.y, problem.classes)))
    if found is None:
        return None
    weights = np.append(np.ldexp(found[:d], exponents), found[d:] / (problem.constant or 1))
    largest = float(np.abs(weights).max(initial=0.0))
    return weights / largest if 0.0 < largest < np.inf else None


class Window(NamedTuple):
    """The rows next to a hyperplane that are wanted."""

    weights: Dyadic
    reach: float
    """They score less than this, on either side."""
    share: float
    """The share of them that is taken, if not all."""
    seed: int


class Near(NamedTuple):
    """Rows next to a hyperplane, and how many all of them are."""

    number: int
    rows: tuple[Problem, ...]

    def plus(self, other: Near) -> Near:
        """Add those of other blocks."""
        return Near(self.number + other.number, self.rows + other.rows)


def near(problem: Problem, start: int, window: Window, scores: Floats) -> Near:
    """Return the rows of a block that are in a window; their scores are those of its hyperplane."""
    inside = np.flatnonzero(np.abs(scores) < window.reach)
    drawn = inside[np.random.default_rng([window.seed, start]).random(inside.size) < window.share]
    return Near(int(inside.size), (problem.with_rows(drawn),) if drawn.size else ())


class Proposing:
    """What proposes hyperplanes: a sample of all rows, and rows next to the best hyperplane."""

    def __init__(self, problem: BatchedProblem, passes: Passes, seed: int) -> None:
        self.problem, self.passes, self.seed = problem, passes, seed
        self.sample: Problem | None = None
        longest = max(1, problem.facts.longest)
        room = min(problem.batches.most_numbers // _SHARE_OF_ROOM, _MOST_NUMBERS)
        self.most = max(room // longest, _LEAST_ROWS + _LEAST_ROWS_PER_COLUMN * problem.width)
        """Rows of the sample, about, and as many next to the hyperplane."""
        self._rounds = 0

    def learn(self, clock: Clock, spare: float) -> list[Dyadic]:
        """Learn from all rows, or some if time is short, until so many seconds are left; return what is proposed."""
        self.passes.doing = "learning from all rows"
        blocks, starts = self.problem.blocks, self.problem.facts.starts
        few = blocks[:: -(-len(blocks) // _AVERAGED)]
        some = blocks if clock.left() >= _PASSES_TO_LEARN * self.passes.seconds_of_one else few
        there = sum(self.problem.facts.sizes[k] for k in some)
        products = float(there) * self.problem.width**2
        lesson = Lesson(
            averaging=frozenset(int(starts[k]) for k in few),
            products=self.problem.width <= MAX_DENSE_COLUMNS
            and products <= _SHARE_FOR_PRODUCTS * clock.left() * _PRODUCTS_PER_SECOND,
            share=min(1.0, self.most / there),
            seed=self.seed,
        )
        sums: Sums | None = None
        means: list[Floats] = []
        samples: list[Problem] = []
        with ended(self.passes.map(_learn, lesson, blocks=some)) as found, np.errstate(all="ignore"):
            for _, learnt in found:
                if learnt.sums is not None:
                    sums = learnt.sums if sums is None else sums.plus(learnt.sums)
                means += [] if learnt.mean is None else [learnt.mean]
                samples += [] if learnt.sample is None else [learnt.sample]
                if clock.left() < spare + self.passes.seconds_of_one:
                    break  # what some rows have taught is better than what there is no time to count the errors of
            self.sample = one_after_another(samples) if samples else None
            squares = None if sums is None else sums.solution()
            mean = np.sum(means, axis=0) if means else np.zeros(self.problem.width)
        return [each for each in (squares, Dyadic.from_parts(mean) if mean.any() else None) if each is not None]

    def of_sample(self, candidates: Sequence[Dyadic], clock: Clock) -> list[Dyadic]:
        """Propose hyperplanes with few errors on the sample, the first of them the one with the fewest."""
        if self.sample is None:
            return list(candidates)
        wrong = {k: np.count_nonzero(Lifted.of(self.sample).signs(each) <= 0) for k, each in enumerate(candidates)}
        order = sorted(wrong, key=lambda k: wrong[k])
        found = self._search(self.sample, None, candidates[order[0]] if order else None, clock)
        return [*found, *(candidates[k] for k in order)]

    def window(self, weights: Dyadic) -> Window:
        """Return how near to a hyperplane rows are to be, and which share of them to take, for as many as there is room."""
        self._rounds += 1
        if self.sample is None:
            return Window(weights, 0.0, 0.0, self._rounds)
        distances = np.sort(np.abs(self._scores(self.sample, weights)))
        # The nearest of the sample stand for the rows there is room for; now and then for more, of which some are drawn.
        wider = 4 ** ((self._rounds - 1) % 3)
        place = min(distances.size - 1, int(wider * self.most / self.problem.n * distances.size))
        reach = float(distances[place])
        return Window(weights, reach if np.isfinite(reach) else 0.0, 1.0 / wider, self._rounds)

    def beside(self, best: Dyadic, window: Window, found: Near | None, clock: Clock) -> list[Dyadic]:
        """Propose a hyperplane with fewer errors than the best one, by the rows next to it and some of those farther off."""
        if self.sample is None or found is None or not found.rows:
            return []
        inside = one_after_another(found.rows)
        far = np.flatnonzero(~(np.abs(self._scores(self.sample, window.weights)) < window.reach))
        costs = np.full(inside.n, found.number / inside.n)
        if far.size:
            costs = np.append(costs, np.full(far.size, (self.problem.n - found.number) / far.size))
            inside = one_after_another([inside, self.sample.with_rows(far)])
        return self._search(inside, costs, best, clock)

    def _scores(self, problem: Problem, weights: Dyadic) -> Floats:
        return scores_of(Lifted.of(problem), weights, not problem.intercept)

    def _search(self, problem: Problem, costs: Floats | None, begun: Dyadic | None, clock: Clock) -> list[Dyadic]:
        """Return what the search in memory comes to, on rows with costs, in so much time: the last, and one halfway."""
        if not clock.left():
            return []
        proposals = Proposals(replace(problem, weights=None), costs, clock)
        if begun is not None:
            proposals.begin_with(begun)
        found: list[Dyadic] = []
        fruitless = 0
        for proposed in proposals:
            fruitless = fruitless + 1 if proposed is None else 0
            found += [] if proposed is None else [proposed]
            if fruitless > _MOST_FRUITLESS_STEPS:
                break
            try:
                clock.check()
            except OutOfTime:
                break
        return [found[-1], *found[len(found) // 2 : -1][:1]] if found else []
