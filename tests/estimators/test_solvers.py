"""The family of linear classifiers: least squares, the linear program, the largest of K scores."""

import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from fits import quietly
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, kernel, lifted
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import KINDS, problems, rows_of_kind

import separatrix as sx
from separatrix.estimators.solvers.least_violation import LeastViolation, _Violations
from separatrix.exact.dyadic import Dyadic
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows
from separatrix.problem.scores import predicted_codes
from separatrix.separation.search import Search
from separatrix.support.clock import Clock

SANE = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "constant", "zeros")
BOTH = pytest.mark.parametrize("kind", [sx.LeastSquaresClassifier, sx.LinearProgramClassifier])


@parametrize_with_checks([sx.LeastSquaresClassifier(), sx.LinearProgramClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def iris():
    from sklearn.datasets import load_iris

    data = load_iris()
    return data.data, data.target_names[data.target]


def by_parts(X, intercept):
    """Rows as a design matrix, the constant last."""
    return np.hstack([X, np.ones((len(X), 1))]) if intercept else X


def learnt(classifier, k=0):
    weights = classifier.coef_[k]
    return np.append(weights, classifier.intercept_[k]) if classifier.fit_intercept else weights


# The largest of K scores.


def leaders(rows, W):
    return predicted_codes(read_rows(rows), Dyadic.from_parts(W.reshape(1, -1)), len(W), 0)


@st.composite
def scored(draw):
    """Rows, and weights for them; some of the weights equal, or nearly."""
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    n, d, count = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(2, 5))
    X = rows_of_kind(draw(st.sampled_from(KINDS)), max(n, 4), d, rng)
    W = rows_of_kind(
        draw(st.sampled_from([k for k in KINDS if k != "xor"])), count, X.shape[1] + draw(st.integers(0, 1)), rng
    )
    if draw(st.booleans()):
        W[rng.randint(count)] = W[rng.randint(count)]
    if draw(st.booleans()):
        W[-1] = np.nextafter(W[0], np.inf)
    return X, W


@given(scored(), st.booleans())
def test_the_largest_score_is_exact_and_the_first_of_equals(drawn, sparse):
    X, W = drawn
    Z = lifted(X, np.ones(len(X)), W.shape[1] > X.shape[1])
    weights = [[Fraction(v) for v in w] for w in W.tolist()]
    scores = [[dot(w, z) for w in weights] for z in Z]
    expected = [row.index(max(row)) for row in scores]
    rows = sp.csr_array(X) if sparse else X
    assert leaders(rows, W).tolist() == expected


def test_the_largest_score_where_weights_are_nearly_as_large_as_floats_go():
    X, top = np.array([[1.0, 1.0], [-1.0, 1.0], [2.0**-1074, 0.0], [0.0, 0.0]]), np.finfo(float).max
    W = np.array([[-top, 5e-324], [top, top], [top, np.nextafter(top, 0)]])
    assert leaders(X, W).tolist() == [1, 0, 1, 0]


def test_many_equal_scores_cost_no_python_loop_over_rows():
    X = np.random.RandomState(0).standard_normal((50_000, 3))
    W = np.tile([0.1, 0.2, 0.3, 0.4], (3, 1))
    assert not leaders(X, W).any()


# What both have in common.


@BOTH
def test_three_classes(kind):
    X, y = iris()
    classifier = quietly(kind(), X, y)
    assert classifier.coef_.shape == (3, 4)
    assert classifier.intercept_.shape == (3,)
    scores = classifier.decision_function(X)
    assert scores.shape == (150, 3)
    assert classifier.predict(X).tolist() == classifier.classes_[scores.argmax(axis=1)].tolist()
    lengths = np.linalg.norm(classifier.coef_, axis=1)
    assert np.allclose(classifier.distance(X), scores / lengths)
    for k, species in enumerate(classifier.classes_):
        alone = quietly(kind(), X, y == species)
        assert np.allclose(alone.coef_[0], classifier.coef_[k], rtol=1e-11)
        assert np.allclose(alone.intercept_, classifier.intercept_[[k]], rtol=1e-11)
        if kind is sx.LinearProgramClassifier:
            assert (alone.violation_, alone.separated_) == (classifier.violation_[k], classifier.separated_[k])


@BOTH
def test_two_classes_are_one_hyperplane(kind):
    X, y = sx.examples.load("and")
    classifier = kind().fit(X, y)
    assert classifier.coef_.shape == (1, 2)
    assert classifier.intercept_.shape == (1,)
    assert classifier.decision_function(X).shape == classifier.distance(X).shape == (4,)
    assert classifier.predict(X).tolist() == [0, 0, 0, 1]


@BOTH
def test_arrow_tables_and_columns_of_sparse_rows_are_the_same_to_them(kind):
    X, y = iris()
    names = ["a", "b", "c", "d"]
    expected = quietly(kind(), X, y)
    table = pa.table(dict(zip(names, X.T, strict=True)))
    classifier = quietly(kind(), table, y)
    assert np.array_equal(classifier.coef_, expected.coef_)
    assert classifier.feature_names_in_.tolist() == names
    assert classifier.predict(table).tolist() == expected.predict(X).tolist()
    sparse = sp.csc_matrix(X)
    classifier = quietly(kind(), sparse, y)
    assert np.allclose(classifier.coef_, expected.coef_, rtol=1e-8, atol=1e-8)
    assert classifier.predict(sparse).tolist() == expected.predict(X).tolist()


@BOTH
@pytest.mark.parametrize("class_weight", ["balanced", {"setosa": 2.0, "versicolor": 0.5, "virginica": 3.0}])
def test_a_weight_is_a_repetition_with_weights_of_classes(kind, class_weight):
    X, y = iris()
    X, y = X[::3], y[::3]
    weights = np.random.RandomState(0).randint(0, 4, len(y))
    one = quietly(kind(class_weight=class_weight), X, y, sample_weight=weights)
    other = quietly(kind(class_weight=class_weight), np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if kind is sx.LeastSquaresClassifier:
        assert np.allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-12)
        assert np.allclose(one.intercept_, other.intercept_, rtol=1e-9, atol=1e-12)
    else:
        assert np.allclose(one.violation_, other.violation_, rtol=1e-9, atol=1e-12)


@BOTH
def test_class_weight_multiplies_sample_weight(kind):
    X, y = sx.examples.load("iris-virginica")
    weights = np.linspace(0.5, 2.0, len(y))
    both = np.where(y == "virginica", 3.0, 0.5) * weights
    one = kind(class_weight={"virginica": 3.0, "versicolor": 0.5}).fit(X, y, sample_weight=weights)
    other = kind(class_weight=None).fit(X, y, sample_weight=both)
    assert np.array_equal(one.coef_, other.coef_)
    assert not np.array_equal(one.coef_, kind(class_weight=None).fit(X, y, sample_weight=weights).coef_)


@BOTH
def test_a_class_of_weight_zero_is_no_class(kind):
    X, y = iris()
    classifier = quietly(kind(), X, y, sample_weight=(y != "setosa").astype(float))
    assert classifier.classes_.tolist() == ["versicolor", "virginica"]
    balanced = quietly(kind(class_weight="balanced"), X, y, sample_weight=(y != "setosa").astype(float))
    assert balanced.coef_.shape == (1, 4)


@BOTH
def test_bad_calls_are_refused(kind):
    X, y = sx.examples.load("and")
    with pytest.raises(ValueError, match=r"'fit_intercept' parameter.*True or False"):
        kind(fit_intercept="yes").fit(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        kind(class_weight="heavy").fit(X, y)
    with pytest.raises(ValueError, match="only one class: 1"):
        kind().fit(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X, [0, 1])
    with pytest.raises(NotFittedError):
        kind().predict(X)
    with pytest.raises(ValueError, match="no hyperplane"):
        kind().fit([[0.0], [0.0], [0.0]], [0, 1, 0]).distance(X[:, :1])
    with pytest.raises(ValueError, match=r"class 'a' are zero"):
        kind().fit([[0.0], [0.0], [0.0]], ["a", "b", "c"]).distance(X[:, :1])


# Least squares.


@given(problems(SANE, max_rows=9, max_columns=5), st.booleans(), st.booleans(), st.booleans())
def test_least_squares_solves_the_normal_equations_and_is_shortest(problem, intercept, sparse, weighted):
    """The residual is orthogonal to the columns, and the weights are in the span of the rows: that is all, and enough."""
    X, y = problem
    c = np.random.RandomState(len(y)).choice([0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    rows = sp.csr_array(X) if sparse else X
    classifier = sx.LeastSquaresClassifier(fit_intercept=intercept).fit(rows, y, sample_weight=c)
    A, w = by_parts(X, intercept), learnt(classifier)
    residual = A @ w - y
    assert np.allclose((A * c[:, None]).T @ residual, 0.0, atol=1e-8 * max(1.0, np.abs(A).max()))
    _, values, Vt = np.linalg.svd(A)
    rank = np.count_nonzero(values > values[0] * max(A.shape) * 1e-15) if values.size else 0
    assert np.allclose(Vt[rank:] @ w, 0.0, atol=1e-8 * max(1.0, np.abs(w).max()))


@given(
    problems(("integers", "halves", "duplicates", "zeros", "xor"), max_rows=7, max_columns=4), st.booleans(), st.booleans(),
    st.sampled_from(["floats", "decimals", "thirds"]),
)  # fmt: skip
def test_least_squares_of_short_numbers_is_the_exact_solution_rounded(problem, intercept, weighted, form):
    X, y = problem
    X = np.rint(10 * X)
    unit = {"floats": 1, "decimals": Fraction(1, 10), "thirds": Fraction(1, 3)}[form]
    rows = [[Fraction(int(number)) * unit for number in row] for row in X]
    c = np.random.RandomState(len(y)).choice([0.5, 1.0, 0.1], len(y)) if weighted else np.ones(len(y))
    classifier = sx.LeastSquaresClassifier(fit_intercept=intercept).fit(X if form == "floats" else rows, y, sample_weight=c)
    A = lifted(np.array(rows, object), np.ones(len(y)), intercept)
    D = len(A[0])
    equations = [
        [sum(Fraction(w) * a[j] * a[k] for w, a in zip(c, A, strict=True)) for k in range(D)]
        + [-sum(Fraction(w) * a[j] * int(label) for w, a, label in zip(c, A, y, strict=True))]
        for j in range(D)
    ]
    shortest = [[*direction, Fraction(0)] for direction in kernel(A)]  # at right angles to what changes no score
    [solution] = kernel(equations + shortest)
    assert learnt(classifier).tolist() == [float(number / solution[-1]) for number in solution[:-1]]


def test_least_squares_of_xor_is_zero():
    X, y = sx.examples.load("xor")
    classifier = sx.LeastSquaresClassifier().fit(X, y)
    assert learnt(classifier).tolist() == [0.0, 0.0, 0.0]
    assert (classifier.predict(X) != y).sum() == 2


def test_least_squares_by_hand():
    """Rows 0, 1, 3 with labels -1, 1, 1: the slope is 4/7."""
    classifier = sx.LeastSquaresClassifier().fit([[0.0], [1.0], [3.0]], [0, 1, 1])
    # means 4/3 and 1/3; sum of (x - 4/3)(y - 1/3) = 16/9 - 2/9 + 10/9 = 24/9; sum of squares = 16/9 + 1/9 + 25/9 = 42/9
    assert np.allclose(classifier.coef_, 4 / 7, rtol=1e-14)
    assert np.allclose(classifier.intercept_, 1 / 3 - 4 / 7 * 4 / 3, rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_least_squares_does_not_take_small_columns_for_zero(scale):
    X, y = sx.examples.load("iris-virginica")
    expected = sx.LeastSquaresClassifier().fit(X, y)
    scaled = X.copy()
    scaled[:, 1] *= scale
    classifier = sx.LeastSquaresClassifier().fit(scaled, y)
    assert np.allclose(classifier.coef_[0, 1] * scale, expected.coef_[0, 1], rtol=1e-8)
    assert np.allclose(classifier.coef_[0, 2], expected.coef_[0, 2], rtol=1e-8)


def test_least_squares_need_not_separate_the_separable():
    """A far-away row on its correct side drags the hyperplane past rows of its own class."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0], [40.0]]), np.array([0, 0, 1, 1, 1])
    assert sx.decide(X, y).separable
    assert sx.LeastSquaresClassifier().fit(X[:4], y[:4]).score(X[:4], y[:4]) == 1.0
    assert sx.LeastSquaresClassifier().fit(X, y).score(X[:4], y[:4]) < 1.0
    assert sx.LinearProgramClassifier().fit(X, y).score(X, y) == 1.0


def test_weights_too_large_for_float64_are_an_error():
    with pytest.raises(OverflowError, match="Rescale"):
        sx.LeastSquaresClassifier(fit_intercept=False).fit([[5e-324], [-5e-324]], [1, 0])


def test_an_iteration_that_ends_too_early_is_told(monkeypatch):
    monkeypatch.setattr("separatrix.estimators.solvers.least_squares._ITERATIONS", 2)
    monkeypatch.setattr("separatrix.estimators.solvers.least_squares._ITERATIONS_PER_COLUMN", 0)
    X, y = iris()
    with pytest.warns(ConvergenceWarning, match="MaxAbsScaler"):
        sx.LeastSquaresClassifier().fit(sp.csr_array(X), y)


# The linear program.


def dual_bound(X, y, costs, intercept):
    """The largest sum of multipliers 0 <= a <= c with sum a_i z_i = 0: no weights violate less, by weak duality."""
    Z = by_parts(X, intercept) * y[:, None]
    found = linprog(
        -np.ones(len(y)), A_eq=Z.T, b_eq=np.zeros(Z.shape[1]), bounds=[(0.0, c) for c in costs], method="highs-ipm"
    )
    a = np.clip(found.x, 0.0, costs)
    assert np.allclose(Z.T @ a, 0.0, atol=1e-8 * max(1.0, np.abs(Z).max()))
    return a.sum()


def mean_costs(y, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    return weights / np.where(y > 0, weights[y > 0].sum(), weights[y < 0].sum())


@given(problems(SANE, max_rows=12, max_columns=4), st.booleans(), st.booleans(), st.booleans())
def test_no_hyperplane_violates_less(problem, intercept, means, sparse):
    X, y = problem
    weights = np.random.RandomState(len(y)).choice([0.5, 1.0, 3.0], len(y))
    costs = mean_costs(y, weights) if means else weights
    classifier = sx.LinearProgramClassifier(fit_intercept=intercept, class_weight="balanced" if means else None)
    quietly(classifier, sp.csr_array(X) if sparse else X, y, sample_weight=weights)
    # In fractions: rows on a line up to rounding may be separated, by weights so large that float scores tell nothing.
    weights = list(map(Fraction, learnt(classifier).tolist()))
    scores = [
        sum(map(Fraction.__mul__, weights, map(Fraction, row))) for row in (by_parts(X, intercept) * y[:, None]).tolist()
    ]
    violated = sum(Fraction(cost) * max(Fraction(0), 1 - score) for cost, score in zip(costs.tolist(), scores, strict=True))
    assert classifier.violation_ == pytest.approx(float(violated), rel=1e-9, abs=1e-9)
    if classifier.separated_:
        assert min(scores) > 0
        if np.linalg.cond(by_parts(X, intercept)) < 1e6:
            assert float(min(scores)) == pytest.approx(1.0)
    else:
        bound = dual_bound(X, y, costs, intercept)
        if sx.decide(X, y, fit_intercept=intercept).separable:  # by weights that float64 does not hold
            assert classifier.violation_ <= bound * (1 + 1e-7) + 1e-7
        else:
            assert classifier.violation_ == pytest.approx(bound, rel=1e-7, abs=1e-7)


@given(problems(), st.booleans(), st.booleans())
def test_a_separator_whenever_one_exists(problem, intercept, sparse):
    """On the nastiest rows there are; also, if there is none it says so, and always with predictions by exact signs."""
    X, y = problem
    verdict = sx.decide(X, y, fit_intercept=intercept)
    classifier = sx.LinearProgramClassifier(fit_intercept=intercept)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            classifier.fit(sp.csr_array(X) if sparse else X, y)
        except OverflowError:
            return
    rounded = any(issubclass(w.category, sx.RoundingWarning) for w in told)
    w = [Fraction(v) for v in learnt(classifier)]
    scores = [dot(w, z) for z in lifted(X, y, intercept)]
    assert classifier.separated_ == (min(scores) > 0)
    assert classifier.separated_ == (verdict.separable and not rounded)
    if classifier.separated_:
        assert classifier.violation_ == 0.0
        assert classifier.score(X, y) == 1.0
        assert min(scores) > 1 - Fraction(1, 10**9)


@given(problems(), st.booleans())
def test_the_search_for_a_separator_alone_agrees_with_the_verdict(problem, intercept):
    X, y = problem
    found = Search(Problem.of(X, y, intercept=intercept), Clock()).separator()
    assert (found is not None) == sx.decide(X, y, fit_intercept=intercept).separable
    if found is not None:
        assert min(dot(found.fractions(), z) for z in lifted(X, y, intercept)) > 0


def test_a_gap_of_one_bit_is_a_gap():
    """Far below any tolerance: classes one unit in the last place apart, and then touching."""
    x = 1.0 + np.arange(8) * 2.0**-52
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    classifier = sx.LinearProgramClassifier().fit(x[:, None], y)
    assert classifier.separated_
    assert classifier.violation_ == 0.0
    assert classifier.predict(x[:, None]).tolist() == y.tolist()
    x[4] = x[3]
    classifier = sx.LinearProgramClassifier().fit(x[:, None], y)
    assert not classifier.separated_
    assert classifier.violation_ > 0.0


def test_rounding_that_spoils_a_separator_is_told():
    """Weights of more than 53 bits are needed: 2**53 w1 must exceed w2, and w2 must exceed (2**53 - 1) w1 a little."""
    X = np.array([[2.0**60, -1.0], [-(2.0**60) + 2.0**8, 1.0], [0.0, 1.0], [2.0**60, -1.0 - 2.0**-52]])
    y = np.array([1, 1, 1, 0])
    verdict = sx.decide(X, y, fit_intercept=False)
    assert verdict.separable
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        classifier = sx.LinearProgramClassifier(fit_intercept=False).fit(X, y)
    signs = [dot([Fraction(v) for v in classifier.coef_[0]], z) > 0 for z in lifted(X, 2 * y - 1, False)]
    assert classifier.separated_ == all(signs)
    assert classifier.separated_ != any(issubclass(w.category, sx.RoundingWarning) for w in told)


def test_textbook_examples_by_hand():
    # Two classes of one point each, 2 apart: scores -1 and 1.
    classifier = sx.LinearProgramClassifier().fit([[0.0], [2.0]], [0, 1])
    assert classifier.coef_.tolist() == [[1.0]]
    assert classifier.intercept_.tolist() == [-1.0]
    # XOR: the means coincide, so that zero weights are optimal: each class has a mean violation of 1.
    X, y = sx.examples.load("xor")
    assert sx.LinearProgramClassifier().fit(X, y).violation_ == pytest.approx(2.0)
    # Alternating on a line: 2/3 x - 5/3 violates one row of each class by 4/3.
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 1]
    classifier = sx.LinearProgramClassifier().fit(X, y)
    assert classifier.violation_ == pytest.approx(4 / 3)
    assert np.allclose([classifier.coef_[0, 0], classifier.intercept_[0]], [2 / 3, -5 / 3])
    assert sx.LinearProgramClassifier(class_weight=None).fit(X, y).violation_ == pytest.approx(8 / 3)


@pytest.mark.parametrize("weights", [np.full(5, 1.7e308), np.full(5, 5e-324), [1e300, 1e300, 1e-300, 1e-300, 1e-300]])
def test_means_do_not_depend_on_the_size_of_the_weights(weights):
    X, y = [[0.0], [3.0], [1.0], [2.0], [-1.0]], [0, 0, 1, 1, 1]
    expected = sx.LinearProgramClassifier().fit(X, y)
    found = sx.LinearProgramClassifier().fit(X, y, sample_weight=weights)
    assert found.violation_ == pytest.approx(expected.violation_)
    assert np.allclose([*found.coef_[0], *found.intercept_], [*expected.coef_[0], *expected.intercept_])


def test_with_the_plain_sum_the_majority_wins_and_with_means_it_does_not():
    X, y = sx.examples.two_gaussians(300, distance=1.0, dimension=3, prior=0.1, random_state=0)
    plain = sx.LinearProgramClassifier(class_weight=None).fit(X, y)
    assert set(plain.predict(X).tolist()) == {0}
    assert np.allclose(plain.coef_, 0.0)
    assert set(sx.LinearProgramClassifier().fit(X, y).predict(X).tolist()) == {0, 1}


@pytest.mark.parametrize(("distance", "prior"), [(1.0, 0.5), (3.0, 0.2), (9.0, 0.5)])
def test_programs_with_some_of_the_rows_come_to_the_same(monkeypatch, distance, prior):
    X, y = sx.examples.two_gaussians(2000, distance=distance, dimension=4, prior=prior, random_state=1)
    problem = Problem.of(X, y)
    costs = mean_costs(problem.y)

    def least():
        search = LeastViolation(problem, costs, Clock())
        assert search.run()
        w = search.best.round()
        return costs @ np.maximum(0.0, 1.0 - problem.y * (by_parts(X, True) @ w))

    expected = least()
    monkeypatch.setattr("separatrix.estimators.solvers.least_violation._ROWS_PER_PROGRAM", 100)
    sifted = []
    sift = _Violations.sift

    def watched(self, size):
        sifted.append(sift(self, size))
        return sifted[-1]

    monkeypatch.setattr("separatrix.estimators.solvers.least_violation._Violations.sift", watched)
    assert least() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert sifted[0] is not None  # it did not fall back on all rows
    monkeypatch.setattr("separatrix.estimators.solvers.least_violation._MAX_PARTIAL_PROGRAMS", 1)
    assert least() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("separable", [True, False])
def test_more_columns_than_rows(monkeypatch, separable):
    """Where there are many columns a separator is looked for first, and the program is solved if there is none."""
    monkeypatch.setattr("separatrix.estimators.linear_program._MIN_COLUMNS_TO_SEPARATE_FIRST", 1)
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((12, 20)), np.resize([0, 1], 12)
    if not separable:
        X[:4] = X[0]
    classifier = sx.LinearProgramClassifier().fit(X, y)
    assert classifier.separated_ is separable
    expected = dual_bound(X, 2.0 * y - 1.0, mean_costs(2.0 * y - 1.0), True)
    assert classifier.violation_ == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_a_solver_that_gives_up_is_told(monkeypatch):
    monkeypatch.setattr("separatrix.estimators.solvers.least_violation.run_solver", lambda *_, **__: False)
    X, y = sx.examples.load("iris-virginica")
    with pytest.warns(ConvergenceWarning, match="least squares"):
        classifier = sx.LinearProgramClassifier().fit(X, y)
    assert np.array_equal(classifier.coef_, sx.LeastSquaresClassifier().fit(X, y).coef_)
    X, y = sx.examples.load("iris-setosa")
    assert sx.LinearProgramClassifier().fit(X, y).separated_  # a separator is found all the same
