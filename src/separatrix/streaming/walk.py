"""The exact run through rows in blocks: what a block does to where the run stands.

A block begins with the exact weights that those before it have come to, and hands on its own. Nothing depends on where rows
are cut into blocks: the weights are exact, mistakes are counted, and sums for a mean add up. All here is picklable and pure,
so that blocks may be visited wherever they are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Indices
from ..exact.dyadic import Dyadic
from ..perceptron.multiclass import MulticlassRun
from ..perceptron.orders import Shuffle
from ..perceptron.run import Run
from ..problem.batches import one_after_another
from ..problem.blocks import Facts
from ..problem.digest import parts_of
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.rows import stored
from ..support.progress import unheard

_NOTHING: Indices = np.empty(0, np.int64)

_MIXER = 0x9E3779B97F4A7C15
"""Of the mixing of SplitMix64 (Steele, Lea, Flood 2014)."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What a run does with any block.

    Attributes
    ----------
    tie : str
        The tie rule.
    unit : Fraction
        What weights are counted in.
    factor : int
        What a mistake adds in multiples of its row of numerators.
    steps : tuple of float, or None
        For each class what updates on its rows are multiplied with.
    record, average : bool
        Whether to keep the rows erred on; whether to add up the weights after each visit.
    largest, smallest, longest
        What is known of all rows, as in `Facts`.
    """

    tie: str
    unit: Fraction = Fraction(1)
    factor: int = 1
    steps: tuple[float, ...] | None = None
    record: bool = False
    average: bool = False
    largest: float
    smallest: float
    longest: int

    @classmethod
    def of(cls, facts: Facts, **known: Any) -> Rule:
        """Return a rule for rows of which these facts are known."""
        return cls(largest=facts.largest, smallest=facts.smallest, longest=facts.longest, **known)

    def run(self, problem: Problem, start: Dyadic) -> Run:
        """Begin a run that visits each row of a block once."""
        steps = None
        if self.steps is not None:
            codes = problem.codes if isinstance(problem, Classes) else (problem.y > 0.0).astype(np.int64)
            steps = np.array(self.steps)[codes]
        kind = MulticlassRun if isinstance(problem, Classes) else Run
        known = replace(problem, rows=problem.rows.within(self.largest, self.smallest, self.longest))
        return kind(
            known, tie=self.tie, start=start, steps=steps, factor=self.factor, record=self.record, average=self.average,
            once=True,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a run stands, between two blocks.

    Attributes
    ----------
    weights : Dyadic
        The exact weights.
    total : Dyadic or None
        The sum of the weights after each visit, if they are averaged.
    passes : int
        Passes that are over.
    visits : int
        Visits in the present pass.
    pass_mistakes, mistakes : int
        Mistakes in the present pass, and in all.
    erred : array
        The rows erred on in the block before, if they are recorded.
    """

    weights: Dyadic
    total: Dyadic | None = None
    passes: int = 0
    visits: int = 0
    pass_mistakes: int = 0
    mistakes: int = 0
    erred: Indices = field(default_factory=lambda: _NOTHING)

    @property
    def clean(self) -> bool:
        """Whether the present pass is without a mistake so far."""
        return not self.pass_mistakes

    def next_pass(self) -> Standing:
        """Return where the run stands when a pass is over."""
        return replace(self, passes=self.passes + 1, visits=0, pass_mistakes=0, erred=_NOTHING)

    def after(self, run: Run, rows: Indices) -> Standing:
        """Return where a run stands that has gone through a block, whose rows have these numbers."""
        return Standing(
            weights=run.weights(),
            total=None if self.total is None else self.total.plus(run.total()),
            passes=self.passes,
            visits=self.visits + run.problem.n,
            pass_mistakes=self.pass_mistakes + run.mistakes,
            mistakes=self.mistakes + run.mistakes,
            erred=rows[run.trace] if run.record else _NOTHING,
        )


def visit(problem: Problem, standing: Standing, rule: Rule, rows: Indices, order: Indices | None = None) -> Standing:
    """Visit all rows of a block, which have these numbers, as they stand or in some order."""
    if not problem.n:
        return replace(standing, erred=_NOTHING)
    run = rule.run(problem, standing.weights)
    with unheard():  # whoever hands out blocks tells of them
        run.advance(order, 1)
    return standing.after(run, rows)


# As rows stand.


@dataclass(frozen=True)
class Seen:
    """What is known of the rows seen so far, from the first: how many they are, and a digest of them and their labels."""

    rows: int = 0
    hash: Any = field(default_factory=hashlib.sha256)
    labels: int = 0
    """Of more than two classes: a sum over rows and the places of their labels among the classes, modulo 2**64."""

    def after(self, problem: Problem, start: int) -> Seen:
        """Return the same, with rows that follow, of which those seen already are passed over; none may be left out."""
        problem, start = beyond(problem, start, self.rows)
        if not problem.n:
            return self
        total, labels = self.hash.copy(), self.labels
        for part in parts_of(problem):
            total.update(part)
        if isinstance(problem, Classes):
            labels = (labels + _sum_of_labels(problem.codes, start)) % 2**64
        return Seen(start + problem.n, total, labels)

    def up_to(self, problem: Problem, start: int, stop: int) -> Seen:
        """Do the same with rows up to some number."""
        return self.after(problem.with_rows(np.arange(max(0, min(problem.n, stop - start)))), start)

    @property
    def digest(self) -> str:
        """The digest in one text, that of certificates if there are two classes."""
        return f"sha256:{self.hash.hexdigest()}" + (f"+{self.labels:016x}" if self.labels else "")


def _sum_of_labels(codes: Indices, start: int) -> int:
    with np.errstate(over="ignore"):
        mixed = np.arange(start + 1, start + 1 + codes.size).astype(np.uint64) * np.uint64(_MIXER)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        return int(((mixed ^ (mixed >> np.uint64(31))) * (codes.astype(np.uint64) + np.uint64(1))).sum(dtype=np.uint64))


def beyond(problem: Problem, start: int, row: int) -> tuple[Problem, int]:
    """Leave out the rows of a block that come before some row; return the rest, and the number of its first row."""
    skipped = min(max(0, row - start), problem.n)
    return (problem.with_rows(np.arange(skipped, problem.n)), start + skipped) if skipped else (problem, start)


def visit_in_turn(
    problem: Problem, start: int, state: tuple[Standing, Seen | None], rule: Rule
) -> tuple[Standing, Seen | None]:
    """Visit the rows of a block as they stand, but for those that were visited in this pass; take note of rows not seen."""
    standing, seen = state
    if seen is not None:
        seen = seen.after(problem, start)
    rest, first = beyond(problem, start, standing.visits)
    return visit(rest, standing, rule, np.arange(first, first + rest.n)), seen


def look_at(problem: Problem, start: int, seen: Seen, stop: int) -> Seen:
    """Take note of the rows of a block, up to some number."""
    return seen.up_to(problem, start, stop)


# Shuffled.


@dataclass(frozen=True, kw_only=True)
class Gathering:
    """Rows to be shuffled together, as far as they are there."""

    standing: Standing
    turn: int
    """How many of the blocks of the shuffle were visited in this pass."""
    parts: tuple[Problem, ...] = ()


class TooMany(Exception):  # noqa: N818 (it is what it says)
    """The rows to be shuffled together are more than may be held."""


def visit_shuffled(
    problem: Problem, start: int, state: Gathering, rule: Rule, shuffle: Shuffle, most_numbers: int
) -> Gathering:
    """Take the rows of a block that are next to be shuffled together, and visit these once they are all there."""
    k = int(shuffle.blocks[state.turn])
    first, stop = shuffle.rows_of(k)
    here = slice(max(first - start, 0), min(stop - start, problem.n))
    part = problem if here == slice(0, problem.n) else problem.with_rows(np.arange(problem.n)[here])
    parts = (*state.parts, part)
    if sum(stored(part.X) for part in parts) > most_numbers:
        raise TooMany
    if start + problem.n < stop:
        return replace(state, parts=parts, standing=replace(state.standing, erred=_NOTHING))
    rows = np.arange(first, stop)
    standing = visit(one_after_another(parts), state.standing, rule, rows, shuffle.of(k) - first)
    return Gathering(standing=standing, turn=state.turn + 1)


# When a run is over.


def errs(problem: Problem, start: int, rule: Rule, weights: Dyadic) -> bool:
    """Whether weights predict another class than its own for a row of a block."""
    return bool(problem.n) and rule.run(problem, weights).errs(weights)
