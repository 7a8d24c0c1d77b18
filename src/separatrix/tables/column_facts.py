"""What `describe` finds out about each column."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from .._types import Floats
from ..problem.provenance import Choice, Layout
from ..support.remedies import Message
from .cells import Numbers, Words, cells_of, require_finite, told_apart
from .column_notes import identifies_rows
from .facts import IMPLY_DEPENDENCE, MAX_FREQUENT, ColumnDescription, Note, Noted
from .frame import Frame
from .text.csv_reading import FirstWord, is_number


def column_of_cells(
    name: str, column: pa.ChunkedArray, frame: Frame, choice: Choice, unit: float = 1.0
) -> tuple[ColumnDescription, Numbers | Words | None]:
    """Describe a column, and return its cells if they can be used; its numbers are so many times too large."""
    try:
        (cells,) = told_apart([cells_of(name, column, frame.layout.gaps, frame.where)])
        require_finite([cells], frame.where)
    except ValueError as error:
        return column_of_others(name, error, column.null_count), None
    gaps = 0 if cells.gaps is None else int(cells.gaps.sum())
    if gaps == len(column):
        described = column_of_gaps(name, gaps, choice)
        return described, cells if described.used else None
    if isinstance(cells, Words):
        return column_of_words(cells, "category"), cells
    values = cells.array()
    present = values if cells.gaps is None else values[~cells.gaps]
    if pa.types.is_boolean(column.type):
        return column_of_flags(name, int(np.count_nonzero(present)), present.size, gaps), cells
    return column_of_numbers(name, present, present.size, gaps, unit), cells


def column_of_others(name: str, error: Exception, gaps: int) -> ColumnDescription:
    """Describe a column that cannot be used."""
    notes = (Note(Noted.UNUSABLE),)
    return ColumnDescription(name=name, kind="other", used=False, gaps=gaps, reason=Message(error), notes=notes)


def column_of_gaps(name: str, gaps: int, choice: Choice) -> ColumnDescription:
    """Describe a column that holds nothing."""
    usable = choice.missing == "indicator"
    return ColumnDescription(name=name, kind="empty", used=usable, gaps=gaps, notes=(Note(Noted.EMPTY),))


def column_of_flags(name: str, true: int, cells: int, gaps: int) -> ColumnDescription:
    """Describe a column of true and false."""
    return column_of_counts(name, "flag", {"true": true, "false": cells - true}, gaps)


def column_of_numbers(name: str, values: Floats, cells: int, gaps: int = 0, unit: float = 1.0) -> ColumnDescription:
    """Describe numbers, given all those that occur, so many times too large."""
    ordered = np.sort(values + 0.0)  # -0.0 is 0.0
    distinct = int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1
    ends = float(ordered[0]), float(ordered[-1])
    whole = distinct == cells and are_whole(values, unit)
    return column_of_facts(name, NumberFacts(*ends, distinct, whole), cells, gaps, unit)


class NumberFacts(NamedTuple):
    """What is to be known of the numbers of a column, which are so many times too large."""

    least: float
    largest: float
    distinct: int
    whole: bool
    """Whether all are whole numbers, if no two are the same."""


def are_whole(values: Floats, unit: float) -> bool:
    """Whether numbers are whole that are so many times too large."""
    return bool(np.all(values % unit == 0.0))


def column_of_facts(name: str, found: NumberFacts, cells: int, gaps: int = 0, unit: float = 1.0) -> ColumnDescription:
    """Describe numbers by what is known of them."""
    least, largest = float(found.least / unit), float(found.largest / unit)
    # Whole numbers without much room between them; measurements may well differ all.
    dense = found.distinct == cells and largest - least < 2 * cells and found.whole
    return ColumnDescription(
        name=name, kind="number", used=True, gaps=gaps, cells=cells, distinct=found.distinct, least=least, largest=largest,
        notes=_notes(found.distinct, cells, dense),
    )  # fmt: skip


def _notes(distinct: int, cells: int, may_identify: bool = True) -> tuple[Note, ...]:
    if may_identify and identifies_rows(distinct, cells):
        return (Note(Noted.IDENTIFYING),)
    return (Note(Noted.CONSTANT),) if distinct == 1 else ()


def column_of_words(words: Words, kind: str) -> ColumnDescription:
    """Describe a column of words."""
    counts = np.bincount(words.codes + 1, minlength=len(words.texts) + 1).tolist()
    return column_of_counts(words.name, kind, dict(zip(words.texts, counts[1:], strict=True)), counts[0])


def column_of_counts(name: str, kind: str, counts: dict[str, int], gaps: int) -> ColumnDescription:
    """Describe a column by how often each text occurs."""
    frequent = sorted(((text, count) for text, count in counts.items() if count), key=lambda each: (-each[1], each[0]))
    cells = sum(counts.values())
    return ColumnDescription(
        name=name, kind=kind, used=True, gaps=gaps, cells=cells, distinct=len(frequent),
        frequent=tuple(frequent[:MAX_FREQUENT]), notes=_notes(len(frequent), cells),
    )  # fmt: skip


def column_of_mixed(words: Words, first: FirstWord, layout: Layout) -> ColumnDescription:
    """Describe a column that has both numbers, with the marks that the table has, and words."""
    strange = np.array([not is_number(text, layout) for text in words.texts] + [False])
    return as_mixed(column_of_words(words, "mixed"), int(np.count_nonzero(strange[words.codes])), first)


def as_mixed(column: ColumnDescription, words: int, first: FirstWord) -> ColumnDescription:
    """Say of a column of texts that so many are words, beside numbers."""
    return replace(column, used=False, words=words, notes=(Note(Noted.MIXED, first),))


def with_equal(
    columns: dict[int, ColumnDescription], told: Mapping[int, tuple[Hashable, Sequence[str]]]
) -> dict[int, ColumnDescription]:
    """Note which columns are equal to one before them, or say the same in other words; see `told_by`."""
    columns, seen = dict(columns), dict[Hashable, tuple[int, Sequence[str]]]()
    for k, (what, spelled) in told.items():
        if what not in seen:
            seen[what] = k, spelled
            continue
        other, words = seen[what]
        relation = Noted.EQUAL if words == spelled else Noted.EQUIVALENT
        columns[k] = replace(columns[k], notes=(*columns[k].notes, Note(relation, columns[other].name)))
    return columns


def told_by(source: Numbers | Words) -> tuple[bytes, Sequence[str]]:
    """Return what a column tells: hashes of its numbers or, of words, of which cells are equal, and the words in order."""
    if isinstance(source, Numbers):
        values = source.array() + 0.0
        digest = hashlib.blake2b(values.tobytes())
        if source.gaps is not None:
            digest.update(source.gaps.tobytes())
        return digest.digest(), ()
    n = source.codes.size
    first = np.full(len(source.texts) + 1, n)
    first[source.codes[::-1]] = np.arange(n)[::-1]  # of several, the last one stays
    first[-1] = n
    told = first[source.codes]
    spelled = [source.texts[code] for code in np.argsort(first[:-1]).tolist() if first[code] < n]
    return hashlib.blake2b(b"words" + told.tobytes()).digest(), spelled


def with_dependent(columns: dict[int, ColumnDescription], sources: set[str]) -> dict[int, ColumnDescription]:
    """Note which columns depend on others, unless something that implies it is noted already."""
    columns = dict(columns)
    for k, column in columns.items():
        if column.used and column.name in sources and not any(note.kind in IMPLY_DEPENDENCE for note in column.notes):
            columns[k] = replace(column, notes=(*column.notes, Note(Noted.DEPENDENT)))
    return columns
