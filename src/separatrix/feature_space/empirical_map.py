"""Rows known by their products alone, as an ordinary problem: each row is its row of the Gram matrix.

Weights ``w = sum_j alpha_j phi(x_j)`` give row i the score ``sum_j alpha_j K(x_i, x_j)``, the score of row i of the matrix
under the weights ``alpha``; and what ``w`` has beside such a combination is orthogonal to all rows. So a hyperplane
separates the images of rows in feature space if and only if one through the origin separates the rows of the matrix.
Multiples ``mu`` of the images add up to zero if and only if ``mu' K mu`` is 0, for a positive semidefinite ``K`` the same as
``K mu = 0``: multiples of the rows of the matrix add up to zero.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from ..exact.linear_algebra import independent, primitive
from ..problem.exact_rows import MAX_WIDE_BITS, MAX_WIDE_CELLS, ExactRows
from ..problem.problem import Problem
from ..problem.provenance import Column
from ..problem.row_names import RowNames
from .gram_matrix import GramMatrix
from .space import require_moderate


def by_products(problem: Problem, gram: GramMatrix) -> Problem:
    """Return the problem of the rows of the Gram matrix, of which as few columns are taken as span all."""
    require_moderate(problem)
    if problem.n**2 > MAX_WIDE_CELLS:
        most = int(MAX_WIDE_CELLS**0.5)
        raise ValueError(
            f"This kernel has too many features to write them out, and its Gram matrix is exact for at most {most} rows; "
            f"there are {problem.n:,}. Take fewer rows, or a polynomial kernel of a lower degree."
        )
    matrix = gram.matrix()
    chosen = independent(matrix) or [0]  # all products may be 0
    if len(chosen) < flint.fmpz_mat(matrix).rank():  # by bad luck with the prime
        chosen = list(range(problem.n))
    common = primitive([number for row in matrix for number in row])
    table: NDArray[Any] = np.array(common, object).reshape(problem.n, problem.n)[:, chosen]
    if max(map(abs, table.flat)).bit_length() > MAX_WIDE_BITS:
        raise ValueError(
            f"The products of rows take more than {MAX_WIDE_BITS:,} bits. Round the numbers, or lower the degree of the "
            "kernel."
        )
    rows = ExactRows.of_whole(table, 1, "decimal", None).coming_from(problem.rows.origin)
    names = RowNames(problem, chosen)
    columns = tuple(Column(f"K({names.name(j)})") for j in chosen)
    return replace(problem, rows=rows, columns=columns, intercept=False, table=None)
