"""Columns brought to one size: a number to take away from each, and one to divide it by, learnt exactly from rows.

Scaled rows are float64. What stands in one of their cells is defined to the last bit: the float64 nearest to the number
that was given, minus the shift, over the scale, each of these two results rounded to the nearest float64. So a table has the
same scaled rows wherever they are computed, and all that is exact about rows is exact about those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..compiled.environment import flushes_subnormals, refuse_flushing
from ..exact.rounding import nearest, nearest_root_of
from ..support.escaping import brief
from .exact_rows import ExactRows
from .moments import ends, means_and_variances
from .rows import arrays_of, column_extremes, filled_in, is_dense, with_numbers

Kind = Literal["none", "standard", "minmax", "maxabs"]

KINDS: tuple[Kind, ...] = ("none", "standard", "minmax", "maxabs")

_IN_WORDS = {
    "none": ("0", "1"), "standard": ("its mean", "its standard deviation"), "minmax": ("its smallest number", "its range"),
    "maxabs": ("0", "its largest magnitude"),
}  # fmt: skip

_SMALLEST_NORMAL, _SMALLEST_NORMAL_BITS = 2.0**-1022, np.uint64(1 << 52)

_NUMBERS_AT_A_TIME = 2**18
"""Numbers of dense rows that are scaled at once."""

_MAGNITUDE = np.uint64(0x7FFFFFFFFFFFFFFF)
"""All bits of a float64 but its sign."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """What is taken away from each column, and what the rest is divided by.

    Attributes
    ----------
    kind : {"none", "standard", "minmax", "maxabs"}
        By what the columns were measured.
    shift, scale : array of shape (d,)
        Finite numbers of float64, the second positive.
    """

    kind: Kind
    shift: Floats
    scale: Floats

    @classmethod
    def of(cls, rows: ExactRows, kind: Kind) -> Scaling:
        """Measure the columns of rows; sparse ones are not shifted, so that zeros stay zeros."""
        d = rows.shape[1]
        shift, scale = np.zeros(d), np.ones(d)
        if kind == "none":
            return cls(kind, shift, scale)
        if flushes_subnormals() and rows.measures.smallest < _SMALLEST_NORMAL:
            refuse_flushing("the rows have")
        least, most = ends(rows)
        if kind == "maxabs":
            sizes = [nearest(max(-low, high)) for low, high in zip(least, most, strict=True)]
        elif kind == "minmax":
            shift[:] = [nearest(low) for low in least]
            sizes = [nearest(high - low) for low, high in zip(least, most, strict=True)]
        else:
            means, variances = means_and_variances(rows)
            shift[:] = [p / q for p, q in zip(*means, strict=True)]  # a quotient of Python's integers is rounded once
            sizes = [nearest_root_of(p, q) for p, q in zip(*variances, strict=True)]
            small = np.abs(shift) <= _SMALLEST_NORMAL
            if flushes_subnormals() and any(means.above[j] for j in np.flatnonzero(small)):
                refuse_flushing("the means of columns are among")
        scale[:] = [size or 1.0 for size in sizes]  # a column with one number only has no size
        if not is_dense(rows.numerators):
            shift[:] = 0.0
        found = cls(kind, shift, scale)
        found._refuse_far_ends(rows, least, most)
        return found

    def _refuse_far_ends(self, rows: ExactRows, least: Sequence[Fraction], most: Sequence[Fraction]) -> None:
        """Refuse columns whose smallest or largest number has no scaled form: all others lie between."""
        for number in (least, most):
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = (np.array([nearest(each) for each in number]) - self.shift) / self.scale
            for j in np.flatnonzero(~np.isfinite(scaled)).tolist():
                raise ValueError(
                    f"The {_called(j, rows.names)} reaches from {float(least[j]):g} to {float(most[j]):g}, too far for "
                    f"float64 to scale it by {self.kind!r}. Choose 'maxabs', which shifts nothing, or divide the column by "
                    "a large number first."
                )

    def applied(self, rows: ExactRows) -> Rows:
        """Return scaled rows: float64, CSR if the rows are and nothing is shifted."""
        if self.kind == "none":
            return rows.nearest()
        X = rows.nearest()
        if not is_dense(X) and not self.shift.any():
            scaled: Rows = with_numbers(X, X.data / self.scale[X.indices])
            before, shift = X.data, np.zeros_like(X.data)
        else:
            before = filled_in(X)
            scaled, shift = self._moved(before), np.broadcast_to(self.shift, before.shape)
        numbers = arrays_of(scaled)[0]
        if flushes_subnormals():
            lost = (np.abs(numbers) <= _SMALLEST_NORMAL) & (_bits(before) != _bits(shift))
            if lost.any() or any(_has_subnormal(each) for each in (before, self.shift, self.scale)):
                refuse_flushing("the rows, or scaled ones, have")
        if not np.isfinite(numbers).all():
            self._refuse_infinite(rows, filled_in(X), filled_in(scaled))
        return scaled

    def _moved(self, before: Floats) -> Floats:
        """Return dense rows, scaled: some at a time, so that nothing else as large is in memory, and Ctrl-C is heard."""
        scaled = np.empty_like(before)
        step = max(1, _NUMBERS_AT_A_TIME // max(1, before.shape[1]))
        for start in range(0, len(before), step):
            some = scaled[start : start + step]
            np.subtract(before[start : start + step], self.shift, out=some)
            np.divide(some, self.scale, out=some)
        return scaled

    def _refuse_infinite(self, rows: ExactRows, before: Floats, scaled: Floats) -> None:
        i, j = np.argwhere(~np.isfinite(scaled))[0].tolist()
        raise ValueError(
            f"Row {i}, {_called(j, rows.names)}: {before[i, j]:g} cannot be scaled. Minus {self.shift[j]:g}, over "
            f"{self.scale[j]:g}, which were learnt from other rows, it is beyond float64."
        )

    def in_given_units(self, weights: Sequence[Fraction]) -> list[Fraction]:
        """Return weights of scaled columns, maybe with an intercept last, as those of the columns that were given.

        There is always an intercept then: the last one.
        """
        d = len(self.shift)
        coef = [weight / Fraction(scale) for weight, scale in zip(weights, self.scale.tolist(), strict=False)]
        moved = sum(weight * Fraction(shift) for weight, shift in zip(coef, self.shift.tolist(), strict=True))
        return [*coef, (weights[d] if len(weights) > d else Fraction()) - moved]

    def in_words(self) -> str:
        """Say what is done to the columns.

        >>> Scaling("minmax", np.ones(1), np.ones(1)).in_words()
        'each column minus its smallest number, divided by its range'
        """
        shift, scale = _IN_WORDS[self.kind]
        return f"each column {f'minus {shift}, ' if self.shift.any() else ''}divided by {scale}"


def differ_in_size(rows: ExactRows, factor: float) -> tuple[int, int] | None:
    """Return a column of the smallest and one of the largest numbers, if they differ by that factor; zeros do not count."""
    sizes = column_extremes(rows.numerators)
    there = np.flatnonzero(sizes)
    if there.size < 2:
        return None
    low, high = int(there[sizes[there].argmin()]), int(there[sizes[there].argmax()])
    return (low, high) if sizes[high] / factor >= sizes[low] else None


def _called(j: int, names: tuple[str, ...] | None) -> str:
    return f"column {j}" if names is None else f"column {brief(names[j])}"


def _bits(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the bits of numbers but for their signs: where subnormal ones are flushed, comparing takes them for 0."""
    return np.ascontiguousarray(numbers).view(np.uint64) & _MAGNITUDE


def _has_subnormal(numbers: NDArray[Any]) -> bool:
    bits = _bits(numbers)
    return bool(np.any((bits > 0) & (bits < _SMALLEST_NORMAL_BITS)))
