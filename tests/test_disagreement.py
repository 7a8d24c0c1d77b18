"""The fewest errors that any hyperplane makes: bounds that are always true, and certificates that prove them."""

from fractions import Fraction

import numpy as np
import reference
from hypothesis import given
from hypothesis import strategies as st
from packing_reference import fewest
from strategies import problems

import separatrix as sx
from separatrix import checker


def errors(weights, X, y, costs, intercept):
    """Return the cost of the rows that exact weights have on their wrong side or on themselves."""
    exact = weights.fractions()
    rows = [i for i, z in enumerate(reference.lifted(X, y, intercept)) if reference.dot(exact, z) <= 0]
    return rows, sum((costs[i] for i in rows), Fraction(0))


def check_alone(certificate, X, y):
    """Let the stand-alone checker judge a certificate that was written down and read again."""
    rows = [(int(label), [(j, float(v)) for j, v in enumerate(row) if v]) for row, label in zip(X, y, strict=True)]
    import json

    return checker.check(checker.parse(json.dumps(certificate.document())), rows)


@st.composite
def weighted(draw):
    X, y = draw(problems(max_rows=6, max_columns=4))
    kind = draw(st.sampled_from(["none", "whole", "halves", "random", "spread"]))
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    n = len(y)
    weights = {
        "none": None,
        "whole": rng.randint(0, 4, n).astype(float),
        "halves": rng.randint(1, 5, n) / 2.0,
        "random": rng.random_sample(n),
        "spread": 10.0 ** rng.randint(-300, 300, n),
    }[kind]
    return X, y, weights, draw(st.booleans())


@given(weighted())
def test_the_bounds_are_true_and_proved(case):
    X, y, weights, intercept = case
    found = sx.least_errors(X, y, sample_weight=weights, fit_intercept=intercept, time_limit=60)
    costs = [Fraction(1)] * len(y) if weights is None else [Fraction(w) for w in weights]
    optimum = fewest(X, y, intercept, costs)
    assert found.lower <= optimum <= found.upper
    assert found.certificate.errors.least == found.lower
    rows, cost = errors(found.weights, X, y, costs, intercept)
    assert cost == found.upper
    assert rows == found.rows_given_up.tolist()
    assert check_alone(found.certificate, X, y).startswith("Proved")
    sx.verify(found.certificate, X, y)
    if weights is None or np.ptp(np.log2(weights + (weights == 0))) < 100:
        assert found.optimal
