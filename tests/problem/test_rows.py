"""Dense and CSR rows are the same rows, whatever is asked of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from strategies import problems

from separatrix.problem import rows
from separatrix.problem.problem import Problem
from separatrix.problem.scaled import ScaledRows
from separatrix.separation.wolfe import Hulls

FORMS = {
    "filled in": rows.filled_in,
    "columns": lambda X: rows.with_columns(X, [X.shape[1] - 1, 0]),
    "beside": lambda X: rows.beside(X, X),
    "stacked": lambda X: rows.stacked(X, X),
    "a power": lambda X: rows.times_powers(X, -3),
    "powers": lambda X: rows.times_powers(X, np.arange(X.shape[1]) - 2),
    "factors": lambda X: rows.times_factors(X, np.arange(X.shape[0]) - 1.0),
    "lifted": lambda X: rows.lift(X, np.where(np.arange(X.shape[0]) % 2, 1.0, -1.0), 0.5),
    "signed": lambda X: rows.lift(X, np.where(np.arange(X.shape[0]) % 2, 1.0, -1.0), 0.0),
    "scores": lambda X: rows.affine_scores(X, np.arange(X.shape[1] + 1.0)),
    "zero": rows.zero_rows,
    "columns' extremes": rows.column_extremes,
    "columns' ends": lambda X: np.array(rows.column_ends(X)),
    "rows' extremes": lambda X: rows.row_extremes(X, np.arange(X.shape[1]) - 2),
    "entries": lambda X: np.array(rows.row_entries(X, 0)),
}


@pytest.mark.parametrize("form", FORMS)
@given(problem=problems(kinds=("integers", "halves", "zeros", "duplicates", "constant")))
def test_dense_and_sparse(form, problem):
    X, _ = problem
    sparse = sp.csr_array(X)
    before = [array.copy() for array in rows.arrays_of(sparse)]
    dense, other = FORMS[form](X), FORMS[form](sparse)
    assert rows.is_dense(dense)
    if not rows.is_dense(other):
        assert rows.stored(other) <= rows.stored(dense)
    assert np.allclose(rows.filled_in(other), dense, rtol=1e-13, atol=1e-13)
    assert all(np.array_equal(*pair) for pair in zip(before, rows.arrays_of(sparse), strict=True))


@given(problems(kinds=("integers", "halves", "huge", "zeros")))
def test_rows_for_solvers(problem):
    X, y = problem
    for intercept in (True, False):
        dense, sparse = (Problem.of(each, y, intercept=intercept) for each in (X, sp.csr_array(X)))
        some = np.arange(len(y))[::-1]
        scaled = [ScaledRows(each) for each in (dense, sparse)]
        taken = [rows.filled_in(each.take(some)) for each in scaled]
        assert np.array_equal(*taken)
        assert np.abs(taken[0]).max() <= 1.0
        for each, of in zip(scaled, (dense, sparse), strict=True):
            exact = of.lifted(some.tolist())
            powers = each.row_exponents(some)[:, None] + each.exponents
            assert np.array_equal(np.ldexp(exact, powers), taken[0])
        hulls = [Hulls(each, False) for each in (dense, sparse)]
        assert np.array_equal(*(each.take(some) for each in hulls))
