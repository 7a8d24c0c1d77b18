"""The least score of many rows that are tied, or nearly: exact, and found without a fraction for each of them."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.exact.dyadic import Dyadic
from separatrix.problem import scores
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("exponent", [-60, -3, 0, 5])
@pytest.mark.parametrize("scale", [2.0**-40, 1.0, 2.0**40])
def test_the_least_of_many_tied_scores(monkeypatch, intercept, exponent, scale):
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (400, 3)) * scale
    X[:, 2] = -(3 * X[:, 0] - 5 * X[:, 1]) + 2 * scale * np.where(rng.random(400) < 0.5, 1.0, -1.0)
    problem = Problem.of(X, np.where(rng.random(400) < 0.5, 1, -1), intercept=intercept)
    weights = Dyadic([3, -5, 1, *([7] if intercept else [])], exponent)
    made = []
    monkeypatch.setattr(scores, "_MANY_NUMBERS", 1)
    monkeypatch.setattr(scores, "Fraction", lambda *given: made.append(given) or Fraction(*given))
    groups = [problem.y > 0, problem.y < 0]
    found = scores.least_scores(Lifted.of(problem), weights, groups)
    assert len(made) <= 4
    w = weights.fractions()
    for group, (least, row) in zip(groups, found, strict=True):
        exact = [
            int(problem.y[i]) * (sum(Fraction(x) * v for x, v in zip(X[i].tolist(), w, strict=False)) + (w[3:] or [0])[0])
            for i in range(400)
        ]
        among = [(exact[i], i) for i in np.flatnonzero(group).tolist()]
        assert (least, row) == min(among)
