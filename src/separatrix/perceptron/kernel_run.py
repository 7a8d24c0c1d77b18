"""The perceptron by kernels: a run that knows the rows erred on instead of weights.

Signs are proved: by the running scores and the bound of their errors in `compiled.kernel_run`, or else by integers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..compiled.environment import require_rounding_to_nearest
from ..compiled.error_free import UNIT
from ..compiled.kernel_run import DRIFT, TINY, Cache, Dual, advance
from ..compiled.measures import grid_exponent
from ..compiled.run import Record, Stop
from ..compiled.signs import UNKNOWN
from ..exact.dyadic import Dyadic
from ..problem.problem import Problem
from ..problem.ties import TIES, is_mistake
from .expansion import Expansion
from .gram import Gram
from .orders import INITIAL_TRACE_LENGTH, UNLIMITED, RunState, Visitor, with_more_room

NUMBERS_PER_CALL = 200_000_000
"""A call of the kernel reads so many numbers, which takes a few tenths of a second."""

MAX_GRAM_ROWS_PER_FETCH = 64
"""At most so many rows of the Gram matrix are computed in one go."""

VISITS_SEARCHED_PER_ROW = 32
"""To find one more row to fetch ahead, so many of the coming visits are looked through for one that is wrong now."""

MAX_RELATIVE_ERROR = 2.0**-23
"""For the margin a score is computed anew if its error may be a larger part of it than this.

The margin's square has the square of one score, between bounds two errors apart, over a sum of others: six errors at most,
less than a millionth of it.
"""


class _GramCache:
    """Which rows of the Gram matrix are in which slots of the cache, and who goes when room is needed.

    To go by recent use would be of no use: rows are visited in turn, so what was used last will be needed last. Those stay
    that were erred on most often before the present pass; of equals, those that came first.
    """

    def __init__(self, slots: int, n: int) -> None:
        self.owners = np.full(slots, -1)
        self.stamps = np.zeros(slots, np.int64)
        self.held = self.clock = 0
        self.passes, self.before = -1, np.zeros(n, np.int64)
        self.last: list[int] = []
        self.counts: Indices = np.zeros(0, np.int64)

    def make_room(self, cache: Cache, size: int, counts: Indices, passes: int) -> Indices:
        """Return slots for so many rows. Empty ones are taken in turn: no memory is touched before it is needed."""
        if passes != self.passes:
            self.passes, self.before = passes, counts.copy()
        slots = np.arange(self.held, min(self.held + size, self.owners.size))
        if slots.size < size:
            worth = (self.before[self.owners] << 32) - self.stamps
            worth[cache.slots[self.last]] = 2**62  # what was fetched ahead is about to be used
            slots = np.argpartition(worth, size - 1)[:size]
            cache.slots[self.owners[slots]] = -1
        return slots

    def move_in(self, cache: Cache, rows: list[int], slots: Indices, counts: Indices) -> None:
        """Note that these rows are in these slots now."""
        self.held = max(self.held, int(slots.max()) + 1)
        self.clock += 1
        self.owners[slots], self.stamps[slots], cache.slots[rows] = rows, self.clock, slots
        self.last, self.counts = rows, counts[rows]


class KernelRun(Visitor):
    """The perceptron on a problem, in the feature space of a kernel, one visit after another.

    Parameters
    ----------
    problem : Problem
        The rows, with their labels.
    gram : Gram
        Their products with each other.
    tie : {"update", "positive", "negative"}
        What a score of zero predicts.
    steps : array, optional
        The positive multiples of rows that updates add, 1 if not given.
    record : bool
        Whether to keep the trace.
    cache : int
        The bytes of rows of the Gram matrix to keep: at least two rows, whatever it is.
    """

    def __init__(
        self,
        problem: Problem,
        gram: Gram,
        *,
        tie: str = "update",
        steps: Floats | None = None,
        record: bool = False,
        cache: int = 200 * 2**20,
    ) -> None:
        n = problem.n
        self.problem, self.gram, self.tie, self.record = problem, gram, TIES[tie], record
        self.steps = steps
        self.counts = np.zeros(n, np.int64)
        self._trace = np.empty(INITIAL_TRACE_LENGTH if record else 0, np.int64)
        self._state = RunState()
        scaled, limit = (None, gram.limit) if steps is None else _scaled(steps, gram.limit)
        room = max(2, cache // (8 * n))
        self._most_ahead = max(1, min(MAX_GRAM_ROWS_PER_FETCH, room // 8))
        slots = min(n, room - self._most_ahead)
        self.cache = Cache(np.empty((slots, n)), np.full(n, -1))
        self._tenants = _GramCache(slots, n)
        self._ahead = 1
        self._dual = Dual(
            scores=np.zeros(n),
            bounds=np.array([TINY, 0.0, 0.0]),
            labels=problem.y,
            left_spans=gram.left_spans,
            spans=gram.spans,
            cache=self.cache,
            steps=scaled,
            error=gram.error,
            largest=float(gram.spans.max()),
            limit=limit,
            tie=self.tie,
        )

    def advance(self, order: Indices | None, passes: int, limit: int = UNLIMITED) -> Stop:
        """Visit rows until so many passes are over, a pass is clean or one more mistake would exceed the limit.

        Returns `Stop.FINISHED`, `Stop.CLEAN` or `Stop.LIMITED`.
        """
        require_rounding_to_nearest()
        state, nothing, known = self._state, np.empty(0, np.int64), UNKNOWN
        while True:
            most = min(limit, self._trace.size) if self.record else limit
            record = Record(self.counts, self._trace, nothing, nothing, self._per_visit)
            reason: Stop = advance(self._dual, order, record, state.array, passes, most, NUMBERS_PER_CALL, known)
            known = UNKNOWN
            if reason == Stop.UNDECIDED:
                i = state.position if order is None else int(order[state.position])
                label = int(self.problem.y[i])
                known = label * _sign(self.expansion().score(self.gram, i))
                if is_mistake(known, label, self.tie) and self.cache.slots[i] < 0:
                    self._fetch(order)
                self._pause_if_due()
            elif reason == Stop.MISSING:
                self._fetch(order)
                self._pause_if_due()
            elif reason == Stop.PAUSED:
                self._pause()
            elif reason == Stop.LIMITED and most < limit:
                self._trace = with_more_room(self._trace)
            else:
                self._report()
                return reason

    def _fetch(self, order: Indices | None) -> None:
        """Put the row of the Gram matrix that is needed into the cache, and with it some that will be soon, perhaps.

        These are the next rows that are wrong now. There are twice as many as last time if half of those of last time
        were needed, else half as many: products of matrices are cheaper by the dozen, but only if they are of use.
        """
        cache, tenants, position = self.cache, self._tenants, self._state.position
        if tenants.last:
            more = 2 * np.count_nonzero(self.counts[tenants.last] > tenants.counts) >= len(tenants.last)
            self._ahead = min(2 * self._ahead, self._most_ahead) if more else max(1, self._ahead // 2)
        needed = position if order is None else int(order[position])
        rows = [needed]
        if self._ahead > 1:
            window = slice(position + 1, position + 1 + VISITS_SEARCHED_PER_ROW * self._ahead)
            coming = np.arange(self.problem.n)[window] if order is None else order[window]
            wrong = (self._dual.scores[coming] * self.problem.y[coming] <= 0.0) & (cache.slots[coming] < 0)
            rows = list(dict.fromkeys([needed, *coming[wrong].tolist()]))[: min(self._ahead, len(cache.rows))]
        slots = tenants.make_room(cache, len(rows), self.counts, self.passes)
        self.gram.fill(np.array(rows), cache.rows, slots)
        tenants.move_in(cache, rows, slots, self.counts)

    def expansion(self) -> Expansion:
        """Return the weights as they are now, exactly."""
        rows = np.flatnonzero(self.counts)
        counts = (self.counts[rows] * self.problem.y[rows].astype(np.int64)).tolist()
        if self.steps is None:
            return Expansion(rows, Dyadic(counts, 0))
        steps = Dyadic.from_parts(self.steps[rows])
        return Expansion(rows, Dyadic(list(map(int.__mul__, counts, steps.integers)), steps.exponent))

    def radius_squared(self) -> Fraction:
        """Return the largest squared length of a row in feature space; no less than it, at any rate."""
        values, errors = self.gram.diagonal()
        with np.errstate(over="ignore"):
            tops = values + errors
        finite = np.isfinite(tops)
        squares = [Fraction(float(tops[finite].max())) + self.gram.constant] if finite.any() else []
        for i in np.flatnonzero(~finite).tolist():
            (square,), exponent = self.gram.exact([i], i)
            squares.append(Fraction(square) * Fraction(2) ** exponent)
        return max(squares) / self.gram.divisor

    def margin_squared(self) -> Fraction | None:
        """Return the square of the margin of the weights, all of whose rows are right; no more than it, at any rate.

        It is exact while no score was rounded. None if the square of the length is not positive, which it is in any space
        with an inner product.
        """
        signed, drift, expansion = self._dual.scores * self.problem.y, float(self._dual.bounds[DRIFT]), self.expansion()
        with np.errstate(over="ignore", invalid="ignore"):
            errors = 1.01 * drift * self.gram.spans + 4 * UNIT * np.abs(signed) if drift else np.zeros(signed.size)
            low, high = signed - errors, signed + errors

        def exactly(i: int) -> Fraction:
            return abs(expansion.score(self.gram, i))

        def rounded(number: float) -> Fraction:
            return Fraction(number) * (1 if self.steps is None else Fraction(2) ** math.frexp(float(self.steps.max()))[1])

        blurred = ~(errors <= MAX_RELATIVE_ERROR * low)  # NaN, too
        lowest = np.flatnonzero(~(low > high.min())) if blurred.any() else np.array([low.argmin()])
        least = min(exactly(i) if blurred[i] else rounded(float(low[i])) for i in lowest.tolist())
        length = Fraction(0)
        for i, multiple in zip(expansion.rows.tolist(), expansion.multiples.fractions(), strict=True):
            length += abs(multiple) * (exactly(i) if blurred[i] else rounded(float(high[i])))
        return least * least / length / self.gram.divisor if length > 0 else None


def _scaled(steps: Floats, limit: float) -> tuple[Floats, float]:
    """Scale steps so that the largest is about 1, which changes no sign, and the limit below which sums are exact.

    What tiny steps lose the bounds cover.
    """
    power = -math.frexp(float(steps.max()))[1]
    with np.errstate(under="ignore"):
        scaled: Floats = np.ldexp(steps, power)
    if not np.array_equal(np.ldexp(scaled, -power), steps):
        return scaled, 0.0
    return scaled, limit * 2.0 ** int(grid_exponent(scaled.view(np.uint64), -1100))


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)
