"""Numbers with a unit, such as 12 EUR or $ 3.50, which are words to a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MEASURED = re.compile(
    r"\s*(?P<before>[$€£¥₹]|[A-Z]{3}(?=\s))?\s*[+\-−]?\d[\d.,']*(?:\s\d{3})*(?:[.,]\d+)?"
    r"\s*(?P<after>[^\W\d_]{1,8}[²³]?\.?|[$€£¥₹°%‰]|°[CF])?\s*"
)
"""A number, with a sign of money or three capital letters before it, or with a unit behind it."""


def unit_of(texts: Sequence[str]) -> str | None:
    """Return the unit that all texts have beside a number; None if they have none, or several.

    >>> unit_of(["12 EUR", "1.300,50 EUR"]), unit_of(["$3", "$ 4.50"]), unit_of(["5 kg", "7 lb"]), unit_of(["3", "4"])
    ('EUR', '$', None, None)
    """
    units = set()
    for text in texts:
        found = _MEASURED.fullmatch(text)
        both = (found["before"], found["after"]) if found else (None, None)
        if sum(each is not None for each in both) != 1:
            return None
        units.add(both[0] or both[1])
    return units.pop() if len(units) == 1 else None
