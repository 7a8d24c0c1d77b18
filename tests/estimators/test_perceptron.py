"""The estimator: scikit-learn's contract, equal bits from every road, and what is said of rounding."""

import pickle
import warnings
from fractions import Fraction
from functools import partial

import fits
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted
from reference import perceptron as reference
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import TIES, batches, problems

import separatrix as sx


@parametrize_with_checks(
    [sx.Perceptron()],
    expected_failed_checks=lambda estimator: {
        **dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
            "a sample weight multiplies the updates of a row, not its visits: a repeated row is visited again",
        ),
        "check_class_weight_classifiers": "of three classes the heavy one has all its training rows right, after which its "
        "weight plays no part, and 42 of 50 new rows; 44 are asked for",
    },
)
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


fitted = partial(fits.fitted, max_iter=12, record=True)


def facts(perceptron):
    return (
        perceptron.mistakes_.tolist(),
        perceptron.coef_.tobytes(),
        perceptron.intercept_.tobytes(),
        perceptron.exact_weights().strings(),
    )


@given(problems(), TIES, st.booleans())
def test_dense_csr_and_tables_give_equal_bits(problem, tie, intercept):
    X, y = problem
    try:
        expected = fitted(X, y, tie=tie, fit_intercept=intercept)
    except OverflowError:
        return
    parameters = {"tie": tie, "fit_intercept": intercept}
    names = [f"c{j}" for j in range(X.shape[1])]
    others = [sp.csr_array(X), sp.csc_matrix(X), np.asfortranarray(X), pd.DataFrame(X, columns=names),
              pl.DataFrame(X, schema=names), pa.table(dict(zip(names, X.T, strict=True)))]  # fmt: skip
    for other in others:
        assert facts(fitted(other, y, **parameters)) == facts(expected)


@given(problems(), TIES, st.sampled_from([1.0, 0.1, 0.25]), st.data())
def test_partial_fit_in_any_batches_is_one_exact_pass(problem, tie, eta, data):
    X, y = problem
    trace, w, _, _ = reference(X, y, tie=tie, eta=eta, max_iter=1)
    online = sx.Perceptron(tie=tie, eta0=eta, record=True, order="shuffle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows, labels in batches(data, X, y):
            try:
                online.partial_fit(rows, labels, classes=[-1, 1])
            except OverflowError:
                return
    assert online.mistakes_.tolist() == trace
    assert online.n_mistakes_ == len(trace)
    assert online.exact_weights().fractions() == w


def test_partial_fit_goes_on_with_another_learning_rate():
    X, y = np.array([[1.0, 0.3], [0.7, -2.0], [1.5, 1.1]]), np.array([1.0, -1.0, 1.0])
    online = sx.Perceptron(eta0=0.1).partial_fit(X, y, classes=[-1, 1])
    first = reference(X, y, eta=0.1, max_iter=1)[1]
    online.set_params(eta0=0.7).partial_fit(X, -y)
    w = list(first)  # not floats, so the reference cannot start from them: go on by hand
    for z in lifted(X, -y, True):
        if dot(w, z) <= 0:
            w = [a + Fraction(0.7) * b for a, b in zip(w, z, strict=True)]
    assert online.exact_weights().fractions() == w


@given(problems(), TIES, st.booleans())
def test_predictions_are_the_signs_of_exact_scores(problem, tie, sparse):
    X, y = problem
    try:
        perceptron = fitted(X, y, tie=tie)
    except OverflowError:
        return
    w = perceptron.exact_weights().fractions()
    scores = [dot(w, z) for z in lifted(X, np.ones(len(X)), True)]
    rows = sp.csr_array(X) if sparse else X
    values = perceptron.decision_function(rows)
    assert [np.sign(v) for v in values] == [(s > 0) - (s < 0) for s in scores]
    at_zero = 1 if tie == "positive" else -1
    assert perceptron.predict(rows).tolist() == [(1 if s > 0 else -1) if s else at_zero for s in scores]


@given(problems(), st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=9, max_size=9))
def test_rows_of_weight_zero_are_left_out(problem, weights):
    X, y = problem
    weights = np.array(weights[: len(y)])
    kept = np.flatnonzero(weights)
    if len(set(y[kept])) < 2:
        return
    try:
        expected = reference(X[kept], y[kept], weights=weights[kept], max_iter=12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            perceptron = sx.Perceptron(max_iter=12, record=True).fit(X, y, sample_weight=weights)
    except OverflowError:
        return
    assert perceptron.mistakes_.tolist() == kept[expected[0]].tolist()
    assert perceptron.exact_weights().fractions() == expected[1]


def test_class_weight_multiplies_sample_weight():
    X, y = sx.examples.load("iris-virginica")
    w = np.linspace(0.5, 2, len(y))
    both = np.where(y == "virginica", 3.0, 0.5) * w
    one = fitted(X, y, class_weight={"virginica": 3.0, "versicolor": 0.5})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = clone(one).fit(X, y, sample_weight=w)
        other = sx.Perceptron(max_iter=12, record=True).fit(X, y, sample_weight=both)
    assert facts(one) == facts(other)


def test_an_order_given_skips_rows_of_weight_zero():
    X, y = sx.examples.load("or")
    order = [3, 2, 1, 0]
    perceptron = sx.Perceptron(order=order, record=True).fit(X, y, sample_weight=[1, 0, 1, 1])
    expected = reference(X[[0, 2, 3]], [-1, 1, 1], order=[2, 1, 0])
    assert perceptron.mistakes_.tolist() == np.array([0, 2, 3])[expected[0]].tolist()


def test_initial_guess():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron(record=True).fit(X, y, coef_init=[[0.3, -0.7]], intercept_init=[0.1])
    trace, w, passes, _ = reference(X, 2 * y - 1, start=[0.3, -0.7, 0.1])
    assert perceptron.mistakes_.tolist() == trace
    assert perceptron.exact_weights().fractions() == w
    assert perceptron.n_iter_ == passes


def test_rounding_that_spoils_a_training_row_is_told():
    """The exact weights are 2**53 + 1 and 1 - 2**53; the first is rounded down, which takes the third row with it."""
    X = np.array([[2.0**53, -(2.0**53)], [1.0, 1.0], [1.0, 1.0 + 2.0**-52], [-1.0, -1.0]])
    y = np.array([1, 1, 1, 0])
    perceptron = sx.Perceptron(fit_intercept=False)
    with pytest.warns(sx.RoundingWarning, match="give 1 training row another class than the exact weights"):
        perceptron.fit(X, y)
    assert perceptron.converged_
    assert perceptron.exact_weights().strings() == [str(2**53 + 1), str(1 - 2**53)]
    assert perceptron.predict(X).tolist() == [1, 1, 1, 0]
    perceptron.coef_ = perceptron.coef_ * 1.0  # the same numbers: nothing is set
    assert perceptron.predict(X).tolist() == [1, 1, 1, 0]
    perceptron.coef_ = np.nextafter(perceptron.coef_, 0.0)
    assert perceptron.exact_weights().fractions() == [Fraction(v) for v in perceptron.coef_[0].tolist()]


def test_not_converged_says_what_to_do():
    with pytest.warns(ConvergenceWarning, match=r"40 mistakes in 10 passes.*It never will.*sx\.decide.*sx\.least_errors"):
        sx.Perceptron(max_iter=10).fit(*sx.examples.load("xor"))


def test_convergence_is_that_of_the_theorem():
    for name in ("and", "or", "nand", "nor", "iris-setosa", "credit"):
        X, y = sx.examples.load(name)
        perceptron = sx.Perceptron().fit(X, y)
        assert perceptron.converged_
        assert perceptron.score(X, y) == 1.0
        assert perceptron.n_mistakes_ >= 1


def test_distance_and_decision_function():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron().fit(X, y)
    w, b = perceptron.coef_[0], perceptron.intercept_[0]
    assert np.allclose(perceptron.decision_function(X), X @ w + b)
    assert np.allclose(perceptron.distance(X), (X @ w + b) / np.hypot(*w))
    on_the_line = [[-b / w[0], 0.0]]
    assert abs(perceptron.distance(on_the_line)[0]) < 1e-15
    with pytest.raises(ValueError, match="no hyperplane"):
        sx.Perceptron(fit_intercept=False).partial_fit([[0.0]], [0], classes=[0, 1]).distance([[1.0]])


def test_scores_beyond_the_range_of_floats_keep_their_sign():
    perceptron = sx.Perceptron(fit_intercept=False).fit([[1e200, -1e200], [-1e200, 1e200]], [1, 0])
    assert perceptron.decision_function([[1e200, 1e200], [1e300, 0.0], [1e-300, 0.0], [2e200, 1e200]]).tolist() == [
        0.0, np.inf, pytest.approx(1e-100), np.inf,
    ]  # fmt: skip
    tiny = sx.Perceptron(fit_intercept=False).fit([[1e-300], [-1e-300]], [1, 0])
    assert tiny.decision_function([[1e-300]])[0] == 5e-324


def test_weights_too_large_for_float64_are_an_error():
    X = np.array([[1.7e308, 1.0], [-1.7e308, 1.0], [1.7e308, -1.0]])
    with pytest.raises(OverflowError, match="Rescale"):
        sx.Perceptron(fit_intercept=False, max_iter=3).fit(X, [1, 0, 1], coef_init=[-1e308, 1e308], sample_weight=[3, 1, 1])


def test_in_a_pipeline_with_names():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1, 0, 1, 0]})
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), sx.Perceptron()).fit(frame, [0, 0, 1, 1])
    assert model[-1].feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(frame).tolist() == [0, 0, 1, 1]
    direct = sx.Perceptron().fit(pl.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]}), ["no", "yes"])
    assert direct.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        direct.predict(pl.DataFrame({"a": [0.0], "c": [1.0]}))


def test_pickled_it_goes_on_exactly():
    X, y = sx.examples.load("credit")
    half = len(y) // 2
    one = sx.Perceptron(eta0=0.1).partial_fit(X[:half], y[:half], classes=["no", "yes"])
    other = pickle.loads(pickle.dumps(one)).partial_fit(X[half:], y[half:])
    assert other.exact_weights() == one.partial_fit(X[half:], y[half:]).exact_weights()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": "sorted"}, "'order' parameter.*'cyclic'"),
        ({"order": [0, 0, 1, 2]}, "permutation of the 4 rows"),
        ({"order": [0.5, 1, 2, 3]}, "permutation of the 4 rows"),
        ({"tie": "coin"}, "'tie' parameter.*'update'"),
        ({"max_iter": 0}, "'max_iter' parameter.*at least 1"),
        ({"max_iter": 2.5}, "'max_iter' parameter"),
        ({"eta0": -1.0}, "'eta0' parameter.*positive"),
        ({"eta0": np.nan}, "'eta0' parameter"),
        ({"fit_intercept": "yes"}, "'fit_intercept' parameter.*True or False"),
        ({"class_weight": "heavy"}, "class_weight"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.Perceptron(**parameters).fit(*sx.examples.load("and"))


def test_bad_calls_are_refused():
    X, y = sx.examples.load("and")
    with pytest.raises(ValueError, match="coef_init has 3 weights, expected 2"):
        sx.Perceptron().fit(X, y, coef_init=[1, 2, 3])
    with pytest.raises(ValueError, match="finite"):
        sx.Perceptron().fit(X, y, coef_init=[np.nan, 0])
    with pytest.raises(ValueError, match="fit_intercept is False"):
        sx.Perceptron(fit_intercept=False).fit(X, y, intercept_init=1.0)
    with pytest.raises(ValueError, match="only one class"):
        sx.Perceptron().fit(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        sx.Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match="expected two or more"):
        sx.Perceptron().partial_fit(X, y, classes=[0])
    with pytest.raises(ValueError, match="not supported for partial_fit"):
        sx.Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(NotFittedError):
        sx.Perceptron().predict(X)


def test_ctrl_c_keeps_what_is_learnt(monkeypatch):
    def interrupt(make_text, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr("separatrix.perceptron.run.NUMBERS_PER_CALL", 1000)
    monkeypatch.setattr("separatrix.support.progress.report", interrupt)
    X, y = sx.examples.load("breast-cancer")
    perceptron = sx.Perceptron()
    with pytest.warns(ConvergenceWarning, match=r"was stopped by Ctrl-C after 4 mistakes in 1 pass\..* sx\.decide says"):
        assert perceptron.fit(X, y) is perceptron
    assert perceptron.n_mistakes_ > 0
    assert not perceptron.converged_
    assert perceptron.predict(X).shape == y.shape


def test_sgd_of_step_1_on_the_perceptron_loss_is_the_perceptron():
    """The tie rule is the choice of the subgradient at the kink."""
    rng = np.random.RandomState(3)
    X = rng.randint(-2, 3, (12, 3)).astype(float)
    y = rng.choice([0, 1], 12)
    for tie in ("update", "positive", "negative"):
        w, b, trace = np.zeros(3), 0.0, []
        for _ in range(4):
            for i in range(12):
                gradient, shift = sx.perceptron_subgradient(w, b, X[[i]], y[[i]], classes=[0, 1], tie=tie)
                if np.any(gradient) or shift:
                    trace.append(i)
                w, b = w - gradient, b - shift
        assert trace == reference(X, 2 * y - 1, tie=tie, max_iter=4)[0]


def test_the_subgradient_is_one():
    """The loss lies above each of its tangents, whatever the tie rule."""
    rng = np.random.RandomState(4)
    X, y = rng.randint(-2, 3, (8, 2)).astype(float), np.resize([0, 1], 8)
    for tie in ("update", "positive", "negative"):
        for _ in range(50):
            (w, b), (u, c) = [(rng.randint(-2, 3, 2).astype(float), float(rng.randint(-2, 3))) for _ in range(2)]
            gradient, shift = sx.perceptron_subgradient(w, b, X, y, tie=tie)
            tangent = sx.perceptron_loss(w, b, X, y) + gradient @ (u - w) + shift * (c - b)
            assert sx.perceptron_loss(u, c, X, y) >= tangent


def test_a_failed_call_leaves_no_half_made_estimator():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron()
    with pytest.raises(ValueError, match="NaN"):
        perceptron.partial_fit([[np.nan, 0.0]], [0], classes=[0, 1])
    assert perceptron.partial_fit(X, y, classes=[0, 1]).n_mistakes_ > 0
    perceptron = sx.Perceptron().fit(X, y)
    before = facts_of(perceptron)
    for bad in ({"y": [1, 1, 1, 1]}, {"y": y, "coef_init": [1.0]}, {"y": y, "sample_weight": [1, -1, 1, 1]}):
        with pytest.raises(ValueError, match=r"class|coef_init|sample_weight"):
            perceptron.fit(X, **bad)
    assert facts_of(perceptron) == before
    assert perceptron.predict(X).tolist() == y.tolist()


def facts_of(perceptron):
    return (
        perceptron.coef_.tolist(),
        perceptron.classes_.tolist(),
        perceptron.n_mistakes_,
        perceptron.exact_weights().strings(),
    )


def test_changing_the_intercept_between_calls():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="fit_intercept has changed"):
        perceptron.set_params(fit_intercept=True).partial_fit(X, y)
    perceptron = sx.Perceptron().fit(X, y).set_params(fit_intercept=False)
    assert perceptron.predict(X).tolist() == y.tolist()


def test_the_trace_goes_on_after_fit():
    X, y = sx.examples.load("or")
    perceptron = sx.Perceptron(record=True).fit(X, y)
    before = perceptron.mistakes_.tolist()
    perceptron.partial_fit(X, 1 - y)
    assert perceptron.mistakes_.tolist()[: len(before)] == before
    assert min(perceptron.mistakes_.tolist()[len(before) :]) >= 4
    late = sx.Perceptron().partial_fit(X, y, classes=[0, 1]).set_params(record=True).partial_fit(X, 1 - y)
    assert min(late.mistakes_) >= 4


def test_rounding_to_subnormal_weights_is_told():
    X = [[3.4, 2.6], [1, -1.1], [-1, -1]]
    with pytest.warns(sx.RoundingWarning, match="1 training row"):
        sx.Perceptron(eta0=5e-324, fit_intercept=False).fit(X, [1, 1, 0])


@pytest.mark.parametrize("eta", [2.0**-1030, 2.0**1000, 1.5e300, 5e-324])
def test_extreme_learning_rates_from_a_guess(eta):
    X, y = np.array([[1e-10, 0.0], [0.0, 1e-10], [1e-10, 1e-10]]), np.array([-1.0, 1.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        perceptron = sx.Perceptron(eta0=eta, max_iter=4).fit(X, y, coef_init=[0.5, -0.3], sample_weight=[0.1, 1.0, 0.3])
    expected = reference(X, y, eta=eta, start=[0.5, -0.3, 0.0], weights=[0.1, 1.0, 0.3], max_iter=4)
    assert perceptron.exact_weights().fractions() == expected[1]


def test_enormous_max_iter():
    X, y = sx.examples.load("and")
    for order in ("cyclic", "random"):
        assert sx.Perceptron(order=order, max_iter=10**30, random_state=0).fit(X, y).converged_
        assert sx.Perceptron(order=order, max_iter=np.int64(2**62), random_state=0).fit(X, y).converged_


def test_the_loss_takes_what_the_estimator_gives_and_refuses_nan():
    X, y = sx.examples.load("and")
    perceptron = sx.Perceptron().fit(X, y)
    assert sx.perceptron_loss(perceptron.coef_, perceptron.intercept_, X, y) == 0.0
    for coef, intercept in (([np.nan, 0.0], 0.0), ([1.0, 1.0], np.inf)):
        with pytest.raises(ValueError, match="finite"):
            sx.perceptron_loss(coef, intercept, X, y)
    with pytest.raises(ValueError, match="expected 2 weights"):
        sx.perceptron_subgradient([1.0], 0.0, X, y)
    with pytest.raises(ValueError, match="Say which class is positive"):
        sx.perceptron_loss([1.0, 1.0], 0.0, X, [1, 1, 1, 1])
