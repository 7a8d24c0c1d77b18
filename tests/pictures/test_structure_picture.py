"""The unit: what is written at its inputs and outputs is what was fitted."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from pictures import SIZES, axes, is_plain, labels, offsets, overlap, require_legible

import separatrix as sx

AND = sx.examples.load("and")


def texts(found):
    return [each.get_text() for each in found]


def require_apart(drawn):
    """Require that no words are over each other, and none beyond the figure."""
    drawn.figure_.draw_without_rendering()
    boxes = [each.get_window_extent() for each in (*drawn.names_, *drawn.weights_, *drawn.outputs_)]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert all(box.x0 >= -1 and box.x1 <= drawn.figure_.bbox.x1 + 1 for box in boxes)


def test_and_has_its_weights_signs_and_classes():
    X, y = AND
    drawn = sx.plot.structure(sx.Perceptron().fit(X, y), X, y, ax=axes())
    assert texts(drawn.names_) == ["x1", "x2", "constant 1"]
    assert texts(drawn.weights_) == ["3", "2", "-4"]
    assert texts(drawn.outputs_) == ["yes: 1", "no: 0"]
    assert [edge.get_linestyle() for edge in drawn.edges_] == ["-", "-", "--"]
    widths = [edge.get_linewidth() for edge in drawn.edges_]
    assert widths[2] > widths[0] > widths[1]
    assert labels(drawn.legend_) == ["positive weight", "negative weight"]
    inputs = offsets(drawn.inputs_)
    for edge, at in zip(drawn.edges_, inputs, strict=True):
        assert tuple(np.array(edge.get_data())[:, 0]) == pytest.approx(tuple(at))
    require_legible(drawn)
    require_apart(drawn)


def test_of_many_inputs_the_largest_and_how_many_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50)) + np.repeat([[0], [1.2]], 100, axis=0)
    y = np.repeat([0, 1], 100)
    model = sx.Perceptron().fit(X, y)
    drawn = sx.plot.structure(model, X, y, ax=axes())
    largest = np.sort(np.argsort(-np.abs(model.coef_[0]))[:8])
    assert texts(drawn.names_) == [f"x{j + 1}" for j in largest] + ["constant 1"]
    assert [float(each) for each in texts(drawn.weights_)[:-1]] == pytest.approx(model.coef_[0][largest], rel=1e-4)
    assert "42 inputs of smaller weights are not drawn." in drawn.notes_.get_text()
    require_apart(drawn)


@pytest.mark.parametrize("size", SIZES)
def test_hostile_names(size):
    X, y = AND
    frame = pd.DataFrame(X, columns=["$x_$", "a\nb" + "W" * 500])
    classes = np.array(["שלום", "$\\frac" * 100])
    drawn = sx.plot.structure(sx.decide(frame, classes[y]), ax=axes(size))
    assert all(map(is_plain, (*drawn.names_, *drawn.weights_, *drawn.outputs_)))
    require_legible(drawn)
    require_apart(drawn)


def test_without_an_intercept_and_with_a_tie_rule():
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), [1, 0, 1]
    drawn = sx.plot.structure(sx.Perceptron(fit_intercept=False, tie="negative").fit(X, y), X, y, ax=axes())
    assert "A sum of 0 predicts 0." in drawn.notes_.get_text()
    assert len(drawn.names_) == 3  # the classifier says its intercept, which is 0
    verdict = sx.decide(X, y, fit_intercept=False)
    assert texts(sx.plot.structure(verdict, ax=axes()).names_) == ["x1", "x2"]


def test_numbers_that_nobody_can_read_are_divided_and_it_says_so():
    X, y = AND
    drawn = sx.plot.structure(sx.decide(X * 1e-30, y), ax=axes())
    assert "divided by the largest" in drawn.notes_.get_text()
    assert max(abs(float(each)) for each in texts(drawn.weights_)[:2]) == 1
    sizes = [edge.get_linewidth() for edge in drawn.edges_]
    assert all(np.isfinite(sizes))


def test_several_classes_have_no_single_unit():
    X, y = [[0], [1], [3]], [0, 1, 2]
    with pytest.raises(sx.SceneError, match="'structure' shows unit"):
        sx.plot.structure(sx.Perceptron().fit(X, y), X, y)
