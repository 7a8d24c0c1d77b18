"""How a search for the fewest errors came to its result: what it knew, and when."""

from fractions import Fraction

import numpy as np
import pytest
from packing_reference import fewest

import separatrix as sx


@pytest.mark.parametrize("weighted", [False, True])
def test_a_history_leads_from_nothing_to_the_result_and_is_true_throughout(weighted):
    X = np.random.default_rng(5).integers(0, 4, size=(9, 2)).astype(float)
    y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1])
    weights = np.where(np.arange(9) % 2, 0.5, 1.0) if weighted else None
    found = sx.least_errors(X, y, sample_weight=weights)
    costs = [Fraction(1)] * 9 if weights is None else list(map(Fraction, weights.tolist()))
    best = fewest(X, np.where(y, 1, -1), True, costs)
    seconds, lower, upper = (list(each) for each in zip(*found.history, strict=True))
    assert (lower[0], upper[0]) == (0, sum(costs))
    assert (lower[-1], upper[-1]) == (found.lower, found.upper) == (best, best)
    assert best > 0
    assert all(low <= best <= high for low, high in zip(lower, upper, strict=True))
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    assert (lower, upper) == (sorted(lower), sorted(upper, reverse=True))
    assert len({each[1:] for each in found.history[:-1]}) == len(found.history) - 1, "each but the end is something new"


def test_a_history_takes_no_part_in_comparisons():
    first, second = (sx.least_errors(*sx.examples.load("xor")) for _ in range(2))
    assert first == second
    assert first.history != second.history


def test_where_no_row_counts_nothing_happens():
    found = sx.least_errors(*sx.examples.load("xor"), sample_weight=np.zeros(4))
    assert [each[1:] for each in found.history] == [(0, 0)] * 2


def test_what_is_known_when_the_time_is_up_is_the_end_of_the_history():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 2, 300)
    found = sx.least_errors(X, y, time_limit=0.3)
    assert not found.optimal
    assert found.history[-1][1:] == (found.lower, found.upper)
    assert found.history[-1].seconds >= 0.3
