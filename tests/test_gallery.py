"""The scripts of the gallery run as they stand, and each shows something."""

import runpy

import matplotlib
import matplotlib.pyplot as plt
import pytest
from paths import DOCS
from site_gallery import ORDER

SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))


@pytest.fixture
def figures():
    """A place to draw that needs no screen; what is drawn is closed afterwards."""
    before = matplotlib.get_backend()
    plt.switch_backend("Agg")
    yield plt
    plt.close("all")
    plt.switch_backend(before)


def test_there_are_scripts_and_all_are_shown():
    assert len(SCRIPTS) >= 10
    assert {path.stem for path in SCRIPTS} == {f"plot_{name}" for name in ORDER}  # each has its place


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_runs_and_draws(script, figures, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script))
    numbers = figures.get_fignums()
    assert numbers
    for number in numbers:
        figure = figures.figure(number)
        figure.canvas.draw()  # texts that cannot be set, and layouts that do not work out, are found here
        assert all(axes.has_data() for axes in figure.axes)
    assert list(tmp_path.iterdir()) == []  # it leaves nothing behind


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_begins_with_its_question(script):
    title, line, empty, *_ = script.read_text(encoding="utf-8").removeprefix('"""\n').splitlines()
    assert line == "=" * len(title)
    assert empty == ""
