"""LIBSVM (SVMlight) text: lines ``label index:value index:value ...``, read by all cores, numbers exactly as ``float`` does.

Lines end with a newline, a carriage return, or both. Blanks are spaces and tabs; ``#``
begins a comment; lines with nothing else are skipped. A label is a number, exactly; ``qid:NUMBER`` may follow it. Indices
ascend.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Bytes, Floats
from ...checker import whole_number
from ...compiled import libsvm_lines
from ...compiled.decimals import NEAREST, NEWLINE
from ...problem.provenance import Place
from ...support.threads import in_parts
from ..decimals import Digits, Misfit
from .spans import Span, spans_of

Integers = NDArray[np.signedinteger[Any]]

_NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_NOT_FINITE = re.compile(rb"[+-]?(nan|inf(inity)?)", re.IGNORECASE)

_TOKEN = re.compile(rb"[^ \t\r\n#]+")

_FORM = "A line is a label, then index:value pairs, as in '1 3:0.5 8:2'."


class LibsvmError(ValueError):
    """A text is not in LIBSVM's format, where, and what was expected."""


class NoRows(LibsvmError):  # noqa: N818 (it is what it says)
    """A text has blank lines and comments alone."""


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """The numbers of a text, as they are written: indices may begin with 0 or 1."""

    name: str
    """What messages call the text."""
    data: Floats
    """Entries, row after row; those written as 0 are left out."""
    indices: Integers
    """Their indices, ascending in each row."""
    indptr: Integers
    """Where rows begin, and where the last one ends; of the same type as the indices."""
    labels: Floats
    long: dict[int, int | None]
    """Of those rows where float64 does not tell, the label as a whole number, exactly; None if it is a fraction."""
    qids: NDArray[np.int64] | None
    """The queries that rows belong to, -1 where none is given; None if there are none at all."""
    least: int | None
    """The smallest index, those of entries 0 included; None if there is no entry."""
    most: int | None
    """The largest index, likewise."""
    digits: Digits
    """What the digits of the entries are."""


class _Arrays(NamedTuple):
    """Room for what is in the spans, one after the other. Memory that is never written is never taken."""

    data: Any
    indices: Any
    ends: Any
    """For each row, how many entries there are in its span so far."""
    labels: Any
    qids: Any

    @classmethod
    def empty(cls, entries: int, rows: int) -> _Arrays:
        return cls(
            np.empty(entries),
            np.empty(entries, np.int32),
            np.empty(rows, np.int64),
            np.empty(rows),
            np.empty(rows, np.int64),
        )

    def part(self, entries: slice, rows: slice) -> _Arrays:
        return _Arrays(self.data[entries], self.indices[entries], self.ends[rows], self.labels[rows], self.qids[rows])


class _Found(NamedTuple):
    """What the kernel found in a span; ``wrong`` is where the first wrong token begins, or -1, or `TOO_MANY`."""

    rows: int
    entries: int
    least: int
    most: int
    left: int
    wrong: int
    decimals: int
    largest: float
    odd: int
    """Where the first entry begins that has no decimal form, or -1."""


def parse(buffer: Any, name: str, decimals: int = NEAREST, before: int = 0) -> Parsed:
    r"""Read LIBSVM text.

    Parameters
    ----------
    buffer : bytes, memory map or other buffer
        The text.
    name : str
        What messages call it: the name of its file.
    decimals : int
        How entries are read, see `compiled.decimals.number_as`: to the nearest float64, unless told otherwise.
    before : int
        How many lines of the file come before the text.

    Examples
    --------
    >>> found = parse(b"1 2:0.5 7:1e-1\n-1 3:4 # two rows", "example")
    >>> found.data, found.indices, found.labels
    (array([0.5, 0.1, 4. ]), array([2, 7, 3], dtype=int32), array([ 1., -1.]))
    """
    if re.search(rb"\r(?!\n)", buffer):  # it ends a line by itself, which the kernels need not know
        buffer = bytes(buffer).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = np.frombuffer(buffer, np.uint8)
    text.flags.writeable = False  # kernels are compiled for one kind of array only
    if text[:3].tobytes() == b"\xef\xbb\xbf":
        text = text[3:]
    spans = spans_of(text)
    entry_at = [0, *accumulate(span.colons for span in spans)]
    row_at = [0, *accumulate(span.lines for span in spans)]
    arrays = _Arrays.empty(entry_at[-1], row_at[-1])
    parts = [
        arrays.part(slice(*entries), slice(*rows))
        for entries, rows in zip(pairwise(entry_at), pairwise(row_at), strict=True)
    ]

    def read(first: int, last: int) -> list[_Found]:
        return [_Found(*libsvm_lines.parse(*spans[k][:3], decimals, *parts[k])) for k in range(first, last)]

    found = [each for some in in_parts(read, len(spans), text.size) for each in some]
    if any(each.wrong == libsvm_lines.TOO_MANY for each in found):
        raise LibsvmError(f"{name} changed while it was read. Read it again, when nobody writes to it.")
    long: dict[int, int | None] = {}
    for k, (span, part) in enumerate(zip(spans, parts, strict=True)):
        whole = _long_labels(span.text, part.labels[: found[k].rows])
        long |= {sum(each.rows for each in found[:k]) + row: label for row, label in whole.items()}
        found[k], wrong = _completed(span, part, found[k])
        if wrong >= 0:
            line, reason = _reason(span, wrong)
            raise LibsvmError(f"{name}, line {before + row_at[k] + line}: {reason}")
    if not any(each.rows for each in found):
        what = "has only blank lines and comments" if text.size else "is empty"
        raise NoRows(f"{name} {what}: expected a line for each row. {_FORM}")
    digits = Digits(max(each.decimals for each in found), max(each.largest for each in found))
    for k, (span, each) in enumerate(zip(spans, found, strict=True)):
        if each.odd >= 0:
            digits = digits._replace(misfit=_misfit(span, each.odd, name, before + row_at[k]))
            break
    for part, each, before in zip(parts, found, accumulate((each.entries for each in found), initial=0), strict=False):
        part.ends[: each.rows] += before
    data, indices = (_together(array, entry_at, [each.entries for each in found]) for array in arrays[:2])
    ends, labels, qids = (_together(array, row_at, [each.rows for each in found]) for array in arrays[2:])
    kind: Any = np.int32 if data.size <= np.iinfo(np.int32).max else np.int64
    indptr = np.zeros(ends.size + 1, kind)
    indptr[1:] = ends
    most = max(each.most for each in found)
    return Parsed(
        name=name,
        data=data,
        indices=indices.astype(kind, copy=False),
        indptr=indptr,
        labels=labels,
        long=long,
        qids=qids if qids.max() >= 0 else None,
        least=None if most < 0 else min(each.least for each in found),
        most=None if most < 0 else most,
        digits=digits,
    )


def lines_of(buffer: Any, rows: Sequence[int]) -> list[int]:
    r"""Return the lines that rows are in: those that are not blank, nor a comment.

    >>> lines_of(b"# two rows\n1 2:0.5\n\n-1 3:4\n", [1, 0])
    [4, 2]
    """
    wanted, found = set(rows), dict[int, int]()
    row, last = -1, max(rows, default=-1)
    text = bytes(buffer).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for number, line in enumerate(io.BytesIO(text), start=1):
        row += not (line.isspace() or line.lstrip().startswith(b"#"))
        if row in wanted:
            found.setdefault(row, number)
        if row >= last:
            break
    return [found[each] for each in rows]


def _misfit(span: Span, place: int, name: str, lines: int) -> Misfit:
    """Say where a number is that has no decimal form, after so many lines."""
    line = lines + int(np.count_nonzero(span.text[span.start : place] == NEWLINE)) + 1
    before = span.text[max(0, place - 40) : place].tobytes().split()
    index = int(before[-1].rstrip(b":"))
    match = _NUMBER.match(span.text.data, place)
    assert match is not None
    return Misfit(Place(name, "line", line), index, match[0].decode())


def rows(parsed: Parsed, base: int | None = None, columns: int | None = None) -> tuple[sp.csr_array, int]:
    r"""Return the rows as a CSR array in canonical form, and the index of the first column.

    Parameters
    ----------
    parsed : Parsed
        What was read.
    base : 0 or 1, optional
        The index of the first column; without it 0 if that index occurs, else 1.
    columns : int, optional
        How many columns there are; without it as many as the largest index says.

    Examples
    --------
    >>> X, base = rows(parse(b"1 2:0.5\n-1 1:4", "example"))
    >>> X.toarray(), base
    (array([[0. , 0.5],
           [4. , 0. ]]), 1)
    """
    if base not in (None, 0, 1):
        raise ValueError(f"base must be 0, 1 or None, got {base!r}.")
    if base is None:
        base = 0 if parsed.least == 0 else 1
    elif base == 1 and parsed.least == 0:
        raise LibsvmError(f"{parsed.name} has the index 0, but indices were said to begin with 1. Let them begin with 0.")
    width = 0 if parsed.most is None else parsed.most + 1 - base
    if columns is not None and width > columns:
        raise LibsvmError(
            f"{parsed.name} has the index {parsed.most}, but {columns} columns, numbered from {base}, were asked for. "
            "Ask for more columns, or leave such entries out."
        )
    indices = parsed.indices
    if base:
        indices = np.empty_like(parsed.indices)
        in_parts(lambda a, b: np.subtract(parsed.indices[a:b], base, out=indices[a:b]), indices.size, indices.size)
    X = sp.csr_array(
        (parsed.data, indices, parsed.indptr), shape=(parsed.labels.size, width if columns is None else columns)
    )
    X.has_canonical_format = True
    return X, base


def _completed(span: Span, part: _Arrays, found: _Found) -> tuple[_Found, int]:
    """Read the numbers that the kernel left; return what there is then, and where the first wrong token is, or -1."""
    if not found.left:
        return found, found.wrong
    data, indices, ends, labels, _ = part.part(slice(found.entries), slice(found.rows))
    wrong = [place for place in (found.wrong, _read_left(span.text, labels), _read_left(span.text, data)) if place >= 0]
    if wrong:
        return found, min(wrong)
    kept = data != 0.0
    n = int(np.count_nonzero(kept))
    if n < data.size:  # numbers too small for float64, entries no more
        ends[:] = np.concatenate([[0], np.cumsum(kept)])[ends]
        data[:n], indices[:n] = data[kept], indices[kept]
    return found._replace(entries=n), -1


def _read_left(text: Bytes, numbers: Floats) -> int:
    """Read the numbers that the kernel left, in place; return where the first one that is too large begins, or -1."""
    for t, place, token in _left(text, numbers):
        numbers[t] = float(token)
        if np.isinf(numbers[t]):
            return place
    return -1


def _left(text: Bytes, numbers: Floats) -> Iterator[tuple[int, int, bytes]]:
    """Give the numbers that the kernel left, with their places in the array and in the text."""
    bits = numbers.view(np.uint64)
    for t in np.flatnonzero(np.isnan(numbers)).tolist():
        place = int(bits[t] & libsvm_lines.PLACE)
        match = _NUMBER.match(text.data, place)
        assert match is not None
        yield t, place, match[0]


def _long_labels(text: Bytes, labels: Floats) -> dict[int, int | None]:
    """Return those labels exactly that the kernel left, by their rows; None for fractions."""
    return {t: whole_number(token.decode()) for t, _, token in _left(text, labels)}


def _together(array: Any, begins: Iterable[int], counts: Iterable[int]) -> Any:
    """Move the parts of an array that are in use together, in place, and return them."""
    end = 0
    for begin, count in zip(begins, counts, strict=False):
        if begin > end:
            array[end : end + count] = array[begin : begin + count]
        end += count
    return array[:end]


def _reason(span: Span, place: int) -> tuple[int, str]:
    """Say in which line of a span a wrong token is, and what is wrong with it."""
    _, stop, _, line = libsvm_lines.survey(span.text, span.start, place + 1)
    start = libsvm_lines.last_line(span.text[:place])
    content = span.text[start:stop].tobytes().partition(b"#")[0]
    tokens = [match[0] for match in _TOKEN.finditer(content) if match.start() <= place - start]
    *before, token = tokens
    if b"\0" in token:
        return line, "there is a NUL byte. The format is plain text: save the file as such, in UTF-8."
    if not before:
        return line, _label_reason(token)
    if token.startswith(b"qid:"):
        if len(before) == 1:
            return line, f"{_shown(token)} is not qid: and a whole number from 0 to {libsvm_lines.MAX_QID}."
        return line, f"{_shown(token)} is not in its place, which is directly after the label."
    last = before[-1] if len(before) > 1 and not before[-1].startswith(b"qid:") else None
    return line, _entry_reason(token, last)


def _label_reason(label: bytes) -> str:
    shown = _shown(label)
    parts = label.split(b",")
    if len(parts) > 1 and all(map(_NUMBER.fullmatch, parts)):
        return f"{shown} are several labels, and a row can have just one here. Choose one of them for each row."
    if b":" in label:
        return f"there is no label before {shown}. {_FORM}"
    return f"the label {shown} {_number_reason(label)}"


def _entry_reason(token: bytes, last: bytes | None) -> str:
    """Say what is wrong with an entry that follows another one, or none."""
    index, colon, value = token.partition(b":")
    if not colon:
        return f"{_shown(token)} is not an index:value pair. {_FORM}"
    if re.fullmatch(rb"-[0-9]+", index):
        return f"the index {_shown(index)} is negative. Indices begin with 0 or 1."
    if not re.fullmatch(rb"[0-9]+", index):
        return f"the index {_shown(index)} of {_shown(token)} is not a whole number. {_FORM}"
    place = _whole(index)
    if place > libsvm_lines.MAX_INDEX:
        return (
            f"the index {_shown(index)} is too large: at most {libsvm_lines.MAX_INDEX} is possible. Number the columns anew."
        )
    previous = -1 if last is None else _whole(last.partition(b":")[0])
    if place == previous:
        return f"the index {place} occurs twice. Each column can have one value in a row."
    if place < previous:
        return f"the index {place} comes after {previous}. Indices must ascend: sort the pairs of each line."
    return f"the value {_shown(value)} of index {place} {_number_reason(value)}"


def _whole(digits: bytes) -> int:
    """Return a whole number; of one that is far too large only the beginning."""
    return int(digits.lstrip(b"0")[:20] or b"0")


def _number_reason(token: bytes) -> str:
    if _NUMBER.fullmatch(token):
        return "is too large for float64. Scale the column, or leave the row out."
    if _NOT_FINITE.fullmatch(token):
        return "is not finite. Fill the gap, or leave the row out."
    return "is not a number. Write it with digits and a decimal point, as in -0.25 or 1e-3."


def _shown(token: bytes) -> str:
    text = token[:40].decode("utf-8", "backslashreplace")
    return repr(text) + (f"… ({len(token)} characters)" if len(token) > 40 else "")
