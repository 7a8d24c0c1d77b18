"""In blocks, rows have the margin that they have in memory, and its proof."""

from unittest import mock

import margin_checks
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from margin_checks import KINDS
from strategies import cuts, problems

import separatrix as sx
from separatrix.streaming import deciding, margins
from separatrix.streaming.stream import HeldRows, Stream
from separatrix.support.clock import Clock

FEW = {"_FIRST_ROWS": 1, "_FIRST_ROWS_PER_COLUMN": 0}


def found_or_not(X, y=None, **options):
    try:
        return sx.margin(X, y, **options)
    except sx.NotSeparable as error:
        return error


@given(problems(max_rows=12), KINDS, st.booleans(), st.booleans(), st.data())
def test_the_margin_is_that_of_memory(problem, kind, exact, intercept, data):
    X, y = problem
    expected = found_or_not(X, y.astype(int), kind=kind, exact=exact, fit_intercept=intercept)
    given_as = sp.csr_array(X) if data.draw(st.booleans()) else X
    rows = Stream(HeldRows(given_as, y.astype(int), data.draw(cuts(len(X)))))
    few = mock.patch.multiple(margins, _MORE_ROWS=1, _MORE_ROWS_PER_COLUMN=0)
    with mock.patch.multiple(deciding, **FEW), few:
        found = found_or_not(rows, kind=kind, exact=exact, fit_intercept=intercept)
    if isinstance(expected, sx.NotSeparable):
        assert isinstance(found, sx.NotSeparable)
        sx.verify(found.certificate, X, y.astype(int))
        return
    margin_checks.check(found, X, y, intercept)
    sx.verify(found.at_least, rows)
    sx.verify(found.at_most, rows)
    if exact:
        assert found.squared == expected.squared is not None
    assert max(found.lo_squared, expected.lo_squared) <= min(found.hi_squared, expected.hi_squared)
    assert found.explain()
    assert repr(found).startswith(f"<Margin: {kind}")


def test_out_of_time_there_are_bounds_or_an_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    y = (X[:, 0] > 0).astype(int)
    rows = Stream(HeldRows(X, y, [100] * 20))
    with pytest.raises(TimeoutError, match="not known yet"):
        sx.margin(rows, time_limit=1e-9)
    search = margins.BatchedMarginSearch(
        deciding.question_of(rows, None, True, "update"), "lifted", exact=False, tolerance=1e-9, clock=Clock()
    )  # fmt: skip
    search._take(*decided(search))
    found = search._known()
    assert found.interrupted
    assert 0 < found.lo < found.hi
    sx.verify(found.at_least, X, y)
    sx.verify(found.at_most, X, y)


def decided(search):
    told = search.deciding.settle()
    return search.deciding.weights, told.least


def test_what_cannot_be_asked_is_refused():
    rows = Stream(HeldRows([[0.0], [1.0]], [1, 1], [1, 1]))
    with pytest.raises(ValueError, match="kind must be one of"):
        sx.margin(rows, kind="wide")
    with pytest.raises(ValueError, match="all rows are of one"):
        sx.margin(rows, kind="geometric")
