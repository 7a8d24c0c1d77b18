"""The vote of all weights that a run went through, each with as many votes as the visits it survived.

They are not kept: the rows erred on and the trace tell them. A new row's score under each of them is the one before plus a
product with the row erred on, in floating point whose error is known and grows with the trace; where that leaves the sign
open the exact weights decide, in several floats or in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._types import Floats, Indices, Rows
from ..compiled.error_free import MANTISSA_BITS, UNDERFLOW, UNIT
from ..compiled.signs import UNKNOWN
from ..compiled.votes import Gathered, Poll, Voters, count, decide
from ..exact.dyadic import Dyadic
from ..problem.exact_rows import ExactRows
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import filled_in, is_dense, times_factors
from ..problem.ties import predictions
from ..support import progress
from ..support.blas import one_thread
from ..support.threads import matrix_product
from .trace import Prefix, UpdateRule

VOTE_SLACK = 1.01
"""Factor of the bound of the error of a score; a test weakens it and sees a wrong vote."""

PRODUCTS_PER_BLOCK = 2**22
"""About so many products of new rows with old ones are computed at a time."""

MAX_ROWS_PER_BLOCK = 1024
"""At most so many new rows are looked at together."""

MIN_ROWS_PER_BLOCK = 8
"""At least so many new rows are looked at together, however many products that takes."""

MAX_PENDING_DOUBTS = 2**20
"""When more scores than this are doubtful, the trace is walked again to decide them."""

MIN_DOUBTS_PER_CALL = 2**16
"""A call of the kernel has room for at least so many doubtful scores."""


@dataclass(frozen=True)
class Survivors:
    """All weights of a run from zero, as its rows and its trace tell them."""

    problem: Problem
    """The rows erred on."""
    trace: Indices
    lengths: Indices
    """For each of the weights, the first ones included, the visits they survived: one more than mistakes."""
    tie: int

    def __post_init__(self) -> None:
        """Refuse what would reach beyond the rows: a fitted estimator, which keeps it all, may have been changed."""
        n, trace = self.problem.n, self.trace
        if (trace.size and not 0 <= trace.min() <= trace.max() < n) or self.lengths.shape != (trace.size + 1,):
            raise ValueError("What the voted perceptron has learnt has been changed, and does not fit together any more.")

    def votes(self, rows: ExactRows) -> Indices:
        """Return for each new row the votes for the positive class minus those for the negative one."""
        n = len(rows)
        new = Problem.bare(rows, self.problem.intercept)
        first = int(self.lengths[0]) * predictions(np.zeros(n), self.tie)
        poll = _Poll(self, Lifted.of(self.problem), Lifted.of(new), first)
        if self.trace.size:
            poll.take()
        return poll.votes


@dataclass
class _Poll:
    """The votes on new rows, in the making."""

    survivors: Survivors
    old: Lifted
    new: Lifted
    votes: Indices

    @one_thread
    def take(self) -> None:
        """Count the votes of all weights but the first."""
        trace, n = self.survivors.trace, self.new.problem.n
        if not (self.old.faithful and self.new.faithful):
            for r in range(n):
                self._settle(np.arange(1, trace.size + 1), np.full(trace.size, r))
            return
        errors, floors = self._errors()
        most = PRODUCTS_PER_BLOCK // max(self.old.problem.n, self.new.columns)
        size = min(max(most, MIN_ROWS_PER_BLOCK), MAX_ROWS_PER_BLOCK)
        signed = times_factors(self.old.unsigned, self.old.problem.y)
        doubts: list[Indices] = []
        for start in range(0, n, size):
            part = slice(start, min(start + size, n))
            doubts += self._count(part, self._products(signed, part), errors, floors)
            if sum(each.shape[1] for each in doubts) > MAX_PENDING_DOUBTS:
                self._settle(*np.hstack(doubts))
                doubts = []
            progress.report(lambda stop=part.stop: f"{stop:,} of {n:,} rows voted on")  # type: ignore[misc]
        if doubts:
            self._settle(*np.hstack(doubts))

    def _products(self, signed: Rows, part: slice) -> Floats:
        """Return the products of all old rows, signed, with some of the new ones."""
        some = self.new.unsigned[part]
        columns = np.ascontiguousarray(filled_in(some).T)
        if is_dense(signed):
            products: Floats = matrix_product(signed, columns, np.empty((signed.shape[0], columns.shape[1])))
        else:
            products = signed @ columns
        if self.old.problem.intercept:
            products += (self.old.rows.constant * self.new.rows.constant * self.old.problem.y)[:, None]
        return products

    def _count(self, part: slice, products: Floats, errors: Floats, floors: Floats) -> list[Indices]:
        """Add the certain votes on some of the new rows; return the doubtful ones."""
        survivors, n = self.survivors, part.stop - part.start
        voters = Voters(survivors.trace, survivors.lengths, errors, floors)
        poll = Poll(self.new.rows.norms[part], np.zeros(n), self.votes[part])
        room = np.empty((2, max(MIN_DOUBTS_PER_CALL, 4 * n)), np.int64)
        doubts, position = [], 0
        while position < survivors.trace.size:
            position, found = count(products, voters, poll, survivors.tie, position, room)
            some = room[:, :found].copy()
            some[1] += part.start
            doubts.append(some)
        return doubts

    def _errors(self) -> tuple[Floats, Floats]:
        """Bounds of the errors of the scores of each of the weights, relative to the length of a new row, and absolute.

        A product with row i is known up to ``(m + 4) * UNIT * ||x|| ||z_i||``, and adding it to a score adds ``UNIT``
        times the new score at most. After k mistakes weights are not longer than ``sqrt(k) R``. On a grid of a power of
        two that all numbers lie on there are no errors as long as 53 bits hold the scores.
        """
        old, new = self.old.rows, self.new.rows
        k = np.arange(self.survivors.trace.size + 1, dtype=np.float64)
        m = min(old.longest, new.longest) + 4
        longest = math.sqrt(k[-1]) * old.radius * new.radius * (1 + 2.0**-20)
        if longest <= math.ldexp(1.0, min(MANTISSA_BITS + self.old.grid + self.new.grid, 1000)):
            return np.zeros_like(k), np.zeros_like(k)
        share = m * UNIT / (1.0 - m * UNIT) * k + UNIT * np.cumsum(np.sqrt(k))
        return VOTE_SLACK * old.radius * share, 2 * m * UNDERFLOW * k

    def _settle(self, ks: Indices, rs: Indices) -> None:
        """Count the votes of weights ``ks`` on new rows ``rs`` by the signs of their exact scores."""
        if not ks.size:
            return
        order = np.argsort(ks, kind="stable")
        ks, rs = ks[order], rs[order]
        signs = np.full(ks.size, UNKNOWN, np.int64)
        if self.old.faithful and self.new.faithful:
            size = max(self.old.columns, self.new.columns)
            old, new = (Gathered(each.rows, each.buffers()) for each in (self.old, self.new))
            decide(old, self.survivors.trace, np.zeros((3, size)), np.zeros(size), new, ks, rs, signs)
        unknown = np.flatnonzero(signs == UNKNOWN)
        if unknown.size:
            zero = Dyadic([0] * (self.old.problem.d + self.old.problem.intercept), 0)
            prefix = Prefix(self.old.problem, self.survivors.trace, UpdateRule(zero, None, 1.0, self.survivors.tie))
            for t in unknown.tolist():
                signs[t] = self.new.exact_sign(int(rs[t]), prefix.at(int(ks[t])))
        np.add.at(self.votes, rs, predictions(signs, self.survivors.tie) * self.survivors.lengths[ks])
