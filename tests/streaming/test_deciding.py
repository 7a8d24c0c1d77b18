"""Decided in blocks, rows have the verdict that they have in memory, and its proof."""

import json
from contextlib import nullcontext
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIES, cuts, problems

import separatrix as sx
from separatrix import checker
from separatrix.streaming import deciding
from separatrix.streaming.stream import HeldRows, Stream
from separatrix.support.clock import Clock

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


class LittleRoom(Stream):
    """Rows of which only a few numbers may be held."""

    most_numbers = 1


@given(problems(max_rows=14), TIES, st.booleans(), st.data())
def test_so_it_is_where_rows_that_are_held_are_let_go(problem, tie, intercept, data):
    X, y = problem
    y, tie = y.astype(int), "update" if intercept else tie
    with mock.patch.multiple(deciding, **FEW, _LEAST_ROWS_PER_COLUMN=1, _SPARE=data.draw(st.sampled_from([0, 3]))):
        found = sx.decide(LittleRoom(HeldRows(X, y, data.draw(cuts(len(X))))), fit_intercept=intercept, tie=tie)
    same(found, sx.decide(X, y, fit_intercept=intercept, tie=tie))
    sx.verify(found.certificate, X, y)


@pytest.mark.parametrize("separable", [True, False])
def test_rows_that_are_held_stay_within_the_memory_for_them(separable, monkeypatch):
    rng, n, d = np.random.default_rng(4), 60_000, 8  # on a sphere, where each block has rows next to the hyperplane
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    w = rng.standard_normal(d)
    y = (X @ w + (0.0 if separable else 0.01 * (X**2) @ w) > 0.0).astype(int)
    held, add = [], deciding.WorkingRows.add

    def noted(self, rows):
        new = add(self, rows)
        held.append(len(self) * d)
        return new

    monkeypatch.setattr(deciding.WorkingRows, "add", noted)
    assert sx.decide(in_blocks(X, y, [n // 60] * 60)).separable is separable
    room = max(held) // 3
    held.clear()
    monkeypatch.setattr(Stream, "most_numbers", room)
    verdict = sx.decide(in_blocks(X, y, [n // 60] * 60))
    assert verdict.separable is separable
    sx.verify(verdict.certificate, X, y)
    assert max(held) <= room


def flipped(n=4000, d=3):
    """Rows that a hyperplane separates, but for two that are far on the wrong side, in different blocks."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] > 0).astype(int)
    order = np.argsort(X[:, 0])
    y[order[[0, -1]]] = 1, 0
    return X, y, [n // 20] * 20


def test_a_witness_is_short_and_few_passes_find_it():
    X, y, sizes = flipped()
    verdict = proved(X, y, sizes)
    assert verdict.status == "overlapping"
    assert len(verdict.witness) <= X.shape[1] + 2
    assert verdict.passes < 12
    with pytest.raises(sx.NotSeparable) as caught:
        verdict.require_separable()
    sx.verify(caught.value.certificate, in_blocks(X, y, sizes))


@pytest.mark.parametrize("shift", [0.0, 1e-9])
def test_one_row_of_many_decides(shift):
    x = np.sort(np.random.default_rng(1).random(5000))
    y = (x > x[2500]).astype(int)
    x[2500], y[2500] = x[2501] + shift, 0
    X = np.c_[x, np.cos(x)]
    assert proved(X, y, [500] * 10).separable == sx.decide(X, y).separable


def test_equal_rows_of_both_classes_far_apart():
    X = np.random.default_rng(2).standard_normal((3000, 2))
    y = (X[:, 0] > 0).astype(int)
    X[2999], y[2999] = X[0], 1 - y[0]
    verdict = proved(X, y, [300] * 10)
    assert verdict.separable is False
    same(verdict, sx.decide(X, y))


@pytest.mark.parametrize("reading", [list(map(str, [0.1, 0.2, 0.3, 0.4])), [Fraction(1, 3), Fraction(1, 7), 1, 2]])
def test_exact_numbers(reading):
    data = sx.read_data({"a": reading, "y": [0, 0, 1, 1]}, label="y") if isinstance(reading[0], str) else None
    X = [[v] for v in reading] if data is None else data.rows
    y = [0, 0, 1, 1]
    rows = in_blocks(X, y, [1, 2, 1])
    found, expected = sx.decide(rows), sx.decide(X, y)
    same(found, expected)
    sx.verify(found.certificate, X, y)
    sx.verify(found.certificate, rows)
    assert found.explain() == expected.explain() or found.status == "separable"


def test_when_time_is_up_it_says_what_is_proved():
    X, y, sizes = flipped()
    verdict = sx.decide(in_blocks(X, y, sizes), time_limit=1e-9)
    assert verdict.status == "unknown"
    assert verdict.separable is None
    assert "nothing is proved" in verdict.message
    assert verdict.explain()
    search = deciding.Deciding(deciding.question_of(in_blocks(X, y, sizes), None, True, "update"), Clock())
    search.settle()
    half = search._unknown(interrupted=True)
    assert half.separable is False
    assert "not separable, which is proved" in half.message
    sx.verify(half.certificate, X, y)


def test_ctrl_c_returns_what_there_is():
    X, y, sizes = flipped()

    def stop(_):
        raise KeyboardInterrupt

    assert sx.decide(in_blocks(X, y, sizes), verbose=stop).status == "unknown"


def test_progress_tells_of_passes_and_rows():
    X, y, sizes = flipped()
    told = []
    sx.decide(in_blocks(X, y, sizes), verbose=told.append)
    assert any(each.text.startswith("pass 1: ") and each.unit == "rows" and each.total == len(X) for each in told)


def test_a_certificate_is_saved_and_its_digest_is_that_of_the_rows(tmp_path):
    X, y, sizes = flipped()
    verdict = sx.decide(in_blocks(X, y, sizes))
    verdict.certificate.save(tmp_path / "proof.json")
    sx.verify(tmp_path / "proof.json", X, y)
    sx.verify(tmp_path / "proof.json", in_blocks(X, y, sizes))
    assert verdict.certificate.problem.digest == sx.decide(X, y).certificate.problem.digest


def test_what_takes_all_rows_at_once_is_refused_with_the_reason():
    X, y, sizes = flipped()
    verdict = sx.decide(in_blocks(X, y, sizes))
    with pytest.raises(ValueError, match="moving all rows"):
        verdict.stability()
    with pytest.raises(ValueError, match="search for each column"):
        _ = verdict.columns
    with pytest.raises(ValueError, match="in blocks"):
        _ = verdict.features
    assert verdict._repr_html_().startswith("<div")
    assert repr(verdict).startswith("<BatchedVerdict: overlapping.")


def test_a_regression_is_warned_of():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    with pytest.warns(sx.SeparationWarning, match="separate the classes completely"):
        assert sx.check_separation(in_blocks(X, y, [2, 2])).separable
    with pytest.raises(ValueError, match="holds 3 classes"):
        sx.check_separation(in_blocks(X, [0, 1, 2, 2], [2, 2]))


def test_one_class_against_others():
    X, y = [[1.0], [2.0], [3.0], [4.0]], list("abca")
    found = sx.decide(in_blocks(X, y, [1, 3]), positive="b")
    same(found, sx.decide(X, y, positive="b"))
    assert found.explain().splitlines()[0] == sx.decide(X, y, positive="b").explain().splitlines()[0]
    with pytest.raises(ValueError, match="multiclass"):
        sx.decide(in_blocks(X, y, [1, 3]))
