"""In blocks, the fewest errors lie between bounds that are proved for all rows."""

import json
import time

import numpy as np
import pytest
from claims import fast, small
from hypothesis import given
from hypothesis import strategies as st
from packing_reference import fewest
from profiles import quickly
from reference import dot, lifted
from strategies import cuts, noisy, problems

import separatrix as sx
from separatrix.streaming.stream import HeldRows, Stream
from separatrix.support.progress import compiling

SMALL = ("integers", "halves", "decimals", "duplicates", "collinear", "xor", "zeros")


def checked(found, X, y):
    """Both bounds, by their definitions."""
    document = json.loads(json.dumps(found.certificate.document()))
    assert small(document, X, y) is None
    assert fast(document, X, y) is None
    assert found.certificate.errors.least == found.lower <= found.upper
    w = found.weights.fractions()
    signs = np.where(np.asarray(y) == max(y), 1, -1)
    wrong = [i for i, z in enumerate(lifted(X, signs.tolist(), found.problem.intercept)) if dot(w, z) <= 0]
    assert found.rows_given_up.tolist() == wrong
    assert len(wrong) == found.upper == found.count


@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
@quickly(40)
@given(problems(kinds=SMALL, max_rows=9, max_columns=3), st.booleans(), st.data())
def test_both_bounds_are_true_and_meet_where_rows_are_few(problem, intercept, data):
    X, y = problem
    y = y.astype(int)
    rows = Stream(HeldRows(X, y, data.draw(cuts(len(X)))))
    found = sx.least_errors(rows, fit_intercept=intercept, time_limit=20)
    checked(found, X, y)
    assert found.optimal
    assert found.lower == fewest(X.tolist(), y.tolist(), intercept, None)
    sx.verify(found.certificate, rows)
    assert found.explain().splitlines()[0] == sx.least_errors(X, y, fit_intercept=intercept).explain().splitlines()[0]


def test_two_flipped_labels_among_many_are_found_out():
    X, y = noisy(20_000, 4, 0.0, seed=3)
    far = np.argsort(-np.abs(X @ np.linalg.lstsq(X, 2.0 * y - 1, rcond=None)[0]))[:2]
    y[far] = 1 - y[far]
    found = sx.least_errors(Stream(HeldRows(X, y, [1000] * 20)), time_limit=30)
    assert found.optimal
    assert found.lower == 2
    assert sorted(found.rows_given_up.tolist()) == sorted(far.tolist())
    text = found.explain()
    assert "20,000 rows" in text
    assert found.certificate.packing is not None


def test_noise_has_bounds_that_are_true():
    X, y = noisy(5000, 3, 0.1, seed=1)
    found = sx.least_errors(Stream(HeldRows(X, y, [500] * 10)), time_limit=3)
    checked(found, X, y)
    assert 100 < found.lower <= found.upper < 700
    assert [known.upper for known in found.history] == sorted((known.upper for known in found.history), reverse=True)


def test_without_time_there_are_bounds_all_the_same():
    X, y = noisy(500, 3, 0.1, seed=1)
    found = sx.least_errors(Stream(HeldRows(X, y, [100] * 5)), time_limit=1e-6)
    checked(found, X, y)
    assert found.upper == min(np.bincount(y))
    assert found.explain()


class SlowRows(HeldRows):
    """Rows that take a while to be read, the first time above all."""

    def facts(self):
        time.sleep(0.5)
        return super().facts()

    def blocks(self, numbers):
        for each in super().blocks(numbers):
            time.sleep(0.05)
            yield each


@pytest.mark.parametrize("limit", [0.2, 1.0, 3.0])
def test_the_time_limit_is_kept_and_passes_that_would_not_end_are_not_begun(limit):
    X, y = noisy(5000, 3, 0.1, seed=1)
    begun, compiled = time.monotonic(), compiling().seconds()
    found = sx.least_errors(Stream(SlowRows(X, y, [500] * 10)), time_limit=limit)
    took = time.monotonic() - begun - (compiling().seconds() - compiled)
    assert took < max(limit, 0.5) + 1.0  # the survey, half a second, must come to its end
    checked(found, X, y)
    if limit > 2.5:
        assert found.upper < 1000 < min(np.bincount(y))


def test_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight"):
        sx.least_errors(Stream(HeldRows([[0.0], [1.0]], [0, 1], [1, 1])), sample_weight=[1, 2])
