"""Predictions are those of the exact weights: what converged has every training row right, and scores say the same."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx

pytestmark = pytest.mark.filterwarnings("ignore")  # of runs that are stopped, and of weights that rounding changes

RATES = [0.05, 0.1, 1 / 3, 0.7, 1e-300, 1e300, "0.1", Fraction(1, 3)]
TIES = ["update", "positive", "negative"]


def agree(classifier, X, predicted):
    """Whether scores predict the same: by their sign, or by the largest of several."""
    scores = classifier.decision_function(X)
    names = classifier.classes_
    if scores.ndim == 1:
        at_zero = names[1] if getattr(classifier, "tie", "update") == "positive" else names[0]
        said = np.where(scores > 0, names[1], np.where(scores < 0, names[0], at_zero))
    else:
        last = getattr(classifier, "tie", "update") == "positive"
        best = [np.flatnonzero(row == row.max()) for row in scores]
        said = names[[each[-1 if last else 0] for each in best]]
    return np.array_equal(said, predicted)


def fitted(classifier, X, y):
    try:
        return classifier.fit(X, y)
    except OverflowError:  # weights beyond float64 are refused
        return None


@given(problems(), st.sampled_from(RATES), st.sampled_from(TIES), st.booleans(), st.booleans(), st.booleans())
def test_what_converged_is_right(problem, eta, tie, intercept, average, sparse):
    X, y = problem
    rows = sp.csr_array(X) if sparse else X
    p = fitted(sx.Perceptron(eta0=eta, tie=tie, fit_intercept=intercept, average=average, max_iter=30), rows, y)
    if p is None:
        return
    predicted = p.predict(rows)
    assert not p.converged_ or np.array_equal(predicted, y)
    assert p.halted_ or not p.converged_
    assert agree(p, rows, predicted)


@given(problems(), st.sampled_from(TIES), st.booleans())
def test_the_others_are_right_where_they_say_so(problem, tie, intercept):
    X, y = problem
    common = {"tie": tie, "fit_intercept": intercept}
    machines = [
        sx.KernelPerceptron(kernel="linear", max_iter=10, **common),
        sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, coef0=1.0, max_iter=10, **common),
        sx.KernelPerceptron(kernel="rbf", gamma=1.0, max_iter=10, **common),
    ]
    for machine in machines:
        found = fitted(machine, X, y)
        if found is not None:
            predicted = found.predict(X)
            assert not found.converged_ or np.array_equal(predicted, y)
            assert agree(found, X, predicted)
    pocket = fitted(sx.Pocket(max_updates=60, random_state=0, **common), X, y)
    if pocket is not None:
        wrong = int(np.sum(pocket.predict(X) != y))
        assert wrong <= pocket.n_errors_
        assert tie == "update" or wrong == pocket.n_errors_
        assert agree(pocket, X, pocket.predict(X))
    program = fitted(sx.LinearProgramClassifier(fit_intercept=intercept), X, y)
    if program is not None:
        assert not program.separated_ or np.array_equal(program.predict(X), y)
        assert agree(program, X, program.predict(X))
    try:
        margin = fitted(sx.MaxMargin(fit_intercept=intercept), X, y)
    except sx.NotSeparable:
        return
    if margin is not None:
        assert np.array_equal(margin.predict(X), y)
        assert agree(margin, X, margin.predict(X))


@given(problems(), st.sampled_from(RATES), st.sampled_from(TIES), st.booleans(), st.integers(3, 4))
def test_of_several_classes(problem, eta, tie, average, classes):
    X, _ = problem
    y = np.arange(len(X)) % classes
    if len(X) < classes:
        return
    for each in (
        sx.Perceptron(eta0=eta, tie=tie, average=average, max_iter=20),
        sx.Pocket(tie=tie, max_updates=30, random_state=0),
    ):
        found = fitted(each, X, y)
        if found is None:
            continue
        predicted = found.predict(X)
        assert not getattr(found, "converged_", False) or np.array_equal(predicted, y)
        assert agree(found, X, predicted)


@pytest.mark.parametrize("eta", RATES)
@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("name", ["and", "or", "nand", "nor"])
def test_gates_with_the_usual_rates(name, tie, eta):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "nand": [1, 1, 1, 0], "nor": [1, 0, 0, 0]}[name]
    p = sx.Perceptron(tie=tie, eta0=eta).fit(X, y)
    assert p.converged_
    assert p.predict(X).tolist() == y


# ---- Weights that somebody sets.


@pytest.mark.parametrize(
    "make",
    [
        lambda: sx.Perceptron(eta0=0.1),
        lambda: sx.Perceptron(average=True),
        lambda: sx.Pocket(random_state=0),
        sx.MaxMargin,
        sx.LeastSquaresClassifier,
        sx.LinearProgramClassifier,
    ],
)
def test_weights_that_are_set_take_the_place_of_the_exact_ones(make, tmp_path):
    X, y = sx.examples.load("and")
    classifier = make().fit(X, y)
    assert classifier.predict(X).tolist() == y.tolist()
    classifier.coef_ = -classifier.coef_
    classifier.intercept_[:] = -classifier.intercept_  # in place
    assert classifier.predict(X).tolist() == (1 - y).tolist()
    assert (classifier.decision_function(X) > 0).tolist() == (y == 0).tolist()
    if hasattr(classifier, "exact_weights"):
        expected = [*classifier.coef_[0].tolist(), *classifier.intercept_.tolist()]
        assert classifier.exact_weights().fractions() == [Fraction(v) for v in expected]
    sx.save_model(classifier, tmp_path / "m.json")
    assert sx.load_model(tmp_path / "m.json").predict(X).tolist() == (1 - y).tolist()


def test_learning_goes_on_from_weights_that_are_set():
    X, y = sx.examples.load("and")
    p = sx.Perceptron().partial_fit(X, y, classes=[0, 1])
    p.coef_ = np.array([[3.0, 2.0]])
    p.intercept_ = np.array([-4.0])
    before = p.n_mistakes_
    p.partial_fit(X, y)
    assert p.n_mistakes_ == before
    assert p.exact_weights().strings() == ["3", "2", "-4"]


def test_weights_of_several_classes_that_are_set():
    X, y = np.eye(3), np.arange(3)
    for classifier in (sx.Perceptron().fit(X, y), sx.Pocket(random_state=0).fit(X, y)):
        classifier.coef_ = np.roll(np.eye(3), 1, axis=0)
        classifier.intercept_ = np.zeros(3)
        assert classifier.predict(X).tolist() == [1, 2, 0]
        assert classifier.decision_function(X).argmax(axis=1).tolist() == [1, 2, 0]
