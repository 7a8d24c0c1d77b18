"""The pocket algorithm: the perceptron on random mistakes, and the best weights it has come by, kept like in a pocket."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._types import Floats, Indices
from ..compiled.binary_run import (
    BUDGET,
    LIMITED,
    MISTAKES,
    OWED,
    PASS_MISTAKES,
    PASSES,
    PLACE,
    ROOMY,
    Weights,
    bounds,
    settle,
)
from ..compiled.integers import LIMBS
from ..compiled.pocket_errors import (
    BLOCK,
    COUNTED,
    ROW,
    STAND,
    UNDECIDED,
    UPDATE,
    Block,
    add_up,
    count,
    lay_out,
    stand_at,
    weigh,
)
from ..compiled.rows import multiply
from ..compiled.signs import UNKNOWN, predicted
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest
from ..problem.lifted import aligned, exponent
from ..problem.problem import Problem
from ..problem.scaled import ScaledRows
from ..support import progress
from ..support.blas import one_thread
from ..support.clock import Clock
from ..support.threads import matrix_product
from .run import Run

EVERY = 100
"""Updates between two trials of the mean."""

_ROOM = 2**20  # weights of a block, some megabytes: the more columns, the fewer updates

_PANEL = 2**18  # scores to compute at once, two megabytes; then weights that cannot win are left out of the count

_BITS = 20  # of weights proposed in floating point

_DRAWS = 2**20  # the most rows to draw at once


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
    average : bool
        Whether to try also the mean of the weights, after every `EVERY` updates. It is that of the weights after each
        update since the last time when their number was `EVERY` times a power of two, or since the start.
    """

    def __init__(self, problem: Problem, *, tie: str = "update", start: Dyadic | None = None, average: bool = False) -> None:
        super().__init__(problem, tie=tie, start=start, record=True)
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
            self._block = max(8, min(BLOCK, _ROOM // self._lifted.columns // 8 * 8))
            self._first = self._weights.parts.copy(), self._weights.loss.copy()
            self._order = np.arange(problem.n)
            self._block_counts = np.zeros(problem.n, np.int64)
            self._block_settled = np.zeros(problem.n, np.int64)
            shape = (self._block, self._lifted.columns)
            self._V = aligned(shape if self._rows.matrix is not None else shape[::-1], np.float64)
            self._V[:] = 0.0
            self._panel = max(1, min(_PANEL // self._block, _ROOM // self._lifted.columns, problem.n))  # rows
            self._scores = np.empty(self._panel * self._block)
            if self._rows.screen is not None:
                self._few = np.empty((self._panel, self._lifted.columns))
            if math.isnan(self._grid):
                self._grid = self._find_grid()
        self._mean = Mean(self) if average else None
        self.consider(self.start)

    @property
    def updates(self) -> int:
        """Number of updates so far, over all restarts."""
        return self._earlier + self.mistakes

    @property
    def errors(self) -> int:
        """Number of rows that the weights in the pocket misclassify."""
        return self.history[-1].errors

    def restart(self) -> None:
        """Begin again from the first weights, with new draws; the pocket stays."""
        self._forget()
        self._draws = np.empty(0, np.int64)
        self._state[PLACE] = 0
        self.counts[:] = 0
        self._begun = self._earlier
        if self._mean is not None:
            self._mean.begin()
        self._known = None
        self._half_settled = False
        if self._faithful:
            self._state[OWED] = 0
            self._weights.parts[:], self._weights.loss[:] = self._first
            self._weights.settled[:] = 0

    @one_thread
    def climb(self, most: int, rng: np.random.RandomState, clock: Clock) -> None:
        """Make so many updates; end earlier if the pocket has no error, or the time is over."""
        most += self.updates
        while self.errors and self.updates < most and clock.left():
            if self._state[PLACE] == self._draws.size:
                n = self.problem.n
                self._draws = rng.randint(n, size=min(max(n, 256), _DRAWS), dtype=np.int64)
                self._state[PLACE] = 0
            self._forget()
            base = self._base()
            self._state[PASSES] = self._state[PASS_MISTAKES] = 0
            block = self._block if self._mean is None else min(self._block, EVERY - (self.updates - self._begun) % EVERY)
            if self.advance(self._draws, 1, min(block, most - self.updates)) != LIMITED:
                self._state[PLACE] = self._draws.size
            if self.mistakes:
                self._look_back(base)
                self._try_mean()

    def consider(self, weights: Dyadic) -> bool:
        """Put weights in the pocket if they err less; return whether they do."""
        said = self._lifted.signs(weights)
        said *= self.problem.y.astype(np.int64)
        said[said == 0] = predicted(0, self.tie)
        wrong = np.flatnonzero(said != self.problem.y)
        total = self._total(wrong)
        if total >= self._least:
            return False
        self._keep(weights, self.updates, int(wrong.size), total)
        return True

    # Below: the blocks of updates, and what the pocket is filled with.

    def _try_mean(self) -> None:
        """Take up a block's updates, and try the mean of the weights when it is time."""
        if self._mean is None or not self.errors:
            return
        self._mean.take_up(self.trace)
        done = self.updates - self._begun
        if done % EVERY == 0:
            self.consider(self._mean.total())
            if (done // EVERY).bit_count() == 1:
                self._mean.begin()

    def _forget(self) -> None:
        """Count mistakes from 0 again, so that the trace is that of one block."""
        self._earlier += self.mistakes
        self._state[MISTAKES] = self._state[BUDGET] = 0

    def _base(self) -> tuple[Floats, Floats] | None:
        """Return the exact weights at the beginning of a block, as the kernels hold them."""
        if not self._faithful:
            return None
        settle(
            self._rows, self._steps, bool(self._state[ROOMY]), self._weights, 0, int(self._state[OWED]), self.counts,
            self._buffers,
        )  # fmt: skip
        self._state[OWED] = 0
        return self._weights.parts.copy(), self._weights.loss.copy()

    def _look_back(self, base: tuple[Floats, Floats] | None) -> None:
        """Fill the pocket with the best weights of the last block, if they are better than all before."""
        trace = self.trace
        if base is None:
            for t in range(trace.size):
                self._consider_later(trace, t)
            return
        rows, steps, m = self._rows, self._steps, trace.size
        exact = Weights(*base, trace, self._block_settled)
        self._block_counts[trace] = self._block_settled[trace] = 0
        block = Block(trace, self._V, exact, self._block_counts, np.arange(m))
        W, B, T, floor, roomy = bounds(rows, steps, self._largest_step, exact, m, self._grid, self._room)
        lay_out(rows, steps, block, base[0][0].copy())
        place, ends, loads, known = np.zeros(4, np.int64), np.zeros(m), np.zeros(m), UNKNOWN
        first, panel = 0, self._scores_from(0, m)
        while True:
            reason = count(
                rows, steps, self.tie, self._grid, W, B, T, floor, roomy, block, self._buffers, self._order, first, panel,
                self._rough, loads, self._enough, place, known,
            )  # fmt: skip
            known = UNKNOWN
            if reason == UNDECIDED:
                weights = self._weights_after(trace, int(block.which[place[UPDATE]]))
                known = self._lifted.exact_sign(int(self._order[place[ROW]]), weights)
                continue
            ends[block.which] = loads
            if reason == COUNTED:
                break
            block, loads = self._without_losers(block, loads)
            first = int(place[ROW])
            panel = self._scores_from(first, loads.size)
        loads = ends
        for t in np.flatnonzero(loads < self._enough).tolist():
            if self._rough is not None:  # exact sums must tell
                self._consider_later(trace, t)
            elif loads[t] < self._least:
                place[STAND] = stand_at(rows, steps, roomy, block, place[STAND], t + 1, self._buffers)
                weights = self._weights_after(trace, t) if exact.loss.any() else self._as_dyadic(exact.parts)
                self._keep(weights, self._earlier + t + 1, int(loads[t]), int(loads[t]))

    def _without_losers(self, block: Block, loads: Floats) -> tuple[Block, Floats]:
        """Leave out the weights that have come to as many errors as are in the pocket."""
        left = np.flatnonzero(loads < self._enough)
        if left.size in (0, loads.size):
            return block, loads
        if self._rows.matrix is not None:
            self._V[: left.size] = self._V[left]
        else:
            self._V[:, : left.size] = self._V[:, left]
        return block._replace(which=block.which[left]), loads[left]

    def _scores_from(self, first: int, m: int) -> Floats:
        """Return the plain scores of the next rows in the order, for the m weights in V."""
        rows, chosen = self._rows, self._order[first : first + self._panel]
        scores = self._scores[: chosen.size * m].reshape(chosen.size, m)
        if rows.screen is None:
            multiply(rows.data, rows.indices, rows.indptr, rows.signs, rows.constant, chosen, self._V, scores)
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

    def _total(self, wrong: Indices) -> int:
        """Return the number of errors, or the exact sum of their weights in units of ``2**-1074``."""
        if self.problem.weights is None:
            return int(wrong.size)
        limbs = np.zeros(LIMBS + 2, np.int64)
        weigh(self.problem.weights.view(np.uint64), wrong, limbs)
        return sum(int(limb) << 32 * k for k, limb in enumerate(limbs))

    def _keep(self, weights: Dyadic, updates: int, errors: int, total: int) -> None:
        self.pocket, self._least = weights, total
        weighted = float(errors)
        if self._rough is not None:
            weighted = nearest(Fraction(total, 2**1074))
            scale = exponent(float(self.problem.weights.max()))  # type: ignore[union-attr]
            self._load = float(Fraction(total, 2**1074) / Fraction(2) ** scale)
        self.history.append(Improvement(updates, errors, weighted))

    def _report(self) -> None:
        progress.report(lambda: f"{self.updates:,} updates, {self.errors:,} errors in the pocket")


class Mean:
    """The mean of a run's weights after each of its updates, since it began: their sum, which has the same signs.

    As in `averaging` the number of an update tells how many of the weights hold it; but here those that do not are counted,
    so that updates can be added up block by block, in a few floats, long before it is known how many there will be.
    """

    def __init__(self, run: PocketRun) -> None:
        self._run = run
        columns = run._lifted.columns
        self._moments, self._parts, self._loss = np.zeros(run.problem.n, np.int64), np.zeros((3, columns)), np.zeros(columns)
        self.begin()

    def begin(self) -> None:
        """Begin anew, at the present weights."""
        self._updates = 0
        for each in (self._moments, self._parts, self._loss):
            each[...] = 0

    def take_up(self, trace: Indices) -> None:
        """Take up the latest updates of the run."""
        np.add.at(self._moments, trace, self._updates + np.arange(trace.size))
        if self._run._faithful:
            add_up(self._run._rows, trace, self._updates, self._parts, self._loss, self._run._buffers)
        self._updates += trace.size

    def total(self) -> Dyadic:
        """Return the exact sum: of m updates, the one after k others is missing in k of the m weights."""
        run = self._run
        if run._faithful and not self._loss.any():
            missing = Dyadic.from_parts(run._lifted.unplace(self._parts).copy(), -run._lifted.shift)
        else:
            missing = run._sum_of_rows(self._moments)
        return run.weights().times(self._updates).plus(missing, -1)


@one_thread
def best_start(problem: Problem, tie: str) -> Dyadic:
    """Return the weights that err least of some that are quickly found.

    They are zero; those that say one class of all rows; least squares; and the mean after the mistakes of a perceptron's
    first pass. Least squares are proposed in floating point and rounded to some bits, lest the last ones of a sum be seen,
    which depend on its order and so on the layout of the rows. Errors are counted exactly.
    """
    scout = PocketRun(problem, tie=tie)
    for sign in (1, -1) if problem.intercept else ():
        scout.consider(Dyadic([0] * problem.d + [sign], 0))
    rows = ScaledRows(problem)
    proposed = rows.least_squares()
    if proposed is not None:
        mantissas, exponents = np.frexp(proposed)
        scout.consider(rows.exact(np.ldexp(np.round(mantissas * 2.0**_BITS), exponents - _BITS)))
    mean = Mean(scout)
    scout.advance(None, 1)
    if scout.mistakes:
        mean.take_up(scout.trace)
        scout.consider(mean.total())
    return scout.pocket
