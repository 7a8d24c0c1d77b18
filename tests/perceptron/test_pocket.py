"""The pocket equals the reference, update for update and pocket for pocket, and never takes in anything worse."""

import math
import time
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from reference import dot, is_mistake, lifted
from reference import pocket as reference
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import TIES, planted, problems

import separatrix as sx
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron import pocket
from separatrix.perceptron import pocket as ratchet
from separatrix.perceptron.pocket import PocketRun
from separatrix.problem.problem import Problem
from separatrix.support import progress
from separatrix.support.clock import Clock

UPDATES = 40  # more than a block
SEEDS = st.integers(0, 2**31 - 1)
WEIGHTS = [1.0, 3.0, 0.75, 0.1, 1e300, 1e-300, 5e-324, 1e300 * (1 + 2.0**-52)]


def compiled(X, y, *, sparse=False, tie="update", start=None, weights=None, intercept=True, max_updates=UPDATES,
             restarts=0, every=0, random_state=None):  # fmt: skip
    rows = sp.csr_array(X) if sparse else X
    problem = Problem.of(rows, y.astype(int), classes=[-1, 1], intercept=intercept, sample_weight=weights)
    start = None if start is None else Dyadic.from_parts(np.asarray(start, float))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratchet, "UPDATES_PER_MEAN", every or 100)
        run = PocketRun(problem, tie=tie, start=start, average=bool(every))
        rng = np.random.RandomState(random_state)
        run.climb(max_updates, rng, Clock())
        for _ in range(restarts):
            if run.errors:
                run.restart()
                run.climb(max_updates, rng, Clock())
    return run.pocket.fractions(), run.history, run.updates


def assert_equal(mine, theirs):
    assert mine[0] == theirs[0]
    assert [(u, e) for u, e, _ in mine[1]] == [(u, len(wrong)) for u, wrong, _ in theirs[1]]
    assert mine[2] == theirs[2]
    for (_, _, rounded), (_, _, exact) in zip(mine[1], theirs[1], strict=True):
        assert rounded == (float(exact) if exact < Fraction(2) ** 1024 - Fraction(2) ** 970 else math.inf)


@given(problems(), TIES, st.booleans(), st.booleans(), SEEDS)
def test_equals_the_reference(problem, tie, intercept, sparse, seed):
    X, y = problem
    options = {"tie": tie, "intercept": intercept, "random_state": seed}
    assert_equal(compiled(X, y, sparse=sparse, **options), reference(X, y, max_updates=UPDATES, **options))


@quickly(100)
@given(problems(), TIES, st.booleans(), st.data(), SEEDS)
def test_equals_the_reference_with_weights_a_start_restarts_and_means(problem, tie, sparse, data, seed):
    X, y = problem
    numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, -2.0, 0.1]))
    guess = st.lists(numbers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1)
    options = {
        "tie": tie,
        "random_state": seed,
        "start": data.draw(st.one_of(st.none(), guess)),
        "weights": data.draw(st.one_of(st.none(), st.lists(st.sampled_from(WEIGHTS), min_size=len(y), max_size=len(y)))),
        "restarts": data.draw(st.integers(0, 2)),
        "every": data.draw(st.sampled_from([0, 1, 5])),
        "max_updates": 30,
    }
    assert_equal(compiled(X, y, sparse=sparse, **options), reference(X, y, **options))


@given(st.sampled_from([16, 32, 48]), SEEDS, TIES, st.booleans())
def test_scores_planted_near_zero(digits, seed, tie, sparse):
    """Exact scores of 1e-16, 1e-32 and 1e-48 of the norms after the first update, where a float or two cannot tell."""
    rng = np.random.RandomState(seed)
    X, w = planted(rng.randint(3, 8), rng.randint(5, 9), digits, rng)
    y = np.resize([-1.0, 1.0], len(X))
    start = w - y[0] * X[0]
    options = {"tie": tie, "start": start, "intercept": False, "random_state": seed, "max_updates": 40}
    assert_equal(compiled(X, y, sparse=sparse, **options), reference(X, y, **options))


@pytest.mark.parametrize("sparse", [False, True])
def test_many_rows_in_single_precision_with_pauses(monkeypatch, sparse):
    rng = np.random.RandomState(3)
    X = np.round(rng.standard_normal((300, 7)), 1)
    y = np.where(X @ rng.standard_normal(7) + rng.standard_normal(300) > 0, 1.0, -1.0)
    expected = reference(X, y, max_updates=150, random_state=1)
    assert_equal(compiled(X, y, sparse=sparse, max_updates=150, random_state=1), expected)
    monkeypatch.setattr("separatrix.problem.lifted.BYTES_BEFORE_SCREEN", 1)
    monkeypatch.setattr(ratchet, "MAX_SCORES_PER_PANEL", 7 * pocket.MAX_UPDATES_PER_BLOCK)
    assert_equal(compiled(X, y, sparse=sparse, max_updates=150, random_state=1), expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_where_only_integers_can_tell(monkeypatch, sparse):
    """Products that underflow beside terms of size 1 that cancel; and numbers that the kernels do not hold at all."""
    asked, weights_after = [], PocketRun._weights_after
    monkeypatch.setattr(PocketRun, "_weights_after", lambda self, *a: asked.append(a) or weights_after(self, *a))
    X = np.array([[1.0, 2.0**-510], [1.0, -(2.0**-510)], [1.0, 3 * 2.0**-510], [-1.0, 2.0**-511]])
    y = np.array([1.0, -1.0, 1.0, 1.0])
    options = {"intercept": False, "random_state": 0, "max_updates": 40}
    assert_equal(compiled(X, y, sparse=sparse, **options), reference(X, y, **options))
    assert asked
    X = np.array([[1e300, 1e-300], [-1e300, 5e-324], [1e300, -1e-300], [0.0, 1e-310]])
    options["every"] = 3
    assert_equal(compiled(X, y, sparse=sparse, **options), reference(X, y, **options))


def quiet(X, y, fit=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.RoundingWarning)
        return sx.Pocket(random_state=0, **parameters).fit(X, y, **(fit or {}))


@given(problems(), TIES, st.sampled_from(["zero", "best"]), st.booleans(), st.booleans())
def test_the_ratchet_never_slips(problem, tie, init, average, weighted):
    X, y = problem
    weights = np.resize([1.0, 2.5, 0.1], len(y)) if weighted else None
    try:
        pocket = quiet(X, y, {"sample_weight": weights}, tie=tie, init=init, average=average, max_updates=100)
    except OverflowError:
        return
    w = pocket.exact_weights().fractions()
    wrong = [i for i, z in enumerate(lifted(X, y, True)) if is_mistake(dot(w, z), y[i], tie)]
    assert pocket.n_errors_ == len(wrong)
    assert pocket.weighted_error_ == (float(sum(Fraction(weights[i]) for i in wrong)) if weighted else len(wrong))
    assert pocket.history_[-1] == (pocket.history_[-1].updates, pocket.n_errors_, pocket.weighted_error_)
    loads = [each.weighted_error for each in pocket.history_]
    assert loads == sorted(set(loads), reverse=True)
    updates = [each.updates for each in pocket.history_]
    assert updates == sorted(updates)
    assert updates[-1] <= pocket.n_updates_ <= 100
    assert pocket.n_errors_ == 0 or pocket.n_updates_ == 100
    assert pocket.lower_bound_ is None


@quickly(40)
@given(problems(), TIES, st.booleans())
def test_dense_csr_and_tables_give_equal_bits(problem, tie, average):
    X, y = problem
    names = [f"c{j}" for j in range(X.shape[1])]

    def facts(rows):
        pocket = quiet(rows, y, init="zero", tie=tie, average=average, max_updates=120 if average else 50)
        return pocket.coef_.tobytes(), pocket.intercept_.tobytes(), pocket.history_, pocket.exact_weights().strings()

    try:
        expected = facts(X)
    except OverflowError:
        return
    for other in (sp.csr_array(X), pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        assert facts(other) == expected


@pytest.mark.parametrize(("name", "updates"), [("and", 200), ("or", 200), ("iris-setosa", 200)])
def test_separable_classes_are_separated(name, updates):
    X, y = sx.examples.load(name)
    for seed in range(10):
        pocket = sx.Pocket(max_updates=updates, random_state=seed).fit(X, y)
        assert pocket.n_errors_ == 0
        assert pocket.score(X, y) == 1.0
        assert pocket.n_updates_ == pocket.history_[-1].updates < updates


def expected_failures(estimator):
    failures = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a sample weight weighs the errors of a row, not its draws: a repeated row is drawn twice as often",
    )
    failures["check_class_weight_classifiers"] = (
        "weights weigh errors, not updates: nothing drives a run from zero to weights that say one class of all rows"
        if estimator.init == "zero"
        else "the heavy class has all its training rows right, after which errors on the light one count: 39 of 50 new rows "
        "are said to be of the heavy class; 44 are asked for"
    )
    return failures


@parametrize_with_checks(
    [sx.Pocket(max_updates=100, init="zero"), sx.Pocket(max_updates=100, average=True)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_weights_weigh_the_errors_exactly():
    """One heavy row outweighs all others, by whatever little, and floats would not see it."""
    X, y = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0, 1, 1, 0])
    weights = np.array([1.0, 2.0**-53, 2.0**-53, 1.0])
    pocket = quiet(X, y, {"sample_weight": weights})
    assert (pocket.n_errors_, pocket.weighted_error_) == (2, 2.0**-52)
    weights[0] = 2.0**-54
    assert quiet(X, y, {"sample_weight": weights}).weighted_error_ == 2.0**-54
    heavy = quiet(X, y, class_weight={0: 1.0, 1: 5.0})
    assert (heavy.n_errors_, heavy.weighted_error_) == (1, 1.0)


def test_weights_spread_over_the_whole_range():
    rng = np.random.RandomState(0)
    X, y = rng.randint(-2, 3, (40, 2)).astype(float), rng.choice([-1.0, 1.0], 40)
    weights = 10.0 ** rng.uniform(-300, 300, 40)
    options = {"weights": weights, "random_state": 5, "max_updates": 100}
    mine, theirs = compiled(X, y, **options), reference(X, y, **options)
    assert len(mine[1]) > 2
    assert_equal(mine, theirs)


def test_rows_of_weight_zero_are_left_out():
    X, y = sx.examples.load("iris-virginica")
    weights = np.resize([1.0, 0.0, 2.0], len(y))
    kept = weights > 0
    one, other = quiet(X, y, {"sample_weight": weights}), quiet(X[kept], y[kept], {"sample_weight": weights[kept]})
    assert one.history_ == other.history_
    assert one.exact_weights() == other.exact_weights()


def test_starts():
    X, y = sx.examples.load("iris-virginica")
    best = quiet(X, y, init="best", max_updates=1)
    assert best.history_[0].errors < 10
    guess = quiet(X, y, {"coef_init": best.coef_, "intercept_init": best.intercept_}, max_updates=1)
    assert guess.history_[0].errors == best.n_errors_
    assert quiet(X, y, init="zero", max_updates=1).history_[0].errors == 100
    assert quiet(sp.csr_array(X), y, init="best").history_ == quiet(X, y, init="best").history_


def test_the_mean_helps_where_weights_fluctuate():
    rng = np.random.RandomState(1)
    X = rng.standard_normal((2000, 20))
    y = (X @ rng.standard_normal(20) > 0) ^ (rng.random_sample(2000) < 0.1)
    assert quiet(X, y, init="zero", average=True).n_errors_ < quiet(X, y, init="zero").n_errors_


def test_rounding_that_spoils_a_training_row_is_told():
    X = np.array([[2.0**53, -(2.0**53)], [1.0, 1.0], [1.0, 1.0 + 2.0**-52], [-1.0, -1.0]])
    with pytest.warns(sx.RoundingWarning, match="give 1 training row another class"):
        pocket = sx.Pocket(init="zero", fit_intercept=False, random_state=0).fit(X, [1, 1, 1, 0])
    assert pocket.n_errors_ == 0


@pytest.mark.parametrize("init", ["zero", "best"])
def test_products_that_underflow_raise_nothing(init):
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((50, 3)) * [1.0, 1e-180, 1.0], rng.randint(0, 2, 50)
    X[::2, ::2] = 0.0
    pocket = sx.Pocket(init=init, average=True, fit_intercept=False, max_updates=200, random_state=0)
    expected = pocket.fit(X, y).history_
    with np.errstate(all="raise"):
        assert pocket.fit(X, y).history_ == expected


def test_ctrl_c_keeps_the_pocket():
    X, y = sx.examples.load("iris-virginica")
    heard = []

    def listen(text):
        heard.append(text)
        if len(heard) == 5:
            raise KeyboardInterrupt

    pocket = sx.Pocket(init="zero", random_state=0)
    with progress.listening(listen), pytest.warns(ConvergenceWarning, match="was stopped by Ctrl-C"):
        assert pocket.fit(X, y) is pocket
    assert "errors in the pocket" in heard[0].text
    assert 0 < pocket.n_updates_ < 10_000
    assert 0 < pocket.n_errors_ < 100
    assert np.count_nonzero(pocket.predict(X) != y) == pocket.n_errors_


def test_ctrl_c_while_looking_for_a_start_keeps_the_best_of_it():
    X, y = sx.examples.load("iris-virginica")

    def interrupt(heard):
        if "a good start" in heard.text:
            raise KeyboardInterrupt

    pocket = sx.Pocket(random_state=0)
    with progress.listening(interrupt), pytest.warns(ConvergenceWarning, match="was stopped by Ctrl-C"):
        pocket.fit(X, y)
    assert pocket.n_updates_ == 0
    assert 0 < pocket.n_errors_ < 20
    assert np.count_nonzero(pocket.predict(X) != y) == pocket.n_errors_


def test_the_best_start_is_no_worse_than_its_peers_and_the_same_each_time():
    rng = np.random.RandomState(1)
    X = rng.standard_normal((800, 10))
    y = (X @ rng.standard_normal(10) > 0) ^ (rng.random_sample(800) < 0.1)
    pocket = quiet(X, y, max_updates=1)
    assert pocket.exact_weights() == quiet(X, y, max_updates=1).exact_weights()
    peers = (sx.LeastSquaresClassifier(), sx.LinearProgramClassifier(), sx.Perceptron(average=True, max_iter=20))
    for peer in (*peers, LogisticRegression(), LinearSVC()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            peer.fit(X, y)
        assert pocket.n_errors_ <= np.count_nonzero(peer.predict(X) != y)
    kinds = rng.randint(0, 3, 800)
    assert all(each.history_[0].errors < 500 for each in quiet(X, kinds, max_updates=1).estimators_)


def test_time_limit():
    X, y = sx.examples.load("xor")
    started = time.monotonic()
    pocket = sx.Pocket(max_updates=10**15, restarts=3, time_limit=0.2, random_state=0).fit(X, y)
    assert time.monotonic() - started >= 0.2
    assert 0 < pocket.n_updates_ < 10**15
    assert pocket.n_errors_ > 0


def test_restarts_go_on_drawing():
    X, y = sx.examples.load("iris-virginica")
    pocket = quiet(X, y, max_updates=50, restarts=3)
    assert pocket.n_updates_ == 200
    assert pocket.n_errors_ <= quiet(X, y, max_updates=50).n_errors_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": "random"}, "'init' parameter of Pocket.*'zero'"),
        ({"tie": "coin"}, "'tie' parameter of Pocket.*'update'"),
        ({"max_updates": 0}, "'max_updates' parameter.*at least 1"),
        ({"restarts": -1}, "'restarts' parameter.*at least 0"),
        ({"restarts": True}, "'restarts' parameter"),
        ({"time_limit": 0}, "'time_limit' parameter.*positive"),
        ({"time_limit": math.nan}, "'time_limit' parameter"),
        ({"average": 1}, "'average' parameter.*True or False"),
        ({"fit_intercept": "yes"}, "'fit_intercept' parameter.*True or False"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.Pocket(**parameters).fit(*sx.examples.load("and"))


def test_one_class_is_refused_and_names_are_kept():
    with pytest.raises(ValueError, match="Pocket needs rows of two classes"):
        sx.Pocket().fit([[0.0], [1.0]], [1, 1])
    frame = pl.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
    pocket = sx.Pocket(random_state=0).fit(frame, ["no", "no", "yes"])
    assert pocket.feature_names_in_.tolist() == ["a", "b"]
    assert pocket.predict(frame).tolist() == ["no", "no", "yes"]


@pytest.mark.parametrize("weights", [None, np.array([2.0, 0.5, 0.5, 1.0, 0.0])])
def test_a_bound_is_proved_on_demand(weights):
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [5, 5]]), np.array([0, 1, 1, 0, 1])
    pocket = sx.Pocket(certify=60, random_state=0).fit(X, y, sample_weight=weights)
    assert pocket.lower_bound_ == (1 if weights is None else Fraction(1, 2))
    assert pocket.lower_bound_ <= Fraction(pocket.weighted_error_)
    kept = slice(None) if weights is None else slice(4)
    sx.verify(pocket.certificate_, X[kept], y[kept])
    assert sx.Pocket(random_state=0).fit(X, y).lower_bound_ is None


def test_without_an_intercept_a_bound_is_for_strict_signs_only():
    X, y = [[1.0], [2.0]], [0, 1]
    sx.Pocket(certify=60, fit_intercept=False).fit(X, y)
    with pytest.raises(ValueError, match="'certify' parameter of Pocket must be None without an intercept"):
        sx.Pocket(certify=60, fit_intercept=False, tie="positive").fit(X, y)
    with pytest.raises(ValueError, match="'certify' parameter of Pocket must be a positive number"):
        sx.Pocket(certify=0).fit(X, y)


def test_many_sparse_columns_make_no_more_panels(monkeypatch):
    """Sparse rows are not copied for their scores: how many are looked at together is not a matter of columns."""
    rng, n, d = np.random.default_rng(0), 20_000, 100_000
    X = sp.csr_array((rng.standard_normal(2 * n), rng.integers(0, d, 2 * n), np.arange(0, 2 * n + 1, 2)), shape=(n, d))
    run = PocketRun(Problem.of(X, rng.integers(0, 2, n)))
    calls = []
    multiply = ratchet.multiply
    monkeypatch.setattr(ratchet, "multiply", lambda *given: calls.append(multiply(*given)))
    run.climb(8, np.random.RandomState(0), Clock())
    assert run.updates == 8
    assert 1 <= len(calls) <= 2
