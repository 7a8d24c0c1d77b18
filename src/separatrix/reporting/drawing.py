"""Pictures as SVG that a page can hold: no script, no style of its own, nothing outside, and ids that are its own.

A page that allows styles by their hash only allows no style attributes: what matplotlib writes there becomes attributes of
the elements. The page's style then gives the colours of pen and paper, which differ between light and dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"

_SIZE = (6.0, 4.4)
"""Inches."""

_KEPT = re.compile(
    "fill|fill-opacity|fill-rule|stroke|stroke-.*|opacity|clip-path|clip-rule|font-size|font-weight|font-style|text-anchor"
)
"""Properties that are also attributes, and tell something; fonts are those of the page."""

_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def require_matplotlib() -> None:
    """Refuse to begin what could not be ended: a report has pictures."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            "A report has pictures, which are drawn with matplotlib, and it cannot be imported. Install it: "
            "pip install 'separatrix[plot]'"
        ) from None


def svg_of(draw: Callable[[Any], object], key: str, alt: str, size: tuple[float, float] = _SIZE) -> str:
    """Draw on axes, and return the picture as SVG; ids begin with the key, and ``alt`` says what is to be seen."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key, "path.simplify": True, "text.usetex": False}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.subplots())
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None})
    return cleaned(text.getvalue(), key, alt)


def cleaned(text: str, key: str, alt: str) -> str:
    """Return SVG as a page can hold it."""
    root = ElementTree.fromstring(text)
    _drop(root)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        _clean(element, key)
    box = root.get("viewBox", "0 0 1 1")
    root.attrib.clear()
    root.attrib.update({"viewBox": box, "role": "img", "aria-label": alt})
    return ElementTree.tostring(root, encoding="unicode")


def _drop(root: ElementTree.Element) -> None:
    """Take out what is not drawn: metadata, and a style of matplotlib's, which the page's has."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)


def _clean(element: ElementTree.Element, key: str) -> None:
    given, link = dict(element.attrib), element.attrib.get(_LINK)
    element.attrib.clear()
    for declaration in given.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if _KEPT.fullmatch(name.strip()):
            given[name.strip()] = value.strip()
    given.pop(_LINK, None)
    if "id" in given and element.tag in ("g", "svg", "text"):  # what nothing refers to
        del given["id"]
    for name, value in given.items():
        if name == "id":
            value = f"{key}-{value}"
        elif name != "aria-label":
            value = _NUMBER.sub(_short, value.replace("url(#", f"url(#{key}-"))
        element.set(name, value)
    if link is not None:
        element.set("href", f"#{key}-{link.removeprefix('#')}")


def _short(number: re.Match[str]) -> str:
    """Write a coordinate with as many digits as can be seen."""
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
