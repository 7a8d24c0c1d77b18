"""Several separators, and feet on a hyperplane: what is drawn, against what is the case."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import SIZES, axes, labels, offsets, require_legible
from profiles import quickly

import separatrix as sx
from separatrix.pictures.scenery.feet import scene_of_feet
from separatrix.problem.problem import Problem

AND = sx.examples.load("and")


def two_blobs(d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, d)) / np.sqrt(d)
    X[30:, 0] += 6
    return X, np.repeat(["no", "yes"], 30)


def test_all_separate_and_the_first_is_the_widest():
    X, y = two_blobs(2)
    drawn = sx.plot.separators(sx.decide(X, y), runs=4, ax=axes())
    assert [line.name for line in drawn.scene.lines] == [
        "the widest", "of the proof", *(f"perceptron, order {k}" for k in range(1, 5)),
    ]  # fmt: skip
    gaps = []
    for line in drawn.scene.lines:
        a, b, c = line.cut
        distances = (X @ [a, b] + c) * np.where(y == "yes", 1, -1)
        assert np.all(distances > 0)
        gaps.append(distances.min())
    assert gaps[0] == max(gaps) == pytest.approx(sx.margin(X, y, kind="geometric").lo)
    assert len(drawn.bands_) == 1
    assert len({str(vars(line)["_dash_pattern"]) for line in drawn.lines_}) == len(drawn.lines_)
    require_legible(drawn)


@pytest.mark.parametrize(("d", "size"), [(1, SIZES[0]), (2, SIZES[0]), (3, SIZES[1]), (50, SIZES[1])])
def test_separators_of_every_dimension(d, size):
    X, y = two_blobs(d)
    drawn = sx.plot.separators(sx.MaxMargin().fit(X, y), X, y, runs=2, ax=axes(size))
    require_legible(drawn)
    assert drawn.scene.lines[1].name == "MaxMargin"
    note = "" if drawn.notes_ is None else drawn.notes_.get_text().replace("\n", " ")
    assert ("of the others the picture shows where they cut" in note) == (d > 2)


def test_what_is_not_separable_is_refused_with_its_proof():
    with pytest.raises(sx.NotSeparable) as refused:
        sx.plot.separators(sx.decide(*sx.examples.load("xor")))
    assert refused.value.certificate.obstruction is not None


def test_separators_without_an_intercept_of_a_margin_and_from_an_estimator():
    X, y = two_blobs(2)
    drawn = sx.plot.separators(sx.margin(X - 3, y, fit_intercept=False), runs=1, ax=axes())
    assert all(line.cut[2] == pytest.approx(0, abs=1e-12) for line in drawn.scene.lines)
    model = sx.Perceptron().fit(X, y)
    assert sx.plot.SeparatorsDisplay.from_estimator(model, X, y, runs=0, ax=axes()).scene.lines[1].name == "Perceptron"


def test_the_foot_of_a_point():
    plane = sx.Hyperplane([3, 4], threshold=10)
    drawn = sx.plot.projection(plane, [[5, 5], [0, 0], [9, 9]], row=[0, 1], ax=axes())
    assert offsets(drawn.feet_) == pytest.approx(np.array([[2, 1], [1.2, 1.6]]))
    assert labels(drawn.legend_)[1:3] == ["row 0: distance 5", "row 1: distance 2"]
    for way, start in zip(drawn.ways_, [[5, 5], [0, 0]], strict=True):
        assert np.array(way.get_xydata())[0] == pytest.approx(start)
    assert len(drawn.corners_) == 2
    require_legible(drawn)


@quickly(40)
@given(data=st.data())
def test_feet_are_on_the_hyperplane_and_as_far_as_it_says(data):
    d = data.draw(st.integers(1, 4))
    numbers = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    weights, b = data.draw(numbers.filter(any)), data.draw(st.integers(-4, 4))
    X = np.array(data.draw(st.lists(numbers, min_size=2, max_size=5)), float)
    seen = scene_of_feet(Problem.of(X, np.arange(len(X)) % 2), sx.Hyperplane(weights, b), [1])
    [foot] = seen.feet
    w = np.array(weights, float)
    true = abs(X[1] @ w + b) / np.linalg.norm(w)
    assert float(Fraction(foot.distance)) == pytest.approx(true, rel=1e-5)
    assert np.hypot(*np.subtract(foot.point, foot.foot)) == pytest.approx(true, abs=1e-9)
    a, c, e = seen.lines[0].cut
    assert np.dot([a, c], foot.foot) + e == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("d", "size"), [(1, SIZES[0]), (2, SIZES[0]), (50, SIZES[1])])
def test_feet_of_every_dimension(d, size):
    X, y = two_blobs(d)
    for answer in (sx.margin(X, y), sx.decide(X, y)):
        drawn = sx.plot.projection(answer, row=[0, 45], ax=axes(size))
        require_legible(drawn)
        assert len(drawn.ways_) == 2
    model = sx.Perceptron().fit(X, y)
    drawn = sx.plot.projection(model, X, y, row=7, ax=axes(size))
    assert drawn.scene.feet[0].label == "row 7"
    assert float(drawn.scene.feet[0].distance) == pytest.approx(abs(model.distance(X[[7]])[0]), rel=1e-5)


def test_rows_that_there_are_not():
    X, y = AND
    with pytest.raises(ValueError, match="row must be a number from 0 to 3, got 4"):
        sx.plot.projection(sx.decide(X, y), row=4)
    with pytest.raises(ValueError, match="row must name from 1 to 12 rows, got 13"):
        sx.plot.projection(sx.decide(X, y), row=[0] * 13)
    with pytest.raises(ValueError, match="no hyperplane to project to"):
        sx.plot.projection(sx.decide(*sx.examples.load("xor")))
    with pytest.raises(ValueError, match="X has 1 columns, and the hyperplane 2 weights"):
        sx.plot.projection(sx.Hyperplane([1, 2]), [[1]])


def test_axes_of_different_scales_are_told_of():
    drawn = sx.plot.projection(sx.Hyperplane([1e-6, 1], -1), [[0, 0], [1e6, 2]], row=1, ax=axes())
    assert drawn.corners_ == []
    assert "different scales" in drawn.notes_.get_text()
