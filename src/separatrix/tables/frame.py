"""Tables to take columns from, whatever they are: files of text, Arrow's files, tables in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray

from ..checker import CELL, InvalidCertificate, require_gaps
from ..exceptions import FileError, TableError
from ..problem.provenance import POSITIONS, Layout, Place, Places
from ..support.limits import enough_memory
from ..support.remedies import Remedy
from . import binary_files, sources, spreadsheets
from .binary_files import Matrix
from .decimals import Decimals, Digits, settled, to_numerators
from .foreign_errors import foreign_type, reason_of
from .text import csv_layout, csv_reading, json_lines
from .text.csv_layout import Text
from .text.csv_reading import MixedColumns
from .text.percents import with_labels, with_plain_numbers
from .text.titles import first_repeated


class Read(NamedTuple):
    """Columns of a table."""

    table: Any
    """As Arrow has them, or `csv_reading.Columns`."""
    decimals: Decimals | None = None
    """How the numbers of a text are read as decimals; None: those of the table are what they are."""


class Frame(NamedTuple):
    """A table to read columns from: files of text, or an Arrow table."""

    name: str
    names: tuple[str, ...]
    read: Callable[[Sequence[int], Sequence[int]], Read]
    """Read columns, by their places, the second ones as words; see `csv_reading.read`."""
    places: Places
    """Where rows are: in which file, and in which line."""
    layout: Layout
    notes: tuple[str, ...] = ()
    """What whoever uses the table should know of how it is read."""
    kind: str = "table"
    """One of `sources.FORMATS`, or "table"."""
    zeros: Callable[[], dict[int, str]] = dict
    """Columns of whole numbers that begin with 0 here and there, each with the first such."""
    percents: frozenset[int] = frozenset()
    """Columns in which every number has a percent sign."""
    copies: Callable[[int | None], list[tuple[str, bytes | None]]] = lambda label: []
    """Of each file its name and the text that rows are read from, None where the stand-alone checker finds it in the file;
    with labels as the layout has them, see `with_labels`, if their column is given."""

    def where(self, row: int) -> Place:
        """Return where a row is."""
        return self.places([row])[0]


@contextmanager
def telling_of(source: Any) -> Iterator[None]:
    """Have an error that is raised in reading something speak of a table, if it is no file."""
    try:
        yield
    except FileError as error:
        if type(error) is not FileError or is_file(source):
            raise
        raise TableError(*error.parts) from None


def opened_as(source: Any, layout: Layout, label: str | int | None, base: int | None = None) -> Frame | Matrix:
    """Open files or a table."""
    try:
        require_gaps(list(layout.gaps), "The list of texts that stand for a missing value")
    except InvalidCertificate as error:
        raise TableError(str(error)) from None
    if isinstance(source, dict):
        return arrow_frame(arrow_table(source), "the table", layout)
    if is_file(source):
        return _from_files(sources.sources(source), layout, label, base)
    if hasattr(source, "__arrow_c_stream__"):
        return arrow_frame(arrow_table(source), "the table", layout)
    table = nw.from_native(source, eager_only=True, pass_through=True)
    if isinstance(table, nw.DataFrame):
        return arrow_frame(table.to_arrow(), "the table", layout)
    raise TypeError(f"Expected the path of a file, or a table, got {type(source).__name__}.")


def is_file(source: Any) -> bool:
    """Whether something names a file, or files."""
    several = source if isinstance(source, list | tuple) else [source]
    return all(isinstance(each, str | os.PathLike) for each in several)


def arrow_table(source: Any, refusal: str = "The table cannot be read") -> pa.Table:
    """Take a table of any kind as one of Arrow's; an error begins with the words of the refusal."""
    try:
        if type(source).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(source, preserve_index=False)  # an index is no column
        return pa.table(source)
    except OverflowError:
        raise TableError(
            f"{refusal}: a column holds an integer of more than 64 bits. Leave it out, or make words of it; functions such "
            "as sx.decide take rows of such integers themselves."
        ) from None
    except (pa.ArrowException, TypeError, ValueError) as error:
        unknown = foreign_type(error)
        if unknown is None:
            raise TableError(f"{refusal}: {reason_of(error)}.") from None
        column, kind = unknown
        raise TableError(
            f"{refusal}: the column {column!r} holds objects of type {kind}, which tables have not. Leave it out; functions "
            "such as sx.decide take rows of Fraction and Decimal themselves."
        ) from None


def _from_files(found: list[sources.Source], layout: Layout, label: str | int | None, base: int | None) -> Frame | Matrix:
    kind = sources.format_of_all(found, layout.format)
    if kind in ("csv", "jsonl", "xlsx"):
        first = _text(found[0], kind, layout)
        return _text_frame(
            [first, *(_text(source, kind, replace(first.layout, sheet=layout.sheet)) for source in found[1:])], kind
        )
    if kind == "libsvm":
        return _libsvm(found, layout, base)
    if kind == "npz":
        return _joined([_archive(source, label) for source in found])
    tables = [binary_files.read_arrow(source, kind) if kind != "npy" else _numpy_table(source) for source in found]
    return _arrow_frames(tables, [source.name for source in found], layout)._replace(kind=kind)


def _text(source: sources.Source, kind: str, layout: Layout) -> Text:
    """Return a file as text: as it is, or written out."""
    if kind == "csv":
        return csv_layout.look(source, layout)
    if kind == "jsonl":
        return csv_layout.look(*json_lines.as_text(source, layout))
    return csv_layout.look(*spreadsheets.as_text(source, layout))


def _numpy_table(source: sources.Source) -> pa.Table:
    columns = binary_files.read_numpy(source, "npy", None)
    assert isinstance(columns, dict)
    return table_of_columns(columns, source.name)


def table_of_columns(columns: dict[str, NDArray[Any]], name: str) -> pa.Table:
    """Return the columns of an array that a file holds as a table."""
    try:
        return pa.table(
            {each: values.astype(values.dtype.newbyteorder("="), copy=False) for each, values in columns.items()}
        )
    except pa.ArrowException:
        kinds = ", ".join(sorted({str(values.dtype) for values in columns.values()}))
        raise FileError(f"{name} holds {kinds}. Save it as float64, integers, booleans or texts.") from None


def _libsvm(found: list[sources.Source], layout: Layout, base: int | None) -> Matrix:
    """Read files of LIBSVM text, all of them alike."""

    def read(decimals: int) -> tuple[list[Matrix], Digits]:
        parts, digits = zip(*(binary_files.read_libsvm(source, base, decimals) for source in found), strict=True)
        first = min(part.base for part in parts)
        if any(part.base != first for part in parts):
            parts = tuple(binary_files.read_libsvm(source, first, decimals)[0] for source in found)
        return list(parts), reduce(Digits.beside, digits)

    parts, decimals = settled(layout.numbers, read)
    width = max(part.X.shape[1] for part in parts)
    for part in parts:
        part.X.resize(part.X.shape[0], width)
    joined = _joined(parts)
    return replace(joined, decimals=to_numerators(joined.X.data, decimals))


def _archive(source: sources.Source, label: str | int | None) -> Matrix:
    matrix = binary_files.read_numpy(source, "npz", None if label is None else str(label))
    assert isinstance(matrix, Matrix)
    return matrix


def _joined(parts: list[Matrix]) -> Matrix:
    first = parts[0]
    if len(parts) == 1:
        return first
    if len({part.X.shape[1] for part in parts}) > 1 or len({part.labels is None for part in parts}) > 1:
        raise FileError(f"{first.name} and the other files do not have the same columns and labels.")
    sparse = [sp.csr_array(part.X) if sp.issparse(part.X) else np.asarray(part.X) for part in parts]
    X = sp.vstack(sparse, format="csr") if any(sp.issparse(each) for each in sparse) else np.concatenate(sparse)
    labels = [part.labels for part in parts if part.labels is not None]
    name, places = f"{first.name} and {len(parts) - 1} more", _joined_places(parts)
    return Matrix(X, np.concatenate(labels) if labels else None, first.base, name, places=places)


def _joined_places(parts: list[Matrix]) -> Places:
    """Return what tells where rows are that come from several files."""
    ends = np.cumsum([part.X.shape[0] for part in parts])

    def places(rows: Sequence[int]) -> list[Place]:
        found: dict[int, Place] = {}
        for k, part in enumerate(parts):
            start = int(ends[k]) - part.X.shape[0]
            here = [row for row in rows if start <= row < ends[k]]
            found |= dict(zip(here, part.places([row - start for row in here]), strict=True))
        return [found[row] for row in rows]

    return Places(places, len(parts))


def _text_frame(parts: list[Text], kind: str) -> Frame:
    first = parts[0]
    owns = places_in_each(parts)
    sizes: list[int] = []
    made: dict[str, Text] = {}

    def as_numbers(part: Text, wanted: set[int]) -> Text:
        """Keep what is written anew, for copies."""
        text, name = with_plain_numbers(part, wanted), part.source.name
        made.pop(name, None)
        if text is not part:
            made[name] = text
        return text

    def read(wanted: Sequence[int], words: Sequence[int]) -> Read:
        tables, decimals = settled(first.layout.numbers, lambda decimals: read_as(wanted, words, decimals))
        sizes[:] = [table.num_rows for table in tables]
        if len(tables) == 1:
            return Read(tables[0], decimals)
        arrow = [pa.table([table.column(k) for k in range(len(wanted))], table.column_names) for table in tables]
        return Read(_concatenated(arrow, [part.source.name for part in parts]), decimals)

    def read_as(wanted: Sequence[int], words: Sequence[int], decimals: int) -> tuple[list[Any], Digits]:
        tables, digits = [], Digits()
        for part, own in zip(parts, owns, strict=True):
            try:
                with enough_memory(part.source.name):
                    plain = as_numbers(part, {own[k] for k in wanted} - {own[k] for k in words})
                    table, told = csv_reading.read(plain, [own[k] for k in wanted], [own[k] for k in words], decimals)
            except MixedColumns as mixed:
                mixed.found = {k: mixed.found[own[k]] for k in wanted if own[k] in mixed.found}
                raise
            tables.append(table)
            digits = digits.beside(told)
        return tables, digits

    def places(rows: Sequence[int]) -> list[Place]:
        found: dict[int, Place] = {}
        start = 0
        for part, size in zip(parts, sizes, strict=True):
            here = [row - start for row in rows if start <= row < start + size]
            with suppress(FileError):  # it may have changed since, and its lines with it
                lines = part.lines(here, size)
                found |= {start + row: part.place(line) for row, line in lines.items()}
            start += size
        return [found.get(row, Place(None, "row", row)) for row in rows]

    def copies(label: int | None) -> list[tuple[str, bytes | None]]:
        found: list[tuple[str, bytes | None]] = []
        for part in parts:
            text = made.get(part.source.name, part)
            if label is not None:
                text = with_labels(text, part.names.index(first.names[label]))
            content = text.given.buffer().to_pybytes() if text.given.is_copy else None
            found.append((part.source.name, content))
        return found

    return text_frame(parts, kind)._replace(read=read, places=Places(places, len(parts)), copies=copies)


def places_in_each(parts: Sequence[Text]) -> list[Sequence[int]]:
    """Return the places that the columns of the first text have in each; refuse texts that do not have the same columns."""
    first = parts[0]
    twins = len(set(first.names)) < len(first.names)  # which only their order tells apart
    for other in parts[1:]:
        same = other.names == first.names or (not twins and sorted(other.names) == sorted(first.names))
        if not same or other.layout != first.layout:
            raise FileError(f"{other.source.name} does not have the columns of {first.source.name}.")
    every = range(len(first.names))
    return [every if part.names == first.names else [part.names.index(name) for name in first.names] for part in parts]


def text_frame(parts: Sequence[Text], kind: str) -> Frame:
    """Return a table of texts that are written alike, but for what reads it."""
    first = parts[0]
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    name = name_of_all([part.source.name for part in parts])
    return Frame(
        name, first.names, _unreadable, POSITIONS, first.layout, notes, kind, first.zeros, frozenset(first.percents)
    )


def _unreadable(wanted: Sequence[int], words: Sequence[int]) -> Read:
    raise NotImplementedError("This table is read piece by piece.")


def arrow_head(names: Sequence[str], columns: Sequence[Sequence[str]], layout: Layout, kind: str) -> Frame:
    """Return a table of Arrow tables that have columns of these names, but for what reads it."""
    return Frame(name_of_all(names), arrow_names(columns, names), _unreadable, POSITIONS, arrow_layout(layout), kind=kind)


def name_of_all(names: Sequence[str]) -> str:
    """Name several files."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def arrow_frame(table: pa.Table, name: str, layout: Layout) -> Frame:
    """Take columns from an Arrow table."""
    return _arrow_frames([table], [name], layout)


def _arrow_frames(tables: list[pa.Table], names: list[str], layout: Layout) -> Frame:
    columns = arrow_names([table.column_names for table in tables], names)
    ends = np.cumsum([table.num_rows for table in tables])
    if not ends[-1]:
        raise FileError(f"{names[0]} has no rows.")

    numbers = [gap for gap in layout.gaps if CELL.fullmatch(gap)]  # that stand for a missing value

    def read(wanted: Sequence[int], words: Sequence[int]) -> Read:
        parts = []
        for table in tables:
            chosen = table.select(list(wanted))
            for place, k in enumerate(wanted):
                if is_text(table.schema.field(k).type):
                    continue
                if k in words:
                    chosen = chosen.set_column(place, columns[k], as_text(table.column(k), columns[k]))
                elif numbers:
                    chosen = chosen.set_column(place, columns[k], _without(table.column(k), numbers))
            parts.append(chosen)
        return Read(_concatenated(parts, names))

    def places(rows: Sequence[int]) -> list[Place]:
        parts = np.searchsorted(ends, rows, side="right").tolist()
        return [
            Place(names[part], "row", row - int(ends[part]) + tables[part].num_rows)
            for row, part in zip(rows, parts, strict=True)
        ]

    return Frame(name_of_all(names), columns, read, Places(places, len(tables)), arrow_layout(layout))


def arrow_names(columns: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[str, ...]:
    """Return what the columns of Arrow tables are called, which are the same in all of them, in their order."""
    for other, name in zip(columns[1:], names[1:], strict=True):
        if list(other) != list(columns[0]):
            raise FileError(f"{name} does not have the columns of {names[0]}, in their order.")
    # What pandas calls an index that has no name.
    found = tuple("" if re.fullmatch("__index_level_[0-9]+__", each) else each for each in columns[0])
    repeated = first_repeated(found)
    if repeated is not None:
        raise FileError(f"{names[0]} has two columns named {repeated!r}. Rename one of them.")
    return found


def arrow_layout(layout: Layout) -> Layout:
    """Return how a table would be written as text that is none: as is usual."""
    return Layout(
        header=True, gaps=layout.gaps, numbers=layout.numbers, ignore_case=layout.ignore_case,
        drop_unlabelled=layout.drop_unlabelled,
    )  # fmt: skip


def _without(column: pa.ChunkedArray, gaps: list[str]) -> pa.ChunkedArray:
    """Take numbers that stand for a missing value out of a column of numbers, exactly those."""
    kind = column.type
    listed: list[Any]
    # No integer and no decimal of Arrow's is as long, or as large, as what is left out here.
    exact = [Fraction(gap) for gap in gaps if len(gap) < 100 and not re.search("[eE][+-]?[0-9]{4}", gap)]
    if pa.types.is_integer(kind):
        range_ = np.iinfo(kind.to_pandas_dtype())
        listed = [int(gap) for gap in exact if gap.denominator == 1 and range_.min <= gap <= range_.max]
    elif pa.types.is_floating(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
        listed = [float(gap) for gap in gaps]  # as text is read
    elif pa.types.is_decimal(kind):
        units = [gap * Fraction(10) ** kind.scale for gap in exact]
        whole = [int(unit) for unit in units if unit.denominator == 1 and abs(unit) < 10**kind.precision]
        listed = [Decimal(unit).scaleb(-kind.scale, Context(kind.precision)) for unit in whole]
    else:
        return column
    return pc.if_else(pc.is_in(column, pa.array(listed, kind)), pa.scalar(None, kind), column)


def _concatenated(tables: list[pa.Table], names: list[str]) -> pa.Table:
    if len(tables) == 1:
        return tables[0]
    fields = tables[0].column_names
    try:
        columns = [_alike([table.column(k) for table in tables], field_, names) for k, field_ in enumerate(fields)]
        alike = [pa.table([column[part] for column in columns], names=fields) for part in range(len(tables))]
        return pa.concat_tables(alike, promote_options="permissive").unify_dictionaries()
    except pa.ArrowException as error:
        raise unlike_columns(names[0], error) from None


def unlike_columns(name: str, error: Exception) -> FileError:
    """Return the error that files have columns of types that have nothing in common."""
    return FileError(f"The columns of {name} and the other files do not go together: {error}.")


def _alike(columns: list[pa.ChunkedArray], name: str, names: list[str]) -> list[pa.ChunkedArray]:
    """Refuse a column that is of one kind in a file and of another kind in the next; one that is all gaps is of any."""
    kinds = [None if column.null_count == len(column) else kind_of(column.type) for column in columns]
    first = first_kind(kinds, name, names)
    kind = columns[first].type
    if kinds[first] == "words" and any(column.type != kind for column in columns):
        kind = pa.string()
        columns = [column.cast(kind) if is_text(column.type) else column for column in columns]
    return [
        pa.chunked_array([pa.nulls(len(column), kind)]) if each is None else column
        for column, each in zip(columns, kinds, strict=True)
    ]


def first_kind(kinds: Sequence[str | None], name: str, names: Sequence[str]) -> int:
    """Return the first file in which a column holds anything; refuse a column that holds something else in another one."""
    first = next((k for k, kind in enumerate(kinds) if kind is not None), 0)
    other = next((k for k, kind in enumerate(kinds) if kind not in (None, kinds[first])), None)
    if other is not None:
        raise FileError(
            f"The column {name!r} holds {kinds[first]} in {names[first]}, but {kinds[other]} in {names[other]}. If it is "
            "one of categories, say ",
            Remedy("text", name),
            ".",
        )
    return first


def kind_of(kind: pa.DataType) -> str:
    """Say what a column of a type holds."""
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    return "words" if is_text(kind) else "true and false" if types.is_boolean(kind) else str(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of words."""
    types = pa.types
    return bool(
        types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    )


def as_text(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Take a column as categories."""
    try:
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)  # a gap
        return column.cast(pa.string())
    except pa.ArrowException:
        raise FileError(f"The column {name!r} holds {column.type}, which cannot be taken as categories. Drop it.") from None
