"""The list of items in the docs, and the tests of this folder, are about the same items."""

import re
from pathlib import Path

from paths import DOCS

ROW = re.compile(r"^\| (\d+) \| ([^|]+) \|(.*)\| ([^|]+) \|$", re.MULTILINE)


def items():
    """The items of the page: number, statement, how, and whether it works."""
    page = (DOCS / "notes.md").read_text(encoding="utf-8")
    return {int(number): more for number, *more in ROW.findall(page)}


def with_a_test():
    """The numbers of the items that have a test."""
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_note_*.py"))
    names = re.findall(r"^def test_(\d{3}(?:_and_\d{3})*)_", sources, re.MULTILINE)
    return {int(number) for name in names for number in name.split("_and_")}


def test_every_item_is_listed_and_tested():
    listed = items()
    assert list(listed) == list(range(1, 145))
    assert with_a_test() == set(listed)
    assert {works for *_, works in listed.values()} == {"yes"}
