"""Scores of rows have the same bits whatever rows are beside them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from separatrix.exact.dyadic import Dyadic
from separatrix.problem.exact_rows import ExactRows
from separatrix.problem.rows import affine_scores, steady_scores
from separatrix.problem.scores import compared_scores, scores


@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 2**32), st.sampled_from("CF"), st.booleans(), st.data())
def test_a_row_has_the_same_score_among_others_and_alone(n, d, seed, order, sparse, data):
    rng = np.random.default_rng(seed)
    X, w = np.array(rng.standard_normal((n, d)) * 2.0 ** rng.integers(-9, 9, d), order=order), rng.standard_normal(d + 1)
    X = sp.csr_array(X * (rng.random((n, d)) < 0.5)) if sparse else X
    cut = data.draw(st.integers(1, n))
    parts = [some for some in (X[:cut], X[cut:]) if some.shape[0]]
    assert steady_scores(X, w).tolist() == np.concatenate([steady_scores(part, w) for part in parts]).tolist()
    assert np.allclose(steady_scores(X, w), affine_scores(X, w))
    weights = Dyadic.from_parts(np.tile(w, 3))
    one, several = Dyadic.from_parts(w), [compared_scores(ExactRows(part), weights, 3) for part in (X, *parts)]
    assert scores(ExactRows(X), one).tolist() == np.concatenate([scores(ExactRows(part), one) for part in parts]).tolist()
    assert several[0].tolist() == np.concatenate(several[1:]).tolist()


@pytest.mark.parametrize(("n", "d"), [(3, 100_000), (20_000, 9)])
def test_rows_that_are_many_or_wide(n, d):
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    some = slice(n // 3, n // 3 + 2)
    assert steady_scores(X, w)[some].tolist() == steady_scores(X[some], w).tolist()
