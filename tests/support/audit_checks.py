"""Two audits of a run, which must be the same."""

import numpy as np

MEASURED = (
    "k", "exact", "squared_length", "squared_length_line", "squared_rows", "margin_ceiling", "mistakes", "passes",
    "converged", "radius", "radius_squared", "zero_scores", "violations", "holds", "trace", "start_squared",
)  # fmt: skip
"""What does not depend on which w* the margin was found with."""


def same(here, there):
    return np.array_equal(here, there, equal_nan=here.dtype.kind == "f") if isinstance(here, np.ndarray) else here == there


def assert_same_audit(here, there):
    for name in MEASURED:
        assert same(getattr(here, name), getattr(there, name)), name
    assert (here.margin is None) == (there.margin is None)
    if here.margin is not None:
        assert here.margin.lo_squared <= there.margin.hi_squared
        assert there.margin.lo_squared <= here.margin.hi_squared
    else:
        assert here.obstruction.claim == there.obstruction.claim
    updates = np.zeros(here.problem.n, np.int64)
    updates[here.erred.numbers] = here.updates
    assert np.array_equal(updates, there.updates)
