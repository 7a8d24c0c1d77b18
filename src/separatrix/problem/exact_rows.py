"""Rows as users give them, exactly: rational numbers, as numerators over one denominator.

A float64 is a rational number as it is: arrays have the denominator 1. Decimals, of text or of Arrow, have a power of ten:
0.1 is 1 over 10, not the float64 next to it. Everything computes with the numerators, and with the denominator in place
of the constant 1: the row (x, 1) times the denominator. Signs are the same, and weights come out as many times larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..compiled.decimals import MAX_DECIMALS
from .row_names import Origin
from .rows import Measures, arrays_of, filled_in, grid, is_dense, measured, stacked, times_number, with_columns, with_numbers

Reading: TypeAlias = Literal["float64", "decimal", "rational"]
"""What numbers were read as: the float64 that they are, decimals, or other fractions."""

READINGS: tuple[Reading, ...] = ("float64", "decimal", "rational")

LARGEST_NUMERATOR = 2**53
"""Up to here float64 holds every whole number."""

MAX_WIDE_CELLS = 10**5
"""Numbers that a table may have, at most, if float64 does not hold their numerators: their arithmetic is slow."""

MAX_WIDE_BITS = 1000
"""Bits of numerators and denominators, at most, so that a float64 is at least near them."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactRows:
    """Rows of rational numbers, ``numerators / denominator``; all estimators and functions take them in place of arrays.

    Attributes
    ----------
    numerators : array or CSR array of shape (n, d)
        Numbers of float64: whole ones, unless the denominator is 1.
    denominator : int
        A positive number that float64 holds; 1 for rows that are float64 themselves.
    reading : {"float64", "decimal", "rational"}
        What the numbers were read as.
    names : tuple of str, or None
        The names of the columns, where they have any.
    wide : array of Python's integers of shape (n, d), or None
        The numerators, where float64 does not hold all of them, or not the denominator. Then ``numerators`` has the float64
        nearest to each, which proposes and never decides.
    origin : Origin or None
        Where the rows come from, for whoever names them; it changes nothing that is computed, and pickles are without it.
    """

    numerators: Rows
    denominator: int = 1
    reading: Reading = "float64"
    names: tuple[str, ...] | None = None
    wide: NDArray[Any] | None = None
    origin: Origin | None = None

    @classmethod
    def of_whole(cls, wide: NDArray[Any], denominator: int, reading: Reading, names: tuple[str, ...] | None) -> ExactRows:
        """Return rows with these numerators, Python's integers of any size."""
        numerators = wide.astype(np.float64)
        fit = is_float64(denominator) and all(map(is_float64, wide.flat))
        return cls(numerators, denominator, reading, names, None if fit else wide)

    @cached_property
    def measures(self) -> Measures:
        """What one pass over the numerators tells."""
        return measured(self.numerators)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        n, d = self.numerators.shape
        return int(n), int(d)

    @property
    def ndim(self) -> int:
        """Two: rows and columns."""
        return 2

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        n, d = self.shape
        return f"<ExactRows: {n:,} rows, {d:,} columns, {self.reading}>"

    def __getitem__(self, rows: Any) -> ExactRows:
        """Take some rows, as with an array: by their numbers, a slice, or True and False for each."""
        if isinstance(rows, tuple):  # as scikit-learn writes it
            rows, rest = rows[0], rows[1:]
            if rest not in ((), (Ellipsis,), (slice(None),)):
                raise TypeError("Exact rows are taken whole: write rows[chosen], without columns.")
        if isinstance(rows, int | np.integer):
            rows = [int(rows)]
        return replace(
            self,
            numerators=self.numerators[rows],
            wide=None if self.wide is None else self.wide[rows],
            origin=None if self.origin is None else self.origin.take(rows, len(self)),
        )

    def coming_from(self, origin: Origin | None) -> ExactRows:
        """Return the same rows, with what tells where they come from."""
        found = replace(self, origin=origin)
        if "measures" in self.__dict__:
            found.__dict__["measures"] = self.measures
        return found

    def within(self, largest: float, smallest: float, longest: int) -> ExactRows:
        """Return the same rows, with bounds of their numbers taken for what a pass over them would tell."""
        found = replace(self)
        norm = math.sqrt(longest) * largest * (1.0 + 2.0**-40) + 2.0**-500
        found.__dict__["measures"] = Measures(np.full(len(self), norm), largest, smallest, longest)
        return found

    def columns(self, places: list[int]) -> ExactRows:
        """Take some columns, by their places."""
        names = None if self.names is None else tuple(self.names[j] for j in places)
        wide = None if self.wide is None else self.wide[:, places]
        return replace(self, numerators=with_columns(self.numerators, places), names=names, wide=wide)

    def equals(self, other: ExactRows) -> bool:
        """Whether other rows, dense as these, are the same numbers over the same denominator."""
        if self.denominator != other.denominator:
            return False
        if self.wide is None or other.wide is None:
            return self.wide is other.wide and np.array_equal(self.numerators, other.numerators)
        return np.array_equal(self.wide, other.wide)

    def over(self, denominator: int) -> ExactRows:
        """Return the same rows over another denominator, a multiple of theirs; refuse it if numerators would be too long."""
        factor = denominator // self.denominator
        if factor == 1:
            return self
        reading: Reading = "rational" if "rational" in (self.reading, _reading_of(denominator)) else "decimal"
        numbers, odd = arrays_of(self.numerators)[0], factor // (factor & -factor)
        long = numbers != 0.0
        if odd < LARGEST_NUMERATOR and is_float64(denominator):
            long = np.abs(_odd_parts(numbers)) * float(odd) >= LARGEST_NUMERATOR
        if self.wide is not None or long.any():
            if self.shape[0] * self.shape[1] > MAX_WIDE_CELLS:
                value = float(numbers[tuple(np.argwhere(long)[0])]) / self.denominator
                raise ValueError(
                    f"A number near {value:.6g} has more digits than fit beside those of the other rows, which have the "
                    f"denominator {denominator}. Round the rows to fewer decimals, or read all of them as float64."
                )
            return self._whole(self._in_integers() * factor, denominator, reading)
        return replace(
            self, numerators=times_number(self.numerators, float(factor)), denominator=denominator, reading=reading
        )

    def read_as(self, reading: Reading) -> ExactRows | None:
        """Return the same rows, read otherwise: float64 ones as decimals, if they are such; others as the nearest float64.

        None if they have no such form.
        """
        if reading == self.reading:
            return self
        if reading == "float64":
            return ExactRows(self.nearest(), names=self.names, origin=self.origin)
        if reading == "rational":
            return replace(self._fractions(), reading="rational")
        if self.denominator != 1:
            return None
        places = max(0, -grid(self.numerators, -MAX_DECIMALS - 1))  # as many decimals as bits behind the point
        if places > MAX_DECIMALS or self.measures.largest * float(10**places) > LARGEST_NUMERATOR:
            return None
        try:
            return replace(self.over(10**places), reading="decimal")
        except ValueError:
            return None

    @classmethod
    def alike(cls, first: ExactRows, second: ExactRows) -> tuple[ExactRows, ExactRows]:
        """Bring rows to one denominator, and to one reading, which is float64 only if it is that of both."""
        if first.reading == second.reading == "float64":
            return first, second
        first, second = first._fractions(), second._fractions()
        common = math.lcm(first.denominator, second.denominator)
        first, second = first.over(common), second.over(common)
        reading: Reading = "rational" if "rational" in (first.reading, second.reading) else "decimal"
        return replace(first, reading=reading), replace(second, reading=reading)

    @classmethod
    def stacked(cls, above: ExactRows, below: ExactRows) -> ExactRows:
        """Put rows below others, over one denominator."""
        above, below = (each.coming_from(None) for each in cls.alike(above, below))
        if above.wide is not None or below.wide is not None:
            return above._whole(np.vstack([above._in_integers(), below._in_integers()]), above.denominator, above.reading)
        return replace(above, numerators=stacked(above.numerators, below.numerators))

    @classmethod
    def concatenated(cls, parts: Sequence[ExactRows]) -> ExactRows:
        """Put rows that were cut from the same ones, over one denominator, one after another."""
        if len({part.wide is None for part in parts}) > 1:
            return reduce(cls.stacked, parts)
        first = parts[0]
        wide = None if first.wide is None else np.vstack([part.wide for part in parts if part.wide is not None])
        return replace(first, numerators=stacked(*(part.numerators for part in parts)), wide=wide, origin=None)

    def nearest(self) -> Rows:
        """Return the float64 nearest to each number, as an array or a CSR array."""
        if self.wide is not None:
            return (self.wide / self.denominator).astype(np.float64)  # a quotient of Python's integers is rounded once
        if self.denominator == 1:
            return self.numerators
        divisor = float(self.denominator)  # exact; so is each numerator, and a quotient of floats is rounded once
        if is_dense(self.numerators):
            return self.numerators / divisor
        return with_numbers(self.numerators, self.numerators.data / divisor)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the nearest float64 of all numbers, for whoever wants an array."""
        found = filled_in(self.nearest())
        return found.copy() if copy and found is self.numerators else found.astype(dtype or np.float64, copy=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of pickles what is derived, and what tells places, which looks into files."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "origin"}

    def _fractions(self) -> ExactRows:
        """Return float64 numbers as whole numerators over a denominator; other rows have such already."""
        if self.reading != "float64":
            return self
        bits = max(0, -grid(self.numerators, -MAX_WIDE_BITS - 1))  # behind the point
        if bits > MAX_WIDE_BITS or self.measures.largest * 2.0**bits > 2.0**MAX_WIDE_BITS:
            raise ValueError(
                "These rows hold float64 numbers so small, or so large, that they have no place beside rows of decimals or "
                "fractions. Scale them, or read all rows as float64."
            )
        found = self.read_as("decimal")
        if found is not None:
            return found
        return replace(self, numerators=times_number(self.numerators, 2.0**bits), denominator=2**bits, reading="rational")

    def _in_integers(self) -> NDArray[Any]:
        """Return the numerators as Python's integers; refuse those that are none."""
        if self.wide is not None:
            return self.wide
        found = filled_in(self.numerators)
        if self.shape[0] * self.shape[1] > MAX_WIDE_CELLS or not np.array_equal(found, np.rint(found)):
            raise ValueError(
                "These rows do not fit beside others that are whole numbers or fractions of many digits. Give all of them "
                "in one form, as fractions."
            )
        return np.array([[int(number) for number in row] for row in found.tolist()], object).reshape(found.shape)

    def _whole(self, wide: NDArray[Any], denominator: int, reading: Reading) -> ExactRows:
        """Return such rows with other numerators, Python's integers; refuse those that are too long."""
        if max(int(abs(wide).max()), denominator).bit_length() > MAX_WIDE_BITS:
            raise ValueError(
                f"Over a common denominator the rows have numbers of more than {MAX_WIDE_BITS:,} bits. Round them."
            )
        return replace(ExactRows.of_whole(wide, denominator, reading, self.names), origin=self.origin)


def is_float64(number: int) -> bool:
    """Whether float64 holds an integer."""
    size = abs(int(number))
    return size.bit_length() <= 1024 and size.bit_length() - (size & -size).bit_length() < 53


def _odd_parts(numbers: Floats) -> Floats:
    """Return the odd numbers that float64 numbers are, but for powers of two."""
    mantissas = (np.frexp(numbers)[0] * 2.0**53).astype(np.int64)
    lowest = mantissas & -mantissas
    return (mantissas // np.where(lowest == 0, 1, lowest)).astype(np.float64)


def _reading_of(denominator: int) -> Reading:
    """Tell what numbers are read as that have this denominator."""
    power = 10 ** (len(str(denominator)) - 1)
    return "decimal" if denominator == power else "rational"
