"""A run of the perceptron: exact weights, their mistakes, and the orders in which rows are visited."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.binary_run import Binary, settle_in_bulk
from ..compiled.environment import require_rounding_to_nearest
from ..compiled.error_free import MANTISSA_BITS, merge
from ..compiled.run import MISTAKEN, RIGHT, Record, Stop, advance, bounds_held, settle
from ..compiled.signs import OPEN
from ..exact.dyadic import Dyadic
from ..problem.lifted import KernelRows, Lifted, aligned, exponent
from ..problem.problem import Problem
from ..problem.sums import weighted_total
from ..problem.ties import TIES, is_mistake, predictions
from ..support.interruption import held_off
from ..support.threads import in_parts
from .averaging import Moments
from .integer_weights import IntegerWeights
from .orders import INITIAL_TRACE_LENGTH, UNLIMITED, RunState, Visitor
from .updates import Updates

MIN_MISTAKES_PER_BUDGET = 2**16
"""Bounds of errors hold for at least so many mistakes: enough to make it rare that they are found anew."""

MAX_MISTAKES_PER_BUDGET = 2**20
"""Bounds of errors hold for at most so many mistakes: more would blunt them."""

MISTAKES_PER_BUDGET_AT_ONCE = 2**12
"""Where rows are visited but once, few mistakes are made between two blocks: so few leave two floats more room for sums."""

NUMBERS_PER_CALL = 200_000_000
"""A call of the kernel reads so many numbers, which takes a few tenths of a second."""


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
    factor : float or int
        Multiplies all steps.
    record : bool
        Whether to keep the trace.
    timed : bool
        Whether to keep the visit of each mistake beside it.
    average : bool
        Whether to keep what the mean of the weights takes.
    like : Run, optional
        Another run on the same rows, whose preparations are made use of.
    once : bool
        Whether rows are visited but once: then nothing is prepared that pays only if they are visited again.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        tie: str = "update",
        start: Dyadic | None = None,
        steps: Floats | None = None,
        factor: float | int = 1,
        record: bool = False,
        timed: bool = False,
        average: bool = False,
        like: Run | None = None,
        once: bool = False,
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
        self._trace = np.empty(INITIAL_TRACE_LENGTH if record else 0, np.int64)
        self._times = np.empty(self._trace.size if timed else 0, np.int64)
        self._state = RunState()
        self._moments = Moments(shape) if average else None
        self._half_settled = False
        self._lifted: Lifted = Lifted.of(problem) if like is None else like._lifted
        self._once = once
        self._rows: KernelRows | None = None if like is None else like._rows
        self._faithful: bool = self._lifted.faithful and self._prepare()

    @property
    def times(self) -> Indices:
        """The visit at which each mistake was made, counted from 1."""
        return self._times[: self.mistakes].copy()

    def hand_over(self) -> tuple[Indices, Indices]:
        """Return trace and times, without a copy: the run is over."""
        for kept in (self._trace, self._times):
            kept.resize(self.mistakes, refcheck=False)
        return self._trace, self._times

    @property
    def visits(self) -> int:
        """Number of visits so far; in random order, which only counts updates, that of updates."""
        return self._recent_visits() + (0 if self._moments is None else self._moments.before)

    def _recent_visits(self) -> int:
        return self._state.visits_before + (self._state.position if self._per_visit else self.mistakes)

    # The life of a run: prepare, advance, and what the weights are.

    def _prepare(self) -> bool:
        """Choose the scale of the weights and lay out what the kernels need; False if the kernels cannot hold it."""
        updates = Updates.of(self._lifted, self.start, self.row_steps, self.factor)
        if updates is None:
            return False
        parts, loss, room = updates.first_weights()
        self._updates = updates
        self._kernel: Any = self._laid_out(
            parts,
            loss,
            steps=updates.steps,
            largest_step=updates.largest_step,
            tie=self.tie,
            grid=0.0 if loss.any() else math.nan,
            room=room,
            bounds=np.full(5, np.nan),  # there are none yet
        )
        self._visits_per_call = max(1, NUMBERS_PER_CALL // ((self._kernel.rows.longest + 1) * self.problem.vectors))
        return True

    def _laid_out(self, parts: Floats, loss: Floats, **known: Any) -> Any:
        """Return the run as kernels take it, beginning with these weights and what they do not hold."""
        lifted = self._lifted
        self._rows = self._rows or (lifted.bare() if self._once else lifted.with_screen())
        return Binary(
            rows=self._rows,
            parts=lifted.place(parts),
            loss=lifted.place(loss),
            settled=np.zeros(self.problem.n, np.int64),
            pending=np.empty(self._budget(), np.int64),
            v=aligned((lifted.columns,), np.float64),
            scores=np.empty(1),
            buffers=lifted.buffers(),
            **known,
        )

    def _budget(self) -> int:
        """Return the number of mistakes for which bounds of errors hold."""
        if self._once:
            return MISTAKES_PER_BUDGET_AT_ONCE
        return min(max(self.problem.n, MIN_MISTAKES_PER_BUDGET), MAX_MISTAKES_PER_BUDGET)

    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> Stop:
        """Visit rows until so many passes are over, a pass is clean or one more mistake would exceed the limit.

        Returns `Stop.FINISHED`, `Stop.CLEAN` or `Stop.LIMITED`.
        """
        require_rounding_to_nearest()
        if not self._faithful:
            return self._advance_slowly(order, passes, limit)
        state, known = self._state, OPEN
        while True:
            if self.mistakes >= state.budget:
                self._settle()
            most = min(limit, self._trace.size) if self.record else limit
            reason = Stop(
                advance(self._kernel, order, self._record(), state.array, passes, most, self._visits_per_call, known)
            )
            known = OPEN
            self._count_anew()
            if reason == Stop.UNDECIDED:
                known = self._decide(state.position if order is None else int(order[state.position]))
                self._pause_if_due()
            elif reason == Stop.UNGRIDDED:
                self._find_grid()
            elif reason == Stop.PAUSED:
                self._pause()
            elif reason == Stop.LIMITED and most < limit:
                self._make_room()
            elif reason == Stop.SPENT:
                self._pause_if_due()
            else:
                self._report()
                return reason

    def _record(self) -> Record:
        """Return what is kept of mistakes, as kernels take it."""
        sums = self.counts[:0] if self._moments is None else self._moments.sums
        return Record(self.counts, self._trace, self._times, sums, self._per_visit)

    def _find_grid(self) -> None:
        """Find out up to where float scores are exact, and have new bounds made by that."""
        self._kernel = self._kernel._replace(grid=self._updates.grid())
        self._state.budget = 0

    def _decide(self, i: int) -> int:
        """Return what exact integers find of row i: `RIGHT`, or the class that it is mistaken for."""
        sign = self._lifted.exact_sign(i, self.weights())
        return MISTAKEN if is_mistake(sign, self.problem.y[i], self.tie) else RIGHT

    def _note(self, changed: Indices, i: int, found: int, number: int) -> None:
        """Add a number for a mistake on row i to counts or sums."""
        changed[i] += number

    def _make_room(self) -> None:
        self._trace = np.concatenate([self._trace, np.empty_like(self._trace)])
        self._times = np.concatenate([self._times, np.empty_like(self._times)])

    def _count_anew(self) -> None:
        """Begin to number visits from 1 again where the numbers grow too large to be added up."""
        if self._moments is not None:
            visits = self._recent_visits()
            if self._moments.begin_anew(self.counts, visits):
                self._state.visits_before -= visits

    def _advance_slowly(self, order: Indices | None, passes: int, limit: int) -> Stop:
        """Do the same in integers alone, for numbers that the kernels cannot hold."""
        rows = range(self.problem.n) if order is None else order.tolist()
        state = self._state
        while state.passes < passes:
            for position in range(state.position, len(rows)):
                i = rows[position]
                state.position = position
                self._pause_if_due()
                found = self._decide(i)
                if found == RIGHT:
                    continue
                if self.mistakes >= limit:
                    return Stop.LIMITED
                if self.record and self.mistakes == self._trace.size:
                    self._make_room()
                number = self._recent_visits() + 1
                for kept, each in ((self._trace, i), (self._times, number)):
                    if self.mistakes < kept.size:
                        kept[self.mistakes] = each
                if self._moments is not None:
                    self._note(self._moments.sums, i, found, number)
                self._note(self.counts, i, found, 1)
                state.mistakes += 1
                state.pass_mistakes += 1
            self._report()
            clean = state.pass_mistakes == 0
            state.position = state.pass_mistakes = 0
            state.passes += 1
            state.visits_before += len(rows) if self._per_visit else 0
            self._count_anew()
            if clean:
                return Stop.CLEAN
        return Stop.FINISHED

    def weights(self) -> Dyadic:
        """Return the exact weights, the intercept last; of several classes those of all of them, end to end."""
        if not self._faithful or self._half_settled:
            return self._truth().weights(self.counts)
        self._settle()
        if np.any(self._kernel.loss):
            return self._truth().weights(self.counts)
        return self._as_dyadic(self._kernel.parts)

    def _as_dyadic(self, parts: Floats) -> Dyadic:
        """Return weights that the kernels hold in parts."""
        kept = self._lifted.unplace(parts.reshape(len(parts), self.problem.vectors, -1))
        return Dyadic.from_parts(kept.reshape(len(parts), -1).copy(), -self._updates.scale)

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
        owed = self._state.owed
        if not owed:
            return
        self._half_settled = True  # until done: Ctrl-C may come in between, where it cannot be held off
        with held_off():
            bounds = bounds_held(self._kernel.bounds)
            if bounds.B == 0.0:
                self._take_over()
            elif not (bounds.roomy and self._settle_in_bulk(owed)):
                settle(self._kernel, bounds.roomy, 0, owed, self.counts)
            self._state.owed = 0
            self._half_settled = False

    def _take_over(self) -> None:
        """Take the plain weights for the exact ones, which they are where float scores have no error."""
        run = self._kernel
        run.parts[0], run.parts[1:] = run.v, 0.0
        run.settled[:] = self.counts

    def _settle_in_bulk(self, mistakes: int) -> bool:
        """Add up all pending rows in two floats, and then add these sums; False if two floats do not hold them."""
        cut = self._cut(mistakes)
        if not cut:
            return False
        run = self._kernel
        pending = np.flatnonzero(self.counts != run.settled)

        def add_up(start: int, stop: int) -> Floats:
            sums = np.zeros((2, self._lifted.columns))
            settle_in_bulk(run, pending[start:stop], self.counts, cut, *sums)
            return sums

        sums = in_parts(add_up, pending.size, pending.size * run.rows.longest)
        high, low = np.sum(sums, axis=0)  # exact, as each sum is: the cut leaves room for all of them
        merge(run.parts[0], run.parts[1], high, low)
        return True

    def _cut(self, mistakes: int) -> float:
        """Return where to cut entries so that so many of them add up exactly in two floats; 0.0 if nowhere."""
        bits = max(1, mistakes).bit_length()
        last = exponent(self._lifted.smallest) - 53  # the last bit of any entry is at least 2**last
        grid = MANTISSA_BITS + last - bits  # the rests, at most half of 2**grid each, fill 53 bits
        if grid < -900 or (self._kernel.rows.radius + 2.0**grid) * 2.0**bits > 2.0 ** (53 + grid):
            return 0.0
        return 1.5 * 2.0 ** (52 + grid)

    def errs(self, weights: Dyadic) -> bool:
        """Whether weights predict another class than its own for a row; an open score of zero predicts the negative one."""
        y = self.problem.y
        return bool(np.any((predictions(self._lifted.signs(weights) * y, self.tie) == 1) != (y > 0.0)))

    def changed_by_rounding(self, exact: Dyadic, rounded: Floats) -> int:
        """Count the rows of which these weights, rounded from a multiple of exact ones, predict another class."""
        approximate = Dyadic.from_parts(rounded)
        if self._faithful and exact.holds(rounded):
            return 0
        if np.any((np.abs(rounded) < 2.0**-1021) & ~exact.zeros()):  # rounded by more than a unit of themselves
            rows: Iterable[int] = range(self.problem.n)
        else:
            rows = self._doubtful(approximate)
        return sum(self._predicted(i, exact) != self._predicted(i, approximate) for i in rows)

    def _doubtful(self, rounded: Dyadic) -> list[int]:
        """Return the rows of which weights that are rounded to these, none of them subnormal, may predict another class."""
        return self._lifted.doubtful(rounded)

    def _predicted(self, i: int, weights: Dyadic) -> int:
        """Return the class that weights predict for row i, as a whole number."""
        sign = int(self.problem.y[i]) * self._lifted.exact_sign(i, weights)
        return int(predictions(np.array([sign]), self.tie)[0] == 1)
