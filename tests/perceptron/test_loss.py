"""The perceptron loss, its subgradients and the descent on it, against their definitions in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, is_mistake, lifted
from strategies import TIES, problems

import separatrix as sx

FEW = ("integers", "halves", "decimals", "duplicates", "zeros", "xor", "ulps", "cancelling")
NUMBERS = st.sampled_from([0, 0, 1, -1, "0.1", "-1/3", Fraction(3, 10), 0.1])
SHARES = st.sampled_from([0, 1, "0.5", Fraction(1, 3), 0.1])


def weights_for(data, X):
    w = data.draw(st.lists(NUMBERS, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    return w[:-1], w[-1], [Fraction(number) for number in w]


def loss(Z, w):
    return sum((max(Fraction(0), -dot(w, z)) for z in Z), Fraction(0))


def tenths(X):
    """The same rows as fractions, with a denominator if they are decimals."""
    return [[Fraction(str(number)) for number in row] for row in X.tolist()]


@given(problems(FEW), st.booleans(), st.data())
def test_losses_row_by_row(problem, exact, data):
    X, y = problem
    X = tenths(X) if exact else X
    coef, b, w = weights_for(data, np.asarray(X, object))
    Z = lifted(np.asarray(X, object), y, True)
    found = sx.perceptron_loss(coef, b, X, y, reduction="none")
    expected = [max(Fraction(0), -dot(w, z)) for z in Z]
    assert [each > 0 for each in found] == [each > 0 for each in expected]
    assert np.allclose(
        found, [float(each) for each in expected], rtol=1e-12, atol=1e-12 * max(map(abs, map(float, np.ravel(X))))
    )
    assert sx.perceptron_loss(coef, b, X, y) == found.sum()
    assert sx.perceptron_loss(coef, b, X, y, reduction="mean") == found.mean()


@given(problems(FEW), st.booleans(), st.data())
def test_the_subdifferential_holds_the_subgradients_and_no_others(problem, exact, data):
    X, y = problem
    X = tenths(X) if exact else X
    coef, b, w = weights_for(data, np.asarray(X, object))
    Z = lifted(np.asarray(X, object), y, True)
    found = sx.perceptron_subdifferential(coef, b, X, y)
    kinks = [i for i, z in enumerate(Z) if dot(w, z) == 0]
    assert found.kinks.tolist() == kinks
    shares = data.draw(st.lists(SHARES, min_size=len(kinks), max_size=len(kinks)))
    slope = found.at(shares) if kinks else found.at(0)
    other = [Fraction(number) for number in data.draw(st.lists(NUMBERS, min_size=len(w), max_size=len(w)))]
    assert loss(Z, other) >= loss(Z, w) + dot(slope, [a - c for a, c in zip(other, w, strict=True)])
    for tie in ("update", "positive", "negative"):
        taken = [i for i, z in enumerate(Z) if is_mistake(dot(w, z), y[i], tie)]
        expected = [-sum((Z[i][j] for i in taken), Fraction(0)) for j in range(len(w))]
        gradient, shift = sx.perceptron_subgradient(coef, b, X, y, tie=tie)
        assert [*gradient.tolist(), shift] == [float(number) for number in expected]
        if kinks:
            assert list(found.at([int(i in taken) for i in kinks])) == expected
    for t in (0, 1, "1/3"):
        gradient, shift = sx.perceptron_subgradient(coef, b, X, y, t=t)
        assert [*gradient.tolist(), shift] == [float(number) for number in found.at(t)]
    assert found.ends == (found.at(0), found.at(1))


@given(problems(FEW, max_rows=6, max_columns=3), TIES, st.booleans(), st.booleans(), st.booleans(), st.data())
def test_the_descent_is_that_of_the_definition(problem, tie, intercept, exact, falling, data):
    X, y = problem
    X = tenths(X) if exact else X
    rows = np.asarray(X, object)
    Z, D = lifted(rows, y, intercept), rows.shape[1] + intercept
    start = data.draw(st.none() | st.lists(NUMBERS, min_size=D, max_size=D))
    w = [Fraction(number) for number in start or [0] * D]
    eta = (lambda k: Fraction(1, k)) if falling else data.draw(st.sampled_from([1, "0.1", 0.5]))
    steps = data.draw(st.integers(0, 8))
    expected = []
    for k in range(1, steps + 2):
        wrong = [i for i, z in enumerate(Z) if is_mistake(dot(w, z), y[i], tie)]
        expected.append((tuple(w), loss(Z, w), len(wrong)))
        if not wrong:
            break
        size = eta(k) if falling else Fraction(eta)
        w = [a + size * sum((Z[i][j] for i in wrong), Fraction(0)) for j, a in enumerate(w)]
    first = {} if start is None else {"coef_init": start[: rows.shape[1]]}
    if start is not None and intercept:
        first["intercept_init"] = start[-1]
    found = sx.descend_on_loss(X, y, steps=steps, eta=eta, tie=tie, fit_intercept=intercept, **first)
    assert list(zip(found.weights, found.losses, found.errors, strict=True)) == expected
    assert found.steps == len(expected) - 1
    assert found.ended == (expected[-1][2] == 0)


def test_xor_is_descended_for_ever():
    X, y = sx.examples.load("xor")
    found = sx.descend_on_loss(X, y, steps=20)
    assert (found.steps, found.ended, repr(found)) == (20, False, "<Descent: 20 steps, 4 rows wrong>")


def test_what_is_no_descent_is_refused():
    X, y = sx.examples.load("and")
    for parameters, message in (
        ({"eta": 0}, "positive"),
        ({"eta": lambda k: 2 - k}, "0 at step 2"),
        ({"steps": -1}, "from 0 up"),
        ({"steps": 1.5}, "from 0 up"),
        ({"tie": "spam"}, "tie must be"),
        ({"coef_init": [1]}, "expected 2"),
        ({"intercept_init": 1, "fit_intercept": False}, "fit_intercept is False"),
    ):
        with pytest.raises(ValueError, match=message):
            sx.descend_on_loss(X, y, **parameters)
    with pytest.raises(ValueError, match="reduction must be"):
        sx.perceptron_loss([1, 1], 0, X, y, reduction="max")
    for t in (-0.1, 1.5, "2"):
        with pytest.raises(ValueError, match="from 0 to 1"):
            sx.perceptron_subgradient([0, 0], 0, X, y, t=t)
    with pytest.raises(ValueError, match="2 numbers for 4 kinks"):
        sx.perceptron_subdifferential([0, 0], 0, X, y).at([0, 1])
