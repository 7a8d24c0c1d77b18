"""The digest of labelled rows: what certificates and models know the data by."""

from __future__ import annotations

import hashlib

import numpy as np

from ..compiled.integers import CsrEntries, DenseEntries, encode
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


def digest(problem: Problem) -> str:
    """Return the digest of the rows and labels of a problem, as the format defines it: equal for dense and sparse."""
    X = problem.X
    total = hashlib.sha256()
    start = 0
    while start < problem.n:
        if is_dense(X):
            stop = min(problem.n, start + max(1, _NUMBERS_PER_CHUNK // problem.d))
            size = (stop - start) * problem.d
        else:
            stop = max(start + 1, int(np.searchsorted(X.indptr, X.indptr[start] + _NUMBERS_PER_CHUNK, side="right")) - 1)
            stop = min(problem.n, stop)
            size = int(X.indptr[stop] - X.indptr[start])
        room = np.empty(12 * size + 5 * (stop - start), np.uint8)
        length = encode(entries(problem, start, stop), problem.y[start:stop], room)
        total.update(room[:length].data)
        start = stop
    return f"sha256:{total.hexdigest()}"
