"""What the estimators that learn by exact updates have in common."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from ..cautions import RoundingWarning
from ..exact import Dyadic, Floats
from ..problem import Problem, distinct, exact_float64, read_labels, read_weights
from ..run import TIES, Run
from .hyperplane import Hyperplane


class Learner(Hyperplane):
    """A hyperplane with exact weights, of which the published ones are rounded."""

    tie: str
    fit_intercept: bool
    class_weight: Any
    _weights: Dyadic
    _unit = 1.0  # what the exact weights are counted in

    def exact_weights(self) -> Dyadic:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``.

        >>> import separatrix as sx
        >>> sx.Perceptron(eta0=0.1).fit([[1], [2]], [0, 1]).exact_weights().strings()[1]
        '-10808639105689191/36028797018963968'
        """
        check_is_fitted(self)
        return self._weights.times(self._unit)

    def _refuse(self, name: str, expected: str) -> NoReturn:
        value = getattr(self, name)
        raise ValueError(f"The {name!r} parameter of {type(self).__name__} must be {expected}. Got {value!r} instead.")

    def _check_choice(self, name: str, choices: Any) -> None:
        if getattr(self, name) not in choices:
            self._refuse(name, f"one of {', '.join(map(repr, choices))}")

    def _check_tie(self) -> None:
        self._check_choice("tie", TIES)

    def _check_switches(self, *names: str) -> None:
        for name in names:
            if not isinstance(getattr(self, name), bool | np.bool_):
                self._refuse(name, "True or False")

    def _problem(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Problem:
        if self.class_weight is not None:
            labels = read_labels(y)
            values = distinct(labels) if classes is None else list(classes)
            per_class = compute_class_weight(self.class_weight, classes=np.array(values), y=labels)
            weights = read_weights(sample_weight, labels.shape[0])
            sample_weight = np.ones(labels.shape[0]) if weights is None else weights.copy()
            for value, weight in zip(values, per_class, strict=True):
                sample_weight[labels == value] *= weight
        return Problem.of(X, y, classes=classes, intercept=self.fit_intercept, sample_weight=sample_weight)

    def _refuse_one_class(self, problem: Problem) -> None:
        if len(problem.classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of two classes, but y holds only one class: {problem.classes[0]!r}. "
                "Give rows of both."
            )

    def _initial_guess(self, problem: Problem, coef: ArrayLike | None, intercept: ArrayLike | None) -> Dyadic | None:
        if coef is None and intercept is None:
            return None
        first = np.zeros(problem.d) if coef is None else exact_float64(np.asarray(coef), "coef_init").reshape(-1)
        if first.size != problem.d:
            raise ValueError(f"coef_init has {first.size} weights, expected {problem.d}: one for each feature.")
        if intercept is not None:
            last = exact_float64(np.asarray(intercept), "intercept_init").reshape(-1)
            if last.size != 1:
                raise ValueError(f"intercept_init has {last.size} numbers, expected one.")
            if not problem.intercept:
                raise ValueError("intercept_init was given, but fit_intercept is False. Leave one of the two out.")
        else:
            last = np.zeros(1)
        weights = np.concatenate([first, last]) if problem.intercept else first
        if not np.isfinite(weights).all():
            raise ValueError("coef_init and intercept_init must be finite, but hold NaN or infinity.")
        return Dyadic.from_parts(weights)

    def _publish(self, weights: Dyadic, unit: float, d: int) -> None:
        """Keep exact weights, counted in a unit, and publish them rounded."""
        try:
            rounded = weights.times(unit).round()
        except OverflowError:
            raise OverflowError(
                "The weights have grown too large for float64. Rescale the features, or lower eta0 or the sample weights."
            ) from None
        self._weights, self._unit = weights, unit
        self.coef_ = rounded[None, :d].copy()
        self.intercept_ = rounded[d:].copy() if rounded.size > d else np.zeros(1)

    def _tell_of_rounding(self, run: Run) -> None:
        changed = run.changed_by_rounding(self._weights.times(self._unit), self._stored())
        if changed:
            warnings.warn(
                f"Rounding the exact weights to float64 changes the predicted class of {changed} training "
                f"{'row' if changed == 1 else 'rows'}. The run is exact all the same; standardised features make "
                "rounding harmless.",
                RoundingWarning,
                stacklevel=3,
            )

    def _tie(self) -> str:
        return self.tie

    def _stored(self) -> Floats:
        lifted = len(self._weights) > self.coef_.shape[1]
        return np.append(self.coef_[0], self.intercept_) if lifted else self.coef_[0]
