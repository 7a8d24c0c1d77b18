"""Why a run done by hand is wrong: the way of doing it that explains the most of its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import takewhile
from typing import NamedTuple

from ..problem.ties import TIES
from .hand_rules import Difference, Line, Manner, Slip, Standing, Task, differences, errs_nowhere, run
from .hand_run import TERMS, HandLine
from .rounding import grid_of

MAX_VISITS_BACK = 40
"""An error is looked for at so many visits before the line that shows it, at most."""

MAX_VISITS_REPEATED = 20_000
"""At fewer of them if the run is so long that this would repeat more visits than these."""

COMMON_RATES = tuple(map(Fraction, ("1/2", "1/10", "1/100", "2", "10")))
"""Learning rates that are tried where a table does not show the weights."""


class Cause(StrEnum):
    """Why a run done by hand is wrong."""

    ROW_NUMBERS = "row-numbers"
    WEIGHTS_BEFORE = "weights-before"
    SIGNED_SCORE = "signed-score"
    TIE = "sign-of-zero"
    CLASSES = "classes-swapped"
    LABELS = "labels-0-1"
    BIAS = "bias"
    SIGN = "sign-of-update"
    RATE = "learning-rate"
    OLD_SCORE = "score-of-old-weights"
    NEW_SCORE = "score-of-new-weights"
    ONE_UPDATE = "one-update-a-pass"
    ORDER = "order"
    SKIPPED = "row-skipped"
    REPEATED = "row-repeated"
    MISSED = "update-missing"
    NEEDLESS = "update-needless"
    MARK = "mistake-mark"
    DECISION = "decision"
    SCORE = "score"
    ARITHMETIC = "arithmetic"
    ROUNDED = "rounded"
    PROOF = "proof-term"
    NUMBERING = "numbering"
    START = "start"
    STOPPED = "stopped-early"
    ENDLESS = "never-ends"
    OVERRUN = "went-on"
    UNKNOWN = "unknown"


class Guess(NamedTuple):
    """A cause, and what somebody with this error would write."""

    cause: Cause
    manner: Manner
    visit: int | None = None
    """The visit at which an error is made once; None: it is made always."""


@dataclass(frozen=True)
class Explained:
    """How much of a run some manner explains."""

    guess: Guess
    lines: int
    """So many first lines agree, and one more if the run ends where it may."""


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with a run."""

    right: Manner
    line: int
    """The first line that is wrong, counted from 0; the number of lines if it is the end that is wrong."""
    expected: Line | None
    """What it should say; None if there should be no such line."""
    differences: tuple[Difference, ...]
    """In what it differs from that."""
    causes: tuple[Explained, ...]
    """What explains it, most likely first."""
    passes: int
    """The passes that the run has made up to there."""
    ended_right: bool
    """Whether the right run, at its end or so far, has come to weights that have every row right."""


def diagnose(task: Task, right: Manner, hand: Sequence[HandLine], only: bool) -> Diagnosis | None:
    """Compare a run with the right one; None if it is right. With ``only`` its lines are mistakes only."""
    agreed = agreement(task, right, hand, only)
    if agreed > len(hand):
        return None
    visits = _visits_until(task, right, hand, only, agreed)
    listed = [line for line in visits if line.mistake or not only]
    expected = listed[agreed] if agreed < len(listed) else None
    differ = () if expected is None or agreed == len(hand) else tuple(differences(task, right, hand[agreed], expected))
    passes = expected.passed if expected is not None else visits[-1].passed if visits else 0
    if 0 < agreed < len(listed) and listed[agreed - 1].passed < passes:
        passes = listed[agreed - 1].passed  # it is over with these
    ended_right = bool(visits) and errs_nowhere(task, right, visits[-1].weights)

    def diagnosis(causes: tuple[Explained, ...]) -> Diagnosis:
        return Diagnosis(right, agreed, expected, differ, causes, passes, ended_right)

    if agreed == len(hand):
        return diagnosis((Explained(Guess(Cause.STOPPED, right), agreed),))
    guesses = _guesses(task, right, hand, only, agreed, visits, expected)
    tried = []
    for guess in guesses:
        before = visits[: guess.visit] if guess.visit is not None else []  # where an error made once changes nothing yet
        at = visits[guess.visit].before if guess.visit is not None else None
        tried.append(Explained(guess, agreement(task, guess.manner, hand, only, before, at)))
    best = max((each.lines for each in tried), default=0)
    found: dict[Cause, Explained] = {}
    for each in tried:
        if each.lines == best > agreed:
            found.setdefault(each.guess.cause, each)
    unknown = Explained(Guess(Cause.UNKNOWN, right), agreed)
    return diagnosis(tuple(found.values()) or (unknown,))


def agreement(
    task: Task, manner: Manner, hand: Sequence[HandLine], only: bool, before: Sequence[Line] = (), at: Standing | None = None
) -> int:
    """Return how many of the first lines agree, and one more if all do and the run may end there.

    The run may begin where another one stands, whose visits agree as far as they are listed.
    """
    last: Line | None = None
    lines = _listed(task, manner, hand, only, before, at)
    listed = sum(1 for line in before if line.mistake or not only)
    for k, written in enumerate(hand[listed:], listed):
        line = next(lines, None)
        if line is None or differences(task, manner, written, line):
            return k
        last = line
    if last is None:
        return 0
    ends = errs_nowhere(task, manner, last.weights) or _stopped(lines, task) if only else last.may_end
    return len(hand) + ends


def _stopped(rest: Iterator[Line], task: Task) -> bool:
    """Whether a run that is all mistakes was stopped after the passes that it may take."""
    return task.most_passes is not None and next(rest, None) is None


def _listed(
    task: Task, manner: Manner, hand: Sequence[HandLine], only: bool, before: Sequence[Line], at: Standing | None
) -> Iterator[Line]:
    """Give the lines that somebody would write."""
    if only and manner.endless:  # there are no mistakes after a pass without any, but some after the last one allowed
        manner, task = replace(manner, endless=False), replace(task, most_passes=None)
    lines = run(task, manner, hand, at, [line.row for line in before])
    if not only:
        return lines
    return (
        (line for line in lines if line.mistake) if manner.order is not None else takewhile(lambda line: line.mistake, lines)
    )


def _visits_until(task: Task, right: Manner, hand: Sequence[HandLine], only: bool, agreed: int) -> list[Line]:
    """Return the visits of the right run up to the line that is wrong, that included, if there is one."""
    found, listed = [], 0
    for line in run(task, right, hand):
        found.append(line)
        listed += line.mistake or not only
        if listed > agreed:
            break
    return found


def _guesses(
    task: Task, right: Manner, hand: Sequence[HandLine], only: bool, agreed: int, visits: list[Line], expected: Line | None
) -> Iterator[Guess]:
    """Give what may have gone wrong, more likely causes first."""
    yield from _always(task, right, hand, visits, expected, agreed)
    if expected is not None:
        yield from _once(task, right, hand, only, agreed, visits)
    if right.order is not None and all(line.row is not None for line in hand):
        yield Guess(Cause.ORDER, replace(right, order=None))
    if expected is not None and hand[0].known_weights is not None and agreed == 0:
        yield from _starts(right, hand, visits[0])
    yield Guess(Cause.NUMBERING, replace(right, own_way=("step", "pass")))
    yield Guess(Cause.PROOF, replace(right, own_way=TERMS))
    grid = grid_of(hand)
    for carries in (False, True) if grid is not None else ():
        yield Guess(Cause.ROUNDED, replace(right, grid=grid, carries_rounded=carries))
    yield Guess(Cause.OVERRUN, replace(right, endless=True))


def _always(
    task: Task, right: Manner, hand: Sequence[HandLine], visits: list[Line], expected: Line | None, agreed: int
) -> Iterator[Guess]:
    """Give errors that are made from the beginning to the end."""
    for start in (1, -1):
        yield Guess(Cause.ROW_NUMBERS, replace(right, shows_rows_from=start))
    yield Guess(Cause.WEIGHTS_BEFORE, replace(right, shows_weights_before=True))
    yield Guess(Cause.SIGNED_SCORE, replace(right, shows_signed_score=True))
    for tie in TIES.values():
        if tie != right.tie:
            yield Guess(Cause.TIE, replace(right, tie=tie))
    yield Guess(Cause.CLASSES, replace(right, swapped=True))
    for always in (False, True):
        yield Guess(Cause.LABELS, replace(right, zero_coded=True, zero_always_errs=always))
    if task.intercept:
        for scores, learns in ((True, False), (False, True), (False, False)):
            yield Guess(Cause.BIAS, replace(right, scores_bias=scores, learns_bias=learns))
    yield Guess(Cause.SIGN, replace(right, sign=-1))
    for rate in _rates(hand, visits, agreed):
        yield Guess(Cause.RATE if rate > 0 else Cause.SIGN, replace(right, rate=rate * right.rate))
    for by, cause in (("pass", Cause.OLD_SCORE), ("last", Cause.OLD_SCORE), ("after", Cause.NEW_SCORE)):
        yield Guess(cause, replace(right, scores_by=by))
    yield Guess(Cause.ONE_UPDATE, replace(right, one_update=True))
    if right.order is not None and expected is not None:
        for order in _orders(right.order, hand):
            yield Guess(Cause.ORDER, replace(right, order=order))


def _orders(order: tuple[int, ...], hand: Sequence[HandLine]) -> Iterator[tuple[int, ...]]:
    """Give other orders of visits: the one that the table begins with, and the same backwards."""
    written = [line.row for line in hand[: len(order)]]
    if sorted(each for each in written if each is not None) == sorted(order):
        yield tuple(each for each in written if each is not None)
    yield order[::-1]


def _rates(hand: Sequence[HandLine], visits: list[Line], agreed: int) -> Iterable[Fraction]:
    """Return multiples of the learning rate that the first wrong line, or the first of all updates, looks like."""
    if agreed >= len(hand) or not visits:
        return ()
    written, line = hand[agreed], visits[-1]
    if line.update is None:
        return ()
    changes = [
        each if each is not None else None if now is None else now - before
        for each, now, before in zip(written.update, written.weights, line.before.now, strict=True)
    ]
    ratios = {change / step for change, step in zip(changes, line.update, strict=True) if change is not None and step}
    if len(ratios) == 1:
        (ratio,) = ratios
        return (ratio,) if ratio not in (0, 1, -1) else ()
    return COMMON_RATES if not ratios else ()


def _once(
    task: Task, right: Manner, hand: Sequence[HandLine], only: bool, agreed: int, visits: list[Line]
) -> Iterator[Guess]:
    """Give errors that are made once: at the first wrong line, or at a visit before it that the table hides."""
    last = len(visits) - 1
    shown = [k for k in range(agreed) if hand[k].known_weights is not None]
    listed = [line.visit for line in visits if line.mistake or not only]
    earliest = listed[shown[-1]] + 1 if shown else 0
    back = min(MAX_VISITS_BACK, MAX_VISITS_REPEATED // len(visits))
    hidden = range(last, max(earliest, last - back) - 1, -1)

    def slip(cause: Cause, at: int, kind: str, value: object = None) -> Guess:
        return Guess(cause, replace(right, slip=Slip(at, kind, value)), at)

    written = hand[agreed]
    moves = [(Cause.REPEATED, -1), *((Cause.SKIPPED, k) for k in range(1, len(right.order or ())))] if right.order else []
    others = [slip(cause, last, "row", moved) for cause, moved in moves]
    if written.row is not None:
        yield from others
    for at in hidden:
        line = visits[at]
        tied = [Cause.TIE] if line.score == 0 else []
        for kind in ("turned", "turned decision", *(["unlearnt"] if line.mistake else [])):
            for cause in [*tied, Cause.MISSED if line.mistake else Cause.NEEDLESS]:
                yield slip(cause, at, kind)
        if line.mistake:
            yield slip(Cause.SIGN, at, "sign")
            if task.intercept:
                yield slip(Cause.BIAS, at, "bias")
            for rate in _rates(hand, visits, agreed) if at == last else COMMON_RATES:
                yield slip(Cause.RATE if rate > 0 else Cause.SIGN, at, "rate", rate)
    if written.row is None:
        yield from others
    yield slip(Cause.MARK, last, "mark")
    yield slip(Cause.DECISION, last, "decision")
    yield slip(Cause.OLD_SCORE, last, "stale")
    yield slip(Cause.NEW_SCORE, last, "early")
    if written.score is not None:
        yield slip(Cause.SCORE, last, "score", written.score)
        yield slip(Cause.SCORE, last, "believed score", written.score)
    if any(each is not None for each in (*written.weights, *written.update)):
        yield slip(Cause.ARITHMETIC, last, "weights", written)
    yield slip(Cause.PROOF, last, "terms", written)
    yield slip(Cause.NUMBERING, last, "numbers", written)


def _starts(right: Manner, hand: Sequence[HandLine], first: Line) -> Iterator[Guess]:
    """Give the starts that lead to the weights of the first line."""
    after = hand[0].known_weights
    assert after is not None
    yield Guess(Cause.START, replace(right, start=after))
    for sign in (1, -1):
        update = first.update or ()
        if update:
            yield Guess(Cause.START, replace(right, start=tuple(a - sign * u for a, u in zip(after, update, strict=True))))
