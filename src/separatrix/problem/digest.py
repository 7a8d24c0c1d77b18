"""The digest of labelled rows: what certificates and models know the data by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..compiled.integers import MOST_BYTES_PER_DECIMAL, CsrEntries, DenseEntries, encode, encode_decimals
from .csr import frozen
from .problem import Problem
from .rows import is_dense


def entries(problem: Problem, start: int = 0, stop: int | None = None) -> DenseEntries | CsrEntries:
    """Return some rows as `compiled.integers` takes them: the bits of their entries, and where these belong."""
    X, stop = problem.X, problem.n if stop is None else stop
    if is_dense(X):
        return DenseEntries(frozen(X[start:stop].reshape(-1).view(np.uint64)), problem.d)
    return CsrEntries(frozen(X.data.view(np.uint64)), frozen(X.indices), frozen(X.indptr[start : stop + 1]))


_NUMBERS_PER_CHUNK = 2**20
"""Numbers that are hashed at a time."""

_MOST_IN_LOOPS = 2.0**62
"""Numerators up to which compiled loops write decimals, but for the denominator itself."""


def digest(problem: Problem) -> str:
    """Return the digest of the rows and labels of a problem, as the format defines it: equal for dense and sparse."""
    total = hashlib.sha256()
    for part in parts_of(problem):
        total.update(part)
    return f"sha256:{total.hexdigest()}"


def parts_of(problem: Problem) -> Iterator[memoryview | bytes]:
    """Write the rows and labels out as the digest takes them; those of rows in blocks follow each other."""
    yield from {"float64": _bytes, "decimal": _decimals, "rational": _fractions}[problem.rows.reading](problem)


def _chunks(problem: Problem, most: int) -> Iterator[tuple[int, int, int]]:
    """Divide rows into chunks of about so many numbers: where they begin and end, and how many numbers there are."""
    X, start = problem.X, 0
    while start < problem.n:
        if is_dense(X):
            stop = min(problem.n, start + max(1, most // problem.d))
            size = (stop - start) * problem.d
        else:
            stop = max(start + 1, int(np.searchsorted(X.indptr, X.indptr[start] + most, side="right")) - 1)
            stop = min(problem.n, stop)
            size = int(X.indptr[stop] - X.indptr[start])
        yield start, stop, size
        start = stop


def _bytes(problem: Problem) -> Iterator[memoryview]:
    """Write float64 numbers."""
    for start, stop, size in _chunks(problem, _NUMBERS_PER_CHUNK):
        room = np.empty(12 * size + 5 * (stop - start), np.uint8)
        length = encode(entries(problem, start, stop), problem.y[start:stop], room)
        yield room[:length].data


def _decimals(problem: Problem) -> Iterator[memoryview | bytes]:
    """Write decimals, without the power of ten that makes them whole."""
    unit = problem.rows.denominator
    largest = problem.measures.largest
    if problem.rows.wide is not None or (largest > _MOST_IN_LOOPS and largest != unit):
        yield from _fractions(problem)
        return
    places = len(str(unit)) - 1
    for start, stop, size in _chunks(problem, _NUMBERS_PER_CHUNK // 4):
        room = np.empty(MOST_BYTES_PER_DECIMAL * size + 2 * (stop - start), np.uint8)
        length = encode_decimals(entries(problem, start, stop), problem.y[start:stop], places, float(unit), room)
        yield room[:length].data


def _fractions(problem: Problem) -> Iterator[bytes]:
    """Write rational numbers one by one."""
    decimal, unit = problem.rows.reading == "decimal", problem.rows.denominator
    for i in range(problem.n):
        columns, values = problem.row(i)
        words = []
        for j, value in zip(columns, (int(problem.y[i]) * values).tolist(), strict=True):
            if j < problem.d:
                number = Fraction(value) / unit
                words.append(f" {j}:{_canonical(number) if decimal else number}")
        yield f"{'+' if problem.y[i] > 0 else '-'}{''.join(words)}\n".encode()


def _canonical(number: Fraction) -> str:
    """Write a decimal as a whole number, not a multiple of ten, and a power of ten."""
    power = 0
    while number.denominator > 1:
        number, power = number * 10, power - 1
    whole = number.numerator
    while whole % 10 == 0:
        whole, power = whole // 10, power + 1
    return f"{whole}e{power}"
