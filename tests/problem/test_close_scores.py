"""Scores of float64 weights are close to the exact ones, however far their terms cancel."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from separatrix.problem.reading_rows import read_rows
from separatrix.problem.scores import close_scores

CLOSE = Fraction(1, 2**30)


def assert_close(rows, weights, exact):
    for value, score in zip(close_scores(read_rows(rows), weights).tolist(), exact, strict=True):
        if abs(score) > 2**1023:
            assert np.isinf(value) or abs(Fraction(value) - score) <= CLOSE * abs(score)
        else:
            assert abs(Fraction(value) - score) <= CLOSE * max(1, abs(score))


def scores_of(X, weights):
    *first, last = map(Fraction, weights.tolist())
    return [sum((w * Fraction(x) for w, x in zip(first, row, strict=True)), last) for row in X]


@given(problems(), st.data(), st.booleans())
def test_by_definition(problem, data, sparse):
    X, _ = problem
    numbers = st.one_of(st.sampled_from([0.0, 1.0, -3.0, 1e16, -1e16, 1e-300, 1e300]), st.sampled_from(X.ravel().tolist()))
    size = X.shape[1] + 1
    weights = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)))
    assert_close(sp.csr_array(X) if sparse else X, weights, scores_of(X.tolist(), weights))


@pytest.mark.parametrize("n", [5, 30_000])
def test_terms_that_cancel_in_few_rows_and_in_many(n):
    """Two columns that are equal but for their last bits, with large weights of opposite signs."""
    rng = np.random.default_rng(n)
    first = rng.standard_normal(n)
    X = np.column_stack([first, np.nextafter(first, 9)])
    weights = np.array([1e16, -1e16, 0.5])
    assert_close(X, weights, scores_of(X.tolist(), weights))


def test_of_decimals():
    X = [[Decimal("0.1"), Decimal("0.3")], [Decimal("0.2"), Decimal("0.6")]]
    weights = np.array([3e15, -1e15, 0.25])
    assert_close(X, weights, scores_of(X, weights))
