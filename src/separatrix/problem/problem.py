"""A labelled data set, validated once: rows, labels -1 and 1, intercept, names, weights.

Everything the library does starts from a `Problem`. The user's arrays are never changed, and copied only where their type
or layout asks for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Floats, Rows
from .labels import code_labels, read_labels, read_weights
from .provenance import Column, Table
from .rows import Measures, filled_in, grid, lift, measured, read_rows, row_entries, with_columns


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Labelled rows, ready for exact work. Make one with `Problem.of`."""

    X: Rows
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
    measures: Measures = field(repr=False)
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
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
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
        rows, names, measures = read_rows(X)
        labels = read_labels(y, rows.shape[0])
        given = rows.shape[0]
        weights = read_weights(sample_weight, given)
        kept = None
        if weights is not None:
            if not weights.all():
                kept = np.flatnonzero(weights)
                if not kept.size:
                    raise ValueError("sample_weight is zero for every row: no row and no class is left to learn from.")
                rows, labels, weights = rows[kept], labels[kept], weights[kept]
                measures = measured(rows)
            if np.all(weights == 1.0):
                weights = None
        signs, found = code_labels(labels, positive=positive, classes=classes)
        columns = None if names is None else tuple(map(Column, names))
        return cls(
            X=rows,
            y=signs,
            classes=found,
            intercept=bool(intercept),
            columns=columns,
            weights=weights,
            given=given,
            kept=kept,
            measures=measures,
        )

    @classmethod
    def bare(
        cls,
        X: Rows,
        intercept: bool,
        y: Floats | None = None,
        measures: Measures | None = None,
        classes: tuple[Any, ...] | None = None,
        columns: tuple[Column, ...] | None = None,
    ) -> Problem:
        """Take rows, and labels -1.0 and 1.0, that were validated before; without labels they are all 1."""
        if classes is None:
            classes = (1,) if y is None else (-1, 1)
        return cls(
            X=X,
            y=np.ones(X.shape[0]) if y is None else y,
            classes=classes,
            intercept=intercept,
            columns=columns,
            weights=None,
            given=X.shape[0],
            kept=None,
            measures=measured(X) if measures is None else measures,
        )

    @property
    def names(self) -> list[str] | None:
        """The names of the features, where they have any."""
        return None if self.columns is None else [str(column) for column in self.columns]

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
        """Return the columns and the values of the entries of ``z_i``, unscaled; column d is the intercept."""
        places, entries = row_entries(self.X, i)
        columns = places.tolist()
        if self.intercept:
            columns, entries = [*columns, self.d], np.append(entries, 1.0)
        return columns, self.y[i] * entries

    def with_columns(self, columns: list[int]) -> Problem:
        """Return the problem with some of its columns only."""
        X = with_columns(self.X, columns)
        chosen = None if self.columns is None else tuple(self.columns[j] for j in columns)
        return replace(self, X=X, columns=chosen, measures=measured(X))

    def lifted(self, rows: list[int]) -> Floats:
        """Return some of the ``z_i`` as a dense matrix."""
        return filled_in(lift(filled_in(self.X[rows]), self.y[rows], float(self.intercept)))
