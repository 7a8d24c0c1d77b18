"""More than two classes for estimators of two: a copy of the estimator for each class, which learns it against the rest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from .._types import Floats
from ..problem.labels import class_array, is_class
from ..problem.rows import read_rows
from ..problem.ties import TIES, leaders


class Copies:
    """An estimator that learns two classes itself, and K > 2 by copies of itself, ``estimators_``.

    What the copies learn is what each would learn alone from ``y == classes_[k]``, with the same ``random_state``.
    """

    tie: str
    classes_: NDArray[Any]
    estimators_: list[Any]

    _per_class: tuple[str, ...] = ()
    """Numbers of a copy that are put together to an array, with one for each of K > 2 classes."""

    _hidden: tuple[str, ...] = ()
    """Private names of what it has learnt of two classes itself."""

    def _make_copies(self, classes: ArrayLike, **changed: Any) -> None:
        """Begin anew with a copy for each class, some of its parameters changed."""
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        for name in [name for name in vars(self) if name.endswith("_") or name in self._hidden]:
            delattr(self, name)
        # A source of random numbers is not copied, but drawn on by one after the other.
        changed = {"random_state": parameters["random_state"], **changed}
        self.classes_ = class_array(classes)
        self.estimators_ = [clone(self).set_params(**changed) for _ in self.classes_]

    def _fit_copies(self, X: Any, labels: NDArray[Any], classes: ArrayLike, more: Any = None, **changed: Any) -> Self:
        """Let copies learn each class against the rest; ``more`` has further arguments of ``fit`` for each of them."""
        rows, _, _ = read_rows(X)
        before = vars(self).copy()
        try:
            self._make_copies(classes, **changed)
            validate_data(self, X, skip_check_array=True, reset=True)
            for k, copy in enumerate(self.estimators_):
                copy.fit(rows, is_class(labels, self.classes_[k]), **({} if more is None else more(k)))
            self._put_together()
        except BaseException:  # Ctrl-C, too: what learnt some classes only is of no use
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def _put_together(self) -> None:
        for name in self._per_class:
            setattr(self, name, np.array([getattr(copy, name) for copy in self.estimators_]))

    def _is_plural(self) -> bool:
        """Whether copies have learnt, each its class."""
        return hasattr(self, "estimators_")

    def _largest(self, scores: Floats | NDArray[Any]) -> NDArray[Any]:
        """Return the class of the largest score in each row: of equals the first, or the last under the rule "positive"."""
        return self.classes_[leaders(scores, TIES[self.tie])]
