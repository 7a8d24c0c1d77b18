"""In blocks, the bound of the mistakes is that of memory."""

import json

import numpy as np
import pytest
from blocks import problems_in_blocks, stream
from commands import failed, succeeded
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIES

import separatrix as sx
from separatrix.problem.problem import Problem
from separatrix.problem.ties import TIES as TIE_NUMBERS


def bounded(*data, **options):
    """The bound, or what is said instead."""
    try:
        return sx.mistake_bound(*data, **options)
    except ValueError as error:
        return str(error)


@given(problems_in_blocks(max_classes=2), st.booleans(), TIES, st.booleans(), st.data())
def test_it_is_that_of_memory(drawn, intercept, tie, exact, data):
    X, y, sizes = drawn
    options = {"fit_intercept": intercept, "tie": tie, "exact": exact or None}
    if data.draw(st.booleans()):
        width = X.shape[1] + intercept
        options["star"] = data.draw(st.lists(st.integers(-3, 3), min_size=width, max_size=width))
    found, expected = bounded(stream(X, y, sizes), **options), bounded(X, y, **options)
    if isinstance(found, str) and "Rows of zeros are never wrong" in found:
        assert not Problem.of(X, y, intercept=intercept).is_fallible(TIE_NUMBERS[tie]).all()
        return
    if isinstance(expected, str):
        assert found == expected
        return
    assert (found.radius_squared, found.radius, found.longest) == (
        expected.radius_squared,
        expected.radius,
        expected.longest,
    )
    assert (found.margin is None) == (expected.margin is None)
    assert found.star == expected.star
    assert found.star_bound == expected.star_bound
    if found.margin is None:
        sx.verify(found.obstruction, X, y)
        assert "There is no bound" in found.explain()
        return
    assert max(found.bound[0], expected.bound[0]) <= min(found.bound[1], expected.bound[1])
    if exact:
        assert found.margin.squared == expected.margin.squared is not None
        assert (found.most_mistakes, found.bound) == (expected.most_mistakes, expected.bound)
    if found.margin.squared is not None and expected.margin.squared is not None:
        assert found.explain() == expected.explain()


def test_what_it_takes_in_memory_is_refused_and_time_ends():
    zeros = stream([[0.0], [1.0], [-1.0]], [1, 1, 0], [2, 1])
    with pytest.raises(ValueError, match=r"Rows of zeros are never wrong here.*to bound the mistakes"):
        sx.mistake_bound(zeros, fit_intercept=False, tie="positive")
    assert sx.mistake_bound(zeros, fit_intercept=True, tie="positive").most_mistakes == 10
    with pytest.raises(ValueError, match="do not give y"):
        sx.mistake_bound(zeros, [1, 1, 0])
    X = np.random.default_rng(0).standard_normal((2000, 3))
    with pytest.raises(TimeoutError, match="not known yet"):
        sx.mistake_bound(stream(X, (X[:, 0] > 0).astype(int), [1000, 1000]), time_limit=1e-9)


def test_the_command_says_the_same(credit):
    arguments = ("mistake-bound", credit, "--label", "approved")
    plain, found = (json.loads(succeeded(*arguments, "--json", *more)) for more in ((), ("--memory", "1MB")))
    for document in (plain, found):  # bounds of the same margin
        assert document.pop("margin")[0] > 0
        assert document.pop("bound")[0] > 0
    assert found == plain
    assert "makes at most" in succeeded(*arguments, "--memory", "1MB")
    assert "--scale takes all rows in memory" in " ".join(failed(*arguments, "--memory", "1MB", "--scale", "minmax").split())
