"""Margins: both bounds by their definitions, and that they meet; the classifier they make."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from margin_checks import KINDS, check
from reference import dot
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import problems

import separatrix as sx
from separatrix.exact.rounding import root


@given(problems(max_rows=8, max_columns=4), KINDS, st.booleans(), st.booleans(), st.booleans())
def test_bounds_by_their_definitions(problem, kind, intercept, exact, sparse):
    X, y = problem
    rows = sp.csr_array(X) if sparse else X
    try:
        found = sx.margin(rows, y.astype(int), kind=kind, fit_intercept=intercept, exact=exact)
    except sx.NotSeparable as error:
        assert not sx.decide(X, y.astype(int), fit_intercept=intercept).separable
        sx.verify(error.certificate, X, y.astype(int))
        return
    assert sx.decide(X, y.astype(int), fit_intercept=intercept).separable
    check(found, X, y, intercept)
    if exact:
        assert found.squared == found.lo_squared == found.hi_squared


TWO = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([-1.0, 1.0])
GATE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LINE = np.array([[-3.0], [-1.0], [2.0], [7.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
SIMPLEX = np.vstack([np.zeros(5), np.eye(5)]), np.array([-1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
KNOWN = {
    "two points": (*TWO, "geometric", Fraction(25, 4)),
    "a simplex: the corner from its opposite face": (*SIMPLEX, "geometric", Fraction(1, 20)),
    "and": (GATE, np.array([-1.0, -1.0, -1.0, 1.0]), "geometric", Fraction(1, 8)),
    "or": (GATE, np.array([-1.0, 1.0, 1.0, 1.0]), "geometric", Fraction(1, 8)),
    "and, lifted": (GATE, np.array([-1.0, -1.0, -1.0, 1.0]), "lifted", Fraction(1, 17)),
    "collinear": (*LINE, "geometric", Fraction(9, 4)),
    # the nearest point to 0 of the segment from (1, -1) to (2, 1)
    "collinear, lifted": (*LINE, "lifted", Fraction(9, 5)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_margins_known_by_hand(name):
    X, y, kind, squared = KNOWN[name]
    found = sx.margin(X, y.astype(int), kind=kind, exact=True)
    assert found.squared == squared
    check(found, X, y)
    near = sx.margin(X, y.astype(int), kind=kind)
    assert near.lo_squared <= squared <= near.hi_squared


def real():
    iris = load_iris()
    yield "setosa", iris.data, np.where(iris.target == 0, 1.0, -1.0)
    cancer = load_breast_cancer()
    yield "breast cancer", StandardScaler().fit_transform(cancer.data), 2.0 * cancer.target - 1
    rng = np.random.RandomState(0)
    for n, d in ((40, 3), (200, 10), (60, 30)):
        X = rng.standard_normal((n, d))
        score = X @ rng.standard_normal(d)
        yield f"{n} x {d}", X[np.abs(score) > 0.1], np.sign(score)[np.abs(score) > 0.1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "X", "y"), list(real()), ids=lambda value: value if isinstance(value, str) else "")
def test_no_support_vector_machine_does_better(name, X, y):
    found = sx.margin(X, y.astype(int), kind="geometric")
    assert found.hi - found.lo <= 1e-9 * found.hi
    machine = SVC(kernel="linear", C=1e10, tol=1e-6, max_iter=2_000_000).fit(X, y)
    w = [Fraction(v) for v in machine.coef_[0].tolist()]
    scores = [dot(map(Fraction, x), w) for x in X.tolist()]
    low = min(s for s, side in zip(scores, y, strict=True) if side > 0)
    high = max(s for s, side in zip(scores, y, strict=True) if side < 0)
    attained = low - high  # with the best intercept
    assert attained <= 0 or attained**2 / (4 * dot(w, w)) <= found.lo_squared
    lifted_margin = sx.margin(X, y.astype(int))
    assert lifted_margin.hi - lifted_margin.lo <= 1e-9 * lifted_margin.hi
    assert lifted_margin.lo <= found.hi  # the intercept counts in the length


def test_hulls_very_close():
    """2**-40 apart, at length 1: far below what floating point can tell."""
    rng = np.random.RandomState(1)
    for d in (2, 5):
        normal = rng.standard_normal(d)
        X = rng.standard_normal((6 * d, d))
        X -= np.outer(X @ normal / (normal @ normal), normal)
        y = np.tile([-1.0, 1.0], 3 * d)
        X += np.outer(y * 2.0**-40, normal)
        try:
            found = sx.margin(X, y.astype(int), kind="geometric")
        except sx.NotSeparable:
            assert not sx.decide(X, y.astype(int)).separable
            continue
        check(found, X, y)


def test_scaling_by_a_power_of_two_scales_the_margin():
    X, y = GATE, np.array([0, 0, 0, 1])
    for power in (-900, -40, 40, 900):
        scaled = sx.margin(X * 2.0**power, y, kind="geometric", exact=True)
        assert scaled.squared == Fraction(1, 8) * Fraction(4) ** power


def test_numbers_at_the_ends_of_the_range():
    far = np.array([[7.09691455e92, 1.36779171e-279, 1.29870504e296], [9.58356828e268, 3.19110869e78, 3.44275616e-125]])
    check(sx.margin(far, [-1, 1], fit_intercept=False), far, np.array([-1.0, 1.0]), intercept=False)
    tiny, y = np.array([[1.48e-323], [2.37e-322]]), np.array([1.0, 1.0])
    check(sx.margin(sp.csr_array(tiny), y.astype(int), fit_intercept=False), tiny, y, intercept=False)
    check(sx.margin(tiny, [-1, 1], kind="geometric"), tiny, np.array([-1.0, 1.0]))


def test_direction_and_support():
    X, y, *_ = KNOWN["and"]
    found = sx.margin(X, y.astype(int), kind="geometric")
    assert np.allclose(found.direction, np.array([1, 1, -1.5]) / np.sqrt(2))
    assert found.support.tolist() == [1, 2, 3]
    assert np.isclose(np.linalg.norm(sx.margin(X, y.astype(int)).direction), 1.0)


def test_bad_parameters():
    X, y = GATE, [0, 0, 0, 1]
    with pytest.raises(ValueError, match="kind must be one of lifted, geometric"):
        sx.margin(X, y, kind="soft")
    with pytest.raises(ValueError, match="tolerance must be between 0 and 1"):
        sx.margin(X, y, tolerance=0)
    with pytest.raises(ValueError, match="all rows are of one"):
        sx.margin(X, [1, 1, 1, 1], kind="geometric")
    with pytest.raises(sx.NotSeparable, match="There is no margin") as error:
        sx.margin(X, [0, 1, 1, 0])
    sx.verify(error.value.certificate, X, [0, 1, 1, 0])


@given(st.fractions(min_value=0, max_value=10**300), st.booleans())
def test_roots_are_rounded_outwards(square, up):
    found = root(square, up=up)
    assert Fraction(found) ** 2 >= square if up else Fraction(found) ** 2 <= square
    other = np.nextafter(found, 0.0 if up else np.inf)
    assert not square or (Fraction(other) ** 2 < square if up else Fraction(other) ** 2 > square) or found < 1e-300


# ---- The classifier.


@parametrize_with_checks(
    [sx.MaxMargin()],
    expected_failed_checks=lambda estimator: dict.fromkeys(
        (
            "check_fit_score_takes_y", "check_n_features_in_after_fitting", "check_estimators_dtypes", "check_dtype_object",
            "check_estimators_nan_inf", "check_estimator_sparse_tag", "check_estimator_sparse_array",
            "check_estimator_sparse_matrix", "check_classifier_data_not_an_array", "check_classifiers_train",
            "check_supervised_y_2d", "check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in",
        ),
        "the rows that the check makes are not separable, and the classifier says so",
    ),
)  # fmt: skip
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("name", "X", "y"), list(real()), ids=lambda value: value if isinstance(value, str) else "")
def test_the_classifier(name, X, y):
    classifier = sx.MaxMargin().fit(X, y.astype(int))
    assert classifier.score(X, y.astype(int)) == 1.0
    lo, hi = classifier.margin_bounds_
    assert lo == classifier.margin_ <= hi
    distances = classifier.distance(X) * y
    assert np.isclose(distances.min(), lo, rtol=1e-6)
    scores = classifier.decision_function(X) * y
    assert np.isclose(scores.min(), 1.0, rtol=1e-6)
    assert np.allclose(scores[classifier.support_], 1.0, rtol=1e-5)
    assert np.allclose(classifier.dual_coef_ @ X[classifier.support_], classifier.coef_, rtol=1e-5, atol=1e-6 * hi**-1)
    assert np.isclose(classifier.dual_coef_.sum(), 0.0, atol=1e-6 * np.abs(classifier.dual_coef_).max())


def test_the_classifier_without_intercept():
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.0]]), np.array(["a", "a", "b"])
    classifier = sx.MaxMargin(fit_intercept=False).fit(X, y)
    assert classifier.intercept_.tolist() == [0.0]
    assert np.isclose((classifier.decision_function(X) * [-1, -1, 1]).min(), 1.0)
    assert np.allclose(classifier.dual_coef_ @ X[classifier.support_], classifier.coef_)


def test_the_classifier_refuses():
    with pytest.raises(sx.NotSeparable) as error:
        sx.MaxMargin().fit(GATE, [0, 1, 1, 0])
    sx.verify(error.value.certificate, GATE, [0, 1, 1, 0])
    with pytest.raises(ValueError, match="'tolerance' parameter"):
        sx.MaxMargin(tolerance=2).fit(GATE, [0, 0, 0, 1])
    with pytest.raises(ValueError, match="'fit_intercept' parameter"):
        sx.MaxMargin(fit_intercept="yes").fit(GATE, [0, 0, 0, 1])
    with pytest.raises(TypeError, match="sample_weight"):
        sx.MaxMargin().fit(GATE, [0, 0, 0, 1], sample_weight=[1, 1, 1, 1])  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="only one class"):
        sx.MaxMargin().fit(GATE, [1, 1, 1, 1])
    with pytest.raises(NotFittedError):
        sx.MaxMargin().predict(GATE)
