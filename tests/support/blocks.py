"""Rows in blocks, cut anywhere: what the tests of streams begin with."""

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from strategies import KINDS, problems

from separatrix.problem.reading_rows import read_rows
from separatrix.streaming.stream import HeldRows, Stream


@st.composite
def cuts(draw, n):
    """Sizes of blocks, some of them empty, that add up to n."""
    ends = sorted(draw(st.lists(st.integers(0, n), max_size=5)))
    return np.diff([0, *ends, n]).tolist()


@st.composite
def problems_in_blocks(draw, kinds=KINDS, max_rows=14, max_classes=3):
    """Rows as they are given, labels of two classes or more, and sizes of blocks."""
    X, y = draw(problems(kinds, max_rows))
    if max_classes > 2 and draw(st.booleans()):
        y = np.array(draw(st.lists(st.integers(0, max_classes - 1), min_size=len(y), max_size=len(y))))
        y[: min(len(y), max_classes)] = np.arange(min(len(y), max_classes))
    names = draw(st.sampled_from([[-1, 0, 1, 2], ["a", "b", "c", "d"]]))
    labels = np.array([names[int(each) + 1] for each in y])
    form = draw(st.sampled_from(["dense", "sparse", "decimal"]))
    if form == "sparse":
        X = sp.csr_array(X)
    elif form == "decimal" and np.abs(X).max() < 1e6:
        X = read_rows([[Fraction(round(float(each) * 1000), 1000) for each in row] for row in X])
    return X, labels, draw(cuts(len(labels)))


def stream(X, y, sizes):
    """Return these rows as a stream."""
    return Stream(HeldRows(X, y, sizes))
