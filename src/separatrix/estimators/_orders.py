"""What all perceptrons have in common: the order of their visits, and the first call of ``partial_fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import validate_data

from ..problem.problem import Problem
from ..problem.ties import TIES
from ._parameters import Parameters

ORDERS = ("cyclic", "shuffle", "random")


class Visiting(Parameters):
    """An estimator that visits rows, pass by pass, with parameters ``order``, ``tie`` and ``max_iter``."""

    order: Any
    tie: str
    max_iter: int
    fit_intercept: bool
    classes_: NDArray[Any]

    _flags: tuple[str, ...] = ("fit_intercept",)
    """Parameters that are True or False."""

    def _check_parameters(self) -> None:
        if isinstance(self.order, str):
            self._require_choice("order", ORDERS, " or a permutation of the rows")
        self._require_choice("tie", TIES)
        self._require_integer("max_iter", 1)
        self._require_switches(*self._flags)

    def _online_problem(self, X: Any, classes: ArrayLike | None, make: Callable[[], Problem]) -> tuple[Problem, bool]:
        """Return the problem of a call of ``partial_fit``, made when the classes are known, and whether it is the first."""
        first = not (hasattr(self, "_weights") or hasattr(self, "estimators_"))
        if first and hasattr(self, "classes_"):
            del self.classes_
        _check_partial_fit_first_call(self, classes)
        try:
            if self.classes_.size < 2:
                raise ValueError(f"classes holds {self.classes_.size} class, expected two or more.")
            problem = make()
            validate_data(self, X, skip_check_array=True, reset=first)
        except BaseException:
            if first:  # leave no half-made estimator behind
                del self.classes_
            raise
        return problem, first
