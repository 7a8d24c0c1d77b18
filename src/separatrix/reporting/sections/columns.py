"""What was done to the columns of the table before anything was learnt."""

from __future__ import annotations

from typing import Any

from ...problem.provenance import Column
from ...support.counts import counted, few_of
from ..draft import Draft
from ..markup import Markup, items, name, paragraphs, section, table

_MOST_COLUMNS = 40
"""Columns that the table shows."""

_MOST_NAMES = 8
"""Names in a row."""


def columns_section(draft: Draft) -> Markup:
    """Write what became of each column."""
    columns = draft.material.problem.columns if draft.material.problem is not None else None
    if columns is None and draft.material.data is not None:
        columns = draft.material.data.columns
    notes = [*draft.material.notes, *draft.answers.notes]
    body: list[Any] = [paragraphs(_reading(draft))]
    if columns is None or all(column.category is None and not column.gap for column in columns):
        body.append(paragraphs("Every column is used as it is: its numbers are the feature. Nothing was scaled or encoded."))
    if columns is not None:
        body.append(_table(columns))
    body += [_unused(draft, columns), paragraphs(_gaps(draft)), items(notes) if notes else None]
    return section("columns", "What was done to the columns", *body)


def _reading(draft: Draft) -> str:
    return {
        "float64": "The numbers are read as float64, as they were given.",
        "decimal": "The numbers are read as the decimals that they are: 0.1 is one tenth, not the float64 next to it.",
        "rational": "The numbers are read as the fractions that they are.",
    }[draft.material.rows.reading]


def _table(columns: tuple[Column, ...]) -> Markup:
    sources: dict[str, list[Column]] = {}
    for column in columns:
        sources.setdefault(column.source, []).append(column)
    rows = [[name(source), *_made(made)] for source, made in list(sources.items())[:_MOST_COLUMNS]]
    foot = f"These are the first {_MOST_COLUMNS} of {len(sources):,} columns." if len(sources) > _MOST_COLUMNS else None
    return table("From columns to features", ["column", "became", "features"], rows, key="columns-table", words=2, foot=foot)


def _made(made: list[Column]) -> list[str]:
    words = [name(column.category) for column in made if column.category is not None]
    gaps = any(column.gap for column in made)
    if words:
        what = f"1 where it is {few_of(words, _MOST_NAMES, in_all=True)}, else 0: a feature for each"
    else:
        what = "its numbers" if any(not column.gap for column in made) else "whether it is missing"
    return [what + ("; and a feature that is 1 where it is missing" if gaps else ""), f"{len(made):,}"]


def _unused(draft: Draft, columns: tuple[Column, ...] | None) -> Markup | None:
    """Name the columns that are not used."""
    seen = None if draft.material.data is None else draft.material.data.seen
    if seen is None or seen.columns is None or columns is None:
        return None
    used = {column.source for column in columns}
    left = [name(each) for each in seen.columns if each not in used]
    label = f"The column {name(seen.label)} holds the classes. " if seen.label is not None else ""
    unused = f"Not used: {few_of(left, _MOST_NAMES, in_all=True)}." if left else "All other columns are used."
    return paragraphs(label + unused)


def _gaps(draft: Draft) -> str | None:
    data = draft.material.data
    if data is None or data.seen is None or not data.seen.gaps or data.dropped:  # of rows left out, a note tells
        return None
    text = f"{counted(data.seen.gaps, 'cell')} {'is' if data.seen.gaps == 1 else 'are'} missing, in "
    return f"{text}{counted(data.seen.rows_with_gaps, 'row')}; they count as 0, and a feature tells of them."
