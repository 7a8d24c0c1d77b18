"""Rows of float64 numbers, dense or CSR: all that the two forms do differently, and what one pass over them tells.

Whoever works with rows asks here for what depends on their form, and need not know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats, Indices, Rows
from ..compiled.environment import require_rounding_to_nearest
from ..compiled.measures import grid_exponent, measure
from ..support.threads import in_parts
from .csr import frozen

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_INFINITY_BITS = 0x7FF << 52
"""The bits of infinity; those of NaN, taken for an integer, are above it."""

_NO_BITS = 2**64 - 1
"""What the pass over rows returns for the bits of the smallest entry if all are zero."""

_NUMBERS_PER_CHUNK = 2**20
"""Numbers of dense rows that are looked at at a time."""


# What dense and CSR rows do differently.


def is_dense(X: Rows) -> TypeIs[Floats]:
    """Whether rows are an array; if not, they are CSR."""
    return isinstance(X, np.ndarray)


def filled_in(X: Rows) -> Floats:
    """Return rows as an array."""
    return X if is_dense(X) else X.toarray()


def squared_lengths(X: Rows) -> Floats:
    """Return the square of the length of every row, in floating point."""
    return np.einsum("ij,ij->i", X, X) if is_dense(X) else np.asarray(X.multiply(X).sum(axis=1)).reshape(-1)


def stored(X: Rows) -> int:
    """Return how many numbers the rows hold."""
    return int(X.size if is_dense(X) else X.nnz)


def arrays_of(X: Rows) -> list[NDArray[Any]]:
    """Return the arrays that hold the rows, numbers first."""
    return [X] if is_dense(X) else [X.data, X.indices, X.indptr]


def with_numbers(X: sp.csr_array, data: Floats) -> Rows:
    """Return CSR rows that hold other numbers in the same places, which they share: nothing may be put in or taken out."""
    return sp.csr_array((data, X.indices, X.indptr), X.shape)


def row_entries(X: Rows, i: int) -> tuple[Indices, Floats]:
    """Return the columns in which a row is not 0, and what it holds there."""
    if is_dense(X):
        columns = np.flatnonzero(X[i])
        return columns, X[i, columns]
    span = slice(X.indptr[i], X.indptr[i + 1])
    kept = np.flatnonzero(X.data[span])
    return X.indices[span][kept], X.data[span][kept]


def zero_rows(X: Rows) -> Indices:
    """Return the rows that are 0 throughout."""
    if is_dense(X):
        return np.flatnonzero(~X.any(axis=1))
    zero = np.ones(X.shape[0], bool)
    zero[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[X.data != 0.0]] = False
    return np.flatnonzero(zero)


def taken(X: Rows, rows: Any) -> Rows:
    """Return some rows, by their numbers, a slice, or True and False for each."""
    n = X.shape[0]
    numbers = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind == "i" and rows.size > 0
    if not (is_dense(X) and numbers and -n <= rows.min() and rows.max() < n):
        return X[rows]
    found = np.empty((rows.size, X.shape[1]))

    def take(start: int, stop: int) -> None:
        np.take(X, rows[start:stop], axis=0, out=found[start:stop], mode="wrap")  # in range, so that no copy is made

    in_parts(take, rows.size, found.size)  # of many rows this takes a fraction of the time of an index
    return found


def with_columns(X: Rows, columns: list[int]) -> Rows:
    """Return the rows with some of their columns only."""
    return np.ascontiguousarray(X[:, columns]) if is_dense(X) else sp.csr_array(X[:, columns])


def beside(left: Rows, right: Rows) -> Rows:
    """Put the columns of rows beside those of others."""
    return np.hstack([left, right]) if is_dense(left) else sp.csr_array(sp.hstack([left, right]))


def stacked(*parts: Rows) -> Rows:
    """Put rows below each other: dense if all are, else CSR."""
    if all(map(is_dense, parts)):
        return np.vstack(parts)
    return sp.csr_array(sp.vstack([sp.csr_array(part) for part in parts]))


def transposed(X: Rows) -> Rows:
    """Exchange rows and columns."""
    return np.ascontiguousarray(X.T) if is_dense(X) else sp.csr_array(X.T)


def times_number(X: Rows, number: float) -> Rows:
    """Multiply rows by a number, in floating point."""
    return X * number if is_dense(X) else with_numbers(X, X.data * number)


def times_powers(X: Rows, exponents: int | Indices) -> Rows:
    """Multiply rows by a power of two, or each column by one of its own, given by their exponents."""
    if is_dense(X):
        return np.ldexp(X, exponents)
    return with_numbers(X, np.ldexp(X.data, exponents if isinstance(exponents, int) else exponents[X.indices]))


def times_factors(X: Rows, factors: Floats) -> Rows:
    """Multiply each row by a number of its own."""
    if is_dense(X):
        return X * factors[:, None]
    return with_numbers(X, X.data * np.repeat(factors, np.diff(X.indptr)))


def lift(X: Rows, signs: Floats, constant: float) -> Rows:
    """Put a constant behind each row, unless it is 0, and multiply by signs, or other numbers, of the rows."""
    if constant:
        X = beside(X, np.full((X.shape[0], 1), constant))
    return times_factors(X, signs)


def affine_scores(X: Rows, weights: Floats, constant: float | Floats = 1.0) -> Floats:
    """Return ``w.x`` for all rows in floating point, plus the constant times the last weight if there is one more."""
    d = X.shape[1]
    scores: Floats = X @ weights[:d]
    if weights.size > d:
        scores += weights[d] * constant
    return scores


_NUMBERS_AT_ONCE = 2**16
"""Products that are held at a time, so that they stay in the cache."""


def steady_scores(X: Rows, weights: Floats, constant: float = 1.0) -> Floats:
    """Return what `affine_scores` does, each score with the same bits whatever rows are beside its row.

    BLAS takes rows in groups, so that the last bits of a sum may depend on where its row stands: rows that come in blocks
    would have other scores than all together. Here the order of a sum depends on the number of its terms alone.
    """
    if not is_dense(X):
        return affine_scores(X, weights, constant)  # scipy adds up row by row
    n, d = X.shape
    scores, rows = np.empty(n), max(1, _NUMBERS_AT_ONCE // max(d, 1))
    for start in range(0, n, rows):
        products = np.multiply(X[start : start + rows], weights[:d], order="C")
        np.sum(products, axis=1, out=scores[start : start + rows])
    if weights.size > d:
        scores += weights[d] * constant
    return scores


def column_extremes(X: Rows) -> Floats:
    """Return the largest magnitude in each column."""
    if is_dense(X):
        return np.maximum(X.max(axis=0), -X.min(axis=0))
    extremes = np.zeros(X.shape[1])
    np.maximum.at(extremes, X.indices, np.abs(X.data))
    return extremes


def column_ends(X: Rows) -> tuple[Floats, Floats]:
    """Return the smallest and the largest number in each column."""
    if is_dense(X):
        return X.min(axis=0), X.max(axis=0)
    return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()


def row_extremes(X: Rows, exponents: Indices) -> Floats:
    """Return the largest magnitude in each row whose columns are multiplied by powers of two."""
    if not is_dense(X):
        magnitudes = with_numbers(X, np.ldexp(np.abs(X.data), exponents[X.indices]))
        return filled_in(magnitudes.max(axis=1)).ravel()
    extremes = np.empty(X.shape[0])
    step = max(1, _NUMBERS_PER_CHUNK // X.shape[1])  # lest a copy of all is made
    for start in range(0, X.shape[0], step):
        extremes[start : start + step] = np.abs(np.ldexp(X[start : start + step], exponents)).max(axis=1)
    return extremes


# Rows measured.


@dataclass(frozen=True)
class Measures:
    """What one pass over the rows tells."""

    norms: Floats
    """Upper bounds of the rows' Euclidean norms; infinite where a square overflows."""
    largest: float
    """The largest magnitude."""
    smallest: float
    """The smallest non-zero magnitude; infinity if all entries are zero."""
    longest: int
    """Most entries in one row."""


def measured(rows: Rows) -> Measures:
    """Measure rows in one pass."""
    require_rounding_to_nearest()
    norms = np.empty(rows.shape[0])
    if is_dense(rows):
        values, indptr, width = frozen(rows.reshape(-1)), None, rows.shape[1]
    else:
        values, indptr, width = frozen(rows.data), frozen(rows.indptr), 0
    bits = values.view(np.uint64)

    def measure_part(start: int, stop: int) -> tuple[int, int, int]:
        extremes = np.empty(2, np.uint64)
        if indptr is None:
            its_own, its_rows = slice(start * width, stop * width), None
        else:
            its_own, its_rows = slice(None), indptr[start : stop + 1]
        longest = measure(values[its_own], bits[its_own], its_rows, width, norms[start:stop], extremes)
        return int(extremes[0]), int(extremes[1]), int(longest)

    largest, smallest, longest = zip(*in_parts(measure_part, rows.shape[0], values.size), strict=True)
    return Measures(
        norms,
        float(np.uint64(max(largest)).view(np.float64)) if max(largest) <= _INFINITY_BITS else np.nan,
        np.inf if min(smallest) == _NO_BITS else float(np.uint64(min(smallest)).view(np.float64)),
        max(longest),
    )


def grid(X: Rows, floor: int) -> int:
    """Largest g such that all numbers are multiples of ``2**g``; less than ``floor`` if that is below it."""
    values = arrays_of(X)[0].reshape(-1)
    return int(grid_exponent(frozen(values.view(np.uint64)), floor))
