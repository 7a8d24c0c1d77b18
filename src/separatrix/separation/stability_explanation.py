"""How sure a verdict is, in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from ..problem.wording import class_name, column_names
from ..support.blocks import Block, Grid, written
from ..support.counts import counted
from ..support.numbers import exact_text, scientific
from .verdict import Status

if TYPE_CHECKING:
    from .stability import Stability

_MOST_COLUMNS = 12
"""Columns whose tolerance and shift are shown."""

_DIGITS = 6
"""Digits of a bound that is not written exactly."""

_SHORT = 10**6
"""Numerators and denominators up to here, a power of ten, are written out."""

_STOPPED = "The search was stopped before its end: with more time the bounds may come closer."

_WORDS = {
    Status.SEPARABLE: "separable", Status.QUASI_SEPARABLE: "quasi-separable", Status.OVERLAPPING: "overlapping",
}  # fmt: skip


def message(stability: Stability) -> str:
    """Say in short whether the verdict is stable, up to where, and whether more time might tell more."""
    status, box = _WORDS[stability.status], _box(stability)
    if not any(stability.tolerances):
        return f"Every number counts as exact, so that the classes stay {status}."
    if stability.lower == math.inf:
        return f"The classes stay {status} however far the inexact numbers are off: exact columns alone separate them."
    if stability.upper == 0:
        return f"The verdict is not stable: if numbers may be off at all, however little, the classes need not be {status}."
    if stability.stable:
        what = f"The verdict is stable: the classes stay {status} if every number is off by up to {box}."
    elif stability.stable is None:
        what = f"It is not known whether the classes stay {status} if every number is off by up to {box}."
    else:
        what = f"The verdict is not stable: the classes need not be {status} if every number may be off by up to {box}."
    stopped = "" if stability.finished else f" {_STOPPED}"
    return f"{what} {_between(stability)}{stopped}"


def _box(stability: Stability) -> str:
    if stability.digits:
        return "half of its last digit"
    return "its tolerance" if stability.common is None else exact_text(stability.common)


def _between(stability: Stability) -> str:
    """Say from where on the verdict may be another one."""
    lower, upper, unit = stability.lower, stability.upper, " times that"
    if stability.bounds is not None:
        (lower, upper), unit = stability.bounds, ""
    at = "at" if stability.attained else "beyond"
    if _number(lower) == _number(upper):
        exactly = lower == upper and isinstance(upper, Fraction) and not _is_short(upper)
        text = f"It begins to change {at} {'' if _is_short(upper) else 'about '}{_number(upper)}{unit}"
        return f"{text} ({exact_text(Fraction(upper))} exactly)." if exactly and _is_readable(upper) else f"{text}."
    if upper == math.inf:
        return f"It does not change before {_number(lower)}{unit}."
    text = f"It may change {at} {_number(upper)}{unit}"
    return f"{text}, and not before {_number(lower)}{unit}." if lower else f"{text}; nothing is proved of less."


def _is_short(ratio: Fraction | float) -> bool:
    """Whether a number is a decimal of few digits."""
    return (
        isinstance(ratio, Fraction) and max(ratio.numerator, ratio.denominator) <= _SHORT and not _SHORT % ratio.denominator
    )


def _is_readable(ratio: Fraction | float) -> bool:
    """Whether a fraction is one of few digits."""
    return isinstance(ratio, Fraction) and max(ratio.numerator, ratio.denominator) <= _SHORT


def _number(ratio: Fraction | float) -> str:
    if ratio == math.inf:
        return "infinity"
    exact = Fraction(ratio)
    return exact_text(exact) if _is_short(exact) else scientific(exact, _DIGITS)


def explained(stability: Stability, format: str) -> str:  # noqa: A002 (the word users expect)
    """Explain how sure a verdict is."""
    problem = stability.problem
    blocks: list[Block] = [stability.message]
    inexact = [j for j, each in enumerate(stability.tolerances) if each]
    if inexact:
        blocks.append(_definition(stability, len(inexact), problem.d - len(inexact)))
    if any(column.gap for column in problem.columns or ()):
        blocks.append("The 0 that stands for a missing number counts as a number that may be off like the others.")
    if stability.shift is not None:
        names = column_names(problem)
        moved = sorted(inexact, key=lambda j: -abs(stability.shift[j] / stability.tolerances[j]))  # type: ignore[index]
        shown = sorted(j for j in moved[:_MOST_COLUMNS] if stability.shift[j])
        two = len(problem.classes) > 1
        blocks.append(
            f"It changes, for example, if all rows of class {class_name(problem, 1)} are moved as follows"
            + (f", and those of class {class_name(problem, -1)} the other way:" if two else ":")
        )
        rows = [[names[j], _number(stability.tolerances[j]), _signed(stability.shift[j])] for j in shown]
        blocks.append(Grid(["column", "tolerance", "moved by"], rows))
        left = sum(1 for j in inexact if stability.shift[j]) - len(shown)
        if left > 0:
            blocks.append(
                f"{counted(left, 'more column')} {'is' if left == 1 else 'are'} moved, by as many tolerances at most."
            )
    return written(blocks, format)


def _signed(number: Fraction) -> str:
    return ("-" if number < 0 else "+") + _number(abs(number))


def _definition(stability: Stability, inexact: int, others: int) -> str:
    what = f"{counted(inexact, 'column')} may be off, each number by itself"
    if stability.digits:
        what += ", by half of the finest digit that occurs in its column"
    rest = f"; {counted(others, 'column')} and the labels are exact" if others else "; the labels are exact"
    return f"{what}{rest}. Both bounds are proved, in exact arithmetic."
