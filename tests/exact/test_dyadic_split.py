"""Vectors of exact numbers as sums of floats: what the parts hold, and that many long numbers take no fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from separatrix.exact import dyadic
from separatrix.exact.dyadic import Dyadic

integers = st.lists(st.integers(-(2**180), 2**180) | st.integers(-(2**1100), 2**1100), min_size=1, max_size=4)


@given(integers, st.integers(-2200, 0), st.integers(1, 3))
def test_each_part_is_the_rounded_sum_of_itself_and_what_follows(numbers, exponent, n_parts):
    vector = Dyadic(numbers, exponent)
    shift = -vector.magnitude()
    parts, loss = vector.split(n_parts, shift)
    for j, number in enumerate(numbers):
        rest = Fraction(number) * Fraction(2) ** (exponent + shift)
        for part in parts[:, j].tolist():
            assert part == rest.numerator / rest.denominator
            rest -= Fraction(part)
        assert abs(rest) <= Fraction(loss[j])
        assert rest or loss[j] == 0.0


def test_many_long_numbers_are_split_without_fractions(monkeypatch):
    """There is an entry for each of 100,000 columns, and a fraction takes ten times as long as an integer."""
    numbers = [3**k for k in range(40, 600)]
    expected = np.array([float(number) for number in numbers])

    def refused(*_):
        raise AssertionError("a fraction was made")

    monkeypatch.setattr(dyadic, "Fraction", refused)
    parts, loss = Dyadic(numbers, 0).split(3, 0)
    assert np.array_equal(parts[0], expected)
    assert loss.any()
