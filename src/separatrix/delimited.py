"""Tables written as text: separated by commas, tabs or blanks, with or without a header; cells of numbers, words and gaps.

Arrow reads them, fast. What a cell means is defined here and in the stand-alone `checker`, alike: a number is what
`checker.CELL` says, read to the nearest float64; ``true`` and ``false`` are 1 and 0; a gap is a cell that is listed as one;
anything else is a word. A column is all numbers or all words: one that has both is refused, with the first that differs.
Whatever goes wrong is found again by a slow reader that knows its line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from . import plain
from .checker import CELL, is_gap
from .columns import GAPS, SEPARATORS, brief
from .files import FileError, Source, is_tab_separated, reason_of

ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252")

_HEAD = 2**16
_LARGE = 2**18  # bytes from which a table is worth the fast reader, which must be loaded first
_BLOCK = 2**20  # bytes that Arrow takes at a time
_WORDS = pa.dictionary(pa.int32(), pa.string())
_NEARLY = re.compile(r"[^\w\s]?\s?[+-]?\d[\d.,' \u00a0]*\s?[^\w\s]?", re.ASCII)
"""What a person may take for a number: 1,5 or 1.234,56 or 12 % or $5."""

_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?\s*")
_SOME = 50  # lines that are looked at for what divides them

_FLAGS = {"true": True, "false": False}
_LINE_END = re.compile(r"\r\n|\r|\n")
_DIGITS = re.compile("[0-9]{1,9}")
_TRIES = 3  # columns that turn out to be words after all, before every column is read so


@dataclass(frozen=True)
class Layout:
    """How a table is written; what is None is found out."""

    header: bool | None = None
    separator: str | None = None
    """One of `SEPARATORS`, by its name."""
    encoding: str | None = None
    gaps: tuple[str, ...] = GAPS
    words: frozenset[str] = frozenset()
    """Texts that are none, with the blanks around them: categories and classes that are known."""

    def __post_init__(self) -> None:
        if self.separator is not None and self.separator not in SEPARATORS:
            named = {character: name for name, character in SEPARATORS.items()}
            if self.separator not in named:
                raise FileError(
                    f"The separator {self.separator!r} is not known; it must be one of {', '.join(SEPARATORS)}, or the "
                    "character itself."
                )
            object.__setattr__(self, "separator", named[self.separator])
        if self.encoding is not None and self.encoding not in ENCODINGS:
            with suppress(LookupError):  # utf8, Latin1, windows-1252
                known = {codecs.lookup(name).name: name for name in ENCODINGS}
                object.__setattr__(self, "encoding", known.get(codecs.lookup(self.encoding).name, self.encoding))
        if self.encoding is not None and self.encoding not in ENCODINGS:
            raise FileError(f"The encoding {self.encoding!r} is not known; it must be one of {', '.join(ENCODINGS)}.")


class MixedColumns(FileError):  # noqa: N818 (it is what it says)
    """Some columns hold numbers and words; ``found`` has their places, with the line and the text of the first word."""

    def __init__(self, text: Text, found: dict[int, tuple[int, str]]) -> None:
        self.source, self.found = text.source.name, found
        k, (line, cell) = next(iter(found.items()))
        super().__init__(
            f"{self.source}, line {line}, column {brief(text.names[k])}: {brief(cell)} "
            + (
                "looks like a number, but is none that can be read: write numbers with a decimal point, without signs of "
                "thousands, units or currencies, as in 1234.5. If"
                if _NEARLY.fullmatch(cell)
                else f"is not a number, but other values of the column are. If it stands for a missing value, say --gap "
                f"{brief(cell)}; if"
            )
            + f" the column is one of categories, say --text {brief(text.names[k])}; else leave it out with --drop."
        )


@dataclass(frozen=True)
class Text:
    """A table as text, its layout found out and its beginning looked at."""

    source: Source
    layout: Layout
    names: tuple[str, ...]
    """Of the columns; empty for a column without one."""
    sample: tuple[list[str], ...]
    """The first rows."""
    skipped: int
    """Empty lines at the beginning, and the header: what comes before the first row."""

    @property
    def separator(self) -> str | None:
        """The character between cells, None for runs of blanks."""
        return SEPARATORS[self.layout.separator or "comma"]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Go through the rows again, slowly, each with the number of its line."""
        first = True
        for line, cells in _records(self.source, self.layout):
            if first and self.layout.header:
                first = False
                continue
            yield line, cells

    def lines(self, rows: Collection[int]) -> dict[int, int]:
        """Return the lines that rows end in."""
        wanted, last = set(rows), max(rows, default=-1)
        found: dict[int, int] = {}
        for i, (line, _) in enumerate(self.records()):
            if i > last:
                break
            if i in wanted:
                found[i] = line
        return found


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


def look(source: Source, layout: Layout) -> Text:
    """Find out how a table is written, and what its columns are called."""
    encoding, said = layout.encoding or _encoding(source), layout.separator
    separator = said or ("tab" if is_tab_separated(source.name) else "comma")
    layout = replace(layout, encoding=encoding, separator=separator)
    records, empty = _beginning(source, layout)
    if not records:
        raise FileError(
            f"{source.name} is empty: expected a {'header line, then a ' if layout.header else ''}line for each row."
        )
    first = records[0]
    if layout.header is None:
        odd = _odd_name(first)
        if odd is not None:
            raise FileError(
                f"The first line of {source.name} looks like a row, not like names of columns: {odd}. "
                "Say --no-header (header=False) if it is one, or --header (header=True) if these are names."
            )
    header = layout.header is not False
    names = tuple(first) if header else tuple(str(k + 1) for k in range(len(first)))
    _refuse_repeated(source, names)
    if separator == "comma" and (said is None or len(first) == 1):
        _refuse_other_separators(source, layout, records)
    sample = tuple(records[1:] if header else records)
    if not sample:
        raise FileError(f"{source.name} has a header but no rows.")
    return Text(source, replace(layout, header=header), names, sample, empty + header)


def _encoding(source: Source) -> str:
    head = source.head(4)
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _beginning(source: Source, layout: Layout) -> tuple[list[list[str]], int]:
    """Return the first records, whole ones, and how many empty lines come before."""
    size = _HEAD
    while True:
        head = source.head(size)
        whole = len(head) < size
        text = _decoded(head, layout.encoding or "utf-8", source.name, whole)
        records = [cells for _, cells in _split(io.StringIO(text, newline=""), layout, source.name, strict=False)]
        if not whole:
            records = records[:-1]
        if whole or len(records) > 1:
            return records, len(_LINE_END.findall(text, 0, len(text) - len(text.lstrip("\r\n"))))
        size *= 16


def _decoded(head: bytes, encoding: str, name: str, whole: bool) -> str:
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    try:
        text = decoder.decode(head, whole)
    except UnicodeError:
        raise FileError(_undecodable(name, encoding)) from None
    if "\0" in text:
        raise FileError(_holds_nul(name))
    return text


def _holds_nul(name: str) -> str:
    return f"{name} is not text: it holds NUL bytes. If it is a table in UTF-16, say --encoding utf-16."


def _undecodable(name: str, encoding: str) -> str:
    others = "latin-1 or --encoding cp1252" if encoding == "utf-8" else "utf-8"
    return f"{name} is not text in {encoding.upper()}. Try --encoding {others}, or save it in UTF-8."


def _records(source: Source, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    encoding = "utf-8-sig" if layout.encoding == "utf-8" else layout.encoding
    with source.open() as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
        try:
            yield from _split(text, layout, source.name)
        except UnicodeError:
            raise FileError(_undecodable(source.name, layout.encoding or "utf-8")) from None


def _split(text: Any, layout: Layout, name: str, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Split text into records, skipping empty lines; strictly, quotes are around whole cells or nothing special."""
    separator = SEPARATORS[layout.separator or "comma"]
    if separator is None:
        for number, line in enumerate(_LINE_END.split(text.read()), 1):
            if cells := line.strip(" \t").replace("\t", " ").split(" "):
                cells = [cell for cell in cells if cell]
                if cells:
                    yield number, cells
        return
    limit = csv.field_size_limit(sys.maxsize)
    reader = csv.reader(text, delimiter=separator, strict=strict)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(
            f"{name}, line {reader.line_num}: {error}. A value that begins with a double quote goes to the next one; two of "
            "them stand for one."
        ) from None
    finally:
        csv.field_size_limit(limit)


def _odd_name(names: Sequence[str]) -> str | None:
    """Say what in a line is unlikely to be the name of a column."""
    for name in names:
        if CELL.fullmatch(name.strip(" \t")) and not _DIGITS.fullmatch(name.strip(" \t")):
            return f"{brief(name)} is a number"
        if is_gap(name, GAPS) and name.strip(" \t"):
            return f"{name!r} stands for a missing value"
    digits = [name for name in names if _DIGITS.fullmatch(name)]
    if digits and len(digits) == len(names) and [int(name) for name in digits] != sorted({int(name) for name in digits}):
        return "it is all numbers"
    return None


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that was there before; what has no name does not count."""
    seen: set[str] = set()
    return next((name for name in names if name and (name in seen or seen.add(name))), None)  # type: ignore[func-returns-value]


def _refuse_repeated(source: Source, names: Sequence[str]) -> None:
    if (name := first_repeated(names)) is not None:
        raise FileError(
            f"{source.name} has two columns named {brief(name)}. Rename one of them, or say --no-header if it has no header."
        )


def _refuse_other_separators(source: Source, layout: Layout, records: Sequence[list[str]]) -> None:
    """Say so if commas are not what is between the cells: they divide nothing, or lines unlike each other, or numbers."""
    first = records[0]
    for other in ("semicolon", "tab", "bar"):
        if not any(str(SEPARATORS[other]) in cell for cell in first):
            continue
        cells = _beginning(source, replace(layout, separator=other))[0][:_SOME]
        rows = cells if layout.header is False else cells[1:]
        with_comma = [cell for record in rows for cell in record if "," in cell]
        decimals = bool(with_comma) and all(map(_DECIMAL_COMMA.fullmatch, with_comma))
        alike = len(cells[0]) > 1 and len(set(map(len, cells))) == 1
        if len(first) == 1 or (alike and (decimals or len(set(map(len, records[:_SOME]))) > 1)):
            hint = " Its numbers seem to have decimal commas: write them with decimal points." if decimals else ""
            raise FileError(f"{source.name} seems to be separated by {other}s, not commas: say --separator {other}.{hint}")
    if len(first) > 1:
        return
    words = len(first[0].split())
    if words > 2 and len(records) > 1 and all(len(record[0].split()) == words for record in records[:9]):
        raise FileError(f"{source.name} seems to be separated by blanks, not commas: say --separator blanks.")


def read(text: Text, wanted: Sequence[int], words: Collection[int]) -> pa.Table | Columns:
    """Read some columns, by their places: those in ``words`` as words, whatever is in them, the others as what they are.

    Columns of the result are float64, bool, or dictionaries of strings, with nulls for gaps.
    """
    text = replace(text, source=text.source.held())
    words = set(words)
    kinds = {k: k in words or not numeric for k, numeric in zip(wanted, _seem_numeric(text, wanted), strict=True)}
    found = _read_plainly(text, kinds) or _read_patiently(text, kinds)
    columns = []
    odd: dict[int, tuple[int, str]] = {}
    for k in wanted:
        column = found[k]
        try:
            if kinds[k]:
                column = _without_gaps(column, text.layout)
                column = column if k in words else _typed(column)
            columns.append(column)
        except _Odd as cell:
            odd[k] = cell.row, cell.word
    if odd:
        lines = text.lines({row for row, _ in odd.values()})
        raise MixedColumns(text, {k: (lines.get(row, 0), word) for k, (row, word) in odd.items()})
    names = [text.names[k] for k in wanted]
    return Columns(names, columns) if any(isinstance(each, np.ndarray) for each in columns) else pa.table(columns, names)


def _read_patiently(text: Text, kinds: dict[int, bool]) -> dict[int, pa.ChunkedArray]:
    """Have Arrow read a table; columns that turn out to be no numbers become words, here and in ``kinds``."""
    table, quoted = None, _has_quotes(text)
    tries, block = 0, _BLOCK
    if any(CELL.fullmatch(gap.strip(" \t")) for gap in text.layout.gaps):
        kinds |= dict.fromkeys(kinds, True)  # to Arrow, such a gap with blanks around it is a number
    while table is None:
        try:
            table = _parse(text, kinds, block, quoted)
            strange = [k for k in kinds if not kinds[k] and pc.any(pc.is_nan(table.column(str(k)))).as_py()]
            if strange:
                kinds |= dict.fromkeys(strange, True)  # to Arrow, nan is a number
                table = None
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and block < text.source.size:  # a line longer than a block
                block = min(16 * block, text.source.size + 1)
                continue
            place = re.search(r"column #(\d+): CSV conversion error to double", str(error))
            if place is None or kinds[int(place[1])]:
                raise FileError(_diagnosis(text, error)) from None
            tries += 1
            kinds |= dict.fromkeys(kinds, True) if tries > _TRIES else {int(place[1]): True}
        except UnicodeError:
            raise FileError(_undecodable(text.source.name, text.layout.encoding or "utf-8")) from None
        except OSError as error:
            raise FileError(f"{text.source.name} cannot be read: {error}.") from None
    return {int(name): column for name, column in zip(table.column_names, table.columns, strict=True)}


def _read_plainly(text: Text, kinds: dict[int, bool]) -> dict[int, Any] | None:
    """Read a large table fast, if it is as plain as most are."""
    if text.separator is None or text.layout.encoding != "utf-8" or text.source.size < _LARGE or text.layout.words:
        return None
    try:
        content, gaps = text.source.buffer(), _writable(text.layout.gaps)
        return plain.read(content, text.skipped, len(text.names), text.separator, kinds, gaps)
    except plain.Changed:
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
            if seem[k] and not CELL.fullmatch(cell.strip(" \t")) and not is_gap(cell, gaps, words):
                seem[k] = False
    return [seem[k] for k in wanted]


def _parse(text: Text, kinds: dict[int, bool], block: int, quoted: bool) -> pa.Table:
    """Have Arrow read the columns, as words or as numbers; columns are called by their places, which are unique."""
    from pyarrow import csv as arrow

    source, layout, separator = text.source, text.layout, text.separator
    file: Any = pa.BufferReader(source.buffer())
    encoding = layout.encoding or "utf-8"
    if separator is None:
        lines = (" ".join(cells) for _, cells in _records(source, layout))
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
        column_types={str(k): _WORDS if words else pa.float64() for k, words in kinds.items()},
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
    for start in range(0, content.size, _BLOCK):
        block = content[start : start + _BLOCK].tobytes()
        if b"\0" in block and not wide:
            raise FileError(_holds_nul(text.source.name))
        if b'"' in block and in_order:
            places = start + np.flatnonzero(content[start : start + _BLOCK] == ord('"'))
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


def _diagnosis(text: Text, error: Exception) -> str:
    """Find what is wrong, and the line, after Arrow has found that something is."""
    name, width = text.source.name, len(text.names)
    for line, cells in text.records():
        if len(cells) != width:
            values = "value" if len(cells) == 1 else "values"
            return (
                f"{name}, line {line}: {len(cells)} {values} for {width} columns. Every line must have one value for each "
                "column; a value that holds the separator must be in double quotes."
            )
    return f"{name} is not a table that can be read: {reason_of(error)}."


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


def _typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Turn words into what they all are: numbers, or true and false; refuse some of each."""
    if not column.num_chunks:
        return column
    words = column.chunk(0).dictionary.to_pylist()
    codes = np.concatenate([_codes(chunk) for chunk in column.chunks])
    counts = np.bincount(codes + 1, minlength=len(words) + 1)
    used = {word for word, count in zip(words, counts[1:].tolist(), strict=True) if count}
    if not used:
        return column.cast(pa.string()).cast(pa.float64())
    if all(_flag(word) is not None for word in used):
        return _mapped(column, words, lambda word: bool(_flag(word)), pa.bool_())
    numbers = {word for word in used if CELL.fullmatch(word.strip(" \t"))}
    if not numbers and not all(map(_NEARLY.fullmatch, used)):
        return column
    if numbers != used:
        strange = np.array([word not in numbers for word in words] + [False])
        row = int(np.flatnonzero(np.concatenate([strange[_codes(chunk)] for chunk in column.chunks]))[0])
        raise _Odd(row, column[row].as_py())
    return _mapped(column, words, lambda word: float(word) if word in numbers else 0.0, pa.float64())


def _flag(word: str) -> bool | None:
    return _FLAGS.get(word.strip(" \t").lower())


class _Odd(Exception):  # noqa: N818 (not an error yet)
    """The first cell of a column that is not a number where others are."""

    def __init__(self, row: int, word: str) -> None:
        self.row, self.word = row, word


def _mapped(column: pa.ChunkedArray, words: list[str], value: Any, kind: pa.DataType) -> pa.ChunkedArray:
    values = pa.array([value(word) for word in words], kind)
    return pa.chunked_array([pc.take(values, chunk.indices) for chunk in column.chunks], kind)


def _codes(chunk: pa.DictionaryArray) -> NDArray[np.int64]:
    """Return the places of words in the dictionary, -1 for gaps."""
    codes: NDArray[np.int64] = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes
