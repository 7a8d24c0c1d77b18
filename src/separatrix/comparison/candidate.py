"""A classifier in a comparison: fitted, watched and measured."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..estimators.learnt import learnt_by
from ..estimators.max_margin import MaxMargin
from ..estimators.scaler import Scaler
from ..estimators.shared.asking import unasked
from ..estimators.shared.hyperplanes import Hyperplanes
from ..estimators.shared.parameters import Parameters
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rounding import root
from ..exceptions import CacheWarning
from ..problem.exact_rows import ExactRows
from ..problem.labels import distinct, is_class
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.reading_rows import read_rows
from ..problem.scaling import Kind
from ..problem.scores import exact_signs, least_score
from ..separation.verdict import NotSeparable
from ..support.clock import Clock, OutOfTime, within
from ..support.counts import counted
from ..support.private_names import rows_of
from ..support.progress import listening, part, report
from ..support.recorded_warnings import about_the_work
from ..support.remedies import Message
from .results import NOT_FINISHED, NoHyperplane, Standing

_MAX_WARM_UP_ROWS = 250
"""Rows of each class, at most, that have loops compiled, or loaded, before time is taken."""

_MAX_WARM_UP_CLASSES = 3
"""Classes that they are of, at most: loops for more than two are the same for all."""

_LEAST_SECONDS = 0.01
"""Seconds that a classifier has in any case."""

_LEAST_SHARE = 0.4
"""What a fit to all rows has of a classifier's time in any case, however long it takes to look at what was learnt."""

_AFFINE = (Scaler, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
"""Steps of a pipeline after which a hyperplane is still one in the given features."""


class _Hyperplane(NamedTuple):
    """A hyperplane, and the rows in the features that it was learnt in."""

    rows: ExactRows
    weights: Dyadic | Quotient


class Scalers:
    """The scalers of a comparison: each is learnt once, whichever candidate comes first, and all rows are scaled once."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._learnt: dict[int | None, Scaler] = {}
        self._rows: Any = None

    def of(self, fold: int | None, X: Any) -> Scaler:
        """Return the scaler that has learnt from the rows of a fold, or from all rows if it is None."""
        if fold not in self._learnt:
            self._learnt[fold] = Scaler(self.kind).fit(X)
        return self._learnt[fold]

    def scaled(self, fold: int | None, X: Any) -> Any:
        """Return the rows of a fold, or all rows if it is None, scaled."""
        if fold is not None:
            return self.of(fold, X).transform(X)
        if self._rows is None:
            self._rows = self.of(None, X).transform(X)
        return self._rows


class Candidate:
    """A classifier that is being measured; its standing is kept up to date, in case that it does not come to the end."""

    def __init__(
        self,
        name: str,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        two_classes: bool,
        scalers: Scalers,
        clock: Clock | None = None,
    ) -> None:
        self.clock = clock or Clock()
        scaled = scalers.kind != "none" and not isinstance(estimator, Pipeline)  # which says itself what is to be done
        first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
        if isinstance(X, ExactRows) and not (scaled or isinstance(first, Parameters)):
            X = X.nearest()  # what others compute with is float64
        self.estimator, self.X, self.y, self.two_classes = estimator, X, y, two_classes
        self.scalers = scalers if scaled else None
        self.standing = Standing(name=name)
        self.told: set[type[Warning]] = set()
        self.fitted: Any = None
        """What has learnt from all rows."""
        self.besides = 0.0
        """Seconds that a fit takes beside what is limited: to scale rows, and to look at what was learnt."""

    def enter(self, splits: list[tuple[Any, Any]], hopeless: bool) -> None:
        """Measure it; ``hopeless`` is it to separate the classes if no hyperplane does.

        Half of its time is for all rows, and the rest for the folds, if there are any: as many as there is time for.
        """
        last = _last(self.estimator)
        if hopeless and isinstance(last, MaxMargin) and self._is_affine(self.estimator):
            self._note(failure=NoHyperplane(), hyperplane=True)
            return
        report(lambda: "learning")
        try:
            self._learn(0.5 if splits else 1.0)
        except NotSeparable:
            self._note(failure=NoHyperplane(), hyperplane=True)
            return
        except OutOfTime:
            self._note(failure=NOT_FINISHED)
            return
        except Exception as error:
            self._note(failure=_reason(error, last))
            return
        shares: list[float] = []
        for k, (train, test) in enumerate(splits):
            if self.clock.left() <= self.besides:
                self._note(notes=(*self.standing.notes, _time_for_folds(k, len(splits))))
                break
            try:
                with part(f"fold {k + 1} of {len(splits)}", k, len(splits), "folds"):
                    share = 1.0 / (len(splits) - k)
                    fitted, _ = self._fitted(rows_of(self.X, train), self.y[train], "in cross-validation: ", k, share)
                    shares.append(float(np.mean(fitted.predict(rows_of(self.X, test)) != self.y[test])))
            except OutOfTime:
                self._note(notes=(*self.standing.notes, _time_for_folds(k, len(splits))))
                break
            except Exception as error:
                self._note(failure=f"fold {k + 1} of {len(splits)} failed: {_reason(error, last)}")
                return
        if shares:
            spread = float(np.std(shares, ddof=1)) if len(shares) > 1 else None
            self._note(cv_error=float(np.mean(shares)), cv_spread=spread, fold_errors=tuple(shares))

    def doubt(self, bound: int | Fraction) -> None:
        """Explain errors below the bound: it is about the given rows, and scaled ones are rounded."""
        at = self.standing
        if at.hyperplane and at.errors is not None and at.errors < bound:
            text = "fewer errors than any hyperplane makes on the given rows: rounding, while they were scaled, moved some."
            self._note(notes=(*at.notes, text))

    def _note(self, **what: Any) -> None:
        self.standing = replace(self.standing, **what)

    def _learn(self, share: float) -> None:
        """Learn from all rows, in a share of the time, and look at what was learnt."""
        if type(_last(self.estimator)).__module__.startswith("separatrix"):
            self._warm_up()
        rows = self.X if self.scalers is None else self.scalers.scaled(None, self.X)
        begun = time.perf_counter()
        fitted, seconds = self._fitted(self.X, self.y, "", None, share)
        self.fitted = fitted
        last = _last(fitted)
        predicted = fitted.predict(self.X) if self.scalers is None else last.predict(rows)
        errors = int(np.sum(predicted != self.y))
        mistakes = getattr(last, "n_mistakes_", None)
        margin = hyperplane = None
        if self.two_classes:
            plane = self._plane(fitted, rows)
            hyperplane = plane is not None and self._agrees(plane, fitted.classes_, predicted)
            margin = self._margin(plane, fitted.classes_) if plane is not None and hyperplane and not errors else None
        self._note(
            errors=errors, seconds=seconds, margin=margin, hyperplane=hyperplane,
            mistakes=None if mistakes is None else int(np.sum(mistakes)),
        )  # fmt: skip
        self.besides = time.perf_counter() - begun - seconds

    def _fitted(self, X: Any, y: NDArray[Any], where: str, fold: int | None, share: float) -> tuple[Any, float]:
        """Fit a copy, in a share of the time, to scaled rows; return it, behind its scaler, and its own time.

        The first warning of each kind becomes a note.
        """
        scaler = None if self.scalers is None else self.scalers.of(fold, X)
        if self.scalers is not None:
            X = self.scalers.scaled(fold, X)
        least = _LEAST_SECONDS if fold is not None else max(_LEAST_SECONDS, _LEAST_SHARE * (self.clock.limit or 0.0))
        limit = max(least, share * (self.clock.left() - self.besides))
        copy = _limited(clone(self.estimator), limit)
        with warnings.catch_warnings(record=True) as caught, unasked():
            warnings.simplefilter("always")
            started = time.perf_counter()
            with within(Clock(limit if limit < math.inf else None)):  # several classes, one after another, share it
                copy.fit(X, y)
            seconds = time.perf_counter() - started
        notes = []
        for warning in about_the_work(caught):
            if warning.category not in self.told:
                self.told.add(warning.category)
                notes.append(Message(where, _brief(warning, _last(copy))))
        self._note(notes=(*self.standing.notes, *notes))
        return copy if scaler is None else make_pipeline(scaler, copy), seconds

    def _warm_up(self) -> None:
        """Have loops compiled, or loaded, before time is taken; how far that comes is nothing to tell."""
        some = distinct(self.y)[:_MAX_WARM_UP_CLASSES]
        few = np.concatenate([np.flatnonzero(is_class(self.y, value))[:_MAX_WARM_UP_ROWS] for value in some])
        with warnings.catch_warnings(), listening(lambda _: None):
            warnings.simplefilter("ignore")
            warnings.simplefilter("default", CacheWarning)
            try:
                rows = rows_of(self.X, few)
                rows = rows if self.scalers is None else Scaler(self.scalers.kind).fit_transform(rows)
                _limited(clone(self.estimator), 0.1 * self.clock.left()).fit(rows, self.y[few])
            except Exception:
                return  # whatever it is, all rows will tell

    def _is_affine(self, estimator: Any) -> bool:
        """Whether what a pipeline does before its last step leaves hyperplanes what they are."""
        before = [step for _, step in estimator.steps[:-1]] if isinstance(estimator, Pipeline) else []
        return all(
            step is None or step == "passthrough" or (type(step) in _AFFINE and not getattr(step, "clip", False))
            for step in before
        )

    def _plane(self, fitted: Any, rows: Any) -> _Hyperplane | None:
        """Return the hyperplane it has learnt from rows, scaled by us or as they are, if it is one in the given features."""
        last = _last(fitted)
        coef, intercept = getattr(last, "coef_", None), np.atleast_1d(getattr(last, "intercept_", 0.0))
        if not isinstance(coef, np.ndarray) or not self._is_affine(fitted):
            return None
        if self.scalers is None and isinstance(fitted, Pipeline):
            rows = fitted[:-1].transform(self.X)
        rows = read_rows(rows)
        exact = learnt_by(last).exact() if isinstance(last, Hyperplanes) else None
        weights = np.append(coef, intercept).astype(np.float64)
        suits = coef.shape in ((1, rows.shape[1]), (rows.shape[1],)) and intercept.shape == (1,)
        if not suits or not np.isfinite(weights).all():
            return None
        return _Hyperplane(rows, Dyadic.from_parts(weights) if exact is None else exact)

    def _agrees(self, plane: _Hyperplane, classes: Any, predicted: NDArray[Any]) -> bool:
        """Whether the predictions are those of the hyperplane, wherever it says something."""
        signs = exact_signs(plane.rows, plane.weights)
        said = np.where(signs > 0, predicted == classes[1], predicted == classes[0])
        return bool(np.all(said | (signs == 0)))

    def _margin(self, plane: _Hyperplane, classes: Any) -> float | None:
        """Return the distance of the nearest row, rounded down, if all are on their correct sides; None if not."""
        y = np.where(is_class(self.y, classes[1]), 1.0, -1.0)
        d = plane.rows.shape[1]
        weights = plane.weights.numerators
        least = least_score(Lifted.of(Problem.bare(plane.rows, len(weights) > d, y)), weights) / plane.rows.denominator
        if least <= 0:
            return None
        coef = weights.part(0, d)
        return root(least * least / coef.dot(coef), up=False)


def _time_for_folds(done: int, folds: int) -> str:
    return f"time for {done} of {folds} folds only."


def _limited(estimator: Any, seconds: float) -> Any:
    """Return a classifier that takes so many seconds at most, if it knows a time limit."""
    last = _last(estimator)
    if seconds < math.inf and isinstance(last, Parameters) and hasattr(last, "time_limit"):
        last.time_limit = min(seconds, math.inf if last.time_limit is None else last.time_limit)
    return estimator


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _brief(warning: warnings.WarningMessage, learner: Any) -> str:
    """Say what a learner warned of; shortly, where it is a perceptron that did not come to rest, as many do."""
    if issubclass(warning.category, ConvergenceWarning) and not np.all(getattr(learner, "halted_", True)):
        return f"stopped after {counted(int(np.max(learner.n_iter_)), 'pass')}, still making mistakes."
    said = warning.message.args[0] if isinstance(warning.message, Warning) and warning.message.args else None
    return said if isinstance(said, Message) else " ".join(str(warning.message).split())


def _reason(error: Exception, learner: Any) -> str:
    if isinstance(error, TimeoutError) and isinstance(learner, MaxMargin):
        return "its time was up before it had found a hyperplane that separates the classes."
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
