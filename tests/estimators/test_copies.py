"""More than two classes by estimators of two: each class against the rest is what a fit to it alone learns."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from fits import quietly
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from reference import dot, lifted, polynomial_gram
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import compute_class_weight
from strategies import TIES, batches, problems

import separatrix as sx
from separatrix.estimators.learnt import adopt, learnt_by
from separatrix.exact.dyadic import Dyadic

NAMES = np.array(["a", "b", "c", "d"])
TAME = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "zeros", "ulps", "cancelling")
ALL = {
    "pocket": lambda **more: sx.Pocket(**{"max_updates": 20, "random_state": 3, **more}),
    "voted": lambda **more: sx.VotedPerceptron(**{"max_iter": 4, "order": "shuffle", "random_state": 3, **more}),
    "kernel": lambda **more: sx.KernelPerceptron(**{"kernel": "poly", "degree": 2, "gamma": 1.0, "max_iter": 4, **more}),
}
EACH = pytest.mark.parametrize("make", ALL.values(), ids=ALL)


@st.composite
def several(draw):
    """Rows, and names of at least three classes."""
    X, _ = draw(problems(kinds=TAME))
    while len(X) < 3:
        X = np.vstack([X, X])
    codes = draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    codes[:3] = draw(st.permutations(range(4)))[:3]
    return X, NAMES[codes]


def expanded(perceptron, X):
    """The exact scores of a perceptron by kernels, from what it shows."""
    support, multiples = perceptron.support_vectors_, [Fraction(v) for v in perceptron.dual_coef_[0].tolist()]
    rows = support.toarray() if sp.issparse(support) else support
    K = polynomial_gram(rows, X, degree=2) if len(multiples) else []
    return [sum((a * column[i] for a, column in zip(multiples, K, strict=True)), Fraction(0)) for i in range(len(X))]


@EACH
@quickly(40)
@given(several(), TIES, st.booleans())
def test_k_classes_are_k_fits(make, problem, tie, sparse):
    X, y = problem
    rows = sp.csr_array(X) if sparse else X
    classifier = quietly(make(tie=tie), rows, y)
    classes = sorted(set(y))
    assert classifier.classes_.tolist() == classes
    alone = [quietly(make(tie=tie), rows, y == name) for name in classes]
    assert [each.get_params() for each in classifier.estimators_] == [each.get_params() for each in alone]
    scores = np.column_stack([each.decision_function(rows) for each in alone])
    shown = classifier.decision_function(rows)
    assert np.allclose(shown, scores, rtol=1e-12, atol=0.0)
    for name in classifier._per_class:
        assert getattr(classifier, name).tolist() == [getattr(each, name) for each in alone]
    if isinstance(classifier, sx.Pocket):
        assert np.array_equal(classifier.coef_, np.vstack([each.coef_ for each in alone]))
        assert np.array_equal(classifier.intercept_, np.concatenate([each.intercept_ for each in alone]))
        assert classifier.exact_weights().fractions() == [v for each in alone for v in each.exact_weights().fractions()]
        exact = [each.exact_weights().fractions() for each in alone]
        values = [[dot(w, z) for w in exact] for z in lifted(X, np.ones(len(X)), True)]
    elif isinstance(classifier, sx.VotedPerceptron):
        votes = [each._votes(rows).tolist() for each in alone]
        values = [
            [Fraction(v, each.n_visits_) for v, each in zip(row, alone, strict=True)] for row in zip(*votes, strict=True)
        ]
    else:
        values = list(zip(*(expanded(each, X) for each in alone), strict=True))
    best = [[k for k, v in enumerate(row) if v == max(row)] for row in values]
    assert [np.flatnonzero(row == row.max()).tolist() for row in shown] == best
    assert classifier.predict(rows).tolist() == [classes[tied[-1 if tie == "positive" else 0]] for tied in best]


@EACH
@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
def test_all_scores_equal(make, tie):
    X, y = np.zeros((3, 2)), [0, 1, 2]
    classifier = quietly(make(tie=tie, fit_intercept=False), X, y)
    assert classifier.predict(X).tolist() == [2 if tie == "positive" else 0] * 3


def test_shares_of_votes_are_compared_exactly():
    """Shares that no float tells apart."""
    X, y = np.eye(3), [0, 1, 2]
    voted = sx.VotedPerceptron().fit(X, y)
    for copy, votes, visits in zip(voted.estimators_, (2**40 - 1, 2**40, 1), (2**40, 2**40 + 1, 2), strict=True):
        copy.n_visits_ = visits
        copy._votes = lambda rows, votes=votes: np.full(len(rows), votes)
    assert voted.predict(X).tolist() == [1, 1, 1]
    assert voted.decision_function(X).argmax(axis=1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("tie", ["update", "positive"])
def test_scores_by_kernels_are_compared_exactly(tie):
    """Scores that no float tells apart."""
    kernel = sx.KernelPerceptron(kernel="precomputed", fit_intercept=False, tie=tie).fit(np.eye(3), [0, 1, 2])
    sums = [[1, Fraction(1, 2**60)], [1, Fraction(1, 2**59)], [1, Fraction(1, 2**60)]]
    for copy, numbers in zip(kernel.estimators_, sums, strict=True):
        multiples = Dyadic([int(number * 2**60) for number in numbers], -60)
        adopt(copy, replace(learnt_by(copy), support=np.array([0, 1]), multiples=multiples))
    X = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    assert kernel.decision_function(X)[0].tolist() == [1.0, np.nextafter(1.0, 2.0), 1.0]
    assert kernel.predict(X).tolist() == ([1, 2, 2, 1] if tie == "positive" else [1, 0, 0, 1])


@EACH
def test_two_classes_and_more_after_each_other(make):
    rng = np.random.RandomState(0)
    X, three, two = rng.standard_normal((20, 2)), np.resize([0, 1, 2], 20), np.resize([0, 1], 20)
    plural, single = quietly(make(), X, three), quietly(make(), X, two)
    again = quietly(quietly(make(), X, two), X, three)
    back = quietly(quietly(make(), X, three), X, two)
    assert set(vars(again)) == set(vars(plural))
    assert set(vars(back)) == set(vars(single))
    assert np.array_equal(again.decision_function(X), plural.decision_function(X))
    assert np.array_equal(back.decision_function(X), single.decision_function(X))
    loaded = pickle.loads(pickle.dumps(plural))
    assert np.array_equal(loaded.predict(X), plural.predict(X))


@EACH
def test_names_are_kept_and_a_refused_fit_changes_nothing(make):
    frame = pl.DataFrame({"u": [0.0, 1.0, 2.0], "v": [1.0, 0.0, 1.0]})
    classifier = quietly(make(), frame, ["x", "y", "z"])
    assert classifier.feature_names_in_.tolist() == ["u", "v"]
    assert classifier.predict(frame).shape == (3,)
    with pytest.raises(ValueError, match="feature"):
        classifier.predict(frame.rename({"u": "w"}))
    with pytest.raises(ValueError, match="NaN"):
        quietly(classifier, frame.with_columns(u=float("nan")), ["x", "y", "z"])
    with pytest.raises(ValueError, match="only one class"):
        quietly(classifier, frame, ["x", "x", "x"])
    before = vars(classifier).copy()
    with pytest.raises(ValueError, match="inconsistent numbers"):
        quietly(classifier, frame.select("u"), ["x", "y", "z", "z"])
    assert vars(classifier) == before
    assert classifier.predict(frame).shape == (3,)


@pytest.mark.parametrize("make", [ALL["pocket"], ALL["kernel"]], ids=["pocket", "kernel"])
def test_weights_of_k_classes(make):
    """Class weights are those of the K classes, and a class of weight 0 is none."""
    rng = np.random.RandomState(1)
    X, y = rng.standard_normal((30, 3)), np.repeat([0, 1, 2], [5, 10, 15])
    weights = rng.randint(1, 4, 30).astype(float)
    balanced = compute_class_weight("balanced", classes=np.arange(3), y=y)
    one = quietly(make(class_weight="balanced"), X, y, sample_weight=weights)
    other = quietly(make(), X, y, sample_weight=weights * balanced[y])
    assert np.array_equal(one.decision_function(X), other.decision_function(X))
    seen = "weighted_error_" if isinstance(one, sx.Pocket) else "n_mistakes_"
    assert getattr(one, seen).tolist() == getattr(other, seen).tolist()
    assert getattr(one, seen).tolist() != getattr(quietly(make(), X, y, sample_weight=weights), seen).tolist()
    pair = quietly(make(), X, y, sample_weight=np.where(y == 1, 0.0, weights))
    assert pair.classes_.tolist() == [0, 2]
    assert not hasattr(pair, "estimators_")


def test_first_weights_of_each_class():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 2, 0])
    coef, intercept = np.arange(6.0).reshape(3, 2), np.array([1.0, -1.0, 0.5])
    pocket = sx.Pocket(random_state=0, max_updates=1).fit(X, y, coef, intercept)
    for k, copy in enumerate(pocket.estimators_):
        alone = sx.Pocket(random_state=0, max_updates=1).fit(X, y == k, coef[k], intercept[k])
        assert copy.exact_weights() == alone.exact_weights()
    with pytest.raises(ValueError, match=r"coef_init has the shape \(2,\), expected a row for each of the 3 classes"):
        sx.Pocket().fit(X, y, coef_init=[1.0, 2.0])


def test_a_random_state_is_drawn_on_by_all():
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((12, 2)), np.resize([0, 1, 2], 12)
    source, same = np.random.RandomState(5), np.random.RandomState(5)
    pocket = sx.Pocket(max_updates=5, random_state=source).fit(X, y)
    for k, copy in enumerate(pocket.estimators_):
        assert copy.exact_weights() == sx.Pocket(max_updates=5, random_state=same).fit(X, y == k).exact_weights()


@given(several(), TIES, st.data())
def test_votes_online_in_any_batches(problem, tie, data):
    X, y = problem
    online = sx.VotedPerceptron(tie=tie)
    alone = [sx.VotedPerceptron(tie=tie).partial_fit(X, y == name, classes=[False, True]) for name in NAMES]
    for rows, labels in batches(data, X, y):
        online.partial_fit(rows, labels, classes=NAMES)
    assert np.asarray(online.n_mistakes_).tolist() == [each.n_mistakes_ for each in alone]
    assert np.array_equal(online.decision_function(X), np.column_stack([each.decision_function(X) for each in alone]))


def test_what_partial_fit_refuses_for_several_classes():
    X, y = np.eye(3), [0, 1, 2]
    voted = sx.VotedPerceptron().fit(X, y)
    with pytest.raises(ValueError, match="fit_intercept has changed"):
        voted.set_params(fit_intercept=False).partial_fit(X, y)
    with pytest.raises(ValueError, match="not among classes"):
        sx.VotedPerceptron().fit(X, y).partial_fit(X, [0, 1, 7])


def test_the_largest_margin_is_for_two_classes():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        sx.MaxMargin().fit(np.eye(3), [0, 1, 2])


@EACH
def test_what_others_keep_in_an_estimator_stays(make):
    """Such as how its metadata are routed, and what a pipeline tells its steps."""
    classifier = make()
    classifier._note_of_somebody = 1
    X = np.random.RandomState(0).standard_normal((12, 2))
    quietly(classifier, X, np.resize([0, 1, 2], 12))
    assert classifier._note_of_somebody == 1
    quietly(make_pipeline(StandardScaler(), make()), X, np.resize([0, 1, 2], 12)).predict(X)
