"""The letters of the theorem, and its numbers, as explanations print them."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from ..support.formulas import Formula, digits, dot, formula, glued, indexed, named, norm, square_of, square_root
from ..support.numbers import number_text

C, D, K, L, Q, R, S, U, W = (Formula(letter, letter) for letter in "cDkLQRSuw")
GAMMA = named("gamma")
STAR = Formula("w*", "w^*")
W_0, W_K, Z_I = indexed("w", 0), indexed("w", "k"), indexed("z", "i")
D_I = indexed("d", "i")
LENGTH, START_LENGTH = norm(W_K), norm(W_0)
ALIGNMENT = dot(STAR, W_K)
SQUARED_RADIUS = square_of(R)
SQUARED_ROWS = glued(named("sum"), " ", square_of(norm(Z_I)))
LENGTH_LINE = formula(K, SQUARED_RADIUS)
ADJUSTED_LENGTH_LINE = formula(square_of(START_LENGTH), "+", Q, SQUARED_RADIUS)
COSINE = glued(named("cos"), "(", STAR, ", ", W_K, ")")
BOUND = formula(SQUARED_RADIUS, "/", square_of(GAMMA))
RUN_BOUND = formula(SQUARED_RADIUS, square_of(COSINE), "/", square_of(GAMMA))
COSINE_LINE = formula(square_root(K), GAMMA, "/", R)


def few(number: float | Fraction) -> Formula:
    """Write six digits of a number; whole ones as they are."""
    if isinstance(number, Fraction) and number.denominator == 1 and abs(number) < 10**15:
        return digits(f"{number.numerator:,}")
    value = float(number) if isinstance(number, float) or abs(number) < 2**1000 else None
    if value is None:
        return digits(number_text(number))
    if not np.isfinite(value) or abs(value) >= 1e15:
        return digits(f"{value:.6g}")
    if value == int(value):
        return digits(f"{value:,.0f}")
    return digits(f"{float(f'{value:.6g}'):,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}")


def outward(number: float, direction: int) -> Formula:
    """Write eight digits of a positive number, rounded down or up.

    >>> [outward(number, 1).text for number in (0.123456789, 0.25, 123456789.5)], outward(0.123456789, -1).text
    (['0.12345679', '0.25', '1.2345679e+08'], '0.12345678')
    """
    context = Context(prec=8, rounding=ROUND_FLOOR if direction < 0 else ROUND_CEILING)
    return digits(f"{float(context.create_decimal(Decimal(number))):.8g}")
