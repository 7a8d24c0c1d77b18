"""Least squares on little data, exactly: the normal equations over the rationals, and the result rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ..._types import Floats
from ...exact.rounding import nearest
from ...problem.problem import Problem

MAX_NUMBERS = 4000
"""Numbers that rows may have, at most, to be solved exactly."""

MAX_COLUMNS = 40
"""Columns that they may have, the intercept counted."""

_MAX_BITS = 40
"""Bits of whole numbers in proportion to the rows, at most: such that are meant as they are. Columns of longer ones, which
are mostly rounded, may miss being dependent by a rounding error, and floating point takes them for dependent then."""

_MAX_BITS_OF_WEIGHTS = 200
"""Bits of whole numbers in proportion to the weights of rows, at most."""


def exact_least_squares(problem: Problem, labels: Floats) -> Floats | None:
    """Return what `least_squares` does, but exactly and then rounded to float64; None if that would take long.

    Of all weights that minimise the sum of squares the shortest are a combination ``B'v`` of rows: B are independent rows
    that span all, and v solves ``(B G B') v = B h``, where ``G w = h`` are the normal equations.
    """
    if problem.n * problem.width > MAX_NUMBERS or problem.width > MAX_COLUMNS:
        return None
    import flint  # which classifiers are imported without

    from ...exact.linear_algebra import IntegerRows, bits_of, independent

    bare = Problem.bare(problem.rows, problem.intercept)
    integers = IntegerRows.of(bare.lifted(list(range(problem.n))))
    least = min(integers.row_exponents) + min(integers.column_exponents)
    if max(integers.row_exponents) + max(integers.column_exponents) - least > _MAX_BITS:
        return None
    rows, costs = integers.common(), _whole(problem.weights, problem.n)
    if bits_of(rows) > _MAX_BITS or bits_of([costs]) > _MAX_BITS_OF_WEIGHTS:
        return None
    scale = problem.rows.denominator / Fraction(2) ** least  # rows are so many times what they stand for
    A = _matrix(flint, rows)
    weighted = _matrix(flint, [[cost * number for number in row] for row, cost in zip(rows, costs, strict=True)])
    G, right = A.transpose() * weighted, weighted.transpose() * _matrix(flint, labels.astype(np.int64).tolist())
    B = _matrix(flint, [rows[i] for i in independent(rows)])
    if not B.nrows():  # all rows are zeros
        return np.zeros((labels.shape[1], problem.width))
    solution: Any = flint.fmpq_mat(B.transpose()) * (B * G * B.transpose()).solve(B * right)
    if flint.fmpq_mat(G) * solution != flint.fmpq_mat(right):  # the prime of `independent` has missed a row
        return None
    return np.array([
        [nearest(scale * Fraction(int(solution[j, k].p), int(solution[j, k].q))) for j in range(problem.width)]
        for k in range(labels.shape[1])
    ])  # fmt: skip


def _matrix(flint: Any, rows: list[list[int]]) -> Any:
    return flint.fmpz_mat(len(rows), len(rows[0]) if rows else 0, [number for row in rows for number in row])


def _whole(weights: Floats | None, n: int) -> list[int]:
    """Return whole numbers in proportion to the weights of rows."""
    if weights is None:
        return [1] * n
    exact = [Fraction(weight) for weight in weights.tolist()]
    common = math.lcm(*(weight.denominator for weight in exact))
    whole = [int(weight * common) for weight in exact]
    return [number // math.gcd(*whole) for number in whole]
