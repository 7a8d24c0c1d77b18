"""Decimal numbers in text, each rounded to the nearest float64, ties to even, as ``float`` does it.

A text here always ends with a newline, so that no loop needs to ask for the end: digits stop there. Digits are read eight
at a time, as one integer of eight bytes: how many there are is found without a branch, which could not be foreseen.

With mantissa and power of ten small enough one division of exact floats does. Else the product with a power of five, to
128 bits, tells (Eisel and Lemire). Where even that does not, with more than 19 digits close to the middle of two floats,
the number is left to ``float``.

With each number comes how many decimals it has: after how many of them the number times a power of ten is whole. Zeros at
the end may be counted with them. `TOO_LONG` stands for numbers that have no such power up to ``10**22``, or come to more
than ``2**53`` by it: they are not read as decimals. Once the decimals of all numbers are known, `number_as` reads a number
times the power that makes all of them whole.
"""

from __future__ import annotations

import numpy as np

from .compilation import kernel

TAB, NEWLINE, RETURN, BLANK, HASH, COLON = b"\t\n\r #:"

LEFT = np.uint64(0x7FF8 << 48)
"""The bits of the NaN that stands for a number left to ``float``."""

PLUS, MINUS, POINT, ZERO, SMALL_E = b"+-.0e"

# uint64 and a plain integer make a float in numba: every constant beside a uint64 is one itself.
_ZEROS = np.uint64(int.from_bytes(b"0" * 8, "little"))

_ABOVE_NINE = np.uint64(0x7676767676767676)

_ONES = np.uint64(0x0101010101010101)

_PAIRS, _FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)

_JOIN_1, _JOIN_2, _JOIN_4 = np.uint64(2561), np.uint64(6553601), np.uint64(42949672960001)
"""Ten times one digit and the next, hundred times one pair and the next, and so on."""

_LOWER = np.uint64(0xFFFFFFFF)

_0, _1, _3, _7, _8, _9, _16, _32, _52, _56, _63 = (np.uint64(k) for k in (0, 1, 3, 7, 8, 9, 16, 32, 52, 56, 63))

_NINE_BITS = np.uint64(0x1FF)

_ALL = np.uint64(2**64 - 1)

_EXPONENT = np.uint64(2047)

_WHOLE_TENS = np.array([10**k for k in range(9)], np.uint64)

_SHORT_TENS = np.array([10**k for k in range(9)], np.int64)

_ROOM = np.array([10 ** (19 - k) - 1 for k in range(9)], np.uint64)
"""The largest mantissa to which so many digits can be added: 19 digits always fit into 64 bits."""

_TENS = np.array([10.0**k for k in range(23)])
"""All powers of ten that float64 holds exactly."""

_EXACT = np.uint64(2**53)

MAX_DECIMALS = 22
"""Decimals that a number may have: ten to this power, and no higher one, is a float64."""

NEAREST, TRIMMED = -1, -2
"""How numbers are read: to the nearest float64; or not at all, but for how many decimals they have."""

TOO_LONG = 64
"""Stands for the decimals of a number that is not read as a decimal."""

_MAX_SHIFT = 19
"""The power of ten, at most, by which a mantissa is multiplied: ten to a higher one does not fit into 64 bits."""

_LONG_TENS = np.array([10**k for k in range(20)], np.uint64)

_FIRST, _LAST = -342, 308
"""Powers of ten beyond which 19 digits are less than half the smallest float64, or more than the largest."""


def _power_of_five(power):
    """Return the leading 128 bits of ``5**power``, rounded down; a fraction, never exact, is rounded up."""
    if power >= 0:
        five = 5**power
        bits = five.bit_length()
        return five << (128 - bits) if bits <= 128 else five >> (bits - 128)
    five = 5**-power
    return (1 << (five.bit_length() + 127)) // five + 1


_FIVES = np.array(
    [[five >> 64, five & (2**64 - 1)] for five in map(_power_of_five, range(_FIRST, _LAST + 1))], dtype=np.uint64
)


@kernel
def byte_at(text, p):
    """Return a byte of a text."""
    return np.int64(text[np.uint64(p)])


@kernel
def _eight(text, p):
    """Eight bytes as one integer, the first byte lowest."""
    return (
        np.uint64(text[np.uint64(p)])
        | np.uint64(text[np.uint64(p + 1)]) << _8
        | np.uint64(text[np.uint64(p + 2)]) << _16
        | np.uint64(text[np.uint64(p + 3)]) << np.uint64(24)
        | np.uint64(text[np.uint64(p + 4)]) << _32
        | np.uint64(text[np.uint64(p + 5)]) << np.uint64(40)
        | np.uint64(text[np.uint64(p + 6)]) << np.uint64(48)
        | np.uint64(text[np.uint64(p + 7)]) << _56
    )


@kernel
def _run(digits):
    """How many of eight bytes, from the lowest on, are below ten."""
    others = (((digits + _ABOVE_NINE) | digits) >> _7) & _ONES
    return np.int64((((others - _1) & ~others & _ONES) * _ONES) >> _56)


@kernel
def _whole(digits, k):
    """Return the number that the lowest k of eight digits make, for k at least 1."""
    digits = digits << np.uint64(64 - 8 * k)
    digits = ((digits * _JOIN_1) >> _8) & _PAIRS
    digits = ((digits * _JOIN_2) >> _16) & _FOURS
    return (digits * _JOIN_4) >> _32


@kernel
def digits(text, p, mantissa):
    """Read the digits at p behind those of the mantissa: return where they end, or -1 if that makes more than 19."""
    while p + 8 <= text.shape[0]:
        digits = _eight(text, p) ^ _ZEROS
        k = _run(digits)
        if k == 0:
            return p, mantissa
        if mantissa > _ROOM[np.uint64(k)]:
            return -1, mantissa
        mantissa = mantissa * _WHOLE_TENS[np.uint64(k)] + _whole(digits, k)
        p += k
        if k < 8:
            return p, mantissa
    while 0 <= byte_at(text, p) - ZERO <= 9:
        if mantissa > _ROOM[_1]:
            return -1, mantissa
        mantissa = mantissa * _WHOLE_TENS[_1] + np.uint64(byte_at(text, p) - ZERO)
        p += 1
    return p, mantissa


@kernel
def _long_digits(text, p, mantissa, dropped, rest):
    """Read any number of digits: return where they end, the mantissa, how many it lacks, and if one of those is not 0."""
    while 0 <= byte_at(text, p) - ZERO <= 9:
        digit = np.uint64(byte_at(text, p) - ZERO)
        if mantissa > _ROOM[_1]:
            dropped += 1
            rest |= digit != _0
        else:
            mantissa = mantissa * _WHOLE_TENS[_1] + digit
        p += 1
    return p, mantissa, dropped, rest


@kernel
def _exponent(text, p):
    """Read a whole number with a sign: return where it ends, or -1 if there is none. Far out it is no longer exact."""
    sign = byte_at(text, p)
    p += np.int64(sign in (MINUS, PLUS))
    start, power = p, 0
    while 0 <= byte_at(text, p) - ZERO <= 9:
        power = min(power * 10 + byte_at(text, p) - ZERO, 10**17)
        p += 1
    return (p if p > start else -1), (-power if sign == MINUS else power)


@kernel
def _product(a, b):
    """Return the upper and the lower 64 bits of the product of two integers."""
    a_high, a_low = a >> _32, a & _LOWER
    b_high, b_low = b >> _32, b & _LOWER
    middle = a_high * b_low + ((a_low * b_low) >> _32)
    other = a_low * b_high + (middle & _LOWER)
    return a_high * b_high + (middle >> _32) + (other >> _32), a * b


@kernel
def _length(mantissa):
    """How many bits a mantissa has: the exponent of a float that cannot have been rounded up to a power of two."""
    return np.int64(np.float64(mantissa & ~(mantissa >> _1)).view(np.uint64) >> _52) - 1022


@kernel
def rounded(mantissa, power):
    """Return the bits of the float64 nearest to ``mantissa * 10**power``, or LEFT if the product's bits do not tell.

    The mantissa, of 64 bits, is not 0. Its product with the leading 128 bits of ``5**power`` lacks less than one unit
    in its last place: it decides unless all bits behind those of the result, and the one that rounds, are ones.
    """
    if power < _FIRST:
        return _0
    if power > _LAST:
        return _EXPONENT << _52
    length = _length(mantissa)
    mantissa = mantissa << np.uint64(64 - length)
    row = np.uint64(power - _FIRST)
    high, low = _product(mantissa, _FIVES[row, _0])
    if high & _NINE_BITS == _NINE_BITS:
        more, _ = _product(mantissa, _FIVES[row, _1])
        low = low + more
        high = high + np.uint64(low < more)
        if low == _ALL and not -27 <= power <= 55:
            return LEFT
    # The product is at least a quarter of 2**128: 54 bits, and maybe a zero before them.
    leading = high >> _63
    shift = leading + _9
    bits = high >> shift
    # floor(power * log2(10)) for all powers here
    exponent = ((217706 * power) >> 16) + length + np.int64(leading) + 1022
    if exponent <= 0:
        if exponent < -60:
            return _0
        bits = bits >> np.uint64(1 - exponent)
        return (bits + (bits & _1)) >> _1  # one more than all subnormal bits is the smallest normal number
    if low <= _1 and -4 <= power <= 23 and bits & _3 == _1 and bits << shift == high:
        bits = bits - _1  # a tie, to even
    bits = (bits + (bits & _1)) >> _1
    whole = (np.uint64(exponent - 1) << _52) + bits  # bits carry the implicit one, and maybe one more by rounding
    return min(whole, _EXPONENT << _52)


@kernel
def as_float(bits):
    """Return the float64 of 64 bits."""
    return np.uint64(bits).view(np.float64)


@kernel
def _parts(text, p):
    """Take a number apart that may have more than 19 digits.

    Return where it ends, or -1 if there is none; whether it is negative; the mantissa and the power of ten; and whether
    digits that are not 0 are missing in it.
    """
    sign = byte_at(text, p)
    begin = p + np.int64(sign in (MINUS, PLUS))
    p, mantissa, dropped, rest = _long_digits(text, begin, _0, 0, False)
    power, read = dropped, p - begin
    if byte_at(text, p) == POINT:
        start = p + 1
        p, mantissa, dropped, rest = _long_digits(text, start, mantissa, dropped, rest)
        power = dropped - (p - start)
        read += p - start
    if byte_at(text, p) | 32 == SMALL_E:
        p, exponent = _exponent(text, p + 1)
        power += exponent
    return (p if read else -1), sign == MINUS, mantissa, power, rest


@kernel
def _trimmed(mantissa, power):
    """Take zeros off the end of a mantissa, as long as the power of ten is negative."""
    for zeros in (8, 4, 2, 1):
        ten = _LONG_TENS[np.uint64(zeros)]
        while power <= -zeros and mantissa % ten == _0:
            mantissa, power = mantissa // ten, power + zeros
    return mantissa, power


@kernel
def _decimals(mantissa, power, rest):
    """Return how many decimals ``mantissa * 10**power`` has, without zeros at the end, or `TOO_LONG`."""
    if rest:
        return TOO_LONG
    if mantissa == _0:
        return 0
    mantissa, power = _trimmed(mantissa, power)
    if power > 0:
        return 0 if power <= _MAX_SHIFT and mantissa <= _EXACT // _LONG_TENS[np.uint64(power)] else TOO_LONG
    return -power if power >= -MAX_DECIMALS and mantissa <= _EXACT else TOO_LONG


@kernel
def _long_number(text, p):
    """Read a number of more than 19 digits as `number` does: the digits behind them seldom make a difference."""
    p, negative, mantissa, power, rest = _parts(text, p)
    bits = rounded(mantissa, power) if mantissa else _0
    if rest and rounded(mantissa + _1, power) != bits:
        bits = LEFT
    value = as_float(bits)
    return p, (-value if negative else value), _decimals(mantissa, power, rest)


@kernel
def _numerator(text, p, decimals):
    """Read the number at p, times ten to the power of ``decimals``: return where it ends, and what that comes to.

    It is NaN if it is not whole, or more than ``2**53``.
    """
    p, negative, mantissa, power, rest = _parts(text, p)
    power += decimals
    if mantissa == _0 and not rest:
        return p, 0.0
    mantissa, power = _trimmed(mantissa, power)
    if rest or not 0 <= power <= _MAX_SHIFT or mantissa > _EXACT // _LONG_TENS[np.uint64(power)]:
        return p, np.nan
    value = np.float64(mantissa * _LONG_TENS[np.uint64(power)])
    return p, -value if negative else value


@kernel
def number(text, p):
    """Read the decimal number at p: return where it ends, the nearest float64, and how many decimals the number has.

    The end is -1 if there is no number. The float is infinite if the number is too large, and NaN if it is left.
    """
    sign = byte_at(text, p)
    start = p + np.int64(sign in (MINUS, PLUS))
    end, mantissa = digits(text, start, _0)
    if end < 0:
        return _long_number(text, p)
    read = end - start
    power = 0
    if byte_at(text, end) == POINT:
        point = end + 1
        end, mantissa = digits(text, point, mantissa)
        if end < 0:
            return _long_number(text, p)
        power = point - end
        read -= power
    if read == 0:
        return -1, 0.0, 0
    if byte_at(text, end) | 32 == SMALL_E:
        end, exponent = _exponent(text, end + 1)
        power += exponent
    if mantissa <= _EXACT and -22 <= power <= 0:
        value = np.float64(mantissa) / _TENS[np.uint64(-power)]
        return end, (-value if sign == MINUS else value), -power
    if mantissa <= _EXACT and 0 < power <= 22:
        value = np.float64(mantissa) * _TENS[np.uint64(power)]
    elif mantissa == _0:
        value = 0.0
    else:
        value = as_float(rounded(mantissa, power))
    return end, (-value if sign == MINUS else value), _decimals(mantissa, power, False)


@kernel
def number_as(text, p, decimals):
    """Read the number at p in one of the ways there are: return where it ends, or -1, its value, and its decimals.

    `NEAREST`: as `number` does. `TRIMMED`: only how many decimals it has, without zeros at the end. Else: its numerator over
    ten to this power, 0 and `TOO_LONG` if there is none.
    """
    if decimals == NEAREST:
        return number(text, p)
    if decimals == TRIMMED:
        end, _, mantissa, power, rest = _parts(text, p)
        return end, 1.0, _decimals(mantissa, power, rest)
    end, value = _numerator(text, p, decimals)
    if value != value:
        return end, 0.0, TOO_LONG
    return end, value, 0


@kernel
def short_number(text, p):
    """Read a number such as 0.1234, -0.5 or 1, as most are, as `number` does; -1 if it has another form."""
    minus = byte_at(text, p) == MINUS
    p += np.int64(minus)
    first = byte_at(text, p) - ZERO
    if 0 <= first <= 9 and p + 10 < text.shape[0]:
        if byte_at(text, p + 1) == POINT:
            digits = _eight(text, p + 2) ^ _ZEROS
            k = _run(digits)
            if k > 0:
                mantissa = first * _SHORT_TENS[np.uint64(k)] + np.int64(_whole(digits, k))
                value = mantissa / _TENS[np.uint64(k)]
                return p + 2 + k, (-value if minus else value), k
        elif byte_at(text, p + 1) == BLANK:
            return p + 1, np.float64(-first if minus else first), 0
    return -1, 0.0, 0
