"""More than two classes for estimators of two: a copy of the estimator for each class, which learns it against the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ..._types import Floats
from ...problem.labels import class_array, is_class
from ...problem.reading_rows import read_rows
from ...problem.ties import TIES, leaders
from ...support.clock import present
from ..learnt import Learner, Learnt, features_of


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntByCopies(Learnt):
    """What was learnt of K > 2 classes: fitted copies of the estimator, one for each class against the rest."""

    estimators: tuple[Any, ...]

    def _shown(self) -> dict[str, Any]:
        names = self.estimators[0]._per_class
        each = {name: np.array([getattr(copy, name) for copy in self.estimators]) for name in names}
        return {"estimators_": list(self.estimators), **each}


class Copies(Learner):
    """An estimator that learns two classes itself, and K > 2 by copies of itself, ``estimators_``.

    What the copies learn is what each would learn alone from ``y == classes_[k]``, with the same ``random_state``.
    """

    tie: str
    random_state: Any
    time_limit: float | None
    classes_: NDArray[Any]
    estimators_: list[Any]

    _per_class: tuple[str, ...] = ()
    """Numbers of a copy that are put together to an array, with one for each of K > 2 classes."""

    _learnt_by_copies: type[LearntByCopies] = LearntByCopies
    """What copies have learnt together."""

    def _copies(self, learnt: Iterable[Learnt | None], **changed: Any) -> list[Any]:
        """Return copies, some of their parameters changed, each with what it has learnt already."""
        # A source of random numbers is not copied, but drawn on by one after the other.
        changed = {"random_state": self.random_state, **changed}
        copies = []
        for known in learnt:
            copy = clone(self).set_params(**changed)
            if known is not None:
                copy._adopt(known)
            copies.append(copy)
        return copies

    def _fit_copies(
        self,
        X: Any,
        labels: NDArray[Any],
        classes: list[Any],
        sample_weight: ArrayLike | None,
        **starts: ArrayLike | None,
    ) -> None:
        """Let copies learn each class against the rest, from weights to start with if some were given.

        On Ctrl-C, too, nothing changes: what learnt some classes only is of no use. Where whoever calls has so much time
        for the whole (`clock.within`), each class has its share of what is left of it.
        """
        common, changed = {}, {}
        if "class_weight" in self.get_params(deep=False):  # type: ignore[attr-defined]
            common, changed = {"sample_weight": sample_weight}, {"class_weight": None}
        tables = {name: np.asarray(start) for name, start in starts.items() if start is not None}
        for name, table in tables.items():
            if table.shape[:1] != (len(classes),):
                expected = f"a row for each of the {len(classes)} classes"
                raise ValueError(f"{name} has the shape {table.shape}, expected {expected}.")
        rows = read_rows(X)
        values, features = class_array(classes), features_of(X)
        copies = self._copies([None] * len(values), **changed)
        clock, limit = present(), self.time_limit
        for k, copy in enumerate(copies):
            clock.check()
            share = clock.left() / (len(copies) - k)
            own = {name: table[k] for name, table in tables.items()}
            if share < math.inf:
                copy.time_limit = share if limit is None else min(share, limit)
            copy.fit(rows, is_class(labels, values[k]), **common, **own)
            copy.time_limit = limit
        self._adopt(self._learnt_by_copies(classes=values, **features, estimators=tuple(copies)))

    def _is_plural(self) -> bool:
        """Whether copies have learnt, each its class."""
        return isinstance(self._learnt, LearntByCopies)

    def _largest(self, scores: Floats | NDArray[Any]) -> NDArray[Any]:
        """Return the class of the largest score in each row: of equals the first, or the last under the rule "positive"."""
        return self.classes_[leaders(scores, TIES[self.tie])]


def joined(estimator: Any, learnt: Iterable[Learnt], classes: NDArray[Any], features: int) -> LearntByCopies:
    """Return what an estimator has learnt of K > 2 classes, by what a copy of it has learnt of each."""
    copies = tuple(estimator._copies(learnt))
    made: LearntByCopies = estimator._learnt_by_copies(classes=classes, features=features, estimators=copies)
    return made
