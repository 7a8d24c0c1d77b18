"""Warnings that were recorded: which of them tell of data and methods."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ..exceptions import CacheWarning


def about_the_work(caught: Iterable[warnings.WarningMessage]) -> list[warnings.WarningMessage]:
    """Return the recorded warnings that tell of data and methods; what tells of the machine goes on to whoever listens."""
    for warning in caught:
        if issubclass(warning.category, CacheWarning):
            warnings.warn(warning.message, stacklevel=2)
    return [
        each for each in caught if issubclass(each.category, UserWarning) and not issubclass(each.category, CacheWarning)
    ]
