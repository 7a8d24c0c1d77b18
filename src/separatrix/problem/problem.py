"""A labelled data set, validated once: rows, labels -1 and 1, intercept, names, weights.

Everything the library does starts from a `Problem`. The user's arrays are never changed, and copied only where their type
or layout asks for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Floats, Indices, Rows
from .exact_rows import ExactRows, Reading
from .labels import code_labels, read_labels, read_weights
from .provenance import Column, Table
from .reading_rows import read_rows
from .row_names import Origin
from .rows import Measures, filled_in, grid, lift, row_entries, zero_rows


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Labelled rows, ready for exact work. Make one with `Problem.of`.

    The rows are rational numbers, and all work is on their numerators. A row is lifted by the `constant`, which is their
    denominator: that is the row with a 1, times the denominator.
    """

    rows: ExactRows
    y: Floats
    """-1.0 or 1.0 for each row."""
    classes: tuple[Any, ...]
    """What -1 and 1 stand for; just one class if all rows have the same."""
    intercept: bool
    columns: tuple[Column, ...] | None = None
    """What the features are, where that is known."""
    weights: Floats | None = None
    """Positive sample weights; None if all are 1."""
    given: int
    """How many rows were given, those of weight zero included."""
    kept: NDArray[np.int64] | None = None
    """The original numbers of the rows, where rows of weight zero were left out; None if all are here."""
    table: Table | None = None
    """How the rows came from a table, where they did."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        classes: ArrayLike | None = None,
        intercept: bool = True,
        sample_weight: ArrayLike | None = None,
    ) -> Problem:
        """Validate rows and labels.

        Parameters
        ----------
        X : array, sparse matrix, pandas, polars or pyarrow table, or ExactRows, of shape (n, d)
            The rows.
        y : array of shape (n,)
            Labels: bools, integers or strings.
        positive : label, optional
            The class that is +1; all others are -1. Without it there must be at most two classes, and the second in
            sorted order is +1.
        classes : two labels, optional
            The negative and the positive class, where ``y`` need not hold both.
        intercept : bool
            Whether the lifted rows end with a constant 1.
        sample_weight : array of shape (n,), optional
            Weights; rows of weight 0 are left out.

        Examples
        --------
        >>> problem = Problem.of([[0, 1], [1, 0]], ["no", "yes"])
        >>> problem.y, problem.classes
        (array([-1.,  1.]), ('no', 'yes'))
        """
        rows = read_rows(X)
        given = len(rows)
        labels = read_labels(y, given)
        weights = read_weights(sample_weight, given)
        kept = None
        if weights is not None:
            if not weights.all():
                kept = np.flatnonzero(weights)
                if not kept.size:
                    raise ValueError("sample_weight is zero for every row: no row and no class is left to learn from.")
                rows, labels, weights = rows[kept], labels[kept], weights[kept]
            if np.all(weights == 1.0):
                weights = None
        signs, found = code_labels(labels, positive=positive, classes=classes)
        columns = None if rows.names is None else tuple(map(Column, rows.names))
        return cls(
            rows=rows,
            y=signs,
            classes=found,
            intercept=bool(intercept),
            columns=columns,
            weights=weights,
            given=given,
            kept=kept,
        )

    @classmethod
    def bare(
        cls,
        rows: ExactRows,
        intercept: bool,
        y: Floats | None = None,
        classes: tuple[Any, ...] | None = None,
        columns: tuple[Column, ...] | None = None,
    ) -> Problem:
        """Take rows, and labels -1.0 and 1.0, that were validated before; without labels they are all 1."""
        if classes is None:
            classes = (1,) if y is None else (-1, 1)
        return cls(
            rows=rows,
            y=np.ones(len(rows)) if y is None else y,
            classes=classes,
            intercept=intercept,
            columns=columns,
            weights=None,
            given=len(rows),
            kept=None,
        )

    @property
    def X(self) -> Rows:  # noqa: N802 (as everybody calls it)
        """The numerators of the rows."""
        return self.rows.numerators

    @property
    def measures(self) -> Measures:
        """What one pass over the numerators tells."""
        return self.rows.measures

    @property
    def constant(self) -> int:
        """What follows the numerators in a lifted row: their denominator; 0 without an intercept."""
        return self.rows.denominator if self.intercept else 0

    @property
    def names(self) -> list[str] | None:
        """The names of the features, where they have any."""
        return None if self.columns is None else [str(column) for column in self.columns]

    @property
    def reading(self) -> Reading:
        """What the numbers are read as."""
        return self.rows.reading

    @property
    def denominator(self) -> int:
        """The denominator of all rows."""
        return self.rows.denominator

    @property
    def largest(self) -> float:
        """The largest magnitude of the numerators."""
        return self.measures.largest

    @property
    def origin(self) -> Origin | None:
        """Where the rows come from, for whoever names them."""
        return self.rows.origin

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of features, the intercept not counted."""
        return int(self.X.shape[1])

    @property
    def width(self) -> int:
        """Number of weights of a hyperplane, the intercept counted."""
        return self.d + self.intercept

    @property
    def vectors(self) -> int:
        """Number of vectors of weights that tell the classes apart: one for two classes."""
        return 1

    @cached_property
    def grid(self) -> int:
        """Largest g such that all entries are multiples of ``2**g``; or some number below, if 53 bits do not reach to it."""
        return grid(self.X, math.frexp(self.measures.largest)[1] - 53)

    def row(self, i: int) -> tuple[list[int], Floats]:
        """Return the columns and the values of the entries of ``z_i``; column d is the intercept.

        The values are float64 numbers or, in an array of objects, whole numbers that float64 does not hold.
        """
        places, entries = row_entries(self.X, i)
        columns, last = places.tolist(), float(self.constant)
        if self.rows.wide is not None:
            entries, last = self.rows.wide[i, places], self.constant
        if self.intercept:
            columns, entries = [*columns, self.d], np.append(entries, last)
        return columns, int(self.y[i]) * entries

    def with_columns(self, columns: list[int]) -> Problem:
        """Return the problem with some of its columns only."""
        chosen = None if self.columns is None else tuple(self.columns[j] for j in columns)
        return replace(self, rows=self.rows.columns(columns), columns=chosen)

    def fallible(self, tie: int) -> Problem:
        """Return the problem without rows that are never wrong, whatever the weights; all of them if there are no others.

        Without an intercept they are rows of zeros of the label that a score of 0 predicts: ``tie``, if it is not 0.
        """
        kept = np.flatnonzero(self.is_fallible(tie))
        return self if kept.size in (0, self.n) else self.with_rows(kept)

    def is_fallible(self, tie: int) -> NDArray[np.bool_]:
        """Tell which rows can be wrong, see `fallible`."""
        never = np.zeros(self.n, bool)
        if tie and not self.intercept:
            never[zero_rows(self.X)] = True
            never &= self.y == tie
        return ~never

    def nearest(self) -> Problem:
        """Return the problem of the float64 nearest to each number, for what is done in floating point anyway."""
        if self.rows.denominator == 1:
            return self
        return replace(self, rows=ExactRows(self.rows.nearest(), names=self.rows.names, origin=self.rows.origin))

    def with_rows(self, rows: list[int] | Indices) -> Self:
        """Return the problem of some of its rows only, without weights."""
        return replace(self, rows=self.rows[rows], y=self.y[rows], weights=None, given=len(rows), kept=None)

    def points(self, rows: list[int]) -> tuple[tuple[Fraction, ...], ...]:
        """Return some of the rows as they are, in fractions."""
        denominator = self.rows.denominator
        numerators = self._dense(rows).tolist()
        return tuple(tuple(Fraction(number) / denominator for number in row) for row in numerators)

    def lifted(self, rows: list[int]) -> Floats:
        """Return some of the ``z_i`` as a dense matrix, of objects where float64 does not hold the numerators."""
        if self.rows.wide is None:
            return filled_in(lift(filled_in(self.X[rows]), self.y[rows], float(self.constant)))
        last = np.full((len(rows), int(self.intercept)), self.constant, object)
        signs = self.y[rows].astype(np.int64).astype(object)[:, None]
        return np.hstack([self._dense(rows), last]) * signs

    def _dense(self, rows: list[int]) -> NDArray[Any]:
        """Return the numerators of some rows as an array."""
        return filled_in(self.X[rows]) if self.rows.wide is None else self.rows.wide[rows]
