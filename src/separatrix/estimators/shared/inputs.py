"""What estimators are given: rows, labels and weights, the order of visits, the first weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from ..._types import Floats
from ...exact.dyadic import Dyadic, Quotient
from ...exact.float64 import read_float
from ...exact.rationals import read_rationals, vector_of
from ...problem.batches import BatchedProblem
from ...problem.exact_rows import ExactRows
from ...problem.labels import class_array, distinct, is_class, read_weights
from ...problem.problem import Problem
from ...problem.provenance import Provenance
from ...problem.reading_rows import read_rows
from ...support.counts import few_of
from ...support.escaping import quoted

_MOST_NAMES = 8
"""Columns that a message names."""


def new_rows(estimator: Any, X: Any) -> ExactRows:
    """Return the rows that a fitted estimator is to say something of."""
    check_is_fitted(estimator)
    rows = read_rows(X)
    given = getattr(X, "provenance", None)
    if isinstance(given, Provenance) and _has_same_columns(estimator, given):  # it is `Data`, which takes long to load
        return rows
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return rows


def _has_same_columns(estimator: Any, given: Provenance) -> bool:
    """Whether data has the columns that were learnt from, by their names; False if they are not known. Refuse others."""
    known = getattr(estimator, "feature_names_in_", None)
    provenance = getattr(getattr(estimator, "_learnt", None), "provenance", None)
    if known is None and provenance is not None:
        known = provenance.columns
    if known is None or given.columns is None:
        return False
    expected, names = list(map(str, known)), list(map(str, given.columns))
    if expected != names:
        raise ValueError(
            f"The data has the columns {_listed(names)}, and {type(estimator).__name__} has learnt from "
            f"{_listed(expected)}. Read the table in those columns: sx.read_data(table, like=data), where data is what was "
            "learnt from."
        )
    return True


def _listed(names: list[str]) -> str:
    return few_of(list(map(quoted, names)), _MOST_NAMES, in_all=True)


def with_class_weight(
    class_weight: Any,
    labels: NDArray[Any],
    sample_weight: ArrayLike | None,
    *,
    classes: ArrayLike | None = None,
    repetitions: bool = False,
) -> ArrayLike | None:
    """Return sample weights multiplied by those of their classes.

    There are two kinds of "balanced". As scikit-learn has it, and as all do that learn by updates, a class is the heavier
    the fewer rows it has, whatever their sample weights. Where a weight counts as ``repetitions`` of its row, that would
    tell a weight of 2 from a row given twice: there all classes get the same total weight.
    """
    if class_weight is None or not labels.size:
        return sample_weight
    given = read_weights(sample_weight, labels.shape[0])
    weights = np.ones(labels.shape[0]) if given is None else given.copy()
    values = distinct(labels) if classes is None else list(np.asarray(classes))
    of_class = [is_class(labels, value) for value in values]
    if repetitions and isinstance(class_weight, str) and class_weight == "balanced":
        totals = [float(weights[rows].sum()) for rows in of_class]
        factors = [sum(totals) / (np.count_nonzero(totals) * total) if total else 0.0 for total in totals]
    else:
        if isinstance(class_weight, dict):
            class_weight = {label: read_float(weight, f"class_weight[{label!r}]") for label, weight in class_weight.items()}
        factors = compute_class_weight(class_weight, classes=class_array(values), y=labels)
    for rows, factor, value in zip(of_class, factors, values, strict=True):
        before = weights[rows]
        with np.errstate(all="ignore"):
            weights[rows] *= factor
        _refuse_lost(before, float(factor), weights[rows], np.flatnonzero(rows), value)
    return weights


def _refuse_lost(before: Floats, factor: float, after: Floats, rows: NDArray[np.int64], value: Any) -> None:
    """Refuse products of positive weights that are zero or infinite in float64: such rows would be lost, or all others."""
    lost = np.flatnonzero((before > 0.0) & (factor > 0.0) & ((after == 0.0) | np.isinf(after)))
    if lost.size:
        k = int(lost[0])
        raise ValueError(
            f"The weight of row {rows[k]}, {before[k]}, times that of its class {value!r}, {factor}, is {after[k]} in "
            "float64. Rescale the weights."
        )


def classes_used(labels: NDArray[Any], sample_weight: ArrayLike | None) -> list[Any]:
    """Return the classes of the rows that are not of weight 0, in order."""
    used = read_weights(sample_weight, labels.shape[0])
    some = labels if used is None or used.all() else labels[used != 0]
    return distinct(some) if some.size else []


def require_two_classes(estimator: Any, classes: Any) -> None:
    """Refuse rows of one class only."""
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs rows of two classes, but y holds only one class: {classes[0]!r}. "
            "Give rows of both."
        )


def visiting_order(order: str | ArrayLike, problem: Problem) -> str | NDArray[np.int64]:
    """Return an order by its name, or a permutation of the given rows without those that were left out."""
    if isinstance(order, str):
        return order
    places, n = np.asarray(order), problem.given
    if places.shape != (n,) or places.dtype.kind not in "iu" or not np.array_equal(np.sort(places), np.arange(n)):
        raise ValueError(f"order must be a permutation of the {n} rows: each of 0 to {n - 1} once.")
    if problem.kept is None:
        return places
    now = np.full(n, -1)
    now[problem.kept] = np.arange(problem.kept.size)
    kept: NDArray[np.int64] = now[places][now[places] >= 0]
    return kept


def initial_guess(
    problem: Problem | BatchedProblem, coef: ArrayLike | None, intercept: ArrayLike | None
) -> Dyadic | Quotient | None:
    """Return the first weights, vector after vector with the intercept last; None if none are given.

    They are exact: floats are what they are, texts are decimals, fractions are fractions.
    """
    if coef is None and intercept is None:
        return None
    vectors = problem.vectors
    size = vectors * problem.d
    first = [Fraction(0)] * size if coef is None else read_rationals(coef, "coef_init")
    if len(first) != size:
        raise ValueError(
            f"coef_init has {len(first)} weights, expected {size}: one for each feature"
            f"{'' if vectors == 1 else f' and each of the {vectors} classes'}."
        )
    last = [Fraction(0)] * vectors
    if intercept is not None:
        last = read_rationals(intercept, "intercept_init")
        if len(last) != vectors:
            raise ValueError(f"intercept_init has {len(last)} numbers, expected {'one' if vectors == 1 else vectors}.")
        if not problem.intercept:
            raise ValueError("intercept_init was given, but fit_intercept is False. Leave one of the two out.")
    rows = [first[k * problem.d : (k + 1) * problem.d] for k in range(vectors)]
    ends = [[each] if problem.intercept else [] for each in last]
    return vector_of([number for row, end in zip(rows, ends, strict=True) for number in (*row, *end)])


def counted(start: Dyadic, counted_in: Fraction, unit: Fraction) -> tuple[Dyadic, Fraction, int]:
    """Count weights in another unit, or in a whole part of it if they are no dyadic numbers otherwise.

    Return the weights, their unit, and how many of it make the one that was given.
    """
    share = counted_in / unit
    factor = share.denominator // (share.denominator & -share.denominator)  # without the powers of two
    return start.times_fraction(share * factor).numerators, unit / factor, factor
