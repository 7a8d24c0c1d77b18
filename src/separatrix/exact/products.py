"""Exact dot products of weights with the entries of a row."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .._types import Floats
from .dyadic import Dyadic, mantissas_and_exponents


def exact_score(weights: Dyadic, columns: Iterable[int], entries: Floats) -> Fraction:
    """Exact dot product of some of the weights with float64 entries."""
    total, exponent = integer_score(weights, columns, entries)
    return total * Fraction(2) ** exponent


def sign_of_product(weights: Dyadic, columns: Iterable[int], entries: Floats) -> int:
    """Sign of the exact dot product of some of the weights with float64 entries."""
    total, _ = integer_score(weights, columns, entries)
    return (total > 0) - (total < 0)


def integer_score(weights: Dyadic, columns: Iterable[int], entries: Floats) -> tuple[int, int]:
    """Exact dot product, as an integer and the exponent of the power of two that it is multiplied by."""
    numbers, exponents = mantissas_and_exponents(entries)
    least = min(exponents, default=0)
    integers = weights.integers
    total = sum(integers[j] * (m << (e - least)) for j, m, e in zip(columns, numbers, exponents, strict=True))
    return total, least + weights.exponent
