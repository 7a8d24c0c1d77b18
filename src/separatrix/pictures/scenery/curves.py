"""Charts of what goes on in the course of something: rounds of a game, the search for the fewest errors, classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ...comparison.results import Comparison
from ...errors.disagreement import Disagreement
from ...exact.rounding import nearest
from ...online.protocol import Round
from ...support.counts import counted
from ...support.escaping import shown, tamed
from ...support.numbers import number_text
from ...theorem.ledger import Ledger
from ..scene import Bar, Bars, Chart, Curve
from ..thinning import chosen_steps


def curve(name: str, at: ArrayLike, value: ArrayLike, *, steps: bool = False, dots: bool = False) -> Curve:
    """Make a curve of at most as many values as are seen."""
    xs, ys = np.asarray(at, np.float64), np.asarray(value, np.float64)
    places = chosen_steps(xs.size)
    return Curve(name, xs[places], ys[places], steps, dots)


def thinning_note(size: int, what: str) -> str | None:
    """Say how many of many are shown."""
    shown_ = chosen_steps(size).size
    return None if shown_ == size else f"{shown_:,} of {counted(size, what)} are shown, the first and the last among them."


def online_chart(rounds: Sequence[Round]) -> Chart:
    """Return the mistakes over the rounds of a game; several games in a row are counted as one."""
    numbers = np.array([each.number for each in rounds], np.int64)
    mistakes = np.array([each.mistakes for each in rounds], np.int64)
    wrong = np.array([each.mistake for each in rounds], bool)
    if not (np.diff(numbers) == 1).all():
        numbers, mistakes = np.arange(1, numbers.size + 1), np.cumsum(wrong)
    if numbers.size:  # from what was before the first round
        numbers = np.insert(numbers, 0, numbers[0] - 1)
        mistakes = np.insert(mistakes, 0, mistakes[0] - wrong[0])
    made = curve("mistakes", numbers, mistakes, steps=True)
    note = thinning_note(numbers.size, "round") if numbers.size else "No round was played."
    return Chart(("round", "mistakes so far"), (made,), note=note)


def online_chart_of_ledger(ledger: Ledger) -> Chart | None:
    """Return the mistakes over the rounds of an audited run that was shown each row once; None if it was not.

    The rows of its trace are the numbers of its rounds, if it went through them as they stand.
    """
    rounds = ledger.rounds
    if rounds is None or np.any(np.diff(ledger.trace) <= 0):
        return None
    at = np.concatenate([[0], ledger.trace + 1, [rounds]])
    value = np.concatenate([np.arange(ledger.mistakes + 1), [ledger.mistakes]])
    levels = [] if ledger.bound is None else [("bound R²/γ²", ledger.bound[1])]
    levels += [] if ledger.online is None else [("bound of one pass", min(ledger.online.bound, float(rounds)))]
    note = thinning_note(at.size, "round")
    return Chart(("round", "mistakes so far"), (curve("mistakes", at, value, steps=True),), tuple(levels), note)


def bounds_chart(found: Disagreement) -> Chart | None:
    """Return what the search for the fewest errors knew, over time; None of one that kept no history."""
    if not found.history:
        return None
    seconds = np.array([each.seconds for each in found.history])
    upper = np.array([nearest_float(each.upper) for each in found.history])
    lower = np.array([nearest_float(each.lower) for each in found.history])
    proved = found.certificate.errors
    best = ("fewest errors", nearest_float(found.upper))
    open_ = f"The fewest errors are between {number_text(found.lower)} and {number_text(found.upper)}."
    stopped = " The search was stopped by Ctrl-C." if found.interrupted else ""
    return Chart(
        ("seconds", "errors, by weight" if proved is not None and proved.costs is not None else "errors"),
        (curve("found: errors of the best hyperplane", seconds, upper, steps=True),
         curve("proved: no hyperplane makes fewer", seconds, lower, steps=True)),
        (best,) if found.optimal else (),
        (f"Proved and found meet at {number_text(found.upper)}." if found.optimal else open_) + stopped,
    )  # fmt: skip


def nearest_float(number: int | Fraction) -> float:
    """Return the float64 nearest to a whole number or a fraction."""
    return nearest(Fraction(number))


def comparison_bars(found: Comparison) -> Bars:
    """Return classifiers side by side."""
    bars = tuple(
        Bar(
            shown(each.name), each.errors, each.cv_error, each.cv_spread,
            None if each.failure is None else tamed(" ".join(each.failure.split())),
            bounded=each.hyperplane is not False,
        )
        for each in found.table
    )  # fmt: skip
    bound = None if found.lower_bound is None else nearest_float(found.lower_bound)
    note = "The comparison was stopped by Ctrl-C: this is what was there." if found.interrupted else None
    return Bars(bars, found.rows, bound, found.folds, note)
