"""The pages of the project: they keep to the width of the code, their links lead somewhere, and they name what is there."""

import re

import pytest
from paths import DOCS, ROOT

WIDTH = 125
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "tests").rglob("*.md")])
SOURCES = ROOT / "src" / "separatrix"


def prose(page):
    """Yield the numbered lines of a page but for code, which is as it is printed, and tables, which cannot be broken."""
    code = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code and not line.lstrip().startswith("|"):
            yield number, line


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_are_no_longer_than_those_of_the_code(page):
    assert [number for number, line in prose(page) if len(line) > WIDTH] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", "\n".join(line for _, line in prose(page)))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_index_has_every_page():
    for index in (DOCS / "index.md", DOCS / "decisions" / "index.md"):
        listed = set(re.findall(r"\]\(([^)#]+)\)", index.read_text(encoding="utf-8")))
        assert {page.name for page in index.parent.glob("*.md")} - {"index.md"} <= listed


def test_the_map_names_files_and_rooms_that_are_there():
    text = (DOCS / "map.md").read_text(encoding="utf-8")
    named = {each for each in re.findall(r"`([\w/]+\.pyi?|\w+(?:/\w+)*/)`", text) if "NAME" not in each}
    rooms = [ROOT, SOURCES, *(path.parent for path in SOURCES.glob("*/__init__.py"))]
    assert [each for each in sorted(named) if not any((room / each).exists() for room in rooms)] == []
    assert {path.parent.name for path in SOURCES.glob("*/__init__.py")} <= set(re.findall(r"`(\w+)/", text))
