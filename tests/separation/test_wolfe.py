"""Nearest points of hulls: tall and wide rows by either way, on rows that are hard for it; what is there when time is up."""

import warnings
from contextlib import suppress
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from looks import looks
from margin_checks import KINDS, check
from sklearn.exceptions import ConvergenceWarning
from strategies import problems

import separatrix as sx
from separatrix.exact.products import exact_score
from separatrix.problem.problem import Problem
from separatrix.problem.scores import _whole_scores
from separatrix.separation import row_space, wolfe, working_set
from separatrix.support.clock import Clock, OutOfTime


def wide(on):
    """Have rows be given by coordinates in the space that they span, or not."""
    return mock.patch.object(wolfe, "_WIDE", 1 if on else 10**9)


def compiled(on):
    """Have exact sums be found in a compiled loop, or not."""
    least = 0 if on else 10**9
    return mock.patch.multiple("separatrix.separation.margin_bounds", _MANY_NUMBERS=least), mock.patch.multiple(
        "separatrix.problem.scores", _MANY_NUMBERS=least
    )


@given(problems(max_rows=9, max_columns=6), KINDS, st.booleans(), st.booleans(), st.booleans())
def test_either_way_bounds_the_same_margin(problem, kind, intercept, on, sparse):
    X, y = problem
    labels = y.astype(int)
    first, second = compiled(on)
    try:
        exact = sx.margin(X, labels, kind=kind, fit_intercept=intercept, exact=True)
    except sx.NotSeparable:
        exact = None
    with wide(on), first, second:
        try:
            found = sx.margin(sp.csr_array(X) if sparse else X, labels, kind=kind, fit_intercept=intercept)
        except sx.NotSeparable:
            assert exact is None
            return
    assert exact is not None
    assert found.lo_squared <= exact.squared <= found.hi_squared
    check(found, X, y, intercept)


def hard():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((12, 30))
    yield "independent rows", X
    yield "duplicates", np.vstack([X[:4]] * 3)
    yield "rank 2", rng.standard_normal((12, 2)) @ rng.standard_normal((2, 30)) + 0.0
    yield "nearly of rank 2", rng.standard_normal((12, 2)) @ rng.standard_normal((2, 30)) + 1e-9 * X
    yield "columns far apart in size", X * 10.0 ** np.linspace(-8, 8, 30)
    yield "rows far apart in size", X * 10.0 ** np.linspace(-5, 5, 12)[:, None]
    yield "equal lengths", X / np.linalg.norm(X, axis=1, keepdims=True)
    yield "far from the origin", X + 1e6


@pytest.mark.parametrize("kind", ["lifted", "geometric"])
@pytest.mark.parametrize(("name", "X"), list(hard()), ids=lambda value: value if isinstance(value, str) else "")
def test_rows_that_are_hard(name, X, kind):
    y = np.where(X @ np.ones(X.shape[1]) > np.median(X @ np.ones(X.shape[1])), 1.0, -1.0)
    margins = []
    for on in (True, False):
        with wide(on):
            margins.append(sx.margin(X, y.astype(int), kind=kind))
        check(margins[-1], X, y)
    exact = sx.margin(X, y.astype(int), kind=kind, exact=True).squared
    assert all(found.lo_squared <= exact <= found.hi_squared for found in margins)


def test_a_row_of_either_class():
    for on in (True, False):
        with wide(on):
            found = sx.margin([[0.0, 0.0], [3.0, 4.0]], [0, 1], kind="geometric")
        assert found.squared == Fraction(25, 4)


def test_many_rounds_let_rows_go():
    """Rows of the working set without a multiplier are dropped, and those of the space with them."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((400, 6))
    y = np.where(X @ np.arange(6) > 0.0, 1.0, -1.0)
    X += 0.05 * np.outer(y, np.arange(6))
    expected = sx.margin(X, y.astype(int), kind="geometric", exact=True).squared
    for on in (True, False):
        limits = mock.patch.object(wolfe.Hulls, "_most_rows", return_value=20)
        with wide(on), limits, mock.patch.object(wolfe.Hulls, "_rows_in_round", return_value=3):
            found = sx.margin(X, y.astype(int), kind="geometric")
        assert found.lo_squared <= expected <= found.hi_squared
        assert found.hi - found.lo <= 1e-9 * found.hi


def test_a_factorisation_that_is_updated_is_that_made_anew():
    rng = np.random.RandomState(0)
    Z, groups = rng.standard_normal((20, 12)), np.resize([0, 1], 20)
    corral = working_set._Corral(Z, groups, np.array([0, 1]))
    for step in range(60):
        if len(corral.active) < 4 or (len(corral.active) < 12 and rng.rand() < 0.6):
            corral.add(int(rng.choice(np.setdiff1d(np.arange(20), corral.active))))
        else:
            first = [np.flatnonzero(groups[corral.active] == group)[0] for group in (0, 1)]
            others = np.setdiff1d(np.arange(len(corral.active)), first)
            corral.remove(np.sort(rng.choice(others, 1 + step % 2, replace=False)))
        assert np.allclose(corral.affine(), corral._solved_anew(), rtol=1e-6, atol=1e-8)


def test_rows_that_depend_on_each_other_are_solved_anew():
    Z = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])
    corral = working_set._Corral(Z, np.zeros(4, np.int64), np.array([0, 1]))
    corral.add(2)
    corral.add(3)
    assert np.allclose(corral.affine() @ Z, [0.5, 0.5])


def test_rows_may_leave_when_there_are_as_many_as_the_factorisation_has_room_for():
    Z = np.random.default_rng(1).standard_normal((3, 2))
    corral = working_set._Corral(Z, np.zeros(3, np.int64), np.arange(3))
    corral.remove(np.array([1]))
    multipliers = corral.affine()
    assert np.isclose(multipliers.sum(), 1.0)
    v = multipliers @ Z[[0, 2]]
    assert np.isclose(v @ Z[0], v @ Z[2])


def test_the_space_of_rows_keeps_products():
    rng = np.random.RandomState(0)
    rows = rng.standard_normal((150, 40)) @ rng.standard_normal((40, 300))
    rows[100:] = rows[:50]
    rows[7] = 0.0
    space = row_space.RowSpace()
    first = space.coordinates([rows[:25], rows[25:90]], Clock())
    second = space.coordinates([rows[90:]], Clock())
    basis = space.combine(np.eye(space.dimension))
    assert space.dimension == 40
    assert np.allclose(basis @ basis.T, np.eye(40), atol=1e-13)
    found = np.vstack([np.pad(first, [(0, 0), (0, second.shape[1] - first.shape[1])]), second])
    assert np.allclose(found @ basis, rows, atol=1e-11)


@given(problems(max_rows=6, max_columns=4), st.booleans(), st.booleans(), st.integers(0, 2**31 - 1))
def test_exact_scores_in_a_compiled_loop(problem, intercept, sparse, seed):
    X, y = problem
    problem = Problem.of(sp.csr_array(X) if sparse else X, y.astype(int), intercept=intercept)
    rng = np.random.RandomState(seed)
    numbers = [int(number) << int(rng.randint(0, 200)) for number in rng.randint(-(2**40), 2**40, problem.width)]
    weights = sx.margin([[0.0], [1.0]], [0, 1]).weights.__class__(numbers, int(rng.randint(-50, 50)))
    rows = list(range(problem.n))
    found, exponent = _whole_scores(problem, weights, rows)
    assert [number * Fraction(2) ** exponent for number in found] == [exact_score(weights, *problem.row(i)) for i in rows]


# ---- Time limits.


@given(problems(max_rows=8, max_columns=4), KINDS, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 30))
def test_bounds_hold_whenever_time_is_up(problem, kind, intercept, exact, on, count):
    X, y = problem
    labels = y.astype(int)
    with wide(on), looks(count):
        try:
            found = sx.margin(X, labels, kind=kind, fit_intercept=intercept, exact=exact, time_limit=60)
        except TimeoutError:
            return
        except sx.NotSeparable as error:
            sx.verify(error.certificate, X, labels)
            return
    truth = sx.margin(X, labels, kind=kind, fit_intercept=intercept, exact=True).squared
    assert found.lo_squared <= truth <= found.hi_squared
    near = not exact and found.hi - found.lo <= 1e-9 * found.hi
    assert found.interrupted == (found.squared is None and not near)
    assert ("Time ran out" in found.explain()) == found.interrupted
    sx.verify(found.at_least, X, labels)
    sx.verify(found.at_most, X, labels)


def rows_apart(n=300, d=12):
    rng = np.random.RandomState(3)
    X = rng.standard_normal((n, d))
    y = np.where(X @ np.arange(d) > 0.0, 1, 0)
    return X + 0.02 * np.outer(2.0 * y - 1.0, np.arange(d)), y


def test_bounds_come_closer_with_time():
    X, y = rows_apart()
    truth, apart = sx.margin(X, y, kind="geometric"), []
    for count in (*range(0, 60, 3), 10**6):
        with looks(count), suppress(TimeoutError):
            found = sx.margin(X, y, kind="geometric", time_limit=60)
            assert found.lo <= truth.hi
            assert truth.lo <= found.hi
            apart.append((found.hi - found.lo) / found.hi)
    assert len(set(apart)) >= 3
    assert max(apart) > 0.01
    assert apart[-1] <= 1e-9


def test_nothing_is_returned_that_is_not_proved():
    X, y = rows_apart()
    with looks(0), pytest.raises(TimeoutError, match=r"After 60 s it is not known yet whether a hyperplane .* sx.decide"):
        sx.margin(X, y, time_limit=60)
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        sx.margin(X, y, time_limit=0)


def test_a_separator_is_enough_for_a_lower_bound():
    """Where no combination separates by half the time, a separator that `decide` finds bounds the margin from below."""
    X, y = rows_apart()
    with mock.patch.object(wolfe.Hulls, "nearest", side_effect=OutOfTime):
        found = sx.margin(X, y, kind="geometric", time_limit=600)
    truth = sx.margin(X, y, kind="geometric")
    assert found.interrupted
    assert 0 < found.lo <= truth.hi
    assert truth.lo <= found.hi
    sx.verify(found.at_least, X, y)
    sx.verify(found.at_most, X, y)


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_kernels(kernel):
    X, y = rows_apart(40, 3)
    options = {"kernel": kernel, "degree": 2, "gamma": 0.5, "coef0": 1.0}
    truth = sx.margin(X, y, kind="geometric", **options)
    found = []
    for count in range(0, 60, 6):
        with looks(count), suppress(TimeoutError):
            found.append(sx.margin(X, y, kind="geometric", time_limit=60, **options))
    assert any(margin.interrupted for margin in found)
    assert all(margin.lo_squared <= truth.hi_squared and truth.lo_squared <= margin.hi_squared for margin in found)


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf", "gamma": 0.5}])
def test_the_classifier_keeps_what_is_proved(options):
    X, y = rows_apart(60, 4)
    whole = sx.MaxMargin(**options).fit(X, y)
    kept = 0
    for count in range(60):
        classifier = sx.MaxMargin(time_limit=60, **options)
        with looks(count), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                classifier.fit(X, y)
            except TimeoutError:
                assert not hasattr(classifier, "classes_")
                continue
        lo, hi = classifier.margin_bounds_
        assert lo <= whole.margin_bounds_[1]
        assert whole.margin_bounds_[0] <= hi
        if not told:  # what was proved by then is as close as asked for
            assert hi - lo <= classifier.tolerance * hi
            break
        assert [warning.category for warning in told] == [ConvergenceWarning]
        assert "time_limit" in str(told[0].message)
        assert told[0].filename == __file__
        kept += 1
        assert classifier.score(X, y) == 1.0
        assert np.abs(classifier.decision_function(X)).min() == pytest.approx(1.0)
        assert classifier.margin_ == pytest.approx(np.abs(classifier.distance(X)).min())
    assert kept


def test_the_classifier_keeps_what_is_proved_at_an_interrupt():
    X, y = rows_apart()
    compare = wolfe.Hulls._compare

    def interrupted(hulls, reach):
        compare(hulls, reach)
        if hulls.separates:
            raise KeyboardInterrupt

    classifier = sx.MaxMargin()
    stop = mock.patch.multiple(wolfe.Hulls, _compare=interrupted, _rows_in_round=lambda *_: 3)
    with stop, pytest.warns(ConvergenceWarning, match="which is proved, and the hyperplane kept has the lower one"):
        classifier.fit(X, y)
    assert classifier.score(X, y) == 1.0
    lo, hi = sx.margin(X, y, kind="geometric").lo, classifier.margin_bounds_[1]
    assert 0.0 < classifier.margin_ <= lo <= hi
