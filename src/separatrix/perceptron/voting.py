"""The vote of all weights that a run went through, each with as many votes as the visits it survived.

They are not kept: the rows erred on and the trace tell them. A new row's score under each of them is the one before plus a
product with the row erred on, in floating point whose error is known; where that leaves the sign open the exact weights
decide, in several floats or in integers.

Nearly all of the time is spent on adding a product for each of the weights and each of the new rows. Therefore it is done in
single precision, for a few new rows at a time, whose products the processor's caches hold. Errors would soon add up too far:
after each segment of the trace, scores begin anew from products with the weights themselves, in double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..compiled.error_free import MANTISSA_BITS, UNDERFLOW, UNIT
from ..compiled.signs import UNKNOWN
from ..compiled.votes import Gathered, Poll, Voters, count, decide, decide_plainly
from ..exact.dyadic import Dyadic
from ..problem.exact_rows import ExactRows
from ..problem.lifted import Lifted, exponent
from ..problem.problem import Problem
from ..problem.rows import filled_in, is_dense, lift, times_powers
from ..problem.ties import predictions
from ..support import progress
from ..support.blas import one_thread
from ..support.threads import in_parts
from .trace import Prefix, UpdateRule

VOTE_SLACK = 1.01
"""Factor of the bound of the error of a score; a test weakens it and sees a wrong vote."""

SINGLE_UNIT = 2.0**-24
"""The relative error of one rounding in single precision."""

SINGLE_MANTISSA_BITS = 24
"""Bits of a number in single precision, see `MANTISSA_BITS`."""

PLAIN_SLACK = 1.01
"""Factor of the bound of the error of a doubtful score that is computed anew, in double precision; weakened likewise."""

MAX_ROWS_PER_BLOCK = 96
"""So many new rows are looked at together, at most: their products with all old ones are read again and again. Not more
than the kernel has room for (`votes.MAX_ROWS`)."""

MAX_PRODUCTS_PER_BLOCK = 2**26
"""Numbers of these products, about, where old rows are many."""

MISTAKES_PER_SEGMENT = 32
"""In single precision scores begin anew after so many mistakes; a multiple of eight."""

MAX_START_COLUMNS = 2000
"""Columns up to which that is done: all weights at the beginning of segments are kept for it."""

MAX_START_NUMBERS = 2**25
"""Numbers of these weights, at most."""

VOTES_PER_CALL = 2**28
"""About so many votes are counted, some tenths of a second, before it is reported, and Ctrl-C is heard."""

_VOTES_PER_NUMBER = 16
"""Votes that are counted in the time that it takes to read one number; it tells how many threads pay."""

MAX_PENDING_DOUBTS = 2**20
"""When more scores than this are doubtful, the trace is walked again to decide them."""

MIN_DOUBTS_PER_CALL = 2**12
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


class _Ballot(NamedTuple):
    """How scores are computed: old rows in some precision, what is known of errors, and where scores begin."""

    factors: Rows
    """The rows erred on, times their classes, with the constant column; below, the weights where scores begin anew."""
    voters: Voters
    exact: bool
    """Whether scores are free of errors, if new rows are."""


@dataclass
class _Poll:
    """The votes on new rows, in the making.

    Old rows are divided by a power of two so that the longest is about 1, and so is each of the new ones, which changes no
    sign: then single precision holds them.
    """

    survivors: Survivors
    old: Lifted
    new: Lifted
    votes: Indices

    @one_thread
    def take(self) -> None:
        """Count the votes of all weights but the first."""
        trace, n = self.survivors.trace, self.new.problem.n
        if not (self._is_near(self.old) and self._is_near(self.new)):
            for r in range(n):
                progress.report(lambda r=r: f"{r:,} of {n:,} rows voted on")  # type: ignore[misc]
                self._settle(np.arange(1, trace.size + 1), np.full(trace.size, r))
            return
        ballot = self._ballot()
        step = MAX_ROWS_PER_BLOCK * max(1, VOTES_PER_CALL // MAX_ROWS_PER_BLOCK // trace.size)
        doubts: list[Indices] = []
        for start in range(0, n, step):
            progress.report(lambda start=start: f"{start:,} of {n:,} rows voted on")  # type: ignore[misc]
            rows = min(step, n - start)

            def count_part(first: int, stop: int, start: int = start) -> list[Indices]:
                return self._count(ballot, start + first, start + stop)

            for some in in_parts(count_part, rows, rows * trace.size // _VOTES_PER_NUMBER):
                doubts += some
            if sum(each.shape[1] for each in doubts) > MAX_PENDING_DOUBTS:
                self._settle(*np.hstack(doubts))
                doubts = []
        if doubts:
            self._settle(*np.hstack(doubts))

    @staticmethod
    def _is_near(lifted: Lifted) -> bool:
        """Whether the rows of the kernels are the rows, each number up to one rounding."""
        if not lifted.faithful and (lifted.problem.rows.wide is None or lifted.shift):
            return False
        return math.isfinite(lifted.rows.radius)

    @cached_property
    def _exponents(self) -> NDArray[np.int64]:
        """Exponents of the powers of two that the new rows are divided by."""
        return np.frexp(self.new.rows.norms)[1].astype(np.int64)

    def _ballot(self) -> _Ballot:
        old, new, trace = self.old.rows, self.new.rows, self.survivors.trace
        lengths = self.survivors.lengths
        if lengths.sum() < 2**31:
            lengths = lengths.astype(np.int32)
        scale = exponent(old.radius)
        signed = lift(times_powers(self.old.unsigned, -scale), self.old.problem.y, math.ldexp(old.constant, -scale))
        longest = math.sqrt(trace.size) * old.radius * new.radius * (1 + 2.0**-20)
        exact_bits = -math.inf
        if self.old.faithful and self.new.faithful and longest:
            exact_bits = math.log2(longest) - self.old.grid - self.new.grid
        dense = is_dense(signed)
        exact = math.isfinite(exact_bits) and exact_bits < (SINGLE_MANTISSA_BITS if dense else MANTISSA_BITS)
        eights, L, D = -(-trace.size // 8), MISTAKES_PER_SEGMENT, signed.shape[1]
        first, kind = 0, np.float32 if dense else np.float64
        if exact:
            errors = np.zeros(eights)
        elif dense and D <= MAX_START_COLUMNS and -(-trace.size // L) * D <= MAX_START_NUMBERS:
            starts, errors = self._starts(signed)
            first, signed = signed.shape[0], np.vstack([signed, starts])
        else:
            kind, errors = np.float64, self._errors()
            exact = math.isfinite(exact_bits) and exact_bits < MANTISSA_BITS
            errors *= not exact
        fill = 8 * eights - trace.size
        voters = Voters(
            np.pad(trace, (0, fill)).astype(np.uint32).reshape(-1, 8), np.pad(lengths[1:], (0, fill)).reshape(-1, 8),
            L // 8, first, (errors * (1 + 2.0**-20)).astype(kind),
        )  # fmt: skip
        return _Ballot(signed.astype(kind), voters, exact)

    def _starts(self, signed: Floats) -> tuple[Floats, Floats]:
        """Return the weights at the beginning of each segment, and the errors of scores, of rows of length 1, by eights.

        A sum of k rows is known up to ``depth * UNIT`` times the sum of their lengths, where no number goes through more
        additions than ``depth``. A score with it in single precision, of D products and of numbers that are rounded first,
        is known up to ``(D + 4) * SINGLE_UNIT`` times its length. Each step then adds the error of a product,
        ``m * SINGLE_UNIT`` times the length of the old row, with some more for rows that are rounded first. Where a sum is
        rounded it adds ``SINGLE_UNIT`` times the score there. Only wrong signs matter: a score whose sign is wrong is as
        small as the error, so that no score before it in the segment is larger than the sum of the products between them,
        but for a part that the slack covers. Errors grow with the mistakes since the beginning of the segment, and are
        taken at the end of each eight of them.
        """
        trace, L, D = self.survivors.trace, MISTAKES_PER_SEGMENT, signed.shape[1]
        begins = np.arange(0, trace.size, L)
        sums, since = np.empty((begins.size, D)), np.zeros((begins.size, L // 8))
        norms = np.ldexp(self.old.rows.norms, -exponent(self.old.rows.radius))
        step = max(1, 2**22 // L // D)
        for c in range(0, begins.size, step):
            part = trace[c * L : (c + step) * L]
            sums[c : c + step] = np.add.reduceat(signed[part], np.arange(0, part.size, L), axis=0)
            eights = np.add.reduceat(norms[part], np.arange(0, part.size, 8)) * (1 + 2.0**-20)
            since.reshape(-1)[c * L // 8 :][: eights.size] = eights
        since = np.cumsum(since, axis=1)
        starts = np.zeros_like(sums)
        np.cumsum(sums[:-1], axis=0, out=starts[1:])
        known = (L + begins / L + 2) * UNIT * (np.cumsum(since[:, -1]) - since[:, -1]) * (1 + 2.0**-20)
        reach = np.linalg.norm(starts, axis=1) * (1 + 2.0**-20) + known
        m = min(self.old.rows.longest, self.new.rows.longest) + 3
        first = known + (D + 4) * SINGLE_UNIT * reach
        errors = first[:, None] + SINGLE_UNIT * (m + 1 + np.arange(8, L + 8, 8)) * since
        return starts, VOTE_SLACK * (errors.reshape(-1)[: -(-trace.size // 8)] + 2.0**-90)

    def _errors(self) -> Floats:
        """Bounds of the errors of scores in double precision, which go on from mistake to mistake, likewise.

        A product with row i is known up to ``(m + 4) * UNIT * ||x|| ||z_i||``, and adding it to a score adds ``UNIT``
        times the new score at most. After k mistakes weights are not longer than ``sqrt(k) R``.
        """
        k = np.arange(self.survivors.trace.size + 1, dtype=np.float64)
        m = min(self.old.rows.longest, self.new.rows.longest) + 8
        share = m * UNIT / (1.0 - m * UNIT) * k + UNIT * np.cumsum(np.sqrt(k))
        last = np.minimum(np.arange(8, k.size + 7, 8), k.size - 1)
        return VOTE_SLACK * (share[last] + 2 * m * UNDERFLOW * k[last])

    def _count(self, ballot: _Ballot, first: int, stop: int) -> list[Indices]:
        """Add the certain votes on some of the new rows; return the doubtful ones."""
        doubts: list[Indices] = []
        factors, voters = ballot.factors, ballot.voters
        block = min(MAX_ROWS_PER_BLOCK, max(1, MAX_PRODUCTS_PER_BLOCK // factors.shape[0]))
        room = np.empty((2, max(MIN_DOUBTS_PER_CALL, 16 * block)), np.int64)
        products = np.empty(factors.shape[0] * block, factors.dtype)  # once: new memory costs as much again
        for start in range(first, stop, block):
            part = slice(start, min(start + block, stop))
            n, scale = part.stop - start, -self._exponents[part]
            rows = np.ldexp(filled_in(self.new.unsigned[part]), scale[:, None])
            if self.old.problem.intercept:
                rows = np.column_stack([rows, np.ldexp(self.new.rows.constant, scale)])
            if not ballot.exact:  # their lengths are brought from between 1/2 and 1, or 0, to 1
                rows /= np.maximum(np.ldexp(self.new.rows.norms[part], scale), 0.5)[:, None]
            table = self._products(factors, np.ascontiguousarray(rows.T, dtype=factors.dtype), products)
            poll = Poll(np.zeros(n, factors.dtype), self.votes[part])
            eight = 0
            while eight < voters.errors.size:
                eight, found = count(table, voters, poll, self.survivors.tie, eight, room)
                if found:
                    some = room[:, :found].copy()
                    some[1] += start
                    doubts.append(some)
        return doubts

    @staticmethod
    def _products(signed: Rows, columns: Floats, room: Floats) -> Floats:
        """Return the products of old rows with new ones, which are columns; in some room, if they are dense."""
        if not is_dense(signed):
            sparse: Floats = signed @ columns
            return sparse
        table = room[: signed.shape[0] * columns.shape[1]].reshape(signed.shape[0], columns.shape[1])
        return np.matmul(signed, columns, out=table)

    def _settle(self, ks: Indices, rs: Indices) -> None:
        """Count the votes of weights ``ks`` on new rows ``rs`` by the signs of their exact scores."""
        if not ks.size:
            return
        order = np.argsort(ks, kind="stable")
        ks, rs = ks[order], rs[order]
        signs = np.full(ks.size, UNKNOWN, np.int64)
        if self.old.faithful and self.new.faithful:
            trace, width = self.survivors.trace, self.old.problem.d + 1
            old, new = (Gathered(each.rows, each.buffers()) for each in (self.old, self.new))
            if is_dense(self.old.unsigned):  # else they were doubtful in double precision
                decide_plainly(old, trace, np.zeros((1, width)), np.zeros(width), new, ks, rs, PLAIN_SLACK, signs)
            left = np.flatnonzero(signs == UNKNOWN)
            if left.size:
                found, size = signs[left], max(self.old.columns, self.new.columns)
                decide(old, trace, np.zeros((3, size)), np.zeros(size), new, ks[left], rs[left], found)
                signs[left] = found
        unknown = np.flatnonzero(signs == UNKNOWN)
        if unknown.size:
            zero = Dyadic([0] * (self.old.problem.d + self.old.problem.intercept), 0)
            prefix = Prefix(self.old.problem, self.survivors.trace, UpdateRule(zero, None, 1.0, self.survivors.tie))
            for t in unknown.tolist():
                signs[t] = self.new.exact_sign(int(rs[t]), prefix.at(int(ks[t])))
        np.add.at(self.votes, rs, predictions(signs, self.survivors.tie) * self.survivors.lengths[ks])
