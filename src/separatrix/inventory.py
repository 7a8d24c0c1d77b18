"""What `describe` says of a table, for people and for machines."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from . import census
from .cells import listed
from .names import quoted, shown, tamed
from .terminal import console, counted, percent

_FREQUENT = 12
"""Categories of a column that are kept with their counts, the most frequent ones."""

_SHOWN = 4
"""Categories of a column that are shown."""

_LINES = 60
"""Columns that are shown to a person."""

_RELATIONS = 8
"""Dependent columns that are shown."""

_TERMS = 5
"""Terms of a linear combination up to which it is written out."""


@dataclass(frozen=True)
class ColumnDescription:
    """A column of the table.

    Attributes
    ----------
    kind : {"number", "flag", "category", "label", "mixed", "empty", "other", "dropped"}
        What it holds, or what is done with it; "empty" if all its cells are missing, "other" if it holds what cannot be
        used.
    used : bool
        Whether what is said of the rows takes it into account.
    least, largest : float or None
        Of numbers.
    distinct : int
        Different values, gaps not counted.
    frequent : tuple of (str, int)
        The most frequent values with their counts, of categories and flags.
    """

    name: str
    kind: str
    used: bool
    gaps: int = 0
    cells: int = 0
    """Those that are not missing."""
    distinct: int = 0
    least: float | None = None
    largest: float | None = None
    frequent: tuple[tuple[str, int], ...] = ()
    words: int = 0
    """Of a mixed column: how many cells are not numbers."""
    reason: str = ""
    """Why it cannot be used, if its kind is "other"."""
    notes: tuple[str, ...] = ()

    def values(self) -> str:
        """Say what the values are."""
        if self.kind == "dropped" or not self.distinct:
            return ""
        if self.kind == "mixed":
            return f"{counted(self.cells - self.words, 'number')}, {counted(self.words, 'word')}"
        if self.least is not None and self.largest is not None:
            if self.least == self.largest:
                return _number(self.least)
            return f"{_number(self.least)} to {_number(self.largest)}, {self.distinct:,} different"
        return _most_frequent(self.frequent, self.distinct)

    def document(self) -> dict[str, Any]:
        """Return the column as JSON has it."""
        return {**asdict(self), "frequent": [list(pair) for pair in self.frequent], "notes": list(self.notes)}


class Dependence(NamedTuple):
    """A column of the problem that is a linear combination of the constant and the columns before it."""

    column: str
    terms: tuple[tuple[Fraction, str | None], ...] | None
    """Coefficients with their columns, None for the constant; None if they were not computed."""

    def __str__(self) -> str:
        column = plainly(self.column)
        if self.terms is None:
            return f"{column} depends on others"
        if len(self.terms) > _TERMS or any(max(abs(c.numerator), c.denominator) >= 10**6 for c, _ in self.terms):
            names = [plainly(name) for _, name in self.terms if name is not None]
            return f"{column} depends on {_some(names[:_TERMS], len(names))}"
        text = "".join(_term(coefficient, name) for coefficient, name in self.terms)
        return f"{column} equals {text.removeprefix(' + ').replace(' - ', '-', text.startswith(' - '))}"


@dataclass(frozen=True)
class RowsDescription:
    """The rows of the problem that the table would become.

    Attributes
    ----------
    rows, left_out : int
        How many there are, and how many of the table are left out, as they have missing values.
    columns : int
        Of the problem: numbers, one for each category (``of_categories``), and those that tell of gaps (``of_gaps``).
    classes : tuple of (label, int)
        The classes with their numbers of rows.
    duplicates : int
        Rows that are equal to one before them.
    contradictory_groups, contradictory_rows : int or None
        Points that occur with different labels; and how many rows no hyperplane can classify rightly for that, since only
        the most frequent label of a point can be right. None without labels.
    example : tuple of str
        Where the first such rows are.
    constant : tuple of str
        Columns of the problem that have one value.
    inevitable : tuple of str
        Columns of the table whose categories add up to the constant, as those of one column do.
    dependent : tuple of Dependence, or None
        Other columns of the problem that depend on the constant and the columns before them, exactly; constant ones are
        not repeated. None if there are too many columns to find out.
    """

    rows: int
    left_out: int
    columns: int
    of_categories: int
    of_gaps: int
    sparse: bool
    classes: tuple[tuple[Any, int], ...]
    duplicates: int
    contradictory_groups: int | None
    contradictory_rows: int | None
    example: tuple[str, ...]
    constant: tuple[str, ...]
    inevitable: tuple[str, ...]
    dependent: tuple[Dependence, ...] | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        contradictions = {
            "groups": self.contradictory_groups,
            "rows": self.contradictory_rows,
            "example": list(self.example),
        }
        return {
            "rows": self.rows, "left_out": self.left_out, "columns": self.columns,
            "of_categories": self.of_categories, "of_gaps": self.of_gaps, "sparse": self.sparse,
            "classes": [{"class": name, "rows": count} for name, count in self.classes],
            "duplicates": self.duplicates,
            "contradictions": None if self.contradictory_groups is None else contradictions,
            "constant": list(self.constant), "inevitable": list(self.inevitable),
            "dependent": None if self.dependent is None else [_dependence(each) for each in self.dependent],
        }  # fmt: skip


@dataclass(frozen=True)
class Description:
    """What a table holds, and what would be made of it; see `describe`."""

    name: str
    kind: str
    """One of `files.FORMATS`, or "table"."""
    form: str
    """How it is written, in words."""
    rows: int
    label: str | None
    columns: tuple[ColumnDescription, ...] = field(repr=False)
    problem: RowsDescription | None
    """What the rows are like; None if none is left."""
    left_out: tuple[str, ...]
    """Columns that are not dropped, but could not be taken into account."""
    advice: tuple[str, ...]
    """What stands in the way of deciding, and the way out."""

    def document(self) -> dict[str, Any]:
        """Return the description as JSON has it."""
        return {
            "name": self.name, "format": self.kind, "form": self.form, "rows": self.rows, "label": self.label,
            "columns": [column.document() for column in self.columns],
            "problem": None if self.problem is None else self.problem.document(),
            "left_out": list(self.left_out), "advice": list(self.advice),
        }  # fmt: skip

    def explain(self, width: int = 100) -> str:
        """Return the description in words, as a person at a terminal sees it."""
        text = io.StringIO()
        console(file=text, width=width, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        size = f"{counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}"
        parts: list[Any] = [Text(f"{shown(self.name)}: {size}. {self.form}".rstrip()), Text(), self._table()]
        hidden = len(self.columns) - len(self._listed())
        if hidden:
            parts.append(Text(f" … and {counted(hidden, 'more column')}; --json has them all."))
        parts += [Text(), self._summary()]
        if self.advice:
            items = Table.grid(padding=(0, 1, 0, 0))
            for each in self.advice:
                items.add_row(Text("-"), Text(tamed(each)))
            parts += [Text(), Text("Before it can be decided:"), items]
        return Group(*parts)

    def _listed(self) -> list[ColumnDescription]:
        """Return the columns to show: all, or the first ones, the label, and what is in the way."""
        rest = [column for column in self.columns[_LINES:] if column.kind in ("label", "mixed", "empty", "other")]
        return [*self.columns[:_LINES], *rest[:_LINES]]

    def _table(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
        gaps, notes = (any(getattr(column, what) for column in self.columns) for what in ("gaps", "notes"))
        for title in ("column", "what", "values"):
            grid.add_column(Text(title), overflow="fold")
        if gaps:
            grid.add_column(Text("gaps"), justify="right", no_wrap=True)
        if notes:
            grid.add_column(Text("notes"), overflow="fold")
        for column in self._listed():
            cells = [short(column.name, 40) if column.name else "(no name)", column.kind, column.values()]
            cells += [f"{column.gaps:,}" if column.gaps else ""] if gaps else []
            cells += [tamed("; ".join(column.notes))] if notes else []
            grid.add_row(*map(Text, cells))
        return grid

    def _summary(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column(overflow="fold")
        for title, text in self.facts():
            grid.add_row(Text(title), Text(text))
        return grid

    def facts(self) -> list[tuple[str, str]]:
        """Return what is said of the problem, line by line, each with its title."""
        if self.problem is None:
            what = (
                "row without a missing value"
                if any(c.used and c.kind != "label" for c in self.columns)
                else "column to learn from"
            )
            return [("problem", f"There is no {what}, so nothing can be said of the rows.")]
        rows = self.problem
        left = f" of {self.rows:,}; {rows.left_out:,} left out for missing values" if rows.left_out else ""
        without = f"; without {listed(self.left_out)}" if self.left_out else ""
        facts = [
            ("rows", f"{rows.rows:,}{left}"),
            ("features", f"{rows.columns:,}, {'sparse' if rows.sparse else 'dense'}{_made_of(rows)}{without}"),
        ]
        if rows.classes:
            each = [f"{shown(name)}: {count:,} ({percent(count, rows.rows)})" for name, count in rows.classes[:_FREQUENT]]
            facts.append(("classes", _some(each, len(rows.classes))))
        else:
            facts.append(("classes", "none: name the column that holds them with --label"))
        facts.append(
            ("duplicates", f"{counted(rows.duplicates, 'row')} equal to an earlier one" if rows.duplicates else "none")
        )
        if rows.contradictory_groups is not None:
            facts.append(("contradictions", _contradictions(rows, self.name)))
        facts.append(("constant", _some(list(map(shown, rows.constant[:_FREQUENT])), len(rows.constant)) or "none"))
        facts.append(("collinear", _collinear(rows)))
        return facts


# ---- In words.


def _number(value: float) -> str:
    return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _most_frequent(frequent: Sequence[tuple[str, int]], distinct: int) -> str:
    few = frequent[: _SHOWN if distinct <= _SHOWN else _SHOWN - 1]
    texts = ", ".join(f"{short(text)} ({count:,})" for text, count in few)
    return texts if distinct <= len(few) else f"{distinct:,} different: {texts}, …"


def short(text: str, most: int = 24) -> str:
    """Write a text so that it fits, and that what it holds can be seen."""
    text = text if text == text.strip() and text == shown(text) and text else quoted(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def plainly(name: str) -> str:
    """Name a column so that it cannot be taken for a number."""
    return f"column {name}" if name.isdigit() else shown(name)


def _term(coefficient: Fraction, name: str | None) -> str:
    size, sign = abs(coefficient), "-" if coefficient < 0 else "+"
    if name is None:
        return f" {sign} {size}"
    return f" {sign} {plainly(name)}" if size == 1 else f" {sign} {size} {plainly(name)}"


def _some(texts: Sequence[str], number: int) -> str:
    return ", ".join(texts) + (f", … ({number:,} in all)" if number > len(texts) else "")


def _contradictions(rows: RowsDescription, name: str) -> str:
    if not rows.contradictory_groups:
        return "none"
    example = f"; the first: {' and '.join(shown(place.removeprefix(f'{name}, ')) for place in rows.example)}"
    return (
        f"{counted(rows.contradictory_groups, 'point')} with different labels, so that any hyperplane misclassifies at "
        f"least {counted(rows.contradictory_rows or 0, 'row')}{example}"
    )


def _made_of(rows: RowsDescription) -> str:
    """Say what the columns are, if they are not all numbers."""
    numbers = rows.columns - rows.of_categories - rows.of_gaps
    if numbers == rows.columns:
        return ""
    parts = [(numbers, "number"), (rows.of_categories, "category"), (rows.of_gaps, "gap")]
    return f": {', '.join(counted(number, what) for number, what in parts if number)}"


def _collinear(rows: RowsDescription) -> str:
    if rows.dependent is None:
        surely = rows.columns + 1 - rows.rows
        certain = f", but at least {surely:,} columns are, as there are more columns than rows" if surely > 0 else ""
        return f"not looked for among {rows.columns:,} columns (at most {census.MOST_COLUMNS:,}){certain}"
    lines = [str(each) for each in rows.dependent[:_RELATIONS]]
    if len(rows.dependent) > len(lines):
        lines.append(f"… ({len(rows.dependent):,} in all)")
    if rows.inevitable:
        names = _some(list(map(shown, rows.inevitable[:_TERMS])), len(rows.inevitable))
        lines = lines or ["none"]
        where = "column" if len(rows.inevitable) == 1 else "columns"
        lines.append(f"and, as always, the categories add up to 1 in {where} {names}")
    return "\n".join(lines) or "none"


def _dependence(each: Dependence) -> dict[str, Any]:
    terms = None if each.terms is None else [{"coefficient": str(c), "column": name} for c, name in each.terms]
    return {"column": each.column, "terms": terms}
