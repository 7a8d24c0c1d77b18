"""What is said of rows in blocks is what is said of them in memory."""

import numpy as np
import pytest
from blocks import learnt, problems_in_blocks, stream
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIES, noisy

import separatrix as sx
from separatrix.estimators.family import ALGORITHMS


@given(problems_in_blocks(), TIES, st.booleans(), st.booleans())
def test_predictions_scores_and_the_share_that_is_right(drawn, tie, intercept, average):
    X, y, sizes = drawn
    fitted = learnt(sx.Perceptron(tie=tie, fit_intercept=intercept, average=average, max_iter=3), X, y)
    if isinstance(fitted, str):
        return
    rows = stream(X, y, sizes)
    assert fitted.predict(rows).tolist() == fitted.predict(X).tolist()
    scores = fitted.decision_function(rows), fitted.decision_function(X)
    assert scores[0].shape == scores[1].shape  # their last bits depend on how many rows are multiplied at a time
    if scores[0].ndim == 1:
        assert np.array_equal(np.sign(scores[0]), np.sign(scores[1]))
    else:
        assert np.array_equal(*(each == each.max(axis=1, keepdims=True) for each in scores))
    assert fitted.score(rows) == rows.score(fitted) == np.mean(fitted.predict(X) == y)
    blocks = list(rows.predict(fitted))
    assert [len(block) for block in blocks] == list(sizes)
    assert {block.dtype for block in blocks} == {fitted.predict(X).dtype}


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_any_classifier_predicts_rows_in_blocks(name):
    X, y = noisy(60, 3, 0.0)
    fitted, rows = learnt(ALGORITHMS[name].make(), X, y), stream(X, y, [25, 0, 35])
    assert np.concatenate(list(rows.predict(fitted))).tolist() == fitted.predict(X).tolist()
    assert rows.score(fitted) == fitted.score(X, y)


def test_a_scaler_before_the_classifier():
    from sklearn.pipeline import make_pipeline

    X, y = noisy(60, 3, 0.0)
    fitted = make_pipeline(sx.Scaler(), sx.Perceptron()).fit(X * [1, 1e3, 1e-3], y)
    rows = stream(X * [1, 1e3, 1e-3], y, [25, 35])
    assert np.concatenate(list(rows.predict(fitted))).tolist() == fitted.predict(X * [1, 1e3, 1e-3]).tolist()


def test_blocks_that_come_in_any_order_are_put_in_order(monkeypatch):
    X, y = noisy(60, 3, 0.0)
    fitted, rows = sx.Perceptron().fit(X, y), stream(X, y, [10, 20, 0, 30])
    in_order = type(rows).map
    monkeypatch.setattr(type(rows), "map", lambda self, *given: iter(list(in_order(self, *given))[::-1]))
    assert fitted.predict(rows).tolist() == fitted.predict(X).tolist()


def test_classes_that_were_not_learnt_count_as_errors():
    fitted = sx.Perceptron().fit([[0.0], [1.0]], ["a", "b"])
    assert stream([[0.0], [1.0], [2.0]], ["a", "b", "c"], [2, 1]).score(fitted) == 2 / 3


def test_rows_with_other_columns_are_refused():
    fitted = sx.Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="X has 2 features, but Perceptron is expecting 1"):
        fitted.predict(stream([[0.0, 1.0]], [0], [1]))
    with pytest.raises(ValueError, match="do not give y as well"):
        fitted.score(stream([[0.0]], [0], [1]), [0])
