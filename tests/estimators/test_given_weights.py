"""Units whose weights are given: they predict, learn on and are saved as if they had come to these weights by themselves."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, kesler, lifted, mean
from reference import perceptron as reference
from sklearn.base import clone
from strategies import TIES, problems

import separatrix as sx

FEW = ("integers", "halves", "decimals", "duplicates", "zeros", "xor", "cancelling")
NUMBERS = st.sampled_from([0, 1, -2, "0.1", "-1/3", Fraction(2, 7), 0.1, 1e-300])


@given(
    problems(FEW, max_rows=6, max_columns=3), TIES, st.booleans(), st.booleans(), st.sampled_from([1, "0.1", 0.5]), st.data()
)
def test_a_unit_predicts_and_goes_on_as_the_definition(problem, tie, intercept, average, eta, data):
    X, y = problem
    D = X.shape[1] + intercept
    w = data.draw(st.lists(NUMBERS, min_size=D, max_size=D))
    exact = [Fraction(number) for number in w]
    coef, b = (w[:-1], w[-1]) if intercept else (w, 0)
    unit = sx.Perceptron.of(coef, b, tie=tie, eta0=eta, fit_intercept=intercept, average=average, record=True)
    assert unit.exact_weights().fractions() == exact
    assert (unit.n_mistakes_, unit.n_iter_, unit.converged_, unit.mistakes_.tolist()) == (0, 0, False, [])
    scores = [dot(exact, z) for z in lifted(X, np.ones(len(y)), intercept)]
    said = [1 if s > 0 or (s == 0 and tie == "positive") else -1 for s in scores]
    assert unit.predict(X).tolist() == said
    history = []
    trace, last, _, _ = reference(
        X, y, tie=tie, eta=Fraction(eta), start=exact, intercept=intercept, max_iter=1, history=history
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.RoundingWarning)
        unit.partial_fit(X, y.astype(int))
    assert unit.last_weights().fractions() == last
    assert unit.mistakes_.tolist() == trace
    if average:
        assert unit.exact_weights().fractions() == mean(history)


@given(TIES, st.data())
def test_several_classes(tie, data):
    cell = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 4)])
    d, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    W = data.draw(st.lists(st.lists(cell, min_size=d + 1, max_size=d + 1), min_size=3, max_size=3))
    X = np.array(data.draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n)), float)
    codes = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    unit = sx.Perceptron.of([row[:-1] for row in W], [row[-1] for row in W], classes=[0, 1, 2], tie=tie)
    start = [float(number) for row in W for number in row]
    _, last, _, _ = kesler(X, codes, 3, tie=tie, start=start, max_iter=1)
    unit.partial_fit(X, codes)
    assert unit.exact_weights().fractions() == last


def test_a_unit_is_saved_copied_and_started_anew(tmp_path):
    unit = sx.Perceptron.of(["0.1", "-1/3"], "0.7", classes=["deny", "approve"], tie="positive", feature_names=["a", "b"])
    sx.save_model(unit, tmp_path / "unit.json")
    for other in (sx.load_model(tmp_path / "unit.json"), pickle.loads(pickle.dumps(unit))):
        assert other.exact_weights().strings() == ["1/10", "-1/3", "7/10"]
        assert other.classes_.tolist() == ["deny", "approve"]
        assert other.feature_names_in_.tolist() == ["a", "b"]
        assert other.tie == "positive"
    assert not hasattr(clone(unit), "coef_")
    X, y = sx.examples.load("and")
    assert unit.fit(X, y).exact_weights() == sx.Perceptron(tie="positive").fit(X, y).exact_weights()


def test_of_two_classes_the_second_given_is_positive_and_stays_so():
    unit = sx.Perceptron.of([0], classes=["deny", "approve"])
    unit.partial_fit([[1]], ["approve"], classes=["approve", "deny"])
    assert unit.exact_weights().strings() == ["1", "1"]
    assert unit.predict([[1], [-2]]).tolist() == ["approve", "deny"]


def test_zero_weights_predict_before_any_row():
    assert sx.Perceptron.of([0, 0]).predict([[1, 2]]).tolist() == [-1]
    assert sx.Perceptron.of([0, 0], tie="positive").predict([[1, 2]]).tolist() == [1]


def test_three_units_compute_xor():
    X, y = sx.examples.load("xor")
    either = sx.Perceptron.of([1, 1], threshold="0.5", classes=[0, 1])
    both = sx.Perceptron.of([1, 1], threshold="1.5", classes=[0, 1])
    hidden = np.column_stack([either.predict(X), both.predict(X)])
    assert sx.Perceptron.of([1, -1], threshold="0.5", classes=[0, 1]).predict(hidden).tolist() == y.tolist()


@pytest.mark.parametrize(
    ("arguments", "parameters", "message"),
    [
        (([[1, 2], [3, 4]],), {"classes": [0, 1]}, "give one row of weights, not 2"),
        (([1, 2],), {"classes": [0, 1, 2]}, "must name 2 classes"),
        (([[1]] * 3,), {"classes": [2, 1, 0]}, "ascending order"),
        (([1],), {"classes": [1, 1]}, "names a class twice"),
        (([1], 1), {"threshold": 2}, "both given"),
        (([1], 1), {"fit_intercept": False}, "fit_intercept is False"),
        (([1], [1, 2]), {}, "intercept has 2 numbers, expected one"),
        (([1],), {"feature_names": ["a", "b"]}, "2 names for 1 weights"),
        (([1],), {"tie": "spam"}, "must be one of"),
        (([float("inf")],), {}, "finite"),
        ((["one"],), {}, "not a decimal number"),
        (([],), {}, "one number for each feature"),
    ],
)
def test_what_is_no_unit_is_refused(arguments, parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.Perceptron.of(*arguments, **parameters)
    with pytest.raises(OverflowError, match="too large for float64"):
        sx.Perceptron.of([10**400])
