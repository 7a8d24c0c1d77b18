"""Integer rows against fractions: whatever the exponents, they say what is true of the rows themselves."""

from fractions import Fraction
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from separatrix.exact.dyadic import Dyadic
from separatrix.exact.linear_algebra import IntegerRows


def fractions_of(X):
    return [[Fraction(value) for value in row] for row in X.tolist()]


def combined(multipliers, rows):
    return [
        sum((m * value for m, value in zip(multipliers, column, strict=True)), Fraction(0))
        for column in zip(*rows, strict=True)
    ]


def parallel(left, right):
    """Whether one list of numbers is a positive multiple of another."""
    pairs = list(zip(left, right, strict=True))
    return all((a > 0) == (b > 0) and (a < 0) == (b < 0) for a, b in pairs) and all(
        a * d == b * c for a, b in pairs for c, d in pairs
    )


@given(problems(max_rows=6), st.data())
def test_combinations_are_exact(problem, data):
    X, _ = problem
    multipliers = data.draw(st.lists(st.integers(-(2**70), 2**70), min_size=len(X), max_size=len(X)))
    integers, rows = IntegerRows.of(X), fractions_of(X)
    assert integers.combine(multipliers).fractions() == combined(multipliers, rows)
    assert [integers.row(i).fractions() for i in range(len(X))] == rows
    assert integers.transposed().row(0).fractions() == [row[0] for row in rows]
    assert parallel(chain.from_iterable(integers.common()), chain.from_iterable(rows))


def test_no_rows_add_up_to_nothing():
    assert IntegerRows.of(np.zeros((0, 2))).combine([]).fractions() == [0, 0]


@given(problems(max_rows=6), st.data())
def test_coordinates_in_a_basis(problem, data):
    X, _ = problem
    integers = IntegerRows.of(X)
    basis = integers.take(integers.basis())
    if not basis.numbers:
        return
    multipliers = data.draw(st.lists(st.integers(-(10**9), 10**9), min_size=len(X), max_size=len(X)))
    vector = integers.combine(multipliers)
    coordinates = basis.coordinates(vector)
    assert combined(coordinates, [basis.row(k).fractions() for k in range(len(coordinates))]) == vector.fractions()


@given(problems(max_rows=4), st.data())
def test_weights_made_orthogonal(problem, data):
    X, _ = problem
    d = X.shape[1]
    weights = Dyadic(data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=d, max_size=d)), -20)
    integers = IntegerRows.of(X)
    found = integers.orthogonal(weights)
    if len(integers.basis()) < len(X):
        assert found is None
        return
    for row in fractions_of(X):
        assert combined([1] * d, [[a * b] for a, b in zip(row, found.fractions(), strict=True)]) == [0]
    free = [j for j in range(d) if j not in integers.pivots]
    assert parallel([found.fractions()[j] for j in free], [weights.fractions()[j] for j in free])


@given(problems(max_rows=5), st.data())
def test_solutions_for_integers_are_of_the_rows(problem, data):
    X, _ = problem
    integers = IntegerRows.of(X)
    n, d = X.shape
    solution = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=d, max_size=d))
    weights = integers.weights(solution).fractions()
    for row, numbers, exponent in zip(fractions_of(X), integers.numbers, integers.row_exponents, strict=True):
        score = sum(a * b for a, b in zip(numbers, solution, strict=True))
        assert sum(a * b for a, b in zip(row, weights, strict=True)) == score * Fraction(2) ** exponent
    solution = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=n, max_size=n))
    sums = [
        sum(m * number for m, number in zip(solution, column, strict=True)) for column in zip(*integers.numbers, strict=True)
    ]
    scaled = [total * Fraction(2) ** c for total, c in zip(sums, integers.column_exponents, strict=True)]
    assert parallel(combined(integers.multipliers(solution), fractions_of(X)), scaled)
    total = integers.sum_of_multipliers().fractions()
    multipliers = [a * b for a, b in zip(solution, total, strict=True)]  # of the rows themselves
    assert combined(multipliers, fractions_of(X)) == scaled


@given(problems(max_rows=4), st.integers(0, 10**6))
def test_weights_orthogonal_modulo_a_prime(problem, seed):
    X, _ = problem
    p = 2147483629
    vector = IntegerRows.of(X).orthogonal_modulo(p, np.random.default_rng(seed)).tolist()
    for row in fractions_of(X):
        residues = [value.numerator * pow(value.denominator, -1, p) * v for value, v in zip(row, vector, strict=True)]
        assert sum(residues) % p == 0


@given(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=5), st.integers(-1100, 1100), st.integers(1, 100))
def test_vectors(numbers, exponent, bits):
    vector = Dyadic(numbers, exponent)
    exact = vector.fractions()
    assert vector.dot(vector) == sum(number * number for number in exact)
    powers = list(range(-3, len(numbers) - 3))
    assert vector.times_powers(powers).fractions() == [a * Fraction(2) ** e for a, e in zip(exact, powers, strict=True)]
    shorter = vector.shortened(bits)
    assert max(abs(number) for number in shorter.integers) <= 2**bits
    assert all(
        Fraction(0) <= a - b < Fraction(2) ** shorter.exponent for a, b in zip(exact, shorter.fractions(), strict=True)
    )
    assert Dyadic.from_fraction(exact[0]).fractions() == exact[:1]
