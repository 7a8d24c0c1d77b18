"""Rows in blocks are the rows: facts, rows taken by their numbers, and the digest."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import cuts

from separatrix.problem.batches import BatchedProblem
from separatrix.problem.digest import digest
from separatrix.problem.problem import Problem
from separatrix.streaming.stream import HeldRows, Stream


@st.composite
def rows_in_blocks(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    numbers = st.sampled_from([0.0, -0.0, 1.0, -2.5, 5e-324, 1e300])
    X = np.array(draw(st.lists(numbers, min_size=n * d, max_size=n * d))).reshape(n, d)
    y = np.array(draw(st.lists(st.sampled_from(["a", "b"]), min_size=n, max_size=n)))
    return X, y, draw(cuts(n))


@given(rows_in_blocks())
def test_the_digest_is_that_of_the_rows(drawn):
    X, y, sizes = drawn
    assert BatchedProblem.of(Stream(HeldRows(X, y, sizes))).digest() == digest(Problem.of(X, y))


@given(rows_in_blocks(), st.randoms())
def test_rows_are_taken_by_their_numbers_in_the_order_given(drawn, random):
    X, y, sizes = drawn
    rows = random.sample(range(len(X)), random.randint(1, len(X)))
    taken, whole = BatchedProblem.of(Stream(HeldRows(X, y, sizes))).take(rows), Problem.of(X, y)
    assert np.array_equal(taken.X, whole.X[rows])
    assert np.array_equal(taken.y, whole.y[rows])


@given(rows_in_blocks())
def test_map_and_fold_go_through_all_rows(drawn):
    X, y, sizes = drawn
    problem = BatchedProblem.of(Stream(HeldRows(X, y, sizes)), intercept=False)
    found = sorted((start, part.n) for _, part in problem.map(lambda block, start: block) for start in [0])
    assert sum(n for _, n in found) == len(X)
    *_, (_, last) = problem.fold(lambda block, start, rows: [*rows, *range(start, start + block.n)], [])
    assert last == list(range(len(X)))
    assert reduce(lambda total, part: total + part[1], problem.map(lambda block, start: block.n), 0) == len(X)


def test_sizes_must_add_up():
    with pytest.raises(ValueError, match="add up to 2"):
        HeldRows([[1.0]], [0], [2])
