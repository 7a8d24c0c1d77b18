"""Signed, lifted rows in the form that kernels take, and the exact signs of their scores.

Rows are scaled by one power of two where their numbers are so large or small that products would leave the range of
float64. Signs do not change, and no bit is lost: rows whose exponents spread too far for that are marked, and left to
exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Rows
from ..compiled import measures
from ..compiled.environment import refuse_flushing, require_rounding_to_nearest
from ..compiled.error_free import UNDERFLOW, UNIT
from ..compiled.rows import BareRows, Buffers, CsrRows, DenseRows
from ..compiled.signs import UNKNOWN, find_doubtful
from ..compiled.signs import classify as kernel_classify
from ..exact.dyadic import Dyadic
from ..exact.products import sign_of_product
from ..support.threads import Result, in_parts
from .csr import frozen
from .problem import Problem
from .rows import affine_scores, is_dense, measured, stored, with_numbers

LARGEST, SMALLEST = 2.0**300, 2.0**-200
"""The largest entry of the rows lies between these, so that products of weights and entries neither overflow nor vanish."""

BYTES_BEFORE_SCREEN = 2**21
"""Rows that take so many bytes in float64, or more, are read in float32 by the hot loop."""

SAFE = 2.0**-900
"""Entries from here up are exact even where the processor flushes subnormal numbers to zero."""


def is_tiny(values: Floats) -> bool:
    """Whether a number other than 0 lies below what is safe; told from the bits, whatever the processor flushes."""
    bits = values.view(np.uint64) & np.uint64(0x7FFFFFFFFFFFFFFF)
    return bool(np.any((bits > 0) & (bits < np.float64(SAFE).view(np.uint64))))


def aligned(shape: tuple[int, ...], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """Allocate an array at the beginning of a cache line, so that no vector register is loaded from two."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(dtype).reshape(shape)


def exponent(x: float) -> int:
    """Return e with ``2**(e-1) <= x < 2**e``."""
    return math.frexp(x)[1]


KernelRows = DenseRows | CsrRows


def kernel_rows(X: Rows, y: Floats, constant: float, norms: Floats, longest: int) -> KernelRows:
    """Return rows as the kernels take them, multiplied with their labels and with a constant column, or 0.0 for none."""
    known: Any = {"coarse": 0.0, "signs": y, "constant": constant, "labels": y, "norms": norms}
    known |= {"radius": float(norms.max()), "longest": longest}
    if is_dense(X):
        return DenseRows(matrix=frozen(X), screen=None, **known)
    # Unsigned, so that the compiled loops need not look out for negative indices.
    indices = frozen(X.indices.view(f"u{X.indices.dtype.itemsize}"))
    return CsrRows(data=frozen(X.data), indices=indices, indptr=frozen(X.indptr), **known)


@dataclass(frozen=True)
class Lifted:
    """The rows of a problem, lifted, signed and scaled by ``2**shift``."""

    problem: Problem
    rows: KernelRows
    shift: int
    smallest: float
    """Lower bound of the smallest non-zero entry, scaled."""
    faithful: bool
    """Whether the kernels hold the rows exactly; if not, only exact integers may decide."""

    @classmethod
    def of(cls, problem: Problem) -> Lifted:
        """Lift the rows of a problem: where a proof by floats begins."""
        require_rounding_to_nearest()
        measures = problem.measures
        last = float(problem.constant)
        largest = max(measures.largest, last)
        smallest = min(measures.smallest, last) if last else measures.smallest
        shift = 0
        if largest > LARGEST:
            shift = exponent(LARGEST) - exponent(largest)
        elif 0.0 < largest < SMALLEST:
            shift = min(-exponent(largest), 1000)  # so that 2**shift is a float itself
        if math.isinf(smallest):  # all rows are zero
            smallest = 1.0
        faithful = problem.rows.wide is None and (exponent(smallest) - 53 + shift >= -1074 or shift >= 0)
        scaled = math.ldexp(smallest, shift) if faithful else 0.0
        if scaled < SAFE:
            refuse_flushing("the rows hold")
        scale = math.ldexp(1.0, shift)
        constant = last * scale
        X = problem.X if shift == 0 else problem.X * scale
        norms = measures.norms if shift == 0 or not faithful else measured(X).norms
        with np.errstate(over="ignore"):
            lifted = norms * norms
            lifted += constant * constant
            np.sqrt(lifted, out=lifted)
            lifted *= 1.0 + 16 * UNIT
        norms = np.maximum(lifted, constant, out=lifted)  # its square may have underflowed
        rows = kernel_rows(X, problem.y, constant, norms, measures.longest + problem.intercept)
        return cls(problem, rows, shift, scaled, faithful)

    def bare(self) -> KernelRows:
        """Return the rows for a hot loop that visits each of them but once, where a screen does not pay."""
        return BareRows(*self.rows) if isinstance(self.rows, DenseRows) else self.rows

    @property
    def unsigned(self) -> Rows:
        """The rows as they are scaled, without their signs and their constant column."""
        rows = self.rows
        return rows.matrix if isinstance(rows, DenseRows) else with_numbers(self.problem.X, rows.data)

    def with_screen(self) -> KernelRows:
        """Return the rows with a screen for the hot loop, if they are dense."""
        rows = self.rows
        if not isinstance(rows, DenseRows):
            return rows
        n = self.problem.n
        small = n * self.columns * 8 < BYTES_BEFORE_SCREEN or self.problem.measures.largest * 2.0**self.shift > 2.0**100
        screen = aligned((n, self.columns), np.float64 if small else np.float32)
        measures.fill_screen(rows.matrix, rows.signs, rows.constant, screen)
        if small:
            return rows._replace(screen=screen, matrix=screen, signs=np.ones(n), constant=0.0)
        return rows._replace(screen=screen, coarse=2.0**-24)

    @property
    def grid(self) -> int:
        """Exponent of a power of two that all entries, the constant included, are multiples of; as in `Problem.grid`."""
        g, last = self.problem.grid, self.problem.constant
        return (min(g, (last & -last).bit_length() - 1) if last else g) + self.shift

    @property
    def columns(self) -> int:
        """Number of weights in the kernels, padding included."""
        if isinstance(self.rows, CsrRows):
            return self.problem.d + 1
        d = self.problem.d + self.problem.intercept
        return 4 if d <= 4 else -(-d // 8) * 8

    def place(self, weights: Floats) -> Floats:
        """Put vectors of D weights, the intercept last, where the kernels want them."""
        if is_dense(self.problem.X):
            placed = np.zeros((*weights.shape[:-1], self.columns))
            placed[..., : weights.shape[-1]] = weights
            return placed
        return weights if self.problem.intercept else np.concatenate([weights, np.zeros((*weights.shape[:-1], 1))], -1)

    def unplace(self, weights: Floats) -> Floats:
        """Return vectors of D weights from where the kernels had them."""
        return weights[..., : self.problem.d + self.problem.intercept]

    def buffers(self) -> Buffers:
        """Room for the columns, the entries and the products of one row."""
        return Buffers(np.empty(self.columns, np.int64), np.empty(self.columns), np.empty(6 * (self.rows.longest + 2)))

    def signs(self, weights: Dyadic) -> NDArray[np.int64]:
        """Exact signs of all scores ``w.z_i``."""
        signs = self.classify(weights, refine=True)
        for i in np.flatnonzero(signs == UNKNOWN).tolist():
            signs[i] = self.exact_sign(i, weights)
        return signs

    def doubtful(self, rounded: Dyadic) -> list[int]:
        """Return the rows whose score may change its sign when weights are rounded to these, none of them subnormal."""
        if not self.faithful:
            return list(range(self.problem.n))
        parts, _, error = self._weigh(rounded, 2 * UNIT)
        found = np.empty(self.problem.n, np.int64)
        return found[: find_doubtful(self.rows, parts, error, found)].tolist()  # no faster in threads: memory is the limit

    def scores(self, weights: Dyadic) -> tuple[Floats, Floats]:
        """Scores of all rows in floating point, times a positive number, and bounds of their errors."""
        if not self.faithful:
            return np.full(self.problem.n, np.nan), np.full(self.problem.n, np.inf)
        parts, _, error = self._weigh(weights, 0.0)
        rows, d, first = self.rows, self.problem.d, parts[0]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values = affine_scores(self.unsigned, first[: d + bool(rows.constant)], rows.constant) * self.problem.y
            return values, (rows.norms * error + (rows.longest + 4) * UNDERFLOW) * (1.0 + 16 * UNIT)

    def classify(self, weights: Dyadic, refine: bool = False) -> NDArray[np.int64]:
        """Certain signs of the scores, or `UNKNOWN`; with ``refine``, higher precision is tried before giving up."""
        signs = np.full(self.problem.n, UNKNOWN, np.int64)
        if self.faithful:
            parts, loss, error = self._weigh(weights, 0.0)

            def classify(start: int, stop: int) -> None:
                some = self._part(start, stop)
                kernel_classify(some, parts, loss, error, refine, signs[start:stop], self.buffers())

            self._in_parts(classify)
        return signs

    def _part(self, start: int, stop: int) -> KernelRows:
        """Return some of the rows, as the kernels take them."""
        rows, some = self.rows, slice(start, stop)
        cut: Any = {"signs": rows.signs[some], "labels": rows.labels[some], "norms": rows.norms[some]}
        if isinstance(rows, DenseRows):
            return rows._replace(matrix=rows.matrix[some], **cut)
        return rows._replace(indptr=rows.indptr[start : stop + 1], **cut)

    def _in_parts(self, function: Callable[[int, int], Result]) -> list[Result]:
        return in_parts(function, self.problem.n, stored(self.problem.X))

    def _weigh(self, weights: Dyadic, unknown: float) -> tuple[Floats, Floats, float]:
        """Return weights as kernels take them, with what is lost, and the error of float scores relative to the rows.

        The weights are known up to ``unknown`` times their length. They are scaled so that the largest is about 1:
        products stay in range with it. A float score is that of the first part alone, so that what the others hold counts
        as error: little where they are what rounding the sum left, as they mostly are, and the bound holds in any case.
        """
        require_rounding_to_nearest()
        parts, loss = weights.split(3, -weights.magnitude())
        parts = self.place(parts[: 3 if np.any(parts[1:]) else 1])
        with np.errstate(under="ignore"):  # what is lost is less than what is added below
            norm, low = (float(np.linalg.norm(each)) * (1 + 2.0**-20) for each in (parts[0], np.abs(parts[1:]).sum(axis=0)))
        lost, low = 1.01 * float(loss.sum()), low + 2.0**-500 if len(parts) > 1 else 0.0
        error = ((self.rows.longest + 4) * UNIT * (1 + 2.0**-20) + unknown) * (norm + 2.0**-500) + low + 2 * lost
        return parts, self.place(loss), error

    def exact_sign(self, i: int, weights: Dyadic) -> int:
        """Sign of the exact score ``w.z_i`` in integers."""
        columns, entries = self.problem.row(i)
        return sign_of_product(weights, columns, entries)
