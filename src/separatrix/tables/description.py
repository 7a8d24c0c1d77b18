"""What a table holds and what would be made of it, before anything is decided: columns, gaps, classes, equal rows.

Nothing here is refused that can be described: columns that mix numbers and words, gaps, columns without a name. They are
left out of what is said of the rows, which says so.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Rows
from ..problem.provenance import Choice, Layout, Missing, TextTable
from ..problem.rows import is_dense
from ..support.counts import counted
from ..support.escaping import brief, shown
from ..support.remedies import Message, Remedy
from .binary_files import Matrix
from .cells import Numbers, Words, class_called, classes_of, words_of
from .column_facts import (
    column_of_cells,
    column_of_mixed,
    column_of_numbers,
    column_of_words,
    told_by,
    with_dependent,
    with_equal,
)
from .column_notes import about_positive, nearly_same
from .data import Data
from .description_text import ONE_CLASS, Description
from .encoding import chosen, labels_of, learn, no_name
from .facts import ColumnDescription, Note, Noted, RowsDescription, short
from .frame import Frame, Read, opened_as
from .labelled_rows import rows_taken
from .reading import from_matrix
from .row_facts import CountedRows, KnownRows, rows_counted
from .text.csv_reading import FirstWord, MixedColumns, nearly_a_number

_KINDS = {
    "csv": "CSV", "parquet": "Parquet", "arrow": "Arrow", "npy": "A NumPy array", "npz": "A NumPy archive",
    "libsvm": "LIBSVM text", "xlsx": "A sheet of Excel's", "jsonl": "JSON lines", "table": "A table",
}  # fmt: skip

_MAX_GAP_CHARACTERS = 100
"""Characters below which a word is proposed as a gap in full."""


# ---- Columns.


def describe(
    source: Any,
    choice: Choice | None = None,
    *,
    layout: Layout | None = None,
) -> Description:
    """Describe files or a table, as `reading.read_data` would take them; see `describing.describe`.

    Missing values are counted, never refused: with ``missing="refuse"``, what is said of the rows is said of those without.

    Examples
    --------
    >>> table = {"age": [20, 30, 30, 30], "job": ["cook", "clerk", "clerk", "clerk"], "paid": [0, 1, 0, 1]}
    >>> print(describe(table, Choice(label="paid")).explain(width=80), end="")
    the table: 4 rows, 3 columns.
    <BLANKLINE>
    column  what      values                 notes
    age     number    20 to 30, 2 different
    job     category  clerk (3), cook (1)    depends on other columns
    paid    label     0 (2), 1 (2)
    <BLANKLINE>
    rows            4
    features        3, dense: 1 number, 2 categories
    classes         0: 2 (50.0 %), 1: 2 (50.0 %)
    duplicates      2 rows equal to an earlier one
    contradictions  1 point with different labels, so that any hyperplane
                    misclassifies at least 1 row; the first: row 1 and row 2
    constant        none
    collinear       job=clerk equals -2 + 1/10 age
                    and, as always, the categories add up to 1 in column job
    """
    choice = choice or Choice()
    layout = layout or Layout()
    opened = opened_as(source, layout, choice.label)
    return _of_matrix(source, opened, choice) if isinstance(opened, Matrix) else _of_frame(opened, choice)


def _of_matrix(source: Any, matrix: Matrix, choice: Choice) -> Description:
    data = from_matrix(matrix, choice)
    paths = [source] if isinstance(source, str | os.PathLike) else list(source)
    name = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    described = of_data(data, choice.positive)
    advice = described.advice
    if data.codes is None:
        advice = (*advice, "The file holds no labels: save them beside the rows, as an array named y.")
    if matrix.base is not None:
        return as_libsvm(described, name, matrix.base)
    return replace(described, name=name, kind="npz", form=f"{_KINDS['npz']}.", advice=advice)


def as_libsvm(described: Description, name: str, base: int) -> Description:
    """Say of rows that they come from LIBSVM text."""
    return replace(described, name=name, kind="libsvm", form=f"{_KINDS['libsvm']}, columns counted from {base}.")


def of_data(data: Data, positive: str | None = None) -> Description:
    """Describe rows of numbers, each column of them."""
    n, _ = data.shape
    if positive is not None:
        data.class_called(positive)
    by_column = data.X if is_dense(data.X) else data.X.tocsc()
    columns = {j: column_of_numbers(each, _values(by_column, j), n) for j, each in enumerate(data.names)}
    label = data.table.label if isinstance(data.table, TextTable) else None
    return described_rows(columns, KnownRows.of(data), rows_counted(data, positive), positive, data.notes(), label)


def described_rows(
    columns: dict[int, ColumnDescription],
    known: KnownRows,
    found: CountedRows,
    positive: str | None,
    notes: Sequence[str],
    label: str | None = None,
) -> Description:
    """Describe rows of numbers, by what was found of each column and of all rows."""
    about, sources = known.described(found)
    columns = with_dependent(columns, sources)
    return Description(
        name="the rows", kind="table", form="", rows=known.given, label=label, columns=tuple(columns.values()),
        problem=about, left_out=(), advice=tuple(_about_classes(about, positive)),
        notes=(*notes, *about_positive(known.classes, positive)),
    )  # fmt: skip


def _values(X: Rows, j: int) -> Floats:
    """Return the values that occur in a column; of a sparse one, 0 but once."""
    if is_dense(X):
        return X[:, j]
    stored: Floats = X.data[X.indptr[j] : X.indptr[j + 1]]
    return stored if stored.size == X.shape[0] else np.append(stored, 0.0)


class Found(NamedTuple):
    """What was found of a table."""

    rows: int
    label: int | None
    places: Sequence[int]
    """The columns that are not dropped, by their places."""
    columns: dict[int, ColumnDescription]
    """What each of these holds."""
    mixed: dict[int, FirstWord]
    used: Collection[int]
    """The columns that rows are made of."""
    about: RowsDescription | None
    sources: set[str]
    """Columns of the table that depend on others."""
    notes: Sequence[str]


def _of_frame(frame: Frame, choice: Choice) -> Description:
    names = frame.names
    label, wanted, texts = chosen(frame, choice)
    places = wanted if label is None else sorted([*wanted, label])
    read, mixed = _read(frame, places, texts if label is None else texts | {label})
    table = read.table
    unit = float(10**read.decimals.places) if read.decimals is not None and read.decimals.whole else 1.0

    columns: dict[int, ColumnDescription] = {}
    cells: dict[int, Numbers | Words] = {}
    for j, k in enumerate(places):
        if k == label:
            labels = labels_of(frame, k, table.column(j))
            columns[k] = replace(column_of_words(labels, "label"), notes=())
        elif k in mixed:
            words = words_of(names[k], table.column(j), frame.layout.gaps)
            columns[k] = column_of_mixed(words, mixed[k], frame.layout)
        else:
            columns[k], found = column_of_cells(names[k], table.column(j), frame, choice, unit)
            if found is not None and names[k]:
                cells[k] = found
    if label is not None:
        require_positive(choice, [] if (labels.codes < 0).all() else labels.used())
    told = {k: told_by(source) for k, source in cells.items() if columns[k].distinct > 1}
    columns = with_equal(columns, told)
    data = _data(frame, read, places, cells, label, choice)
    about, sources = None, set[str]()
    if data is not None:
        about, sources = KnownRows.of(data, table.num_rows).described(rows_counted(data, choice.positive))
    notes = frame.notes if data is None else (*data.said, *about_positive(data.classes, choice.positive))
    return described(frame, choice, Found(table.num_rows, label, places, columns, mixed, set(cells), about, sources, notes))


def require_positive(choice: Choice, texts: list[str]) -> None:
    """Refuse a class that none of the labels names, if there are any."""
    if choice.positive is not None and texts:
        class_called(choice.positive, *classes_of(Words("", texts, np.arange(len(texts))))[:2])


def described(frame: Frame, choice: Choice, found: Found) -> Description:
    """Describe a table by what was found of it."""
    names, label, places = frame.names, found.label, found.places
    columns = {k: found.columns.get(k) or _dropped(name) for k, name in enumerate(names)}
    for k in places:
        if not names[k]:
            columns[k] = replace(columns[k], used=False, notes=(Note(Noted.UNNAMED), *columns[k].notes))
    if found.about is not None:
        columns = with_dependent(columns, found.sources)
    return Description(
        name=frame.name,
        kind=frame.kind,
        form=_form(frame),
        notes=tuple(found.notes),
        rows=found.rows,
        label=None if label is None else names[label],
        columns=tuple(columns.values()),
        problem=found.about,
        left_out=tuple(names[k] or str(k + 1) for k in places if k not in found.used and k != label),
        advice=tuple(_advice(columns, found, choice, frame.layout.drop_unlabelled)),
    )


def _dropped(name: str) -> ColumnDescription:
    return ColumnDescription(name=name, kind="dropped", used=False)


def _read(frame: Frame, places: list[int], words: set[int]) -> tuple[Read, dict[int, FirstWord]]:
    """Read columns, and those that turn out to mix numbers and words as words."""
    mixed: dict[int, FirstWord] = {}
    while True:
        try:
            return frame.read(places, [*words, *mixed]), mixed
        except MixedColumns as odd:
            mixed |= odd.found


def _form(frame: Frame) -> str:
    """Say what a table is, and how it is written."""
    layout = frame.layout
    if frame.kind == "table":
        return ""
    if frame.kind != "csv":
        return f"{_KINDS[frame.kind]}."
    separator = layout.separator or "comma"
    header = "with" if layout.header else "without"
    between = separator if separator.endswith("s") else f"{separator}s"
    marks = ", decimal commas" if layout.decimal == "," else ""
    return f"CSV {header} a header, separated by {between}, {(layout.encoding or 'utf-8').upper()}{marks}."


def _advice(columns: dict[int, ColumnDescription], found: Found, choice: Choice, drop_unlabelled: bool) -> list[str]:
    """Say what stands in the way of deciding, and the way out."""
    places, mixed, label, about = found.places, found.mixed, found.label, found.about
    advice: list[str] = []
    for k in places:
        column = columns[k]
        named = column.name or k + 1
        if not column.name:
            advice.append(no_name(k, names=[each.name for each in columns.values()]))
        if k in mixed:
            advice.append(_about_mixed(column, named, mixed[k]))
        if column.kind == "empty" and not column.used:
            missing = f"All cells of the column {column.name!r} are missing: leave it out with "
            advice.append(Message(missing, Remedy("drop", named), "."))
        if column.reason:
            advice.append(column.reason)
    unlabelled = 0 if label is None else columns[label].gaps
    some = any(columns[k].gaps and (columns[k].used or not columns[k].name) for k in places if k != label)
    if choice.missing == "refuse" and some:
        number = (
            "Every row has" if about is None else "1 row has" if about.left_out == 1 else f"{about.left_out:,} rows have"
        )
        advice.append(
            Message(
                f"{number} missing values: leave such rows out with ", Remedy("missing", "drop-rows"),
                ", count the values as 0, with a column that tells, by ", Remedy("missing", "indicator"),
                ", or ", Remedy("drop"), " the columns.",
            )
        )  # fmt: skip
    if choice.missing != "drop-rows" and unlabelled and not drop_unlabelled:
        remedy = Remedy("drop_unlabelled", True)
        advice.append(Message(f"{counted(unlabelled, 'row')} without a label: ", remedy, " leaves such rows out."))
    return advice + ([] if about is None or label is None else _about_classes(about, choice.positive))


def _about_mixed(column: ColumnDescription, named: str | int, first: FirstWord) -> Message:
    mixes = "mixes numbers and words, the first" if column.words < column.cells else "has no number that can be read, but"
    begins = f"The column {brief(column.name)} {mixes} {brief(first.text)} in {first.place}"
    if (nearly := nearly_a_number(first.text)) is not None:
        return Message(
            f"{begins}, which ", *nearly, ". If the column is one of categories, say ", Remedy("text", named),
            "; else leave it out with ", Remedy("drop", named), ".",
        )  # fmt: skip
    gap = first.text if len(first.text) < _MAX_GAP_CHARACTERS else short(first.text)
    return Message(
        f"{begins}. If that stands for a missing value, say ", Remedy("gaps", [gap]),
        "; if the column is one of categories, ", Remedy("text", named),
        "; else leave it out with ", Remedy("drop", named), ".",
    )  # fmt: skip


def _about_classes(about: RowsDescription, positive: str | None) -> list[str]:
    classes = about.classes
    if len(classes) == 1:
        which = "All rows without missing values" if about.left_out else "All rows"
        return [f"{which} are of one class, {shown(classes[0][0])}: {ONE_CLASS}"]
    if len(classes) > 2 and positive is None:
        setting = Message(f"There are {len(classes):,} classes: set one against the rest with ", Remedy("positive"), ".")
        if nearly_same([str(each) for each, _ in classes]):
            alike = " Or, as some differ by case or by blanks alone, take such as one with "
            setting = Message(setting, alike, Remedy("ignore_case", True), ".")
        return [setting]
    return []


# ---- Rows.


def _data(
    frame: Frame, read: Read, places: list[int], cells: dict[int, Numbers | Words], label: int | None, choice: Choice
) -> Data | None:
    """Lay out the rows, without those whose missing values are in the way; None if nothing is left."""
    table = read.table
    n = table.num_rows
    position = {k: j for j, k in enumerate(places)}
    there = np.ones(n, bool)
    if label is not None:
        there = labels_of(frame, label, table.column(position[label])).codes >= 0
    complete = there.copy()
    for source in cells.values():
        if source.gaps is not None:
            complete &= ~source.gaps
    kept = np.flatnonzero(there if choice.missing == "indicator" else complete)
    if not kept.size or not cells:
        return None
    if kept.size < n:
        table = rows_taken(table, kept)
    held = frame._replace(
        read=lambda wanted, _: Read(table.select([position[k] for k in wanted]), read.decimals),
        places=replace(frame.places, find=lambda rows: frame.places(kept[list(rows)].tolist())),
    )
    only: tuple[int, ...] = tuple(k + 1 for k in cells)
    missing: Missing = "indicator" if choice.missing == "indicator" else "refuse"
    return learn(held, Choice(label=None if label is None else label + 1, only=only, missing=missing))
