"""The facts that `describe` collects: of a column, of its dependence on others, of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

from ..problem.provenance import Place
from ..support.counts import counted, few_of
from ..support.escaping import quoted, shown
from ..support.numbers import signed_sum
from ..support.remedies import Remedy, worded
from .decimals import Misfit
from .text.csv_reading import FirstWord

_MAX_CATEGORIES_SHOWN = 4
"""Categories of a column that are shown."""

MAX_FREQUENT = 12
"""Categories of a column that are kept with their counts, the most frequent ones."""

MAX_TERMS = 5
"""Terms of a linear combination up to which it is written out."""


class Noted(Enum):
    """What may be noted of a column, with the beginning of the sentence."""

    UNNAMED = "has no name"
    UNUSABLE = "cannot be used"
    EMPTY = "all missing"
    MIXED = "the word"
    IDENTIFYING = "identifies the rows"
    CONSTANT = "constant"
    EQUAL = "equal to"
    EQUIVALENT = "says the same as"
    DEPENDENT = "depends on other columns"


IMPLY_DEPENDENCE = frozenset({Noted.CONSTANT, Noted.EQUAL, Noted.EQUIVALENT, Noted.DEPENDENT})
"""What implies that a column depends on others, and the constant."""


class Note(NamedTuple):
    """Something to know of a column.

    >>> print(Note(Noted.CONSTANT), Note(Noted.EQUAL, "age"), Note(Noted.EQUAL, "7"), sep="; ")
    constant; equal to age; equal to column 7
    """

    kind: Noted
    about: str | FirstWord | None = None
    """The other column that the note is about; or the word in a column of numbers."""

    def __str__(self) -> str:
        if self.about is None:
            return self.kind.value
        if isinstance(self.about, str):
            return f"{self.kind.value} {plainly(self.about)}"
        return f"{self.kind.value} {short(self.about.text)} in {self.about.place._replace(file=None)}"


@dataclass(frozen=True, kw_only=True)
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
    """Why it cannot be used, if its kind is "other"; a `Message`, as a rule."""
    notes: tuple[Note, ...] = ()

    def values(self) -> str:
        """Say what the values are."""
        if self.kind == "dropped" or not self.distinct:
            return ""
        if self.kind == "mixed":
            return f"{counted(self.cells - self.words, 'number')}, {counted(self.words, 'word')}"
        if self.least is not None and self.largest is not None:
            if self.least == self.largest:
                return number_text(self.least)
            return f"{number_text(self.least)} to {number_text(self.largest)}, {self.distinct:,} different"
        return _most_frequent(self.frequent, self.distinct)

    def document(self, remedy_text: Callable[[Remedy], str] = str) -> dict[str, Any]:
        """Return the column as JSON has it, with the words that a function has for remedies."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        found["reason"] = worded(self.reason, remedy_text)
        return {**found, "frequent": [list(pair) for pair in self.frequent], "notes": list(map(str, self.notes))}


class Dependence(NamedTuple):
    """A column of the problem that is a linear combination of the constant and the columns before it."""

    column: str
    terms: tuple[tuple[Fraction, str | None], ...] | None
    """Coefficients with their columns, None for the constant; None if they were not computed."""

    def __str__(self) -> str:
        column = plainly(self.column)
        if self.terms is None:
            return f"{column} depends on others"
        if len(self.terms) > MAX_TERMS or any(max(abs(c.numerator), c.denominator) >= 10**6 for c, _ in self.terms):
            names = [plainly(name) for _, name in self.terms if name is not None]
            return f"{column} depends on {few_of(names, MAX_TERMS, in_all=True)}"
        return f"{column} equals {signed_sum((each < 0, _term(abs(each), name)) for each, name in self.terms)}"

    def document(self) -> dict[str, Any]:
        """Return the dependence as JSON has it."""
        terms = None if self.terms is None else [{"coefficient": str(c), "column": name} for c, name in self.terms]
        return {"column": self.column, "terms": terms}


@dataclass(frozen=True, kw_only=True)
class RowsDescription:
    """The rows of the problem that the table would become.

    Attributes
    ----------
    rows, left_out : int
        How many there are, and how many of the table are left out, as they have missing values.
    columns : int
        Of the problem: numbers, one for each category (``of_categories``), and those that tell of gaps (``of_gaps``).
    numbers : {"decimal", "float64", "rational"}
        What the numbers are read as.
    places : int or None
        Of decimals, how many are after the point at most.
    misfit : Misfit or None
        The first number of a text that does not fit as a decimal, for which all are read as float64.
    classes : tuple of (label, int)
        The classes with their numbers of rows.
    duplicates : int
        Rows that are equal to one before them.
    contradictory_groups, contradictory_rows : int or None
        Points that occur with different labels; and how many rows no hyperplane can classify rightly for that, since only
        the most frequent label of a point can be right. None without labels.
    example : tuple of Place
        Where the first such rows are.
    constant : tuple of str
        Columns of the problem that have one value.
    inevitable : tuple of str
        Columns of the table whose categories add up to the constant, as those of one column do.
    identifying : tuple of str
        Columns of the table whose categories are different in every row, so that all other columns depend on them.
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
    numbers: str
    places: int | None
    misfit: Misfit | None
    classes: tuple[tuple[Any, int], ...]
    duplicates: int
    contradictory_groups: int | None
    contradictory_rows: int | None
    example: tuple[Place, ...]
    constant: tuple[str, ...]
    inevitable: tuple[str, ...]
    identifying: tuple[str, ...]
    dependent: tuple[Dependence, ...] | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        contradictions = {
            "groups": self.contradictory_groups,
            "rows": self.contradictory_rows,
            "example": list(map(str, self.example)),
        }
        return {
            "rows": self.rows, "left_out": self.left_out, "columns": self.columns,
            "of_categories": self.of_categories, "of_gaps": self.of_gaps, "sparse": self.sparse,
            "numbers": {"read_as": self.numbers, "decimals": self.places,
                        "does_not_fit": None if self.misfit is None else str(self.misfit)},
            "classes": [{"class": name, "rows": count} for name, count in self.classes],
            "duplicates": self.duplicates,
            "contradictions": None if self.contradictory_groups is None else contradictions,
            "constant": list(self.constant), "inevitable": list(self.inevitable), "identifying": list(self.identifying),
            "dependent": None if self.dependent is None else [each.document() for each in self.dependent],
        }  # fmt: skip


# ---- In words.


def number_text(value: float) -> str:
    """Write a number in short."""
    return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _most_frequent(frequent: Sequence[tuple[str, int]], distinct: int) -> str:
    few = frequent[: _MAX_CATEGORIES_SHOWN if distinct <= _MAX_CATEGORIES_SHOWN else _MAX_CATEGORIES_SHOWN - 1]
    texts = ", ".join(f"{short(text)} ({count:,})" for text, count in few)
    return texts if distinct <= len(few) else f"{distinct:,} different: {texts}, …"


def short(text: str, most: int = 24) -> str:
    """Write a text so that it fits, and that what it holds can be seen."""
    text = text if text == text.strip() and text == shown(text) and text else quoted(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def plainly(name: str) -> str:
    """Name a column so that it cannot be taken for a number."""
    return f"column {name}" if name.isdigit() else shown(name)


def _term(size: Fraction, name: str | None) -> str:
    if name is None:
        return str(size)
    return plainly(name) if size == 1 else f"{size} {plainly(name)}"
