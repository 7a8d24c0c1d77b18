"""A run of the perceptron: exact weights, their mistakes, and the orders in which rows are visited."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.binary_run import (
    BEGAN,
    BUDGET,
    CLEAN,
    FINISHED,
    LIMITED,
    MISTAKES,
    OWED,
    PASS_MISTAKES,
    PASSES,
    PAUSED,
    PLACE,
    ROOMY,
    UNDECIDED,
    UNGRIDDED,
    Buffers,
    Steps,
    Weights,
    advance,
    settle,
    settle_in_bulk,
    take_over,
)
from ..compiled.environment import refuse_flushing, require_rounding_to_nearest
from ..compiled.measures import grid_exponent
from ..compiled.rows import merge
from ..compiled.signs import UNKNOWN, is_mistake, predicted
from ..exact.dyadic import Dyadic
from ..problem.lifted import LARGEST, Lifted, aligned, exponent, is_tiny
from ..problem.problem import Problem
from ..problem.sums import weighted_total
from ..problem.ties import TIES
from ..support.threads import in_parts
from .averaging import Moments
from .integer_weights import IntegerWeights
from .orders import UNLIMITED, Visitor

_ROOM = 51  # bits by which weights may outgrow the smallest entry and still fit in two floats

_CUT = 53  # bits of a float64, for the sums of the low parts of entries

_GRID = 53  # bits of a float64: sums of products below so many bits of their grid are exact

_BUDGET = 2**16  # mistakes between two refreshes of the bounds, at least: enough to make them rare,

_MOST_BUDGET = 2**20  # and at most: too few to blunt the bounds

_GLANCE = 200_000_000  # numbers read in one call of the kernel, a few tenths of a second


class Run(Visitor):
    """The perceptron on a problem, from exact starting weights, one visit after another.

    At a mistake on row i the weights become ``w + step_i * z_i``. They are exact, whatever happens: in the kernels as
    long as these can vouch for every sign, in integers where they cannot.

    Parameters
    ----------
    problem : Problem
        The rows.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    start : Dyadic, optional
        The first weights, the intercept last; zero if not given.
    steps : array, optional
        The positive multiples of rows that updates add, 1 if not given.
    factor : float
        Multiplies all steps.
    record : bool
        Whether to keep the trace.
    timed : bool
        Whether to keep the visit of each mistake beside it.
    average : bool
        Whether to keep what the mean of the weights takes.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        tie: str = "update",
        start: Dyadic | None = None,
        steps: Floats | None = None,
        factor: float = 1.0,
        record: bool = False,
        timed: bool = False,
        average: bool = False,
    ) -> None:
        self.problem = problem
        self.tie = TIES[tie]
        self.record = record
        size = problem.vectors * (problem.d + problem.intercept)
        self.start = start if start is not None else Dyadic.from_parts(np.zeros(size))
        if len(self.start) != size:
            raise ValueError(f"The start has {len(self.start)} weights, expected {size}.")
        self.factor = factor
        self.row_steps = steps
        shape = (problem.n,) if problem.vectors == 1 else (problem.n, problem.vectors)
        self.counts = np.zeros(shape, np.int64)
        self._trace = np.empty(1024 if record else 0, np.int64)
        self._times = np.empty_like(self._trace) if timed else None
        self._state = np.zeros(9, np.int64)
        self._moments = Moments(shape) if average else None
        self._half_settled = False
        self._lifted = Lifted.of(problem)
        self._faithful = self._lifted.faithful and self._prepare()

    _undecided = UNKNOWN
    _weights: Any  # exact ones, as the kernels hold them: `parts`, and the `loss` of these

    @property
    def times(self) -> Indices:
        """The visit at which each mistake was made, counted from 1."""
        assert self._times is not None
        return self._times[: self.mistakes].copy()

    @property
    def visits(self) -> int:
        """Number of visits so far; in random order, which only counts updates, that of updates."""
        return self._recent_visits() + (0 if self._moments is None else self._moments.before)

    def _recent_visits(self) -> int:
        return int(self._state[BEGAN] + self._state[PLACE if self._per_visit else MISTAKES])

    # The life of a run: prepare, advance, and what the weights are.

    def _prepare(self) -> bool:
        """Choose the scale of the weights and lay out what the kernels need; False if the kernels cannot hold it."""
        rows = self._rows = self._lifted.with_screen()
        if not self._scale_steps():
            return False
        parts, loss = self._begin()
        self._weights = Weights(
            self._lifted.place(parts),
            self._lifted.place(loss),
            np.empty(min(max(self.problem.n, _BUDGET), _MOST_BUDGET), np.int64),
            np.zeros(self.problem.n, np.int64),
        )
        self._buffers = Buffers(aligned((self._lifted.columns,), np.float64), np.full(4, np.nan), *self._lifted.buffers())
        self._grid = math.nan if not loss.any() else 0.0
        self._visits = max(1, _GLANCE // (rows.longest + 1))
        return True

    def _scale_steps(self) -> bool:
        """Choose the scale of the weights, and write the steps in it; False if the kernels cannot hold them."""
        steps = self._exact_steps()
        if steps is None:
            return False
        high, low = steps
        largest = 1.0 if high is None else float(high.max())
        # Weights are scaled with the rows, and by `lower` besides where the steps or the start ask for it.
        lower = 0 if 2.0**-100 <= largest <= 2.0**100 else -exponent(largest)
        if self.start:
            lower = min(lower, exponent(LARGEST) - self.start.magnitude() - self._lifted.shift)
        if lower:
            high = np.ones(self.problem.n) if high is None else high
            low = np.zeros(self.problem.n) if low is None else low
            scaled = np.ldexp(high, lower), np.ldexp(low, lower)
            if not (np.array_equal(np.ldexp(scaled[0], -lower), high) and np.array_equal(np.ldexp(scaled[1], -lower), low)):
                return False
            high, low = scaled
        if any(is_tiny(each) for each in (high, low) if each is not None):
            refuse_flushing("the steps are")
        self._scale = self._lifted.shift + lower
        self._steps = None if high is None else Steps(high, np.zeros_like(high) if low is None else low)
        rows = self._lifted.rows
        self._largest_step = rows.radius if high is None else float((high * rows.norms).max()) * (1 + 2.0**-40)
        return True

    def _begin(self) -> tuple[Floats, Floats]:
        """Write the first weights as sums of floats, and what these do not hold; tell how far they have room."""
        parts, loss = self.start.split(2 if self._steps is None else 3, self._scale)
        if is_tiny(parts) or is_tiny(loss):
            refuse_flushing("the initial weights hold")
        entries = np.abs(parts[parts != 0.0])
        least = min(self._lifted.smallest, float(entries.min()) if entries.size else math.inf)
        self._room = 2.0**_ROOM * least if not loss.any() else 0.0
        return parts, loss

    def _exact_steps(self) -> tuple[Floats | None, Floats | None] | None:
        """Return the steps, the factor included, as sums of two floats; None if two do not hold them."""
        if self.row_steps is None:
            return (None, None) if self.factor == 1.0 else (np.full(self.problem.n, self.factor), None)
        if self.factor == 1.0:
            return self.row_steps, None
        try:
            parts, loss = Dyadic.from_parts(self.row_steps).times(self.factor).split(2, 0)
        except OverflowError:
            return None
        return None if loss.any() else (parts[0], parts[1])

    def _find_grid(self) -> float:
        """Return the bound of ``||w|| ||z||`` below which float scores are exact."""
        rows = self._lifted.rows
        if not rows.constant and not self.problem.measures.largest:
            return 0.0  # a bound of the scores, which are all zero, would be none of the weights, to be exact as well
        floor = exponent(rows.radius) - 28  # below, 53 bits would not hold a single product
        g = self._lifted.grid
        of_weights = g
        if self._steps is not None:
            of_weights += grid_exponent(self._steps.high.view(np.uint64), -1100)
            if np.any(self._steps.low):
                return 0.0
        start, _ = self.start.split(3, self._scale)
        of_weights = min(of_weights, grid_exponent(start.reshape(-1).view(np.uint64), -1100))
        if g < floor or g + of_weights < -900:
            return 0.0
        return math.ldexp(1.0, min(_GRID + int(g) + int(of_weights), 1000))

    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> int:
        """Visit rows until so many passes are over, a pass is clean or one more mistake would exceed the limit.

        Returns `FINISHED`, `CLEAN` or `LIMITED`.
        """
        require_rounding_to_nearest()
        if not self._faithful:
            return self._advance_slowly(order, passes, limit)
        known = self._undecided
        if self.mistakes >= self._state[BUDGET]:
            self._settle()  # in bulk, which is faster than what the kernel does
        while True:
            most = min(limit, self._trace.size) if self.record else limit
            reason = self._go_on(order, passes, most, known)
            known = self._undecided
            self._count_anew()
            if reason == UNDECIDED:
                place = int(self._state[PLACE])
                known = self._decide(place if order is None else int(order[place]))
            elif reason == UNGRIDDED:
                self._grid = self._find_grid()
                self._state[BUDGET] = 0  # for new bounds
            elif reason == PAUSED:
                self._report()
            elif reason == LIMITED and most < limit:
                self._make_room()
            else:
                self._report()
                return int(reason)

    def _go_on(self, order: Indices | None, passes: int, limit: int, known: int) -> int:
        """Call the kernel; return why it stopped."""
        sums = None if self._moments is None else self._moments.sums
        reason: int = advance(
            self._rows, order, self._steps, self._largest_step, self.tie, self._grid, self._room, self._weights,
            self._buffers, self.counts, self._trace, sums, self._times, self._per_visit, self._state, passes, limit,
            self._visits, known,
        )  # fmt: skip
        return reason

    def _decide(self, i: int) -> int:
        """Return what the kernel must know of row i: the sign of its exact score."""
        return self._lifted.exact_sign(i, self.weights())

    def _errs(self, i: int, known: int) -> bool:
        """Whether row i is a mistake, with what is known of it."""
        return bool(is_mistake(known, self.problem.y[i], self.tie))

    def _note(self, changed: Indices, i: int, known: int, number: int) -> None:
        """Add a number for a mistake on row i to counts or sums."""
        changed[i] += number

    def _make_room(self) -> None:
        self._trace = np.concatenate([self._trace, np.empty_like(self._trace)])
        if self._times is not None:
            self._times = np.concatenate([self._times, np.empty_like(self._times)])

    def _count_anew(self) -> None:
        """Begin to number visits from 1 again where the numbers grow too large to be added up."""
        visits = self._recent_visits()
        if self._moments is not None and self._moments.begin_anew(self.counts, visits):
            self._state[BEGAN] -= visits

    def _advance_slowly(self, order: Indices | None, passes: int, limit: int) -> int:
        """Do the same in integers alone, for numbers that the kernels cannot hold."""
        rows = range(self.problem.n) if order is None else order.tolist()
        state = self._state
        while state[PASSES] < passes:
            for place in range(int(state[PLACE]), len(rows)):
                i = rows[place]
                state[PLACE] = place
                known = self._decide(i)
                if not self._errs(i, known):
                    continue
                if self.mistakes >= limit:
                    return LIMITED
                if self.record:
                    if self.mistakes == self._trace.size:
                        self._make_room()
                    self._trace[self.mistakes] = i
                number = self._recent_visits() + 1
                if self._times is not None:
                    self._times[self.mistakes] = number
                if self._moments is not None:
                    self._note(self._moments.sums, i, known, number)
                self._note(self.counts, i, known, 1)
                state[MISTAKES] += 1
                state[PASS_MISTAKES] += 1
            self._report()
            clean = state[PASS_MISTAKES] == 0
            state[PLACE] = state[PASS_MISTAKES] = 0
            state[PASSES] += 1
            state[BEGAN] += len(rows) if self._per_visit else 0
            self._count_anew()
            if clean:
                return CLEAN
        return FINISHED

    def weights(self) -> Dyadic:
        """Return the exact weights, the intercept last; of several classes those of all of them, end to end."""
        if not self._faithful or self._half_settled:
            return self._truth().weights(self.counts)
        self._settle()
        if np.any(self._weights.loss):
            return self._truth().weights(self.counts)
        return self._as_dyadic(self._weights.parts)

    def _as_dyadic(self, parts: Floats) -> Dyadic:
        """Return weights that the kernels hold in parts."""
        kept = self._lifted.unplace(parts.reshape(len(parts), self.problem.vectors, -1))
        return Dyadic.from_parts(kept.reshape(len(parts), -1).copy(), -self._scale)

    def _truth(self) -> IntegerWeights:
        if self._known is None:
            self._known = IntegerWeights(self.problem, self.start, self.row_steps, self.factor)
        return self._known

    _known: IntegerWeights | None = None

    def total(self) -> Dyadic:
        """Return the sum of the weights after each visit, exactly."""
        assert self._moments is not None
        learnt = self._sum_of_rows(self._moments.multiples(self.counts, self._recent_visits()))
        return learnt.plus(self.start, self.visits) if self.start else learnt

    def _sum_of_rows(self, multiples: NDArray[Any]) -> Dyadic:
        """Exact sum of updates, so many for each row."""
        return weighted_total(self.problem, multiples, self.row_steps, self.factor)

    def _settle(self) -> None:
        """Bring the kernels' weights up to date: all at once if floats hold the sums, else row by row."""
        owed = int(self._state[OWED])
        if not owed:
            return
        self._half_settled = True  # until done: Ctrl-C may come in between
        rows, weights = self._rows, self._weights
        exact = self._buffers.bounds[1] == 0.0
        cut = self._cut(owed) if self._state[ROOMY] else 0.0
        if exact:
            take_over(weights, self._buffers.v, owed, self.counts)
        elif not cut:
            settle(rows, self._steps, bool(self._state[ROOMY]), weights, 0, owed, self.counts, self._buffers)
        else:
            self._settle_in_bulk(cut)
        self._state[OWED] = 0
        self._half_settled = False

    def _settle_in_bulk(self, cut: float) -> None:
        weights = self._weights
        pending = np.flatnonzero(self.counts != weights.settled)

        def add_up(start: int, stop: int) -> Floats:
            sums = np.zeros((2, self._lifted.columns))
            settle_in_bulk(self._rows, weights, pending[start:stop], self.counts, cut, *sums)
            return sums

        sums = in_parts(add_up, pending.size, pending.size * self._rows.longest)
        high, low = np.sum(sums, axis=0)  # exact, as each sum is: the cut leaves room for all of them
        merge(weights.parts[0], weights.parts[1], high, low)

    def _cut(self, mistakes: int) -> float:
        """Return where to cut entries so that so many of them add up exactly in two floats; 0.0 if nowhere."""
        bits = max(1, mistakes).bit_length()
        last = exponent(self._lifted.smallest) - 53  # the last bit of any entry is at least 2**last
        grid = _CUT + last - bits  # the rests, at most half of 2**grid each, fill 53 bits
        if grid < -900 or (self._rows.radius + 2.0**grid) * 2.0**bits > 2.0 ** (53 + grid):
            return 0.0
        return 1.5 * 2.0 ** (52 + grid)

    def changed_by_rounding(self, exact: Dyadic, rounded: Floats) -> int:
        """Count the rows of which these weights, rounded from a multiple of exact ones, predict another class."""
        approximate = Dyadic.from_parts(rounded)
        if self._faithful and exact.holds(rounded):
            return 0

        def is_positive(i: int, weights: Dyadic) -> bool:
            return bool(predicted(self.problem.y[i] * self._lifted.exact_sign(i, weights), self.tie) == 1)

        if np.any((np.abs(rounded) < 2.0**-1021) & ~exact.zeros()):  # rounded by more than a unit of themselves
            rows: Iterable[int] = range(self.problem.n)
        else:
            rows = self._lifted.doubtful(approximate)
        return sum(is_positive(i, exact) != is_positive(i, approximate) for i in rows)
