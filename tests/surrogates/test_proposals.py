"""Proposals are hyperplanes with fewer and fewer errors, none of them worse than what it is proposed in place of."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from strategies import problems

import separatrix as sx
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.problem.scaled import ScaledRows
from separatrix.support.clock import Clock
from separatrix.surrogates import proposals as module
from separatrix.surrogates.count_descent import CountDescent
from separatrix.surrogates.newton import LOGISTIC, SQUARED_HINGE, minimised
from separatrix.surrogates.proposals import Proposals
from separatrix.surrogates.wide_rows import least_squared_violation


def noisy(n, d, share=0.1):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    return X, np.where((X @ rng.standard_normal(d) > 0.3) ^ (rng.random_sample(n) < share), 1, -1)


def counted(problem, weights):
    return int(np.count_nonzero(Lifted.of(problem).signs(weights) <= 0))


def proposed(problem, costs=None, limit=None):
    return [each for each in Proposals(problem, costs, Clock(limit)) if each is not None]


@quickly(60)
@given(problems(), st.booleans(), st.booleans())
def test_whatever_the_rows_proposals_are_weights_for_them(problem, intercept, sparse):
    """Huge, tiny, subnormal and integer numbers: nothing is raised, and counts are those of somebody's hyperplane."""
    X, y = problem
    asked = Problem.of(sp.csr_array(X) if sparse else X, y, intercept=intercept)
    with np.errstate(all="raise"):
        found = proposed(asked)
    assert all(len(each) == asked.width for each in found)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_each_errs_less_than_the_one_before(form):
    X, y = noisy(500, 6)
    problem = Problem.of(form(X), y)
    found = proposed(problem)
    errors = [counted(problem, each) for each in found]
    assert errors == sorted(set(errors), reverse=True)
    for peer in (LogisticRegression(), LinearSVC(), sx.LeastSquaresClassifier(), sx.LinearProgramClassifier()):
        assert errors[-1] <= np.count_nonzero(peer.fit(X, y).predict(X) != y)
    assert [each.strings() for each in proposed(problem)] == [each.strings() for each in found]  # nothing depends on time


def test_costs_count():
    X, y = noisy(300, 4)
    costs = np.where(y == 1, 100.0, 1.0)
    problem = Problem.of(X, y)
    wrong = Lifted.of(problem).signs(proposed(problem, costs)[-1]) <= 0
    plain = Lifted.of(problem).signs(proposed(problem)[-1]) <= 0
    assert costs[wrong].sum() < costs[plain].sum()


def test_the_losses_are_those_of_scikit_learn():
    X, y = noisy(400, 5)
    rows, costs = ScaledRows(Problem.of(X, y), scale_rows=False), np.ones(400)
    *_, w = minimised(rows, costs, LOGISTIC, np.zeros(6), 30)
    weights = rows.exact(w).round()
    peer = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(X, y)
    assert np.allclose(weights, np.append(peer.coef_, peer.intercept_), rtol=1e-3)
    *_, w = minimised(rows, costs, SQUARED_HINGE, np.zeros(6), 30)
    peer = LinearSVC(C=1e6, tol=1e-10, max_iter=100_000, dual=False, intercept_scaling=1e3).fit(X, y)
    assert np.allclose(rows.exact(w).round(), np.append(peer.coef_, peer.intercept_), rtol=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [False, True])
def test_wide_rows_come_to_the_least_squared_violation(form, intercept):
    """The weights are those of LinearSVC for columns that are scaled, the constant included."""
    X, y = noisy(80, 20, 0.2)
    problem = Problem.of(form(X), y, intercept=intercept)
    rows = ScaledRows(problem, scale_rows=False)
    *_, w = least_squared_violation(rows, np.ones(80), 300, Clock(), np.random.default_rng(0))
    scaled = sp.csr_array(rows.take(np.arange(80))).toarray() * y[:, None]
    peer = LinearSVC(fit_intercept=False, tol=1e-10, max_iter=100_000).fit(scaled, y)
    assert np.allclose(w, peer.coef_[0], atol=0.02)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_many_columns_and_samples_of_many_rows_lead_to_few_errors_too(form, monkeypatch):
    X, y = noisy(600, 8)
    problem = Problem.of(form(X), y)
    usual = counted(problem, proposed(problem)[-1])
    monkeypatch.setattr(module, "_SAMPLED_ROWS", 50)
    monkeypatch.setattr(module, "_SAMPLED_ROWS_PER_COLUMN", 5)
    assert counted(problem, proposed(problem)[-1]) <= usual + 10
    monkeypatch.setattr(module, "MAX_DENSE_COLUMNS", 3)
    assert counted(problem, proposed(problem)[-1]) <= usual + 10


def test_a_limit_of_time_that_is_over_leaves_the_first():
    X, y = noisy(500, 6)
    problem = Problem.of(X, y)
    assert len(proposed(problem, limit=1e-9)) >= 1


def test_separable_rows_are_separated_and_that_is_the_end():
    X, y = sx.examples.load("iris-setosa")
    problem = Problem.of(X, y)
    assert counted(problem, proposed(problem)[-1]) == 0


@given(st.integers(0, 10**6), st.booleans())
def test_the_best_place_on_a_line_is_the_best(seed, drifts):
    """By definition: errors counted at many places of the line."""
    rng = np.random.RandomState(seed)
    X, y = rng.randint(-3, 4, (12, 2)).astype(float), np.resize([-1, 1], 12)
    rows = ScaledRows(Problem.of(X, y))
    descent = CountDescent(rows, rng.choice([1.0, 2.0, 0.5], 12), np.random.default_rng(seed))
    descent.take(rng.standard_normal(3))
    v = rng.standard_normal(3)
    descent._drifts, slopes, reach = drifts, rows.scores(v), 3.0

    def errors_at(a):
        return descent.costs[rows.scores(descent.best + a * v) <= 0.0].sum()

    with np.errstate(all="ignore"):
        found = descent._along(slopes, reach)
    least = min(map(errors_at, np.linspace(-reach, reach, 997)))
    if found is None:
        assert least >= descent.errors
    else:
        assert errors_at(found) <= min(least, descent.errors)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("intercept", [False, True])
def test_products_of_columns_and_parts_of_rows(form, intercept):
    X, y = noisy(40, 3)
    rows = ScaledRows(Problem.of(form(X * [1.0, 1e3, 1e-3]), y, intercept=intercept))
    Z = sp.csr_array(rows.take(np.arange(40))).toarray()
    for factors in (np.linspace(0.5, 2.0, 40), np.arange(40.0) < 5):
        assert np.allclose(rows.gram(factors), Z.T @ (factors[:, None] * Z))
        assert np.allclose(rows.squares(factors), np.diag(rows.gram(factors)))
    some, w = np.array([3, 7, 1]), np.arange(1.0, 4.0 + intercept)
    assert np.allclose(rows.part(some).scores(w), Z[some] @ w)
    assert np.allclose(rows.part(some).combine(np.ones(3)), Z[some].sum(axis=0))
