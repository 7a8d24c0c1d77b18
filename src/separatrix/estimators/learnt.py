"""What a fit learnt: one frozen value, from which everything is derived that an estimator shows.

A fit computes the value first and adopts it last. So a fit that is refused changes nothing, and whoever wants to know what
an estimator has learnt (model files, the audit of the convergence theorem) reads the value instead of the estimator.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._types import Floats


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
    """

    classes: NDArray[Any]
    features: int
    names: NDArray[Any] | None = None

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


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntHyperplanes(Learnt):
    """Hyperplanes in floating point: ``coef`` of shape (1, d) or (K, d), and as many numbers as ``intercept``."""

    coef: Floats
    intercept: Floats

    def _shown(self) -> dict[str, Any]:
        return {"coef_": self.coef, "intercept_": self.intercept}


class Learner:
    """An estimator that knows what it has learnt as one value, and shows its attributes from there."""

    _learnt: Any = None
    """The value; None as long as nothing was learnt."""

    def _known(self) -> Any:
        """Return what it has learnt; with weights that somebody may have set since, where predictions are made with them."""
        return self._learnt

    def _adopt(self, learnt: Learnt) -> None:
        """Take over what was learnt, in place of all that was learnt before. This is the only way to learn anything."""
        shown = learnt.attributes  # what cannot be shown, such as weights beyond float64, is refused here
        stale = set() if self._learnt is None else self._learnt.attributes.keys() - shown.keys()
        for name in stale & vars(self).keys():
            delattr(self, name)
        self.__dict__.update(shown, _learnt=learnt)


def learnt_by(estimator: Any) -> Any:
    """Return what a fitted estimator has learnt."""
    check_is_fitted(estimator)
    return estimator._known()


def adopt(estimator: Any, learnt: Learnt) -> None:
    """Have an estimator know what another one has learnt, or what a file says that one has."""
    estimator._adopt(learnt)


def with_classes(estimator: Any, classes: Any) -> Any:
    """Return an estimator that has learnt the same, but calls its classes otherwise."""
    renamed = copy(estimator)
    adopt(renamed, replace(learnt_by(estimator), classes=np.asarray(classes)))
    return renamed


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
