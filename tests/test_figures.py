"""The figures of the pages: each is made by a script, which draws the same bytes each time, and stands on a page."""

import re
import runpy

import pytest
from pages import PAGES
from paths import DOCS

FIGURES = DOCS / "figures"


def test_every_figure_has_its_script_and_its_page():
    drawn = {path.stem for path in FIGURES.glob("*.svg")}
    assert drawn == {path.stem for path in FIGURES.glob("*.py")}
    shown = {name for page in PAGES for name in re.findall(r"\(figures/(\w+)\.svg\)", page.read_text(encoding="utf-8"))}
    assert drawn == shown


@pytest.mark.parametrize("script", sorted(FIGURES.glob("*.py")), ids=lambda script: script.stem)
def test_a_script_draws_the_same_each_time(script, tmp_path):
    names = runpy.run_path(str(script))
    if "REPETITIONS" in names:  # of a simulation, a little is enough here
        names["main"].__globals__.update(REPETITIONS=2, SIZES=names["SIZES"][:2])
    for name in ("first.svg", "second.svg"):
        names["main"](tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("first.svg", "second.svg"))
    assert first == second
    assert first.startswith(b"<?xml")
    assert b"<dc:date>" not in first
