"""The lists of pages that a reader sees are the tables of contents of the site.

Pages of contents are plain Markdown: lists of links to pages, each with a few words. From their order the navigation of the
site is made, so that a page is listed once and nowhere else. A list after the line ``<!-- cards -->`` is shown as cards, and
is no part of the navigation.
"""

from __future__ import annotations

import re

from site_links import rewritten

CONTENTS = ("index", "start", "guide", "theory", "reference", "project", "decisions/index")
"""The pages of contents, without their ending."""

_ITEM = re.compile(r"(?m)^(?:-|\|) \[(?P<title>[^\]]+)\]\((?P<link>[^)#\s]+)\)(?P<text>.*(?:\n  .*)*)")
_CARDS = re.compile(r"<!-- cards -->\n\n(?P<items>(?:- .*\n(?:  .*\n)*)+)")


def listed(text: str) -> list[tuple[str, str]]:
    r"""Return the titles and links of the lists of a page, but for cards.

    >>> listed("- [Tables in](tables.md): files,\n  words.\n- [Slips](slips.md)\n- a word, [a link](x.md)\n")
    [('Tables in', 'tables.md'), ('Slips', 'slips.md')]
    """
    return [(item["title"], item["link"]) for item in _ITEM.finditer(_CARDS.sub("", text))]


def _document(link: str) -> str:
    """Return what Sphinx calls the page that a link leads to."""
    return re.sub(r"\.(md|rst)$", "", link)


def _carded(block: re.Match[str]) -> str:
    cards = []
    for item in _ITEM.finditer(block["items"]):
        text = " ".join(item["text"].removeprefix(":").split())
        text = text[:1].upper() + text[1:]
        link = _document(item["link"])
        cards.append(f":::{{grid-item-card}} {item['title']}\n:link: {link}\n:link-type: doc\n\n{text}\n:::")
    return "::::{grid} 1 1 2 3\n:gutter: 3\n\n" + "\n\n".join(cards) + "\n::::\n"


def with_contents(text: str) -> str:
    r"""Return a page of contents with its lists as navigation, and its cards.

    >>> print(with_contents("<!-- cards -->\n\n- [Teach](teach.md): exercises.\n\n# All\n\n- [Guide](guide.md)\n"))
    ::::{grid} 1 1 2 3
    :gutter: 3
    <BLANKLINE>
    :::{grid-item-card} Teach
    :link: teach
    :link-type: doc
    <BLANKLINE>
    Exercises.
    :::
    ::::
    <BLANKLINE>
    # All
    <BLANKLINE>
    - [Guide](guide.md)
    <BLANKLINE>
    ```{toctree}
    :hidden:
    <BLANKLINE>
    Guide <guide>
    ```
    <BLANKLINE>
    """
    entries = [f"{title} <{_document(link)}>" for title, link in listed(text)]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *entries, "```", ""])
    return f"{_CARDS.sub(_carded, text)}\n{tree}"


def _read(app, name: str, content: list[str]) -> None:
    """Turn a page as it is written into what the site shows."""
    if name.startswith("generated/"):
        return  # made for the site
    content[0] = rewritten(content[0], f"{name}.md")
    if name in CONTENTS:
        content[0] = with_contents(content[0])


def setup(app):
    """Have Sphinx read pages so."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}
