"""Where rows and columns of a problem come from: a place in a file, a column of a table, and how the table is written.

`Layout` and `Choice` are what users say of a table. `Column`, `TextTable` and `LibsvmTable` are what certificates and models
say of it, so that whoever has the table can make the same rows.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from ..exceptions import TableError
from ..support.remedies import Message, Remedy

Missing: TypeAlias = Literal["refuse", "drop-rows", "indicator"]

MISSING: tuple[Missing, ...] = ("refuse", "drop-rows", "indicator")
"""What may be done with missing values: refuse the table, leave the rows out, or count 0 and add a column that tells."""

GAPS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
"""Cells of text that stand for a missing value, unless told otherwise."""


def all_gaps(told: str | Iterable[str], usual: bool = True) -> tuple[str, ...]:
    """Return the cells of text that stand for a missing value: those told, besides the usual ones or instead of them.

    >>> all_gaps("-") == (*GAPS, "-"), all_gaps(["-", ""], usual=False)
    (True, ('-', ''))
    """
    return tuple(dict.fromkeys([*(GAPS if usual else ()), *([told] if isinstance(told, str) else told)]))


SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " ", "colon": ":", "blanks": None}
"""What may stand between the cells of a line; None: a run of blanks."""


ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252")
"""The encodings that a text may have."""


COMMENTS = ("#", "%", "//", "--")
"""What lines of comments may begin with."""

DECIMALS = (".", ",")
"""The decimal marks."""

THOUSANDS = (",", ".", " ", "'", "_")
"""What may stand between thousands."""

MAX_SKIPPED = 10**6
"""Lines, at most, that may come before a table."""

NumbersAs: TypeAlias = Literal["auto", "decimal", "float64"]

NUMBERS_AS: tuple[NumbersAs, ...] = ("auto", "decimal", "float64")
"""How numbers may be read: as decimals if all fit, and else as float64; as decimals or not at all; as float64."""


class Place(NamedTuple):
    """Where a row is.

    >>> print(Place("a.csv", "line", 7), Place(None, "row", 6), sep=" is ")
    a.csv, line 7 is row 6
    """

    file: str | None
    """What the file, or the table, is called; None if there is but one, which has no name."""
    unit: Literal["line", "row"]
    """What is counted: the lines of a text, from 1, or the rows of a table, from 0."""
    number: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number}" if self.file is None else f"{self.file}, {self.unit} {self.number}"

    def within(self, file: str) -> Place:
        """Return the place as one says it where the file is known."""
        return self._replace(file=None) if self.file == file else self


@dataclass(frozen=True)
class Places:
    """What tells where rows of a table are, by their numbers, and how many files they come from."""

    find: Callable[[Sequence[int]], list[Place]]
    files: int = 1

    def __call__(self, rows: Sequence[int]) -> list[Place]:
        """Return the places of rows."""
        return self.find(rows)


POSITIONS = Places(lambda rows: [Place(None, "row", i) for i in rows])
"""What tells no more of rows than their numbers."""


class Column(NamedTuple):
    """A column of numbers, as it comes from a column of a table.

    >>> [str(column) for column in (Column("age"), Column("job", "clerk"), Column("job", gap=True))]
    ['age', 'job=clerk', 'job is missing']
    """

    source: str
    category: str | None = None
    """None: the numbers themselves. A text: 1 where the cell is this text, else 0."""
    gap: bool = False
    """Whether the column is 1 where the cell is missing, else 0."""

    def __str__(self) -> str:
        if self.gap:
            return f"{self.source} is missing"
        return self.source if self.category is None else f"{self.source}={self.category}"

    def document(self) -> dict[str, Any]:
        """Return the column as JSON has it."""
        if self.gap:
            return {"source": self.source, "gap": True}
        return {"source": self.source} if self.category is None else {"source": self.source, "category": self.category}

    @classmethod
    def of(cls, document: dict[str, Any]) -> Column:
        """Read what `document` wrote."""
        return cls(document["source"], document.get("category"), document.get("gap", False))


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What is chosen of a table; columns are named, or counted from 1, from the end if negative."""

    label: str | int | None = None
    """The column that holds the classes."""
    positive: str | None = None
    """The class to set against all others, as the table writes it."""
    drop: tuple[str | int, ...] = ()
    only: tuple[str | int, ...] = ()
    text: tuple[str | int, ...] = ()
    """Columns of categories, even if they look like numbers."""
    missing: Missing = "refuse"

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            known = ", ".join(MISSING)
            raise TableError(Message(Remedy("missing", self.missing), f" is not known; it must be one of {known}."))
        if self.drop and self.only:
            raise TableError("Name the columns to drop, or the only ones to use, not both.")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How files are written, as far as it was said; what is None is found out."""

    header: bool | None = None
    separator: str | None = None
    """One of `SEPARATORS`, by its name."""
    encoding: str | None = None
    gaps: tuple[str, ...] = GAPS
    """All of them, see `all_gaps`."""
    format: str | None = None
    """One of `sources.FORMATS`."""
    numbers: NumbersAs = "auto"
    skipped: int | None = None
    """Lines before the table."""
    comment: str | None = None
    """What lines begin with that are left out, one of `COMMENTS`."""
    decimal: str | None = None
    """The decimal mark, a point or a comma."""
    thousands: str | None = None
    """What stands between thousands, one of `THOUSANDS`."""
    sheet: str | None = None
    """Of a spreadsheet: the name of the sheet, or its position, counted from 1."""
    ignore_case: bool = False
    """Whether labels that differ by case, or by blanks around them, are one."""
    drop_unlabelled: bool = False
    """Whether rows without a label are left out, whatever is done with other missing values."""
    words: frozenset[str] = frozenset()
    """Texts that are no gaps, with the blanks around them: categories and classes that are known."""

    def __post_init__(self) -> None:
        if self.numbers not in NUMBERS_AS:
            ways = ", ".join(NUMBERS_AS)
            raise TableError(Message(Remedy("numbers", self.numbers), f" is not known; it must be one of {ways}."))
        self._require_marks()
        if self.separator is not None and self.separator not in SEPARATORS:
            named = {character: name for name, character in SEPARATORS.items()}
            if self.separator not in named:
                raise TableError(
                    f"The separator {self.separator!r} is not known; it must be one of {', '.join(SEPARATORS)}, or the "
                    "character itself."
                )
            object.__setattr__(self, "separator", named[self.separator])
        if self.encoding is not None and self.encoding not in ENCODINGS:
            with suppress(LookupError):  # utf8, Latin1, windows-1252
                known = {codecs.lookup(name).name: name for name in ENCODINGS}
                object.__setattr__(self, "encoding", known.get(codecs.lookup(self.encoding).name, self.encoding))
        if self.encoding is not None and self.encoding not in ENCODINGS:
            raise TableError(f"The encoding {self.encoding!r} is not known; it must be one of {', '.join(ENCODINGS)}.")

    def _require_marks(self) -> None:
        """Refuse what is no mark that is known, or cannot be told from another one."""
        for name, known in (("comment", COMMENTS), ("decimal", DECIMALS), ("thousands", THOUSANDS)):
            given = getattr(self, name)
            if given is not None and given not in known:
                raise TableError(Message(Remedy(name, given), f" is not known; it must be one of {' '.join(known)}"))
        if self.skipped is not None and not 0 <= self.skipped <= MAX_SKIPPED:
            raise TableError(Message(Remedy("skip_lines", self.skipped), f" must be from 0 to {MAX_SKIPPED:,}."))
        if self.thousands is not None and self.thousands == (self.decimal or "."):
            raise TableError("The decimal mark and what stands between thousands must differ.")

    @property
    def marks(self) -> dict[str, str | None]:
        """The marks in numbers, as `checker.number_text` takes them."""
        return {"decimal": self.decimal or ".", "thousands": self.thousands}

    def or_else(self, table: TextTable, *, loosely: bool = False) -> Layout:
        """Return the layout, with what was not said as in a table known from before.

        Loosely, what is usual in that table is left open, so that it is found out: a new table may well be in a file of
        another kind.
        """
        if loosely and _is_plain(table):
            return replace(self, header=table.header if self.header is None else self.header,
                           gaps=self._gaps_besides(table.gaps))  # fmt: skip
        return replace(
            self,
            header=table.header if self.header is None else self.header,
            separator=table.separator_name if self.separator is None else self.separator,
            encoding=self.encoding or table.encoding,
            gaps=self._gaps_besides(table.gaps),
            skipped=table.skipped if self.skipped is None else self.skipped,
            comment=self.comment or table.comment,
            decimal=self.decimal or table.decimal,
            thousands=self.thousands or table.thousands,
        )

    def _gaps_besides(self, known: tuple[str, ...]) -> tuple[str, ...]:
        """Return the gaps of a table known from before, with those that were told; or these alone, if that was told."""
        if not set(GAPS) <= set(self.gaps):
            return self.gaps
        return tuple(dict.fromkeys([*known, *(gap for gap in self.gaps if gap not in GAPS)]))

    def table(self, label: str, missing: Missing) -> TextTable:
        """Return a table that is written so, for certificates and models."""
        return TextTable(
            label=label,
            header=bool(self.header),
            separator=SEPARATORS[self.separator or "comma"],
            encoding=self.encoding or "utf-8",
            gaps=self.gaps,
            missing=missing,
            skipped=self.skipped or 0,
            comment=self.comment,
            decimal=self.decimal or ".",
            thousands=self.thousands,
        )


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """How a table is written as text, which column holds the labels, and what was done with missing values."""

    label: str
    header: bool = True
    """Without a header, columns are named by their positions: "1", "2", …"""
    separator: str | None = ","
    """None: runs of blanks."""
    encoding: str = "utf-8"
    gaps: tuple[str, ...] = GAPS
    missing: Missing = "refuse"
    skipped: int = 0
    """Lines before the table."""
    comment: str | None = None
    """What lines begin with that are left out."""
    decimal: str = "."
    """The decimal mark."""
    thousands: str | None = None
    """What stands between thousands."""

    @property
    def separator_name(self) -> str:
        """What the separator is called."""
        return next(name for name, character in SEPARATORS.items() if character == self.separator)

    def document(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        return {"format": "csv", **asdict(self), "gaps": list(self.gaps)}


def _is_plain(table: TextTable) -> bool:
    """Whether a table is written in the usual way."""
    usual = TextTable(label=table.label, header=table.header, gaps=table.gaps, missing=table.missing)
    return table == usual


@dataclass(frozen=True)
class LibsvmTable:
    """LIBSVM text."""

    base: int
    """The index of the first column, 0 or 1."""

    def document(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        return {"format": "libsvm", "base": self.base}


Table: TypeAlias = TextTable | LibsvmTable


class Provenance(NamedTuple):
    """How columns of numbers come from a table: what a model must know to be applied to other tables like it."""

    columns: tuple[Column, ...] | None
    table: Table | None = None
    numbers: NumbersAs = "auto"
    """How numbers of text are read."""
    ignore_case: bool = False
    """Whether labels that differ by case, or by blanks around them, are one."""


def table_of(document: dict[str, Any] | None) -> Table | None:
    """Read what the `document` of a table wrote."""
    if document is None:
        return None
    if document["format"] == "libsvm":
        return LibsvmTable(document["base"])
    values: dict[str, Any] = {key: value for key, value in document.items() if key != "format"}
    return TextTable(**{**values, "gaps": tuple(values["gaps"])})
