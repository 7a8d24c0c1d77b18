"""The space of weights: half-planes, cone and path, against the run done here."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import SIZES, axes, labels, offsets, require_legible
from profiles import quickly

import separatrix as sx
from separatrix.pictures.scenery.weight_space import cone_of

X2 = np.array([[1, 2], [2, 1], [-1, 1.5], [-2, -1], [-0.5, -2], [1, -3.0]])
Y2 = np.array([1, 1, 1, 0, 0, 0])


def run(X, y):
    """Return the weights of the textbook's perceptron without an intercept after each mistake."""
    w, path, clean = np.zeros(X.shape[1]), [np.zeros(X.shape[1])], False
    while not clean:
        clean = True
        for x, label in zip(X, y, strict=True):
            sign = 1 if label else -1
            if sign * (w @ x) <= 0:
                w, clean = w + sign * x, False
                path.append(w)
    return np.array(path)


def test_two_weights_are_drawn_as_they_are():
    drawn = sx.plot.weight_space(sx.Perceptron(fit_intercept=False).fit(X2, Y2), X2, Y2, ax=axes())
    path = run(X2, Y2)
    assert np.array(drawn.path_.get_xydata()) == pytest.approx(path)
    assert offsets(drawn.ends_) == pytest.approx(path[[0, -1]])
    assert len(drawn.rows_) == len(X2)
    for line, row in zip(drawn.rows_, [*X2[Y2 == 0], *X2[Y2 == 1]], strict=True):
        assert np.array(line.get_xydata()) @ row == pytest.approx([0, 0], abs=1e-6)
    assert drawn.notes_ is None
    assert drawn.ax_.get_xlabel() == "weight of x1"
    assert labels(drawn.legend_)[0] == "right about all rows"
    require_legible(drawn)


def test_the_cone_holds_the_weights_that_are_right_and_no_others():
    part = sx.plot.weight_space(sx.Perceptron(fit_intercept=False).fit(X2, Y2), X2, Y2, ax=axes()).scene.weight_space
    signed = X2 * np.where(Y2, 1, -1)[:, None]
    low, high = part.cone
    for turn in np.linspace(-np.pi, np.pi, 2001):
        right = np.all(signed @ [np.cos(turn), np.sin(turn)] > 1e-9)
        inside = any(low < turn + shift < high for shift in (-2 * np.pi, 0, 2 * np.pi))
        edge = min(abs((turn - bound + np.pi) % (2 * np.pi) - np.pi) for bound in (low, high)) < 1e-3
        assert edge or right == inside


@quickly(150)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=7))
def test_cones_of_any_half_planes(normals):
    table = np.array(normals, float)
    cone = cone_of(table)
    there = table[np.any(table != 0, axis=1)]
    turns = np.linspace(0, 2 * np.pi, 721)[:-1] + 1e-4
    right = np.all(np.array([np.cos(turns), np.sin(turns)]).T @ there.T > 1e-9, axis=1)
    if not len(there) or not right.any():
        assert cone is None or cone[1] - cone[0] < 0.02 or not len(there)
        return
    middle = (cone[0] + cone[1]) / 2
    assert np.all(there @ [np.cos(middle), np.sin(middle)] > 0)
    assert right.mean() * 2 * np.pi == pytest.approx(cone[1] - cone[0], abs=0.03)


@pytest.mark.parametrize(("d", "size"), [(1, SIZES[0]), (2, SIZES[1]), (3, SIZES[0]), (50, SIZES[1]), (2, SIZES[2])])
def test_of_more_weights_a_section_and_it_says_so(d, size):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(30 + 2 * d, d))
    X[:, 0] += np.where(X[:, 0] > 0, 1, -1)
    y = np.where(X[:, 0] > 0, "$yes_$", "a\nno")
    model = sx.Perceptron().fit(X, y)
    drawn = sx.plot.weight_space(model, X, y, ax=axes(size))
    require_legible(drawn)
    note = "" if drawn.notes_ is None else drawn.notes_.get_text().replace("\n", " ")
    assert (f"Of {d + 1} weights, the plane of w* and of the last weights" in note) == (d > 1)
    part = drawn.scene.weight_space
    assert part.star is not None
    assert part.cone[0] < np.arctan2(part.star[1], part.star[0]) < part.cone[1]
    last = np.append(model.coef_[0], model.intercept_)
    if d > 1:  # the last weights are in the plane
        assert np.linalg.norm(part.path[-1]) == pytest.approx(np.linalg.norm(last))
        assert part.star == pytest.approx((1, 0), abs=1e-9)
    else:
        assert part.path[-1] == pytest.approx(last)
    assert len(part.path) == model.n_mistakes_ + 1


def test_classes_that_no_hyperplane_separates_have_no_cone():
    X, y = sx.examples.load("xor")
    with pytest.warns(match="never"):
        model = sx.Perceptron(max_iter=10).fit(X, y)
    drawn = sx.plot.weight_space(model, X, y, ax=axes())
    assert drawn.cone_ == []
    assert drawn.star_ is None
    assert "there is no cone" in drawn.notes_.get_text().replace("\n", " ")


def test_many_rows_and_long_runs_are_thinned_and_it_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 2))
    X[:, 0] += np.where(X[:, 0] > 0.3 * X[:, 1], 0.01, -0.01)
    y = (X[:, 0] > 0.3 * X[:, 1]).astype(int)
    table = sx.steps(sx.Perceptron(fit_intercept=False).fit(X, y), X, y, mistakes_only=True)
    drawn = sx.plot.weight_space(table, X, y, ax=axes())
    assert len(drawn.scene.weight_space.normals) == 60
    assert "60 of 3,000 rows" in drawn.notes_.get_text().replace("\n", " ")
    signed = X * np.where(y, 1, -1)[:, None]
    bounds = np.array(drawn.scene.weight_space.cone)
    for turn in bounds:  # what bounds the cone of all rows is among the rows that are drawn
        edge = np.array([np.cos(turn), np.sin(turn)])
        i = np.argmin(np.abs(signed @ edge))
        assert i in drawn.scene.weight_space.row


def test_a_table_needs_its_rows_and_several_classes_have_no_such_picture():
    model = sx.Perceptron(fit_intercept=False).fit(X2, Y2)
    with pytest.raises(ValueError, match="give X and y"):
        sx.plot.weight_space(sx.steps(model, X2, Y2))
    with pytest.raises(ValueError, match="this is a run of 3 classes"):
        sx.plot.weight_space(sx.Perceptron().fit([[0], [1], [3]], [0, 1, 2]), [[0], [1], [3]], [0, 1, 2])
    seen = sx.plot.weight_space(model, X2, Y2, ax=axes()).scene
    assert sx.Scene.from_json(seen.to_json()) == seen
    assert sx.plot.weight_space(seen, ax=axes()).scene is seen
