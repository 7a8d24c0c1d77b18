"""Sparse rows of any format as canonical CSR: columns in order, none twice, and nothing that points outside."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.measures import BROKEN_INDEX, BROKEN_INDPTR, CANONICAL, copy_structure, grid_exponent
from ..exact.float64 import exact_float64, refuse_kind


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: what kernels are given of the rows, so that they are compiled for nothing else."""
    view = array.view()
    view.flags.writeable = False
    return view


def canonical_csr(X: Any, what: str) -> Any:
    """Return sparse rows as a canonical CSR array of float64.

    The structure is checked, which scipy leaves to whoever reads it, and copied: whatever happens to the given arrays
    later, indices stay within the rows. Entries at the same place are added up, in every format and type by one rule:
    the exact sum of the numbers, which must be a float64.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead for {what}.")
    refuse_kind(X.dtype, what)
    data, indices, indptr = _compressed(X, what)
    indices, indptr, ordered = _checked_copy(indices, indptr, X.shape[0], X.shape[1], what)
    csr = sp.csr_array((data[: indices.size], indices, indptr), shape=X.shape)
    if not ordered:
        csr = csr.copy()  # the data may be the user's
        csr.sort_indices()
        csr = _without_duplicates(csr, what)
    csr.has_canonical_format = True
    return csr


def _compressed(X: Any, what: str) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Return entries row by row, with those at the same place kept apart: scipy would add them up in their own type."""
    n, d = X.shape
    if X.format == "csr":
        data = exact_float64(X.data, what)
        if data.size < X.indices.size:
            raise ValueError(f"{what} is a broken sparse array: {data.size} entries have {X.indices.size} indices.")
        return data, X.indices, X.indptr
    if X.format == "csc":
        rows, indptr, _ = _checked_copy(X.indices, X.indptr, d, n, what)  # scipy does not look when it converts
        csr = sp.csc_array((exact_float64(X.data, what)[: rows.size], rows, indptr), shape=X.shape).tocsr()
        return csr.data, csr.indices, csr.indptr
    if X.format == "bsr":
        _checked_copy(X.indices, X.indptr, n // X.blocksize[0], d // X.blocksize[1], what)
    coo = X.tocoo()
    for name, places, size in (("row", coo.row, n), ("column", coo.col, d)):
        if places.size and not 0 <= places.min() <= places.max() < size:
            raise ValueError(f"{what} is a broken sparse array: it holds an entry in a {name} outside of its shape.")
    order = np.argsort(coo.row, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(coo.row, minlength=n))])
    return exact_float64(coo.data, what)[order], coo.col[order], indptr


def _checked_copy(
    indices: NDArray[Any], indptr: NDArray[Any], lines: int, width: int, what: str
) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """Copy the indices and the ends of compressed lines; tell whether indices increase in each; refuse broken ones."""
    if indptr.shape != (lines + 1,):
        raise ValueError(f"{what} is a broken sparse array: indptr has the shape {indptr.shape}, expected ({lines + 1},).")
    copied, indptr = np.empty(indices.shape, indices.dtype), indptr.copy()
    state, at = copy_structure(frozen(indices), frozen(indptr), width, copied)
    if state == BROKEN_INDPTR:
        raise ValueError(
            f"{what} is a broken sparse array: indptr[{at}] = {indptr[at]} and indptr[{at + 1}] = {indptr[at + 1]} "
            f"are no part of its {indices.size} entries."
        )
    if state == BROKEN_INDEX:
        raise ValueError(
            f"{what} is a broken sparse array: indices[{at}] is {indices[at]}, expected 0 to {width - 1}. Is the shape so?"
        )
    return copied[: int(indptr[-1])], indptr, state == CANONICAL


def _without_duplicates(csr: Any, what: str) -> Any:
    """Add up entries of the same row and column, which stand side by side, exactly."""
    row_of = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    first = np.ones(csr.nnz, bool)
    first[1:] = (np.diff(row_of) != 0) | (np.diff(csr.indices) != 0)
    starts = np.flatnonzero(first)
    counts = np.diff(starts, append=csr.nnz)
    repeated = np.flatnonzero(counts > 1)
    if not repeated.size:
        return csr
    with np.errstate(all="ignore"):
        sums = np.add.reduceat(csr.data, starts)
        sizes = np.add.reduceat(np.abs(csr.data), starts)
    if not _fit_in_floats(csr.data[np.repeat(counts > 1, counts)], float(sizes[repeated].max())):
        for k in repeated.tolist():
            entries = csr.data[starts[k] : starts[k] + counts[k]]
            if np.isfinite(entries).all():  # else it is refused for that
                where = f"row {row_of[starts[k]]}, column {csr.indices[starts[k]]}"
                sums[k] = _exact_sum(entries.tolist(), where, what)
    heads = np.concatenate([[0], np.cumsum(first)])
    return sp.csr_array((sums, csr.indices[starts], heads[csr.indptr]), shape=csr.shape)


def _fit_in_floats(entries: Floats, largest: float) -> bool:
    """Whether floats hold all sums of magnitudes up to the largest: small multiples of one power of two, as counts are."""
    floor = math.frexp(largest)[1] - 53
    return 0.0 < largest < 2.0**1000 and floor > -1000 and grid_exponent(frozen(entries.view(np.uint64)), floor) >= floor


def _exact_sum(entries: list[float], where: str, what: str) -> float:
    exact = sum(map(Fraction, entries), Fraction(0))
    try:
        rounded = float(exact)
    except OverflowError:
        rounded = math.inf
    if math.isinf(rounded) or Fraction(rounded) != exact:
        shown = ", ".join(map(str, entries[:4])) + (", …" if len(entries) > 4 else "")
        raise ValueError(
            f"{what} holds {len(entries)} entries in {where}: {shown}. Float64 cannot hold their sum exactly. "
            "Add them up yourself first: sum_duplicates() does, and rounds."
        )
    return rounded
