"""Lines of LIBSVM text: counted, and then read into arrays.

A text here always ends with a newline, so that no loop needs to ask for the end. Where a number is left to ``float``, what
is stored is a NaN with the number's place in the text in its last 48 bits. So are labels that a float64 may not tell apart.
"""

from __future__ import annotations

import numpy as np

from .compilation import kernel
from .decimals import (
    BLANK,
    COLON,
    HASH,
    LEFT,
    NEAREST,
    NEWLINE,
    RETURN,
    TAB,
    TOO_LONG,
    as_float,
    byte_at,
    digits,
    number,
    number_as,
    short_number,
)

_0 = np.uint64(0)


QID = tuple(b"qid:")

MAX_INDEX = 2**31 - 2
"""Largest index: with it, numbered from 0, columns still fit into int32."""

MAX_QID = 10**18 - 1
"""Largest number of a query: whatever has so many digits fits into int64."""

TOO_MANY = -2
"""Rows or entries, for the room that was counted: the text is not the one that was counted."""


PLACE = np.uint64(2**48 - 1)
"""The bits of a NaN that hold where in the text the number is."""

MAX_TELLING_CHARACTERS = 15
"""A float64 tells numbers of so many characters apart, and so whole numbers from fractions."""

_LARGEST = np.finfo(np.float64).max

_FIRST_GAP = 2.0**53
"""From here on, float64 does not have every whole number."""


@kernel
def _ends(c):
    """Whether a token ends before this byte."""
    return c in (BLANK, NEWLINE, TAB, RETURN, HASH)


@kernel
def _skip(text, p):
    """Return the first place from p on that is not blank."""
    c = byte_at(text, p)
    while c in (BLANK, TAB, RETURN):
        p += 1
        c = byte_at(text, p)
    return p


@kernel
def _next_line(text, p):
    while text[np.uint64(p)] != NEWLINE:
        p += 1
    return p + 1


@kernel
def last_line(text):
    """Return where the last line begins, its newline not yet in the text."""
    p = text.shape[0]
    while p > 0 and text[np.uint64(p - 1)] != NEWLINE:
        p -= 1
    return p


@kernel
def survey(text, start, stop):
    """Return the range of the lines that begin in the given one, and how many colons and newlines are in it."""
    if start > 0:
        start = _next_line(text, start - 1)
    if stop > 0:
        stop = _next_line(text, stop - 1)
    colons = newlines = 0
    for block in range(start, stop, 128):
        # Few enough for counts in single bytes, of which a vector register holds many.
        some, few = np.uint8(0), np.uint8(0)
        for p in range(block, min(block + 128, stop)):
            c = text[np.uint64(p)]
            some = np.uint8(some + np.uint8(c == COLON))
            few = np.uint8(few + np.uint8(c == NEWLINE))
        colons += np.int64(some)
        newlines += np.int64(few)
    return start, stop, colons, newlines


@kernel
def _qid(text, p):
    """Read ``qid:NUMBER``: return where it ends, or -1, and the number."""
    for k in range(4):
        if byte_at(text, p + k) != QID[k]:
            return -1, -1
    end, qid = digits(text, p + 4, _0)
    return (end if end > p + 4 and qid <= np.uint64(MAX_QID) else -1), np.int64(qid)


@kernel
def parse(text, start, stop, decimals, data, indices, ends, labels, qids):
    """Read the lines from start to stop into the arrays: entries and their indices; of rows, entries so far, label, qid.

    ``decimals`` says how entries are read, see `decimals.number_as`. Entries that are 0 are left out; a qid that is not
    given is -1. Return how many rows and entries there are, the smallest and the largest index, how many numbers are left,
    and where the first token begins that is wrong, or -1. There the work ends, with a row too many if its label was right.
    `TOO_MANY` stands for that place if there is no room for all rows or entries. Then follow the most decimals of an entry,
    the largest magnitude, and where the first entry begins that has no decimal form, or -1.
    """
    most_decimals, odd = 0, -1
    extreme = 0.0
    room, most_rows = data.shape[0], labels.shape[0]
    row = t = left = 0
    least, most = MAX_INDEX + 1, -1
    p = start
    while p < stop:
        p = _skip(text, p)
        c = byte_at(text, p)
        if c in (NEWLINE, HASH):
            p = _next_line(text, p)
            continue
        end, value, _ = number(text, p)
        if end < 0 or not _ends(byte_at(text, end)) or abs(value) > _LARGEST:
            return row, t, least, most, left, p, most_decimals, extreme, odd
        if row >= most_rows:
            return row, t, least, most, left, TOO_MANY, most_decimals, extreme, odd
        if value != value or abs(value) >= _FIRST_GAP or (end - p > MAX_TELLING_CHARACTERS and value == np.floor(value)):
            value = as_float(LEFT | np.uint64(p))
            left += 1
        labels[np.uint64(row)] = value
        p = _skip(text, end)
        qid = -1
        if byte_at(text, p) == QID[0]:
            end, qid = _qid(text, p)
            if end < 0 or not _ends(byte_at(text, end)):
                return row + 1, t, least, most, left, p, most_decimals, extreme, odd
            p = end
        qids[np.uint64(row)] = qid
        last = -1
        while True:
            p = _skip(text, p)
            c = byte_at(text, p)
            if c in (NEWLINE, HASH):
                break
            colon, whole = digits(text, p, _0)
            if colon <= p or whole > np.uint64(MAX_INDEX) or np.int64(whole) <= last or byte_at(text, colon) != COLON:
                return row + 1, t, least, most, left, p, most_decimals, extreme, odd
            end, value, places = short_number(text, colon + 1) if decimals == NEAREST else (-1, 0.0, 0)
            if end < 0 or byte_at(text, end) != BLANK:
                end, value, places = number_as(text, colon + 1, decimals)
            if end < 0 or not _ends(byte_at(text, end)) or abs(value) > _LARGEST:
                return row + 1, t, least, most, left, p, most_decimals, extreme, odd
            if t >= room:
                return row, t, least, most, left, TOO_MANY, most_decimals, extreme, odd
            if places < TOO_LONG:
                most_decimals = max(most_decimals, places)
            elif odd < 0:
                odd = colon + 1
            if value != value:
                value = as_float(LEFT | np.uint64(colon + 1))
                left += 1
            else:
                extreme = max(extreme, abs(value))
            if last < 0:
                least = min(least, np.int64(whole))
            last = np.int64(whole)
            data[np.uint64(t)] = value
            indices[np.uint64(t)] = last
            t += value != 0.0
            p = end
        most = max(most, last)
        ends[np.uint64(row)] = t
        row += 1
        p = _next_line(text, p)
    return row, t, least, most, left, -1, most_decimals, extreme, odd
