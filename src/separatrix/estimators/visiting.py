"""What all perceptrons have in common: the order of their visits, and parameters that must make sense."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from ..run import TIES

ORDERS = ("cyclic", "shuffle", "random")


class Visiting:
    """A learner that visits rows, pass by pass, with parameters ``order``, ``tie`` and ``max_iter``."""

    order: Any
    tie: str
    max_iter: int
    fit_intercept: bool

    _flags: tuple[str, ...] = ("fit_intercept",)
    """Parameters that are True or False."""

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
