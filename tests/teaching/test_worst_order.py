"""The worst order of visits, against a run in fractions for each permutation."""

import itertools
import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import reference
from commands import failed, succeeded
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx
from separatrix.perceptron.short_runs import ShortRuns, mistakes_of_orders
from separatrix.problem.problem import Problem
from separatrix.support.clock import Clock
from separatrix.teaching.exercises import worst_order

TIES = ("update", "positive", "negative")


@given(problems(kinds=("integers", "halves", "decimals", "duplicates", "zeros", "constant"), max_rows=4, max_columns=3),
       st.sampled_from(TIES), st.booleans())  # fmt: skip
def test_all_orders_are_those_of_the_reference(problem, tie, intercept):
    X, y = np.asarray(problem[0]), problem[1]
    if reference.separability(X, y, intercept)[0] != "separable":
        return
    longest = max(reference.dot(z, z) for z in reference.lifted(X, y, intercept))
    if longest / sx.margin(X, y, fit_intercept=intercept, exact=True).squared > 1000:
        return  # the reference would take too long
    counts, runs = Counter(), {}
    for order in itertools.permutations(range(len(y))):
        trace, _, _, halted = reference.perceptron(X, y, order=list(order), tie=tie, intercept=intercept, max_iter=2000)
        assert halted
        counts[len(trace)] += 1
        runs[order] = len(trace)
    found = worst_order(X, y, tie=tie, fit_intercept=intercept)
    assert found.complete
    assert found.counts == counts
    assert list(found.counts) == sorted(counts)
    assert runs[found.worst] == found.most == max(counts)
    assert runs[found.best] == found.fewest == min(counts)
    assert found.mean == Fraction(sum(runs.values()), len(runs))
    assert found.most <= found.bound
    assert found.radius_squared == max(reference.dot(z, z) for z in reference.lifted(X, y, intercept))
    assert found.margin_squared == sx.margin(X, y, fit_intercept=intercept, exact=True).squared


@given(st.integers(0, 2**32 - 1), st.sampled_from(TIES))
def test_counts_of_the_kernel_are_those_of_the_reference(seed, tie):
    rng = np.random.RandomState(seed)
    n, d = int(rng.randint(1, 6)), int(rng.randint(1, 4))
    X, y = rng.randint(-3, 4, size=(n, d)), rng.choice([-1, 1], n)
    Z = np.hstack([X, np.ones((n, 1), int)]) * y[:, None]
    orders = np.array([rng.permutation(n) for _ in range(5)])
    lengths = rng.randint(1, n + 1, size=5)
    counts = mistakes_of_orders(Z, y, orders, lengths, tie, 40)
    for order, length, count in zip(orders, lengths, counts, strict=True):
        trace, *_ = reference.perceptron(X, y, order=order[:length].tolist(), tie=tie, max_iter=200)
        assert count == min(len(trace), 41)


def test_numbers_that_do_not_fit_in_64_bits_are_counted_all_the_same():
    X, y = np.array([[2.0**45, 3.0], [-(2.0**45), 1.0], [5.0, 2.0**44]]), np.array([1, -1, -1])
    problem = Problem.of(X, y, intercept=False)
    runs = ShortRuns(problem, "update")
    assert not runs.fits
    orders = np.array(list(itertools.permutations(range(3))))
    for order, count in zip(orders, runs.counts(orders, Clock()), strict=True):
        trace, *_ = reference.perceptron(X, y.tolist(), order=order.tolist(), intercept=False)
        assert count == len(trace)
    with pytest.raises(ValueError, match="do not fit in 64 bits"):
        mistakes_of_orders(np.array([[2**40]]), np.array([1]), np.array([[0]]), np.array([1]), "update", 10)


def test_and_is_as_the_lectures_have_it():
    found = worst_order(*sx.examples.load("and"))
    assert (found.fewest, found.most, found.orders, found.bound) == (18, 22, 24, 51)
    text = found.explain()
    assert "All 24 orders of 4 rows were run" in text
    assert "in the order 1, 0, 2, 3; the fewest, 18, in the order 0, 1, 2, 3" in text
    assert "R^2 / gamma^2 = 51" in text


def test_the_theorem_is_tight_in_every_order():
    for X, y, intercept in ((*sx.examples.tight(6), False), (*sx.examples.tight(4, fit_intercept=True), True)):
        found = worst_order(X, y, fit_intercept=intercept)
        assert found.complete
        assert found.counts == {len(y): found.orders}
        assert found.bound == len(y)


def test_a_search_claims_nothing_and_finds_much():
    made = sx.exercises.make(20, rows=7, seed=4)
    true = worst_order(made.X, made.y)
    assert true.complete
    found = worst_order(made.X, made.y, exhaustive=3, time_limit=3)
    assert not found.complete
    assert found.most <= true.most
    assert found.fewest >= true.fewest
    assert sum(found.counts.values()) == found.orders
    for order, count in ((found.worst, found.most), (found.best, found.fewest)):
        assert sorted(order) == list(range(7))
        assert sx.Perceptron(order=list(order), max_iter=10**5).fit(made.X, made.y).n_mistakes_ == count
    assert found.most >= 0.8 * true.most
    assert "there may be worse ones" in found.explain()
    assert "orders looked at" in repr(found)


def test_time_runs_out_between_orders(monkeypatch):
    monkeypatch.setattr("separatrix.teaching.worst_order._BATCH", 5)
    X, y = sx.examples.tight(8)
    found = worst_order(X, y, fit_intercept=False, time_limit=1e-9)
    assert not found.complete
    assert found.orders == 5


def test_long_runs_are_counted_and_end_when_time_is_up(monkeypatch):
    made = sx.exercises.make(300, rows=4, seed=1)
    orders = np.array(list(itertools.permutations(range(4))))
    problem = Problem.of(made.X, made.y)
    whole = ShortRuns(problem, "update").counts(orders, Clock())
    monkeypatch.setattr("separatrix.perceptron.short_runs._SHORT", 20)
    monkeypatch.setattr("separatrix.perceptron.short_runs._MISTAKES_BETWEEN_CHECKS", 7)
    assert np.array_equal(ShortRuns(problem, "update").counts(orders, Clock()), whole)
    with pytest.raises(ValueError, match="No order came to its end in time"):
        worst_order([[0.0], [1e-9]], [0, 1], time_limit=0.2)


def test_what_is_not_separable_or_not_meant_is_refused():
    with pytest.raises(sx.NotSeparable):
        worst_order(*sx.examples.load("xor"))
    for asked, message in (
        ({"tie": "no"}, "tie must"),
        ({"exhaustive": 12}, "exhaustive must"),
        ({"seed": 1.5}, "seed must"),
        ({"time_limit": -1}, "time_limit must"),
    ):
        with pytest.raises(ValueError, match=message):
            worst_order(*sx.examples.load("and"), **asked)


def test_the_command_works_on_tables(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,class\n0.1,0.2,no\n0.3,0.1,no\n0.5,0.9,yes\n0.7,0.8,yes\n")
    result = json.loads(succeeded("worst-order", path, "--label", "class", "--json"))
    X = [[Fraction(v) for v in row] for row in (("0.1", "0.2"), ("0.3", "0.1"), ("0.5", "0.9"), ("0.7", "0.8"))]
    found = worst_order(np.array(X, object), ["no", "no", "yes", "yes"])
    assert result["complete"]
    assert {int(k): n for k, n in result["counts"].items()} == found.counts
    assert Fraction(result["bound"]) == found.bound
    assert result["worst"] == list(found.worst)
    assert "All 24 orders of 4 rows" in succeeded("worst-order", path, "--label", "class", "--positive", "no")
    (tmp_path / "xor.csv").write_text("a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    assert "There is no margin" in failed("worst-order", tmp_path / "xor.csv", "--label", "y")
    assert "exhaustive must be" in failed("worst-order", path, "--label", "class", "--exhaustive", 20)
