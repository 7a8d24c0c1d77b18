"""Sources of separable rows: the margin is the one asked for, exactly, or at least that."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx


def is_sum_of_squares(number, count):
    """Whether a number is the sum of so many squares, by trying."""
    if count == 1:
        return math.isqrt(number) ** 2 == number
    return any(is_sum_of_squares(number - v * v, count - 1) for v in range(math.isqrt(number) + 1))


@given(
    n=st.integers(2, 12),
    d=st.integers(1, 6),
    square=st.builds(Fraction, st.integers(1, 120), st.sampled_from([1, 3, 4, 25, 100, 400])),
    decimals=st.integers(0, 2),
    exact=st.booleans(),
    intercept=st.booleans(),
    spread=st.sampled_from([1, 2.5, 10]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_margin_is_as_asked_for(n, d, square, decimals, exact, intercept, spread, seed):
    asked = {"exact": exact, "decimals": decimals, "spread": spread, "fit_intercept": intercept, "seed": seed}
    try:
        X, y = sx.examples.separable(n, d, margin_squared=square, **asked)
    except ValueError as error:
        refused = str(error)
    else:
        assert X.shape == (n, d)
        assert set(y.tolist()) == {0, 1}
        found = sx.margin(X, y, kind="geometric", fit_intercept=intercept, exact=True).squared
        assert found == square if exact else found >= square
        numbers = np.asarray(X) * 10**decimals
        assert np.allclose(numbers, np.rint(numbers), atol=1e-6)
        return
    wanted = square * 100**decimals * (4 if intercept else 1)
    assert wanted.denominator != 1 or not is_sum_of_squares(int(wanted), d)
    assert "is a sum of squares; but that is" in refused


def test_whole_coordinates_are_floats_and_decimals_are_exact():
    X, y = sx.examples.separable(30, 3, margin=3)
    assert isinstance(X, np.ndarray)
    assert X.dtype == np.float64
    rows, labels = sx.examples.separable(30, 3, margin="0.3", decimals=1)
    assert rows.denominator == 10
    assert sx.Perceptron(max_iter=10**5).fit(rows, labels).converged_
    assert np.array_equal(sx.examples.separable(30, 3, margin=3)[0], X)
    assert not np.array_equal(sx.examples.separable(30, 3, margin=3, seed=1)[0], X)
    assert sx.Perceptron(max_iter=10**5).fit(X, y).converged_


def test_many_rows_and_many_features():
    X, y = sx.examples.separable(5000, 8, margin=1, fit_intercept=False)
    found = sx.margin(X, y, fit_intercept=False)
    assert found.lo <= 1.0 <= found.hi
    X, y = sx.examples.separable(20, 200, margin=5)
    assert sx.margin(X, y, kind="geometric", exact=True).squared == 25


def test_the_largest_rows_there_can_be():
    X, y = sx.examples.separable(20, 40, margin=5 * 10**4, spread=1e6)
    assert sx.margin(X, y, kind="geometric", exact=True).squared == 25 * 10**8
    X, y = sx.examples.separable(3, 10**4, margin=10**5, spread=1e6, fit_intercept=False)
    assert sx.margin(X, y, fit_intercept=False, exact=True).squared == 10**10


@pytest.mark.parametrize("n", [2, 3, 5, 8, 16])
def test_mistakes_attain_the_bound(n):
    X, y = sx.examples.tight(n)
    assert set(y.tolist()) == {0, 1}
    assert sx.margin(X, y, fit_intercept=False, exact=True).squared == Fraction(1, n)
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(n)
        perceptron = sx.Perceptron(fit_intercept=False, order=order).fit(X, y)
        assert perceptron.n_mistakes_ == n == sx.audit(perceptron, X, y).radius_squared * n  # over gamma^2 = 1/n
    if n & (n - 1):
        with pytest.raises(ValueError, match="power of two"):
            sx.examples.tight(n, fit_intercept=True)
        return
    X, y = sx.examples.tight(n, fit_intercept=True)
    assert X.shape == (n, n - 1)
    perceptron = sx.Perceptron().fit(X, y)
    square = sx.audit(perceptron, X, y).radius_squared
    assert perceptron.n_mistakes_ == n == square / sx.margin(X, y, exact=True).squared


@pytest.mark.parametrize(("given", "asked", "message"), [
    ((1, 2), {}, "number of rows"),
    ((5, 0), {}, "number of features"),
    ((5, 2), {"margin": 0}, "margin must be above 0"),
    ((5, 2), {"margin": 1, "margin_squared": 1}, "not both"),
    ((5, 2), {"margin": "0.25"}, "which is not a whole number"),
    ((5, 2), {"margin_squared": "3/4"}, "4 gamma.2 is a sum of squares; but that is 3, which is not a sum of 2 squares"),
    ((5, 2), {"decimals": 9}, "decimals must be"),
    ((5, 2), {"spread": 0.5}, "spread must be"),
    ((5, 2), {"margin": 10**9}, "which is not at most 10,000,000,000"),
    ((5, 2), {"seed": -1}, "seed must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(given, asked, message):
    with pytest.raises(ValueError, match=message):
        sx.examples.separable(*given, **asked)
