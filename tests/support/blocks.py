"""Rows in blocks, cut anywhere: what the tests of streams begin with."""

import warnings
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from strategies import KINDS, cuts, noisy, problems

from separatrix.problem.reading_rows import read_rows
from separatrix.streaming.stream import HeldRows, Stream


@st.composite
def problems_in_blocks(draw, kinds=KINDS, max_rows=14, max_classes=3):
    """Rows as they are given, labels of two classes or more, and sizes of blocks."""
    X, y = draw(problems(kinds, max_rows))
    if max_classes > 2 and draw(st.booleans()):
        y = np.array(draw(st.lists(st.integers(0, max_classes - 1), min_size=len(y), max_size=len(y))))
        y[: min(len(y), max_classes)] = np.arange(min(len(y), max_classes))
    names = draw(st.sampled_from([[-1, 0, 1, 2], ["a", "b", "c", "d"]]))
    labels = np.array([names[int(each) + 1] for each in y])
    form = draw(st.sampled_from(["dense", "sparse", "decimal", "fraction"]))
    if form == "sparse":
        X = sp.csr_array(X)
    elif form == "decimal" and np.abs(X).max() < 1e6:
        X = read_rows([[Fraction(round(float(each) * 1000), 1000) for each in row] for row in X])
    elif form == "fraction" and np.abs(X).max() < 1e6:  # numerators that float64 does not hold
        X = read_rows([[Fraction(round(float(each) * 8), 24) + 10**18 for each in row] for row in X])
    return X, labels, draw(cuts(len(labels)))


def stream(X, y, sizes):
    """Return these rows as a stream."""
    return Stream(HeldRows(X, y, sizes))


def noisy_stream(n, d, share, sizes):
    """Return rows with a share of labels that are flipped."""
    X, y = noisy(n, d, share)
    return stream(X, y, sizes)


def learnt(estimator, *data, **first):
    """Fit, and return the estimator, or the error that fitting raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return estimator.fit(*data, **first)
        except OverflowError as error:  # weights beyond float64 cannot be shown
            return str(error)


def assert_same(one, other):
    assert isinstance(one, str) == isinstance(other, str)
    if isinstance(one, str):
        assert one == other
        return
    here, there = one._learnt, other._learnt
    for name in ("classes", "features", "rows", "visits", "passes", "mistakes", "halted", "converged", "digest", "unit"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    assert here.weights == there.weights
    assert here.last() == there.last()
    assert here.exact() == there.exact()
    assert (here.total is None) == (there.total is None)
    assert here.attributes.keys() == there.attributes.keys()
    for name, shown in here.attributes.items():
        assert np.array_equal(shown, there.attributes[name]), name


class Interrupting:
    """Rows in blocks of which one, when it is read, does something."""

    def __init__(self, source, pass_number, block, action):
        self.source, self.left, self.block, self.action = source, pass_number, block, action

    def facts(self):
        return self.source.facts()

    def blocks(self, numbers):
        for k, block in self.source.blocks(numbers):
            if k == self.block:
                self.left -= 1
                if not self.left:
                    self.action()
            yield k, block
