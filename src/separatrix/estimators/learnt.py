"""What a fit learnt: one frozen value, from which everything is derived that an estimator shows.

A fit computes the value first and adopts it last. So a fit that is refused changes nothing, and whoever wants to know what
an estimator has learnt (model files, the audit of the convergence theorem) reads the value instead of the estimator.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._types import Floats
from ..exact.dyadic import Dyadic, Quotient
from ..problem.provenance import Provenance
from ..support.blocks import Block, written
from ..support.notebook import with_picture


@dataclass(frozen=True, kw_only=True, eq=False)
class Learnt:
    """What every fit learns: the classes, and the number and the names of the features.

    Attributes
    ----------
    classes : array of shape (K,)
        The classes in order; of two the second is the positive one.
    features : int
        The number of features.
    names : array or None
        Their names, if the rows had any.
    against_rest : bool
        Whether the first of two classes stands for every label but the second.
    provenance : Provenance or None
        How the features come from the columns of a table, if whoever had it fitted said so.
    """

    classes: NDArray[Any]
    features: int
    names: NDArray[Any] | None = None
    against_rest: bool = False
    provenance: Provenance | None = None

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """What an estimator that has learnt this shows, by the names of its attributes."""
        names = {} if self.names is None else {"feature_names_in_": self.names}
        return {"classes_": self.classes, "n_features_in_": self.features, **names, **self._shown()}

    def _shown(self) -> dict[str, Any]:
        """Return the attributes that are peculiar to a kind of estimator."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of pickles what is derived."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class LearntWeights(Learnt):
    """What is learnt by all that predict by hyperplanes: exact weights, one vector for two classes, else one for each."""

    @property
    def vectors(self) -> int:
        """How many vectors there are."""
        return len(self.classes) if len(self.classes) > 2 else 1

    @abstractmethod
    def exact(self) -> Dyadic | Quotient:
        """Return the weights that predict, vector after vector, each with its intercept last if there is one."""

    @abstractmethod
    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights that predict."""

    def with_floats(self, coef: Floats, intercept: Floats) -> Self:
        """Return the same with the weights that somebody has set."""
        lifted = len(self.exact()) > self.vectors * self.features or bool(intercept.any())
        table = np.column_stack([coef, intercept]) if lifted else coef
        return self.replaced(Dyadic.from_parts(np.ascontiguousarray(table, np.float64).reshape(1, -1)))

    def _rounded(self) -> dict[str, Floats]:
        """Return the weights as attributes, correctly rounded."""
        try:
            numbers = self.exact().round()
        except OverflowError:
            raise OverflowError(
                "The weights have grown too large for float64. Rescale the features, or lower the learning rate or the "
                "sample weights, if there are any."
            ) from None
        return hyperplanes(numbers.reshape(self.vectors, -1), self.features)


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntHyperplanes(LearntWeights):
    """Hyperplanes in floating point: ``coef`` of shape (1, d) or (K, d), and as many numbers as ``intercept``."""

    coef: Floats
    intercept: Floats

    def exact(self) -> Dyadic:
        """Return the weights, which are float64."""
        return Dyadic.from_parts(np.column_stack([self.coef, self.intercept]).reshape(1, -1))

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights."""
        table = weights.round().reshape(self.vectors, -1)
        return replace(self, coef=table[:, :-1], intercept=table[:, -1])

    def _shown(self) -> dict[str, Any]:
        return {"coef_": self.coef, "intercept_": self.intercept}


class Learner:
    """An estimator that knows what it has learnt as one value, and shows its attributes from there."""

    _learnt: Any = None
    """The value; None as long as nothing was learnt."""

    def _known(self) -> Any:
        """Return what it has learnt; with weights that somebody may have set since, where predictions are made with them."""
        return self._learnt

    def _rule(self) -> list[Block]:
        """Say in words how it predicts, where that is short."""
        return []

    def _html_repr(self) -> str:
        """Return the diagram of scikit-learn and, once something is learnt, the rule and its picture."""
        diagram: str = super()._html_repr()  # type: ignore[misc]
        if self._learnt is None:
            return diagram
        try:
            rule = written(self._rule(), "html")
        except Exception:  # weights that somebody has set to what is none: the diagram is shown all the same
            return diagram
        return f"{diagram}\n{with_picture(self, rule)}" if rule.strip() else diagram

    def _adopt(self, learnt: Learnt) -> None:
        """Take over what was learnt, in place of all that was learnt before. This is the only way to learn anything."""
        shown = learnt.attributes  # what cannot be shown, such as weights beyond float64, is refused here
        stale = set() if self._learnt is None else self._learnt.attributes.keys() - shown.keys()
        for name in stale & vars(self).keys():
            delattr(self, name)
        self.__dict__.update(shown, _learnt=learnt)
        for name in {"coef_", "intercept_"} & shown.keys():
            self.__dict__[name] = shown[name].copy()  # lest whoever changes it change what was learnt


def learnt_by(estimator: Any) -> Any:
    """Return what a fitted estimator has learnt."""
    check_is_fitted(estimator)
    return estimator._known()


def adopt(estimator: Any, learnt: Learnt) -> None:
    """Have an estimator know what another one has learnt, or what a file says that one has."""
    estimator._adopt(learnt)


def with_classes(estimator: Any, classes: Any, against_rest: bool = False) -> Any:
    """Return an estimator that has learnt the same, but calls its classes otherwise; the first may be all others."""
    renamed = copy(estimator)
    adopt(renamed, replace(learnt_by(estimator), classes=np.asarray(classes), against_rest=against_rest))
    return renamed


def learnt_from(estimator: Any, provenance: Provenance) -> Any:
    """Return an estimator that has learnt the same, and knows how its features come from a table."""
    told = copy(estimator)
    adopt(told, replace(learnt_by(estimator), provenance=provenance))
    return told


def features_of(X: Any) -> dict[str, Any]:
    """Return the number of features of rows, and their names if they have any, as fields of `Learnt`."""
    blank = BaseEstimator()
    validate_data(blank, X, skip_check_array=True, reset=True)
    return {"features": blank.n_features_in_, "names": getattr(blank, "feature_names_in_", None)}


def hyperplanes(table: Floats, d: int) -> dict[str, Floats]:
    """Return weights as attributes; a row of the table for each score, the intercept last if there is one."""
    if not np.isfinite(table).all():
        raise OverflowError("The weights have grown too large for float64. Rescale the features.")
    return {
        "coef_": table[:, :d].copy(),
        "intercept_": table[:, d].copy() if table.shape[1] > d else np.zeros(len(table)),
    }
