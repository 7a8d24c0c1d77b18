"""Exact sums, spans, contradictions and systems, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from separatrix.compiled import integers
from separatrix.exact.linear_algebra import IntegerRows, combination, independent, solve, transposed
from separatrix.problem import duplicates, spans, sums
from separatrix.problem.digest import entries
from separatrix.problem.problem import Problem
from separatrix.problem.scaled import ScaledRows
from separatrix.support.clock import Clock


def rank(rows):
    return len(rows[0]) - len(reference.kernel(rows)) if rows else 0


@given(problems(max_rows=30), st.booleans(), st.booleans(), st.data())
def test_sums_are_exact(problem, intercept, sparse, data):
    X, y = problem
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    expected = [Fraction(0)] * (X.shape[1] + intercept)
    for z in [z for z, taken in zip(reference.lifted(X, y, intercept), chosen, strict=True) if taken]:
        expected = [a + b for a, b in zip(expected, z, strict=True)]
    total = sums.total(Problem.of(sp.csr_array(X) if sparse else X, y, intercept=intercept), chosen)
    assert total.fractions() == expected


@given(st.integers(0, 10**6), st.integers(-1074, 900), st.integers(1, 53), st.integers(1, 60), st.booleans())
def test_sums_on_a_grid(seed, unit, bits, size, sparse):
    """Whole numbers times a power of two, and multiples: up to where floats hold the sums, and beyond."""
    rng = np.random.default_rng(seed)
    X = np.ldexp(rng.integers(-(2**bits) + 1, 2**bits, (6, 3)).astype(float), unit)
    y, multiples = rng.choice([-1.0, 1.0], 6), rng.integers(0, 2**size, 6)
    problem = Problem.of(sp.csr_array(X) if sparse else X, y, classes=[-1, 1])
    Z = reference.lifted(X, y, True)
    expected = [sum(int(m) * z[j] for m, z in zip(multiples, Z, strict=True)) for j in range(4)]
    assert sums.total(problem, multiples).fractions() == expected


@given(problems(max_rows=30), st.booleans())
def test_the_grid_of_rows(problem, sparse):
    """A power of two that all entries are multiples of, and no larger one; if 53 bits reach to it."""
    X, y = problem
    g = Problem.of(sp.csr_array(X) if sparse else X, y, classes=[-1, 1]).grid
    entries = [Fraction(x) for x in X.reshape(-1).tolist() if x]
    if not entries:
        return
    units = [x / Fraction(2) ** g for x in entries]
    if max(map(abs, units)) < 2**53:
        assert all(unit.denominator == 1 for unit in units)
        assert any(unit.numerator % 2 for unit in units)
    else:
        assert any(unit.denominator > 1 or unit.numerator % 2 for unit in units)


def test_sums_of_many_extremes():
    """All limbs, carries and signs: the largest floats, the smallest, and all they can cancel to."""
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.random((3000, 2)) + 0.5, rng.integers(-1074, 1024, (3000, 2)))
    X[:1000] = np.finfo(float).max
    y = rng.choice([-1.0, 1.0], 3000)
    total = sums.total(Problem.of(X, y), np.ones(3000, bool)).fractions()
    assert total == [sum(Fraction(s) * Fraction(v) for s, v in zip(y, X[:, j], strict=True)) for j in range(2)] + [
        int(y.sum())
    ]


@given(problems(max_rows=8, max_columns=4), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_rows_in_a_span(problem, intercept, sparse, seed):
    X, y = problem
    rng = np.random.default_rng(seed)
    Z = reference.lifted(X, y, intercept)
    basis = []
    for i in rng.permutation(len(y))[: rng.integers(0, len(y))].tolist():
        if rank([Z[k] for k in [*basis, i]]) == len(basis) + 1:
            basis.append(i)
    expected = [rank([*(Z[k] for k in basis), z]) == len(basis) for z in Z]
    given_rows = Problem.of(sp.csr_array(X) if sparse else X, y, intercept=intercept)
    assert spans.spanned(given_rows, basis, rng).tolist() == expected


@given(problems(max_rows=12, max_columns=3), st.booleans())
def test_contradictions(problem, sparse):
    X, y = problem
    found = duplicates.contradiction(Problem.of(sp.csr_array(X) if sparse else X, y))
    pairs = [(i, j) for i in range(len(y)) for j in range(i) if np.array_equal(X[i], X[j]) and y[i] != y[j]]
    if found is None:
        assert not pairs
    else:
        assert found[::-1] in pairs


def test_a_contradiction_is_seen_among_rows_with_the_same_hash(monkeypatch):
    """Rows that are not equal may have the same hash, and stand between those that are."""
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [3.0, 4.0], [7.0, 8.0]]), [-1.0, 1.0, 1.0, -1.0, -1.0]
    monkeypatch.setattr(integers, "hashes", lambda *arguments: arguments[-1].fill(7))
    assert duplicates.contradiction(Problem.of(X, y)) == (1, 3)
    assert duplicates.contradiction(Problem.of(X[:3], y[:3])) is None


def test_opposite_rows_have_different_hashes():
    """Signs are the last bits, which a product moves out of sight: two of them must not cancel."""
    X = np.array([[2.0**53, -1.0], [-(2.0**53), 1.0], [2.0**53, 1.0], [-(2.0**53), -1.0], [1.0, -1.0], [-1.0, 1.0]])
    codes = np.empty(len(X), np.uint64)
    integers.hashes(entries(Problem.of(X, [1, -1] * 3)), 2, codes)
    assert len(set(codes.tolist())) == len(X)


def test_a_contradiction_is_seen_through_zeros_of_either_sign():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0]])
    assert duplicates.contradiction(Problem.of(X, [0, 0, 1])) == (0, 2)
    stored = sp.csr_array((X.ravel(), [0, 1] * 3, [0, 2, 4, 6]), (3, 2))
    assert duplicates.contradiction(Problem.of(stored, [0, 0, 1])) == (0, 2)


def test_a_contradiction_among_many_equal_rows():
    X = np.repeat([[1.0, 2.0], [3.0, 4.0]], 500, axis=0)
    y = np.ones(1000)
    y[-1] = -1
    i, j = duplicates.contradiction(Problem.of(X, y))
    assert j == 999
    assert np.array_equal(X[i], X[j])


@given(problems(max_rows=4, max_columns=9), st.booleans(), st.booleans())
def test_spanning_columns_have_the_rank_of_all(problem, intercept, sparse):
    X, y = problem
    given_rows = Problem.of(sp.csr_array(X) if sparse else X, y, intercept=intercept)
    kept = spans.spanning_columns(given_rows, Clock())
    if kept is None:
        assert X.shape[1] + intercept <= len(y)
    else:
        assert rank(reference.lifted(X[:, kept], y, intercept)) == rank(reference.lifted(X, y, intercept))
        assert len(kept) <= len(y)


@given(problems(max_rows=6, max_columns=5))
def test_integer_rows_are_the_rows(problem):
    X, _ = problem
    integers = IntegerRows.of(X)
    for row, numbers, r in zip(X.tolist(), integers.numbers, integers.row_exponents, strict=True):
        for value, number, c in zip(row, numbers, integers.column_exponents, strict=True):
            assert Fraction(value) == number * Fraction(2) ** (r + c)


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_systems(n, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-(10**9), 10**9, (n, n)).tolist()
    right = rng.integers(-(10**9), 10**9, n).tolist()
    if rank([[Fraction(v) for v in row] for row in matrix]) < n:
        with pytest.raises(ZeroDivisionError):
            solve(matrix, right)
        return
    x, denominator = solve(matrix, right)
    assert denominator > 0
    assert combination(x, transposed(matrix)) == [denominator * number for number in right]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_independence(n, m, seed):
    vectors = np.random.default_rng(seed).integers(-1, 2, (n, m)).tolist()
    expected = [k for k in range(n) if rank(fractions(vectors[: k + 1])) > rank(fractions(vectors[:k]))]
    assert independent(vectors) == expected


def fractions(rows):
    return [[Fraction(v) for v in row] for row in rows]


@given(problems(max_rows=10, max_columns=4), st.booleans(), st.booleans())
def test_scaled_rows_are_about_the_rows(problem, intercept, sparse):
    """Good proposals are no proof, but should be good: entries below 1, scores close, weights exact."""
    X, y = problem
    given_rows = Problem.of(sp.csr_array(X) if sparse else X, y, intercept=intercept)
    rows = ScaledRows(given_rows)
    everything = np.arange(len(y))
    Z = rows.take(everything)
    Z = Z if isinstance(Z, np.ndarray) else Z.toarray()
    assert np.abs(Z).max(initial=0.0) <= 1.0
    w = np.random.default_rng(0).standard_normal(rows.width)
    assert rows.scores(w) == pytest.approx(Z @ w, rel=1e-9, abs=1e-12)
    exact = rows.exact(w).fractions()
    for i, z in enumerate(reference.lifted(X, y, intercept)):
        score = reference.dot(exact, z) * Fraction(2) ** int(rows.row_exponents(everything)[i])
        assert float(score) == pytest.approx((Z @ w)[i], rel=1e-9, abs=1e-12)
