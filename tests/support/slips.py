"""The page of slips: a line for each, that leads to a section with an example."""

import re

from paths import DOCS


def assert_listed(place, anchor):
    """The page has a line for this place of a text, and the section that it leads to has an example that runs."""
    page = (DOCS / "slips.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| [^|]*{re.escape(place)}[^|]*\|.*\(#{anchor}\) \|$", page, re.MULTILINE), (place, anchor)
    sections = {heading(part): part for part in page.split("\n## ")[1:]}
    assert ">>> " in sections[anchor]


def heading(section):
    """The anchor that a heading has."""
    return re.sub(r"[^\w -]", "", section.partition("\n")[0]).lower().replace(" ", "-")
