"""An audit of a run through rows in blocks finds what an audit of the run in memory finds."""

import numpy as np
import pytest
from audit_checks import assert_same_audit
from blocks import learnt, problems_in_blocks, stream
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly
from strategies import TIES, noisy

import separatrix as sx
from separatrix.theorem import auditing


@quickly(60)
@given(
    problems_in_blocks(("integers", "halves", "decimals", "gaussian", "collinear", "xor", "duplicates"), max_classes=2),
    st.fixed_dictionaries(
        {"tie": TIES, "record": st.booleans(), "max_iter": st.integers(1, 30), "eta0": st.sampled_from([1.0, "0.1"]),
         "class_weight": st.sampled_from([None, "balanced"])},
        optional={"block_rows": st.integers(1, 5)},
    ),
)  # fmt: skip
def test_an_audit_of_rows_in_blocks(drawn, parameters):
    X, y, sizes = drawn
    shuffle = {"order": "shuffle", "random_state": 2} if "block_rows" in parameters else {}
    fitted = learnt(sx.Perceptron(**parameters, **shuffle), X, y)
    here, there = sx.audit(fitted, stream(X, y, sizes)), sx.audit(fitted, X, y)
    assert_same_audit(here, there)
    assert here.explain().startswith(there.explain().split(".")[0])
    k = here.mistakes // 2
    assert here.weights(k) == there.weights(k)


def test_a_run_from_other_weights_and_a_star():
    X, y = noisy(80, 2, 0.0)
    first, star = {"coef_init": [3, "-1/2"], "intercept_init": "0.1"}, sx.MaxMargin().fit(X, y).exact_weights().strings()
    fitted = sx.Perceptron(eta0="0.5").fit(X, y, **first)
    rows = stream(X, y, [50, 30])
    here, there = sx.audit(fitted, rows, star=star, **first), sx.audit(fitted, X, y, star=star, **first)
    assert_same_audit(here, there)
    for name in ("margin_squared", "row", "bound", "run_bound", "growth"):
        assert getattr(here.star, name) == getattr(there.star, name), name
    with pytest.raises(ValueError, match="star does not separate the classes"):
        sx.audit(fitted, rows, star=[1, 0, 0], **first)


def test_what_was_learnt_from_a_stream_is_audited_in_memory_and_the_other_way_round():
    X, y = noisy(80, 2, 0.0)
    fitted = sx.Perceptron(record=True).fit(stream(X, y, [50, 30]))
    assert_same_audit(sx.audit(fitted, stream(X, y, [7, 73])), sx.audit(fitted, X, y))


def test_other_rows_are_refused():
    X, y = noisy(80, 2, 0.0)
    fitted, recorded = sx.Perceptron().fit(X, y), sx.Perceptron(record=True).fit(X, y)
    with pytest.raises(ValueError, match="digest is not that of the rows"):
        sx.audit(recorded, stream(X[::-1], y[::-1], [80]))
    with pytest.raises(ValueError, match="fitted on 80 rows; there are 79"):
        sx.audit(fitted, stream(X[1:], y[1:], [79]))
    with pytest.raises(ValueError, match="cannot be audited on these rows"):
        sx.audit(fitted, stream(X * 2, y, [80]))
    with pytest.raises(ValueError, match="They have the class 'a'"):
        sx.audit(fitted, stream(X, np.array(["a", "c"])[y], [80]))


def test_more_rows_erred_on_than_memory_holds_are_refused(monkeypatch):
    X, y = noisy(80, 2, 0.3)
    fitted, rows = learnt(sx.Perceptron(max_iter=5), X, y), stream(X, y, [80])
    monkeypatch.setattr(type(rows), "most_numbers", 10)
    with pytest.raises(ValueError, match="needs all of them in memory"):
        sx.audit(fitted, rows)


def test_what_a_stream_has_too_many_rows_for():
    X, y = noisy(80, 2, 0.0)
    ledger = sx.audit(sx.Perceptron().fit(X, y), stream(X, y, [50, 30]))
    with pytest.raises(ValueError, match="a stream has too many"):
        ledger.generalization()
    assert auditing.audit is sx.audit
    assert ledger._repr_html_()


def test_rows_of_zeros_that_are_never_wrong():
    X, y = np.array([[0.0], [1.0], [-1.0]]), [1, 1, 0]
    fitted = sx.Perceptron(tie="positive", fit_intercept=False).fit(X, y)
    with pytest.raises(ValueError, match="Rows of zeros are never wrong"):
        sx.audit(fitted, stream(X, y, [3]))
