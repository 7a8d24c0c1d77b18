"""Whole numbers as sums of squares: which are, and whole vectors of a given length."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np


def is_sum_of_squares(total: int, parts: int) -> bool:
    """Whether a whole number is a sum of so many squares of whole numbers, zeros allowed.

    By the theorems of Legendre, for three, and Lagrange, for four and more; for two by trying. A fraction a/b is a sum of so
    many squares of fractions if and only if the whole number ``a b`` is one of as many whole ones (Davenport and Cassels).

    >>> [number for number in range(16) if not is_sum_of_squares(number, 3)], is_sum_of_squares(15, 4)
    ([7, 15], True)
    """
    if total < 0 or parts < 1:
        return total == 0
    if parts == 1:
        return math.isqrt(total) ** 2 == total
    if parts == 2:
        return any(is_sum_of_squares(total - a * a, 1) for a in range(math.isqrt(total // 2) + 1))
    if parts == 3:
        while total and total % 4 == 0:
            total //= 4
        return total % 8 != 7
    return True


def has_primitive_vector(multiple: int, parts: int) -> bool:
    """Whether some whole vector without a common divisor has the squared length ``multiple * v^2``, v any whole number.

    A number is a sum of squares without a common divisor: of one if it is 1; of two if neither 4 nor a prime of the form
    4 m + 3 divides it; of three if it leaves none of 0, 4, 7 when divided by 8; of four if 8 does not divide it; of five and
    more always. Squares ``v^2`` add divisors, or, if odd, leave what is left by 8 unchanged: so it is enough to take v = 1.

    >>> [m for m in range(1, 20) if has_primitive_vector(m, 2)], [m for m in range(1, 20) if has_primitive_vector(m, 3)]
    ([1, 2, 5, 10, 13, 17], [1, 2, 3, 5, 6, 9, 10, 11, 13, 14, 17, 18, 19])
    """
    if parts == 1:
        return multiple == 1
    if parts == 2:
        return multiple % 4 != 0 and not any(prime % 4 == 3 for prime in _primes(multiple))
    if parts == 3:
        return multiple % 8 not in (0, 4, 7)
    return parts > 4 or multiple % 8 != 0


def without_squares(number: int) -> tuple[int, int]:
    """Write a positive number as ``free * root^2``, where no square divides the first; return both.

    >>> without_squares(72), without_squares(7)
    ((2, 6), (7, 1))
    """
    root, free = 1, number
    for factor in range(2, math.isqrt(number) + 1):
        if factor * factor > free:
            break
        while free % (factor * factor) == 0:
            free //= factor * factor
            root *= factor
    return free, root


def _primes(number: int) -> Iterator[int]:
    """Go through the primes that divide a number."""
    factor = 2
    while factor * factor <= number:
        if number % factor == 0:
            yield factor
            while number % factor == 0:
                number //= factor
        factor += 1
    if number > 1:
        yield number


def random_vector(total: int, parts: int, rng: np.random.RandomState, largest: int | None = None) -> list[int] | None:
    """Draw a whole vector whose entries, none larger than asked, have squares that add up to a number; None if none is.

    >>> sorted(map(abs, random_vector(14, 3, np.random.RandomState(0)))), random_vector(14, 3, np.random.RandomState(0), 2)
    ([1, 2, 3], None)
    """
    found = next(_sizes(total, parts, rng, math.isqrt(max(total, 0)) if largest is None else largest), None)
    if found is None:
        return None
    signs = rng.randint(2, size=parts) * 2 - 1
    return [int(found[j]) * int(sign) for j, sign in zip(rng.permutation(parts), signs, strict=True)]


def _sizes(total: int, parts: int, rng: np.random.RandomState, largest: int) -> Iterator[list[int]]:
    """Go through the sizes of entries, in random order, backing out where the rest is no sum of squares."""
    if total < 0 or total > parts * largest * largest or not is_sum_of_squares(total, parts):
        return
    if parts == 1:
        yield [math.isqrt(total)]
        return
    for size in rng.permutation(min(largest, math.isqrt(total)) + 1).tolist():
        for rest in _sizes(total - size * size, parts - 1, rng, largest):
            yield [size, *rest]
