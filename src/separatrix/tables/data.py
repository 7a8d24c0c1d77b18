"""Labelled rows with where they came from: what `read_data` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Rows
from ..checker import Seen
from ..compiled.environment import checked_arithmetic
from ..exceptions import TableError
from ..problem.exact_rows import ExactRows
from ..problem.labels import class_array, code_labels
from ..problem.problem import Problem
from ..problem.provenance import POSITIONS, Column, LibsvmTable, Place, Places, Provenance, Table
from ..problem.row_names import Origin
from ..support.answer import Answer
from ..support.blocks import Block, Grid, written
from ..support.counts import counted, few_of
from ..support.escaping import brief, quoted
from ..support.remedies import Message, Remedy
from .cells import class_called
from .column_notes import identifies_rows, nearly_same
from .decimals import Decimals

_MAX_SHOWN = 12
"""Columns and classes that are named in words."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Data(Answer):
    """Rows of numbers with their labels, and how they came from a table; `decide` and `verify` take it as it is.

    Attributes
    ----------
    rows : ExactRows of shape (n, d)
        The rows, exactly: what every estimator and function takes.
    X : array or CSR array of shape (n, d)
        The float64 nearest to each number of the rows.
    columns : tuple of Column, or None
        What each column is, where the rows come from a table.
    table : TextTable, LibsvmTable or None
        How the table is written.
    kept : array of int, or None
        The rows of the table that are here, where some were left out.
    """

    rows: ExactRows
    columns: tuple[Column, ...] | None
    table: Table | None
    classes: tuple[Any, ...] = ()
    """The distinct labels, sorted; none if the table has no labels."""
    texts: tuple[str, ...] = field(default=(), repr=False)
    """How the table writes the classes."""
    codes: NDArray[np.int64] | None = field(default=None, repr=False)
    """For each row the place of its label among the classes."""
    kept: NDArray[np.int64] | None = field(default=None, repr=False)
    dropped: int = 0
    """How many rows were left out."""
    unlabelled: int = 0
    """How many of these have no label, and were left out for that."""
    places: Places = field(default=POSITIONS, repr=False)
    """Where rows of the table are."""
    ignore_case: bool = field(default=False, repr=False)
    """Whether labels that differ by case, or by blanks around them, are one."""
    decimals: Decimals | None = field(default=None, repr=False)
    """How numbers are read as decimals; None if they are float64 by themselves, or by choice."""
    said: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """What was found out of how the table is written, and what to know of its columns."""
    copies: Callable[[], list[tuple[str, bytes | None]]] = field(default=list, repr=False, compare=False)
    """Of each file its name and the text that rows were read from, None if the stand-alone checker reads the file itself."""
    seen: Seen | None = field(default=None, repr=False, compare=False)
    """What the table holds besides the rows: columns that are not used, gaps."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self.rows.coming_from(Origin(self.places, self.kept)))

    @cached_property
    def X(self) -> Rows:  # noqa: N802 (as everybody calls it)
        """The float64 nearest to each number of the rows."""
        return self.rows.nearest()

    @property
    def y(self) -> NDArray[Any]:
        """The labels."""
        if self.codes is None:
            raise ValueError("The data has no labels: name the column that holds them.")
        labels: NDArray[Any] = class_array(self.classes)[self.codes]
        return labels

    @property
    def provenance(self) -> Provenance:
        """How the columns come from the table."""
        return Provenance(
            self.columns,
            self.table,
            "float64" if self.table is not None and self.decimals is None else "auto",
            self.ignore_case,
        )

    @property
    def names(self) -> list[str]:
        """The names of the columns: of their sources, with the category."""
        if self.columns is None:
            first = self.table.base if isinstance(self.table, LibsvmTable) else 1
            return [f"x{first + j}" for j in range(self.rows.shape[1])]
        return [str(column) for column in self.columns]

    def __repr__(self) -> str:
        n, d = self.shape
        of = f" of {self.given:,}" if self.dropped else ""
        classes = few_of(list(map(_short, self.classes)), 4) or "unknown"
        return f"<Data: {n:,}{of} rows, {d:,} columns, classes {classes}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what the data is: rows, columns, classes, and what to beware of; ``format`` as in `Verdict.explain`."""
        n, d = self.shape
        left_out = f" of {self.given:,}" if self.dropped else ""
        names = few_of([quoted(name) for name in self.names], _MAX_SHOWN, in_all=True)
        blocks: list[Block] = [f"{counted(n, 'row')}{left_out}, {counted(d, 'column')}: {names}."]
        if self.codes is not None:
            counts = np.bincount(self.codes, minlength=len(self.classes))
            classes = [[quoted(str(each)), f"{count:,}"] for each, count in zip(self.classes, counts, strict=True)]
            blocks.append(Grid(["class", "rows"], classes[:_MAX_SHOWN]))
            if len(classes) > _MAX_SHOWN:
                blocks.append(f"The label has {len(classes):,} classes in all.")
        blocks.append(
            f"Numbers are {'decimals, as they are written' if self.rows.reading == 'decimal' else self.rows.reading}."
        )
        return written([*blocks, *(f"Note: {note}" for note in self.notes())], format)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.rows.shape

    @property
    def given(self) -> int:
        """How many rows the table has, those left out included."""
        return len(self.rows) + self.dropped

    def places_of(self, rows: Sequence[int]) -> list[Place]:
        """Return where rows are in the files they come from."""
        return self.places(list(rows) if self.kept is None else self.kept[list(rows)].tolist())

    def locate(self, rows: Sequence[int]) -> list[str]:
        """Say where rows are in the files they come from."""
        return list(map(str, self.places_of(rows)))

    def class_called(self, text: str) -> Any:
        """Return the class that a text names, see `cells.class_called`."""
        return class_called(text, self.classes, self.texts)

    def notes(self) -> list[str]:
        """Return what whoever uses the data should know of it."""
        return [*self.said, *notes_of_rows(self.decimals, self.given, self.dropped, self.unlabelled, len(self.classes))]

    def refuse_alike(self) -> None:
        """Refuse more than two classes if some of them differ by case or blanks alone, and say what to do."""
        if len(self.classes) > 2 and (same := nearly_same(self.texts)):
            raise TableError(
                f"The label has {len(self.classes):,} classes, and {', '.join(map(brief, same[:4]))} differ by case or by "
                "blanks alone: take such as one with ",
                Remedy("ignore_case", True),
                ", or set one against the rest with ",
                Remedy("positive"),
                ".",
            )

    @checked_arithmetic
    def problem(self, *, positive: Any = None, intercept: bool = True) -> Problem:
        """Return the rows with their labels coded as -1 and 1; parameters as in `Problem.of`."""
        if self.codes is None:
            raise ValueError("The data has no labels: name the column that holds them.")
        if positive is None:
            self.refuse_alike()
        signs, classes = code_labels(class_array(self.classes), positive=positive)
        return Problem(
            rows=self.rows,
            y=signs[self.codes],
            classes=classes,
            intercept=intercept,
            columns=self.columns,
            given=len(self.rows),
            kept=self.kept,
            table=self.table,
        )


def notes_of_rows(decimals: Decimals | None, given: int, dropped: int, unlabelled: int, classes: int) -> Iterator[str]:
    """Give the notes on rows: how numbers are read, which of so many rows were left out, how many classes there are."""
    misfit = None if decimals is None else decimals.misfit
    if misfit is not None:
        yield Message(
            f"Numbers are read as float64, the nearest to each: as decimals they do not fit together, as {misfit} "
            "has too many digits. Round them to fewer, and what is proved is about the decimals themselves; or say ",
            Remedy("numbers", "float64"),
            ".",
        )
    if incomplete := dropped - unlabelled:
        yield f"{incomplete:,} of {given:,} rows were left out, as they have missing values."
    if unlabelled:
        yield f"Rows without a label were left out: {unlabelled:,} of {given:,}."
    if identifies_rows(classes, given - dropped):
        yield (
            f"The label has {classes:,} classes in {given - dropped:,} rows: it looks like a quantity. Say "
            "which of its values belong together in a column of their own, and take that."
        )


def _short(label: Any) -> str:
    return brief(label) if isinstance(label, str) else repr(label)


def rows_and_labels(X: Any, y: Any) -> tuple[Any, Any]:
    """Return rows and labels as they are given, or those of `Data`."""
    if not isinstance(X, Data):
        if y is None:
            raise TypeError("The labels, y, are missing.")
        return X, y
    if y is not None:
        raise ValueError("The data has its labels with it: do not give y as well.")
    return X.rows, X.y
