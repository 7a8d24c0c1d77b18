"""Verdicts and margins in the feature space of a kernel, against explicit features in fractions."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import polynomial_features, polynomial_gram, separability

import separatrix as sx
from separatrix import checker
from separatrix.exact.linear_algebra import is_semidefinite
from separatrix.feature_space import empirical_map, monomials, space
from separatrix.feature_space.gram_matrix import gram_matrix
from separatrix.perceptron.gram import Kernel
from separatrix.problem import monomials as products
from separatrix.problem.monomials import PolynomialKernel, whole_rows, written_out
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


@st.composite
def tables(draw, max_rows=6):
    """Draw few rows of tenths or whole numbers, many of them equal or on lines, and labels, maybe of one class."""
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, 2))
    unit = draw(st.sampled_from([1, 10]))
    cells = draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=n, max_size=n))
    X = np.array([[Fraction(cell, unit) for cell in row] for row in cells], object).reshape(n, d)
    return X, np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))


KERNELS = st.fixed_dictionaries({"degree": st.integers(1, 3), "gamma": st.sampled_from([1, 2]), "coef0": st.integers(0, 1)})


def signs(verdict, y):
    """The labels as -1 and 1; a single class is 1."""
    return y if len(verdict.problem.classes) > 1 else np.ones(len(y))


def check_twice(verdict, X, y):
    """Have both checkers check a certificate, against the rows that were given or, if it is about them, their products."""
    assert verdict.by_products == (verdict.certificate.problem.kernel is None)
    sx.verify(verdict.certificate, verdict.features if verdict.by_products else X, y)
    given = Problem.of(X, y)
    stand_alone(verdict.certificate, verdict.problem if verdict.by_products else given)


def stand_alone(certificate, problem):
    """Have the stand-alone checker check a certificate against rows."""
    points, labels = problem.points(list(range(problem.n))), problem.y.astype(int).tolist()
    entries = [[(j, written(v, problem.rows.reading)) for j, v in enumerate(point) if v] for point in points]
    checker.check(checker.validate(certificate.document()), list(zip(labels, entries, strict=True)))


def written(value, reading):
    """A number as the stand-alone checker reads it."""
    if reading != "decimal":
        return float(value) if reading == "float64" else value
    exponent = 0
    while value.denominator > 1:
        value, exponent = value * 10, exponent - 1
    while value.numerator % 10 == 0:
        value, exponent = value / 10, exponent + 1
    return value.numerator, exponent


def in_fractions(X, y, kernel, intercept):
    """The verdict on explicit features, and the rows that can be strictly separated."""
    features = polynomial_features(X, **kernel)
    # Equal columns say nothing more, and make the reference slow.
    columns = list(dict.fromkeys(zip(*features, strict=True)))
    return separability(np.array(list(zip(*columns, strict=True)), object), y, intercept)


@given(tables(), KERNELS, st.booleans(), st.booleans())
def test_verdicts_are_those_of_explicit_features(table, kernel, intercept, by_products):
    X, y = table
    with pytest.MonkeyPatch.context() as patch:
        if by_products:
            patch.setattr(monomials, "MAX_MONOMIALS", 0)
        verdict = sx.decide(X, y, kernel="poly", fit_intercept=intercept, **kernel)
    status, free = in_fractions(X, signs(verdict, y), kernel, intercept)
    assert verdict.status == status
    assert verdict.separated_rows.tolist() == free
    assert verdict.separable == (status == "separable")
    check_twice(verdict, X, y)
    if status != "separable":
        K = polynomial_gram(X, X, intercept=intercept, **kernel)
        obstruction = verdict.certificate.obstruction
        mu = [m * label for m, label in zip(obstruction.multipliers, obstruction.labels, strict=True)]
        pairs = [(a * b, K[i][j]) for a, i in zip(mu, obstruction.rows, strict=True)
                 for b, j in zip(mu, obstruction.rows, strict=True)]  # fmt: skip
        assert sum(a * k for a, k in pairs) == 0


@given(tables(), KERNELS, st.booleans())
def test_precomputed_products_are_as_good_as_rows(table, kernel, intercept):
    X, y = table
    K = np.array(polynomial_gram(X, X, intercept=False, **kernel), object)
    verdict = sx.decide(K, y, kernel="precomputed", fit_intercept=intercept)
    assert (verdict.status, verdict.separated_rows.tolist()) == in_fractions(X, signs(verdict, y), kernel, intercept)
    sx.verify(verdict.certificate, verdict.features, y)
    if verdict.separable:
        margin = sx.margin(K, y, kernel="precomputed", fit_intercept=intercept, exact=True)
        assert margin.squared == sx.margin(X, y, kernel="poly", fit_intercept=intercept, exact=True, **kernel).squared


@given(tables(), KERNELS, st.booleans(), st.sampled_from(["lifted", "geometric"]), st.booleans())
def test_margins_are_those_of_explicit_features(table, kernel, intercept, kind, by_products):
    X, y = table
    if kind == "geometric" and intercept and len(set(y.tolist())) < 2:
        with pytest.raises(ValueError, match="all rows are of one"):
            sx.margin(X, y, kind=kind, kernel="poly", **kernel)
        return
    features = np.array(polynomial_features(X, **kernel), object)
    options = {"kind": kind, "fit_intercept": intercept}
    with pytest.MonkeyPatch.context() as patch:
        if by_products:
            patch.setattr(monomials, "MAX_MONOMIALS", 0)
        try:
            truth = sx.margin(features, y, exact=True, **options).squared
        except sx.NotSeparable:
            with pytest.raises(sx.NotSeparable, match="no margin in the feature space"):
                sx.margin(X, y, kernel="poly", **options, **kernel)
            return
        exact = sx.margin(X, y, kernel="poly", exact=True, **options, **kernel)
        near = sx.margin(X, y, kernel="poly", **options, **kernel)
    assert exact.squared == truth
    assert near.lo_squared <= truth <= near.hi_squared
    assert near.hi - near.lo <= 1e-9 * near.hi
    check_combination(near, polynomial_gram(X, X, intercept=intercept and kind == "lifted", **kernel))
    check_combination(exact, polynomial_gram(X, X, intercept=intercept and kind == "lifted", **kernel))


def check_combination(margin, K):
    """The combination proves both bounds, by their definitions."""
    y = margin.problem.y.astype(int).tolist()
    alpha = {i: m * y[i] for i, m in zip(margin.rows, margin.multipliers, strict=True)}
    scores = [y[i] * (sum(a * K[j][i] for j, a in alpha.items()) + margin.intercept) for i in range(len(y))]
    square = sum(a * b * K[i][j] for i, a in alpha.items() for j, b in alpha.items())
    assert min(scores) == margin.reach > 0
    assert margin.reach**2 / square == margin.lo_squared
    two = margin.kind == "geometric" and margin.kernel.intercept
    shares = [sum(m for i, m in zip(margin.rows, margin.multipliers, strict=True) if y[i] == s) for s in (1, -1)]
    assert min(margin.multipliers) > 0
    assert (shares == [1, 1]) if two else (sum(shares) == 1)
    assert square / (4 if two else 1) == margin.hi_squared


def test_xor():
    found = sx.margin(*XOR, kernel="poly", degree=2, gamma=1.0, exact=True)
    assert found.squared == Fraction(1, 17)
    assert Fraction(5) / found.squared == 85
    assert found.support.tolist() == [0, 1, 2, 3]
    # 3/4 and 1/4: with a free intercept the row (0, 0) and the others are as in a triangle
    assert sx.margin(*XOR, kernel="poly", degree=2, gamma=1.0, exact=True, kind="geometric").squared == Fraction(1, 16)


def test_the_linear_kernel_is_the_plain_question():
    X, y = sx.examples.load("and")
    assert sx.decide(X, y, kernel="linear").status == sx.decide(X, y).status
    assert sx.margin(X, y, kernel="linear", exact=True).squared == sx.margin(X, y, exact=True).squared


# ---- The radial kernel.


@given(tables(), st.booleans(), st.sampled_from(["scale", 0.5, 3.0]))
def test_the_radial_kernel_separates_whatever_is_not_contradicted(table, intercept, gamma):
    X, y = table
    verdict = sx.decide(X, y, kernel="rbf", gamma=gamma, fit_intercept=intercept)
    sides = {}
    for row, label in zip(map(tuple, X.tolist()), y.tolist(), strict=True):
        sides.setdefault(row, set()).add(label)
    free = [i for i, row in enumerate(map(tuple, X.tolist())) if len(sides[row]) == 1]
    expected = "separable" if len(free) == len(y) else "quasi-separable" if free else "overlapping"
    assert (verdict.status, verdict.separated_rows.tolist()) == (expected, free)
    assert verdict.separable == (expected == "separable")
    if expected != "separable":
        assert sorted(set(verdict.witness.tolist()) & set(free)) == []
        sx.verify(verdict.certificate, X, y)
        with pytest.raises(sx.NotSeparable):
            sx.margin(X, y, kernel="rbf", gamma=gamma, fit_intercept=intercept)
        with pytest.raises(sx.NotSeparable):
            verdict.require_separable()
    verdict.explain()


@given(tables(), st.booleans(), st.sampled_from(["lifted", "geometric"]), st.sampled_from([0.5, 3.0, 1e-3]))
def test_margins_of_the_radial_kernel_hold_the_true_one(table, intercept, kind, gamma):
    """The combination proves the bounds, in numbers of 100 digits."""
    X, y = table
    if not sx.decide(X, y, kernel="rbf").separable or (kind == "geometric" and len(set(y.tolist())) < 2):
        return
    found = sx.margin(X, y, kernel="rbf", gamma=gamma, fit_intercept=intercept, kind=kind)
    assert 0 < found.lo <= found.hi <= found.lo * (1 + 1.01e-9)
    signed = found.problem.y.astype(int).tolist()
    with localcontext() as context:
        context.prec = 100
        squares = [[sum((a - b) ** 2 for a, b in zip(r, s, strict=True)) for s in X.tolist()] for r in X.tolist()]
        one = int(intercept and kind == "lifted")
        K = [[(-Decimal(gamma) * decimal(v)).exp() + one for v in row] for row in squares]
        m = {i: decimal(v) for i, v in zip(found.rows, found.multipliers, strict=True)}
        b = decimal(found.intercept)
        scores = [signed[i] * (sum(v * signed[j] * K[j][i] for j, v in m.items()) + b) for i in range(len(y))]
        length = sum(v * w * signed[i] * signed[j] * K[i][j] for i, v in m.items() for j, w in m.items()).sqrt()
        assert min(scores) / length >= Decimal(found.lo)
        assert length / (2 if kind == "geometric" and intercept else 1) <= Decimal(found.hi)


def decimal(number):
    return Decimal(number.numerator) / number.denominator


def test_margins_of_the_radial_kernel_that_float64_does_not_see():
    X, y = [[0.0], [1e-6], [2e-6], [1.0]], [0, 1, 0, 1]
    found = sx.margin(X, y, kernel="rbf", gamma=1.0)
    assert 0 < found.lo < 1e-11
    assert found.hi <= found.lo * (1 + 1e-8)


def test_the_radial_matrix_knows_zero():
    """Images of (1, 0) and (0, 1) have the same product with that of every row as far from both."""
    gram = gram_matrix(Kernel("rbf", 1.0, 0.0, 3, False), read_rows([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), 64)
    assert gram.is_zero({1: 1, 2: -1}, 0)
    assert gram.is_zero({1: 1, 2: -1}, 3)
    assert not gram.is_zero({1: 1, 2: -1}, 1)
    assert not gram.is_zero({1: 1, 2: 1}, 0)


# ---- What is refused.


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n)))
def test_semidefinite_matrices_by_definition(numbers):
    n = round(len(numbers) ** 0.5)
    A = np.array(numbers).reshape(n, n)
    for matrix in (A @ A.T, A + A.T, A @ A.T - np.diag([0] * (n - 1) + [1])):
        smallest = min(np.linalg.eigvalsh(matrix.astype(float)))
        if abs(smallest) > 1e-9:
            assert is_semidefinite(matrix.tolist()) == (smallest > 0)
    assert is_semidefinite((A @ A.T).tolist())


def test_matrices_without_a_feature_space():
    y = [0, 1]
    with pytest.raises(ValueError, match="not positive semidefinite"):
        sx.decide([[1, 2], [2, 1]], y, kernel="precomputed")
    with pytest.raises(ValueError, match="not positive semidefinite"):
        sx.decide([[0, 1], [1, 0]], y, kernel="precomputed", fit_intercept=False)
    with pytest.raises(ValueError, match=r"entries \(0, 1\) and \(1, 0\) differ"):
        sx.margin([[1, 0], [0.5, 1]], y, kernel="precomputed")
    with pytest.raises(ValueError, match="must be square"):
        sx.decide([[1, 0, 0], [0.5, 1, 0]], y, kernel="precomputed")
    with pytest.raises(ValueError, match="coef0=-1 the Gram matrix is not positive semidefinite"):
        sx.decide([[1], [1.5]], y, kernel="poly", coef0=-1.0, gamma=1.0, degree=1, fit_intercept=False)
    assert sx.decide([[2, 0], [0, 2]], y, kernel="poly", coef0=-1.0, gamma=1.0, degree=1).separable  # 3 and -1: it is


def test_bad_parameters():
    X, y = XOR
    for options, text in (
        ({"kernel": "sigmoid"}, "kernel must be one of linear, poly, rbf, precomputed, got 'sigmoid'"),
        ({"kernel": "poly", "degree": 0}, "degree must be an integer from 1 to 1000"),
        ({"kernel": "poly", "degree": 2.0}, "degree must be an integer"),
        ({"kernel": "poly", "gamma": "auto"}, "gamma must be 'scale' or"),
        ({"kernel": "rbf", "gamma": 0.0}, "gamma must be 'scale' or a positive"),
        ({"kernel": "rbf", "gamma": float("inf")}, "gamma must be"),
        ({"kernel": "poly", "coef0": float("nan")}, "coef0 must be a finite number"),
    ):
        for function in (sx.decide, sx.margin):
            with pytest.raises(ValueError, match=text):
                function(X, y, **options)
    with pytest.raises(TypeError, match="kernel='precomputed'"):
        sx.decide(X, y, kernel=lambda a, b: a @ b.T)
    with pytest.raises(ValueError, match="no rational number"):
        sx.margin(X, y, kernel="rbf", exact=True)


def test_too_many_rows(monkeypatch):
    monkeypatch.setattr(space, "MAX_ROWS_TO_CHECK", 3)
    with pytest.raises(ValueError, match="at most 3 rows; there are 4"):
        sx.decide(np.eye(4), XOR[1], kernel="precomputed")
    monkeypatch.setattr(empirical_map, "MAX_WIDE_CELLS", 15)
    with pytest.raises(ValueError, match="exact for at most 3 rows"):
        sx.decide(XOR[0], XOR[1], kernel="poly", degree=400)
    monkeypatch.setattr(products, "MAX_WIDE_CELLS", 2)
    with pytest.raises(ValueError, match="Round the features"):
        sx.decide(np.array(XOR[0]) + 1 / 3, XOR[1], kernel="poly", degree=2)


def test_degrees_and_numbers_out_of_the_range_of_float64():
    y = [0, 1]
    assert sx.decide([[1], [2]], y, kernel="poly", degree=299, gamma=1.0).separable
    with pytest.raises(ValueError, match="more than 1,000 bits"):
        sx.decide([[1], [2]], y, kernel="poly", degree=1000, gamma=1.0)
    with pytest.raises(ValueError, match="more than 1,000 bits"):
        sx.decide([[1], [2]], y, kernel="poly", degree=1000, gamma=1.0, coef0=1e300)
    found = sx.margin([[1], [2]], y, kernel="poly", degree=900, gamma=1.0, kind="geometric", exact=True)
    assert found.squared == Fraction(2**900 - 1, 2) ** 2
    found = sx.margin([[2.0**300], [-(2.0**300)]], y, kernel="poly", degree=3, gamma=1e300, exact=True)
    assert found.squared == Fraction(1e300) ** 3 * Fraction(2) ** 1800


def test_the_linear_kernel_takes_many_columns():
    rng = np.random.RandomState(0)
    X, y = rng.randint(-3, 4, (400, 350)), rng.randint(0, 2, 400)
    assert sx.decide(X, y, kernel="linear").status == sx.decide(X, y).status


# ---- Larger than a reference in fractions can be.


def test_rows_that_float64_holds_and_rows_that_it_does_not():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((60, 2))
    y = ((X**2).sum(axis=1) > 1).astype(int)
    for rows in (X, X.round(1), (10 * X).round()):
        verdict = sx.decide(rows, y, kernel="poly", degree=2)
        sx.verify(verdict.certificate, rows, y)
    assert sx.decide(X, y, kernel="poly", degree=2).separable
    assert not sx.decide(X, y).separable


def test_whole_rows():
    rows = read_rows(np.array([[0.5, 6.0], [0.0, 3.25]]))
    numbers, unit = whole_rows(rows)
    assert [[number * unit for number in row] for row in numbers] == [[0.5, 6], [0, 3.25]]


def test_monomials_by_hand():
    problem = Problem.of([[2, 3]], [1])
    found = written_out(problem, PolynomialKernel(2, Fraction(1), Fraction(1)))
    assert found.names == ["x1^2", "x1*x2", "x2^2", "x1", "x2"]
    assert found.points([0]) == ((4, 6, 9, 2, 3),)
    assert found.intercept
    weights = PolynomialKernel(2, Fraction(2), Fraction(3)).weights(2, intercept=True)
    assert weights == [4, 8, 4, 12, 12, 10]
