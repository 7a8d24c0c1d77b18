"""Decided in blocks, rows have the verdict that they have in memory, and its proof."""

import json
from contextlib import nullcontext
from unittest import mock

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIES, cuts, problems

import separatrix as sx
from separatrix import checker
from separatrix.streaming import deciding
from separatrix.streaming.stream import HeldRows, Stream

FEW = dict.fromkeys(("_FIRST_ROWS", "_MORE_ROWS", "_MOST_ROWS", "_NEAREST"), 1)
FEW |= dict.fromkeys(("_FIRST_ROWS_PER_COLUMN", "_MORE_ROWS_PER_COLUMN", "_MOST_ROWS_PER_COLUMN"), 0)


def few_at_a_time(data):
    """Hold as few rows as can be, or as many as is usual."""
    return mock.patch.multiple(deciding, **FEW) if data.draw(st.booleans()) else nullcontext()


def in_blocks(X, y, sizes):
    return Stream(HeldRows(X, y, sizes))


def proved(X, y, sizes, **options):
    """Decide in blocks; the proof goes through both checkers."""
    verdict = sx.decide(in_blocks(X, y, sizes), **options)
    certificate = verdict.certificate
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, float)
    signs = [checker.sign_of(str(label), certificate.document()["problem"]["classes"]) for label in y]
    rows = [(s, [(j, v) for j, v in enumerate(row) if v]) for row, s in zip(dense.tolist(), signs, strict=True)]
    checker.check(checker.parse(json.dumps(certificate.document())), rows)
    sx.verify(certificate, X, y)
    return verdict


def same(found, expected):
    assert found.status == expected.status
    assert found.strict == expected.strict
    assert found.separable == expected.separable
    assert found.always_halts == expected.always_halts
    assert found.separated_rows.tolist() == expected.separated_rows.tolist()
    assert found.message.startswith(expected.message[:20])
    assert (found.witness is None) == (expected.witness is None)


@given(problems(max_rows=14), st.booleans(), st.data())
def test_the_verdict_is_that_of_memory(problem, intercept, data):
    X, y = problem
    y = y.astype(int)
    sizes = data.draw(cuts(len(X)))
    given_as = sp.csr_array(X) if data.draw(st.booleans()) else X
    with few_at_a_time(data):
        found = proved(given_as, y, sizes, fit_intercept=intercept)
    same(found, sx.decide(X, y, fit_intercept=intercept))
    if found.witness is not None:
        assert len(found.witness) <= X.shape[1] + intercept + 1
        assert np.all(np.diff(found.witness) > 0)
    assert isinstance(found.explain(), str)


@given(problems(max_rows=14), TIES, st.data())
def test_so_it_is_under_tie_rules_through_the_origin(problem, tie, data):
    X, y = problem
    y = y.astype(int)
    if data.draw(st.booleans()):
        y[:] = data.draw(st.sampled_from([-1, 1]))
    with few_at_a_time(data):
        found = proved(X, y, data.draw(cuts(len(X))), fit_intercept=False, tie=tie)
    expected = sx.decide(X, y, fit_intercept=False, tie=tie)
    same(found, expected)
    assert found.explain().splitlines()[0] == expected.explain().splitlines()[0]
