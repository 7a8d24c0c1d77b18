"""HTML in small pieces: whatever is not markup by type is escaped, so that no text of the data can become any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..pictures.style import cut
from ..support.escaping import html, shown, tamed

_LONGEST = 80
"""Letters of a name, or of a cell, that are shown; of a longer one the beginning and the end."""

_SHORT = 24
"""Letters of a cell that stand in one line."""


class Markup(str):
    """A text that is HTML already."""


Inside = str | Iterable["str | Markup | None"] | None
"""What may stand in an element: texts, which are escaped, and markup, which is not."""


def markup(inside: Any) -> Markup:
    """Return HTML of what is given: a text is escaped, of several the pieces are put together.

    >>> print(markup(["<b> & ", tag("b", "c")]))
    &lt;b&gt; &amp; <b>c</b>
    """
    if inside is None:
        return Markup()
    if isinstance(inside, Markup):
        return inside
    if isinstance(inside, str):
        return Markup(html(tamed(inside)))
    return Markup("".join(map(markup, inside)))


def tag(name: str, *inside: Any, **attributes: Any) -> Markup:
    """Return an element; attributes that are None or False are left out.

    >>> print(tag("td", "1 < 2", class_="number", data_name='"x"'))
    <td class="number" data-name="&quot;x&quot;">1 &lt; 2</td>
    """
    return Markup(f"<{name}{_attributes(attributes)}>{markup(inside)}</{name}>")


def _attributes(given: dict[str, Any]) -> str:
    there = {key.rstrip("_").replace("_", "-"): value for key, value in given.items() if value not in (None, False)}
    return "".join(f" {key}" if value is True else f' {key}="{html(tamed(str(value)))}"' for key, value in there.items())


def name(given: object) -> str:
    """Return a name from the data as the page shows it: on one line, and not too long."""
    return brief(shown(given))


def brief(text: str) -> str:
    """Return a text that can be shown as it is, but for its length."""
    return cut(text, _LONGEST)


def paragraphs(*texts: Any) -> Markup:
    """Return paragraphs, of what there is."""
    return Markup("\n".join(tag("p", text) for text in texts if text))


def items(texts: Iterable[Any]) -> Markup:
    """Return a list."""
    return tag("ul", [tag("li", text) for text in texts])


def code(*lines: str) -> Markup:
    """Return lines to be typed, in a box that scrolls by itself."""
    return tag("pre", tag("code", Markup("\n".join(map(markup, lines)))), tabindex="0")


def number(key: str, text: str, value: Any = None) -> Markup:
    """Return a number that the page shows, with its name and, for programs, its value."""
    return tag("data", text, data_name=key, value=text if value is None else str(value))


def table(
    caption: str, header: Sequence[Any], rows: Iterable[Sequence[Any]], *, key: str, words: int = 1, foot: Any = None
) -> Markup:
    """Return a table in a box that scrolls by itself; the first cell of a row is its header.

    The first columns, as many as ``words``, hold texts; the others hold numbers, which stand to the right.
    """
    lines = [
        tag(
            "tr",
            [
                tag("th" if k == 0 else "td", cell, scope="row" if k == 0 else None, class_=_kind(cell, k < words))
                for k, cell in enumerate(row)
            ],
        )
        for row in rows
    ]
    head = [tag("th", cell, scope="col", class_=None if k < words else "number") for k, cell in enumerate(header)]
    parts = [tag("caption", caption), tag("thead", tag("tr", head)), tag("tbody", Markup("\n".join(lines)))]
    note = tag("p", foot, class_="note") if foot else None
    box = tag("div", tag("table", parts, id=key), class_="scroll", tabindex="0", role="region", aria_label=caption)
    return markup([box, note])


def _kind(cell: Any, is_text: bool) -> str | None:
    """Return what a cell is to the style: a number, or a text so short that it is not broken into lines."""
    if not is_text:
        return "number"
    return "short" if isinstance(cell, str) and not isinstance(cell, Markup) and len(cell) <= _SHORT else None


def written_out(explanation: str, caption: str, otherwise: str, most: int = 60_000) -> Markup:
    """Return what `explain("html")` wrote, its tables with captions and in boxes; or another text, if it is too long."""
    if len(explanation) > most:
        return paragraphs(otherwise)
    count = 0

    def opened(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        title = html(caption if count == 1 else f"{caption} ({count})")
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table><caption>{title}</caption>'

    # Of the data there is nothing here that is not escaped: these tags are those of the explanation.
    return Markup(re.sub("<table>", opened, explanation).replace("</table>", "</table></div>"))


def formulas(*lines: str) -> Markup:
    """Return formulas below each other."""
    return tag("div", [tag("div", tag("span", line, class_="formula")) for line in lines], class_="formulas")


def section(key: str, title: str, *inside: Any) -> Markup:
    """Return a section with its heading."""
    heading = tag("h2", title, id=f"{key}-title")
    return tag("section", heading, inside, id=key, aria_labelledby=f"{key}-title")


def figure(svg: str, caption: Any) -> Markup:
    """Return a picture with its caption."""
    return tag("figure", Markup(svg), tag("figcaption", caption))


def details(summary: str, *inside: Any) -> Markup:
    """Return what is shown when it is asked for."""
    return tag("details", tag("summary", summary), inside)
