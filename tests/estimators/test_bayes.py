"""The Bayes classifier of known distributions, its risk, and a source of rows for which all of it is known."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from scipy import stats
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix as sx
from separatrix.examples.gaussians import TwoGaussians


def around(centre):
    """A log-density of rows of any dimension, not normalised: the same factor in all classes changes nothing."""

    def log_density(rows):
        return -0.5 * ((rows - centre) ** 2).sum(axis=1)

    return log_density


NEAR, FAR = around(0.0), around(1.0)


class Picklable:
    """The same as an object: functions inside functions cannot be pickled."""

    def __init__(self, centre):
        self.centre = centre

    def __repr__(self):
        return f"Picklable({self.centre})"

    def logpdf(self, rows):
        return around(self.centre)(rows)


@parametrize_with_checks([sx.BayesClassifier([Picklable(0.0), Picklable(1.0)])])
def test_scikit_learn_contract(estimator, check):
    """No check is exempt: with two distributions of any dimension it is a classifier of two classes."""
    check(estimator)


def covariance(d, seed):
    A = np.random.RandomState(seed).standard_normal((d, d))
    return A @ A.T + 0.1 * np.eye(d)


def mvn(*mean, cov=None):
    return stats.multivariate_normal(mean, np.eye(len(mean)) if cov is None else cov)


SOURCES = {
    "closed form": [
        ([stats.norm(-1, 1), stats.norm(1, 1)], None),
        ([stats.norm(0, 2), stats.norm(loc=3, scale=2)], [0.9, 0.1]),
        ([mvn(0, 0), mvn(1, 2)], [0.3, 0.7]),
        ([mvn(0, 0, 0, cov=covariance(3, 0)), mvn(1, -1, 2, cov=covariance(3, 0))], [0.2, 0.8]),
    ],
    "summation": [
        ([stats.binom(10, 0.3), stats.binom(10, 0.6)], [0.4, 0.6]),
        ([stats.poisson(2), stats.poisson(5), stats.poisson(20)], [0.5, 0.25, 0.25]),
        ([stats.skellam(3, 4), stats.skellam(5, 2)], None),
        ([stats.geom(0.5), stats.randint(0, 7)], None),
        ([stats.rv_discrete(values=([0, 1.5, 3], [0.2, 0.3, 0.5])), stats.rv_discrete(values=([0, 3], [0.5, 0.5]))], None),
    ],
    "intervals": [
        ([stats.norm(0, 1), stats.norm(0, 3)], None),
        ([stats.norm(0, 1), stats.norm(2, 1), stats.norm(5, 2)], [0.2, 0.3, 0.5]),
        ([stats.expon(), stats.gamma(3)], [0.7, 0.3]),
        ([stats.cauchy(), stats.cauchy(2)], None),
        ([stats.uniform(0, 2), stats.uniform(1, 2)], None),
        ([stats.beta(0.5, 0.5), stats.beta(2, 3)], None),
    ],
    "Monte Carlo": [
        ([mvn(0, 0), mvn(1, 2, cov=covariance(2, 1))], None),
        ([mvn(0, 0), mvn(2, 0), mvn(0, 2)], [0.2, 0.3, 0.5]),
        ([stats.multinomial(4, [0.2, 0.3, 0.5]), stats.multinomial(4, [0.5, 0.3, 0.2])], None),
    ],
}
ALL = [(method, *source) for method, sources in SOURCES.items() for source in sources]


@pytest.mark.parametrize(("method", "distributions", "priors"), ALL)
def test_the_risk_is_that_of_its_own_predictions(method, distributions, priors):
    """By definition: the share of errors among many rows drawn at random, within four standard errors."""
    bayes = sx.BayesClassifier(distributions, priors=priors)
    risk = bayes.risk()
    assert risk.method == method
    assert float(risk) == risk.value
    rng = np.random.RandomState(7)
    n = 40_000
    y = rng.choice(len(distributions), n, p=priors)
    drawn = [np.reshape(d.rvs(size=n, random_state=rng), (n, -1)) for d in distributions]
    X = np.stack(drawn)[y, np.arange(n)]
    wrong = np.mean(bayes.predict(X) != y)
    spread = math.sqrt(risk.value * (1 - risk.value) / n + risk.error**2)
    assert abs(wrong - risk.value) <= 4 * spread + 1e-12
    sampled = bayes.risk(method="Monte Carlo", n_samples=20_000, random_state=3)
    assert abs(sampled.value - risk.value) <= 4 * math.hypot(sampled.error, risk.error) + 1e-9
    assert sampled == bayes.risk(method="Monte Carlo", n_samples=20_000, random_state=3)
    if method in ("closed form", "summation"):
        assert risk.error == 0.0


@pytest.mark.parametrize(("_", "distributions", "priors"), ALL)
def test_the_decision_is_optimal_at_every_point(_, distributions, priors):
    """No class has a larger prior times density, and probabilities are these, normalised."""
    bayes = sx.BayesClassifier(distributions, priors=priors)
    count = len(distributions)
    rng = np.random.RandomState(1)
    X = np.vstack([np.reshape(d.rvs(size=50, random_state=rng), (50, -1)) for d in distributions])
    rows = X[:, 0] if hasattr(distributions[0], "support") else X
    density = [d.pdf(rows) if hasattr(d, "pdf") else d.pmf(rows) for d in distributions]
    joint = np.array(density).T * (np.full(count, 1 / count) if priors is None else priors)
    chosen = joint[np.arange(len(X)), bayes.predict(X)]
    assert np.all(chosen >= joint.max(axis=1) * (1 - 1e-12))
    assert np.allclose(bayes.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), atol=1e-12)
    with np.errstate(divide="ignore"):
        assert np.allclose(np.exp(bayes.predict_log_proba(X)), bayes.predict_proba(X))
    scores = bayes.decision_function(X)
    if count == 2:
        assert np.array_equal(bayes.predict(X), (scores > 0).astype(int))
    else:
        assert scores.shape == (len(X), count)
        assert np.array_equal(bayes.predict(X), scores.argmax(axis=1))


def test_risks_by_hand():
    # Unit normals two apart: each errs beyond one standard deviation.
    assert sx.BayesClassifier([stats.norm(-1), stats.norm(1)]).risk().value == pytest.approx(stats.norm.cdf(-1), rel=1e-15)
    # Uniform on [0, 2] and [1, 3]: half of the one is inside the other.
    assert sx.BayesClassifier([stats.uniform(0, 2), stats.uniform(1, 2)]).risk().value == pytest.approx(0.25, rel=1e-14)
    # Two Cauchy distributions, 2 apart, meet in the middle: arctan(1) is a quarter of a turn.
    assert sx.BayesClassifier([stats.cauchy(), stats.cauchy(2)]).risk().value == pytest.approx(0.25, rel=1e-14)
    # A coin and a two-headed coin.
    coins = sx.BayesClassifier([stats.bernoulli(0.5), stats.bernoulli(1.0)])
    assert coins.risk().value == 0.25
    # Normals of one mean and variances 1 and 4: the classes meet at x^2 = (8/3) log 2.
    x = math.sqrt(8 / 3 * math.log(2))
    expected = 0.5 * (2 * stats.norm.sf(x) + stats.norm.cdf(x / 2) - stats.norm.cdf(-x / 2))
    assert sx.BayesClassifier([stats.norm(0, 1), stats.norm(0, 2)]).risk().value == pytest.approx(expected, rel=1e-14)


def test_the_closed_form_equals_that_by_intervals():
    for prior in (0.01, 0.3, 0.5):
        bayes = sx.BayesClassifier([stats.norm(0, 2), stats.norm(1, 2)], priors=[1 - prior, prior])
        assert bayes.risk().value == pytest.approx(bayes.risk(method="intervals").value, rel=1e-13)


def test_equal_distributions_leave_the_priors():
    assert sx.BayesClassifier([stats.norm(), stats.norm()], priors=[0.3, 0.7]).risk().value == 0.3
    assert sx.BayesClassifier([stats.poisson(3), stats.poisson(3)]).risk().value == pytest.approx(0.5, rel=1e-12)


def test_a_tail_too_long_to_sum_is_bounded():
    """Zipf's law with exponent 1.5 leaves a part of 2 / (zeta(1.5) sqrt(N)) beyond N: the error says so."""
    risk = sx.BayesClassifier([stats.zipf(1.5), stats.zipf(2)]).risk()
    assert risk.method == "summation"
    assert 1e-4 < risk.error < 1e-2


@quickly(50)
@given(st.integers(1, 4), st.floats(0.01, 0.99), st.integers(0, 10**6))
def test_the_hyperplane_of_two_gaussians_is_the_classifier(d, prior, seed):
    rng = np.random.RandomState(seed)
    cov = covariance(d, seed % 1000)
    bayes = sx.BayesClassifier(
        [stats.multivariate_normal(rng.standard_normal(d), cov) for _ in range(2)], priors=[1 - prior, prior]
    )
    X = 3 * rng.standard_normal((20, d))
    odds = bayes.decision_function(X)
    assert np.allclose(X @ bayes.coef_[0] + bayes.intercept_[0], odds, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(odds).max()))


def test_there_is_no_hyperplane_elsewhere():
    for distributions in SOURCES["intervals"][0][0], SOURCES["Monte Carlo"][1][0], [stats.poisson(2), stats.poisson(3)]:
        bayes = sx.BayesClassifier(distributions)
        assert not hasattr(bayes, "coef_")
        with pytest.raises(AttributeError, match="no hyperplane"):
            _ = bayes.intercept_
    singular = stats.multivariate_normal([0, 0], [[1, 1], [1, 1]], allow_singular=True)
    assert sx.BayesClassifier([singular, singular]).risk().method == "Monte Carlo"


def test_rows_that_no_class_can_make_have_the_priors():
    bayes = sx.BayesClassifier([stats.uniform(0, 1), stats.uniform(2, 1)], priors=[0.25, 0.75])
    assert np.allclose(bayes.predict_proba([[5.0], [0.5]]), [[0.25, 0.75], [1.0, 0.0]], rtol=1e-15)
    assert bayes.predict([[5.0]]).tolist() == [1]
    assert bayes.risk().value == 0.0


def test_poles_are_told_by_the_priors():
    bayes = sx.BayesClassifier([stats.gamma(0.5), stats.gamma(0.25), stats.norm()], priors=[0.2, 0.6, 0.2])
    assert bayes.predict([[0.0]]).tolist() == [1]
    assert np.allclose(bayes.predict_proba([[0.0]]), [[0.25, 0.75, 0.0]])


def test_functions_are_densities_too():
    bayes = sx.BayesClassifier([NEAR, FAR])
    assert bayes.predict([[0.4, 0.4], [0.6, 0.6]]).tolist() == [0, 1]
    assert bayes.predict(sp.csr_array([[0.4, 0.4], [0.6, 0.6]])).tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"distributions\[0\] cannot be sampled.*rvs"):
        bayes.risk()


def test_fit_learns_nothing():
    X, y = TwoGaussians(distance=1.0, dimension=1).sample(50, random_state=0)
    bayes = sx.BayesClassifier([stats.norm(-0.5), stats.norm(0.5)])
    before = bayes.predict_proba(X)
    assert bayes.classes_.tolist() == [0, 1]
    assert get_scorer("accuracy")(bayes, X, (y == 1).astype(int)) == bayes.score(X, (y == 1).astype(int))
    names = np.where(y == 1, "yes", "no")
    bayes.fit(pd.DataFrame(X, columns=["a"]), names)
    assert bayes.classes_.tolist() == ["no", "yes"]
    assert bayes.feature_names_in_.tolist() == ["a"]
    table = pd.DataFrame(X, columns=["a"])
    assert np.array_equal(bayes.predict_proba(table), before)
    assert set(bayes.predict(table)) == {"no", "yes"}
    assert pickle.loads(pickle.dumps(bayes)).predict(table).tolist() == bayes.predict(table).tolist()
    assert clone(bayes).risk() == bayes.risk()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sx.BayesClassifier(stats.norm()), TypeError, "must be a sequence"),
        (lambda: sx.BayesClassifier([stats.norm()]), ValueError, "at least two classes"),
        (lambda: sx.BayesClassifier([stats.norm(), "normal"]), TypeError, r"distributions\[1\].*scipy.stats"),
        (lambda: sx.BayesClassifier([stats.norm(), stats.poisson(3)]), ValueError, "cannot be compared"),
        (lambda: sx.BayesClassifier([mvn(0, 0), mvn(0, 0, 0)]), ValueError, "different dimensions: 2, 3"),
        (lambda: sx.BayesClassifier([stats.norm(), stats.norm()], priors=[0.5, 0.6]), ValueError, "add up to 1"),
        (lambda: sx.BayesClassifier([stats.norm(), stats.norm()], priors=[0.0, 1.0]), ValueError, "positive"),
        (lambda: sx.BayesClassifier([stats.norm(), stats.norm()], priors=[1.0]), ValueError, r"expected \(2,\)"),
        (lambda: sx.BayesClassifier([stats.norm(), stats.norm()], classes=["a", "a"]), ValueError, "2 different labels"),
        (lambda: sx.BayesClassifier([mvn(0, 0), mvn(1, 1)]), ValueError, "X has 1 features, but.*dimension 2"),
        (lambda: sx.BayesClassifier([NEAR, lambda rows: np.zeros(7)]), ValueError, "7 log-densities for 2 rows"),
        (lambda: sx.BayesClassifier([NEAR, lambda rows: rows[:, 0] * np.nan]), ValueError, "gives NaN for row 0"),
    ],
)
def test_bad_distributions_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make().predict([[0.0], [1.0]])


def test_bad_calls_are_refused():
    bayes = sx.BayesClassifier([stats.norm(), stats.norm(1)])
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        bayes.fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="2 distributions, but 1 class in y"):
        bayes.fit([[0.0]], [0])
    with pytest.raises(ValueError, match="class 'c', which is not among classes"):
        sx.BayesClassifier([NEAR, FAR], classes=["a", "b"]).fit([[0.0]], ["c"])
    with pytest.raises(ValueError, match="method must be one of"):
        bayes.risk(method="guess")
    with pytest.raises(ValueError, match="cannot be found by summation: it is for discrete"):
        bayes.risk(method="summation")
    with pytest.raises(ValueError, match="n_samples"):
        bayes.risk(n_samples=1)


def test_other_distributions_after_fit_ask_for_another_fit():
    bayes = sx.BayesClassifier([stats.norm(0), stats.norm(1)]).fit([[0], [1]], ["a", "b"])
    bayes.set_params(distributions=[stats.norm(0), stats.norm(1), stats.norm(2)])
    with pytest.raises(ValueError, match=r"3 distributions now.*2 classes in fit\. Call fit again"):
        bayes.predict([[2]])


# The source.


@quickly(60)
@given(st.floats(0.0, 6.0), st.integers(1, 6), st.floats(0.02, 0.98), st.integers(0, 10**6))
def test_no_hyperplane_beats_the_bayes_classifier(distance, dimension, prior, seed):
    source = TwoGaussians(distance, dimension, prior)
    least = source.bayes.risk().value
    coef, intercept = source.bayes.coef_, source.bayes.intercept_
    assert source.risk(coef, intercept) == pytest.approx(least, rel=1e-9, abs=1e-300)
    rng = np.random.RandomState(seed)
    for _ in range(20):
        assert source.risk(rng.standard_normal(dimension), rng.standard_normal()) >= least - 1e-15
        near = coef + 0.1 * rng.standard_normal(coef.shape)
        assert source.risk(near, intercept + 0.1 * rng.standard_normal()) >= least - 1e-15


@pytest.mark.parametrize(("distance", "dimension", "prior"), [(2.0, 3, 0.5), (1.0, 1, 0.2), (4.0, 10, 0.9)])
def test_the_risk_of_a_hyperplane_is_its_share_of_errors(distance, dimension, prior):
    source = TwoGaussians(distance, dimension, prior)
    X, y = source.sample(50_000, random_state=1)
    assert np.allclose([y.mean()], prior, atol=4 * math.sqrt(prior * (1 - prior) / len(y)))
    rng = np.random.RandomState(2)
    for _ in range(5):
        w, b = rng.standard_normal(dimension) + 0.5, rng.standard_normal()
        risk = source.risk(w, b)
        assert abs(np.mean((X @ w + b > 0) != y) - risk) <= 4 * math.sqrt(risk * (1 - risk) / len(y))
    assert source.risk(np.zeros(dimension), 1.0) == 1 - prior
    assert source.risk(np.zeros(dimension), 0.0) == prior
    assert source.risk(1e300 * w, [1e300 * b]) == pytest.approx(source.risk(w, b))


def test_samples_are_the_same_every_time():
    one, two = (sx.examples.two_gaussians(20, distance=1.0, dimension=3, random_state=5) for _ in range(2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])
    assert np.array_equal(one[0], TwoGaussians(1.0, 3).sample(20, 5)[0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distance": -1.0}, "distance must be"),
        ({"distance": np.inf}, "distance must be"),
        ({"dimension": 0}, "dimension must be"),
        ({"dimension": 2.5}, "dimension must be"),
        ({"prior": 0.0}, "prior, the probability of class 1"),
        ({"prior": 1.0}, "prior, the probability of class 1"),
        ({"n": 0}, "n must be"),
    ],
)
def test_bad_parameters_of_the_source_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        sx.examples.two_gaussians(**{"n": 10, **parameters})
    with pytest.raises(ValueError, match="Expected 2 weights"):
        TwoGaussians().risk([1.0])
    with pytest.raises(ValueError, match="finite"):
        TwoGaussians().risk([1.0, np.nan])
