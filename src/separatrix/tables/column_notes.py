"""What whoever uses a table should know of its columns: codes, dates, numbers of rows, words that are all but the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._types import Floats
from ..support.counts import few_of
from ..support.escaping import brief
from ..support.remedies import Message, Remedy
from .cells import Cells, Numbers, Words
from .frame import Frame
from .text.dates import is_date
from .text.percents import folded
from .text.units import unit_of

MIN_IDENTIFYING = 10
"""Values that are so many at least, all but different in all rows, are said to identify the rows."""

_FIRST_ROWS = 1000
"""Rows whose numbers are looked at before all are."""

_DENIALS = {
    "+": ("-", "\u2212"), "ja": ("nein", "nee", "nej", "nei"), "j": ("n",), "da": ("net", "ne", "nu"), "ano": ("ne",),
    "evet": ("hayır",), "igen": ("nem",), "correct": ("incorrect", "wrong"), "complete": ("incomplete",),
    "active": ("inactive",), "accepted": ("rejected",),
}  # fmt: skip
"""Words that affirm, with those that deny it and come later in sorted order."""

_MAX_NAMED = 6
"""Columns, or words, that a note names."""


def identifies_rows(values: int, rows: int) -> bool:
    """Whether so many different values all but tell apart so many rows, and are not just few."""
    return values > MIN_IDENTIFYING and 2 * values > rows


def notes_of_columns(
    frame: Frame,
    found: Sequence[Cells],
    labels: Words | None,
    n: int,
    numbering: Callable[[Numbers], bool] | None = None,
) -> Iterator[str]:
    """Give the notes on columns that are used; a function may know better whether one numbers the rows."""
    places = {name: k for k, name in enumerate(frame.names)}
    numbers = [source for source in found if isinstance(source, Numbers)]
    words = [source for source in found if isinstance(source, Words)]
    percents = [brief(source.name) for source in numbers if places.get(source.name) in frame.percents]
    if percents:
        yield f"Percent signs mean hundredths: 12 % is read as 0.12, in {few_of(percents, _MAX_NAMED)}."
    yield from _about_zeros(frame, numbers, places)
    for source in numbers:
        if (numbering or numbers_rows)(source):
            yield Message(
                f"The column {brief(source.name)} numbers the rows: no two have the same. If it says nothing of the "
                "classes, leave it out with ",
                Remedy("drop", source.name),
                ".",
            )
    for each in words:
        yield from _about_words(each, n)
    if labels is not None and (same := nearly_same(labels.used())):
        yield Message(
            f"The classes {few_of([brief(text) for text in same], _MAX_NAMED)} differ by case or by blanks alone. To take "
            "such as one, say ",
            Remedy("ignore_case", True),
            ".",
        )


def _about_zeros(frame: Frame, numbers: Sequence[Numbers], places: dict[str, int]) -> Iterator[str]:
    zeros = frame.zeros() if numbers else {}
    for source in numbers:
        example = zeros.get(places.get(source.name, -1))
        if example is not None:
            yield Message(
                f"The column {brief(source.name)} has whole numbers that begin with 0, such as {example}, as codes do. They "
                f"are read as numbers, {example} as {int(example)}; if they are categories, say ",
                Remedy("text", source.name),
                ".",
            )


def _about_words(source: Words, n: int) -> Iterator[str]:
    used = source.used()
    many = identifies_rows(len(used), n)
    if used and all(map(is_date, used)):
        yield Message(
            f"The column {brief(source.name)} holds dates, such as {brief(used[0])}, which are taken as {len(used):,} "
            "categories, without an order. Leave it out with ",
            Remedy("drop", source.name),
            ", and put what matters of it, such as the year or a number of days, in columns of numbers.",
        )
    elif len(used) > 2 and (unit := unit_of(used)):
        yield Message(
            f"The column {brief(source.name)} holds numbers with {brief(unit)}, such as {brief(used[0])}, which are taken "
            f"as {len(used):,} categories, without an order. To have them as numbers, write them without {brief(unit)}; or "
            "leave the column out with ",
            Remedy("drop", source.name),
            ".",
        )
    elif many:
        yield Message(
            f"The column {source.name!r} has {len(used):,} categories in {n:,} rows: it all but identifies them, and a "
            "hyperplane can use it to tell any classes apart. Leave it out with ",
            Remedy("drop"),
            ", unless you want just that.",
        )
    elif same := nearly_same(used):
        yield (
            f"Categories of the column {brief(source.name)} differ by case or by blanks alone: "
            f"{few_of([brief(text) for text in same], _MAX_NAMED)}. If they mean the same, write them alike."
        )


def about_positive(classes: Sequence[Any], positive: Any) -> Iterator[Message]:
    """Say which of two classes is positive, if nobody told and it is the one that denies what the other affirms.

    >>> print(*about_positive(("ja", "nein"), None))
    The positive class is 'nein', the second in sorted order; to have 'ja' instead, say positive='ja'.
    >>> list(about_positive(("no", "yes"), None))
    []
    """
    first, second = (folded(str(each)) for each in classes) if len(classes) == 2 else ("", "")
    if positive is None and second in _DENIALS.get(first, ()):
        yield Message(
            f"The positive class is {brief(str(classes[1]))}, the second in sorted order; to have "
            f"{brief(str(classes[0]))} instead, say ",
            Remedy("positive", str(classes[0])),
            ".",
        )


def nearly_same(texts: Sequence[str]) -> list[str]:
    """Return the texts that differ from another one by case, or by blanks around them, alone.

    >>> nearly_same(["ja", "nein", "Ja "])
    ['ja', 'Ja ']
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(folded(text), []).append(text)
    return [text for group in groups.values() if len(group) > 1 for text in group]


def numbers_rows(source: Numbers) -> bool:
    """Whether numbers are whole, all different, and without much room between them, as the numbers of rows are."""
    n = len(source.values)
    if source.gaps is not None or source.endless is not None or n <= MIN_IDENTIFYING:
        return False
    few = source._replace(values=source.values[:_FIRST_ROWS])
    return all(_are_numbers_of_rows(each.array(), n) for each in (few, source))


def _are_numbers_of_rows(values: Floats, n: int) -> bool:
    return bool(
        values.max() - values.min() < 2 * n and np.all(values == np.floor(values)) and np.unique(values).size == values.size
    )
