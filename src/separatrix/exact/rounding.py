"""Rational numbers rounded to float64: to the nearest, or to the side that is safe."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Sequence
from fractions import Fraction

from ..compiled.environment import refuse_flushing


def nearest(number: Fraction) -> float:
    """Round to the nearest float64 that keeps the sign: never to 0 from a number that is not, infinity if too large."""
    try:
        rounded = number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    if rounded == 0.0 and number:
        refuse_flushing("a result is among")
        return 5e-324 if number > 0 else -5e-324
    return rounded


def rounded_in_order(numbers: Sequence[Fraction]) -> list[float]:
    """Round numbers to float64, signs kept, so that the largest of them, and no others, are the largest still."""
    top, rounded = max(numbers), [nearest(number) for number in numbers]
    lead = nearest(top)
    level = [k for k, number in enumerate(numbers) if number < top and rounded[k] == lead]
    if level and lead != math.inf and (lead > 0.0 or lead == -math.inf):  # away from 0 and from infinity
        return [math.nextafter(value, math.inf) if numbers[k] == top else value for k, value in enumerate(rounded)]
    return [math.nextafter(value, -math.inf) if k in level else value for k, value in enumerate(rounded)]


def outward(number: Fraction, up: bool) -> float:
    """Round a positive number to a float64 that is not below it, or not above."""
    value = nearest(number)
    if math.isinf(value):
        return value if up else sys.float_info.max
    if Fraction(value) == number or (Fraction(value) > number) == up:
        return value
    return math.nextafter(value, math.inf if up else 0.0)


def root(square: Fraction, up: bool) -> float:
    """Return a float64 that is not above, or not below, the square root of a number.

    >>> root(Fraction(2), up=False) ** 2 < 2 < root(Fraction(2), up=True) ** 2, root(Fraction(9, 4), up=True)
    (True, 1.5)
    """
    return outward(rational_root(square, up), up) if square else 0.0


def nearest_root(square: Fraction) -> float:
    """Return the float64 nearest to the square root of a number, ties to even; never 0 for one that is not.

    >>> nearest_root(Fraction(2)) == 2**0.5, nearest_root(Fraction(1, 9)) == 1 / 3, nearest_root(Fraction(0))
    (True, True, 0.0)
    """
    return nearest_root_of(square.numerator, square.denominator)


def nearest_root_of(above: int, below: int) -> float:
    """Return the float64 nearest to the square root of a quotient, which need not be in lowest terms."""
    if not above:
        return 0.0
    try:
        guess = math.sqrt(above / below)
    except OverflowError:
        guess = 0.0
    if 2.0**-500 < guess < 2.0**500 and _is_nearest_root(guess, above, below):
        return guess
    square = Fraction(above, below)
    low = root(square, up=False)
    high = math.nextafter(low, math.inf)
    if low == 0.0 or math.isinf(high):
        return low or high
    middle = (Fraction(low) + Fraction(high)) / 2
    if middle * middle == square:
        return low if _is_even(low) else high
    return low if square < middle * middle else high


def _is_nearest_root(guess: float, above: int, below: int) -> bool:
    """Whether the root lies nearer to a float64 than to its neighbours, as whole numbers tell.

    A power of two has a nearer neighbour below it; there the answer may be no where it is yes.
    """
    mantissa, exponent = math.frexp(guess)
    doubled, exponent = int(mantissa * 2.0**54), 2 * (exponent - 54)  # twice the mantissa, so that middles are odd
    above, below = above << max(-exponent, 0), below << max(exponent, 0)
    reach = 1 if mantissa != 0.5 else 0
    return (doubled - reach) ** 2 * below < above + (not reach) and above < (doubled + 1) ** 2 * below


def _is_even(number: float) -> bool:
    """Whether the last bit of a float64 is 0; of two neighbours one is even."""
    return struct.pack("<d", number)[0] % 2 == 0


def rational_root(square: Fraction, up: bool) -> Fraction:
    """Return a fraction, of 64 bits or so, that is not above, or not below, the square root of a number."""
    shift = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    scaled = square * Fraction(4) ** shift
    floor = math.isqrt(scaled.numerator // scaled.denominator)
    return Fraction(floor + (up and floor * floor != scaled)) * Fraction(2) ** -shift
