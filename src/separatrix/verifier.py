"""The fast verifier: the same checks as the stand-alone `checker`, on arrays of any size.

Signs are decided by certified floating point, by exact arithmetic only where that cannot; sums are exact integers.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from reprlib import repr as brief
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from . import checker, packings, tallies
from .cells import label_text
from .certificate import (
    Certificate,
    Claim,
    Combination,
    Cover,
    InvalidCertificate,
    MarginBound,
    Obstruction,
    Separator,
    digest,
    whole,
)
from .checker import CARRIES, KINDS, sign_of
from .columns import Column, TextTable
from .delimited import Layout
from .encoding import Data, reread
from .exact import Dyadic, mantissas_and_exponents
from .kernels.environment import checked_arithmetic, refuse_flushing
from .lifted import SAFE, Lifted
from .problem import Problem, read_labels, read_rows
from .rational import IntegerRows, product, vanishes


@checked_arithmetic
def verify(certificate: Certificate | str | Path, X: Any, y: Any = None) -> None:
    """Check a certificate against the data it speaks of.

    Parameters
    ----------
    certificate : Certificate, or path of a file
        What is claimed, and its proof.
    X : array, sparse matrix, pandas, polars or pyarrow table, path of a file, or Data
        The rows. Where the certificate and a table have names of columns, they are matched by name, and categories and
        missing values are encoded as the certificate says.
    y : array of shape (n,)
        The labels, in the classes that the certificate names. Not given if X has them: a path, or what `read_data` returns.

    Raises
    ------
    InvalidCertificate
        If the data is not that of the certificate, or the proof does not hold; the message says what fails, and where.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certificate = sx.decide(X, y).certificate
    >>> sx.verify(certificate, X, y)
    >>> sx.verify(certificate, X, [0, 1, 1, 1])
    Traceback (most recent call last):
        ...
    separatrix.checker.InvalidCertificate: The data is not that of the certificate: ...
    """
    if isinstance(certificate, str | os.PathLike):
        certificate = Certificate.load(certificate)
    if not isinstance(certificate, Certificate):
        raise TypeError(f"Expected a Certificate, as in verdict.certificate, or a path; got {type(certificate).__name__}.")
    if isinstance(X, str | os.PathLike) and y is None:
        X = data_of(certificate, X)
    if isinstance(X, Data):
        verify_data(certificate, X)
        return
    if certificate.problem.columns is not None:
        X = _named_columns(X, certificate)
    _verify_signs(certificate, X, _signs(certificate, read_labels(y)))


def data_of(
    certificate: Certificate,
    source: Any,
    *,
    label: str | int | None = None,
    layout: Layout | None = None,
    kind: str | None = None,
) -> Data:
    """Read, from files or a table, the rows that a certificate speaks of, as it says."""
    subject = certificate.problem
    named = subject.table.label if isinstance(subject.table, TextTable) else None
    if label is None:
        label = named
    elif named is not None and str(label) != named:
        _refuse(f"The certificate is about the label {named!r}, not {label!r}.")
    return reread(
        source, subject.columns, subject.table, subject.dimension, label=label, layout=layout, kind=kind, unseen="ignore",
        classes=subject.classes or (),
    )  # fmt: skip


@checked_arithmetic
def verify_data(certificate: Certificate, data: Data) -> int:
    """Check a certificate against rows with their labels. Return how many of these a weak separator goes through."""
    columns = certificate.problem.columns
    X: Any = data.X
    if columns is not None and data.columns is not None and data.columns != columns:
        places = {column: j for j, column in enumerate(data.columns)}
        absent = next((column for column in columns if column not in places), None)
        if absent is not None:
            _refuse(f"The data is not that of the certificate: it has no column {brief(str(absent))}.")
        X = X[:, [places[column] for column in columns]]
    if data.codes is None:
        raise ValueError("The data has no labels: name the column that holds them.")
    codes = np.array([sign_of(text, certificate.problem.classes) for text in data.texts], float)
    if not codes.all():
        text = data.texts[int(np.flatnonzero(codes == 0)[0])]
        _refuse(f"The data is not that of the certificate: the label {brief(text)} is no class of it.")
    return _verify_signs(certificate, X, codes[data.codes])


def about(certificate: Certificate, data: Data) -> str:
    """Say what a certificate is about, in the words of the checker."""
    return checker.subject_in_words(_problem(certificate, data), data.seen)


def in_words(certificate: Certificate, data: Data, zero: int) -> str:
    """Say what a certificate proves that `verify_data` has found valid, in the words of the checker."""
    document: dict[str, Any] = {"claim": str(certificate.claim), "problem": _problem(certificate, data)}
    for section in ("margin", "errors"):
        part = getattr(certificate, section)
        document[section] = None if part is None else vars(part)
    return checker.in_words(document, zero, data.seen)


def _problem(certificate: Certificate, data: Data) -> dict[str, Any]:
    """Return what a document says of a problem, with the table as it was read: options may say more than the document."""
    subject = certificate.problem
    columns, table = subject.columns, subject.table if data.table is None else data.table
    return {
        "rows": subject.rows,
        "dimension": subject.dimension,
        "intercept": subject.intercept,
        "classes": subject.classes,
        "columns": None if columns is None else [column.document() for column in columns],
        "table": None if table is None else table.document(),
    }


def _verify_signs(certificate: Certificate, X: Any, signs: NDArray[np.float64]) -> int:
    subject = certificate.problem
    rows, _, measures = read_rows(X)
    if rows.shape != (subject.rows, subject.dimension):
        _refuse(
            f"The data is not that of the certificate: it has {rows.shape[0]} rows and {rows.shape[1]} columns, expected "
            f"{subject.rows} and {subject.dimension}."
        )
    read_labels(signs, rows.shape[0])
    problem = Problem.bare(rows, subject.intercept, signs, measures)
    _compare(certificate, problem)
    return check(certificate, problem)


def check(certificate: Certificate, problem: Problem) -> int:
    """Check what a certificate claims of a problem; that it speaks of this problem is taken for granted.

    Return how many rows the separator goes through, if it is one of quasi-separable classes.
    """
    _check_form(certificate, problem)
    weak = certificate.claim == Claim.QUASI_SEPARABLE
    zero = np.ones(problem.n, bool)
    if certificate.separator is not None:
        zero = _check_separator(certificate.separator, problem, weak)
    if certificate.obstruction is not None:
        _check_obstruction(certificate.obstruction, problem)
    if certificate.cover is not None:
        _check_cover(certificate.cover, problem, zero)
    if certificate.margin is not None and certificate.separator is not None:
        _check_margin_at_least(certificate.margin, certificate.separator, problem)
    if certificate.margin is not None and certificate.combination is not None:
        _check_margin_at_most(certificate.margin, certificate.combination, problem)
    if certificate.errors is not None and certificate.packing is not None:
        packings.check(certificate.errors, certificate.packing, problem)
    return int(np.count_nonzero(zero))


def _check_form(certificate: Certificate, problem: Problem) -> None:
    """See that a certificate is one: from a file it always is, but objects can be made by hand."""
    sections = ("separator", "obstruction", "cover", "margin", "combination", "errors", "packing")
    carried = {name for name in sections if getattr(certificate, name) is not None}
    if carried != set(CARRIES[certificate.claim]):
        _refuse(f"A certificate of the claim '{certificate.claim}' carries {' and '.join(CARRIES[certificate.claim])}.")
    if certificate.separator is not None:
        if len(certificate.separator.weights) != problem.d:
            _refuse(f"The separator has {len(certificate.separator.weights)} weights, expected {problem.d}.")
        if certificate.separator.intercept and not problem.intercept:
            _refuse("The separator has an intercept, but the problem has none.")
    if certificate.obstruction is not None:
        rows, multipliers = certificate.obstruction.rows, certificate.obstruction.multipliers
        if not rows:
            _refuse("The obstruction is empty: nothing follows from no rows.")
        _check_lists("obstruction", rows, multipliers, problem.n)
        points, labels = certificate.obstruction.points, certificate.obstruction.labels
        if not len(points) == len(labels) == len(rows) or any(len(point) != problem.d for point in points):
            _refuse("The obstruction's points or labels are not as many as its rows, or have another dimension.")
    if certificate.cover is not None:
        _check_lists("cover", certificate.cover.rows, certificate.cover.multipliers, problem.n)
        if not certificate.cover.rest > 0:
            _refuse("The cover's multiplier of the rest is not positive.")
    if certificate.margin is not None:
        if certificate.margin.kind not in KINDS:
            _refuse(f"The margin is of no kind that is known, but {brief(certificate.margin.kind)}.")
        if not isinstance(certificate.margin.squared, Fraction | int) or certificate.margin.squared < 0:
            _refuse("The square of the margin is not a rational number from 0 up.")
    if certificate.combination is not None:
        if not certificate.combination.rows:
            _refuse("The combination is empty: nothing follows from no rows.")
        _check_lists("combination", certificate.combination.rows, certificate.combination.multipliers, problem.n)
    if certificate.errors is not None and certificate.packing is not None:
        packings.check_form(certificate.errors, certificate.packing, problem)


def _check_lists(section: str, rows: Sequence[int], multipliers: Sequence[Fraction], n: int) -> None:
    if len(set(rows)) != len(rows) or not all(0 <= i < n for i in rows):
        _refuse(f"The {section} lists a row twice, or one that is not among the {n}.")
    if len(multipliers) != len(rows) or not all(multiplier > 0 for multiplier in multipliers):
        _refuse(f"The {section}'s multipliers are not positive, one for each row.")


def _named_columns(X: Any, certificate: Certificate) -> Any:
    """Take the columns of a table by name, as the certificate says; leave alone what is no table."""
    if sp.issparse(X):
        return X
    table = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return X
    columns = certificate.problem.columns or ()
    missing = next((column.source for column in columns if column.source not in table.columns), None)
    if missing is not None:
        _refuse(f"The data is not that of the certificate: it has no column {brief(missing)}.")
    if all(column == Column(column.source) for column in columns):
        return table.select([column.source for column in columns]).to_native()
    return reread(X, columns, certificate.problem.table, certificate.problem.dimension, unseen="ignore").X


def _signs(certificate: Certificate, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Code labels by their texts, as the checker does with the cells of a file."""
    classes = certificate.problem.classes
    found, places = np.unique(labels, return_inverse=True)
    signs = np.array([_sign(label, classes) for label in found.tolist()], dtype=float)[places]
    strange = np.flatnonzero(signs == 0.0)
    if strange.size:
        negative, positive = classes or (-1, 1)
        label = labels[strange[0]]
        _refuse(
            f"The data is not that of the certificate: row {strange[0]} is labelled "
            f"{brief(label.item() if isinstance(label, np.generic) else label)}, "
            f"neither {brief(negative)} nor {brief(positive)}."
        )
    return signs


def _sign(label: Any, classes: tuple[Any, Any] | None) -> int:
    """Code a label: a number that is too long for a table by its value, all others by their texts."""
    if isinstance(label, int | float) and abs(label) >= 10**20:
        negative, positive = classes or (-1, 1)
        return 1 if label == positive else -1 if negative is None or label == negative else 0
    return sign_of(label_text(label), classes)


def _compare(certificate: Certificate, problem: Problem) -> None:
    """See that the data is that of the certificate: entry by entry where it is at hand as it was, else by its digest."""
    source = certificate.problem.source
    dense = source is not None and isinstance(source.X, np.ndarray) and isinstance(problem.X, np.ndarray)
    if source is not None and dense and certificate.problem.is_unchanged():  # by others, who may share its memory
        same = np.array_equal(source.y, problem.y) and np.array_equal(source.X, problem.X)
    else:
        same = digest(problem) == certificate.problem.digest
    if not same:
        _refuse(
            "The data is not that of the certificate: a number, a label, or the order of rows or columns differs, as their "
            "digests tell."
        )


def _check_separator(separator: Separator, problem: Problem, weak: bool) -> NDArray[np.bool_]:
    """See that all rows score above 0, or, for a weak separator, at least 0 and some above; tell which score 0."""
    signs = Lifted.of(problem).signs(separator.exact(problem.intercept))
    wrong = np.flatnonzero(signs < (0 if weak else 1))
    if wrong.size:
        side = "wrong side of the separator" if signs[wrong[0]] < 0 else "separator itself"
        _refuse(f"Row {wrong[0]} lies on the {side}.")
    if weak and not signs.any():
        _refuse("Every row lies on the separator itself: it separates none.")
    return signs == 0


def _check_obstruction(obstruction: Obstruction, problem: Problem) -> None:
    rows = list(obstruction.rows)
    lifted = problem.lifted(rows)
    for k, i in enumerate(rows):
        if obstruction.labels[k] != problem.y[i]:
            _refuse(f"The obstruction gives row {i} the label {obstruction.labels[k]}, the data {int(problem.y[i])}.")
        point = lifted[k, : problem.d] * problem.y[i]
        for j, (claimed, value) in enumerate(zip(obstruction.points[k], point.tolist(), strict=True)):
            if claimed != value:
                _refuse(f"The obstruction gives row {i} another value in column {j} than the data, {value!r}.")
    if not vanishes(lifted, whole(obstruction.multipliers)):
        _refuse("The rows of the obstruction, times their multipliers, do not add up to zero.")


def _check_cover(cover: Cover, problem: Problem, zero: NDArray[np.bool_]) -> None:
    rows = list(cover.rows)
    outside = [i for i in rows if not zero[i]]
    if outside:
        _refuse(f"The cover lists row {outside[0]}, which the separator does not leave at 0.")
    # rest * (sum of all zero rows) + sum of (multiplier - rest) * row over those listed
    rest = tallies.total(problem, zero)
    unit = Fraction(2) ** rest.exponent * cover.rest
    listed = _combination(problem.lifted(rows), [number - cover.rest for number in cover.multipliers])
    for number, other in zip(rest.integers, listed, strict=True):
        if number * unit + other:
            _refuse("The rows of the cover, times their multipliers, do not add up to zero.")


def _check_margin_at_least(margin: MarginBound, separator: Separator, problem: Problem) -> None:
    """See that ``z_i.w >= sqrt(squared) |w|`` for every row; that all are above 0 is known.

    Scores are multiples of the `_unit`, so the right hand side is rounded up to one: a threshold ``t`` without a root.
    Then ``z_i.w - t`` is the score of ``w`` with the intercept less ``t`` for rows labelled 1, plus ``t`` for the others,
    and its sign is found as those of all scores are.
    """
    numbers = separator.exact(problem.intercept).integers
    square = sum(number * number for number in (numbers if margin.kind == "lifted" else numbers[: problem.d]))
    if not square:
        _refuse("The weights of the separator are all 0: nothing has a distance from it.")
    if not margin.squared:
        return
    shift = -_unit(problem)
    top, bottom = (square * margin.squared.numerator) << 2 * shift, margin.squared.denominator
    threshold = math.isqrt(top // bottom)
    threshold += threshold * threshold * bottom < top
    *weights, intercept = numbers if problem.intercept else [*numbers, 0]
    lifted = Lifted.of(replace(problem, intercept=True))
    near = np.zeros(problem.n, bool)
    for label in np.unique(problem.y).tolist():
        moved = [*(weight << shift for weight in weights), (intercept << shift) - int(label) * threshold]
        near |= (lifted.signs(Dyadic(moved, -shift)) < 0) & (problem.y == label)
    if near.any():
        _refuse(f"Row {np.flatnonzero(near)[0]} is nearer to the separator than the margin that is claimed.")


def _check_margin_at_most(margin: MarginBound, combination: Combination, problem: Problem) -> None:
    """See that ``||sum lambda_i z_i|| <= sqrt(squared) sum lambda_i``; geometric, that either class has half of that sum."""
    if problem.measures.smallest < SAFE:
        refuse_flushing("the rows hold")
    unit = _unit(problem)
    multipliers = whole(combination.multipliers)
    totals: dict[int, int] = defaultdict(int)
    for i, multiplier in zip(combination.rows, multipliers, strict=True):
        columns, entries = problem.row(i)
        for j, number, exponent in zip(columns, *mantissas_and_exponents(entries), strict=True):
            totals[j] += multiplier * (number << (exponent - unit) if exponent >= unit else number >> (unit - exponent))
    if margin.kind == "geometric" and problem.intercept and totals[problem.d]:
        _refuse("The multipliers of the combination do not add up to the same in either class.")
    square, whole_sum = sum(total * total for total in totals.values()), sum(multipliers)
    if square * margin.squared.denominator > (margin.squared.numerator * whole_sum * whole_sum) << -2 * unit:
        _refuse("The rows of the combination, times their multipliers, add up to more than the margin that is claimed.")


def _unit(problem: Problem) -> int:
    """Return an exponent, 0 or less, of a power of two of which all entries of the rows, and 1, are whole multiples."""
    smallest = problem.measures.smallest
    return 0 if math.isinf(smallest) else min(0, max(math.frexp(smallest)[1] - 53, -1074))


def _combination(rows: NDArray[np.float64], multipliers: Sequence[Fraction]) -> list[Fraction]:
    """Exact sum of rows times multipliers."""
    if not len(rows):
        return [Fraction(0)] * rows.shape[1]
    integers = IntegerRows.of(rows)
    numbers = whole(multipliers)
    unit = next((m / n for m, n in zip(multipliers, numbers, strict=True) if n), Fraction(1))
    low = min(integers.rows)
    sums = product([n << (r - low) for n, r in zip(numbers, integers.rows, strict=True)], integers.numbers)
    return [number * unit * Fraction(2) ** (low + c) for number, c in zip(sums, integers.columns, strict=True)]


def _refuse(message: str) -> NoReturn:
    raise InvalidCertificate(message)
