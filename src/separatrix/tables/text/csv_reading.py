"""Tables written as text: separated by commas, tabs or blanks, with or without a header; cells of numbers, words and gaps.

Arrow reads them, fast. What a cell means is defined here and in the stand-alone `checker`, alike: a number is what
`checker.CELL` says, a decimal or the nearest float64; ``true`` and ``false`` are 1 and 0; a gap is a cell that is listed as
one; anything else is a word. A column is all numbers or all words: one that has both is refused, with the first that
differs. Whatever goes wrong is found again by a slow reader that knows its line.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...checker import CELL, is_gap, number_text
from ...compiled.decimals import NEAREST, TOO_LONG
from ...exceptions import FileError
from ...problem.provenance import COMMENTS, Layout, Place
from ...support.escaping import brief
from ...support.remedies import Remedy
from ..decimals import Digits, Misfit, read_number
from ..foreign_errors import is_long_line, reason_of
from ..sources import Source
from . import csv_fast
from .csv_guesses import with_usual_blanks
from .csv_layout import Text, holds_nul, records_of, undecodable
from .dates import is_date
from .number_columns import number_column

_LARGE_BYTES = 2**18
"""Bytes from which a table is worth the fast reader, which must be loaded first."""

_BLOCK_BYTES = 2**20
"""Bytes that Arrow takes at a time."""

_MAX_LINES_ABOVE = 30
"""Lines that are likely to be above a table."""

_WORDS = pa.dictionary(pa.int32(), pa.string())

_FLAGS = {"true": True, "false": False}
"""What a cell may say instead of 1 and 0, in letters of any case."""

_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]{1,2}|\s*[+-]?[0-9]*,[0-9]{4,}", re.ASCII)
"""A number with a decimal comma: with three digits after it, thousands are as likely."""

_NEARLY = re.compile(r"[^\w\s]?\s?[+-]?\d[\d.,' \u00a0\u2009\u202f]*\s?[^\w\s]?", re.ASCII)
"""What a person may take for a number: 1,5 or 1.234,56 or 12 % or $5."""


USUAL_MARKS = Layout().marks


class FirstWord(NamedTuple):
    """The first cell of a column that is not a number where others are."""

    place: Place
    text: str


class MixedColumns(FileError):  # noqa: N818 (it is what it says)
    """Some columns hold numbers and words."""

    found: dict[int, FirstWord]
    """The places of these columns, with the first word of each."""

    @classmethod
    def of(cls, names: Sequence[str], found: dict[int, FirstWord]) -> MixedColumns:
        """Return the error; it tells of the first of the columns."""
        k, (place, cell) = next(iter(found.items()))
        beginning = f"{place}, column {brief(names[k])}: {brief(cell)} "
        what: list[str | Remedy]
        nearly = nearly_a_number(cell)
        if nearly is not None:
            what = [beginning, *nearly, ". If"]
        else:
            beginning += "is not a number, but other values of the column are. If it stands for a missing value, say "
            what = [beginning, Remedy("gaps", [cell]), "; if"]
        categories = Remedy("text", names[k])
        error = cls(
            *what, " the column is one of categories, say ", categories, "; else leave it out with ", Remedy("drop"), "."
        )
        error.found = found
        return error


def nearly_a_number(cell: str) -> list[str | Remedy] | None:
    """Say what to do about a cell that a person may take for a number; None if it is nothing like one."""
    if not _NEARLY.fullmatch(cell):
        return None
    sign = next((character for character in cell if unicodedata.category(character) == "Sc"), None)
    if CELL.fullmatch(cell.strip().removesuffix("%").rstrip()):
        return ["has a percent sign, which other values of the column lack: write all of them with it, or all without"]
    if sign is None:
        marks = _marks_in(cell)
        return [
            "looks like a number, but is none that can be read: write numbers with a decimal point, without signs of "
            "thousands, units or currencies, as in 1234.5",
            *(["; or say which marks they have (", *marks, ")"] if marks else []),
        ]
    number = cell.replace(sign, "").strip()
    marks = _marks_in(number)
    what = f"looks like a number, but has a sign of currency: write it as {brief(number)}, without {sign}"
    return [what, *([", and say ", *marks] if marks else [])]


def _marks_in(cell: str) -> list[str | Remedy]:
    """Return what may be said of the marks in a number, so that it is one."""
    text = with_usual_blanks(cell.strip())
    if _DECIMAL_COMMA.fullmatch(text):
        return [Remedy("decimal", ",")]
    if re.fullmatch(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?", text):
        return [Remedy("decimal", ","), " and ", Remedy("thousands", ".")]
    if re.fullmatch("[+-]?[0-9]{1,3},[0-9]{3}", text):
        return [Remedy("thousands", ","), " or ", Remedy("decimal", ",")]
    mark = next((mark for mark in text if mark in ",' "), None)
    if mark is None or not re.fullmatch(rf"[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})+([.,][0-9]+)?", text):
        return []
    comma: list[str | Remedy] = [" and ", Remedy("decimal", ",")] if mark != "," and "," in text else []
    return [Remedy("thousands", mark), *comma]


class Columns(NamedTuple):
    """Very many columns of a table, those of numbers as arrays of float64; what is asked of it is as with one of Arrow's."""

    column_names: list[str]
    columns: list[Any]

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0])

    def column(self, k: int) -> pa.ChunkedArray:
        """Return a column as Arrow has it."""
        column = self.columns[k]
        return pa.chunked_array([column]) if isinstance(column, np.ndarray) else column

    def select(self, places: Sequence[int]) -> Columns:
        """Return some columns."""
        return Columns([self.column_names[k] for k in places], [self.columns[k] for k in places])

    def take(self, rows: NDArray[np.int64]) -> Columns:
        """Return some rows."""
        return Columns(self.column_names, [column.take(rows) for column in self.columns])


def read(
    text: Text, wanted: Sequence[int], words: Collection[int], decimals: int = NEAREST, *, judged: bool = True
) -> tuple[pa.Table | Columns, Digits]:
    """Read some columns, by their places: those in ``words`` as words, whatever is in them, the others as what they are.

    Columns of the result are float64, bool, or dictionaries of strings, with nulls for gaps. Numbers are the nearest
    float64; or their numerators over ten to the power of ``decimals``; or 0, if their decimals are all that is asked for
    (`TRIMMED`). With them comes what their digits are.

    Of a text that is but a part of a table, nothing is ``judged``: a column in which not all cells are numbers or gaps comes
    as the words that it has, be they flags, or numbers and words.
    """
    text = replace(text, source=text.source.held())
    words = set(words)
    kinds = {k: k in words or not numeric for k, numeric in zip(wanted, _seem_numeric(text, wanted), strict=True)}
    plain = _read_plainly(text, kinds, decimals)
    found, digits, seen = plain or (_read_patiently(text, kinds), Digits(), None)
    columns, strange = [], []
    odd: dict[int, tuple[int, str]] = {}
    for k in wanted:
        column = found[k]
        try:
            if k in words:
                column = _without_gaps(column, text.layout)
            elif plain is None or kinds[k]:
                column, told, row = _typed(column, text, decimals, judged)
                digits = digits.beside(told)
                strange += [] if row is None else [(row, k)]
            columns.append(column)
        except _Odd as error:
            odd[k] = error.row, error.word
    if odd:
        lines = text.lines({row for row, _ in odd.values()})
        places = {row: text.place(lines.get(row, 0)) for row, _ in odd.values()}
        raise MixedColumns.of(text.names, {k: FirstWord(places[row], word) for k, (row, word) in odd.items()})
    if strange and seen is None:
        row, k = min(strange)
        seen = next(((line, k, cells[k]) for i, (line, cells) in enumerate(text.records()) if i == row), (0, k, "it"))
    if seen is not None:
        line, k, cell = seen
        digits = digits._replace(misfit=Misfit(text.place(line), text.names[k], cell.strip(" \t")))
    names = [text.names[k] for k in wanted]
    whole = any(isinstance(each, np.ndarray) for each in columns)
    return (Columns(names, columns) if whole else pa.table(columns, names)), digits


def _read_patiently(text: Text, kinds: dict[int, bool]) -> dict[int, pa.ChunkedArray]:
    """Have Arrow read a table: its cells as texts, in dictionaries unless they seem to be numbers."""
    table, quoted, block = None, _has_quotes(text), _BLOCK_BYTES
    while table is None:
        try:
            table = _parse(text, kinds, block, quoted)
        except pa.ArrowInvalid as error:
            if is_long_line(error) and block < text.source.size:
                block = min(16 * block, text.source.size + 1)
                continue
            raise FileError(*_diagnosis(text, error)) from None
        except UnicodeError:
            raise undecodable(text.source, text.layout.encoding or "utf-8") from None
        except OSError as error:
            raise FileError(f"{text.source.name} cannot be read: {error}.") from None
    return {int(name): column for name, column in zip(table.column_names, table.columns, strict=True)}


def _read_plainly(
    text: Text, kinds: dict[int, bool], decimals: int
) -> tuple[dict[int, Any], Digits, tuple[int, int, str] | None] | None:
    """Read a large table fast, if it is as plain as most are."""
    layout = text.layout
    plain = layout.encoding == "utf-8" and layout.marks == USUAL_MARKS and not layout.words
    if not plain or text.separator is None or text.source.size < _LARGE_BYTES:
        return None
    try:
        content, gaps = text.source.buffer(), _writable(layout.gaps)
        return csv_fast.read(content, text.skipped, len(text.names), text.separator, kinds, gaps, decimals)
    except csv_fast.Changed:
        raise FileError(f"{text.source.name} changed while it was read. Read it again, when nobody writes to it.") from None


def _writable(gaps: Sequence[str]) -> list[str]:
    """Return the gaps that can be in a text: halves of characters are in none."""
    return [gap for gap in gaps if not re.search("[\ud800-\udfff]", gap)]


def _seem_numeric(text: Text, wanted: Sequence[int]) -> list[bool]:
    """Tell which columns hold numbers and gaps only, in the first rows."""
    gaps, words = text.layout.gaps, text.layout.words
    seem = [True] * len(text.names)
    for record in text.sample:
        for k, cell in enumerate(record[: len(seem)]):
            if seem[k] and not is_number(cell, text.layout) and not is_gap(cell, gaps, words):
                seem[k] = False
    return [seem[k] for k in wanted]


def _parse(text: Text, kinds: dict[int, bool], block: int, quoted: bool) -> pa.Table:
    """Have Arrow read the columns, as words or as numbers; columns are called by their places, which are unique."""
    from pyarrow import csv as arrow

    source, layout, separator = text.source, text.layout, text.separator
    file: Any = pa.BufferReader(source.buffer())
    encoding = layout.encoding or "utf-8"
    if separator is None:
        lines = (" ".join(cells) for _, cells in records_of(source, layout))
        file, encoding, separator = pa.BufferReader("\n".join(lines).encode()), "utf-8", " "
    elif quoted:
        file, encoding = pa.PythonFile(_Unbroken(source, encoding), mode="r"), "utf-8"
    read = arrow.ReadOptions(
        column_names=[str(k) for k in range(len(text.names))],
        skip_rows_after_names=(int(bool(layout.header)) if text.separator is None else text.skipped),
        encoding=encoding,
        block_size=block,
    )
    parse = arrow.ParseOptions(delimiter=separator, quote_char='"' if quoted else False, newlines_in_values=quoted)
    convert = arrow.ConvertOptions(
        column_types={str(k): _WORDS if words else pa.string() for k, words in kinds.items()},
        include_columns=[str(k) for k in kinds],
        null_values=_writable(layout.gaps),
        strings_can_be_null=True,
    )
    return arrow.read_csv(file, read, parse, convert)


class _Unbroken(io.RawIOBase):
    """A text in UTF-8, never read up to a carriage return, unless it ends there.

    If a block ends with a carriage return, Arrow drops a line feed that the next one begins with, within quotes, too.
    """

    def __init__(self, source: Source, encoding: str) -> None:
        self._file = source.open()
        self._decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)()
        self._left = b""

    def readable(self) -> bool:
        """Say so."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read at most so many bytes; none only at the end."""
        while True:
            raw = self._file.read(max(1, size - 1 if self._decoder is None else size // 3 - 1))
            part = self._left + (raw if self._decoder is None else self._decoder.decode(raw, not raw).encode())
            self._left = b"\r" if raw and part.endswith(b"\r") else b""
            part = part.removesuffix(self._left)
            if part or not raw:
                return part


def _has_quotes(text: Text) -> bool:
    """Whether a quote is anywhere: only then may a cell hold the end of a line. Refuse NULs and quotes without an end.

    Quotes are in order if every other one begins a cell or follows a quote, and each of those between ends a cell or is
    followed by a quote. If they are not, some may be characters like any other: a strict reader knows.
    """
    if text.separator is None:
        return False
    wide = text.layout.encoding == "utf-16"
    content = np.frombuffer(text.source.buffer(), np.uint8)
    content = content[len(codecs.BOM_UTF8) * content[:3].tobytes().startswith(codecs.BOM_UTF8) :]
    border = np.zeros(256, bool)
    border[list(f'{text.separator}\r\n"'.encode())] = True
    count, in_order = 0, not wide
    for start in range(0, content.size, _BLOCK_BYTES):
        block = content[start : start + _BLOCK_BYTES].tobytes()
        if b"\0" in block and not wide:
            raise holds_nul(text.source.name)
        if b'"' in block and in_order:
            places = start + np.flatnonzero(content[start : start + _BLOCK_BYTES] == ord('"'))
            begin, end = places[count % 2 :: 2], places[1 - count % 2 :: 2]
            in_order = bool(
                border[content[np.maximum(begin - 1, 0)]].all()
                and border[content[np.minimum(end + 1, content.size - 1)]].all()
            )
            count += places.size
        count += b'"' in block and not in_order
    if count and (count % 2 or not in_order):
        for _ in text.records():
            pass
    return count > 0


def _diagnosis(text: Text, error: Exception) -> list[str | Remedy]:
    """Find what is wrong, and the line, after Arrow has found that something is."""
    name, width = text.source.name, len(text.names)
    for line, cells in text.records():
        if len(cells) != width:
            values = "value" if len(cells) == 1 else "values"
            what: list[str | Remedy] = [
                f"{text.place(line)}: {len(cells)} {values} for {width} columns. Every line must have one value for each "
                "column; a value that holds the separator must be in double quotes."
            ]
            comment = next((mark for mark in COMMENTS if cells[0].startswith(mark)), None)
            if comment is not None:
                what += [" If lines that begin so are comments, say ", Remedy("comment", comment), "."]
            elif width < len(cells) and line <= _MAX_LINES_ABOVE:
                what += [" If the table begins in this line, say ", Remedy("skip_lines", line - 1), "."]
            return what
    return [f"{name} is not a table that can be read: {reason_of(error)}."]


def _without_gaps(column: pa.ChunkedArray, layout: Layout) -> pa.ChunkedArray:
    """Give words one dictionary, and take those out that stand for a missing value: Arrow sees no blanks around them."""
    column = column.unify_dictionaries()
    if not column.num_chunks:
        return column
    dictionary = column.chunk(0).dictionary
    words = dictionary.to_pylist()
    gone = np.array([is_gap(word, layout.gaps, layout.words) for word in words] + [True])  # the last: missing already
    if not gone[:-1].any():
        return column
    codes = [_codes(chunk) for chunk in column.chunks]
    arrays = [pa.array(each, pa.int32(), mask=gone[each]) for each in codes]
    return pa.chunked_array([pa.DictionaryArray.from_arrays(each, dictionary) for each in arrays])


def _typed(column: pa.ChunkedArray, text: Text, decimals: int, judged: bool) -> tuple[pa.ChunkedArray, Digits, int | None]:
    """Turn cells into what they all are: numbers, or true and false, or words; refuse some of each, if that is judged.

    Return also the digits of the numbers, and the first row with one that has no decimal form.
    """
    if column.type == pa.string():
        if text.source.size >= _LARGE_BYTES and text.layout.marks == USUAL_MARKS:
            found = number_column(column, text.layout, decimals)
            if found is not None:
                return found
        column = column.dictionary_encode()
    column, nothing = _without_gaps(column, text.layout), (Digits(), None)
    if not column.num_chunks:
        return column, *nothing
    words = column.chunk(0).dictionary.to_pylist()
    codes = np.concatenate([_codes(chunk) for chunk in column.chunks])
    counts = np.bincount(codes + 1, minlength=len(words) + 1)
    used = {word for word, count in zip(words, counts[1:].tolist(), strict=True) if count}
    if not used:
        return column.cast(pa.string()).cast(pa.float64()), *nothing
    meaning, numbers = meaning_of(used, text.layout)
    if meaning == "words" or (not judged and meaning != "numbers"):
        return column, *nothing
    if meaning == "flags":
        return _mapped(column, words, lambda word: bool(flag_in(word)), pa.bool_()), *nothing
    if meaning is None:
        strange = np.array([word not in numbers for word in words] + [False])
        row = int(np.flatnonzero(strange[codes])[0])
        raise _Odd(row, column[row].as_py())
    read = {word: read_number(number_text(word, text.layout.marks), decimals) for word in numbers}
    digits = Digits(
        max((places for _, places in read.values() if places < TOO_LONG), default=0),
        max(abs(value) for value, _ in read.values()),
    )
    odd = np.array([word in read and read[word][1] >= TOO_LONG for word in words] + [False])
    rows = np.flatnonzero(odd[codes]) if odd.any() else np.empty(0, np.int64)
    values = _mapped(column, words, lambda word: read[word][0] if word in read else 0.0, pa.float64())
    return values, digits, int(rows[0]) if rows.size else None


def meaning_of(used: Collection[str], layout: Layout) -> tuple[Literal["flags", "words", "numbers"] | None, set[str]]:
    """Tell what cells all are, None if some are numbers, or nearly so, and others are not; return also the numbers."""
    if all(flag_in(word) is not None for word in used):
        return "flags", set()
    numbers = {word for word in used if is_number(word, layout)}
    if not numbers and (not all(map(_NEARLY.fullmatch, used)) or all(map(is_date, used))):
        return "words", numbers
    return ("numbers" if len(numbers) == len(used) else None), numbers


class _Odd(Exception):  # noqa: N818 (not an error yet)
    """The first cell of a column that is not a number where others are."""

    def __init__(self, row: int, word: str) -> None:
        self.row, self.word = row, word


def is_number(cell: str, layout: Layout) -> bool:
    """Whether a cell is a number, with the marks that the table has."""
    return bool(CELL.fullmatch(number_text(cell, layout.marks))) and flag_in(cell) is None


def _mapped(column: pa.ChunkedArray, words: list[str], value: Any, kind: pa.DataType) -> pa.ChunkedArray:
    values = pa.array([value(word) for word in words], kind)
    return pa.chunked_array([pc.take(values, chunk.indices) for chunk in column.chunks], kind)


def _codes(chunk: pa.DictionaryArray) -> NDArray[np.int64]:
    """Return the places of words in the dictionary, -1 for gaps."""
    codes: NDArray[np.int64] = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes


def flag_in(cell: str, *, blanks: bool = True) -> bool | None:
    """Return what a cell says that is true or false, be there blanks around it, unless they count; None if it is neither.

    Blanks count in labels, which are taken as they are written.

    >>> [flag_in(cell) for cell in ("TRUE", " false", "1")], flag_in(" false", blanks=False)
    ([True, False, None], None)
    """
    return _FLAGS.get((cell.strip(" \t") if blanks else cell).lower())
