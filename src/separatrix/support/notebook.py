"""What a notebook shows of an answer: its text, and below it its picture, where one can be drawn.

Answers live below the room of pictures and may not import it; they would drag matplotlib along besides, which need not be
installed. So the room is found by its name, at the moment when something is shown. Whatever goes wrong there, the text is
shown all the same: a picture is an extra.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

RENDERER = "separatrix.pictures.notebook"
"""The module whose function ``picture`` returns the picture of an answer as SVG, or None if it has none."""

_STYLE = (
    "<style>.separatrix .formula{font-family:monospace;white-space:pre-wrap}.separatrix .formulas{margin:0.5em 2em}"
    ".separatrix td,.separatrix th{text-align:right;padding:0.1em 0.6em}.separatrix svg{max-width:100%;height:auto}</style>"
)


def with_picture(answer: Any, text: str) -> str:
    """Return HTML that shows an answer: a text, which is HTML already, and the picture of the answer."""
    drawn = picture_of(answer)
    return framed(text, f"\n<figure>{drawn}</figure>" if drawn else "")


def framed(text: str, figure: str = "") -> str:
    """Return HTML that shows a text, which is HTML already, in the style of all answers."""
    return f'<div class="separatrix">{_STYLE}\n{text.rstrip()}{figure}\n</div>\n'


def picture_of(answer: Any) -> str | None:
    """Return the picture of an answer as SVG; None if there is none, or it cannot be drawn."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drawn = import_module(RENDERER).picture(answer)
    except Exception:
        return None
    return None if drawn is None else str(drawn)
