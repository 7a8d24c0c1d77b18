"""Rows, hyperplanes, bands and borders: what is drawn, against what is the case."""

import subprocess
import sys
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import SIZES, axes, is_plain, labels, offsets, require_legible
from profiles import quickly

import separatrix as sx
from separatrix.pictures import style
from separatrix.pictures.displays.boxes import segment
from separatrix.pictures.scene import View
from separatrix.pictures.scenery.borders import borders
from separatrix.pictures.staging import Stage
from separatrix.problem.problem import Problem

AND = sx.examples.load("and")
HOSTILE = ["$x_$", "a\nb", "W" * 500, "שלום עולם", "_hidden", r"\frac{$\alpha$"]


def blobs(d, classes=2, per_class=30, gap=6.0, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, d)) * gap
    return np.repeat(centres, per_class, axis=0) + rng.normal(size=(classes * per_class, d)), np.repeat(
        np.arange(classes), per_class
    )


def test_rows_hyperplane_band_and_cuts_of_and():
    X, y = AND
    drawn = sx.plot.boundary(sx.Perceptron().fit(X, y), X, y, ax=axes())
    assert [sorted(map(tuple, offsets(each))) for each in drawn.points_] == [[(0, 0), (0, 1), (1, 0)], [(1, 1)]]
    [line] = drawn.lines_
    x, v = line.get_data()
    assert 3 * np.array(x) + 2 * np.array(v) == pytest.approx([4, 4])
    [(_, *edges)] = drawn.bands_
    for edge, score in zip(edges, (1, -1), strict=True):
        x, v = edge.get_data()
        assert 3 * np.array(x) + 2 * np.array(v) - 4 == pytest.approx([score, score])  # the nearest rows have scores 1, -1
    assert sorted(map(tuple, offsets(drawn.cuts_))) == [(0, 2), (4 / 3, 0)]
    assert labels(drawn.class_legend_) == ["0", "1"]
    assert labels(drawn.legend_) == [
        "Perceptron: 3*x1 + 2*x2 > 4",
        "no row is nearer than 0.27735",
        "cuts the axes at x1 = 4/3 and x2 = 2",
    ]
    assert drawn.wrong_ is None
    assert drawn.notes_ is None
    require_legible(drawn)
    assert drawn.ax_.get_aspect() == 1


@quickly(60)
@given(data=st.data())
def test_the_band_reaches_to_the_nearest_row_and_is_there_only_if_all_rows_are_right(data):
    d = data.draw(st.integers(1, 4))
    numbers = st.integers(-6, 6).map(lambda k: k / 2)
    X = np.array(data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=2, max_size=9)))
    w = [Fraction(each) for each in data.draw(st.lists(numbers, min_size=d, max_size=d).filter(any))]
    b = Fraction(data.draw(numbers))
    scores = [sum(each * Fraction(x) for each, x in zip(w, row, strict=True)) + b for row in X]
    y = np.array([1 if score > 0 else 0 for score in scores])
    if data.draw(st.booleans()):
        y[0] = 1 - y[0]
    problem = Problem.of(X, y, classes=[0, 1])
    margin, rows = Stage.of(problem, w, b).nearest(w, b)
    right = [score if label else -score for score, label in zip(scores, y, strict=True)]
    if min(right) <= 0:
        assert margin is None
        return
    assert margin == pytest.approx(float(min(right)) / np.linalg.norm(np.array(w, float)), rel=1e-12)
    assert min(right[i] for i in rows) == min(right)


@pytest.mark.parametrize("kind", ["geometric", "lifted"])
def test_margins_of_both_kinds_have_the_band_of_the_nearest_row(kind):
    X, y = blobs(2, gap=8, seed=3)
    answer = sx.margin(X, y, kind=kind)
    drawn = sx.plot.boundary(answer, ax=axes())
    w, b = answer.direction[:2], answer.direction[2]
    nearest = np.abs(X @ w + b).min() / np.linalg.norm(w)
    assert drawn.scene.lines[0].margin == pytest.approx(nearest)
    assert set(map(tuple, offsets(drawn.support_))) == set(map(tuple, X[answer.support]))


def test_wrong_rows_are_ringed_and_rows_on_a_hyperplane_are_marked():
    X, y = np.array([[0, 0], [2, 0], [1, 0], [3, 1.0]]), np.array([0, 1, 1, 0])
    drawn = sx.plot.boundary(sx.Perceptron.of([1, 0], -1, classes=[0, 1], tie="negative"), X, y, ax=axes())
    assert sorted(map(tuple, offsets(drawn.wrong_))) == [(1, 0), (3, 1)]
    assert offsets(drawn.on_).tolist() == [[1, 0]]
    assert drawn.bands_ == []
    assert "wrong" in labels(drawn.legend_)


def test_a_weak_separator_has_the_rows_on_it_marked():
    X, y = np.array([[0.0, 0], [1, 0], [2, 0], [0, 1], [1, -1]]), [1, 0, 1, 1, 0]
    verdict = sx.decide(X, y)
    assert verdict.status == "quasi-separable"
    drawn = sx.plot.boundary(verdict, ax=axes())
    assert {tuple(each) for each in offsets(drawn.on_)} == {(0, 0), (1, 0), (2, 0)}


CASES = [(d, classes, SIZES[0]) for d in (1, 2, 3, 50) for classes in (2, 5)]


@pytest.mark.parametrize(("d", "classes", "size"), [*CASES, (2, 2, SIZES[1]), (50, 2, SIZES[1]), (2, 5, SIZES[2])])
def test_every_dimension_number_of_classes_and_size(d, classes, size):
    X, y = blobs(d, classes, gap=30)
    with warnings.catch_warnings(action="ignore"):  # five classes of one feature
        model = sx.Perceptron(max_iter=50).fit(X, y)
    drawn = sx.plot.boundary(model, X, y, ax=axes(size))
    require_legible(drawn)
    assert sum(len(offsets(each)) for each in drawn.points_) == len(X)
    assert len({each.get_facecolor().tobytes() for each in drawn.points_}) == classes
    assert len(drawn.class_legend_.get_texts()) == classes
    note = "" if drawn.notes_ is None else drawn.notes_.get_text().replace("\n", " ")
    assert (f"{d} features are projected" in note) == (d > 2)


def test_one_feature_has_a_lane_for_each_class_and_tells_of_rows_at_one_place():
    drawn = sx.plot.boundary(sx.decide([[1], [1], [1], [2], [5]], ["no", "no", "no", "no", "yes"]), ax=axes())
    assert offsets(drawn.points_[0]).tolist() == [[1, 0], [2, 0]]
    assert offsets(drawn.points_[1]).tolist() == [[5, 1]]
    sizes = drawn.points_[0].get_sizes()
    assert sizes[0] > sizes[1]
    assert "up to 3" in drawn.notes_.get_text()
    assert [text.get_text() for text in drawn.ax_.get_yticklabels()] == ["no", "yes"]


def test_rows_of_two_classes_at_one_place_are_both_seen():
    drawn = sx.plot.boundary(sx.decide([[0, 0], [0, 0], [1, 1]], [0, 1, 1]), ax=axes())
    under, over = drawn.points_
    assert over.get_sizes()[0] < under.get_sizes()[0]
    assert over.get_zorder() > under.get_zorder()
    assert "several classes are at one place" in drawn.notes_.get_text()


@given(seed=st.integers(0, 10_000), d=st.integers(1, 2), classes=st.integers(2, 5))
@quickly(60)
def test_borders_are_where_two_classes_lead(seed, d, classes):
    rng = np.random.default_rng(seed)
    table = rng.integers(-4, 5, (classes, d + 1))
    vectors = [([Fraction(int(k)) for k in row[:-1]], Fraction(int(row[-1]))) for row in table]
    found = borders(View("features", ("a", "b"), (1.0, 1.0), d), vectors)

    def score(at):
        return at[..., :d] @ table[:, :-1].T + table[:, -1]

    for each in found:
        a, b, c = each.cut
        middle = np.clip(0, *each.span)
        for t in rng.uniform(max(each.span[0], middle - 50), min(each.span[1], middle + 50), 5):
            values = score(np.array([-a * c - b * t, -b * c + a * t]))
            assert values[list(each.codes)] == pytest.approx([values.max()] * 2, abs=1e-9)
            there = np.array([-a * c - b * t + 1e-3 * a, -b * c + a * t + 1e-3 * b])
            assert np.argmax(score(there)[list(each.codes)]) == 0
    # Wherever the leader changes between two places, a border passes between them.
    points = rng.uniform(-5, 5, (2, 2))
    scores = score(points[0] + np.linspace(0, 1, 2001)[:, None] * (points[1] - points[0]))
    alone = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
    changes = {
        tuple(sorted(map(int, pair)))
        for pair, sure in zip(pairwise(scores.argmax(axis=1)), pairwise(alone), strict=True)
        if all(sure) and pair[0] != pair[1]
    }
    assert changes <= {each.codes for each in found}


def test_borders_are_drawn_as_far_as_they_go():
    X, y = blobs(2, 3, gap=10, seed=1)
    drawn = sx.plot.boundary(sx.Perceptron().fit(X, y), X, y, ax=axes())
    assert len(drawn.borders_) == len(drawn.scene.borders) > 0
    for line, border in zip(drawn.borders_, drawn.scene.borders, strict=True):
        a, b, c = border.cut
        ends = np.array(line.get_data()).T
        assert ends @ [a, b] == pytest.approx([-c, -c], abs=1e-6)
        along = (ends - [-a * c, -b * c]) @ [-b, a]
        assert border.span[0] - 1e-6 <= along.min()
        assert along.max() <= border.span[1] + 1e-6


@pytest.mark.parametrize("first", range(6))
def test_hostile_names_are_plain_text_and_do_no_harm(first):
    X, y = blobs(2, 2, gap=8)
    names = [HOSTILE[first], HOSTILE[first - 1]]
    classes = np.array([HOSTILE[first - 2], HOSTILE[first - 3]])
    drawn = sx.plot.boundary(sx.decide(pd.DataFrame(X, columns=names), classes[y]), ax=axes(SIZES[first % 2]))
    require_legible(drawn)
    legends = (drawn.class_legend_, drawn.legend_)
    texts = [drawn.ax_.xaxis.label, drawn.ax_.yaxis.label, *(text for each in legends if each for text in each.get_texts())]
    assert all(map(is_plain, texts))
    assert len(drawn.class_legend_.get_texts()) == 2
    assert all("\n" not in text.get_text() for text in texts)


def test_hostile_names_of_one_feature_and_its_lanes():
    drawn = sx.plot.boundary(sx.decide(pd.DataFrame({"$x_$": [1, 2]}), ["$a_$", "_b" * 200]), ax=axes((3, 2.4)))
    require_legible(drawn)
    ticks = drawn.ax_.get_yticklabels()
    assert all(map(is_plain, ticks))
    assert ticks[0].get_text() == "$a_$"
    assert len(ticks[1].get_text()) == 16


def test_a_million_rows_are_thinned_and_it_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 2))
    X[:, 0] += np.where(X[:, 0] > 0, 0.25, -0.25)
    y = (X[:, 0] > 0).astype(int)
    model = sx.Perceptron.of([1, 0], 0, classes=[0, 1])
    drawn = sx.plot.boundary(model, X, y, ax=axes())
    assert sum(len(offsets(each)) for each in drawn.points_) == 2000
    assert "2,000 of 1,000,000 rows are shown" in drawn.notes_.get_text().replace("\n", " ")
    nearest = np.abs(X[:, 0]).min()
    assert drawn.scene.lines[0].margin == nearest
    shown = np.concatenate([offsets(each) for each in drawn.points_])
    assert np.abs(shown[:, 0]).min() == nearest  # the row at the edge of the band is among those shown
    require_legible(drawn)


def test_features_of_very_different_ranges_fill_the_picture():
    X, y = blobs(2, 2, gap=8)
    drawn = sx.plot.boundary(sx.decide(X * [1, 1e6], y), ax=axes())
    assert drawn.ax_.get_aspect() == "auto"
    require_legible(drawn)


def test_numbers_beyond_all_usual_ranges():
    X, y = blobs(2, 2, gap=8)
    drawn = sx.plot.boundary(sx.decide(X * [1e200, 1e-200], y), ax=axes())
    require_legible(drawn)
    assert drawn.ax_.get_xlabel() == "x1, in units of 1e+200"


@pytest.mark.parametrize("rows", [[[2.0, 3.0]], [[1e9, 5.0], [1e9, 5.0]]])
def test_rows_at_one_place_only(rows):
    require_legible(sx.plot.boundary(sx.decide(rows, ["a"] * len(rows)), ax=axes()))


def test_a_hyperplane_far_from_the_rows_is_told_of_and_one_beside_them_is_shown():
    X, y = AND
    far = sx.plot.boundary(sx.Perceptron.of([1, 0], -1000, classes=[0, 1]), X, y, ax=axes())
    assert far.lines_ == []
    assert "lies outside of the picture" in far.notes_.get_text().replace("\n", " ")
    beside = sx.plot.boundary(sx.Perceptron.of([1, 0], -1.5, classes=[0, 1]), X, y, ax=axes())
    beside.figure_.draw_without_rendering()
    assert beside.ax_.get_xlim()[0] < 1.5 < beside.ax_.get_xlim()[1]


def test_a_classifier_without_a_hyperplane_says_so():
    X, y = AND
    drawn = sx.plot.boundary(sx.VotedPerceptron().fit(X, y), X, y, ax=axes())
    assert "no hyperplane between features" in drawn.notes_.get_text().replace("\n", " ")


def test_from_scene_from_estimator_and_the_function_draw_the_same():
    X, y = AND
    model = sx.Perceptron().fit(X, y)
    seen = sx.Scene.from_json(sx.scene(model, X, y).to_json())
    for drawn in (
        sx.plot.BoundaryDisplay.from_scene(seen, ax=axes()),
        sx.plot.BoundaryDisplay.from_estimator(model, X, y, ax=axes()),
        sx.plot.boundary(seen, ax=axes()),
    ):
        assert drawn.scene == seen
        assert len(drawn.lines_) == 1
    assert drawn.plot(other := axes()).ax_ is other


def test_without_axes_a_figure_with_constrained_layout_is_made():
    from matplotlib import pyplot as plt

    drawn = sx.plot.boundary(sx.decide(*AND))
    assert drawn.figure_.get_layout_engine() is not None
    plt.close(drawn.figure_)


def test_bad_input_gets_a_clear_error():
    with pytest.raises(TypeError, match="scene must be a Scene, got Verdict"):
        sx.plot.BoundaryDisplay.from_scene(sx.decide(*AND))
    with pytest.raises(TypeError, match="ax must be matplotlib axes, got str"):
        sx.plot.boundary(sx.decide(*AND), ax="here")
    with pytest.raises(sx.SceneError, match="shows view"):
        sx.plot.boundary(sx.Scene("empty"))


def test_without_matplotlib_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.delitem(sys.modules, "separatrix.pictures.displays.canvas", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'separatrix\[plot\]'"):
        sx.plot.boundary(sx.decide(*AND))


@pytest.mark.slow
def test_matplotlib_is_imported_when_something_is_drawn_and_not_before():
    code = "import sys, separatrix as sx; sx.plot.boundary, sx.plot.WitnessDisplay; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_segments_end_at_the_box():
    assert segment((0.0, 1.0, -5.0), (0, 1, 0, 1)) is None
    assert segment((0.6, 0.8, -0.7), (0, 1, 0, 1)) == pytest.approx(np.array([[0, 0.875], [1, 0.125]]))


def test_classes_differ_in_colour_and_in_marker():
    assert len({style.colour(k) for k in range(5)}) == 5
    assert len({(style.colour(k), style.marker(k)) for k in range(50)}) == 50
