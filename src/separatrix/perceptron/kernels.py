"""The Gram matrices of the kernels: polynomial, radial, precomputed, and given by a function of the user."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._types import Floats, Indices, Rows
from ..compiled.environment import refuse_flushing
from ..compiled.error_free import MANTISSA_BITS, UNIT
from ..compiled.kernel_run import polynomial
from ..exact.dyadic import mantissas_and_exponents
from ..exact.float64 import read_floats
from ..exact.rounding import nearest
from ..problem.lifted import SAFE
from ..problem.rows import filled_in, grid, is_dense, squared_lengths
from .gram import Gram, Kernel, Points, taken, tile_product

KERNELS = ("linear", "poly", "rbf", "precomputed")

_LEAST_NORM = 2.0**-450
"""Norms are taken for at least this, so that bounds relative to them cover underflow."""

_NUMBERS_PER_BLOCK = 2**21
"""A temporary matrix has at most about so many numbers."""


def scaled_gamma(X: Rows) -> float:
    """Return the gamma that "scale" stands for: ``1 / (d * X.var())`` in floating point, 1 if all numbers are equal."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        variance = _variance(X) if is_dense(X) else float(X.multiply(X).mean() - X.mean() ** 2)
    if variance == 0.0:
        return 1.0
    gamma = 1.0 / (X.shape[1] * variance) if variance >= 2.0**-1000 else math.inf
    if not 0.0 < gamma < math.inf:
        raise ValueError("gamma='scale' is out of range, as the variance of X is. Rescale the features, or give a number.")
    return gamma


def _variance(X: Floats) -> float:
    """Return the variance of all numbers: of many, in blocks of rows, so that nothing as large is in memory besides."""
    if X.size <= _NUMBERS_PER_BLOCK:
        return float(X.var())
    mean = sum(float(X[some].sum()) for some in _blocks(X)) / X.size
    return sum(float(np.square(X[some] - mean).sum()) for some in _blocks(X)) / X.size


def _blocks(X: Floats) -> list[slice]:
    """Return blocks of rows, each of not too many numbers."""
    step = max(1, _NUMBERS_PER_BLOCK // max(1, X.shape[1]))
    return [slice(start, start + step) for start in range(0, len(X), step)]


class PolynomialGram(Gram):
    """``(gamma * x.x' + coef0) ** degree``; the linear kernel is one of them.

    Points that are numerators over denominators have ``x.x'`` over the product of both. With ``coef0`` times that product
    all is done on the numerators, and comes out times its power.
    """

    def __init__(self, kernel: Kernel, left: Points, right: Points) -> None:
        super().__init__(kernel, left, right)
        unit = left.rows.denominator * right.rows.denominator
        self.divisor = unit**kernel.degree
        self._exact_coef0 = Fraction(kernel.coef0) * unit
        self._coef0, self._one = nearest(self._exact_coef0), nearest(Fraction(self.constant))
        if min(left.measures.smallest, right.measures.smallest) < SAFE:
            refuse_flushing("the rows hold")
        self.left_spans = self.spans = self._spans(right)
        if left is not right:
            self.left_spans = self._spans(left)
        # x.x' is known up to (m + 2) * UNIT of the norms; one more rounding each for the product, the sum and each factor,
        # and for what is added.
        error = kernel.degree * (min(left.measures.longest, right.measures.longest) + 10) * UNIT
        wide = left.rows.wide is not None or right.rows.wide is not None
        self.error = 1.02 * error if error < 0.01 and not wide else math.inf
        self.limit = 0.0 if wide else self._find_limit()
        if self.limit:
            self.error = 0.0
        self._integers: dict[int, tuple[list[int], list[int]]] = {}

    def _spans(self, points: Points) -> Floats:
        """Lengths in the feature space of ``(|gamma| ||x|| ||x'|| + |coef0|) ** degree``, which is nowhere less."""
        kernel = self.kernel
        with np.errstate(over="ignore", under="ignore"):
            spans = np.maximum(points.measures.norms, _LEAST_NORM) ** 2 * max(kernel.gamma, 2.0**-60)
            spans = (spans + abs(self._coef0)) ** kernel.degree + self._one
            result: Floats = np.maximum(np.sqrt(spans) * (1 + (2 * kernel.degree + 16) * UNIT), 2.0**-400)
        return result

    def _find_limit(self) -> float:
        """Find the power of two that all products are multiples of, if that makes them exact in floating point."""
        kernel = self.kernel
        norm = max(float(points.measures.norms.max()) for points in (self.left, self.right))
        rounded = self._exact_coef0 != self._coef0 or self.constant != self._one
        if not 2.0**-200 < norm < 2.0**200 or rounded:
            return 0.0
        floor = math.frexp(norm)[1] - 28  # below, 53 bits would not hold a single product
        grids = [grid(points.X, floor) for points in {id(p): p for p in (self.left, self.right)}.values()]
        if min(grids) < floor:
            return 0.0
        g = 2 * min(grids)
        base = g + grid(np.array([kernel.gamma]), -1100)
        size = kernel.gamma * norm * norm
        fits = norm * norm <= 2.0 ** (MANTISSA_BITS + g) and -400 < base < 400 and size <= 2.0 ** (MANTISSA_BITS + base)
        if not fits:
            return 0.0
        base = min(base, grid(np.array([self._coef0]), -1100))
        power = kernel.degree * base
        if not -400 < power < 400 or math.log2(size + abs(self._coef0)) * kernel.degree > MANTISSA_BITS - 0.1 + power:
            return 0.0
        return 2.0 ** (MANTISSA_BITS + (min(power, grid(np.array([self._one]), -1100)) if self._one else power))

    def _take(self, rows: Indices) -> tuple[Any, int]:
        return taken(self.left.X, self.right.X, rows)

    def _tile(self, some: Any, begin: int, end: int) -> Floats:
        values = tile_product(self.right.X[begin:end], some)
        self._finish(values, self._one)
        return values.T

    def _finish(self, values: Floats, constant: float) -> None:
        kernel = self.kernel
        polynomial(values.reshape(-1), kernel.gamma, self._coef0, kernel.degree, constant)

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return the products of each point with itself, and bounds of their errors."""
        X = self.right.X
        with np.errstate(over="ignore", under="ignore"):
            values = np.ascontiguousarray(squared_lengths(X), np.float64)
            self._finish(values, 0.0)
            return values, (self.error + UNIT * (self.error > 0)) * self.spans * self.spans

    def exact(self, rows: Sequence[int], i: int) -> tuple[list[int], int]:
        """Return exact products with a point, as integers and the exponent of their unit."""
        point = dict(zip(*self._row(self.right, i), strict=True))
        products = []
        for j in rows:
            if j not in self._integers:
                self._integers[j] = self._row(self.left, j)
            products.append(sum(point.get(c, 0) * number for c, number in zip(*self._integers[j], strict=True)))
        kernel = self.kernel
        (m,), (m_power,) = mantissas_and_exponents(np.array([kernel.gamma]))
        c, c_power = self._exact_coef0.numerator, 1 - self._exact_coef0.denominator.bit_length()
        m_power += self._unit(self.left) + self._unit(self.right)
        base = min(m_power, c_power) if c else m_power
        m, c = m << (m_power - base), c << (c_power - base) if c else 0
        values, power = [(m * number + c) ** kernel.degree for number in products], base * kernel.degree
        if kernel.intercept:
            least = min(power, 0)
            values = [(value << (power - least)) + (self.constant << -least) for value in values]
            power = least
        return values, power

    @staticmethod
    def _unit(points: Points) -> int:
        smallest = points.measures.smallest
        return math.frexp(smallest)[1] - 53 if math.isfinite(smallest) and points.rows.wide is None else 0

    def _row(self, points: Points, i: int) -> tuple[list[int], list[int]]:
        """Return columns and entries of a row, in units of the last bit of the smallest entry of all."""
        if is_dense(points.X):
            columns = np.flatnonzero(points.X[i])
            entries = (points.X if points.rows.wide is None else points.rows.wide)[i, columns]
        else:
            span = slice(points.X.indptr[i], points.X.indptr[i + 1])
            columns, entries = points.X.indices[span], points.X.data[span]
        unit, pairs = self._unit(points), zip(*mantissas_and_exponents(entries), strict=True)
        return columns.tolist(), [m << (e - unit) if m else 0 for m, e in pairs]


class RadialGram(Gram):
    """``exp(-gamma * ||x - x'||**2)``.

    Its value is, by definition here, what `exact` computes from the differences of the entries: a float64, the same in
    whatever block it is asked for. Blocks come from one matrix product, and may differ from it by ``error``.
    """

    def __init__(self, kernel: Kernel, left: Points, right: Points) -> None:
        super().__init__(kernel, left, right)
        dense = is_dense(left.X) and is_dense(right.X)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = left.X.mean(axis=0) if dense else None  # products of differences from it are less rounded
        self._right, radius = self._augmented(right, centre, False)
        self._left, other = self._augmented(left, centre, True)
        m = int(left.X.shape[1])
        # The exponent is known up to (2m + 16) * UNIT * gamma * (||x|| + ||x'||)**2, exp itself up to 8 * UNIT.
        error = 4 * (2 * m + 16) * UNIT * kernel.gamma * max(radius, other)
        self.error = 1.02 * error + (m + 32) * UNIT if error < 0.01 else math.inf
        if kernel.intercept:
            self.left_spans, self.spans = (
                spans * math.sqrt(2.0) * (1 + 4 * UNIT) for spans in (self.left_spans, self.spans)
            )

    def _augmented(self, points: Points, centre: Floats | None, is_left: bool) -> tuple[Rows, float]:
        """Return points with two more columns, so that one product of matrices gives ``-gamma * ||x - x'||**2``.

        Besides, their largest squared length.
        """
        X = points.X
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            if centre is None:
                return self._with_squares(X, is_left)
            joined, largest = np.empty((X.shape[0], X.shape[1] + 2)), 0.0
            for some in _blocks(X):
                joined[some], square = self._with_squares(X[some] - centre, is_left)
                largest = float(np.maximum(largest, square))  # which is NaN if one of them is
        return joined, largest

    def _with_squares(self, X: Rows, is_left: bool) -> tuple[Rows, float]:
        gamma, squares = self.kernel.gamma, squared_lengths(X)
        columns = np.column_stack([-gamma * squares, np.ones(squares.size)])
        if not is_left:
            columns = columns[:, ::-1]
        scaled = X * (2 * gamma) if is_left else X
        joined = np.hstack([scaled, columns]) if is_dense(X) else sp.csr_array(sp.hstack([scaled, sp.csr_array(columns)]))
        return joined, float(squares.max())

    def _take(self, rows: Indices) -> tuple[Any, int]:
        return taken(self._left, self._right, rows)

    def _tile(self, some: Any, begin: int, end: int) -> Floats:
        values = tile_product(self._right[begin:end], some)
        np.exp(
            values, out=values
        )  # 1 or next to it where the exponent, of rows that are equal or nearly so, came out positive
        if self.kernel.intercept:
            values += 1.0
        return values.T

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return the products of each point with itself, and bounds of their errors."""
        return np.ones(self.n), np.zeros(self.n)

    def exact(self, rows: Sequence[int], i: int) -> tuple[list[int], int]:
        """Return exact products with a point, as integers and the exponent of their unit."""
        point = self.right.dense([i])
        values = []
        step = max(1, _NUMBERS_PER_BLOCK // point.size)
        with np.errstate(over="ignore", under="ignore"):
            for start in range(0, len(rows), step):
                differences = self.left.dense(list(rows[start : start + step])) - point
                values.append(np.exp(-self.kernel.gamma * (differences * differences).sum(axis=1)))
        return self._exactly(np.concatenate(values))


class PrecomputedGram(Gram):
    """Products that are given: ``right.X[i, j]`` is that of point i with point j on the left, times the denominator."""

    def __init__(self, kernel: Kernel, left: Points, right: Points) -> None:
        super().__init__(kernel, left, right)
        self.divisor = right.rows.denominator
        ends = [end.toarray().reshape(-1) if sp.issparse(end) else end for end in (right.X.max(axis=0), right.X.min(axis=0))]
        highest, lowest = (end + float(self.constant) for end in ends)
        self.left_spans = np.maximum(highest, -lowest) * (1 + 4 * UNIT)
        if right.measures.smallest < SAFE:
            refuse_flushing("the matrix holds")
        g = grid(right.X, -400)
        if -400 <= g < 900:
            self.limit = 2.0 ** (MANTISSA_BITS + (min(g, 0) if kernel.intercept else g))

    def _take(self, rows: Indices) -> tuple[Any, int]:
        return rows, self.n

    def _tile(self, some: Any, begin: int, end: int) -> Floats:
        values = filled_in(self.right.X[begin:end][:, some])
        return values.T + float(self.constant)

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return the products of each point with itself, and bounds of their errors."""
        return np.array(self.right.X.diagonal(), np.float64), np.zeros(self.n)

    def exact(self, rows: Sequence[int], i: int) -> tuple[list[int], int]:
        """Return exact products with a point, as integers and the exponent of their unit."""
        return self._exactly(self.right.dense([i])[0, list(rows)])


class GivenGram(Gram):
    """Products that a function computes, taken as they are."""

    def fill(self, rows: Indices, target: Floats, places: Indices) -> None:
        """Write products into a matrix."""
        values = self._ask(self.left.X[rows], self.right.X) + float(self.kernel.intercept)
        self.left_spans[rows] = np.abs(values).max(axis=1)
        target[places] = values

    def diagonal(self) -> tuple[Floats, Floats]:
        """Return the products of each point with itself, and bounds of their errors."""
        X, step = self.right.X, 64
        pieces = [self._ask(X[k : k + step], X[k : k + step]).diagonal() for k in range(0, self.n, step)]
        return np.concatenate(pieces), np.zeros(self.n)

    def exact(self, rows: Sequence[int], i: int) -> tuple[list[int], int]:
        """Return exact products with a point, as integers and the exponent of their unit."""
        return self._exactly(self._ask(self.left.X[list(rows)], self.right.X[[i]])[:, 0])

    def _ask(self, left: Rows, right: Rows) -> Floats:
        assert self.kernel.function is not None
        returned = self.kernel.function(left, right)  # products of sparse rows are sparse
        values = read_floats(returned.toarray() if sp.issparse(returned) else returned, "the kernel's matrix")
        if values.shape != (left.shape[0], right.shape[0]):
            raise ValueError(
                f"The kernel function returned an array of shape {values.shape} for {left.shape[0]} and {right.shape[0]} "
                "rows. It must return a matrix with a row for each row of its first argument and a column for each of its "
                "second."
            )
        if not np.isfinite(values).all():
            raise ValueError("The kernel function returned NaN or infinity. Its values must be finite numbers.")
        return values
