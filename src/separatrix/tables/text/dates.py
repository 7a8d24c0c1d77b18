"""Dates, which are no numbers, whatever they look like."""

from __future__ import annotations

import re

_DATE = re.compile(
    r"\s*(?:[0-9]{4}-[01]?[0-9]-[0-3]?[0-9]|[0-9]{4}/[01]?[0-9]/[0-3]?[0-9]|[0-3]?[0-9]\.[01]?[0-9]\.(?:[0-9]{4}|[0-9]{2})"
    r"|[0-3]?[0-9]/[0-3]?[0-9]/(?:[0-9]{4}|[0-9]{2}))(?:[T ]+[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?:\s*[AaPp][Mm])?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\s*"
)
"""What a date looks like, with or without a time."""


def is_date(text: str) -> bool:
    """Whether a text looks like a date.

    >>> [is_date(text) for text in ("2024-01-31", "31.1.24", "1/31/2024 10:15", "1.5", "3-4")]
    [True, True, True, False, False]
    """
    return _DATE.fullmatch(text) is not None
