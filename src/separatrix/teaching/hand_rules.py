"""The perceptron as somebody does it by hand: rightly, or with a certain error, always or once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..compiled.signs import predicted
from .hand_run import TERMS, HandLine
from .rounding import Grid, is_near, rounded

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Task:
    """The rows to learn from, with their labels, -1 or 1; a row ends with 1 if there is a bias."""

    rows: tuple[Vector, ...]
    labels: tuple[int, ...]
    intercept: bool
    most_passes: int | None = None
    """Passes after which the run stops, whatever has come out; None: it must come to an end."""
    star: Vector | None = None
    """w*, if it is known."""


class Slip(NamedTuple):
    """An error that is made once."""

    at: int
    """The visit, counted from 0."""
    kind: str
    value: Any = None


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How somebody runs the perceptron. The defaults are right."""

    tie: int
    rate: Fraction
    start: Vector
    order: tuple[int, ...] | None
    """The rows of a pass; None: as the table has them."""
    sign: int = 1
    swapped: bool = False
    """Whether the classes are exchanged."""
    zero_coded: bool = False
    """Whether the negative class is 0 in updates, in place of -1."""
    zero_always_errs: bool = False
    """And in the test whether ``y w.x <= 0``."""
    scores_bias: bool = True
    learns_bias: bool = True
    scores_by: str = "now"
    """The weights that score: those of "now", at the beginning of the "pass", before the "last" update, or "after"."""
    one_update: bool = False
    """Whether rows are scored with, and updates added to, the weights at the beginning of the pass: the last one stays."""
    shows_signed_score: bool = False
    shows_weights_before: bool = False
    shows_rows_from: int = 0
    own_way: tuple[str, ...] = ()
    """Columns that are written in a way of one's own, which nothing else follows from."""
    grid: Grid | None = None
    """What numbers are rounded to; None: they are not."""
    carries_rounded: bool = False
    """Whether rounded numbers are computed with, or shown only."""
    endless: bool = False
    """Whether it goes on after a pass without a mistake."""
    slip: Slip | None = None


class Standing(NamedTuple):
    """Where a run stands before a visit."""

    visit: int
    position: int
    """Visits made in the present pass."""
    passed: int
    clean: bool
    """Whether the present pass is without a mistake so far."""
    since: int
    """Visits since the last mistake."""
    now: Vector
    """The weights."""
    last: Vector
    """Those before the last update."""
    of_pass: Vector
    """Those at the beginning of the pass."""


class Line(NamedTuple):
    """A line as somebody who runs the perceptron in some manner writes it."""

    visit: int
    row: int
    passed: int
    label: int
    score: Fraction
    decision: int
    """0 where a tie rule predicts none."""
    mistake: bool
    update: Vector | None
    weights: Vector
    may_end: bool
    """Whether the run may end here."""
    before: Standing
    """Where the run stood before the visit."""
    base: Vector
    """The weights that an update is added to."""
    step: int
    """The number of the visit, from 1."""
    slipped_terms: tuple[Fraction | None, ...] = (None, None, None)
    """Terms of the proof that are not what they should be."""

    def terms(self, star: Vector | None) -> tuple[Fraction | None, ...]:
        """Return the terms of the proof, in the order of `TERMS`; None for that with w* if it is not known."""
        u = self.update
        if u is None:
            found: list[Fraction | None] = [Fraction(0)] * 3
        else:
            found = [2 * dot(self.base, u), dot(u, u), None if star is None else dot(star, u)]
        return tuple(ours if slip is None else slip for ours, slip in zip(found, self.slipped_terms, strict=True))


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return a dot product."""
    return sum(map(Fraction.__mul__, a, b), Fraction(0))


def run(
    task: Task, manner: Manner, hand: Sequence[HandLine], standing: Standing | None = None, visited: Sequence[int] = ()
) -> Iterator[Line]:
    """Visit rows until a pass is without a mistake; with rows as the table has them, until that names none.

    A run may begin where another one stands, which has visited some rows.
    """
    n, order, rows = len(task.rows), manner.order, list(visited)
    start = manner.start
    at = standing or Standing(0, 0, 1, True, 0, start, start, start)
    while True:
        slip = manner.slip if manner.slip is not None and manner.slip.at == at.visit else None
        if slip is not None and slip.kind == "row":
            moved = at.position + slip.value
            at = at._replace(passed=at.passed + moved // n, clean=at.clean and moved // n == 0, position=moved % n)
        row = order[at.position] if order is not None else hand[at.visit].row if at.visit < len(hand) else None
        if row is None or not 0 <= row < n:
            return
        line = _visited(task, manner, slip, row, at)
        updated = line.mistake or line.update is not None
        rows.append(row)
        clean, since = at.clean and not updated, 0 if updated else at.since + 1
        end_of_pass = at.position + 1 == n
        all_right = since >= n and len(set(rows[-since:])) == n and not manner.one_update
        over = since >= 2 * n - 1 and all_right if order is None else end_of_pass and clean
        stopped = end_of_pass and at.passed == task.most_passes
        yield line._replace(
            may_end=over or stopped or all_right,
            row=row + manner.shows_rows_from,
            score=line.score * (line.label if manner.shows_signed_score else 1),
            weights=at.now if manner.shows_weights_before else line.weights,
        )
        if (over or stopped) and not manner.endless:
            return
        last = at.now if line.update is not None else at.last
        if end_of_pass:
            at = Standing(at.visit + 1, 0, at.passed + 1, True, since, line.weights, last, line.weights)
        else:
            at = Standing(at.visit + 1, at.position + 1, at.passed, clean, since, line.weights, last, at.of_pass)


def _visited(task: Task, manner: Manner, slip: Slip | None, row: int, at: Standing) -> Line:
    """Return the line of one visit."""
    x, label = task.rows[row], task.labels[row]
    w = at.of_pass if manner.one_update else at.now
    meant = -label if manner.swapped else label
    kind: str = "" if slip is None else slip.kind
    value: Any = None if slip is None else slip.value
    seen = (*x[:-1], Fraction(0)) if task.intercept and not manner.scores_bias else x
    learnt = (*x[:-1], Fraction(0)) if task.intercept and (not manner.learns_bias or kind == "bias") else x
    basis = {"now": w, "after": w, "pass": at.of_pass, "last": at.last}["last" if kind == "stale" else manner.scores_by]
    score = value if kind == "believed score" else dot(basis, seen)
    grid = manner.grid if manner.carries_rounded else None
    if grid is not None:
        score = rounded(score, grid.score)
    decision = int(predicted((score > 0) - (score < 0), manner.tie))
    mistake = decision != meant
    coded = 0 if manner.zero_coded and meant < 0 else meant
    if manner.zero_always_errs and coded == 0:
        mistake = True
    if kind in ("turned", "turned decision"):
        mistake = not mistake
        decision = decision if kind == "turned" else -meant if mistake else meant
    factor = manner.rate * manner.sign * coded * (value if kind == "rate" else -1 if kind == "sign" else 1)
    update = tuple(factor * each for each in learnt) if mistake and kind != "unlearnt" else None
    after = at.now if update is None else tuple(map(Fraction.__add__, w, update))
    if grid is not None:
        after = tuple(rounded(each, grid.weights) for each in after)
    if kind == "weights":
        update = None if update is None else _or_else(value.update, update)
        after = _or_else(value.weights, w if update is None else tuple(map(Fraction.__add__, w, update)))
    if kind == "mark":
        mistake = not mistake
    shown = score
    if kind == "score":
        shown = value
    elif kind == "early" or manner.scores_by == "after":
        shown = dot(after, seen)
    if kind == "decision":
        decision = -decision
    line = Line(at.visit, row, at.passed, label, shown, decision, mistake, update, after, False, at, w, at.visit + 1)
    if kind == "numbers":
        return line._replace(step=value.step or line.step, passed=value.passed or line.passed)
    return line._replace(slipped_terms=value.terms) if kind == "terms" else line


def _or_else(written: Sequence[Fraction | None], computed: Vector) -> Vector:
    return tuple(ours if theirs is None else theirs for theirs, ours in zip(written, computed, strict=True))


def errs_nowhere(task: Task, manner: Manner, weights: Vector) -> bool:
    """Whether weights have every row right."""
    for x, label in zip(task.rows, task.labels, strict=True):
        seen = (*x[:-1], Fraction(0)) if task.intercept and not manner.scores_bias else x
        score = dot(weights, seen)
        if predicted((score > 0) - (score < 0), manner.tie) != (-label if manner.swapped else label):
            return False
    return True


class Difference(NamedTuple):
    """What a line says, and what it should say."""

    field: str
    """"step", "row", "pass", "label", "score", "decision", "mistake", "update", "weights", or one of `TERMS`."""
    place: int | None
    """Of updates and weights, which one."""
    expected: Any
    found: Any


def differences(task: Task, manner: Manner, hand: HandLine, line: Line) -> list[Difference]:
    """Return in what a line done by hand differs from that of some manner, which may round or count as it likes."""
    plain: list[tuple[str, Any, Any]] = [
        ("step", line.step, hand.step), ("row", line.row, hand.row), ("pass", line.passed, hand.passed),
        ("label", line.label, hand.label), ("mistake", line.mistake, hand.mistake),
    ]  # fmt: skip
    if line.decision:  # where none is predicted, whatever is written stands for that
        plain.insert(-1, ("decision", line.decision, hand.decision))
    found = [Difference(field, None, ours, theirs) for field, ours, theirs in plain if theirs not in (None, ours)]
    grid = manner.grid or Grid()

    def compare(
        field: str, place: int | None, ours: Fraction | None, theirs: Fraction | None, unit: Fraction | None
    ) -> None:
        if ours is not None and theirs is not None and not is_near(theirs, ours, unit):
            found.append(Difference(field, place, ours, theirs))

    compare("score", None, line.score, hand.score, grid.score)
    update = line.update or (Fraction(0),) * len(line.weights)
    for j, (ours, theirs) in enumerate(zip(update, hand.update, strict=True)):
        compare("update", j, ours, theirs, grid.update)
    for j, (ours, theirs) in enumerate(zip(line.weights, hand.weights, strict=True)):
        compare("weights", j, ours, theirs, grid.weights)
    if any(each is not None for each in hand.terms):
        for field, term, theirs in zip(TERMS, line.terms(task.star), hand.terms, strict=True):
            compare(field, None, term, theirs, grid.terms)
    return sorted((each for each in found if each.field not in manner.own_way), key=lambda each: _SHOWN.index(each.field))


_SHOWN = ("step", "row", "pass", "label", "score", "decision", "mistake", "update", "weights", *TERMS)
"""The order in which differences are told."""
