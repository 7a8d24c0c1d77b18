"""The pocket algorithm: the perceptron on random mistakes, and the best weights it has come by, kept like in a pocket."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._types import Floats, Indices
from ..compiled.integers import LIMBS
from ..compiled.pocket_errors import (
    MAX_UPDATES_PER_BLOCK,
    ROW,
    STAND,
    UPDATE,
    Block,
    CountStop,
    Loads,
    Panel,
    add_up,
    count,
    lay_out,
    stand_at,
    weigh,
)
from ..compiled.rows import DenseRows, multiply
from ..compiled.run import Stop, bounds_held, find_bounds, settle
from ..compiled.signs import UNKNOWN
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest
from ..problem.lifted import Lifted, aligned, exponent
from ..problem.problem import Problem
from ..problem.rows import stored
from ..problem.sums import total
from ..problem.ties import mistakes
from ..support import progress
from ..support.blas import one_thread
from ..support.clock import Clock
from ..support.threads import matrix_product
from ..surrogates.proposals import Proposals
from .orders import MIN_DRAWS_PER_PASS
from .run import Run

UPDATES_PER_MEAN = 100
"""The mean of the weights is tried after so many updates, again and again."""

MAX_WEIGHTS_PER_BLOCK = 2**20
"""The weights after all updates of a block are at most so many numbers, some megabytes: more columns, fewer updates."""

MAX_SCORES_PER_PANEL = 2**18
"""At most so many scores, two megabytes, are computed at once; then weights that cannot win are left out of the count."""

MAX_PASSES_TO_AVERAGE, NUMBERS_TO_AVERAGE = 20, 10**7
"""A start is sought by the averaged perceptron in at most so many passes, and of more than one by so many numbers read."""

_SHARE_TO_AVERAGE = 0.2
"""What that may take of the time for a start, where there is a limit."""

MAX_COUNTED_PROPOSALS = 8
"""Of the hyperplanes that are proposed for a start, the errors of so many are counted exactly, at most: of the last ones."""

BITS_ABOVE_ROWS = 6
"""The weights of a start are about two to this power times as large as the longest row is long."""

MAX_DRAWS_PER_PASS = 2**20
"""At most so many rows are drawn at once."""


class Improvement(NamedTuple):
    """The pocket was filled anew."""

    updates: int
    """After so many updates in all."""
    errors: int
    """With weights that misclassify so many rows."""
    weighted_error: float
    """The weights of these rows together, rounded."""


class PocketRun(Run):
    """A run that learns from random mistakes and keeps the weights with the fewest errors it has come by.

    At each update a row is drawn uniformly among those now misclassified and added to the weights. Errors are counted by
    exact signs, and compared exactly where they are weighed: the pocket is filled anew only by weights that err less.

    Parameters
    ----------
    problem : Problem
        The rows; its weights, if any, weigh errors.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    start : Dyadic, optional
        The first weights, the intercept last; zero if not given.
    factor : float or int
        How often an update adds its row.
    average : bool
        Whether to try also the mean of the weights, after every `UPDATES_PER_MEAN` updates. It is that of the weights after
        each update since the last time when their number was `UPDATES_PER_MEAN` times a power of two, or since the start.
    like : Run, optional
        Another run on the same rows, whose preparations are made use of.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        tie: str = "update",
        start: Dyadic | None = None,
        factor: float | int = 1,
        average: bool = False,
        like: Run | None = None,
    ) -> None:
        super().__init__(problem, tie=tie, start=start, factor=factor, record=True, like=like)
        self.pocket = self.start
        """The weights with the fewest errors so far."""
        self.history: list[Improvement] = []
        self._least: int | float = math.inf  # errors of the pocket, or their weights in units of 2**-1074
        self._earlier = 0  # updates before the present block
        self._draws = np.empty(0, np.int64)
        self._begun = 0  # updates at the last restart
        self._rough: Floats | None = None
        if problem.weights is not None:
            with np.errstate(under="ignore"):  # what is lost is less than what `_enough` allows for
                self._rough = np.ldexp(problem.weights, -exponent(float(problem.weights.max())))
        self._block = 1  # in integers, which are slow, time is looked at after each update
        if self._faithful:
            self._block = max(8, min(MAX_UPDATES_PER_BLOCK, MAX_WEIGHTS_PER_BLOCK // self._lifted.columns // 8 * 8))
            self._first = self._kernel.parts.copy(), self._kernel.loss.copy()
            self._order = np.arange(problem.n)
            self._block_counts = np.zeros(problem.n, np.int64)
            self._block_settled = np.zeros(problem.n, np.int64)
            shape = (self._block, self._lifted.columns)
            self._is_dense = isinstance(self._kernel.rows, DenseRows)
            self._V = aligned(shape if self._is_dense else shape[::-1], np.float64)
            self._V[:] = 0.0
            rows = min(MAX_SCORES_PER_PANEL // self._block, problem.n)
            if self._is_dense:  # which are copied for their product
                rows = min(rows, MAX_WEIGHTS_PER_BLOCK // self._lifted.columns)
            self._panel = max(1, rows)
            self._scores = np.empty(self._panel * self._block)
            if self._is_dense:
                self._few = np.empty((self._panel, self._lifted.columns))
            if math.isnan(self._kernel.grid):
                self._find_grid()
        self._mean = Mean(self._lifted, factor) if average else None
        self.consider(self.start)

    @property
    def updates(self) -> int:
        """Number of updates so far, over all restarts."""
        return self._earlier + self.mistakes

    @property
    def errors(self) -> int:
        """Number of rows that the weights in the pocket misclassify."""
        return self.history[-1].errors

    @property
    def share(self) -> float:
        """What the errors in the pocket weigh, over the heaviest row; their number, if there are no weights."""
        if self.problem.weights is None:
            return float(self.errors)
        return self.history[-1].weighted_error / float(self.problem.weights.max())

    def restart(self) -> None:
        """Begin again from the first weights, with new draws; the pocket stays."""
        self._forget()
        self._draws = np.empty(0, np.int64)
        self._state.position = 0
        self.counts[:] = 0
        self._begun = self._earlier
        if self._mean is not None:
            self._mean.begin()
        self._known = None
        self._half_settled = False
        if self._faithful:
            self._state.owed = 0
            self._kernel.parts[:], self._kernel.loss[:] = self._first
            self._kernel.settled[:] = 0

    @one_thread
    def climb(self, most: int, rng: np.random.RandomState, clock: Clock) -> None:
        """Make so many updates; end earlier if the pocket has no error, or the time is over."""
        most += self.updates
        while self.errors and self.updates < most and clock.left():
            if self._state.position == self._draws.size:
                n = self.problem.n
                size = min(max(n, MIN_DRAWS_PER_PASS), MAX_DRAWS_PER_PASS)
                self._draws = rng.randint(n, size=size, dtype=np.int64)
                self._state.position = 0
            self._forget()
            base = self._base()
            self._state.passes = self._state.pass_mistakes = 0
            block = self._block
            if self._mean is not None:
                block = min(block, UPDATES_PER_MEAN - (self.updates - self._begun) % UPDATES_PER_MEAN)
            if self.advance(self._draws, 1, min(block, most - self.updates)) != Stop.LIMITED:
                self._state.position = self._draws.size
            if self.mistakes:
                self._look_back(base)
                self._try_mean()

    def consider(self, weights: Dyadic) -> bool:
        """Put weights in the pocket if they err less; return whether they do."""
        wrong = np.flatnonzero(mistakes(self._lifted.signs(weights), self.problem.y, self.tie))
        load = self._load_of(wrong)
        if load >= self._least:
            return False
        self._keep(weights, self.updates, int(wrong.size), load)
        return True

    # Below: the blocks of updates, and what the pocket is filled with.

    def _try_mean(self) -> None:
        """Take up a block's updates, and try the mean of the weights when it is time."""
        if self._mean is None or not self.errors:
            return
        self._mean.take_up(self.trace)
        done = self.updates - self._begun
        if done % UPDATES_PER_MEAN == 0:
            self.consider(self._mean.total(self.weights()))
            if (done // UPDATES_PER_MEAN).bit_count() == 1:
                self._mean.begin()

    def _forget(self) -> None:
        """Count mistakes from 0 again, so that the trace is that of one block."""
        self._earlier += self.mistakes
        self._state.mistakes = self._state.budget = 0

    def _base(self) -> tuple[Floats, Floats] | None:
        """Return the exact weights at the beginning of a block, as the kernels hold them."""
        if not self._faithful:
            return None
        settle(self._kernel, bounds_held(self._kernel.bounds).roomy, 0, self._state.owed, self.counts)
        self._state.owed = 0
        return self._kernel.parts.copy(), self._kernel.loss.copy()

    def _look_back(self, base: tuple[Floats, Floats] | None) -> None:
        """Fill the pocket with the best weights of the last block, if they are better than all before."""
        trace = self.trace
        if base is None:
            for t in range(trace.size):
                self._consider_later(trace, t)
            return
        m, (parts, loss) = trace.size, base
        run = self._kernel._replace(parts=parts, loss=loss, settled=self._block_settled, pending=trace)
        self._block_counts[trace] = self._block_settled[trace] = 0
        block = Block(trace, self._V, self._block_counts, np.arange(m))
        bounds = find_bounds(run, m)
        lay_out(run, block, parts[0].copy())
        position, ends, known = np.zeros(4, np.int64), np.zeros(m), UNKNOWN
        loads, panel = Loads(np.zeros(m), self._rough, self._enough), Panel(0, self._scores_from(0, m))
        while True:
            reason = count(run, bounds, block, self._order, panel, loads, position, known)
            known = UNKNOWN
            if reason == CountStop.UNDECIDED:
                weights = self._weights_after(trace, int(block.which[position[UPDATE]]))
                known = self._lifted.exact_sign(int(self._order[position[ROW]]), weights)
                continue
            ends[block.which] = loads.loads
            if reason == CountStop.COUNTED:
                break
            block, loads = self._without_losers(block, loads)
            first = int(position[ROW])
            panel = Panel(first, self._scores_from(first, loads.loads.size))
        for t in np.flatnonzero(ends < self._enough).tolist():
            if self._rough is not None:  # exact sums must tell
                self._consider_later(trace, t)
            elif ends[t] < self._least:
                position[STAND] = stand_at(run, bounds.roomy, block, position[STAND], t + 1)
                weights = self._weights_after(trace, t) if loss.any() else self._as_dyadic(parts)
                self._keep(weights, self._earlier + t + 1, int(ends[t]), int(ends[t]))

    def _without_losers(self, block: Block, loads: Loads) -> tuple[Block, Loads]:
        """Leave out the weights that have come to as many errors as are in the pocket."""
        left = np.flatnonzero(loads.loads < loads.enough)
        if left.size in (0, loads.loads.size):
            return block, loads
        if self._is_dense:
            self._V[: left.size] = self._V[left]
        else:
            self._V[:, : left.size] = self._V[:, left]
        return block._replace(which=block.which[left]), loads._replace(loads=loads.loads[left])

    def _scores_from(self, first: int, m: int) -> Floats:
        """Return the plain scores of the next rows in the order, for the m weights in V."""
        rows, chosen = self._kernel.rows, self._order[first : first + self._panel]
        scores = self._scores[: chosen.size * m].reshape(chosen.size, m)
        if not self._is_dense:
            multiply(rows, chosen, self._V, scores)
            return scores
        few = self._few[: chosen.size]
        few[...] = rows.screen[chosen]
        return matrix_product(few, self._V[:m].T, scores)  # the bounds have room for underflow

    def _weights_after(self, trace: Indices, t: int) -> Dyadic:
        """Return the exact weights after update number t, counted from 0, of the last block."""
        counts = self.counts.copy()
        np.subtract.at(counts, trace[t + 1 :], 1)
        return self._truth().weights(counts)

    def _consider_later(self, trace: Indices, t: int) -> None:
        if self.consider(self._weights_after(trace, t)):
            self.history[-1] = self.history[-1]._replace(updates=self._earlier + t + 1)

    @property
    def _enough(self) -> float:
        """The load of errors that ends a count: the pocket's, and more by all rounding where errors are weighed."""
        if self._rough is None:
            return float(self._least)
        return self._load * (1.0 + (4 * self.problem.n + 16) * 2.0**-53) + 2.0**-1000

    def _load_of(self, wrong: Indices) -> int:
        """Return the number of errors, or the exact sum of their weights in units of ``2**-1074``."""
        if self.problem.weights is None:
            return int(wrong.size)
        limbs = np.zeros(LIMBS + 2, np.int64)
        weigh(self.problem.weights.view(np.uint64), wrong, limbs)
        return sum(int(limb) << 32 * k for k, limb in enumerate(limbs))

    def _keep(self, weights: Dyadic, updates: int, errors: int, load: int) -> None:
        self.pocket, self._least = weights, load
        weighted = float(errors)
        if self._rough is not None:
            weighted = nearest(Fraction(load, 2**1074))
            scale = exponent(float(self.problem.weights.max()))  # type: ignore[union-attr]
            self._load = float(Fraction(load, 2**1074) / Fraction(2) ** scale)
        self.history.append(Improvement(updates, errors, weighted))

    def _report(self) -> None:
        progress.report(
            lambda: f"{self.updates:,} updates, {self.errors:,} errors in the pocket", self.updates, None, "updates"
        )


class Mean:
    """The mean of a run's weights after each of its updates, since it began: their sum, which has the same signs.

    As in `averaging` the number of an update tells how many of the weights hold it; but here those that do not are counted,
    so that updates can be added up block by block, in a few floats, long before it is known how many there will be.

    Parameters
    ----------
    lifted : Lifted
        The rows.
    factor : float or int
        How often an update adds its row.
    """

    def __init__(self, lifted: Lifted, factor: float | int = 1) -> None:
        self._lifted, self._factor, self._buffers = lifted, factor, lifted.buffers()
        self._moments = np.zeros(lifted.problem.n, np.int64)
        self._parts, self._loss = np.zeros((3, lifted.columns)), np.zeros(lifted.columns)
        self.begin()

    def begin(self) -> None:
        """Begin anew, at the present weights."""
        self._updates = 0
        for each in (self._moments, self._parts, self._loss):
            each[...] = 0

    def take_up(self, trace: Indices) -> None:
        """Take up the latest updates of the run."""
        np.add.at(self._moments, trace, self._updates + np.arange(trace.size))
        if self._lifted.faithful:
            add_up(self._lifted.rows, trace, self._updates, self._parts, self._loss, self._buffers)
        self._updates += trace.size

    def total(self, weights: Dyadic) -> Dyadic:
        """Return the exact sum, given the present weights: of m updates, the one after k others is missing in k of the m."""
        if self._lifted.faithful and not self._loss.any():
            missing = Dyadic.from_parts(self._lifted.unplace(self._parts).copy(), -self._lifted.shift)
        else:
            missing = total(self._lifted.problem, self._moments)
        return weights.times(self._updates).plus(missing.times(self._factor), -1)


class Start(NamedTuple):
    """First weights, the run that compared them, and whether Ctrl-C ended the search for better ones."""

    weights: Dyadic
    run: PocketRun
    interrupted: bool = False


@one_thread
def best_start(problem: Problem, tie: str, limit: float | None = None) -> Start:
    """Return the weights that err least of some that are quickly found, within so many seconds if there is a limit.

    They are zero; those that say one class of all rows; the averaged perceptron after some passes; and those that
    `surrogates` proposes in floating point. Errors are counted exactly. What floats have counted is right but for rows
    next to a hyperplane: proposals are looked at from the last on, as long as one before might err less.
    """
    clock, scout = Clock(limit), PocketRun(problem, tie=tie)
    found: list[tuple[float, Dyadic]] = []
    interrupted = False
    try:
        for sign in (1, -1) if problem.intercept else ():
            scout.consider(Dyadic([0] * problem.d + [sign], 0))
        mean = averaged(problem, tie, None if limit is None else _SHARE_TO_AVERAGE * clock.left(), scout)
        scout.consider(mean)
        proposals = Proposals(problem, problem.weights, clock)
        proposals.begin_with(mean)
        for weights in proposals if scout.errors else ():
            if weights is not None:
                found.append((proposals.errors, weights))
    except KeyboardInterrupt:
        interrupted = True
    for share, weights in reversed(found[-MAX_COUNTED_PROPOSALS:]):
        if share >= scout.share:
            break
        scout.consider(weights)
    return Start(_lengthened(problem, scout.pocket), scout, interrupted)


def averaged(problem: Problem, tie: str = "update", seconds: float | None = None, like: Run | None = None) -> Dyadic:
    """Return the sum of a perceptron's weights after each visit: of many rows in one pass, of fewer in some.

    If there are so many seconds, passes go on for as long. ``like`` may be another run on the same rows.
    """
    run = Run(problem, tie=tie, average=True, like=like)
    clock, numbers = Clock(seconds), max(1, stored(problem.X))
    passes = max(1, min(MAX_PASSES_TO_AVERAGE, NUMBERS_TO_AVERAGE // numbers))
    while run.advance(None, passes) == Stop.FINISHED and seconds and clock.left() and passes < MAX_PASSES_TO_AVERAGE:
        passes += 1
    return run.total()


def _lengthened(problem: Problem, weights: Dyadic) -> Dyadic:
    """Multiply weights by a power of two so that an update turns them a little only, and the search begins nearby."""
    longest = float(problem.measures.norms.max())
    if not weights or not 0.0 < longest < math.inf:
        return weights
    return weights.times_power(exponent(longest) + BITS_ABOVE_ROWS - weights.magnitude())
