"""Parameter mixing is what the paper defines, in exact numbers, converges within its bound, and depends on the partition."""

from decimal import Decimal
from fractions import Fraction

import dask
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from reference import dot, lifted, parameter_mixing
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from strategies import TIES, cuts, problems

import separatrix as sx
from separatrix.streaming.stream import HeldRows, Stream

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def groups(shards):
    return [np.flatnonzero(np.asarray(shards) == shard).tolist() for shard in sorted(set(shards))]


@given(problems(), TIES, st.booleans(), st.integers(1, 4), st.data())
def test_it_is_what_the_paper_defines(drawn, tie, intercept, epochs, data):
    X, y = drawn
    shards = data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    history, mistakes, ended = parameter_mixing(X, y, groups(shards), tie=tie, max_iter=epochs, intercept=intercept)
    mixed = sx.MixedPerceptron(shards=shards, tie=tie, max_iter=epochs, fit_intercept=intercept)
    try:
        mixed.fit(sp.csr_array(X) if data.draw(st.booleans()) else X, y.astype(int))
    except OverflowError:  # the weights, rounded, are beyond float64
        assert max(map(abs, history[-1])) > 2**1023
        return
    assert mixed.exact_weights().fractions() == history[-1]
    assert mixed.mistakes_.tolist() == mistakes
    assert mixed.converged_ == ended
    assert mixed.shards_ == tuple(map(len, groups(shards)))
    assert mixed.weighted_mistakes_ == Fraction(sum(map(sum, mistakes)), len(mistakes[0]))


@given(problems(), st.integers(1, 4), st.data())
def test_rows_in_blocks_and_rows_in_memory_learn_the_same(drawn, number, data):
    X, y = drawn
    y, sizes = y.astype(int), data.draw(cuts(len(X)))
    rows = Stream(HeldRows(X, y, sizes))
    mixed = sx.MixedPerceptron(shards=number, max_iter=3)
    try:
        found = clone(mixed).fit(rows)
    except OverflowError:
        return
    shards = np.repeat(np.arange(len(found.shards_)), found.shards_)
    assert clone(mixed).set_params(shards=shards).fit(X, y).exact_weights() == found.exact_weights()
    assert len(found.shards_) == min(number, sum(map(bool, sizes)))
    by_block = clone(mixed).set_params(shards="blocks").fit(rows)
    assert by_block.shards_ == tuple(size for size in sizes if size)


@quickly(40)
@given(problems(kinds=("integers", "halves", "decimals", "gaussian", "ulps"), max_rows=8, max_columns=2), st.integers(1, 4))
def test_where_a_hyperplane_separates_it_converges_within_its_bound(drawn, number):
    X, y = drawn
    mixed = sx.MixedPerceptron(shards=number, max_iter=60).fit(X, y.astype(int))
    ledger = mixed.audit(X, y.astype(int))
    assert ledger.holds
    assert ledger.explain()
    Z, shards = lifted(X, y, True), np.split(np.arange(len(X)), np.cumsum(mixed.shards_)[:-1])
    history, mistakes, _ = parameter_mixing(X, y, shards, max_iter=60)
    assert ledger.radius_squared == max(dot(z, z) for z in Z)
    assert list(ledger.squared_length) == [dot(w, w) for w in history]
    assert ledger.weighted_mistakes[-1] == mixed.weighted_mistakes_ == Fraction(sum(map(sum, mistakes)), len(shards))
    if mixed.converged_:
        assert all(dot(mixed.exact_weights().fractions(), z) > 0 for z in Z)
    if ledger.margin is None:
        assert not mixed.converged_
        sx.verify(ledger.obstruction, X, y.astype(int))
    else:
        bound = ledger.radius_squared / ledger.margin.lo_squared
        assert mixed.weighted_mistakes_ <= bound
        assert mixed.converged_ or len(shards) * bound >= 59  # at least a mistake in each epoch but the last


def test_the_audit_sees_a_run_that_breaks_the_theorem():
    X, y = sx.examples.load("and")
    mixed = sx.MixedPerceptron(shards=2).fit(X, y)
    mixed._learnt.mistakes[:] *= 9
    broken = mixed.audit(X, y)
    assert not broken.holds
    assert "above its bound" in broken.explain()
    mixed._learnt.mistakes[:] //= 90
    assert "above its line" in mixed.audit(X, y).violations[0]


def test_one_shard_is_the_perceptron():
    X, y = sx.examples.load("iris-setosa")
    mixed, plain = sx.MixedPerceptron(shards=1).fit(X, y), sx.Perceptron().fit(X, y)
    assert mixed.exact_weights() == plain.exact_weights()
    assert (mixed.n_mistakes_, mixed.n_iter_) == (plain.n_mistakes_, plain.n_iter_)


def test_decimals_and_several_classes():
    X = [[Decimal(a), Decimal(b)] for a, b in (("0.1", "0.2"), ("0.3", "-0.5"), ("-0.7", "0.25"))] * 2
    y = ["u", "v", "w"] * 2
    mixed = sx.MixedPerceptron(shards=2).fit(X, y)
    assert mixed.converged_
    assert mixed.predict(X).tolist() == y
    # Both shards have the same rows: so both do what one of them does by itself.
    assert mixed.exact_weights() == sx.Perceptron().fit(X[:3], y[:3]).exact_weights()
    with pytest.raises(ValueError, match="two classes"):
        mixed.audit(X, y)
    mixed.fit(X[:2] * 2, y[:2] * 2)
    assert mixed.exact_weights() == sx.Perceptron().fit(X[:2], y[:2]).exact_weights()


@given(problems(kinds=("integers", "halves", "decimals"), max_rows=5), st.integers(2, 4), st.integers(3, 4))
def test_shards_that_are_alike_do_what_one_does(drawn, number, classes):
    X, y = drawn
    y = (np.arange(len(X)) % classes).tolist()
    if len(set(y)) < 2:
        return
    several = sx.MixedPerceptron(shards=number, max_iter=3).fit(np.vstack([X] * number), y * number)
    assert several.exact_weights() == sx.Perceptron(max_iter=3).fit(X, y).exact_weights()


@quickly(4)
@given(drawn=problems(kinds=("integers", "gaussian")), number=st.integers(1, 3), data=st.data())
@pytest.mark.parametrize("workers", ["one_worker", "two_workers"])
def test_workers_learn_what_one_process_does(workers, request, drawn, number, data):
    X, y = drawn
    y, sizes = y.astype(int), data.draw(cuts(len(X)))
    ends = np.cumsum(sizes)
    parts = [dask.delayed((X[end - size : end], y[end - size : end])) for end, size in zip(ends, sizes, strict=True)]
    rows = sx.DaskRows(parts, client=request.getfixturevalue(workers))
    mixed = sx.MixedPerceptron(shards=number, max_iter=3)
    there, here = clone(mixed).fit(rows), clone(mixed).fit(Stream(HeldRows(X, y, sizes)))
    assert there.exact_weights() == here.exact_weights()
    assert there.mistakes_.tolist() == here.mistakes_.tolist()


def test_it_says_when_it_has_not_come_to_an_end():
    X, y = sx.examples.load("xor")
    with pytest.warns(ConvergenceWarning, match="no epoch without a mistake: 2 epochs, 8 mistakes in all"):
        sx.MixedPerceptron(shards=2, max_iter=2).fit(X, y)


@pytest.mark.parametrize("shards", [0, 1.5, "rows", True, [0, 1], np.zeros(4)])
def test_shards_that_are_none_are_refused(shards):
    with pytest.raises(ValueError, match="shards"):
        sx.MixedPerceptron(shards=shards).fit(*sx.examples.load("and"))
