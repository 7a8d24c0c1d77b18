"""What rows are called wherever a person reads of them, one way throughout.

Rows that come from a text are its lines, as an editor counts them. Rows of other files and of tables, and rows that are
given as arrays, are counted from 0 as they were given: rows that are left out are counted as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..support.escaping import latex, shown
from ..support.formulas import Formula
from .provenance import Place, Places

if TYPE_CHECKING:
    from .batches import AnyProblem

MAX_ROWS_SHOWN = 12
"""Rows that are listed; and rows of a witness that are written out, as a longer one is for machines."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Where rows come from: what tells the places of rows of a table, and which of its rows these are."""

    places: Places
    numbers: NDArray[np.int64] | None = None
    """None: all rows, in their order."""

    def take(self, rows: Any, n: int) -> Origin:
        """Return the origin of some of the rows, of which there are n, taken as from an array."""
        if self.numbers is not None:
            return Origin(self.places, self.numbers[rows])
        if isinstance(rows, slice):
            return Origin(self.places, np.arange(*rows.indices(n)))
        taken = np.asarray(rows)  # few of many rows may be taken many times: no more work is done than that
        if taken.dtype == bool:
            taken = np.flatnonzero(taken)
        return Origin(self.places, np.where(taken < 0, taken + n, taken).astype(np.int64))

    def places_of(self, rows: Sequence[int]) -> list[Place]:
        """Tell where rows are."""
        return self.places(list(rows) if self.numbers is None else self.numbers[list(rows)].tolist())


class RowNames:
    """The names of rows of a problem.

    Places are looked up all at once, since that may take a look through a file: give all rows that are spoken of. Others
    can be named as well.

    >>> import numpy as np
    >>> from .problem import Problem
    >>> names = RowNames(Problem.of(np.zeros((9, 1)), np.arange(9) % 2), [3, 4])
    >>> names.name(3), names.listed([3, 4]), names.listed([3]), names.counting
    ('row 3', 'rows 3 and 4', 'row 3', 'counted from 0')
    """

    def __init__(self, problem: AnyProblem, rows: Iterable[int] = ()) -> None:
        self._origin, self._kept, self._found = problem.origin, problem.kept, dict[int, Place]()
        self._look_up([*rows, 0])
        self._one_file = self._origin is None or self._origin.places.files == 1
        self.left_out = problem.kept is not None
        """Whether rows were left out, so that numbers of rows are not those of the rows that are there."""

    def _look_up(self, rows: Iterable[int]) -> None:
        wanted = [i for i in dict.fromkeys(map(int, rows)) if i not in self._found]
        if not wanted:
            return
        if self._origin is not None:
            self._found |= dict(zip(wanted, self._origin.places_of(wanted), strict=True))
        else:
            kept = self._kept
            self._found |= {i: Place(None, "row", i if kept is None else int(kept[i])) for i in wanted}

    def place(self, i: int) -> Place:
        """Tell where a row is; the file is left out if there is but one."""
        self._look_up([i])
        found = self._found[int(i)]
        return found._replace(file=None) if self._one_file else found

    @property
    def unit(self) -> str:
        """What is counted: lines or rows."""
        return self._found[0].unit

    @property
    def are_lines(self) -> bool:
        """Whether rows are called by their lines."""
        return self.unit == "line"

    @property
    def of_one_file(self) -> bool:
        """Whether a number alone names a row."""
        return self._one_file

    @property
    def counting(self) -> str:
        """How rows are counted, in words."""
        if self.are_lines:
            return "by their lines in the file" if self._one_file else "by their lines in the files"
        return "counted from 0, rows left out included" if self.left_out else "counted from 0"

    @property
    def aside(self) -> str:
        """Say how rows are counted, where that is not clear from their names: with a comma, or nothing."""
        return "" if self.are_lines else f", {self.counting}"

    def name(self, i: int) -> str:
        """Name a row: row 3, line 7, line 7 of a.csv."""
        return _with_file(f"{self.place(i).unit} {self.place(i).number}", self.place(i).file)

    def name_of_given(self, number: int) -> str:
        """Name a row by its number among those that were given, rows that are left out included."""
        return self.name(number if self._kept is None else int(np.searchsorted(self._kept, number)))

    def cell(self, i: int) -> str:
        """Name a row in a column of a table that is headed by the unit."""
        place = self.place(i)
        return str(place.number) if place.file is None and place.unit == self.unit else self.name(i)

    def index(self, i: int) -> int:
        """Return the number of a row, as an index of formulas, where numbers alone name rows; else its position."""
        return self.place(i).number if self._one_file else int(i)

    def formula(self, i: int) -> Formula:
        """Name a row in a formula."""
        place = self.place(i)
        index = str(place.number) if place.file is None else rf"\text{{{latex(self.name(i))}}}"
        return Formula(f"({self.name(i)})", f"x_{{{index}}}")

    def listed(self, rows: Sequence[int], most: int = MAX_ROWS_SHOWN, of: int | None = None) -> str:
        """Name rows, not too many of them: rows 3, 4 and 5; they may be the first of more, if it is said of how many."""
        some = list(rows[:most])
        self._look_up(some)
        more = (len(rows) if of is None else of) - len(some)
        groups: dict[tuple[str | None, str], list[str]] = {}
        for place in map(self.place, some):
            groups.setdefault((place.file, place.unit), []).append(str(place.number))
        texts = []
        for k, ((file, unit), numbers) in enumerate(groups.items()):
            last = k == len(groups) - 1
            numbers += [f"{more:,} more"] if more and last else []
            several = len(numbers) > 1
            listing = f"{', '.join(numbers[:-1])} and {numbers[-1]}" if several else numbers[0]
            texts.append(_with_file(f"{unit}{'s' if several else ''} {listing}", file))
        return (" and " if len(texts) == 2 else "; ").join(texts)


def capitalised(text: str) -> str:
    """Begin a sentence with a name of rows."""
    return f"{text[:1].upper()}{text[1:]}"


def _with_file(text: str, file: str | None) -> str:
    return text if file is None else f"{text} of {shown(file)}"
