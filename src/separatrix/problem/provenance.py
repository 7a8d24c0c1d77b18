"""How each column of a problem comes from a table, and how the table is written: what certificates and models say of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from ..support.escaping import quoted

Missing: TypeAlias = Literal["refuse", "drop-rows", "indicator"]

MISSING: tuple[Missing, ...] = ("refuse", "drop-rows", "indicator")
"""What may be done with missing values: refuse the table, leave the rows out, or count 0 and add a column that tells."""

GAPS = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
"""Cells of text that stand for a missing value, unless told otherwise."""

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " ", "colon": ":", "blanks": None}
"""What may stand between the cells of a line; None: a run of blanks."""

_LONG = 100
"""Characters of a text that are quoted in full."""


def brief(text: str) -> str:
    """Quote a text from a table; of a long one, the beginning and the end.

    >>> brief("no"), len(brief("no" * 10**6))
    ("'no'", 103)
    """
    return quoted(text if len(text) <= _LONG else f"{text[: _LONG // 2]}…{text[-_LONG // 2 :]}")


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


@dataclass(frozen=True)
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

    @property
    def separator_name(self) -> str:
        """What the separator is called."""
        return next(name for name, character in SEPARATORS.items() if character == self.separator)

    def document(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        return {"format": "csv", **asdict(self), "gaps": list(self.gaps)}


@dataclass(frozen=True)
class LibsvmTable:
    """LIBSVM text."""

    base: int
    """The index of the first column, 0 or 1."""

    def document(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        return {"format": "libsvm", "base": self.base}


Table: TypeAlias = TextTable | LibsvmTable


def table_of(document: dict[str, Any] | None) -> Table | None:
    """Read what the `document` of a table wrote."""
    if document is None:
        return None
    if document["format"] == "libsvm":
        return LibsvmTable(document["base"])
    values: dict[str, Any] = {key: value for key, value in document.items() if key != "format"}
    return TextTable(**{**values, "gaps": tuple(values["gaps"])})
