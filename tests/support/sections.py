"""Sections of the pages of the docs."""

import re

from paths import DOCS


def section(page, heading):
    """Return the text of a section of a page, which must be there once."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(rf"(?ms)^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text)
    assert len(found) == 1, (page, heading)
    return found[0]


def squeezed(text):
    """Text with one space wherever there is some, as lines may break anywhere."""
    return " ".join(text.split())
