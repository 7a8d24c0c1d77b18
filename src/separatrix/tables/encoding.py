"""How a table becomes rows of numbers: columns as they are, words one-hot, gaps as chosen; learnt once, applied again.

A source is a column of the table. Numbers, and true and false, give one column of the problem. Words give one for each
category, in sorted order, 1 where the cell is that word. What is done with missing values is one of `provenance.MISSING`.
The outcome is a list of `Column`, which models and certificates keep, so that whoever has the table can make the same rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Rows
from ..checker import Seen, number_in
from ..exceptions import FileError, OtherTable
from ..problem.provenance import Choice, Column, Missing, Place
from ..support.counts import few_of
from ..support.escaping import brief
from ..support.remedies import Message, Remedy
from .cells import (
    FOR_THE_LABEL,
    MAX_NAMES,
    Cells,
    Numbers,
    Words,
    cells_of,
    classes_of,
    listed,
    place_of,
    places_of,
    require_finite,
    told_apart,
    words_of,
)
from .column_notes import notes_of_columns
from .data import Data
from .decimals import Decimals, rows_of
from .design_matrix import Design, columns_for
from .exact_columns import as_decimals, with_numerators
from .frame import Frame
from .labelled_rows import with_labels
from .text.csv_reading import MixedColumns
from .text.percents import folded

# ---- Choosing columns.


class Chosen(NamedTuple):
    """Columns of a table, by their places."""

    label: int | None
    wanted: list[int]
    """Those to make rows of."""
    texts: set[int]
    """Those that hold categories, whatever they look like."""


def chosen(frame: Frame, choice: Choice) -> Chosen:
    """Find the columns that are chosen."""
    names, where, places = frame.names, frame.name, places_of(frame.names)
    label = None if choice.label is None else place_of(choice.label, names, where, FOR_THE_LABEL, places)
    dropped = {place_of(each, names, where, " to drop", places) for each in choice.drop}
    only = {place_of(each, names, where, " to use", places) for each in choice.only}
    texts = {place_of(each, names, where, " of categories", places) for each in choice.text}
    if label is not None and label in dropped | only:
        raise FileError(f"The label, {names[label]!r}, cannot be dropped, nor be used as a column to learn from.")
    wanted = [k for k in (sorted(only) if only else range(len(names))) if k != label and k not in dropped]
    return Chosen(label, wanted, texts)


def no_name(k: int, where: str = "", names: Sequence[str] = ()) -> Message:
    """Say that a column has no name, and what to do."""
    remedy = Remedy("drop", k + 1)
    message = Message(f"Column {k + 1}{where} has no name. Name it; or, if it is an index, leave it out with ", remedy, ".")
    if 2 * sum(map(bool, names)) <= len(names):  # it may be a title that was taken for the names
        further = " If the table begins further down, say how many lines are above it with "
        message = Message(message, further, Remedy("skip_lines"), ".")
    return message


def chosen_to_learn(frame: Frame, choice: Choice) -> Chosen:
    """Find the columns that are chosen; refuse it if there is none, or one without a name."""
    found = chosen(frame, choice)
    if not found.wanted:
        raise FileError(f"{frame.name} has no column to learn from besides the label and those dropped.")
    unnamed = next((k for k in [*found.wanted, found.label] if k is not None and not frame.names[k]), None)
    if unnamed is not None:
        raise FileError(no_name(unnamed, f" of {frame.name}", frame.names))
    return found


def learn(frame: Frame, choice: Choice) -> Data:
    """Read a table, and find out how to make rows of it."""
    label, wanted, texts = chosen_to_learn(frame, choice)
    extra = [] if label is None else [label]
    table, decimals = frame.read([*wanted, *extra], [*(texts & set(wanted)), *extra])
    labels = None if label is None else labels_of(frame, label, table.columns[-1])
    held, table, labels, finish = with_labels(frame, table, labels)
    gaps, columns = frame.layout.gaps, table.columns
    found = [cells_of(frame.names[k], column, gaps, held.where) for k, column in zip(wanted, columns, strict=False)]
    return finish(_assembled(held, found, labels, choice.missing, None, table.num_rows, decimals=decimals))


def labels_of(frame: Frame, place: int, column: Any, words: Collection[str] = ()) -> Words:
    """Take a column as labels; those that differ by case or blanks alone are one, if so chosen."""
    labels = words_of(frame.names[place], column, frame.layout.gaps, words)
    if not frame.layout.ignore_case:
        return labels
    texts = {text: folded(text) for text in labels.texts}
    order = {text: k for k, text in enumerate(dict.fromkeys(texts.values()))}
    lookup = np.array([order[texts[text]] for text in labels.texts] + [-1])
    return Words(labels.name, list(order), lookup[labels.codes])


def _assembled(
    frame: Frame,
    found: list[Cells],
    labels: Words | None,
    missing: Missing,
    columns: tuple[Column, ...] | None,
    n: int,
    unseen: str = "refuse",
    decimals: Decimals | None = None,
) -> Data:
    """Make rows of sources, in the given columns or, if there are none yet, in those that they ask for."""
    if labels is not None and labels.gaps is not None and missing != "drop-rows":
        raise no_label(frame.where(_first(labels.gaps)), labels.name)
    found, decimals = as_decimals(told_apart(found), decimals, frame.layout.numbers, frame.where)
    unit = 1 if decimals is None or decimals.misfit is not None else 10**decimals.places
    said = (*frame.notes, *notes_of_columns(frame, found, labels, n)) if columns is None else frame.notes
    X, columns, kept = _laid_out(frame, found, labels, missing, columns, n, unseen, unit)
    rows, dropped = rows_of(X, decimals), n - X.shape[0]
    if labels is None:
        return Data(
            rows=rows, columns=columns, table=None, kept=kept, dropped=dropped, places=frame.places, decimals=decimals,
            said=said,
        )  # fmt: skip
    seen = _seen(frame, found, labels, columns, kept, n)
    place = frame.names.index(labels.name) if frame.layout.ignore_case else None
    if kept is not None:
        labels = labels._replace(codes=labels.codes[kept])
    classes, texts, codes = classes_of(labels)
    return Data(
        rows=rows, columns=columns, table=frame.layout.table(labels.name, missing), classes=classes, texts=texts,
        codes=codes, kept=kept, dropped=dropped, places=frame.places, seen=seen, decimals=decimals, said=said,
        copies=lambda: frame.copies(place), ignore_case=frame.layout.ignore_case,
    )  # fmt: skip


def _seen(
    frame: Frame,
    found: Sequence[Cells],
    labels: Words,
    columns: tuple[Column, ...],
    kept: NDArray[np.int64] | None,
    n: int,
) -> Seen:
    """Tell what the table holds besides the rows that were made of it."""
    seen = Seen()
    seen.label, seen.rows = labels.name, n
    seen.columns = tuple(name for name in frame.names if name != labels.name)
    touched = np.zeros(n, bool)
    asked = set(columns)
    for source in [*found, labels]:
        gaps = source.gaps
        if gaps is not None:
            count = int(np.count_nonzero(gaps))
            touched |= gaps
            seen.gaps += count
            seen.untold += 0 if Column(source.name, gap=True) in asked or source is labels else count
    seen.rows_with_gaps = int(np.count_nonzero(touched))
    categories = {column.source for column in columns if column.category is not None}
    for source in found:
        if isinstance(source, Words) and source.name in categories:
            codes = source.codes if kept is None else source.codes[kept]
            unlisted = [Column(source.name, text) not in asked for text in source.texts]
            seen.unlisted += int(np.count_nonzero(np.array([*unlisted, False])[codes]))
    return seen


def _laid_out(
    frame: Frame,
    found: list[Cells],
    labels: Words | None,
    missing: Missing,
    columns: tuple[Column, ...] | None,
    n: int,
    unseen: str,
    unit: int,
) -> tuple[Rows, tuple[Column, ...], NDArray[np.int64] | None]:
    """Return rows, their columns, and which rows of the table they are if some are left out for their missing values."""
    masks = {source.name: source.gaps for source in found}
    gone = rows_with_gaps(masks, labels, n) if missing == "drop-rows" else None
    require_finite(found, frame.where, gone)
    if missing == "refuse" and any(mask is not None for mask in masks.values()):
        raise _missing(frame, masks, n, learnt=columns is not None)
    kept = None if gone is None else np.flatnonzero(~gone)
    if kept is not None:
        if not kept.size:
            raise none_left(frame.name, _counts(masks))
        found = [_without(source, kept) for source in found]
    columns = columns_for(found, missing) if columns is None else columns
    design = Design(columns, unseen, lambda row: frame.where(row if kept is None else int(kept[row])), float(unit))
    return design.rows(found, n if kept is None else kept.size), columns, kept


def _first(mask: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(mask)[0])


def rows_with_gaps(masks: dict[str, NDArray[np.bool_] | None], labels: Words | None, n: int) -> NDArray[np.bool_] | None:
    """Tell which rows have a missing value, be it the label's; None if none has."""
    gone = np.zeros(n, bool)
    for mask in [*masks.values(), None if labels is None else labels.gaps]:
        if mask is not None:
            gone |= mask
    return gone if gone.any() else None


def _missing(frame: Frame, masks: dict[str, NDArray[np.bool_] | None], n: int, *, learnt: bool) -> MissingValues:
    gone = rows_with_gaps(masks, None, n)
    assert gone is not None
    first = _first(gone)
    column = next(name for name, mask in masks.items() if mask is not None and mask[first])
    return missing_values(frame.name, (int(gone.sum()), n), (frame.where(first), column), _counts(masks), learnt=learnt)


def missing_values(
    name: str, rows: tuple[int, int], first: tuple[Place, str], counts: dict[str, int], *, learnt: bool
) -> MissingValues:
    """Return the error that a table has missing values: in how many rows of how many, where first, and by column."""
    places = f"{first[0]}, column {first[1]!r}. {_by_column(counts)}"
    return MissingValues.of((name, f"{rows[0]:,} of its {rows[1]:,} rows", places), learnt=learnt)


def none_left(name: str, counts: dict[str, int]) -> FileError:
    """Return the error that each row has a missing value."""
    return FileError(f"Every row of {name} has a missing value: none is left. {_by_column(counts)}")


def no_label(where: Place, label: str) -> FileError:
    """Return the error that a row has no label."""
    return FileError(
        f"{where}: no label (column {label!r}). Every row needs one; leave rows without a label out with ",
        Remedy("drop_unlabelled", True),
        ".",
    )


class MissingValues(OtherTable):
    """A table has missing values, and nothing was said of what to do with them."""

    facts: tuple[str, str, str]
    """The name of the table, how many rows have some, and where they are."""
    learnt: bool
    """Whether the columns were learnt from another table, which had none."""

    @classmethod
    def of(cls, facts: tuple[str, str, str], *, learnt: bool, kinds: str = "", drops_rows: bool = True) -> MissingValues:
        """Return the error; it names the kinds of missing values, and rows that can be left out, if there are such."""
        table, rows, places = facts
        if learnt:
            ways = ("There were none when it was learnt. Say ", Remedy("unseen", "ignore"), " to count them as 0.")
        else:
            how = ("with ", Remedy("missing", "drop-rows")) if drops_rows else ("before",)
            ways = (
                "Leave such rows out ", *how, ", count them as 0 with a column that tells by ",
                Remedy("missing", "indicator"), ", or ", Remedy("drop"), " the columns.",
            )  # fmt: skip
        error = cls(f"{table} has missing values{kinds} in {rows}, the first in {places} ", *ways)
        error.facts, error.learnt = facts, learnt
        return error

    def of_transformer(self) -> MissingValues:
        """Return the error for whoever must return a row for each row, of a table that is in memory."""
        return self.of(self.facts, learnt=self.learnt, kinds=" (NaN, None or a gap)", drops_rows=False)


def _counts(masks: dict[str, NDArray[np.bool_] | None]) -> dict[str, int]:
    return {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}


def _by_column(counts: dict[str, int]) -> str:
    return f"By column: {few_of([f'{name!r} {count:,}' for name, count in counts.items()], MAX_NAMES)}."


def _without(source: Cells, kept: NDArray[np.int64]) -> Cells:
    if isinstance(source, Words):
        return Words(source.name, source.texts, source.codes[kept])
    return source.taken(kept)


def at_prediction(missing: Missing, unseen: str) -> Missing:
    """Return what to do with missing values of new rows: those that were refused before count as 0 if so chosen."""
    return "indicator" if missing == "refuse" and unseen == "ignore" else missing


def columns_there(
    frame: Frame, columns: tuple[Column, ...], label: str | int | None
) -> tuple[list[str], list[int], int | None]:
    """Find the sources of columns that were learnt in another table, their places, and that of the label if one is named."""
    names = frame.names
    sources = list(dict.fromkeys(column.source for column in columns))
    places = places_of(names)
    absent = [name for name in sources if name not in places]
    if absent:
        what = "column" if len(absent) == 1 else f"{len(absent)} columns"
        raise OtherTable(f"{frame.name} lacks the {what} {listed(absent)}. It has: {listed(names)}.")
    wanted = [places[name] for name in sources]
    place = None if label is None else place_of_label(label, frame)
    if "" in (sources if place is None else [*sources, names[place]]) and names.count("") > 1:
        raise FileError(f"{frame.name} has two columns without a name. Name them, so that each is told apart.")
    if place is not None and place in wanted:
        raise OtherTable(f"The label, {names[place]!r}, is one of the columns that were learnt from.")
    return sources, wanted, place


def apply(
    frame: Frame, columns: tuple[Column, ...], missing: Missing, *, label: str | int | None = None, unseen: str = "refuse"
) -> Data:
    """Make rows of another table in the columns that were learnt; labels are optional."""
    names, (sources, wanted, place) = frame.names, columns_there(frame, columns, label)
    categories = {column.source for column in columns if column.category is not None}
    if unseen == "ignore":  # of columns that are asked for their gaps alone, the other cells are of no interest
        categories |= set(sources) - {column.source for column in columns if not column.gap}
    extra = [] if place is None else [place]
    gaps, words = frame.layout.gaps, frame.layout.words
    try:
        read, decimals = frame.read([*wanted, *extra], [*(k for k in wanted if names[k] in categories), *extra])
    except MixedColumns:
        read, decimals = frame.read([*wanted, *extra], [*wanted, *extra])
    labels = None if place is None else labels_of(frame, place, read.column(len(sources)), words)
    frame, read, labels, finish = with_labels(frame, read, labels)
    found = [cells_of(name, column, gaps, frame.where, words) for name, column in zip(sources, read.columns, strict=False)]
    if any(isinstance(source, Words) and source.name not in categories for source in found):
        gone = rows_with_gaps({source.name: source.gaps for source in found}, labels, read.num_rows)
        dropped = np.zeros(read.num_rows, bool) if gone is None or missing != "drop-rows" else gone
        found = [source if source.name in categories else _as_numbers(source, dropped, frame) for source in found]
    return finish(_assembled(frame, found, labels, missing, columns, read.num_rows, unseen, decimals))


def _as_numbers(source: Cells, dropped: NDArray[np.bool_], frame: Frame) -> Numbers:
    """Take words as the numbers that they are, true and false among them; what is none is of interest in rows that stay."""
    if isinstance(source, Numbers):
        return source
    marks = frame.layout.marks
    values = np.array([number_in(text, marks) for text in source.texts] + [0.0])[source.codes]
    odd = ~np.isfinite(values)
    if np.any(odd & ~dropped):
        row = _first(odd & ~dropped)
        where = f"{frame.where(row)}, column {brief(source.name)}: {brief(source.texts[source.codes[row]])}"
        if not np.any(~odd & (source.codes >= 0)):
            raise FileError(f"{where} is a word, in a column that had none when it was learnt.")
        raise FileError(
            f"{where} is not a number, as the values of the column were when it was learnt. If it stands for a missing "
            "value, say ",
            Remedy("gaps"),
            ".",
        )
    numbers = Numbers(source.name, np.where(odd, 0.0, values), source.gaps)
    return numbers if frame.layout.numbers == "float64" else with_numerators(numbers, source.texts, source.codes, marks)


def place_of_label(label: str | int, frame: Frame) -> int:
    """Find the label: by its name, be that empty, before all else."""
    if isinstance(label, str) and label in frame.names:
        return frame.names.index(label)
    return place_of(label, frame.names, frame.name, FOR_THE_LABEL)
