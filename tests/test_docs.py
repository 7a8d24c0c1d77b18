"""The pages of the project: they keep to the width of the code, their links lead somewhere, and they name what is there."""

import re

import pytest
from pages import PAGES, anchors, fences, links, name, prose
from paths import DOCS, ROOT
from site_contents import CONTENTS, listed
from site_generated import MODULES, api, commands, public_groups
from site_links import PAGES as SITE_PAGES

import separatrix as sx

WIDTH = 125
SOURCES = ROOT / "src" / "separatrix"
DATA = {"bibtex", "csv", "json", "libsvm", "text"}
ELSEWHERE = {"r", "sh"}  # what is run in R, and how to install


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_are_no_longer_than_those_of_the_code(page):
    assert [number for number, line in prose(page) if len(line) > WIDTH] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files_and_headings(page):
    broken = []
    for file, anchor in links(page):
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and (target.suffix != ".md" or anchor not in anchors(target))):
            broken.append(f"{file}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_is_run_by_a_test(page):
    """By the doctests of pytest, if it has prompts of Python; by test_docs_commands or test_readme, if it is a console."""
    examples = page == ROOT / "README.md" or page.is_relative_to(DOCS)
    consoles = page == ROOT / "README.md" or page.parent == DOCS
    for fence in fences(page):
        where = f"{name(page)}, line {fence.line}"
        prompts = [line for line in fence.text.splitlines() if line.startswith(">>> ")]
        if fence.language == "python":
            assert fence.text.startswith(">>> "), f"{where}: Python without prompts is run by nothing"
            assert fence.text.endswith("\n\n"), f"{where}: an empty line must end what the last example prints"
        elif fence.language == "console":
            assert consoles, f"{where}: no test runs the commands of this page"
            assert fence.text.startswith("$ "), f"{where}: a command begins with a dollar"
        else:
            assert fence.language in DATA | ELSEWHERE, f"{where}: is this run? Say here what {fence.language!r} is"
            assert prompts == [], f"{where}: examples are python"
        assert examples or not prompts, f"{where}: no test runs the examples of this page"
        assert "doctest: +SKIP" not in fence.text, where


def test_every_page_is_listed_once():
    """From the first page on, by the lists that the navigation of the site is made of."""
    listing = [
        (DOCS / page, link) for page in CONTENTS for _, link in listed((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    ]
    found = [(page.parent / link).resolve().relative_to(ROOT).as_posix() for page, link in listing]
    assert sorted(set(found)) == sorted(found)
    pages = {name(page) for page in PAGES if page.is_relative_to(DOCS)} - {"docs/index.md"}
    assert pages | SITE_PAGES.keys() - {"README.md"} == set(found)


def test_the_site_has_every_public_name_and_every_command():
    modules = {each for each in MODULES if each in sx.__all__}
    groups = public_groups(sx.__doc__, set(sx.__all__) - {"__version__", *modules})
    assert {each for names in groups.values() for each in names} | modules == set(sx.__all__) - {"__version__"}
    text = api()
    for module in modules:
        assert {f"   {each}" for each in getattr(sx, module).__all__} <= set(text.splitlines())
    reference = commands()
    for file in (SOURCES / "cli" / "commands").glob("*.py"):
        for option in re.findall(r'typer\.Option\("(--[\w-]+)"', file.read_text(encoding="utf-8")):
            assert f"`{option}" in reference, (file.name, option)


def test_the_map_names_files_and_rooms_that_are_there():
    text = (DOCS / "map.md").read_text(encoding="utf-8")
    named = {each for each in re.findall(r"`([\w/]+\.pyi?|\w+(?:/\w+)*/)`", text) if "NAME" not in each}
    rooms = [ROOT, SOURCES, *(path.parent for path in SOURCES.glob("*/__init__.py"))]
    assert [each for each in sorted(named) if not any((room / each).exists() for room in rooms)] == []
    assert {path.parent.name for path in SOURCES.glob("*/__init__.py")} <= set(re.findall(r"`(\w+)/", text))
