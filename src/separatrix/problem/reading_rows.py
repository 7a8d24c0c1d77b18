"""Rows that users give, read exactly: arrays, sparse matrices, tables; float64 numbers, large integers, decimals, fractions.

Nothing is rounded in silence: float32 is widened, a number that has no exact form here is refused with its place, and so
are NaN and infinity. The wording of errors keeps the phrases that scikit-learn's users, and its own checks, look for.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Rows
from ..exact.float64 import exact_float64, float_in, gathered
from .csr import canonical_csr
from .exact_rows import LARGEST_NUMERATOR, MAX_WIDE_BITS, MAX_WIDE_CELLS, ExactRows, Reading, is_float64
from .rows import arrays_of, is_dense

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


def _located(where: tuple[int, int], names: tuple[str, ...] | None) -> str:
    row, column = where
    return f"row {row}, column {names[column]!r}" if names else f"row {row}, column {column}"


def read_rows(X: Any, what: str = "X") -> ExactRows:
    """Read rows, and see that they are finite numbers; numerators are C-contiguous or CSR."""
    rows = getattr(X, "rows", None)
    if isinstance(rows, ExactRows):  # data with labels, of which the rows are meant
        X = rows
    if isinstance(X, ExactRows):  # whoever made them may have changed them since
        dense = is_dense(X.numerators) and X.numerators.dtype == np.float64 and X.numerators.flags.c_contiguous
        found = X if dense else replace(X, numerators=_from_arrays(X.numerators, what))
    elif sp.issparse(X):
        found = ExactRows(canonical_csr(X, what))
    elif isinstance(X, np.ndarray | list | tuple):
        found = _from_array(X, what)
    else:
        found = _from_anything(X, what)
    for size, kind in zip(found.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ValueError(f"Found array with 0 {kind}(s) (shape={found.shape}) while a minimum of 1 is required.")
    if not np.isfinite(found.measures.largest):
        _refuse_nonfinite(found.numerators, found.names, what)
    return found


def _from_anything(X: Any, what: str) -> ExactRows:
    """Read a table, or what can be made an array."""
    import narwhals.stable.v2 as nw  # takes long to load, and arrays do without
    from narwhals.exceptions import DuplicateError

    from .batches import Batches  # which are made of rows that are read here

    if isinstance(X, Batches):
        raise TypeError(
            f"{what} is a stream, whose rows come in blocks, and this needs all rows in memory. sx.decide, verify, "
            "margin, least_errors, describe and audit take streams, as sx.Perceptron().fit does; and for any fitted "
            "classifier there are stream.predict(classifier) and stream.score(classifier)."
        )
    try:
        table = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        raise ValueError(f"{what} has columns of the same name. Rename them, so that each is told apart.") from None
    if isinstance(table, nw.DataFrame):
        return _from_table(table, what)
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise TypeError(f"{what} is a lazy table: call .collect() on it first.")
    return _from_array(X, what)


def _refuse_nonfinite(rows: Rows, names: tuple[str, ...] | None, what: str) -> None:
    values = arrays_of(rows)[0]
    bad = np.isnan(values)
    kind = "NaN" if bad.any() else "infinity"
    if kind == "infinity":
        bad = np.isinf(values)
    if not bad.any():
        raise ValueError(f"Input {what} has changed while it was read. Keep other threads from writing to it meanwhile.")
    at = np.argwhere(bad)[0]
    if is_dense(rows):
        where = int(at[0]), int(at[1])
    else:
        where = int(np.searchsorted(rows.indptr, at[0], side="right")) - 1, int(rows.indices[at[0]])
    count = int(np.count_nonzero(bad))
    raise ValueError(
        f"Input {what} contains {kind}: {count} {'entry' if count == 1 else 'entries'}, the first in "
        f"{_located(where, names)}. Every entry must be a finite number: leave such rows out, or fill the gaps first."
    )


def _from_arrays(X: Rows, what: str) -> Rows:
    return np.ascontiguousarray(exact_float64(X, what)) if is_dense(X) else canonical_csr(X, what)


def _from_array(X: Any, what: str) -> ExactRows:
    if isinstance(X, str | PathLike):
        raise TypeError(f"Expected 2D array, got the path of a file instead: {what}={X!r}. Read it with read_data first.")
    array = gathered(X, what)
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead: {what}={X!r}.")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead for {what}. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it is a single row."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim} for {what}, while dim 2 is required: one row per example.")
    if _needs_fractions(array):
        return _from_objects(array.astype(object), what, None)
    return ExactRows(np.ascontiguousarray(exact_float64(array, what)))


def _from_table(table: nw.DataFrame[Any], what: str) -> ExactRows:
    import narwhals.stable.v2 as nw

    columns = []
    for name in table.columns:
        column = table.get_column(name)
        numeric = column.dtype.is_numeric() or column.dtype in (nw.Boolean, nw.Object, nw.Unknown)  # of pandas: sparse
        if not numeric:
            raise ValueError(
                f"Column {name!r} of {what} holds {column.dtype}, not numbers: drop it, or encode it as numbers, as "
                "TableEncoder does."
            )
        gaps = int(column.null_count())
        if gaps:
            first = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise ValueError(
                f"Input {what} contains NaN: {gaps} missing in column {name!r}, the first in row {first}. Every entry "
                "must be a finite number: leave such rows out, or fill the gaps first."
            )
        objects = column.dtype in (nw.Int128, nw.UInt128, nw.Decimal)  # which numpy does not have
        columns.append(np.array(column.to_list(), object) if objects else column.to_numpy())
    names = tuple(table.columns) if all(isinstance(name, str) for name in table.columns) else None
    if any(_needs_fractions(values) for values in columns):
        return _from_objects(np.array([values.astype(object) for values in columns], object).T, what, names)
    rows = np.empty(table.shape)
    for j, (name, values) in enumerate(zip(table.columns, columns, strict=True)):
        rows[:, j] = exact_float64(values, f"{what}, column {name!r},")
    return ExactRows(rows, names=names)


# ---- Numbers that float64 does not hold, or that are not meant as float64.


def _needs_fractions(array: NDArray[Any]) -> bool:
    """Whether there are decimals, fractions, or numbers that float64 does not hold."""
    if array.dtype.kind == "O":
        return any(
            isinstance(value, Decimal | numbers.Rational) and not _is_held(value) for value in map(_plain, array.flat)
        )
    if array.dtype.kind in "iu":
        large = array[(array > LARGEST_NUMERATOR) | (array < -LARGEST_NUMERATOR)] if array.dtype.itemsize == 8 else array[:0]
        return not all(map(is_float64, large.flat))
    return array.dtype.kind == "f" and array.dtype.itemsize > 8 and not np.array_equal(array, array.astype(np.float64))


def _plain(value: Any) -> Any:
    """Return a number that stands in an array of its own, or itself."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _is_held(value: Any) -> bool:
    """Whether a number is an integer that float64 holds."""
    return isinstance(value, numbers.Integral) and is_float64(int(value))


def _from_objects(array: NDArray[Any], what: str, names: tuple[str, ...] | None) -> ExactRows:
    """Read numbers of any kind as fractions, and bring them to one denominator."""
    exact = np.empty(array.shape, object)
    for at, value in np.ndenumerate(array):
        exact[at] = _fraction(value, what, at)
    if any(number is None for number in exact.flat):
        return ExactRows(_not_finite(array, exact), names=names)
    try:
        wide, common, reading = _over_one_denominator(exact)
    except _TooLong as found_long:
        if all(map(_is_double, exact.flat)):  # numbers of float64 may be farther apart than others
            return ExactRows(exact.astype(np.float64), names=names)
        _refuse_long(array[found_long.at], found_long.at, names, what, f"takes more than {MAX_WIDE_BITS:,} bits")
    found = ExactRows.of_whole(wide, common, reading, names)
    if found.wide is not None and wide.size > MAX_WIDE_CELLS:
        long = (at for at, number in np.ndenumerate(wide) if not is_float64(number))
        at = next(long, (0, 0))
        _refuse_long(
            array[at], at, names, what, f"takes more than 53 bits, and there are more than {MAX_WIDE_CELLS:,} numbers"
        )
    return found


class _TooLong(Exception):  # noqa: N818 (it is what it says)
    """A number that takes too many bits over the common denominator, by its place."""

    def __init__(self, at: tuple[int, ...]) -> None:
        super().__init__()
        self.at = at


def _over_one_denominator(exact: NDArray[Any]) -> tuple[NDArray[Any], int, Reading]:
    """Return numerators over a common denominator, that denominator, and what the numbers are read as."""
    common = 1
    for at, number in np.ndenumerate(exact):  # bit by bit, as the least common multiple of long numbers takes for ever
        if number.denominator.bit_length() <= MAX_WIDE_BITS:
            common = math.lcm(common, number.denominator)
        if max(number.denominator.bit_length(), common.bit_length()) > MAX_WIDE_BITS:
            raise _TooLong(at)
    common, reading = _as_power_of_ten(common)
    wide = np.empty(exact.shape, object)
    for at, number in np.ndenumerate(exact):
        numerator = wide[at] = number.numerator * (common // number.denominator)
        if numerator.bit_length() > MAX_WIDE_BITS or common.bit_length() > MAX_WIDE_BITS:
            raise _TooLong(at)
    return wide, common, reading


def _is_double(number: Fraction) -> bool:
    """Whether float64 holds a fraction exactly."""
    try:
        return Fraction(float(number)) == number
    except OverflowError:
        return False


def _fraction(value: Any, what: str, at: tuple[int, ...]) -> Fraction | None:
    """Return a number as a fraction; None if it is NaN or infinity."""
    value = _plain(value)
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        if isinstance(value, float | np.floating | Decimal):
            return Fraction(*value.as_integer_ratio())
        return Fraction(float_in(value, what, at))
    except (OverflowError, ValueError):
        if isinstance(value, float | np.floating | Decimal):
            return None
        raise


def _not_finite(array: NDArray[Any], exact: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array that shows where NaN and infinity are."""
    found = np.zeros(array.shape)
    for at, number in np.ndenumerate(exact):
        if number is None:
            value = _plain(array[at])
            endless = value.is_infinite() if isinstance(value, Decimal) else np.isinf(value)
            found[at] = math.inf if endless else math.nan
    return found


def _as_power_of_ten(common: int) -> tuple[int, Reading]:
    """Return a power of ten, if that is a multiple of a denominator, else itself; and what the numbers are read as."""
    places, rest = 0, common
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    return (10**places, "decimal") if rest == 1 else (common, "rational")


def _refuse_long(value: Any, at: tuple[int, ...], names: tuple[str, ...] | None, what: str, why: str) -> NoReturn:
    text = str(value)
    shown = text if len(text) <= 60 else f"{text[:50]}… ({len(text):,} characters)"
    raise ValueError(
        f"{what} holds {shown} in {_located((at[0], at[1]), names)}, which over a common denominator {why}. Round the "
        "numbers, or convert them to float64 yourself."
    )
