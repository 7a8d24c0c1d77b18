"""Markdown pages: their prose, their blocks of code, their headings and links."""

import re
from typing import NamedTuple

from paths import DOCS, ROOT

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "tests").rglob("*.md")]
    if "generated" not in path.parts  # made for the site, from what is here
)


class Fence(NamedTuple):
    """A block of code: the number of its first line, its language, and what is in it."""

    line: int
    language: str
    text: str


def name(page):
    return str(page.relative_to(ROOT))


def parts(text):
    """Yield the lines of a page with their numbers, and its blocks of code, in order."""
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,})(.*)$", line)
        if opened is None and mark:
            opened, inside = (number, mark[1], mark[2].strip()), []
        elif opened is not None and mark and mark[1].startswith(opened[1]) and not mark[2].strip():
            yield Fence(opened[0], opened[2], "".join(f"{each}\n" for each in inside))
            opened = None
        elif opened is None:
            yield number, line
        else:
            inside.append(line)
    assert opened is None, f"the block that begins in line {opened[0]} never ends"


def prose(page):
    """Yield the numbered lines of a page but for code, which is as it is printed, and tables, which cannot be broken."""
    for part in parts(page.read_text(encoding="utf-8")):
        if not isinstance(part, Fence) and not part[1].lstrip().startswith("|"):
            yield part


def fences(page):
    """Return the blocks of code of a page."""
    return [part for part in parts(page.read_text(encoding="utf-8")) if isinstance(part, Fence)]


def text_of(page):
    """Return a page without its blocks of code."""
    return "\n".join(part[1] for part in parts(page.read_text(encoding="utf-8")) if not isinstance(part, Fence))


def anchors(page):
    """Return the anchors of the headings of a page, as forges and the site make them."""
    found = []
    for heading in re.findall(r"(?m)^#+ (.*)$", text_of(page)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        again = sum(1 for each in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each))
        found.append(f"{slug}-{again}" if again else slug)
    return found


def links(page):
    """Return the links of a page to this repository, each as a file and an anchor, which may be empty."""
    found = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text_of(page))
    return [(file, anchor) for file, anchor in found if "://" not in file and not file.startswith("mailto:")]
