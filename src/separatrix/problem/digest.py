"""The digest of labelled rows: what certificates and models know the data by."""

from __future__ import annotations

import hashlib

import numpy as np

from ..compiled.integers import CsrEntries, DenseEntries, encode
from .csr import frozen
from .problem import Problem


def entries(problem: Problem, start: int = 0, stop: int | None = None) -> DenseEntries | CsrEntries:
    """Return some rows as `compiled.integers` takes them: the bits of their entries, and where these belong."""
    X, stop = problem.X, problem.n if stop is None else stop
    if isinstance(X, np.ndarray):
        return DenseEntries(frozen(X[start:stop].reshape(-1).view(np.uint64)), problem.d)
    return CsrEntries(frozen(X.data.view(np.uint64)), frozen(X.indices), frozen(X.indptr[start : stop + 1]))


_CHUNK = 2**20  # entries to hash at a time


def digest(problem: Problem) -> str:
    """Return the digest of the rows and labels of a problem, as the format defines it: equal for dense and sparse."""
    X = problem.X
    dense = isinstance(X, np.ndarray)
    total = hashlib.sha256()
    start = 0
    while start < problem.n:
        if dense:
            stop = min(problem.n, start + max(1, _CHUNK // problem.d))
            size = (stop - start) * problem.d
        else:
            stop = max(start + 1, int(np.searchsorted(X.indptr, X.indptr[start] + _CHUNK, side="right")) - 1)
            stop = min(problem.n, stop)
            size = int(X.indptr[stop] - X.indptr[start])
        room = np.empty(12 * size + 5 * (stop - start), np.uint8)
        length = encode(entries(problem, start, stop), problem.y[start:stop], room)
        total.update(room[:length].data)
        start = stop
    return f"sha256:{total.hexdigest()}"
