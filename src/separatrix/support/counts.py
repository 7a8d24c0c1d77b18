"""Numbers of things, a few of many things, and shares, in words."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, thing: str) -> str:
    """Write a number of things.

    >>> counted(1, "pass"), counted(1200, "pass"), counted(0, "row"), counted(2, "category")
    ('1 pass', '1,200 passes', '0 rows', '2 categories')
    """
    if number == 1:
        return f"{number:,} {thing}"
    return (
        f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"
    )


def few_of(texts: Sequence[str], most: int, *, in_all: bool = False) -> str:
    """List texts, at most so many; where there are more, an ellipsis says so, and if asked how many there are in all.

    >>> few_of(["a", "b", "c"], 3), few_of(["a", "b", "c"], 2), few_of(["a", "b", "c"], 2, in_all=True)
    ('a, b, c', 'a, b, …', 'a, b, … (3 in all)')
    """
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[:most])}, …{f' ({len(texts):,} in all)' if in_all else ''}"


def percent(part: int, whole: int) -> str:
    """Write a percentage that says 100 % and 0 % only when it is so."""
    share = 100 * part / whole
    if 0 < part < whole:
        share = min(max(share, 0.1), 99.9)
    return f"{share:.1f} %"
