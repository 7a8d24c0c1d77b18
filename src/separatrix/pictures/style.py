"""How pictures look: colours and signs that tell apart without colour, and names that fit in.

The colours are those of Okabe and Ito, which people with any kind of colour vision tell apart; each class has a marker of
its own besides, so that pictures can be read in grey. Nothing here needs matplotlib.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#4D4D4D", "#56B4E9", "#8C6D00")
"""Of the classes, in turn."""

MARKERS = ("o", "s", "^", "D", "P", "v", "X", "p")
"""Of the classes, in turn; there are more of them than colours, so that few pairs come twice."""

LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Styles of lines that are to be told apart."""

INK = "#222222"
"""Hyperplanes, and all that is drawn as with a pen."""

GREY = "#5F5F5F"
"""Notes and what is beside the point; dark enough to be read on white."""

PALE = "#BBBBBB"
"""Lines in the background."""

WRONG = "#B00020"
"""Rings around rows that are wrong."""

BEFORE, AFTER = "#0072B2", "#B00020"
"""Weights before and after a step."""

WIDTH = 1.6
"""Of a hyperplane, in points."""

BAND = 0.08
"""How dark the band of a margin is."""

LONGEST_NAME = 32
"""Letters of a name that are shown in a legend."""


def colour(k: int) -> str:
    """Return the colour of class k."""
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Return the marker of class k."""
    return MARKERS[k % len(MARKERS)]


def line(k: int) -> str | tuple[int, tuple[int, ...]]:
    """Return the style of line k, of those to be told apart."""
    return LINES[k % len(LINES)]


def cut(text: str, most: int = LONGEST_NAME) -> str:
    """Cut a text in the middle if it is long.

    >>> cut("petal length"), cut("a" * 20 + "b" * 20, 9)
    ('petal length', 'aaaa…bbbb')
    """
    if len(text) <= most:
        return text
    kept = max(most - 1, 2)
    return f"{text[: kept - kept // 2]}…{text[-(kept // 2) :]}"


def wrapped(texts: Iterable[str], columns: int) -> str:
    r"""Break texts into lines of so many letters, each text on lines of its own.

    >>> wrapped(["a note", "another one, longer"], 12)
    'a note\nanother one,\nlonger'
    """
    return "\n".join(each for text in texts for each in textwrap.wrap(text, max(columns, 12)))
