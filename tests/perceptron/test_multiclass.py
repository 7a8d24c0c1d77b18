"""The perceptron of several classes equals Kesler's construction, mistake for mistake, and predicts the largest score."""

import warnings
from fractions import Fraction
from functools import partial

import fits
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from reference import dot, kesler, lifted, mean
from reference import perceptron as reference
from sklearn.datasets import load_iris
from strategies import STEPS, TIES, batches, planted, problems

import separatrix as sx
from separatrix.compiled.largest import OPEN
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron.multiclass import MulticlassRun
from separatrix.problem.multiclass import Classes

PASSES = 6


@st.composite
def multiclass(draw, **limits):
    """Rows of every kind, with codes of some of up to five classes."""
    X, _ = draw(problems(**limits))
    classes = draw(st.integers(2, 5))
    codes = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=len(X), max_size=len(X))))
    return X, codes, classes


def run_of(X, codes, classes, *, sparse=False, order="cyclic", tie="update", eta=1.0, start=None, weights=None,
           intercept=True, random_state=None, average=False):  # fmt: skip
    rows = sp.csr_array(X) if sparse else X
    problem = Classes.of_labels(rows, codes, list(range(classes)), intercept, None)
    start = None if start is None else Dyadic.from_parts(np.array(start))
    run = MulticlassRun(problem, tie=tie, start=start, steps=weights, factor=eta, record=True, average=average)
    converged = run.learn(order, PASSES, np.random.RandomState(random_state))
    return run, converged


def assert_same(X, codes, classes, **settings):
    history = []
    expected = kesler(X, codes, classes, max_iter=PASSES, history=history, **settings)
    for sparse in (False, True):
        run, converged = run_of(X, codes, classes, sparse=sparse, average=True, **settings)
        assert run.trace.tolist() == [i for i, _ in expected[0]]
        assert run.weights().fractions() == expected[1]
        assert (max(1, run.passes), converged) == expected[2:]
        assert run.visits == len(history)
        if history:
            assert [v / len(history) for v in run.total().fractions()] == mean(history)


@given(multiclass(), TIES, st.sampled_from(["cyclic", "shuffle", "random"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_run_is_that_of_the_definition(problem, tie, order, intercept, seed):
    assert_same(*problem, tie=tie, order=order, intercept=intercept, random_state=seed)


@given(multiclass(), st.data(), TIES, st.sampled_from([1.0, 0.1, 3.0, 1e-10, 1e100]), st.booleans())
def test_initial_guess_learning_rate_and_weights(problem, data, tie, eta, weighted):
    X, codes, classes = problem
    size = classes * (X.shape[1] + 1)
    numbers = st.one_of(st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-300]), st.sampled_from(X.ravel().tolist()))
    start = data.draw(st.lists(numbers, min_size=size, max_size=size))
    weights = np.array(data.draw(st.lists(st.sampled_from(STEPS), min_size=len(X), max_size=len(X)))) if weighted else None
    assert_same(X, codes, classes, tie=tie, eta=eta, start=start, weights=weights)


@given(problems(), TIES, st.sampled_from(["cyclic", "shuffle", "random"]), st.integers(0, 2**32 - 1))
def test_of_two_classes_it_is_the_binary_run(problem, tie, order, seed):
    X, y = problem
    expected = reference(X, y, tie=tie, order=order, max_iter=PASSES, random_state=seed)
    run, converged = run_of(X, (y > 0).astype(int), 2, tie=tie, order=order, random_state=seed)
    negative, positive = np.array_split(run.weights().fractions(), 2)
    assert run.trace.tolist() == expected[0]
    assert positive.tolist() == expected[1]
    assert negative.tolist() == [-v for v in expected[1]]
    assert (max(1, run.passes), converged) == expected[2:]


@given(st.sampled_from([16, 32, 48]), st.integers(0, 2**31 - 1), TIES, st.sampled_from([1.0, 0.1]))
def test_differences_planted_near_zero(digits, seed, tie, eta):
    """Two classes whose scores differ by 1e-16, 1e-32 and 1e-48 of the norms, or not at all, and a third far below."""
    X, w = planted(5, 7, digits, np.random.RandomState(seed))
    start = np.concatenate([w, np.zeros_like(w), -1e3 * np.sign(X[0])])
    assert_same(X, np.resize([0, 1], 5), 3, tie=tie, eta=eta, start=start, intercept=False)


def test_small_budgets_and_pauses_change_nothing(monkeypatch):
    rng = np.random.RandomState(3)
    X, codes = rng.standard_normal((40, 3)), rng.randint(0, 4, 40)
    assert_same(X, codes, 4)
    monkeypatch.setattr("separatrix.perceptron.run.MIN_MISTAKES_PER_BUDGET", 3)
    monkeypatch.setattr("separatrix.perceptron.run.MAX_MISTAKES_PER_BUDGET", 3)
    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 90)
    monkeypatch.setattr("separatrix.perceptron.averaging.MAX_VISIT_NUMBER", 7)
    assert_same(X, codes, 4)
    assert_same(X, codes, 4, order="random", random_state=1)


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_where_integers_decide(monkeypatch, scale):
    """Every comparison left open by the kernel, and every visit on the slow road, come to the same."""
    rng = np.random.RandomState(4)
    X, codes = rng.randint(-1, 2, (12, 2)) / 10 * [1.0, scale], rng.randint(0, 4, 12)
    assert_same(X, codes, 4)
    monkeypatch.setattr("separatrix.perceptron.multiclass.MulticlassRun._prepare", lambda run: False)
    for tie in ("update", "positive", "negative"):
        assert_same(X, codes, 4, tie=tie, intercept=False)


fitted = partial(fits.fitted, max_iter=PASSES, record=True)


UNDERFLOWING = (np.array([[1.76405235e-300], [4.00157208e-301], [9.78737984e-301]]), np.array([0, 1, 2]), 3)
SUBNORMAL = (np.array([[5e-324, 0.0], [0.0, 1e-323], [1e308, 1.0]]), np.array([0, 1, 2]), 3)


@given(multiclass(), TIES, st.booleans(), st.booleans(), st.booleans())
@example(UNDERFLOWING, "update", False, False, False)
@example(SUBNORMAL, "update", True, True, False)
def test_the_estimator_predicts_the_largest_exact_score(problem, tie, intercept, average, sparse):
    X, codes, _ = problem
    names = np.array(["a", "b", "c", "d", "e"])
    y = names[codes]
    if len(set(y)) < 3:
        return
    classes = sorted(set(y))
    history = []
    expected = kesler(X, np.searchsorted(classes, y), len(classes), tie=tie, intercept=intercept, max_iter=PASSES,
                      history=history)  # fmt: skip
    weights = mean(history) if average else expected[1]
    rows = sp.csr_array(X) if sparse else X
    try:
        perceptron = fitted(rows, y, tie=tie, fit_intercept=intercept, average=average)
    except OverflowError:
        return
    assert perceptron.classes_.tolist() == classes
    assert perceptron.mistakes_.tolist() == [i for i, _ in expected[0]]
    assert perceptron.exact_weights().fractions() == weights
    assert perceptron.last_weights().fractions() == expected[1]
    stored = np.column_stack([perceptron.coef_, perceptron.intercept_]) if intercept else perceptron.coef_
    assert stored.ravel().tolist() == [float(v) for v in weights]
    values = perceptron.decision_function(rows)
    assert values.shape == (len(y), len(classes))
    for x, row, prediction in zip(lifted(X, np.ones(len(X)), intercept), values, perceptron.predict(rows), strict=True):
        size = len(weights) // len(classes)
        scores = [dot(weights[k * size : (k + 1) * size], x) for k in range(len(classes))]
        best = [k for k, s in enumerate(scores) if s == max(scores)]
        assert prediction == classes[best[-1] if tie == "positive" else best[0]]
        assert np.flatnonzero(row == row.max()).tolist() == best
        assert [np.sign(v) for v in row] == [(s > 0) - (s < 0) for s in scores]


@given(multiclass(), TIES, st.booleans(), st.data())
def test_partial_fit_in_any_batches_is_one_pass(problem, tie, average, data):
    X, codes, classes = problem
    if classes < 3:
        return
    history = []
    trace, last, _, _ = kesler(X, codes, classes, tie=tie, max_iter=1, eta=0.1, history=history)
    online = sx.Perceptron(tie=tie, eta0=0.1, average=average, record=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows, labels in batches(data, X, codes):
            try:
                online.partial_fit(rows, labels, classes=range(classes))
            except OverflowError:
                return
    assert online.mistakes_.tolist() == [i for i, _ in trace]
    assert online.last_weights().fractions() == last
    assert online.exact_weights().fractions() == (mean(history) if average else last)


def test_rounding_that_changes_a_prediction_is_told():
    told = 0
    for seed in range(30):
        X, w = planted(6, 6, 16, np.random.RandomState(seed))
        start = np.array([w, -w, np.zeros_like(w)])
        perceptron = sx.Perceptron(fit_intercept=False, max_iter=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            perceptron.fit(X, [0, 1, 2, 0, 1, 2], coef_init=start, sample_weight=np.full(6, 1e-30))
        exact, rounded = np.array_split(perceptron.exact_weights().fractions(), 3), perceptron.coef_
        changed = 0
        for x in lifted(X, np.ones(6), False):
            before = [dot(list(v), x) for v in exact]
            after = [dot([Fraction(float(a)) for a in v], x) for v in rounded]
            changed += before.index(max(before)) != after.index(max(after))
        messages = [str(c.message) for c in caught if c.category is sx.RoundingWarning]
        assert len(messages) == bool(changed)
        assert not changed or f" {changed} training" in messages[0]
        told += bool(changed)
    assert told > 3


def test_predictions_that_the_kernel_leaves_open(monkeypatch):
    X, y = load_iris(return_X_y=True)
    perceptron = fitted(X, y)
    expected = perceptron.predict(X)
    monkeypatch.setattr("separatrix.problem.largest.find_leaders", lambda *arguments: arguments[-1].fill(OPEN))
    assert np.array_equal(perceptron.predict(X), expected)
    assert np.array_equal(perceptron.decision_function(X).argmax(axis=1), expected)


def test_rows_of_weight_zero_and_classes_of_them_are_left_out():
    X, y = np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([0, 1, 2, 3])
    perceptron = sx.Perceptron(max_iter=200).fit(X, y, sample_weight=[1, 2, 1, 0])
    assert perceptron.classes_.tolist() == [0, 1, 2]
    assert perceptron.converged_
    assert perceptron.score(X[:3], y[:3]) == 1.0
    assert sx.Perceptron().fit(X, y, sample_weight=[1, 0, 0, 1]).coef_.shape == (1, 1)


def test_class_weight_multiplies_sample_weight():
    X, y = load_iris(return_X_y=True)
    w = np.linspace(0.5, 2, len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = sx.Perceptron(max_iter=5, class_weight={0: 3.0, 1: 0.5, 2: 1.0}).fit(X, y, sample_weight=w)
        other = sx.Perceptron(max_iter=5).fit(X, y, sample_weight=w * np.array([3.0, 0.5, 1.0])[y])
    assert one.exact_weights() == other.exact_weights()


def test_what_is_for_two_classes_only():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    perceptron = sx.Perceptron(record=True).fit(X, y)
    with pytest.raises(ValueError, match=r"about two classes.*learnt 3"):
        sx.audit(perceptron, X, y)
    with pytest.raises(ValueError, match="two classes only"):
        perceptron.distance(X)
    with pytest.raises(ValueError, match="coef_init has 2 weights, expected 6"):
        sx.Perceptron().fit(X, y, coef_init=[1.0, 2.0])
    with pytest.raises(ValueError, match="intercept_init has 1 numbers, expected 3"):
        sx.Perceptron().fit(X, y, intercept_init=[1.0])
    with pytest.raises(ValueError, match="not among classes"):
        perceptron.partial_fit(X, [0, 1, 5])
