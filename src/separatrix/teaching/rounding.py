"""Numbers of a run done by hand that are rounded: to how many places, and what then counts as the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from .hand_run import HandLine

FINEST = Fraction(1, 10**12)
"""Numbers that are less than this apart differ by rounding, too: that of floats."""


class Grid(NamedTuple):
    """The unit in the last place of numbers that are rounded; None if they are not, or not there."""

    score: Fraction | None = None
    update: Fraction | None = None
    weights: Fraction | None = None
    terms: Fraction | None = None


def grid_of(lines: Sequence[HandLine]) -> Grid | None:
    """Return what the numbers of a run are rounded to, if they are; None if nothing can be."""
    grid = Grid(
        _unit([line.score] for line in lines),
        _unit(line.update for line in lines),
        _unit(line.weights for line in lines),
        _unit(line.terms for line in lines),
    )
    return None if grid == Grid() else grid


def _unit(cells: Iterable[Sequence[Fraction | None]]) -> Fraction | None:
    """Return the unit in the last place of the longest decimal; None if one is no decimal, as 1/3, or there are none."""
    known = {number for several in cells for number in several if number is not None}
    found = [places(number) for number in known]
    if not found or None in found:
        return None
    return max(FINEST, Fraction(1, 10 ** max(each for each in found if each is not None)))


def places(number: Fraction) -> int | None:
    """Return how many decimal places a number has; None if no decimal is equal to it.

    >>> places(Fraction("-0.125")), places(Fraction(3)), places(Fraction(1, 3))
    (3, 0, None)
    """
    rest, powers = number.denominator, {2: 0, 5: 0}
    for prime in powers:
        while rest % prime == 0:
            rest, powers[prime] = rest // prime, powers[prime] + 1
    return max(powers.values()) if rest == 1 else None


def is_near(written: Fraction, exact: Fraction, unit: Fraction | None) -> bool:
    """Whether a number is another one, or that rounded to a unit, up or down.

    Less than a unit is between them: if the exact number has no more places, they are equal, and no slip passes for this.

    >>> is_near(Fraction("0.167"), Fraction(1, 6), Fraction("0.001"))
    True
    >>> is_near(Fraction("0.168"), Fraction("0.167"), Fraction("0.001"))
    False
    """
    return written == exact or (unit is not None and abs(written - exact) < unit)


def rounded(number: Fraction, unit: Fraction | None) -> Fraction:
    """Round a number to a unit, halves away from zero, as by hand.

    >>> rounded(Fraction(-1, 6), Fraction("0.1")), rounded(Fraction(-1, 4), Fraction("0.1"))
    (Fraction(-1, 5), Fraction(-3, 10))
    """
    if unit is None:
        return number
    size = (abs(number) / unit + Fraction(1, 2)).__floor__() * unit
    return size if number > 0 else -size
