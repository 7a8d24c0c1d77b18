"""Margins, proofs that are checked, fewest errors and audits on workers are those of memory, whoever is first."""

import copy
import json
import warnings

import margin_checks
import numpy as np
import pytest
import scipy.sparse as sp
from audit_checks import assert_same_audit
from blocks import learnt
from claims import DATA, at, certificate, changed, fast, leaves, small
from clusters import Shuffled, in_parts
from hypothesis import given
from hypothesis import strategies as st
from margin_checks import KINDS
from packing_reference import fewest
from profiles import quickly
from reference import dot, lifted
from strategies import TIES, cuts, problems

import separatrix as sx
from separatrix.proof.certificate import Certificate

WORKERS = ["one_worker", "two_workers"]

FEW_ROWS = problems(kinds=("integers", "halves", "decimals", "duplicates", "collinear", "xor", "zeros"), max_rows=8,
                    max_columns=3)  # fmt: skip

RUNS = st.fixed_dictionaries(
    {"tie": TIES, "record": st.booleans(), "max_iter": st.integers(1, 30), "eta0": st.sampled_from([1.0, "0.1"]),
     "class_weight": st.sampled_from([None, "balanced"])}
)  # fmt: skip


AUDITED = ("integers", "halves", "decimals", "gaussian", "collinear", "xor", "duplicates")

DOCUMENTS = {claim: certificate(claim).document() for claim in DATA}


# What must be so of each answer, wherever the rows are.


def require_margin(rows, X, y, kind, exact, intercept):
    expected = outcome(lambda: sx.margin(X, y, kind=kind, exact=exact, fit_intercept=intercept))
    found = outcome(lambda: sx.margin(rows, kind=kind, exact=exact, fit_intercept=intercept))
    if isinstance(expected, sx.NotSeparable):
        assert isinstance(found, sx.NotSeparable)
        require_proof(found.certificate, X, y, rows)
        return
    margin_checks.check(found, X, y.astype(float), intercept)  # of Python, as the reference wants them
    require_proof(found.at_least, X, y, rows)
    require_proof(found.at_most, X, y, rows)
    if exact:
        assert found.squared == expected.squared is not None
    assert max(found.lo_squared, expected.lo_squared) <= min(found.hi_squared, expected.hi_squared)


def outcome(function):
    try:
        return function()
    except sx.NotSeparable as error:
        return error


def require_proof(certificate, X, y, rows):
    """Have a proof checked in memory, by the stand-alone checker, and on the workers."""
    document = json.loads(json.dumps(certificate.document()))
    assert fast(document, X, y) is None
    assert small(document, X, y) is None
    sx.verify(certificate, rows)


def said(document, rows, y=None):
    """What the verifier says: None, or why it refuses."""
    try:
        sx.verify(Certificate.from_document(document), rows, y)
    except sx.InvalidCertificate as reason:
        return str(reason)
    return None


def require_words(claim, data, rows_of):
    """Have a proof checked, and another one that is changed in one place: it is refused in the words of memory."""
    X, y = DATA[claim]
    rows = rows_of(X, np.array(y), data.draw(cuts(len(X))))
    document = copy.deepcopy(DOCUMENTS[claim])
    assert said(document, rows) is None
    path = data.draw(st.sampled_from([path for path in leaves(document) if path and path[0] != "format"]))
    at(document, path[:-1])[path[-1]] = data.draw(st.sampled_from(list(changed(at(document, path)))))
    assert said(document, rows) == said(document, X, y)


def require_errors(rows, X, y, intercept):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.RoundingWarning)
        found = sx.least_errors(rows, fit_intercept=intercept, time_limit=20)
    require_proof(found.certificate, X, y, rows)
    assert found.certificate.errors.least == found.lower <= found.upper
    w = found.weights.fractions()
    signs = np.where(y == max(y), 1, -1)
    wrong = [i for i, z in enumerate(lifted(X, signs.tolist(), intercept)) if dot(w, z) <= 0]
    assert found.rows_given_up.tolist() == wrong
    assert len(wrong) == found.upper
    assert found.optimal
    assert found.lower == fewest(X.tolist(), y.tolist(), intercept, None)


def require_audit(rows, X, y, parameters):
    fitted = learnt(sx.Perceptron(**parameters), X, y)
    here, there = sx.audit(fitted, rows), sx.audit(fitted, X, y)
    assert_same_audit(here, there)


# Arrival in any order, in this process, so that there may be many examples.


@quickly(60)
@given(problems(max_rows=12), KINDS, st.booleans(), st.booleans(), st.integers(0, 99), st.data())
def test_margins_whoever_is_first(drawn, kind, exact, intercept, seed, data):
    X, y = drawn[0], drawn[1].astype(int)
    given_as = sp.csr_array(X) if data.draw(st.booleans()) else X
    require_margin(Shuffled(given_as, y, data.draw(cuts(len(X))), seed), X, y, kind, exact, intercept)


@given(st.sampled_from([*DATA]), st.integers(0, 99), st.data())
def test_proofs_are_checked_whoever_is_first(claim, seed, data):
    require_words(claim, data, lambda X, y, sizes: Shuffled(X, y, sizes, seed))


@quickly(30)
@given(FEW_ROWS, st.booleans(), st.integers(0, 99), st.data())
def test_fewest_errors_whoever_is_first(drawn, intercept, seed, data):
    X, y = drawn[0], drawn[1].astype(int)
    require_errors(Shuffled(X, y, data.draw(cuts(len(X))), seed), X, y, intercept)


@quickly(60)
@given(problems(kinds=AUDITED), RUNS, st.integers(0, 99), st.data())
def test_audits_whoever_is_first(drawn, parameters, seed, data):
    X, y = drawn[0], drawn[1].astype(int)
    require_audit(Shuffled(X, y, data.draw(cuts(len(X))), seed), X, y, parameters)


# On workers: each example is many passes there.


@quickly(5)
@given(drawn=problems(max_rows=12), kind=KINDS, exact=st.booleans(), intercept=st.booleans(), data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_margins_on_workers(workers, request, drawn, kind, exact, intercept, data):
    X, y = drawn[0], drawn[1].astype(int)
    given_as = sp.csr_array(X) if data.draw(st.booleans()) else X
    rows = in_parts(given_as, y, data.draw(cuts(len(X))), request.getfixturevalue(workers))
    require_margin(rows, X, y, kind, exact, intercept)


@quickly(8)
@given(claim=st.sampled_from([*DATA]), data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_proofs_are_checked_on_workers(workers, request, claim, data):
    require_words(claim, data, lambda X, y, sizes: in_parts(X, y, sizes, request.getfixturevalue(workers)))


@quickly(4)
@given(drawn=FEW_ROWS, intercept=st.booleans(), data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_fewest_errors_on_workers(workers, request, drawn, intercept, data):
    X, y = drawn[0], drawn[1].astype(int)
    require_errors(in_parts(X, y, data.draw(cuts(len(X))), request.getfixturevalue(workers)), X, y, intercept)


@quickly(5)
@given(drawn=problems(kinds=AUDITED), parameters=RUNS, data=st.data())
@pytest.mark.parametrize("workers", WORKERS)
def test_audits_on_workers(workers, request, drawn, parameters, data):
    X, y = drawn[0], drawn[1].astype(int)
    require_audit(in_parts(X, y, data.draw(cuts(len(X))), request.getfixturevalue(workers)), X, y, parameters)
