"""Linear programs and least squares whose time is up: what is kept, and what is said of it."""

import json
import warnings
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from looks import looks
from sklearn.exceptions import ConvergenceWarning
from strategies import problems

import separatrix as sx
from separatrix.estimators.solvers import least_squares, least_violation, violation_descent
from separatrix.problem.problem import Problem
from separatrix.problem.scaled import ScaledRows
from separatrix.support import highs
from separatrix.support.clock import Clock, OutOfTime
from separatrix.support.progress import listening


def fitted(estimator, X, y, count):
    """Fit with so many looks at the clock; return the warnings."""
    with looks(count), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    return told


def violation(X, y, classifier):
    """Return the violation of stored weights by its definition: the mean over one class plus that over the other."""
    lacking = np.maximum(0.0, 1.0 - y * (X @ classifier.coef_[0] + classifier.intercept_[0]))
    return lacking[y > 0].mean() + lacking[y < 0].mean()


def noisy(n=400, d=5, classes=2):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    y = np.digitize(X[:, 0] + rng.standard_normal(n) / 2, np.linspace(-0.5, 0.5, classes - 1) if classes > 2 else [0.0])
    return X, y


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("count", [0, 1, 3, 6, 12, 10**6])
def test_a_program_keeps_its_best(sparse, count):
    X, y = noisy()
    least = sx.LinearProgramClassifier().fit(X, y)
    classifier = sx.LinearProgramClassifier(time_limit=60)
    told = fitted(classifier, sp.csr_array(X) if sparse else X, y, count)
    assert classifier.violation_ == pytest.approx(violation(X, 2.0 * y - 1.0, classifier))
    assert classifier.violation_ >= least.violation_ * (1 - 1e-9)
    assert classifier.separated_ is False
    if count < 10:
        assert [warning.category for warning in told] == [ConvergenceWarning]
        assert "Time was up" in str(told[0].message)
        assert "sx.decide" in str(told[0].message)
        assert told[0].filename == __file__
        assert classifier.score(X, y) > 0.6
    else:
        assert not told or count < 10**6
        if count == 10**6:
            assert classifier.violation_ == pytest.approx(least.violation_)


@given(problems(max_rows=8, max_columns=4), st.integers(0, 20), st.booleans())
def test_what_is_said_of_a_program_is_true(problem, count, intercept):
    X, y = problem
    classifier = sx.LinearProgramClassifier(time_limit=60, fit_intercept=intercept)
    try:
        told = fitted(classifier, X, y.astype(int), count)
    except OverflowError:  # weights out of range, as without a limit
        return
    verdict = sx.decide(X, y.astype(int), fit_intercept=intercept)
    if classifier.separated_:
        assert verdict.separable
        assert classifier.violation_ == 0.0
        assert np.array_equal(classifier.predict(X), y.astype(int))
    elif not told:
        assert not verdict.separable


def test_several_classes_share_the_time():
    X, y = noisy(classes=3)
    classifier = sx.LinearProgramClassifier(time_limit=60)
    assert fitted(classifier, X, y, 2)
    assert classifier.coef_.shape == (3, 5)
    assert classifier.score(X, y) > 0.4


def test_a_program_that_is_too_large_is_approximated():
    X, y = noisy()
    least = sx.LinearProgramClassifier().fit(X, y).violation_
    with mock.patch.object(least_violation, "_MAX_SECONDS", 0.0):
        with pytest.warns(ConvergenceWarning, match="400 rows and 6 weights is too large to be solved"):
            classifier = sx.LinearProgramClassifier().fit(X, y)
        assert least <= classifier.violation_ <= 1.05 * least
        assert not classifier.separated_
        X[:, 0] += np.where(y > 0, 10.0, -10.0)
        assert sx.LinearProgramClassifier().fit(X, y).separated_  # which a search finds all the same


def test_a_program_is_interrupted_with_what_it_has():
    X, y = noisy()
    classifier = sx.LinearProgramClassifier()
    solver = mock.patch.object(least_violation, "run_solver", side_effect=KeyboardInterrupt)
    with solver, pytest.warns(ConvergenceWarning, match="Ctrl-C ended the search"):
        classifier.fit(X, y)
    assert classifier.score(X, y) > 0.6
    assert classifier.violation_ == pytest.approx(violation(X, 2.0 * y - 1.0, classifier))


@pytest.mark.parametrize("sparse", [False, True])
def test_descent_comes_near_the_least(sparse):
    X, y = noisy(800, 8)
    problem = Problem.of(sp.csr_array(X) if sparse else X, y)
    costs = np.where(problem.y > 0, 1 / np.sum(problem.y > 0), 1 / np.sum(problem.y < 0))
    descent = violation_descent.ViolationDescent(ScaledRows(problem, scale_rows=False), costs)
    descent.run(Clock())
    least = sx.LinearProgramClassifier().fit(X, y).violation_
    assert least <= descent.least <= 1.05 * least


def test_highs_is_asked_and_tells():
    """A program that is not solved in the first slice of time goes on, is heard of, and ends when the clock says so."""
    rng = np.random.RandomState(0)

    def program():
        solver = highs.new_solver()
        A = rng.standard_normal((600, 40))
        solver.addRows(40, np.zeros(40), np.zeros(40), 0, np.zeros(40, np.int32), np.zeros(0, np.int32), np.zeros(0))
        solver.addCols(600, -np.ones(600), np.zeros(600), np.ones(600), *highs.sparse_parts(A))
        return solver

    heard = []
    with listening(heard.append), mock.patch.object(highs, "_SECONDS_BETWEEN_REPORTS", 0.0):
        assert highs.run_solver(program(), Clock(), 0.0)
        assert "a linear program" in heard[-1].text
        with looks(3), pytest.raises(OutOfTime):
            highs.run_solver(program(), Clock(60), 0.0)
        for kept in (True, False):  # by the second look, at the latest: two are before it begins
            pressed = mock.patch.object(Clock, "check", side_effect=[None, None, KeyboardInterrupt])
            with pytest.raises(KeyboardInterrupt), pressed:
                highs.run_solver(program(), Clock(), 0.0, kept=kept)
        once = program()
        assert highs.run_solver(once, Clock(), 1e-6)
        assert highs.run_solver(once, Clock())


# ---- Least squares.


@pytest.mark.parametrize("sparse", [False, True])
def test_least_squares_keep_what_they_have(sparse):
    X, y = noisy(3000)
    rows = sp.csr_array(X) if sparse else X
    with mock.patch.object(least_squares, "_NUMBERS_AT_ONCE", 1000):
        classifier = sx.LeastSquaresClassifier(time_limit=60)
        told = fitted(classifier, rows, y, 1)
        assert ["Time was up" in str(warning.message) for warning in told] == [True]
        assert classifier.score(X, y) > 0.7
        whole = sx.LeastSquaresClassifier().fit(rows, y)
    assert not np.allclose(classifier.coef_, whole.coef_)
    assert np.allclose(whole.coef_, sx.LeastSquaresClassifier().fit(X, y).coef_, rtol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
def test_least_squares_keep_what_they_have_at_an_interrupt(sparse):
    X, y = noisy(3000)

    def press(told):
        if "least squares" in told.text:
            raise KeyboardInterrupt

    classifier = sx.LeastSquaresClassifier(verbose=press)
    with mock.patch.object(least_squares, "_NUMBERS_AT_ONCE", 1000), pytest.warns(ConvergenceWarning, match="Ctrl-C came"):
        classifier.fit(sp.csr_array(X) if sparse else X, y)
    assert classifier.score(X, y) > 0.7


@pytest.mark.parametrize("rank", [30, 12])
def test_wide_least_squares_are_the_shortest(rank):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((30, rank)) @ rng.standard_normal((rank, 90))
    y = rng.choice([0, 1], 30)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(30)]), 2.0 * y - 1.0, rcond=1e-10)[0]
    with mock.patch.object(least_squares, "_WIDE", 1):
        found = sx.LeastSquaresClassifier().fit(X, y)
    assert np.allclose(np.append(found.coef_, found.intercept_), expected, atol=1e-10)


# ---- Model files.


@pytest.mark.parametrize("kind", [sx.MaxMargin, sx.LinearProgramClassifier, sx.LeastSquaresClassifier])
def test_model_files_have_no_time_limit(kind, tmp_path):
    """As older versions wrote and read them."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    path = tmp_path / "model.json"
    sx.save_model(kind(time_limit=5.0).fit(X, y), path)
    assert "time_limit" not in json.loads(path.read_text())["parameters"]
    assert sx.load_model(path).time_limit is None


@pytest.mark.parametrize("kind", [sx.MaxMargin, sx.LinearProgramClassifier, sx.LeastSquaresClassifier])
@pytest.mark.parametrize("wrong", [0, -1.0, "5", float("nan")])
def test_limits_that_are_none(kind, wrong):
    with pytest.raises(ValueError, match=r"'time_limit' parameter of .* must be"):
        kind(time_limit=wrong).fit([[0.0], [1.0]], [0, 1])
