"""What `describe` says of a table, for people and for machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..problem import spans
from ..support.blocks import Block, Grid, written
from ..support.console import printed
from ..support.counts import counted, few_of, percent
from ..support.escaping import brief, shown, tamed
from ..support.notebook import with_picture
from ..support.remedies import Message, Remedy, worded
from .cells import class_text, listed
from .facts import MAX_FREQUENT, MAX_TERMS, ColumnDescription, RowsDescription, plainly, short

_MAX_COLUMNS_SHOWN = 60
"""Columns that are shown to a person."""

_MAX_RELATIONS_SHOWN = 8
"""Dependent columns that are shown."""

ONE_CLASS = "learning takes rows of two."
"""What advice about rows of one class ends with."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Description:
    """What a table holds, and what would be made of it; see `describe`."""

    name: str
    kind: str
    """One of `sources.FORMATS`, or "table"."""
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
    notes: tuple[str, ...] = ()
    """What was found out of how it is written, and what to know of its columns."""
    remedy_text: Callable[[Remedy], str] = field(default=str, repr=False, compare=False)
    """The words for remedies: those of Python, unless another function is given."""

    def document(self) -> dict[str, Any]:
        """Return the description as JSON has it."""
        return {
            "name": self.name, "format": self.kind, "form": self.form, "rows": self.rows, "label": self.label,
            "columns": [column.document(self.remedy_text) for column in self.columns],
            "problem": None if self.problem is None else self.problem.document(),
            "left_out": list(self.left_out), "advice": list(map(self._worded, self.advice)),
            "notes": list(map(self._worded, self.notes)),
        }  # fmt: skip

    def explain(self, format: str = "text", *, width: int = 100) -> str:  # noqa: A002 (the word users expect)
        """Write it out.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        width : int
            The most characters of a line of text.
        """
        return printed(self, width) if format == "text" else written(self._blocks(), format)

    def __str__(self) -> str:
        return self.explain().rstrip("\n")

    def __repr__(self) -> str:
        label = "" if self.label is None else f", label {brief(self.label)}"
        classes = 0 if self.problem is None else len(self.problem.classes)
        parts = [f"{shown(self.name)}, {counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}{label}"]
        parts[0] += f", {counted(classes, 'class')}" if classes else ""
        parts += [counted(len(self.notes), "note")] if self.notes else []
        parts += [f"{counted(len(self.advice), 'thing')} to do"] if self.advice else []
        return f"<Description: {'; '.join(parts)}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))

    def _title(self) -> str:
        size = f"{counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}"
        return f"{shown(self.name)}: {size}. {self.form}".rstrip()

    def _blocks(self) -> list[Block]:
        """Return what is said, for every style but text, which a console lays out."""
        header, *rows = self._cells()
        blocks: list[Block] = [self._title(), *map(self._worded, self.notes), Grid(header, rows)]
        if hidden := self._hidden():
            blocks.append(hidden)
        blocks.append(Grid(("", ""), [(title, " ".join(text.split("\n"))) for title, text in self.facts()]))
        if self.advice:
            blocks += [self._heading(), *map(self._worded, self.advice)]
        return blocks

    def _heading(self) -> str:
        """Say what the advice is for: rows of one class can be decided, but nothing is to be learnt of them."""
        learning = all(each.endswith(ONE_CLASS) for each in self.advice)
        return "Before a classifier can be learnt:" if learning else "Before it can be decided:"

    def _hidden(self) -> str:
        hidden = len(self.columns) - len(self._listed())
        more = Message(f" … and {counted(hidden, 'more column')}; ", Remedy("columns"), " has them all.")
        return self._worded(more) if hidden else ""

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        def items(texts: tuple[str, ...]) -> Any:
            grid = Table.grid(padding=(0, 1, 0, 0))
            for each in texts:
                grid.add_row(Text("-"), Text(tamed(self._worded(each))))
            return grid

        parts: list[Any] = [Text(self._title())]
        if self.notes:
            parts += [Text(), items(self.notes)]
        parts += [Text(), self._table()]
        if hidden := self._hidden():
            parts.append(Text(hidden))
        parts += [Text(), self._summary()]
        if self.advice:
            parts += [Text(), Text(self._heading()), items(self.advice)]
        return Group(*parts)

    def _worded(self, text: str) -> str:
        return worded(text, self.remedy_text)

    def _listed(self) -> list[ColumnDescription]:
        """Return the columns to show: all, or the first ones, the label, what is in the way, and the last one."""
        between, last = self.columns[_MAX_COLUMNS_SHOWN:-1], self.columns[_MAX_COLUMNS_SHOWN:][-1:]
        rest = [column for column in between if column.kind in ("label", "mixed", "empty", "other")]
        return [*self.columns[:_MAX_COLUMNS_SHOWN], *rest[:_MAX_COLUMNS_SHOWN], *last]

    def _cells(self) -> list[list[str]]:
        """Return the table of columns, its header first."""
        gaps, notes = (any(getattr(column, what) for column in self.columns) for what in ("gaps", "notes"))
        rows = [["column", "what", "values", *(["gaps"] if gaps else []), *(["notes"] if notes else [])]]
        for column in self._listed():
            cells = [short(column.name, 40) if column.name else "(no name)", column.kind, column.values()]
            cells += [f"{column.gaps:,}" if column.gaps else ""] if gaps else []
            rows.append(cells + ([tamed("; ".join(map(str, column.notes)))] if notes else []))
        if self._hidden():
            rows.insert(1 + _MAX_COLUMNS_SHOWN, ["…", *[""] * (len(rows[0]) - 1)])
        return rows

    def _table(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
        header, *rows = self._cells()
        for title in header:
            count = title == "gaps"
            grid.add_column(Text(title), overflow="fold", justify="right" if count else "left", no_wrap=count)
        for cells in rows:
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
        facts += _reading(rows)
        if rows.classes:
            each = [f"{class_text(name)}: {count:,} ({percent(count, rows.rows)})" for name, count in rows.classes]
            facts.append(("classes", few_of(each, MAX_FREQUENT, in_all=True)))
        else:
            message = Message("none: name the column that holds them with ", Remedy("label"))
            facts.append(("classes", self._worded(message)))
        facts.append(
            ("duplicates", f"{counted(rows.duplicates, 'row')} equal to an earlier one" if rows.duplicates else "none")
        )
        if rows.contradictory_groups is not None:
            facts.append(("contradictions", _contradictions(rows, self.name)))
        constant = few_of(list(map(shown, rows.constant)), MAX_FREQUENT, in_all=True)
        facts.append(("constant", constant or "none"))
        facts.append(("collinear", self._worded(_collinear(rows))))
        return facts


def _contradictions(rows: RowsDescription, name: str) -> str:
    if not rows.contradictory_groups:
        return "none"
    example = f"; the first: {' and '.join(shown(place.within(name)) for place in rows.example)}"
    return (
        f"{counted(rows.contradictory_groups, 'point')} with different labels, so that any hyperplane misclassifies at "
        f"least {counted(rows.contradictory_rows or 0, 'row')}{example}"
    )


def _reading(rows: RowsDescription) -> list[tuple[str, str]]:
    """Say what the numbers are read as, if it is not what everybody does."""
    if rows.misfit is not None:
        return [("numbers", f"float64, as {rows.misfit} has too many digits for decimals")]
    if rows.places:
        return [("numbers", f"decimals, at most {rows.places} after the point")]
    return []


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
        return f"not looked for among {rows.columns:,} columns (at most {spans.MAX_COLUMNS:,}){certain}"
    if rows.identifying:
        first, *others = rows.identifying
        names = few_of(list(map(plainly, rows.identifying)), MAX_TERMS, in_all=True)
        return Message(
            f"all columns depend on {names}, which {'are' if others else 'is'} different in every row. To see what else "
            "depends on other columns, say ",
            Remedy("drop", list(rows.identifying) if others else first),
            ".",
        )
    lines = [str(each) for each in rows.dependent[:_MAX_RELATIONS_SHOWN]]
    if len(rows.dependent) > len(lines):
        lines.append(f"… ({len(rows.dependent):,} in all)")
    if rows.inevitable:
        names = few_of(list(map(shown, rows.inevitable)), MAX_TERMS, in_all=True)
        lines = lines or ["none"]
        where = "column" if len(rows.inevitable) == 1 else "columns"
        lines.append(f"and, as always, the categories add up to 1 in {where} {names}")
    return "\n".join(lines) or "none"
