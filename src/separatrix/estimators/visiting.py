"""What all perceptrons have in common: the order of their visits, and parameters that must make sense."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import validate_data

from ..problem import Problem
from ..run import TIES

ORDERS = ("cyclic", "shuffle", "random")


class Visiting:
    """A learner that visits rows, pass by pass, with parameters ``order``, ``tie`` and ``max_iter``."""

    order: Any
    tie: str
    max_iter: int
    fit_intercept: bool
    classes_: NDArray[Any]

    _flags: tuple[str, ...] = ("fit_intercept",)
    """Parameters that are True or False."""
    _multiclass = False
    """Whether more than two classes are learnt."""

    def _refuse(self, name: str, expected: str) -> None:
        kind, value = type(self).__name__, getattr(self, name)
        raise ValueError(f"The {name!r} parameter of {kind} must be {expected}. Got {value!r} instead.")

    def _check_parameters(self) -> None:
        if isinstance(self.order, str) and self.order not in ORDERS:
            self._refuse("order", f"one of {', '.join(map(repr, ORDERS))} or a permutation of the rows")
        if self.tie not in TIES:
            self._refuse("tie", f"one of {', '.join(map(repr, TIES))}")
        if not isinstance(self.max_iter, numbers.Integral) or self.max_iter < 1:
            self._refuse("max_iter", "an integer of at least 1")
        for name in self._flags:
            if not isinstance(getattr(self, name), bool | np.bool_):
                self._refuse(name, "True or False")

    def _visiting_order(self, problem: Problem) -> str | NDArray[np.int64]:
        if isinstance(self.order, str):
            return self.order
        order, n = np.asarray(self.order), problem.given
        if order.shape != (n,) or order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(n)):
            raise ValueError(f"order must be a permutation of the {n} rows: each of 0 to {n - 1} once.")
        if problem.kept is None:
            return order
        places = np.full(n, -1)
        places[problem.kept] = np.arange(problem.kept.size)
        kept: NDArray[np.int64] = places[order][places[order] >= 0]
        return kept

    def _online_problem(self, X: Any, classes: ArrayLike | None, make: Callable[[], Problem]) -> tuple[Problem, bool]:
        """Return the problem of a call of ``partial_fit``, made when the classes are known, and whether it is the first."""
        first = not hasattr(self, "_weights")
        if first and hasattr(self, "classes_"):
            del self.classes_
        _check_partial_fit_first_call(self, classes)
        try:
            size = self.classes_.size
            if size < 2 or (size > 2 and not self._multiclass):
                raise ValueError(
                    "Only binary classification is supported. The type of the target is multiclass: "
                    f"{size} classes, expected two."
                    if size > 2
                    else f"classes holds {size} class, expected two{' or more' if self._multiclass else ''}."
                )
            problem = make()
            validate_data(self, X, skip_check_array=True, reset=first)
        except BaseException:
            if first:  # leave no half-made estimator behind
                del self.classes_
            raise
        return problem, first


def require_two_classes(learner: Any, problem: Problem) -> None:
    """Refuse rows of one class only."""
    if len(problem.classes) < 2:
        raise ValueError(
            f"{type(learner).__name__} needs rows of two classes, but y holds only one class: {problem.classes[0]!r}. "
            "Give rows of both."
        )
