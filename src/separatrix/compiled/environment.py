"""The floating-point environment that proofs rely on, checked where they begin.

Error-free transformations and error bounds hold when results are rounded to the nearest float64. A library that changes
the rounding mode of a thread, or has it flush subnormal numbers to zero, and leaves it so, would make them false without
a word. Both are settings of a thread: what begins in a new one is checked there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

import numpy as np

Parameters = ParamSpec("Parameters")

Result = TypeVar("Result")

# Variables, not constants: what the interpreter computes ahead of time would say nothing of this thread.
_one, _quarter, _three_quarters = 1.0, 2.0**-54, 3 * 2.0**-54  # of the distance from 1 to the next float64

_smallest_normal, _half = 2.0**-1022, 0.5


def rounds_to_nearest() -> bool:
    """Whether this thread rounds to the nearest float64: neither up (the first), nor down or towards zero (the second)."""
    return _one + _quarter == _one and _one + _three_quarters > _one


def flushes_subnormals() -> bool:
    """Whether this thread takes subnormal numbers for zero, as libraries built with fast-math may leave it."""
    return _smallest_normal * _half == 0.0


def require_rounding_to_nearest() -> None:
    """Raise an error if this thread rounds in another way: nothing could be proved by floating-point arithmetic then."""
    if not rounds_to_nearest():
        raise FloatingPointError(
            "This thread does not round to the nearest float64: some library has changed the rounding mode (fesetround) "
            "and left it so. Proofs rely on rounding to nearest. Set the mode back, or find the library that changes it."
        )


def refuse_flushing(where: str) -> None:
    """Raise an error if this thread flushes subnormal numbers to zero, for numbers that would suffer from it."""
    if flushes_subnormals():
        raise FloatingPointError(
            f"This thread flushes subnormal numbers to zero, as libraries built with fast-math may leave it, and {where} "
            "numbers too small, or too far apart, for that. Rescale them, or find the library that switches it on."
        )


def checked_arithmetic(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function of the library begin with the environment checked, and with numpy's own settings.

    Overflow and underflow are foreseen: floats that propose may meet them, and those that prove have bounds which cover
    them. So they are neither told nor raised, whatever the caller has asked numpy for (``np.errstate``).
    """
    require, settings = require_rounding_to_nearest, np.errstate

    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        require()
        with settings(all="ignore"):
            return function(*args, **kwargs)

    # A function of the module that it stands in: else doctest would pass over its examples.
    home = getattr(function, "__globals__", {})
    return wraps(function)(FunctionType(checked.__code__, home, function.__name__, None, checked.__closure__))
