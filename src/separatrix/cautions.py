"""The warnings of the library that are its own."""

import warnings
from collections.abc import Iterable


class CacheWarning(UserWarning):
    """There is no folder to keep compiled loops in, so that every process compiles them anew; results are the same."""


class RoundingWarning(UserWarning):
    """Rounding exact weights to float64 changes what they say of a training row."""


class SeparationWarning(UserWarning):
    """The classes are separable or quasi-separable, so that a logistic regression has no maximum-likelihood estimate."""


def about_the_work(caught: Iterable[warnings.WarningMessage]) -> list[warnings.WarningMessage]:
    """Return the recorded warnings that tell of data and methods; what tells of the machine goes on to whoever listens."""
    for warning in caught:
        if issubclass(warning.category, CacheWarning):
            warnings.warn(warning.message, stacklevel=2)
    return [
        each for each in caught if issubclass(each.category, UserWarning) and not issubclass(each.category, CacheWarning)
    ]
