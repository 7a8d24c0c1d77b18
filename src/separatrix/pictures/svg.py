"""Figures as SVG that can stand in a page beside others: text stays text, and no name in one is that of another."""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING

from ..support.escaping import html, tamed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES = re.compile(r'(\bid="|\bhref="#|url\(#)([^")]+)')
"""Where SVG names a thing, and where it is spoken of."""


def svg(figure: Figure, label: str, prefix: str | None = None) -> str:
    """Return a figure as an ``svg`` element.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    label : str
        What is to be read aloud in its place.
    prefix : str, optional
        What all names in it begin with, which must be unlike those of other pictures in a page. Without it one is made from
        what the picture shows: the same picture always has the same text.
    """
    import matplotlib as mpl

    file = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))  # no time and no version: the same every day
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "separatrix", "svg.image_inline": True}):
        figure.savefig(file, format="svg", metadata=nothing)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>", "", text, count=1, flags=re.DOTALL)
    begun = prefix or f"sx{hashlib.sha256(text.encode()).hexdigest()[:10]}"
    text = _NAMES.sub(lambda found: f"{found[1]}{begun}-{found[2]}", text)
    # matplotlib says this of everything, in a style that would hold for the whole page
    drawn = f'<svg role="img" aria-label="{html(tamed(label))}" style="stroke-linejoin:round;stroke-linecap:butt"'
    return text.replace("<svg", drawn, 1).rstrip()
