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

_WIDTH = 5.4
"""Inches: letters can be read on a phone, where the picture is shrunk."""

_KEPT = re.compile(
    "fill|fill-opacity|fill-rule|stroke|stroke-.*|opacity|clip-path|clip-rule|font-size|font-weight|font-style|text-anchor"
)
"""Properties that are also attributes, and tell something; fonts are those of the page."""

_NUMBER = re.compile(r"-?\d+\.\d{3,}")

_BLANKS = re.compile(r"\s*([A-Za-z])\s*")
"""What a path can do without."""


def require_matplotlib() -> None:
    """Refuse to begin what could not be ended: a report has pictures."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            "A report has pictures, which are drawn with matplotlib, and it cannot be imported. Install it: "
            "pip install 'separatrix[plot]'"
        ) from None


def svg_of(draw: Callable[[Any], object], key: str, alt: str, height: float) -> str:
    """Draw on axes, and return the picture as SVG.

    Ids begin with the key, ``alt`` says what is to be seen, and the height is in inches.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key, "path.simplify": True, "text.usetex": False}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
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
        _clean(element)
    _leave_paint_to_uses(root)
    for element in list(root.iter("g")):
        _gather(element)
    _rename(root, key)
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


def _clean(element: ElementTree.Element) -> None:
    """Keep what is seen, without blanks between the elements and digits that nobody sees."""
    given = dict(element.attrib)
    element.attrib.clear()
    for declaration in given.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if _KEPT.fullmatch(name.strip()):
            given[name.strip()] = value.strip()
    if _LINK in given:
        given["href"] = given.pop(_LINK)
    for name, value in given.items():
        if name not in ("id", "href"):
            value = _NUMBER.sub(_short, value)
        element.set(name, _BLANKS.sub(r"\1", value).strip() if name == "d" else value)
    element.tail = (element.tail or "").strip()
    if element.tag not in ("text", "tspan"):
        element.text = (element.text or "").strip()


def _leave_paint_to_uses(root: ElementTree.Element) -> None:
    """Take paint off markers whose uses have it, too: the style of a page does not reach what is used."""
    painted: dict[str, set[str]] = {}
    for use in root.iter("use"):
        key, paint = use.get("href", "").removeprefix("#"), {"fill", "stroke"} & set(use.attrib)
        painted[key] = painted.get(key, paint) & paint
    for marker in root.iter("path"):
        for name in painted.get(marker.get("id", ""), ()):
            marker.attrib.pop(name, None)


def _gather(group: ElementTree.Element) -> None:
    """Have points share what they have in common: matplotlib writes it with each of them."""
    children = list(group)
    single = all(each.tag == "g" and len(each) == 1 and set(each.attrib) <= {"clip-path"} for each in children)
    if len(children) > 1 and single and len({each.get("clip-path") for each in children}) == 1:
        clip = children[0].get("clip-path")
        if clip is not None:
            group.set("clip-path", clip)
        group[:] = children = [each[0] for each in children]
    if len(children) < 2 or any(each.tag not in ("use", "path") for each in children):
        return
    common = set.intersection(*(set(each.attrib.items()) for each in children))
    for name, value in common:
        if name not in ("x", "y", "href", "d", "id"):
            group.set(name, value)
            for each in children:
                del each.attrib[name]


def _rename(root: ElementTree.Element, key: str) -> None:
    """Give short ids that no other picture has to what is referred to, and none to the rest."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {value[5:-1] for value in values if value.startswith("url(#")}
    used |= {element.get("href", "").removeprefix("#") for element in root.iter("use")}
    names = {each: f"{key}-{k}" for k, each in enumerate(sorted(used))}
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id" and value not in names:
                del element.attrib["id"]
            elif name == "id":
                element.set("id", names[value])
            elif name == "href":
                element.set("href", f"#{names[value.removeprefix('#')]}")
            elif value.startswith("url(#"):
                element.set(name, f"url(#{names[value[5:-1]]})")


def _short(number: re.Match[str]) -> str:
    """Write a coordinate with as many digits as can be seen."""
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
