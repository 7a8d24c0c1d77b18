"""Parameters of estimators that must make sense."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np

from ...compiled.environment import checked_arithmetic
from ...exact.float64 import read_float
from ...exact.rationals import read_rational
from ...support.calls import long_fit
from ...support.clock import is_time_limit

PUBLIC = ("partial_fit", "predict", "decision_function", "distance", "exact_weights", "last_weights", "score")
"""Methods that users call, and that compute, beside ``fit``, which may take long."""


class Parameters:
    """An estimator that looks at its parameters before it learns, and says what is wrong with one.

    Its public methods check the floating-point environment first, and ``fit`` shows its progress as ``verbose`` says.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        for name, decorated in (("fit", long_fit), *((name, checked_arithmetic) for name in PUBLIC)):
            if name in vars(cls):
                setattr(cls, name, decorated(vars(cls)[name]))
        super().__init_subclass__(**options)

    def _refuse(self, name: str, expected: str) -> NoReturn:
        value = getattr(self, name)
        raise ValueError(f"The {name!r} parameter of {type(self).__name__} must be {expected}. Got {value!r} instead.")

    def _require_choice(self, name: str, choices: Iterable[str], otherwise: str = "") -> None:
        if getattr(self, name) not in choices:
            self._refuse(name, f"one of {', '.join(map(repr, choices))}{otherwise}")

    def _require_switches(self, *names: str) -> None:
        for name in names:
            if not isinstance(getattr(self, name), bool | np.bool_):
                self._refuse(name, "True or False")

    def _require_integer(self, name: str, least: int, most: int | None = None) -> None:
        value = getattr(self, name)
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not whole or value < least or (most is not None and value > most):
            self._refuse(name, f"an integer {f'of at least {least}' if most is None else f'from {least} to {most}'}")

    def _require_time_limit(self, name: str = "time_limit") -> None:
        if not is_time_limit(getattr(self, name)):
            self._refuse(name, "a positive number of seconds or None")

    def _require_number(self, name: str, expected: str, above: float = 0.0, below: float = math.inf) -> None:
        if not is_number(getattr(self, name), above, below):
            self._refuse(name, expected)

    def _require_exact_number(self, name: str, expected: str, above: float = 0.0) -> None:
        """Require a finite number that is a float64 as it stands: one that the arithmetic of the run takes part in."""
        self._require_number(name, expected, above)
        read_float(getattr(self, name), f"The {name!r} parameter of {type(self).__name__}")

    def _require_positive_rational(self, name: str) -> None:
        """Require a positive number of any kind that is exact: a float64, a fraction, or a decimal, maybe as text."""
        value, expected = getattr(self, name), "a positive, finite number"
        if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal | str):
            self._refuse(name, expected)
        try:
            positive = read_rational(value, name) > 0
        except (TypeError, ValueError):
            positive = False
        if not positive:
            self._refuse(name, expected)


def is_number(value: Any, above: float = 0.0, below: float = math.inf) -> bool:
    """Whether a value is a number strictly between others, also when it is rounded to float64."""
    try:
        return isinstance(value, numbers.Real) and above < float(value) < below
    except OverflowError:
        return False
