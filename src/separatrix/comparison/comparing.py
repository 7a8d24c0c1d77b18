"""Classifiers side by side on the same rows, beside the errors that no hyperplane avoids."""

from __future__ import annotations

import numbers
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from ..errors.disagreement import Disagreement
from ..errors.least_errors import least_errors_of_problem
from ..estimators.family import FAMILY
from ..estimators.learnt import Learner, learnt_from, with_classes
from ..estimators.scaler import parts_of
from ..problem.batches import Batches
from ..problem.labels import class_array, code_labels, distinct, read_labels
from ..problem.majority import Majority
from ..problem.problem import Problem
from ..problem.provenance import Column, Provenance
from ..problem.reading_rows import read_rows
from ..problem.scaling import KINDS, Kind
from ..support.calls import Verbose, long_call
from ..support.clock import Clock, read_time_limit
from ..support.interruption import delegating, is_kept, stoppable
from ..support.progress import part
from ..support.remedies import Message, Remedy
from ..tables.data import Data
from .candidate import Candidate, Scalers
from .results import NOT_BEGUN, Comparison, Standing

_SHARE_OF_BOUND = 0.25
"""Of the time that a comparison may take, what the bound may take at most."""

_NUMBERS_OF_BOUND_PER_SECOND = 20_000_000
"""Numbers of the rows that are made ready for the bound in a second, about."""

_SECONDS_TO_TELL_OF = 3.0
"""Seconds from which on it is said how long the bound took."""

_MAX_ROWS_FOR_QUADRATIC = 10_000
"""Rows beyond which the default list goes without those that take time in proportion to their square."""


def members(*, two_classes: bool = True, rows: int = 0, random_state: Any = 0) -> dict[str, Any]:
    """Return the classifiers that `compare` takes if none are given, by their names.

    Passes are limited, as perceptrons never rest where classes overlap.
    """
    chosen: dict[str, Any] = {}
    for member in FAMILY:
        if member.title and (member.multiclass or two_classes) and not (member.quadratic and rows > _MAX_ROWS_FOR_QUADRATIC):
            made = member.make(**member.compared_with)
            if "random_state" in made.get_params(deep=False):
                made.set_params(random_state=random_state)
            chosen[member.title] = made
    return chosen


@long_call
def compare(
    X: Any,
    y: Any = None,
    estimators: Mapping[str, Any] | Iterable[Any] | None = None,
    cv: Any = 5,
    *,
    positive: Any = None,
    scale: str = "standard",
    standardise: bool | None = None,
    time_limit: float | None = None,
    bound_time_limit: float | None = 10.0,
    random_state: int = 0,
    verbose: Verbose = False,
) -> Comparison:
    """Compare classifiers on the same rows: training errors, cross-validation, margins, mistakes, times.

    Beside the table stands how many training errors no hyperplane avoids, proved as by `least_errors`. So one can see
    whether a hyperplane is bad or the best there is. The bound says nothing of classifiers that are no hyperplanes in
    the given features, such as kernel machines and the voted perceptron; these are marked.

    A classifier that fails is reported in its row, and the others go on. Warnings become notes. On Ctrl-C what is there
    is returned.

    Parameters
    ----------
    X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d), or Data
        The rows.
    y : array of shape (n,)
        The labels, of two classes or more. Not given if X is what `read_data` returns, which has them.
    estimators : dict, or list of classifiers or of pairs (name, classifier), optional
        Any scikit-learn classifiers, pipelines included; they are cloned. If not given: perceptrons (plain, averaged,
        voted), pocket, maximum margin, least squares, linear program and a kernel perceptron; without the maximum margin,
        which is of two classes, if there are more, and without voted and kernel perceptron beyond 10,000 rows.
    cv : int, splitter or None, default=5
        The number of folds, each with all classes in their proportions; or an object with ``split``, as in scikit-learn; or
        None for no cross-validation. Where a class has fewer rows than there would be folds, there are fewer.
    positive : label, optional
        The class that is set against all others.
    scale : {"standard", "minmax", "maxabs", "none"}, default="standard"
        How each classifier's rows are scaled, by a `Scaler` that learns from the rows that the classifier learns from:
        "standard" for features of mean 0 and standard deviation 1 (sparse ones keep their mean). Perceptrons, margins and
        the kernel depend on the scale of features, and are seldom at their best on raw ones. Pipelines are left as they
        are: they say themselves what is to be done. The bound does not depend on it.
    standardise : bool, optional
        Deprecated: True is ``scale="standard"``, False ``scale="none"``.
    time_limit : float, optional
        Seconds for the comparison as a whole, about. A quarter of them, at most, is for the bound; classifiers share what is
        left. Those with a ``time_limit`` of their own, as all of the default ones but least squares have, are stopped when
        their share is used up, and keep what they have learnt. Others take the time they take. Where time is short, folds
        are left out, and in the end classifiers, which their notes say.
    bound_time_limit : float or None, default=10
        Seconds for the proof of the bound, at most; None: until it is tight, which may take for ever.
    random_state : int, default=0
        The seed of the folds, of the default classifiers and of the search for the bound.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    Comparison
        Prints as a table; its ``table`` has a `Standing` for each classifier, and ``fitted(name)`` is that classifier,
        learnt from all rows.

    Examples
    --------
    >>> import separatrix as sx
    >>> result = sx.compare(*sx.examples.load("iris-virginica"))
    >>> result.lower_bound, result["pocket"].errors, result["least squares"].errors
    (1, 1, 3)
    >>> result["max margin"].failure, result["kernel perceptron"].hyperplane
    ('not separable', False)
    >>> result.best.name, result.fitted("pocket").predict([[6.0, 3.0, 5.0, 2.0]]).tolist()
    ('least squares', ['virginica'])
    """
    _check(cv)
    kind = _read_scale(scale, standardise)
    clock, bound_limit = Clock(read_time_limit(time_limit)), read_time_limit(bound_time_limit)
    return compare_entries(
        _read(X, y, positive, estimators is None), estimators, cv, kind, bound_limit, int(random_state), clock=clock
    )


class Entries(NamedTuple):
    """What classifiers are compared on."""

    X: Any
    y: NDArray[Any]
    problem: Problem | None
    """The rows of two classes, of which a bound can be proved."""
    classes: tuple[Any, ...]
    notes: list[str]
    against_rest: bool = False
    """Whether the labels say of each row whether it is of the second class, or of any other."""
    provenance: Provenance | None = None
    """How the columns come from a table, if they have names."""


@stoppable
def compare_entries(
    given: Entries,
    estimators: Mapping[str, Any] | Iterable[Any] | None,
    cv: Any,
    scale: Kind,
    bound_limit: float | None,
    random_state: int,
    found: Disagreement | None = None,
    clock: Clock | None = None,
) -> Comparison:
    """Compare on rows that are validated already; the bound is looked for unless it has been ``found`` before.

    The clock is that of the comparison as a whole; the other limit is that of the bound.
    """
    clock = clock or Clock()
    X, y, problem, classes, notes = given[:5]
    if estimators is None:
        chosen = members(two_classes=len(classes) == 2, rows=len(y), random_state=random_state)
        if len(classes) > 2:
            names = ", ".join(member.title for member in FAMILY if member.title and not member.multiclass)
            notes = [*notes, f"Left out: {names}, which is of two classes."]
        if len(y) > _MAX_ROWS_FOR_QUADRATIC:
            names = ", ".join(member.title for member in FAMILY if member.title and member.quadratic)
            notes = [*notes, f"Left out: {names}, which take long with more than {_MAX_ROWS_FOR_QUADRATIC:,} rows."]
    else:
        chosen = named(estimators)
    splits, more = _splits(cv, X, y, random_state)
    table: list[Standing] = []
    models: dict[str, Any] = {}
    scalers = Scalers(scale)
    interrupted, besides = False, 0.0
    try:
        if found is None and problem is not None and len(classes) == 2 and _is_hurried(problem, clock):
            more = [*more, "No bound on errors: there are too many rows for it in the time there is."]
        elif found is None and problem is not None and len(classes) == 2:
            begun = time.perf_counter()
            with part("proving how many errors no hyperplane avoids"), delegating():
                found = least_errors_of_problem(problem, None, _for_bound(bound_limit, clock), random_state)
            interrupted = found.interrupted
            more = [*more, *_told_of_bound(time.perf_counter() - begun)]
        for k, (name, estimator) in enumerate(chosen.items()):
            if interrupted:
                break
            share = Clock(None if clock.limit is None else clock.left() / (len(chosen) - k))
            candidate = Candidate(name, estimator, X, y, len(classes) == 2, scalers, share)
            if clock.left() <= besides:
                table.append(Standing(name=name, failure=NOT_BEGUN))
                continue
            try:
                hopeless = found is not None and found.lower > 0
                with part(name, k, len(chosen), "classifiers"):
                    candidate.enter(splits, hopeless)
                besides = max(besides, candidate.besides)
                candidate.doubt(0 if found is None else found.lower)
            finally:  # also on Ctrl-C: what is known of it by then
                table.append(candidate.standing)
                models[name] = candidate.fitted
    except KeyboardInterrupt as reason:
        interrupted = is_kept(reason)
    lower, upper, certificate = (None, None, None) if found is None else (found.lower, found.upper, found.certificate)
    return Comparison(
        table=tuple(each for each in table if each.errors is not None or each.failure), lower_bound=lower,
        upper_bound=upper, certificate=certificate, rows=len(y), features=X.shape[1], classes=classes, folds=len(splits),
        scale=scale, interrupted=interrupted, notes=(*notes, *more),
        models={name: _named(model, given) for name, model in models.items() if model is not None},
        majority=_majority(given),
    )  # fmt: skip


def _told_of_bound(seconds: float) -> list[str]:
    """Say how long the bound took, and what shortens it, if somebody had to wait for it."""
    if seconds < _SECONDS_TO_TELL_OF:
        return []
    return [Message(f"The bound on errors took {seconds:.0f} s; a smaller ", Remedy("bound_time_limit"), " takes less.")]


def _majority(given: Entries) -> Majority:
    """Return the most frequent class."""
    if given.problem is not None and len(given.problem.classes) == 2:
        return Majority.of(given.problem.y > 0.0, given.classes)
    counts = _counts(given.y, (False, True) if given.against_rest else given.classes)
    return Majority.of_counts(counts, given.classes)


def _counts(y: NDArray[Any], classes: Sequence[Any]) -> list[int]:
    """Return how many rows are of each class, of which there may be many; they are sorted."""
    return np.bincount(np.searchsorted(class_array(classes), y), minlength=len(classes)).tolist()


def _is_hurried(problem: Problem, clock: Clock) -> bool:
    """Whether there is too little time to begin with the bound."""
    return problem.n * problem.width > _NUMBERS_OF_BOUND_PER_SECOND * _SHARE_OF_BOUND * clock.left()


def _for_bound(limit: float | None, clock: Clock) -> float | None:
    """Return the seconds that the bound may take: its own, or its share of those of the comparison if that is less."""
    if clock.limit is None:
        return limit
    share = max(_SHARE_OF_BOUND * clock.left(), 1e-3)
    return share if limit is None else min(limit, share)


def _named(model: Any, given: Entries) -> Any:
    """Return a classifier that knows its classes by their names, and its columns; one was set against all others as True."""
    learner, direct = (model.steps[-1][1] if isinstance(model, Pipeline) else model), parts_of(model)[1]
    if not isinstance(learner, Learner):
        return model
    if given.against_rest:
        learner = with_classes(learner, given.classes, True)
    if given.provenance is not None and isinstance(direct, Learner):  # no other step has made other columns
        learner = learnt_from(learner, given.provenance)
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], learner)]) if isinstance(model, Pipeline) else learner


def named(estimators: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Give each classifier a name: the one it comes with, or that of its class.

    >>> from sklearn.pipeline import make_pipeline
    >>> from separatrix import MaxMargin, Pocket, Scaler
    >>> list(named([Pocket(), ("mine", MaxMargin()), Pocket(), make_pipeline(Scaler(), MaxMargin())]))
    ['Pocket', 'mine', 'Pocket 2', 'MaxMargin']
    """
    if hasattr(estimators, "fit"):
        raise TypeError("estimators must be a dict or a list of classifiers, got a single one. Put it in a list.")
    pairs: list[tuple[Any, Any]] = []
    for each in estimators.items() if isinstance(estimators, Mapping) else estimators:
        last = each.steps[-1][1] if isinstance(each, Pipeline) else each
        pairs.append(each if isinstance(each, tuple) and len(each) == 2 else (type(last).__name__, each))
    if not pairs:
        raise ValueError("estimators is empty: give at least one classifier, or leave it out for the default list.")
    chosen: dict[str, Any] = {}
    seen: Counter[str] = Counter()
    for name, estimator in pairs:
        if not isinstance(name, str) or not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
            raise TypeError(f"estimators must hold classifiers with fit and predict, by names; got {name!r}: {estimator!r}.")
        seen[name] += 1
        chosen[name if seen[name] == 1 else f"{name} {seen[name]}"] = estimator
    return chosen


def _read_scale(scale: Any, standardise: Any) -> Kind:
    """Return how rows are scaled, by the parameter of today or by that of before."""
    if standardise is not None:
        if not isinstance(standardise, bool | np.bool_):
            raise ValueError(f"standardise must be True or False, got {standardise!r}.")
        successor = "standard" if standardise else "none"
        warnings.warn(f"standardise is deprecated: use scale={successor!r}.", FutureWarning, stacklevel=4)
        return "standard" if standardise else "none"
    if not isinstance(scale, str) or scale not in KINDS:
        raise ValueError(f"scale must be one of {', '.join(map(repr, KINDS))}, got {scale!r}.")
    return scale


def _check(cv: Any) -> None:
    whole = isinstance(cv, numbers.Integral) and not isinstance(cv, bool)
    if isinstance(cv, str) or not (cv is None or (whole and cv >= 2) or hasattr(cv, "split")):
        raise ValueError(f"cv must be a number of folds of at least 2, an object with split, or None; got {cv!r}.")


def _read(X: Any, y: Any, positive: Any, numeric: bool) -> Entries:
    """Return rows, labels, the problem of the bound, the classes and notes.

    A table stays one if it may hold words, which a pipeline can encode; then there may be no problem.
    """
    notes: list[str] = []
    provenance: Provenance | None = None
    if isinstance(X, Batches):
        raise TypeError(
            "compare takes all rows in memory, and these come in blocks. Read as many as memory holds, with sx.read_data, "
            "and compare on those. What takes a stream is sx.Perceptron, and sx.least_errors for the bound."
        )
    if isinstance(X, Data):
        if y is not None:
            raise ValueError("The data has its labels with it: do not give y as well.")
        provenance = X.provenance
        X, y, notes = X.rows, X.y, X.notes()
    elif y is None:
        raise ValueError("compare needs the labels y, unless X is what read_data returns.")
    is_table = isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)
    try:
        rows = read_rows(X)
    except (ValueError, TypeError) as error:
        if numeric or not is_table:
            raise
        notes.append(f"No bound on errors: {error}")
        rows = None
    labels = read_labels(y, X.shape[0] if rows is None else len(rows))
    found = distinct(labels)
    if len(found) < 2:
        raise ValueError(f"All rows are of one class, {found[0]!r}: there is nothing to tell apart. Give rows of two.")
    classes: tuple[Any, ...] = tuple(found)
    problem = None
    if positive is not None or len(found) == 2:
        signs, classes = code_labels(labels, positive=positive)
        if positive is not None:
            labels = signs > 0
        if rows is not None:
            problem = Problem.bare(rows, True, signs, classes)
    if provenance is None and rows is not None and rows.names is not None:
        provenance = Provenance(tuple(map(Column, rows.names)))
    entered = X if is_table and not numeric else rows
    return Entries(entered, labels, problem, classes, notes, positive is not None, provenance)


def _splits(cv: Any, X: Any, y: NDArray[Any], seed: int) -> tuple[list[tuple[Any, Any]], list[str]]:
    """Return the folds, which are the same for all, and what is to be said of them."""
    if cv is None:
        return [], []
    if hasattr(cv, "split"):
        return list(cv.split(X, y)), []
    fewest = min(_counts(y, distinct(y)))
    folds, notes = min(int(cv), fewest), []
    if folds < 2:
        return [], [
            "No cross-validation: a class has a single row, and it takes two to learn from one and test on the other."
        ]
    if folds < cv:
        notes.append(f"{folds} folds instead of {cv}, as the smallest class has {fewest} rows.")
    return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)), notes
