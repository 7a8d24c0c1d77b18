"""In blocks, the fewest errors lie between bounds that are proved for all rows."""

import json

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
from separatrix.problem.problem import Problem
from separatrix.problem.reading_rows import read_rows
from separatrix.problem.scaled import ScaledRows
from separatrix.streaming.proposing import Sums
from separatrix.streaming.stream import HeldRows, Stream
from separatrix.support import clock
from separatrix.support.progress import compiling

SMALL = ("integers", "halves", "decimals", "duplicates", "collinear", "xor", "zeros")


class LittleRoom(Stream):
    """Rows of which only a few may be held at a time."""

    most_numbers = 4000


class HardlyRoom(Stream):
    """Rows of which hardly any may be held."""

    most_numbers = 1


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
    kind = data.draw(st.sampled_from([Stream, HardlyRoom]))  # all rows in memory, and some
    rows = kind(HeldRows(X, y, data.draw(cuts(len(X)))))
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
    found = sx.least_errors(LittleRoom(HeldRows(X, y, [1000] * 20)), time_limit=30)
    assert found.optimal
    assert found.lower == 2
    assert sorted(found.rows_given_up.tolist()) == sorted(far.tolist())
    text = found.explain()
    assert "20,000 rows" in text
    assert found.certificate.packing is not None


@pytest.mark.parametrize("kind", [Stream, LittleRoom])
def test_noise_has_bounds_that_are_true(kind):
    X, y = noisy(5000, 3, 0.1, seed=1)
    found = sx.least_errors(kind(HeldRows(X, y, [500] * 10)), time_limit=3)
    checked(found, X, y)
    assert 100 < found.lower <= found.upper < 700
    assert [known.upper for known in found.history] == sorted((known.upper for known in found.history), reverse=True)


@pytest.mark.parametrize("kind", [Stream, HardlyRoom])
def test_without_time_there_are_bounds_all_the_same(kind):
    X, y = noisy(500, 3, 0.1, seed=1)
    found = sx.least_errors(kind(HeldRows(X, y, [100] * 5)), time_limit=1e-6)
    checked(found, X, y)
    assert found.upper == min(np.bincount(y))
    assert found.explain()


class MadeUpTime:
    """A clock that goes on by a millisecond each time that it is looked at, and when it is told to."""

    now = 0.0

    def monotonic(self):
        self.now += 1e-3
        return self.now


class SlowRows(HeldRows):
    """Rows that take half a second to be surveyed, and as long for each pass."""

    time: MadeUpTime

    def facts(self):
        self.time.now += 0.5
        return super().facts()

    def blocks(self, numbers):
        for each in super().blocks(numbers):
            self.time.now += 0.05
            yield each


@pytest.mark.parametrize("kind", [Stream, LittleRoom])
@pytest.mark.parametrize("limit", [0.2, 1.0, 3.0])
def test_the_time_limit_is_kept_and_passes_that_would_not_end_are_not_begun(limit, kind, monkeypatch):
    X, y = noisy(5000, 3, 0.1, seed=1)
    rows = SlowRows(X, y, [500] * 10)
    rows.time = MadeUpTime()
    monkeypatch.setattr(clock, "time", rows.time)
    compiled = compiling().seconds()
    found = sx.least_errors(kind(rows), time_limit=limit)
    took = rows.time.now - (compiling().seconds() - compiled)
    assert took < max(limit, 0.5) + 0.2  # the survey comes to its end
    checked(found, X, y)
    if limit > 2.5:
        assert found.upper < 1000 < min(np.bincount(y))


def uneven(n=12_000, seed=0):
    """Rows in columns whose sizes differ a millionfold, with noisy labels; 22 % are 1. Tables of customers are like that."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 8))
    score = Z @ rng.standard_normal(8) + 2.5 * rng.standard_normal(n)
    sizes = 10.0 ** np.array([5, 5, 4, 3, 1, 0, 0, -1])
    X = np.where(np.arange(8) < 4, np.exp(0.4 * Z), Z) * sizes
    return np.round(X, 2), (score > np.quantile(score, 0.78)).astype(int)


def test_columns_of_very_different_sizes_are_no_hindrance():
    X, y = uneven()
    always = int(y.sum())
    in_memory = sx.least_errors(X, y, time_limit=4)
    found = sx.least_errors(LittleRoom(HeldRows(X, y, [600] * 20)), time_limit=8)
    checked(found, X, y)
    assert always == 2640
    assert in_memory.upper < 0.93 * always
    assert found.upper <= 1.03 * in_memory.upper


def test_hyperplanes_are_as_good_as_least_squares_where_few_rows_fit_into_memory():
    X, y = noisy(60_000, 10, 0.05, seed=2)
    w = np.linalg.lstsq(X, 2.0 * y - 1, rcond=None)[0]
    found = sx.least_errors(LittleRoom(HeldRows(X, y, [2000] * 30)), time_limit=5)
    assert found.upper <= np.count_nonzero((X @ w > 0) != y)


def test_least_squares_are_those_of_all_rows_though_each_block_scales_its_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4)) * 2.0 ** np.array([-20, 0, 9, 30])
    X[:100, 2] = 0.0
    X[200:] *= 2.0**-12
    y = np.where(rng.random(300) < 0.5, 1.0, -1.0)

    def sums(some):
        scaled = ScaledRows(Problem.bare(read_rows(X[some]), True, y[some]), scale_rows=False)
        return Sums(scaled.gram(), scaled.combine(np.ones(len(y[some]))), scaled.exponents)

    w = sums(slice(100)).plus(sums(slice(100, 200))).plus(sums(slice(200, 300))).solution().round()
    sizes = np.append(np.sqrt((X**2).sum(axis=0)), np.sqrt(300.0))
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(300)]) / sizes, y, rcond=None)[0]
    assert w * sizes / np.linalg.norm(w * sizes) == pytest.approx(expected / np.linalg.norm(expected), rel=1e-5, abs=1e-8)


def test_rows_that_fit_into_memory_are_answered_as_in_memory():
    X, y = noisy(150, 2, 0.08, seed=5)
    found, expected = sx.least_errors(Stream(HeldRows(X, y, [50] * 3))), sx.least_errors(X, y)
    assert found.optimal
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    text = found.explain()
    assert text.splitlines()[0] == expected.explain().splitlines()[0]
    assert "On its wrong side: row" in text  # they are listed, as those of rows in memory are
    checked(found, X, y)
    sx.verify(found.certificate, X, y)


def test_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight"):
        sx.least_errors(Stream(HeldRows([[0.0], [1.0]], [0, 1], [1, 1])), sample_weight=[1, 2])
