"""Whether all numbers of a table of Arrow fit as decimals, where some of its columns hold decimals: found piece by piece.

It says what `exact_columns.as_decimals` says of columns that are there as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.decimals import MAX_DECIMALS
from ..problem.provenance import NumbersAs, Place
from .cells import Numbers
from .decimals import LARGEST_NUMERATOR, Decimals, Misfit, required
from .exact_columns import decimals_of, scaled

Odd = tuple[int, str]
"""The row of a number, and how it is written."""


class DecimalColumn:
    """What is found of a column: the decimals that its numbers need, and the first number that does not fit."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scale: int | None = None
        """Of decimals: how many places they need; None where there are none."""
        self.places = 0
        """Of float64: how many they need, as many as there are bits behind the point."""
        self.long: Odd | None = None
        self.beyond: Odd | None = None
        self.unfit: Odd | None = None
        self.largest, self.smallest = 0.0, math.inf

    def measure(self, cells: Numbers, row: Callable[[int], int]) -> None:
        """See how many decimals the numbers of a piece need."""
        if cells.numerators is not None or cells.long is not None:
            self.scale = max(self.scale or 0, cells.scale)
            return
        bits, first = decimals_of(cells)
        if first is not None and self.beyond is None:
            self.beyond = row(first), cells.text_of(first)
        self.places = max(self.places, min(bits, MAX_DECIMALS))

    def add(self, after: DecimalColumn, start: int) -> None:
        """Add what was found in the rows that come next, the first of which has a number of its own."""
        if after.scale is not None:
            self.scale = max(self.scale or 0, after.scale)
        self.places = max(self.places, after.places)
        for what in ("long", "beyond", "unfit"):
            odd: Odd | None = getattr(after, what)
            if getattr(self, what) is None and odd is not None:
                setattr(self, what, (start + odd[0], odd[1]))
        self.largest, self.smallest = max(self.largest, after.largest), min(self.smallest, after.smallest)

    def check(
        self, cells: Numbers, column: pa.ChunkedArray, places: int, row: Callable[[int], int], kept: NDArray[np.int64] | None
    ) -> None:
        """See whether the numbers of a piece fit, with so many places."""
        if self.scale is not None and self.long is None:
            first = self._first_long(column)
            if first is not None:
                self.long = row(first), str(column[first].as_py())
        if self.scale is not None and cells.numerators is None:
            return  # one is too long, which says it all
        values = cells.array() if cells.numerators is None else cells.numerators
        found = scaled(cells, values, places - (0 if cells.numerators is None else cells.scale))
        if isinstance(found, int):
            self.unfit = self.unfit or (row(found), self._text(cells, found))
            return
        numerators: Floats = np.abs(found.array() if kept is None else found.array()[kept])
        some = numerators[numerators > 0.0]
        if some.size:
            self.largest, self.smallest = max(self.largest, float(some.max())), min(self.smallest, float(some.min()))

    def _first_long(self, column: pa.ChunkedArray) -> int | None:
        """Return the first row whose decimal has no numerator, with as many places as the column needs."""
        assert self.scale is not None
        most = LARGEST_NUMERATOR if self.scale <= MAX_DECIMALS else 0
        limit = Decimal(most).scaleb(-self.scale)
        for k, value in enumerate(column.to_pylist()):
            if value is not None and abs(value) > limit:
                return k
        return None

    def _text(self, cells: Numbers, row: int) -> str:
        if cells.numerators is None or self.scale is None:
            return cells.text_of(row)
        return str(Decimal(int(cells.numerators[row]) * 10 ** (self.scale - cells.scale)).scaleb(-self.scale))


def places_of(columns: list[DecimalColumn]) -> int:
    """Return how many places all columns together need."""
    return max(max(column.scale or 0, column.places) for column in columns)


def settled_decimals(columns: list[DecimalColumn], numbers: NumbersAs, where: Callable[[int], Place]) -> Decimals:
    """Return how the numbers of all columns are read, now that all were checked."""
    for what in ("long", "beyond", "unfit"):
        for column in columns:
            odd: Odd | None = getattr(column, what)
            if odd is not None:
                return required(numbers, Decimals(misfit=Misfit(where(odd[0]), column.name, odd[1])))
    return Decimals(places_of(columns), whole=True)
