"""The convergence theorem in the feature space of a kernel, against a literal loop in fractions."""

import math
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import dual_perceptron, polynomial_features, polynomial_gram
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from strategies import TIES

import separatrix as sx

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
KERNELS = st.fixed_dictionaries({"degree": st.integers(1, 3), "gamma": st.sampled_from([1, 2]), "coef0": st.integers(0, 1)})


@st.composite
def tables(draw):
    """Draw few rows of tenths or whole numbers with both labels, and weights or none."""
    n, d, unit = draw(st.integers(2, 6)), draw(st.integers(1, 2)), draw(st.sampled_from([1, 10]))
    cells = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    X = np.array([[Fraction(cell, unit) for cell in row] for row in cells], object).reshape(n, d)
    y = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n))
    return X, y, weights


def fitted(X, y, weights, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sx.KernelPerceptron(max_iter=12, **options).fit(X, y, weights)


def literally(K, y, trace, weights):
    """For each mistake its score, and then the square of the length, by their definitions."""
    steps = [Fraction(1)] * len(y) if weights is None else list(map(Fraction, weights))
    alpha, scores, squares = [Fraction(0)] * len(y), [], []
    for i in trace:
        scores.append(int(y[i]) * sum(a * K[j][i] for j, a in enumerate(alpha)))
        alpha[i] += int(y[i]) * steps[i]
        squares.append(sum(a * b * K[i][j] for i, a in enumerate(alpha) for j, b in enumerate(alpha)))
    return scores, squares


@given(tables(), KERNELS, st.booleans(), TIES, st.booleans(), st.booleans())
def test_against_a_literal_loop(table, kernel, intercept, tie, record, precomputed):
    X, y, weights = table
    K = polynomial_gram(X, X, intercept=intercept, **kernel)
    rows, options = X, {"kernel": "poly", **kernel}
    if precomputed:
        rows, options = np.array([[v - intercept for v in row] for row in K], object), {"kernel": "precomputed"}
    perceptron = fitted(rows, y, weights, tie=tie, fit_intercept=intercept, record=record, **options)
    ledger = sx.audit(perceptron, rows, y, sample_weight=weights)
    trace, _, passes, ended = dual_perceptron(K, y, tie=tie, max_iter=12, weights=weights)
    assert (ledger.mistakes, ledger.passes, ledger.converged) == (len(trace), passes, ended)
    assert ledger.updates.tolist() == [trace.count(i) for i in range(len(y))]
    assert ledger.holds
    assert ledger.radius_squared == max(K[i][i] for i in range(len(y)))
    scores, squares = literally(K, y, trace, weights)
    assert all(score <= 0 for score in scores)
    assert ledger.squared_length.tolist() == pytest.approx([float(square) for square in squares], rel=1e-15)
    steps = [Fraction(1) if weights is None else Fraction(weights[i]) for i in trace]
    sums = [sum(steps[:k]) for k in range(1, len(trace) + 1)]
    step_squares = [sum(c * c for c in steps[:k]) for k in range(1, len(trace) + 1)]
    lines = [float(total * ledger.radius_squared) for total in step_squares]
    assert ledger.squared_length_line.tolist() == pytest.approx(lines, rel=1e-15)
    never = {"update": 0, "positive": 1, "negative": -1}[tie]
    kept = [i for i in range(len(y)) if intercept or not (K[i][i] == 0 and y[i] == never)] or list(range(len(y)))
    features = np.array(polynomial_features(X, **kernel), object)[kept]
    try:
        squared = sx.margin(features, y[kept], fit_intercept=intercept, exact=True).squared
    except sx.NotSeparable:
        assert ledger.margin is None
        assert ledger.bound is None
        assert ledger.obstruction is not None
        assert np.isnan(ledger.alignment).all()
    else:
        assert ledger.margin.squared == squared
        every = [1.0] * len(y) if weights is None else weights
        allowed = ledger.radius_squared / squared * Fraction(max(every)) / Fraction(min(every))
        assert Fraction(ledger.bound[0]) <= allowed <= Fraction(ledger.bound[1])
        assert len(trace) <= allowed
        star = {kept[i]: m for i, m in zip(ledger.margin.rows, ledger.margin.multipliers, strict=True)}
        length = math.sqrt(sum(a * b * y[i] * y[j] * K[i][j] for i, a in star.items() for j, b in star.items()))
        along = [float(sum(m * y[i] * y[j] * K[i][j] for i, m in star.items())) / length for j in range(len(y))]
        totals = np.cumsum([float(c) * along[i] for c, i in zip(steps, trace, strict=True)])
        assert ledger.alignment.tolist() == pytest.approx(totals.tolist(), rel=1e-12)
        gamma = math.sqrt(squared)
        assert ledger.alignment_line.tolist() == pytest.approx([float(total) * gamma for total in sums], rel=1e-14)
        cosines = [a / math.sqrt(square) for a, square in zip(totals, squares, strict=True) if square]
        if len(cosines) == len(squares):
            assert ledger.cosine.tolist() == pytest.approx(cosines, rel=1e-12)
    for style in ("text", "markdown", "latex"):
        ledger.explain(style)


def test_xor_is_allowed_85_mistakes():
    ledger = sx.audit(sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(*XOR), *XOR)
    assert (ledger.mistakes, ledger.radius_squared, ledger.margin.squared) == (21, 5, Fraction(1, 17))
    assert ledger.bound == (85.0, 85.0)
    assert "R^2 / gamma^2 = 85 mistakes" in ledger.explain()
    assert repr(ledger) == "<KernelLedger: 21 mistakes, at most 85 allowed; holds>"
    assert ledger.squared_length[-1] == 27.0


def test_the_linear_kernel_is_audited_as_the_perceptron():
    X, y = sx.examples.load("and")
    plain = sx.audit(sx.Perceptron().fit(X, y), X, y)
    ledger = sx.audit(sx.KernelPerceptron(kernel="linear").fit(X, y), X, y)
    assert ledger.bound == plain.bound == (51.0, 51.0)
    for name in ("k", "squared_length", "squared_length_line", "alignment", "alignment_line", "cosine", "margin_ceiling"):
        assert getattr(ledger, name).tolist() == pytest.approx(getattr(plain, name).tolist(), rel=1e-14)


@given(tables(), st.booleans(), st.sampled_from([0.5, 2.0]))
def test_the_radial_kernel(table, intercept, gamma):
    """Steps and squares, in decimals of 60 digits."""
    X, y, weights = table
    perceptron = fitted(X, y, weights, fit_intercept=intercept, gamma=gamma, record=True)
    ledger = sx.audit(perceptron, X, y, sample_weight=weights)
    with localcontext() as context:
        context.prec = 60
        K = [[(-Decimal(gamma) * sum((Decimal(a.numerator) / a.denominator - Decimal(b.numerator) / b.denominator) ** 2
                                     for a, b in zip(r, s, strict=True))).exp() + int(intercept) for s in X.tolist()]
             for r in X.tolist()]  # fmt: skip
        alpha, squares = [Decimal(0)] * len(y), []
        for i in perceptron.mistakes_.tolist():
            score = int(y[i]) * sum(a * K[j][i] for j, a in enumerate(alpha))
            if score > Decimal("1e-40"):
                assert not ledger.holds
            alpha[i] += int(y[i]) * Decimal(1.0 if weights is None else weights[i])
            squares.append(float(sum(a * b * K[i][j] for i, a in enumerate(alpha) for j, b in enumerate(alpha))))
    assert ledger.radius_squared == 1 + intercept
    assert ledger.squared_length.tolist() == pytest.approx(squares, rel=1e-14, abs=1e-30)
    assert ledger.holds  # the runs are short, and rounding changes no sign
    if ledger.margin is not None:
        assert ledger.mistakes <= ledger.bound[0]


def test_a_step_that_is_no_mistake_is_found():
    X, y = XOR
    perceptron = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, record=True).fit(X, y)
    perceptron._learnt.trace[[5, 20]] = perceptron._learnt.trace[[20, 5]]  # the same weights in the end
    ledger = sx.audit(perceptron, X, y)
    assert not ledger.holds
    assert "is no mistake" in ledger.violations[0]
    assert "does not hold on this run" in ledger.explain()


def test_rows_that_are_not_those_of_the_run():
    X, y = XOR
    for record in (True, False):
        perceptron = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, record=record).fit(X, y)
        for rows, labels in (([[0, 0], [0, 1], [1, 0], [1, 2]], y), (X, [1, 0, 0, 1]), (X[:3], y[:3])):
            with pytest.raises(ValueError, match="cannot be audited on these rows"):
                sx.audit(perceptron, rows, labels)
        with pytest.raises(ValueError, match="3 columns, but the perceptron was fitted on 2"):
            sx.audit(perceptron, [[0, 0, 0]] * 4, y)
        with pytest.raises(ValueError, match="cannot be audited on these rows"):
            sx.audit(perceptron, X, y, sample_weight=[1, 2, 1, 1])


def test_what_is_refused():
    X, y = XOR
    with pytest.raises(NotFittedError):
        sx.audit(sx.KernelPerceptron(), X, y)
    with pytest.raises(ValueError, match="starts from zero"):
        sx.audit(sx.KernelPerceptron().fit(X, y), X, y, coef_init=[1, 1])
    with pytest.raises(TypeError, match="kernel='precomputed'"):
        sx.audit(fitted(X, y, None, kernel=lambda a, b: a @ b.T), X, y)
    with pytest.raises(ValueError, match="two classes"):
        sx.audit(sx.KernelPerceptron().fit(X, [0, 1, 2, 2]), X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="record=True"):
        sx.audit(sx.KernelPerceptron(order="shuffle").fit(X, y), X, y)
    assert sx.audit(sx.KernelPerceptron(order="shuffle", record=True).fit(X, y), X, y).holds
    assert sx.audit(sx.KernelPerceptron(order="shuffle", random_state=3).fit(X, y), X, y).holds
    K = [[1, 2], [2, 1]]
    with pytest.raises(ValueError, match="not positive semidefinite"):
        sx.audit(fitted(K, [0, 1], None, kernel="precomputed"), K, [0, 1])
    with pytest.raises(TypeError, match=r"expected sx.Perceptron or sx.KernelPerceptron"):
        sx.audit(sx.Pocket().fit(X, y), X, y)


def test_rows_of_weight_zero():
    X, y = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 1, 0]
    weights = [1, 0, 1, 1, 1]
    perceptron = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(X, y, weights)
    assert sx.audit(perceptron, X, y, sample_weight=weights).bound == (85.0, 85.0)
    K = (X @ X.T) ** 2
    perceptron = sx.KernelPerceptron(kernel="precomputed").fit(K, y, weights)
    assert sx.audit(perceptron, K, y, sample_weight=weights).bound == (85.0, 85.0)
