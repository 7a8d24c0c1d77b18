"""What rows in blocks hold, before anything is made of them: the description that `describe` gives of rows in memory.

A table is surveyed, by a survey that refuses nothing that can be told of (`tables/loose_survey.py`); a pass over its columns
tells what numbers they hold; and one over its rows, those that no gap keeps from being used, what these tell together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..exceptions import FileError
from ..problem.batches import Batches
from ..problem.blocks import Facts
from ..problem.provenance import Choice, Layout, LibsvmTable
from ..tables.cells import Numbers, Words, class_called, label_text
from ..tables.column_facts import NumberFacts, column_of_counts, column_of_facts, with_equal
from ..tables.column_notes import MIN_IDENTIFYING, about_positive, notes_of_columns
from ..tables.column_pass import ColumnPass
from ..tables.data import notes_of_rows
from ..tables.decimals import Decimals
from ..tables.description import Found, as_libsvm, describe, described, described_rows, require_positive
from ..tables.description_text import Description
from ..tables.facts import ColumnDescription, RowsDescription
from ..tables.frame import arrow_head
from ..tables.kept_pieces import KeptSurvey
from ..tables.libsvm_pieces import LibsvmPieces
from ..tables.loose_survey import LooseSurvey
from ..tables.opened_pieces import Room, opened_in_pieces
from ..tables.pieces import Pieces
from ..tables.row_facts import KnownRows
from .counting_rows import RowCount
from .files import TableBlocks
from .libsvm_blocks import LibsvmBlocks
from .stream import Stream

_SHARE = 16
"""What is counted of columns, or of rows, takes one part in so many of the memory: it is copied to be put in order."""


def describe_files(source: Any, choice: Choice, layout: Layout, memory: int) -> Description:
    """Describe files in so many bytes of memory; nothing is refused but what can neither be described in memory."""
    room = Room(memory)
    pieces = opened_in_pieces(source, layout, choice, room)
    if isinstance(pieces, LibsvmPieces):
        return Stream(LibsvmBlocks(pieces), memory=memory).describe(choice.positive)
    if pieces is None:
        return describe(source, choice, layout=layout)
    return describe_table(pieces, choice, room, memory // _SHARE)


def describe_rows(
    batches: Batches, positive: str | None = None, decimals: Decimals | None = None, held: int | None = None
) -> Description:
    """Describe rows of numbers, each column of them; hold about so many bytes of what is counted."""
    facts = batches.facts
    texts = tuple(map(label_text, facts.classes))
    if positive is not None:
        class_called(positive, facts.classes, texts)
    names = _names(facts)
    known = KnownRows.of_facts(facts, names, texts, None if decimals is None else decimals.misfit)
    found = RowCount(batches, known, positive, held or 2 * batches.most_numbers, numbers=True)
    numbers = found.numbers(range(facts.d))
    columns = {j: column_of_facts(name, numbers[j], facts.n) for j, name in enumerate(names)}
    if batches.label_column is not None:
        return _of_columns(columns, numbers, found, known, batches.label_column, positive)
    notes = list(notes_of_rows(decimals, facts.given, 0, 0, len(facts.classes)))
    return described_rows(columns, known, found.rows, positive, notes)


def _of_columns(
    columns: dict[int, ColumnDescription],
    numbers: dict[int, NumberFacts],
    found: RowCount,
    known: KnownRows,
    label_column: tuple[str, int],
    positive: str | None,
) -> Description:
    """Describe a table of numbers whose labels are one of its columns."""
    label, place = label_column
    columns = with_equal(columns, {j: (found.alike.classes[j], ()) for j in columns if columns[j].distinct > 1})
    counts = {text.lower() if isinstance(value, bool) else text: count
              for value, text, count in zip(known.classes, known.texts, known.counts, strict=True)}  # fmt: skip
    places = {j: j + (j >= place) for j in columns}
    in_place = {places[j]: column for j, column in columns.items()}
    in_place[place] = replace(column_of_counts(label, "label", counts, 0), notes=())
    frame = arrow_head(["the table"], [[in_place[k].name for k in sorted(in_place)]], Layout(), "table")

    def numbers_rows(source: Numbers) -> bool:
        each = next(numbers[j] for j, column in columns.items() if column.name == source.name)
        dense = each.distinct == known.n and each.whole and each.largest - each.least < 2 * known.n
        return dense and known.n > MIN_IDENTIFYING

    sources = [Numbers(column.name, np.zeros(1), None) for column in columns.values()]
    labels = Words(label, list(counts), np.arange(len(counts)))
    said = notes_of_columns(frame, sources, labels, known.n, numbers_rows)
    example = [each._replace(file=frame.name) for each in found.rows.example]
    about, depending = known.described(found.rows._replace(example=example))
    told = Found(
        known.given, place, sorted(in_place), in_place, {}, list(places.values()), about, depending,
        [*said, *about_positive(known.classes, positive)],
    )  # fmt: skip
    return described(frame, Choice(label=label, positive=positive), told)


def describe_libsvm(
    pieces: LibsvmPieces, batches: Batches, positive: str | None = None, held: int | None = None
) -> Description:
    """Describe LIBSVM text."""
    batches.facts  # noqa: B018 (which surveys it)
    return as_libsvm(describe_rows(batches, positive, pieces.decimals, held), pieces.name, pieces.table.base)


def _names(facts: Facts) -> list[str]:
    if facts.columns is not None:
        return list(map(str, facts.columns))
    first = facts.table.base if isinstance(facts.table, LibsvmTable) else 1
    return [f"x{first + j}" for j in range(facts.d)]


def describe_table(
    pieces: Pieces, choice: Choice, room: Room, held: int, rows_of: Callable[[TableBlocks], Batches] | None = None
) -> Description:
    """Describe a table in pieces; hold about so many bytes of what is counted.

    A function has rows of it read wherever the pieces are; they are a stream if that is here.
    """
    survey = LooseSurvey(pieces, choice, room.most)
    label, positive = survey.label, choice.positive
    require_positive(choice, survey.label_texts)
    found = ColumnPass(survey, held)
    columns = {k: survey.described(k, found.found.get(k)) for k in survey.places}
    columns = with_equal(columns, {k: told for k, told in found.equal().items() if columns[k].distinct > 1})
    blocks = _blocks(survey, room)
    about, sources, notes = None, set[str](), list(survey.frame.notes)
    if blocks is not None:
        about, sources = _about(blocks, Stream(blocks) if rows_of is None else rows_of(blocks), survey.rows, positive, held)
        notes = [*blocks.learnt.said, *about_positive(blocks.learnt.classes, positive)]
    frame = survey.frame._replace(layout=pieces.frame.layout)
    told = Found(survey.rows, label, survey.places, columns, survey.mixed, survey.used, about, sources, notes)
    return described(frame, choice, told)


def _about(
    blocks: TableBlocks, rows: Batches, given: int, positive: str | None, held: int
) -> tuple[RowsDescription, set[str]]:
    """Describe the rows that are made of a table; return also the columns of it that depend on others."""
    learnt = blocks.learnt
    facts = replace(rows.facts, given=given)
    misfit = None if learnt.decimals is None else learnt.decimals.misfit
    known = KnownRows.of_facts(facts, _names(facts), learnt.texts, misfit)
    return known.described(RowCount(rows, known, positive, held).rows)


def _blocks(survey: LooseSurvey, room: Room) -> TableBlocks | None:
    """Return the rows of a table that can be used, in columns that can be; None if there are none."""
    if not survey.used:
        return None
    if survey.is_plain:
        return TableBlocks.of(survey.pieces, survey.learnt(), room)
    kept = KeptSurvey(survey, room.most)
    try:
        return TableBlocks.of(kept.pieces, kept.learnt(), room)
    except FileError:
        if not sum(kept.pieces.rows()):  # all were left out
            return None
        raise
