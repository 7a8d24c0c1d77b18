"""A model as a query of standard SQL, computed in double precision.

Three steps: cells, scores, and the prediction, which are put before the columns of the table. A row that the
model refuses has NULL for its score, and so for its prediction: NULL plus anything is NULL. Names are in double quotes,
texts in single ones, doubled within; neither stands in a comment. A column is named with its table, as SQLite takes a name
in double quotes that it does not find for a text otherwise. What is computed comes first, as SQLite takes the first of
columns with the same name, should the table have one; other databases refuse that. The number of all rows, which a window
counts, is of no use but one: without it SQLite would compute a score anew wherever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..support.counts import counted
from ..support.escaping import brief
from .rule import Rule, Source

PREDICTION = "prediction"
"""What the query calls the predictions, which are its first column."""

_MOST_IN_A_ROW = 100
"""Terms that are added one after the other."""

LARGEST_LABEL = 2**63 - 1
"""The largest whole number that a label may be."""


@dataclass(frozen=True)
class SqlNames:
    """What the query calls what it makes: names that no column of the model has, nor the table."""

    mark: str
    """What all of them begin with."""

    cells: tuple[str, ...]
    """The cells of the columns, in their order: numbers, or words."""
    rows: str
    """The number of rows."""
    scores: tuple[str, ...]
    """The scores, in the order of the classes."""


def sql_names(rule: Rule, table: str) -> SqlNames:
    """Choose names; SQL takes capital and small letters for the same."""
    taken = {name.casefold() for name in (table, *(source.name for source in rule.sources))}
    mark = next(mark for mark in _marks() if not any(name.startswith(f"{mark}_") for name in taken))
    cells = tuple(f"{mark}_x{k}" for k in range(1, len(rule.sources) + 1))
    vectors = len(rule.weights)
    scores = (f"{mark}_score",) if vectors == 1 else tuple(f"{mark}_score{k}" for k in range(1, vectors + 1))
    return SqlNames(mark, cells, f"{mark}_rows", scores)


def _marks() -> Iterator[str]:
    yield "sx"
    k = 2
    while True:
        yield f"sx{k}"
        k += 1


def sql_text(rule: Rule, table: str) -> str:
    """Return the query, for rows of the table that is named."""
    for text in (table, *rule.names()):
        refuse_nul(text)
    names = sql_names(rule, table)
    gaps = f"{names.mark}_gaps"
    columns = {source.name: name for source, name in zip(rule.sources, names.cells, strict=True)}
    cells = [f"{_cell(source, gaps)} AS {named(columns[source.name])}" for source in rule.sources]
    scores = [f"{_score(rule, columns, k, gaps)} AS {named(name)}" for k, name in enumerate(names.scores)]
    texts = ", ".join(f"({literal(text)})" for text in rule.gaps) or "(NULL)"
    window = f"COUNT(*) OVER () AS {named(names.rows)}"
    scores.append(window)
    if len(rule.weights) > 1:  # then each number is asked for more than once, too
        cells.append(window)
    between = ",\n    "
    return f"""{_comment(rule)}
WITH {gaps} (cell) AS (VALUES {texts}),
{names.mark}_numbers AS (
  SELECT
    {between.join([*cells, "t.*"])}
  FROM {named(table)} AS t
),
{names.mark}_scores AS (
  SELECT
    {between.join([*scores, "t.*"])}
  FROM {names.mark}_numbers AS t
)
SELECT
  {_prediction(rule, names)} AS "{PREDICTION}",
  t.*
FROM {names.mark}_scores AS t
"""


def _comment(rule: Rule) -> str:
    """Say what the query is; no name stands here."""
    classes, columns = counted(len(rule.classes), "class"), counted(len(rule.sources), "column")
    gaps = "has no prediction" if not rule.gap_counts else "is predicted as the model was learnt"
    unseen = "gives NULL" if rule.unseen == "refuse" else "counts as 0"
    return f"""-- A classifier that separatrix has learnt ({rule.kind}): {classes}, {columns} of a table.
-- Standard SQL, computed in double precision. The result has the prediction, the score (of more than two classes one for
-- each, in order), the cells that were read, and the columns of the table. Columns of numbers must hold numbers, NULL, or
-- a text that stands for a missing value.
-- A row with a missing value {gaps}; what was not there when the model was learnt {unseen}."""


# ---- Scores.


def _cell(source: Source, gaps: str) -> str:
    """Return the expression of a number, NULL where it is missing; or of a word.

    Words are read here, too: of what a query has made, SQLite does not find a column that is called TRUE or FALSE.
    """
    text = f"CAST(t.{named(source.name)} AS VARCHAR(1000))"
    if source.number is None:
        return text
    text = f"TRIM({text})"
    found = (
        f"CASE WHEN {text} IN (SELECT cell FROM {gaps}) THEN NULL\n         WHEN LOWER({text}) = 'true' THEN 1E0 "
        f"WHEN LOWER({text}) = 'false' THEN 0E0\n         ELSE CAST(t.{named(source.name)} AS DOUBLE PRECISION) END"
    )
    if source.scaling is None:
        return found
    shift, scale = map(decimal, source.scaling)
    return f"({found} - {shift}) / {scale}"


def _score(rule: Rule, cells: dict[str, str], k: int, gaps: str) -> str:
    """Return the expression of a score."""
    terms = [decimal(rule.intercepts[k])] if rule.intercepts[k] else []
    for source in rule.sources:
        cell = f"t.{named(cells[source.name])}"
        terms.append(_words(rule, source, cell, k, gaps) if source.number is None else _number(rule, source, cell, k))
    return added(terms) if terms else "0E0"


def _number(rule: Rule, source: Source, cell: str, k: int) -> str:
    assert source.number is not None
    product = f"{decimal(rule.weights[k][source.number])} * {cell}"
    gap = rule.weight_of_gap(source, k)
    return product if gap is None else f"COALESCE({product}, {decimal(gap)})"


def _words(rule: Rule, source: Source, cell: str, k: int, gaps: str) -> str:
    """Return what the words of a column add to a score; of a gap it is asked first, unless it is a category as it is."""
    vector, gap = rule.weights[k], rule.weight_of_gap(source, k)
    missing = "NULL" if gap is None else decimal(gap)
    cases = [f"WHEN {cell} = {literal(text)} THEN {decimal(vector[j])}" for text, j in source.categories.items()]
    unseen = "NULL" if rule.unseen == "refuse" else "0E0"
    is_gap = f"WHEN {cell} IS NULL OR TRIM({cell}) IN (SELECT cell FROM {gaps}) THEN {missing}"
    between = "\n          "
    return f"CASE {between.join([*cases, is_gap])}{between}ELSE {unseen} END"


def added(terms: Sequence[str]) -> str:
    """Add terms up, a line for each; many of them in parts, as databases limit how deep an expression is."""
    if len(terms) <= _MOST_IN_A_ROW:
        return "\n      + ".join(terms)
    size = -(-len(terms) // _MOST_IN_A_ROW)
    parts = [terms[start : start + size] for start in range(0, len(terms), size)]
    return "\n      + ".join(f"({added(part)})" for part in parts)


# ---- The prediction.


def _prediction(rule: Rule, names: SqlNames) -> str:
    labels = [label(each) for each in rule.classes]
    scores = [f"t.{named(name)}" for name in names.scores]
    if len(scores) == 1:
        above, below = (">=", "<") if rule.ties_to_last else (">", "<=")
        return f"CASE WHEN {scores[0]} {above} 0 THEN {labels[1]} WHEN {scores[0]} {below} 0 THEN {labels[0]} END"
    order = list(range(len(labels)))
    cases = []
    for k in reversed(order) if rule.ties_to_last else order:
        largest = " AND ".join(f"{scores[k]} >= {scores[other]}" for other in order if other != k)
        cases.append(f"WHEN {largest} THEN {labels[k]}")
    return f"CASE {' '.join(cases)} END"


# ---- Names and values.


def named(name: str) -> str:
    """Write a name.

    >>> print(named('a "b" c'))
    "a ""b"" c"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(text: str) -> str:
    """Write a text.

    >>> print(literal("it's"))
    'it''s'
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def label(value: Any) -> str:
    """Write a label."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        if not -LARGEST_LABEL <= value <= LARGEST_LABEL:
            raise ValueError(f"The label {value} is too large a whole number for SQL. Call the classes otherwise.")
        return str(value)
    return decimal(Fraction(value))


def decimal(number: Fraction | float) -> str:
    """Write the float64 nearest to a number, as one in double precision.

    >>> print(decimal(3), decimal(Fraction(-1, 10)), decimal(Fraction(10) ** 30))
    3E0 -1E-1 1E30
    """
    digits, _, exponent = np.format_float_scientific(float(number), unique=True, trim="-").partition("e")
    return f"{digits}E{int(exponent)}"


def refuse_nul(text: str) -> None:
    """Refuse what no database takes in a text or a name."""
    if "\0" in text:
        raise ValueError(f"SQL has no place for the character NUL, as in {brief(text)}. Export to Python, or rename it.")
