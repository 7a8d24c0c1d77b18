"""Calls of users that may take long: what they show of their progress, and that Ctrl-C is heard.

A function that may take long has a parameter ``verbose``, an estimator an attribute. `long_call` is the decorator of such
functions, `long_fit` that of such methods; they look at it, so that the function need not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..compiled.environment import require_rounding_to_nearest
from .display import showing
from .interruption import handled, one_deeper
from .progress import Progress, is_heard, listening

Parameters = ParamSpec("Parameters")

Result = TypeVar("Result")

Verbose = bool | Callable[[Progress], Any]
"""Whether to show progress, or who is told of it."""

_HINT = "Ctrl-C stops it"


def long_call(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function show its progress as its ``verbose`` says, and hear Ctrl-C; its environment is checked, too.

    See `checked_arithmetic`, in whose place this is.
    """
    return _wrapped(function, lambda args, kwargs: kwargs.get("verbose", False))


def whole_call(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Do the same for a function that is stopped as a whole: what others return on Ctrl-C would be of no use to it."""
    return _wrapped(function, lambda args, kwargs: kwargs.get("verbose", False), one_deeper)


def long_fit(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Do the same for a method that learns, as the ``verbose`` of its estimator says, which is stopped as a whole."""
    return _wrapped(method, lambda args, kwargs: getattr(args[0], "verbose", False), one_deeper)


def _wrapped(function: Any, verbose_of: Callable[..., Any], inside: Callable[[], Any] = nullcontext) -> Any:
    require, settings, follow = require_rounding_to_nearest, np.errstate, followed

    def called(*args: Any, **kwargs: Any) -> Any:
        require()
        with settings(all="ignore"), follow(verbose_of(args, kwargs)), inside():
            return function(*args, **kwargs)

    # A function of the module that it stands in: else doctest would pass over its examples.
    home = getattr(function, "__globals__", {})
    return wraps(function)(FunctionType(called.__code__, home, function.__name__, None, called.__closure__))


@contextmanager
def followed(verbose: Any) -> Iterator[None]:
    """Show the progress of what is done inside, or tell it, if this is the outermost call; and hear Ctrl-C."""
    if not callable(verbose) and not isinstance(verbose, bool | int | np.bool_):
        raise ValueError(f"verbose must be True, False, or a function that is called with an sx.Progress, got {verbose!r}.")
    with handled() as outermost:
        if not outermost or not verbose:
            yield
        elif callable(verbose):
            with listening(verbose):
                yield
        elif is_heard():
            yield
        else:
            with showing("getting ready", _HINT, in_logs=True):
                yield
