"""Exact numbers in short texts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

LARGEST_WHOLE = 10**20
"""Whole numbers below this are written with all their digits."""


MAX_DECIMALS = 12
"""Numbers with at most so many decimals are written as decimals where nothing may be rounded."""


def number_text(number: float | Fraction | int) -> str:
    """Write a number: exactly if it is a float64, or short, else by its first digits.

    >>> number_text(0.1), number_text(Fraction(2)), number_text(Fraction(1, 3)), number_text(3**200)
    ('0.1', '2', '1/3', '2.65614e95')
    >>> number_text(Fraction(11, 10)), number_text(Fraction(3, 2))
    ('1.1', '1.5')
    """
    exact = Fraction(number)
    if max(abs(exact.numerator), exact.denominator) < 10**9 and exact.denominator & (exact.denominator - 1):
        return exact_text(exact)
    if exact.denominator == 1 and abs(exact) < LARGEST_WHOLE:
        return str(exact)
    if Fraction(1, 2**1074) <= abs(exact) < 2**1023 and Fraction(float(exact)) == exact:
        return repr(float(exact)).removesuffix(".0")
    return scientific(exact)


def exact_text(number: Fraction) -> str:
    """Write a number exactly: as a decimal if it is a short one, else as a fraction.

    >>> exact_text(Fraction(-7)), exact_text(Fraction(1, 8)), exact_text(Fraction(1, 3)), exact_text(Fraction(-1, 20))
    ('-7', '0.125', '1/3', '-0.05')
    """
    p, q = number.numerator, number.denominator
    if q == 1 or 10**MAX_DECIMALS % q:
        return str(number)
    digits = f"{abs(p) * (10**MAX_DECIMALS // q):0{MAX_DECIMALS + 1}d}"
    return f"{'-' if p < 0 else ''}{digits[:-MAX_DECIMALS]}.{digits[-MAX_DECIMALS:]}".rstrip("0")


def signed_sum(terms: Iterable[tuple[bool, str]], plus: str = "+", minus: str = "-") -> str:
    """Write a sum of terms without their signs, each with whether it is negative.

    >>> signed_sum([(True, "2 a"), (False, "b"), (True, "1/2")])
    '-2 a + b - 1/2'
    """
    pieces: list[str] = []
    for negative, term in terms:
        sign = minus if negative else plus
        pieces.append(f" {sign} {term}" if pieces else f"{sign}{term}" if negative else term)
    return "".join(pieces)


def scientific(number: Fraction, digits: int = 6) -> str:
    """Write so many digits of a rational of any size.

    >>> scientific(Fraction(2, 3)), scientific(Fraction(10) ** 40 - 1), scientific(Fraction(1, 3 * 10**9), 3)
    ('0.666667', '1e40', '3.33e-10')
    """
    if not number:
        return "0"
    sign, number = ("-", -number) if number < 0 else ("", number)
    shift = (number.numerator.bit_length() - number.denominator.bit_length()) * 30103 // 100000
    scaled = number / Fraction(10) ** shift
    while scaled >= 10:
        scaled, shift = scaled / 10, shift + 1
    while scaled < 1:
        scaled, shift = scaled * 10, shift - 1
    whole = round(scaled * 10 ** (digits - 1))
    if whole == 10**digits:
        whole, shift = whole // 10, shift + 1
    if -5 <= shift < digits:
        text = f"{whole / 10 ** (digits - 1) * 10.0**shift:.{digits - 1 - shift}f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa = f"{whole / 10 ** (digits - 1):.{digits - 1}f}".rstrip("0").rstrip(".")
    return f"{sign}{mantissa}e{shift}"
