"""The perceptron by kernels: the run of the theory, what it says of the theorem, and scikit-learn's contract."""

import json
import math
import os
import pickle
import subprocess
import sys
import warnings
from fractions import Fraction
from functools import partial

import fits
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from paths import SUPPORT
from profiles import quickly
from reference import dual_perceptron, polynomial_gram
from reference import perceptron as reference
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import KINDS, TIES, planted, problems

import separatrix as sx
from separatrix.perceptron import kernels
from separatrix.perceptron.gram import Kernel, Points
from separatrix.perceptron.kernel_run import KernelRun
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows

PASSES = 12
TAME = tuple(kind for kind in KINDS if kind not in ("mixed", "huge", "tiny", "subnormal"))


@parametrize_with_checks(
    [
        sx.KernelPerceptron(max_iter=50),
        sx.KernelPerceptron(kernel="poly", max_iter=50),
        sx.KernelPerceptron(kernel="precomputed", max_iter=50),
    ],
    expected_failed_checks=lambda estimator: dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a sample weight multiplies the updates of a row, not its visits: a repeated row is visited again",
    ),
)
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


fitted = partial(fits.fitted, kind=sx.KernelPerceptron, max_iter=PASSES, record=True)


def course(classifier):
    return classifier.mistakes_.tolist(), classifier.n_iter_, classifier.converged_


# The run.


@given(problems(), TIES, st.booleans(), st.booleans(), st.sampled_from(["cyclic", "shuffle", "random"]))
def test_linear_makes_the_mistakes_of_the_perceptron(problem, tie, intercept, sparse, order):
    X, y = problem
    rows = sp.csr_array(X) if sparse else X
    trace, _, passes, ended = reference(X, y, tie=tie, intercept=intercept, order=order, max_iter=PASSES, random_state=3)
    classifier = fitted(rows, y, kernel="linear", tie=tie, fit_intercept=intercept, order=order, random_state=3)
    assert course(classifier) == (trace, passes, ended)


@given(
    problems(max_rows=7, max_columns=3),
    TIES,
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 2, 3, 5]),
    st.sampled_from([1.0, 0.1, 0.5, 3e-7, 1e20]),
    st.sampled_from([0.0, 1.0, -0.5, 0.3, 1e10]),
)
def test_polynomials_are_those_of_fractions(problem, tie, intercept, sparse, degree, gamma, coef0):
    X, y = problem
    parameters = {"degree": degree, "gamma": gamma, "coef0": coef0}
    K = polynomial_gram(X, X, intercept=intercept, **parameters)
    trace, alpha, passes, ended = dual_perceptron(K, y, tie=tie, max_iter=6)
    rows = sp.csr_array(X) if sparse else X
    classifier = fitted(rows, y, kernel="poly", tie=tie, fit_intercept=intercept, max_iter=6, **parameters)
    assert course(classifier) == (trace, passes, ended)
    assert classifier.support_.tolist() == [j for j, a in enumerate(alpha) if a]
    assert classifier.dual_coef_.tolist() == [[float(a) for a in alpha if a]]
    assert classifier.intercept_.tolist() == [float(sum(alpha)) if intercept else 0.0]


@given(problems(max_rows=8), TIES, st.booleans(), st.booleans(), st.data())
def test_a_given_matrix_is_taken_at_its_word(problem, tie, intercept, sparse, data):
    X, y = problem
    rng = np.random.RandomState(data.draw(st.integers(0, 10**6)))
    numbers = np.append(X.ravel(), [1.0, -1.0, 0.1])
    K = rng.choice(numbers, (len(y), len(y)))
    order = rng.permutation(len(y))
    weights = rng.choice([0.1, 1.0, 3.0, 1e-5, 1e200, 5e-324], len(y))
    exact = [[Fraction(v) + intercept for v in row] for row in K.tolist()]
    trace, alpha, passes, ended = dual_perceptron(exact, y, tie=tie, order=order, weights=weights, max_iter=6)
    given_matrix = sp.csr_array(K) if sparse else K
    classifier = fitted(
        given_matrix, y, kernel="precomputed", tie=tie, fit_intercept=intercept, order=order, sample_weight=weights,
        max_iter=6,
    )  # fmt: skip
    assert course(classifier) == (trace, passes, ended)
    scores = [sum((a * v for a, v in zip(alpha, row, strict=True)), Fraction(0)) for row in exact]
    signs = [(s > 0) - (s < 0) for s in scores]
    assert np.sign(classifier.decision_function(given_matrix)).tolist() == signs


@given(st.sampled_from([16, 32, 48]), st.integers(0, 2**31 - 1), TIES, st.booleans())
def test_scores_planted_near_zero(digits, seed, tie, sparse):
    """The last row meets weights under which its exact score is next to nothing, or nothing."""
    rng = np.random.RandomState(seed)
    X, w = planted(4, 6, digits, rng)
    rows, y = np.vstack([w, X]), np.array([1.0, *rng.choice([-1.0, 1.0], 4)])
    y[-1] = -y[0]
    trace, _, passes, ended = reference(rows, y, tie=tie, intercept=False, max_iter=4)
    given_rows = sp.csr_array(rows) if sparse else rows
    classifier = fitted(given_rows, y, kernel="linear", tie=tie, fit_intercept=False, max_iter=4)
    assert course(classifier) == (trace, passes, ended)


def tenths(n=60, seed=11):
    rng = np.random.RandomState(seed)
    X = rng.randint(-10, 11, (n, 3)) / 10
    return X, np.where(X @ [1, 2, -1] > 0.05, 1, -1)


def test_where_floats_go_another_way():
    """Thresholded tenths: running scores in plain floats take another course than the exact run."""
    different = 0
    for seed in range(8, 14):
        X, y = tenths(100, seed)
        K, scores, trace, erring = X @ X.T + 1.0, np.zeros(len(y)), [], True
        while erring and len(trace) < 2000:
            before = len(trace)
            for i in range(len(y)):
                if y[i] * scores[i] <= 0:
                    scores += y[i] * K[i]
                    trace.append(i)
            erring = len(trace) > before
        mine = fitted(X, y, kernel="linear", max_iter=1000)
        assert mine.mistakes_.tolist() == sx.Perceptron(record=True).fit(X, y).mistakes_.tolist()
        different += mine.mistakes_.tolist() != trace
    assert different


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_the_cache_changes_nothing_and_keeps_its_bound(kernel, order, monkeypatch):
    rng = np.random.RandomState(2)
    X = np.round(rng.standard_normal((90, 3)), 1)
    y = np.where((X * X).sum(axis=1) + 0.3 * rng.standard_normal(90) > 2, 1, -1)
    parameters = {"kernel": kernel, "gamma": 0.7, "order": order, "random_state": 5, "max_iter": 20}
    expected = fitted(X, y, **parameters)
    runs = []
    monkeypatch.setattr(
        "separatrix.estimators.kernel_perceptron.KernelRun", lambda *a, **k: runs.append(KernelRun(*a, **k)) or runs[0]
    )
    monkeypatch.setattr("separatrix.perceptron.kernel_run.NUMBERS_PER_CALL", 1000)
    for megabytes in (1e-6, 90 * 8 * 20 / 2**20, 90 * 8 * 60 / 2**20):
        runs.clear()
        other = fitted(sp.csr_array(X) if megabytes == 1e-6 else X, y, cache_size=megabytes, **parameters)
        assert course(other) == course(expected)
        assert other.dual_coef_.tolist() == expected.dual_coef_.tolist()
        cache = runs[0].cache
        assert cache.rows.nbytes <= max(megabytes * 2**20, 2 * 8 * 90)
        held = np.flatnonzero(cache.slots >= 0)
        assert held.size <= len(cache.rows)
        assert np.unique(cache.slots[held]).size == held.size
        assert runs[0]._tenants.owners[cache.slots[held]].tolist() == held.tolist()
        truth = runs[0].gram.block(held)
        assert np.allclose(cache.rows[cache.slots[held]], truth, rtol=1e-12)


def test_a_cache_too_small_for_all_serves_some():
    """Eight rows err in every pass; with room for four, the two that came first stay, and two slots see the rest pass."""
    K, fetched = np.zeros((8, 8)), []
    points = Points(read_rows(K))
    gram = Kernel("precomputed", 1.0, 0.0, 1, False).gram(points, points)
    fill = gram.fill
    gram.fill = lambda rows, *rest: fetched.extend(rows.tolist()) or fill(rows, *rest)
    run = KernelRun(Problem.of(K, [1, -1] * 4, intercept=False), gram, cache=5 * 8 * 8)
    run.advance(None, 1)
    assert fetched == list(range(8))
    fetched.clear()
    run.advance(None, 2)
    assert fetched == list(range(2, 8))
    assert run.mistakes == 16


@given(problems(kinds=TAME, max_rows=12), TIES, st.booleans(), st.sampled_from([0.01, 0.7, 20.0]))
def test_the_radial_kernel_is_that_of_its_rounded_values(problem, tie, sparse, gamma):
    X, y = problem
    with np.errstate(over="ignore"):
        K = np.array([np.exp(-gamma * ((X - x) ** 2).sum(axis=1)) for x in X])
    rows = sp.csr_array(X) if sparse else X
    mine = fitted(rows, y, gamma=gamma, tie=tie)
    by_matrix = fitted(K, y, kernel="precomputed", tie=tie)
    assert course(mine) == course(by_matrix)
    assert np.sign(mine.decision_function(rows)).tolist() == np.sign(by_matrix.decision_function(K)).tolist()
    assert np.allclose(mine.decision_function(rows), by_matrix.decision_function(K), atol=1e-9)


@given(problems(), st.sampled_from([1e-300, 1.0, 1e300]))
@quickly(60)
def test_the_radial_kernel_takes_numbers_of_any_size(problem, gamma):
    X, y = problem
    mine = fitted(X, y, gamma=gamma, max_iter=3)
    assert course(mine) == course(fitted(sp.csr_array(X), y, gamma=gamma, max_iter=3))


def test_a_function_may_return_a_sparse_matrix():
    """As the product of sparse rows is."""
    X, y = sp.csr_array(np.eye(4)), [0, 1, 1, 0]
    expected = fitted(X, y, kernel="linear")
    found = fitted(X, y, kernel=lambda a, b: a @ b.T)
    assert course(found) == course(expected)
    assert found.predict(X).tolist() == expected.predict(X).tolist()


def test_a_function_is_a_kernel():
    X, y = sx.examples.load("iris-virginica")
    by_function = fitted(X, y, kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5))
    assert course(by_function) == course(fitted(X, y, gamma=0.5))
    assert by_function.predict(X).tolist() == fitted(X, y, gamma=0.5).predict(X).tolist()
    with pytest.raises(ValueError, match=r"shape \(2,\).*row for each row"):
        fitted(X[[0, -1]], y[[0, -1]], kernel=lambda a, b: np.ones(2))
    with pytest.raises(ValueError, match="NaN"):
        fitted(X, y, kernel=lambda a, b: np.full((len(a), len(b)), np.nan))


def test_weakening_any_bound_makes_a_run_go_wrong():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    script = SUPPORT / "weakened_kernels.py"
    output = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=environment).stdout
    for name, (sound, weak) in json.loads(output).items():
        assert not sound, name
        assert weak, name


# What it says.


@given(
    problems(max_rows=7, max_columns=3), problems(max_rows=5, max_columns=3), st.sampled_from([1, 2, 3]), st.booleans(), TIES
)
def test_signs_of_scores_are_exact(problem, other, degree, sparse, tie):
    X, y = problem
    new = np.vstack([X, np.resize(other[0], (len(other[0]), X.shape[1]))])
    parameters = {"degree": degree, "gamma": 0.3, "coef0": 0.1}
    classifier = fitted(X, y, kernel="poly", max_iter=3, tie=tie, **parameters)
    K = polynomial_gram(classifier.support_vectors_, new, **parameters)
    alpha = list(map(Fraction, classifier.dual_coef_[0].tolist()))
    scores = [sum((a * row[i] for a, row in zip(alpha, K, strict=True)), Fraction(0)) for i in range(len(new))]
    values = classifier.decision_function(sp.csr_array(new) if sparse else new)
    assert np.sign(values).tolist() == [(s > 0) - (s < 0) for s in scores]
    for i, (value, score) in enumerate(zip(values.tolist(), scores, strict=True)):
        size = sum((abs(a * row[i]) for a, row in zip(alpha, K, strict=True)), Fraction(0))
        if size < Fraction(2) ** 1000:
            assert abs(Fraction(value) - score) <= size / 2**40 + Fraction(2) ** -1074
    at_zero = 1 if tie == "positive" else -1
    assert classifier.predict(new).tolist() == [(1 if s > 0 else -1) if s else at_zero for s in scores]


def test_blocks_of_bounded_memory(monkeypatch):
    X, y = sx.examples.load("iris-virginica")
    for kernel in ("poly", "rbf", "precomputed"):
        rows = X @ X.T if kernel == "precomputed" else X
        classifier = fitted(rows, y, kernel=kernel)
        whole = classifier.decision_function(rows)
        with monkeypatch.context() as patch:
            patch.setattr("separatrix.perceptron.expansion.NUMBERS_PER_BLOCK", 500)
            assert np.allclose(classifier.decision_function(rows), whole, rtol=1e-12)
        assert np.allclose(whole, scores_by_hand(classifier, rows, kernel))


def scores_by_hand(classifier, rows, kernel):
    alpha, gamma = classifier.dual_coef_[0], classifier.gamma_
    if kernel == "precomputed":
        K = rows[:, classifier.support_]
    elif kernel == "poly":
        K = (gamma * rows @ classifier.support_vectors_.T) ** 3
    else:
        K = rbf_kernel(rows, classifier.support_vectors_, gamma=gamma)
    return K @ alpha + classifier.intercept_


@given(
    problems(kinds=TAME, max_rows=8, max_columns=3),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["cyclic", "shuffle"]),
    st.booleans(),
)
@example((np.array([[2.0**-14, -(2.0**-11)], [-(2.0**-41), 2.0**-14]]), np.array([-1.0, 1.0])), 1, "cyclic", True)
def test_the_theorem_in_feature_space(problem, degree, order, weighted):
    X, y = problem
    weights = np.resize([1.0, 0.3, 2.0], len(y)) if weighted else None
    parameters = {"degree": degree, "gamma": 0.5, "coef0": 1.0}
    classifier = fitted(
        X, y, kernel="poly", order=order, random_state=0, max_iter=300, sample_weight=weights, **parameters
    )  # fmt: skip
    K = polynomial_gram(X, X, **parameters)
    radius_squared = max(K[i][i] for i in range(len(y)))
    found = classifier.radius_squared_
    assert math.isinf(found) or radius_squared <= Fraction(found) <= radius_squared * (1 + Fraction(1, 10**12))
    if not classifier.converged_:
        assert classifier.margin_ is None
        assert classifier.bound_ is None
        return
    alpha = [Fraction(0)] * len(y)
    for j in classifier.mistakes_.tolist():
        alpha[j] += int(y[j]) * Fraction(1.0 if weights is None else weights[j])
    scores = [sum((a * k for a, k in zip(alpha, row, strict=True)), Fraction(0)) for row in K]
    length = sum(a * s for a, s in zip(alpha, scores, strict=True))
    square = min(int(label) * s for label, s in zip(y, scores, strict=True)) ** 2 / length
    assert square > 0
    assert square * (1 - Fraction(1, 10**6)) <= Fraction(classifier.margin_) ** 2 <= square
    ratio = Fraction(1) if weights is None else Fraction(weights.max()) / Fraction(weights.min())
    assert math.isinf(classifier.bound_) or Fraction(classifier.bound_) >= ratio * radius_squared / square
    assert classifier.bound_ >= classifier.n_mistakes_


def test_scores_below_all_floats_keep_their_sign():
    """The sums are exact, but float64 has no number as small."""
    K, y = np.array([[0.25, -0.5], [-0.5, 0.25]]), np.array([0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier = sx.KernelPerceptron(kernel="precomputed", fit_intercept=False, max_iter=3)
        classifier.fit(K, y, sample_weight=[5e-324, 5e-324])
    alpha = [Fraction(number) for number in classifier.dual_coef_[0].tolist()]
    support = classifier.support_.tolist()
    meant = [sum(a * Fraction(row[j]) for a, j in zip(alpha, support, strict=True)) for row in K.tolist()]
    assert np.sign(classifier.decision_function(K)).tolist() == [(s > 0) - (s < 0) for s in meant]
    assert any(meant)


def test_xor_takes_two_degrees():
    X, y = sx.examples.load("xor")
    classifier = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    assert classifier.score(X, y) == 1.0
    assert classifier.n_mistakes_ <= classifier.bound_
    with pytest.warns(ConvergenceWarning, match=r"mistakes in 20 passes.*feature space.*max_iter"):
        sx.KernelPerceptron(kernel="linear", max_iter=20).fit(X, y)


def circles(n, noise, seed=0):
    rng = np.random.RandomState(seed)
    angle, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    return (1.0 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + noise * rng.standard_normal((n, 2)), y


def test_circles():
    X, y = circles(200, 0.1)
    classifier = sx.KernelPerceptron(kernel="rbf").fit(X, y)
    assert classifier.converged_
    assert classifier.score(X, y) == 1.0
    assert classifier.score(*circles(500, 0.1, seed=1)) > 0.95
    assert classifier.radius_squared_ == 2.0
    assert classifier.n_mistakes_ <= classifier.bound_
    assert cross_val_score(sx.KernelPerceptron(), X, y).min() > 0.9


# Weights, rows left out, and what is given.


def test_rows_of_weight_zero_are_left_out():
    X, y = tenths(30)
    weights = np.resize([1.0, 0.0, 2.5, 1.0], 30)
    kept, order = np.flatnonzero(weights), np.random.RandomState(0).permutation(30)
    places = [int(np.flatnonzero(kept == i)[0]) for i in order if weights[i]]
    expected = fitted(X[kept], y[kept], kernel="poly", gamma=1.0, sample_weight=weights[kept], order=places)
    rows = fitted(X, y, kernel="poly", gamma=1.0, sample_weight=weights, order=order)
    K = (X @ X.T) ** 3
    matrix = fitted(K, y, kernel="precomputed", sample_weight=weights, order=order)
    alone = fitted(K[np.ix_(kept, kept)], y[kept], kernel="precomputed", sample_weight=weights[kept], order=places)
    assert rows.mistakes_.tolist() == kept[expected.mistakes_].tolist()
    assert matrix.mistakes_.tolist() == kept[alone.mistakes_].tolist()
    assert rows.support_.tolist() == kept[expected.support_].tolist()
    assert np.allclose(matrix.decision_function(K), alone.decision_function(K[:, kept]))
    assert np.allclose(rows.decision_function(X), expected.decision_function(X))


def test_class_weight_multiplies_sample_weight():
    X, y = sx.examples.load("iris-virginica")
    w = np.linspace(0.5, 2, len(y))
    both = np.where(y == "virginica", 3.0, 0.5) * w
    one = fitted(X, y, class_weight={"virginica": 3.0, "versicolor": 0.5}, sample_weight=w)
    assert course(one) == course(fitted(X, y, sample_weight=both))


def test_gamma_is_scaled_as_in_scikit_learn():
    X, y = sx.examples.load("iris-virginica")
    assert fitted(X, y).gamma_ == 1 / (4 * X.var())
    assert fitted(sp.csr_array(X), y).gamma_ == pytest.approx(1 / (4 * X.var()))
    assert fitted(np.ones((4, 2)), [0, 0, 1, 1]).gamma_ == 1.0
    with pytest.raises(ValueError, match="variance of X"):
        fitted([[1e200], [-1e200]], [0, 1])


def test_tables_names_and_rows_that_stay_as_they_are():
    X, y = tenths(20)
    before = X.copy()
    X.flags.writeable = False
    expected = fitted(X, y, gamma=1.0)
    names = ["a", "b", "c"]
    for table in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        other = fitted(table, y, gamma=1.0)
        assert course(other) == course(expected)
        assert other.feature_names_in_.tolist() == names
        assert other.predict(table).tolist() == expected.predict(X).tolist()
        with pytest.raises(ValueError, match="feature names"):
            other.predict(table.rename({"a": "x"}) if isinstance(table, pl.DataFrame) else table.rename(columns={"a": "x"}))
    assert np.array_equal(X, before)


def test_copied_pickled_and_not_changed_by_new_parameters():
    X, y = tenths(20)
    classifier = fitted(X, y, kernel="poly", degree=2)
    values = classifier.decision_function(X)
    assert np.array_equal(pickle.loads(pickle.dumps(classifier)).decision_function(X), values)
    again = clone(classifier).set_params(record=False, max_iter=1000).fit(X, y)
    assert again.converged_
    assert not hasattr(again, "mistakes_")
    assert np.array_equal(classifier.set_params(degree=5, kernel="rbf").decision_function(X), values)
    with pytest.raises(NotFittedError):
        clone(classifier).predict(X)


def test_interrupted_it_knows_what_it_has_learnt(monkeypatch):
    X, y = tenths(60)

    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("separatrix.perceptron.kernel_run.NUMBERS_PER_CALL", 500)
    monkeypatch.setattr(KernelRun, "_report", interrupt)
    classifier = sx.KernelPerceptron(kernel="linear", record=True)
    with pytest.warns(ConvergenceWarning, match="was stopped by Ctrl-C"):
        assert classifier.fit(X, y) is classifier
    assert not classifier.converged_
    whole = sx.Perceptron(record=True).fit(X, y).mistakes_.tolist()
    assert 0 < classifier.n_mistakes_ < len(whole)
    assert classifier.mistakes_.tolist() == whole[: classifier.n_mistakes_]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "sigmoid"}, "'kernel' parameter.*'rbf'"),
        ({"degree": 2.5}, "'degree' parameter.*integer"),
        ({"degree": 0}, "'degree' parameter"),
        ({"gamma": "auto"}, "'gamma' parameter.*'scale'"),
        ({"gamma": 0.0}, "'gamma' parameter.*positive"),
        ({"coef0": np.inf}, "'coef0' parameter.*finite"),
        ({"cache_size": 0}, "'cache_size' parameter.*megabytes"),
        ({"order": "sorted"}, "'order' parameter.*'cyclic'"),
        ({"order": [0, 0, 1, 2]}, "permutation of the 4 rows"),
        ({"tie": "coin"}, "'tie' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"fit_intercept": 1}, "'fit_intercept' parameter"),
        ({"kernel": "precomputed"}, r"square matrix.*\(4, 2\)"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.KernelPerceptron(**parameters).fit(*sx.examples.load("xor"))


def test_two_classes_are_needed():
    with pytest.raises(ValueError, match="only one class"):
        sx.KernelPerceptron().fit([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize("order", ["C", "F"])
def test_many_rows_are_prepared_in_blocks_with_the_same_numbers(monkeypatch, order):
    """One operation on all of them would take seconds, in which Ctrl-C is not heard."""
    X = np.asarray(np.random.default_rng(0).normal(1e3, 2.0, (300, 7)), order=order)
    kernel, points = Kernel("rbf", 0.5, 0.0, 1, True), Points(read_rows(X))
    whole, gamma = kernels.RadialGram(kernel, points, points), kernels.scaled_gamma(X)
    monkeypatch.setattr(kernels, "_NUMBERS_PER_BLOCK", 100)
    taken, lengths = [], kernels.squared_lengths
    monkeypatch.setattr(kernels, "squared_lengths", lambda some: taken.append(some.shape[0]) or lengths(some))
    parts = kernels.RadialGram(kernel, points, points)
    assert max(taken) == 100 // 7
    assert sum(taken) == 2 * 300
    assert np.array_equal(whole._left, parts._left)
    assert np.array_equal(whole._right, parts._right)
    assert whole.error == parts.error
    assert gamma == 1.0 / (7 * X.var())
    assert math.isclose(kernels.scaled_gamma(X), gamma, rel_tol=1e-13)
