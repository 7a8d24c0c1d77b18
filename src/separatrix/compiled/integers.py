"""Rows as what float64 numbers are, integers times powers of two: exact sums, residues modulo a prime, and hashes.

Every finite float64 is ``±m * 2**(e - 1074)`` with ``0 <= m < 2**53`` and ``0 <= e <= 2045``. Rows are given by the bits of
their entries, as these stand in a problem.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import by_type, kernel
from .decimals import as_float

LIMBS = 67
"""Limbs of 32 bits that hold any float64, times a multiple below ``2**31``, in units of ``2**-1074``."""

EXPONENTS = 2047
"""Number of exponents e, that of NaN and infinity included: rows may change while they are read."""

WORDS_PER_CHUNK = 2**16
"""So many words are hashed by themselves in `mixed`."""

_ODD = np.uint64(0x9E3779B97F4A7C15)


class DenseEntries(NamedTuple):
    """The entries of dense rows, laid end to end."""

    bits: np.ndarray
    width: int
    """Number of columns."""


class CsrEntries(NamedTuple):
    """The entries of CSR rows."""

    bits: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


@by_type(inline=True)
def _span(entries, i):
    """Return where the entries of row i begin and end."""


@_span.register(DenseEntries)
def _(entries, i):
    return i * entries.width, (i + 1) * entries.width


@_span.register(CsrEntries)
def _(entries, i):
    return entries.indptr[i], entries.indptr[i + 1]


@by_type(inline=True)
def _first_entries(entries, i, most):
    """Return where the first so many entries of row i begin and end if it is dense, and where all do if it is not."""


@_first_entries.register(DenseEntries)
def _(entries, i, most):
    return i * entries.width, i * entries.width + min(most, entries.width)


@_first_entries.register(CsrEntries)
def _(entries, i, most):
    return entries.indptr[i], entries.indptr[i + 1]


@by_type(inline=True)
def _column(entries, start, t):
    """Return the column of entry number t, of a row whose entries begin at ``start``."""


@_column.register(DenseEntries)
def _(entries, start, t):
    return t - start


@_column.register(CsrEntries)
def _(entries, start, t):
    return entries.indices[t]


@kernel
def _parts(bits):
    """Mantissa and exponent of a float64 given by its bits."""
    e = np.int64(bits >> np.uint64(52)) & 0x7FF
    m = bits & np.uint64(0xFFFFFFFFFFFFF)
    if e > 0:
        return m | np.uint64(0x10000000000000), e - 1
    return m, e


@kernel
def accumulate(limbs, bits, multiple, sign, first):
    """Add a float64 times a multiple below ``2**31`` to a sum in limbs, each with room for ``2**30`` such additions.

    Returns whether there are limbs for it.
    """
    m, e = _parts(bits)
    if m == 0:
        return True
    if bits >> np.uint64(63):
        sign = -sign
    k = (e >> 5) - first
    if k < 0 or k + 3 >= limbs.shape[0]:
        return False
    shift = np.uint64(e & 31)
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    low = (m & mask) << shift
    high = (m >> half) << shift
    # Three digits of 32 bits, each times the multiple, and the halves of these products in their places.
    a = (low & mask) * multiple
    b = ((low >> half) + (high & mask)) * multiple
    c = (high >> half) * multiple
    limbs[k] += sign * np.int64(a & mask)
    limbs[k + 1] += sign * np.int64((a >> half) + (b & mask))
    limbs[k + 2] += sign * np.int64((b >> half) + (c & mask))
    limbs[k + 3] += sign * np.int64(c >> half)
    return True


@kernel
def add_up(entries, signs, chosen, multiples, first, limbs):
    """Add up the chosen rows, times their signs and multiples below ``2**31``, column by column, into ``limbs``.

    Limb k of a column counts units of ``2**(32 * (first + k) - 1074)``. Returns whether there were limbs for all numbers.
    """
    fits = True
    for c in range(chosen.shape[0]):
        i, multiple = chosen[c], np.uint64(multiples[c])
        start, stop = _span(entries, i)
        sign = np.int64(signs[i])
        for t in range(start, stop):
            j = _column(entries, start, t)
            fits = accumulate(limbs[j], entries.bits[t], multiple, sign, first) and fits
    return fits


@kernel
def residues(entries, constant, vector, powers, p, result):
    """Fill ``result`` with ``2**1074 * x_i.v mod p`` for a prime below ``2**31``; ``powers[e]`` is ``2**e mod p``.

    The last entry of the vector, times ``constant`` (``2**1074 mod p``, or 0), is added: the intercept. Rows are taken
    without their signs, which do not matter for being zero.
    """
    last = vector[vector.shape[0] - 1] * constant % p
    for i in range(result.shape[0]):
        start, stop = _span(entries, i)
        s = last
        for t in range(start, stop):
            j = _column(entries, start, t)
            m, e = _parts(entries.bits[t])
            term = m % p * powers[e] % p * vector[j] % p
            if entries.bits[t] >> np.uint64(63):
                term = p - term
            s += term
        result[i] = s % p


@kernel
def hashes(entries, most, result):
    """Fill ``result`` with a hash of each row that depends on its numbers alone: -0.0 as 0.0, zeros stored or not.

    Of dense rows, at most so many entries are looked at.
    """
    for i in range(result.shape[0]):
        start, stop = _first_entries(entries, i, most)
        s = np.uint64(0)
        for t in range(start, stop):
            j = _column(entries, start, t)
            b = entries.bits[t]
            if b << np.uint64(1) == 0:
                continue
            b ^= b >> np.uint64(32)  # lest signs, in the last bit, reach few bits of a product and cancel in the sum
            h = (b ^ (np.uint64(j) * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(29)
            s += h * np.uint64(0x94D049BB133111EB)
        result[i] = s


_ONE, _TWO, _THREE, _FOUR = (np.uint64(k) for k in range(1, 5))
"""What places are moved by: unsigned, so that the compiled loops need not look out for negative ones."""


@kernel
def _put(room, place, number):
    """Write 32 bits in little-endian bytes, one by one: the compiler makes them one store; return the place after."""
    room[place] = np.uint8(number)
    room[place + _ONE] = np.uint8(number >> np.uint64(8))
    room[place + _TWO] = np.uint8(number >> np.uint64(16))
    room[place + _THREE] = np.uint8(number >> np.uint64(24))
    return place + _FOUR


@kernel
def mixed(words, first, last):
    """Return a hash of the words, in chunks of which some are looked at: a sum of the chunks' own, whoever adds it up.

    Each step is one to one in the word and in what came before, so that no change of a single word goes unnoticed, and
    one of several by chance alone. Four lanes, as a processor multiplies while it waits for other products.
    """
    total = np.uint64(0)
    for chunk in range(first, last):
        a = np.uint64(chunk) * _ODD
        b, c, d = a ^ np.uint64(1), a ^ np.uint64(2), a ^ np.uint64(3)
        start, stop = chunk * WORDS_PER_CHUNK, min((chunk + 1) * WORDS_PER_CHUNK, words.shape[0])
        for t in range(start, stop - 3, 4):
            a, b = _mix(a, words[t]), _mix(b, words[t + 1])
            c, d = _mix(c, words[t + 2]), _mix(d, words[t + 3])
        for t in range(stop - (stop - start) % 4, stop):
            a = _mix(a, words[t])
        total += _mix(_mix(_mix(_mix(_ODD, a), b), c), d)
    return total


@kernel
def _mix(total, word):
    total = (total ^ word) * _ODD
    return total ^ (total >> np.uint64(32))


@kernel
def encode(entries, signs, room):
    """Write rows as the bytes that certificates hash: label, columns and values of the non-zero entries, end of row."""
    place = np.uint64(0)
    for i in range(signs.shape[0]):
        start, stop = _span(entries, i)
        room[place] = np.uint8(1) if signs[i] > 0.0 else np.uint8(0xFF)
        place += _ONE
        for t in range(start, stop):
            j = _column(entries, start, t)
            bits = entries.bits[t]
            if bits << _ONE != 0:
                place = _put(room, place, np.uint64(j))
                place = _put(room, place, bits)
                place = _put(room, place, bits >> np.uint64(32))
        place = _put(room, place, np.uint64(0xFFFFFFFF))
    return place


MOST_BYTES_PER_DECIMAL = 40
"""Bytes that a decimal takes at most with its column: a blank, 10 digits, a colon, 20 characters, e, and 4 more."""

_TEN = np.uint64(10)

_MOST_TENS = np.uint64(10**19)
"""The greatest power of ten that 64 bits hold."""


@kernel
def _put_digits(room, place, number):
    """Write a whole number in decimal digits; return the place after."""
    end, limit = place + _ONE, _TEN
    while number >= limit:
        end += _ONE
        if limit == _MOST_TENS:
            break
        limit *= _TEN
    behind = end
    while behind > place:
        behind -= _ONE
        room[behind] = np.uint8(48) + np.uint8(number % _TEN)
        number = number // _TEN
    return end


@kernel
def encode_decimals(entries, signs, places, unit, room):
    """Write rows as the text that certificates hash: label, columns and decimals of the non-zero entries, end of line.

    Entries are whole numbers over ``unit``, ten to the power of ``places``, below ``2**62`` or that number itself.
    """
    place = np.uint64(0)
    for i in range(signs.shape[0]):
        start, stop = _span(entries, i)
        room[place] = np.uint8(43) if signs[i] > 0.0 else np.uint8(45)
        place += _ONE
        for t in range(start, stop):
            bits = entries.bits[t]
            if bits << np.uint64(1) == 0:
                continue
            value = as_float(bits)
            power = -places
            size = abs(value)
            if size == unit:
                whole, power = np.uint64(1), 0
            else:
                whole = np.uint64(size)
                while whole % _TEN == np.uint64(0):
                    whole, power = whole // _TEN, power + 1
            room[place] = np.uint8(32)
            place = _put_digits(room, place + _ONE, np.uint64(_column(entries, start, t)))
            room[place] = np.uint8(58)
            place += _ONE
            if value < 0.0:
                room[place] = np.uint8(45)
                place += _ONE
            place = _put_digits(room, place, whole)
            room[place] = np.uint8(101)
            place += _ONE
            if power < 0:
                room[place] = np.uint8(45)
                place += _ONE
            place = _put_digits(room, place, np.uint64(abs(power)))
        room[place] = np.uint8(10)
        place += _ONE
    return place
