"""The maximum-margin classifier in the feature space of a kernel."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference import polynomial_gram
from sklearn.svm import SVC

import separatrix as sx

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def circles():
    rng = np.random.RandomState(0)
    angle, y = rng.uniform(0, 2 * np.pi, 60), np.arange(60) % 2
    return (1.0 + 2 * y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def exact_scores(classifier, K):
    """The scores by definition, from products in fractions of rows with those at the margin."""
    learnt = classifier._learnt
    multiples = learnt.multiples.fractions()
    return [(sum(m * k for m, k in zip(multiples, row, strict=True)) + learnt.intercept) / learnt.reach for row in K]


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=7),
    st.integers(0, 2**7 - 1),
    st.fixed_dictionaries({"degree": st.integers(1, 3), "gamma": st.sampled_from([1.0, 0.5]), "coef0": st.integers(0, 1)}),
    st.booleans(),
    st.sampled_from([1, 10]),
)
def test_scores_and_margin_by_definition(cells, labels, kernel, intercept, unit):
    X = np.array([[Fraction(cell, unit) for cell in row] for row in cells], object)
    y = np.array([labels >> i & 1 for i in range(len(X))])
    y[:2] = 0, 1
    classifier = sx.MaxMargin(kernel="poly", fit_intercept=intercept, **kernel)
    if not sx.decide(X, y, kernel="poly", fit_intercept=intercept, **kernel).separable:
        with pytest.raises(sx.NotSeparable):
            classifier.fit(X, y)
        return
    classifier.fit(X, y)
    assert classifier.predict(X).tolist() == y.tolist()
    new = np.array([[Fraction(a, 2 * unit), Fraction(b, unit)] for a in range(-2, 3) for b in range(-2, 3)], object)
    for rows in (X, new):
        K = polynomial_gram(rows, X[classifier.support_], intercept=False, **kernel)
        scores = exact_scores(classifier, K)
        found = classifier.decision_function(rows)
        assert np.sign(found).tolist() == [(s > 0) - (s < 0) for s in scores]
        assert found == pytest.approx([float(s) for s in scores], rel=1e-9, abs=1e-12)
        assert classifier.predict(rows).tolist() == [int(s > 0) for s in scores]
    K = polynomial_gram(X, X[classifier.support_], intercept=False, **kernel)
    signed = [s if label else -s for s, label in zip(exact_scores(classifier, K), y.tolist(), strict=True)]
    assert min(signed) == 1  # exactly: the nearest rows
    own = [K[i] for i in classifier.support_.tolist()]
    m = [v / classifier._learnt.reach for v in classifier._learnt.multiples.fractions()]
    square = sum(a * b * own[i][j] for i, a in enumerate(m) for j, b in enumerate(m))
    low, high = classifier.margin_bounds_
    assert Fraction(low) ** 2 <= 1 / square
    assert high - low <= 1e-9 * high
    truth = sx.margin(X, y, kernel="poly", kind="geometric", fit_intercept=intercept, exact=True, **kernel).squared
    assert Fraction(low) ** 2 <= truth <= Fraction(high) ** 2
    assert classifier.distance(X) == pytest.approx(classifier.decision_function(X) * low)


@pytest.mark.parametrize(
    ("kernel", "options"), [("rbf", {"gamma": 0.5}), ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0})]
)
def test_as_a_support_vector_machine(kernel, options):
    X, y = circles()
    classifier = sx.MaxMargin(kernel=kernel, **options).fit(X, y)
    machine = SVC(kernel=kernel, C=1e9, tol=1e-8, **options).fit(X, y)
    assert classifier.decision_function(X) == pytest.approx(machine.decision_function(X), abs=1e-3)
    assert classifier.margin_ > 0
    assert classifier.score(X, y) == 1.0
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.decision_function(X), classifier.decision_function(X))
    sparse = sx.MaxMargin(kernel=kernel, **options).fit(sp.csr_array(X), y)
    assert sparse.margin_ == pytest.approx(classifier.margin_, rel=1e-8)


def test_precomputed_products():
    X, y = np.array(XOR[0], float), XOR[1]
    rows = sx.MaxMargin(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    products = sx.MaxMargin(kernel="precomputed").fit((X @ X.T) ** 2, y)
    new = np.array([[0.5, 0.5], [2.0, 0.0]])
    assert products.decision_function((new @ X.T) ** 2) == pytest.approx(rows.decision_function(new))
    assert not hasattr(products, "support_vectors_")
    assert rows.support_vectors_.tolist() == X[rows.support_].tolist()


@pytest.mark.parametrize("options", [{"kernel": "poly", "degree": 2}, {"kernel": "rbf"}, {"kernel": "precomputed"}, {}])
def test_model_files(tmp_path, options):
    X, y = sx.examples.load("and") if not options else (np.array(XOR[0], float), XOR[1])
    if options.get("kernel") == "precomputed":
        X = (X @ X.T) ** 2
    classifier = sx.MaxMargin(**options).fit(X, y)
    sx.save_model(classifier, tmp_path / "model.json")
    again = sx.load_model(tmp_path / "model.json")
    assert again.get_params() == classifier.get_params()
    assert np.array_equal(again.decision_function(X), classifier.decision_function(X))
    assert again.margin_bounds_ == classifier.margin_bounds_
    assert again.dual_coef_.tolist() == classifier.dual_coef_.tolist()
    text = (tmp_path / "model.json").read_text()
    assert ('"kernel"' in text) == bool(options)
    if options:
        (tmp_path / "model.json").write_text(text.replace('"reach": "', '"reach": "-'))
        with pytest.raises(sx.ModelError, match="reach"):
            sx.load_model(tmp_path / "model.json")


def test_what_there_is_not():
    classifier = sx.MaxMargin(kernel="rbf").fit(*XOR)
    assert not hasattr(classifier, "coef_")
    with pytest.raises(ValueError, match="no weights of features"):
        classifier.exact_weights()
    assert hasattr(classifier.set_params(kernel=None).fit(*sx.examples.load("and")), "coef_")
    assert not hasattr(classifier, "support_vectors_")
    with pytest.raises(ValueError, match="'kernel' parameter of MaxMargin must be one of 'linear', 'poly'"):
        sx.MaxMargin(kernel="cosine").fit(*XOR)
    with pytest.raises(ValueError, match="give the matrix, precomputed"):
        sx.MaxMargin(kernel=lambda a, b: a @ b.T).fit(*XOR)
    with pytest.raises(sx.NotSeparable) as caught:
        sx.MaxMargin(kernel="linear").fit(*XOR)
    assert caught.value.certificate.obstruction.rows == (0, 1, 2, 3)
