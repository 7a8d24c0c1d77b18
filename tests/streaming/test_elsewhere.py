"""What blocks are asked, and what they tell, goes to other processes and back, and arrives in any order."""

import pickle

import numpy as np
import pytest
from strategies import noisy

import separatrix as sx
from separatrix.streaming.stream import HeldRows, Stream


class Elsewhere(Stream):
    """Blocks that are computed with as if on other machines."""

    @property
    def at_once(self):
        return 3

    def map(self, function, *given, blocks=None):
        function, given = pickle.loads(pickle.dumps((function, given)))
        found = [pickle.loads(pickle.dumps(each)) for each in super().map(function, *given, blocks=blocks)]
        yield from reversed(found)


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_the_answers_are_the_same(share):
    X, y = noisy(2000, 3, share, seed=5)
    rows = Elsewhere(HeldRows(X, y, [100] * 20))
    found, expected = sx.decide(rows), sx.decide(X, y)
    assert found.status == expected.status
    assert np.array_equal(found.separated_rows, expected.separated_rows)
    sx.verify(found.certificate, rows)
    if share:
        least = sx.least_errors(rows, time_limit=2)
        sx.verify(least.certificate, rows)
        sx.verify(least.certificate, X, y)
        assert len(least.rows_given_up) == least.upper
    else:
        assert sx.margin(rows, exact=True).squared == sx.margin(X, y, exact=True).squared
        sx.verify(sx.margin(rows).at_least, rows)
