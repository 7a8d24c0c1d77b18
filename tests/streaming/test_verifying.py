"""Checked in blocks, a certificate holds or is refused as it is in memory, in the same words."""

import copy

import claims
import numpy as np
import pytest
from claims import DATA, at, certificate, changed, leaves
from hypothesis import given
from hypothesis import strategies as st
from strategies import cuts, problems

import separatrix as sx
from separatrix.proof.certificate import Certificate
from separatrix.streaming.stream import HeldRows, Stream

CLAIMS = list(DATA)
DOCUMENTS = {claim: certificate(claim).document() for claim in CLAIMS}


def said(document, X, y):
    """What the verifier says: None, or why it refuses."""
    try:
        sx.verify(Certificate.from_document(document), X, y)
    except sx.InvalidCertificate as reason:
        return str(reason)
    return None


@given(st.sampled_from(CLAIMS), st.data())
def test_every_claim_holds_in_blocks(claim, data):
    X, y = DATA[claim]
    rows = Stream(HeldRows(X, y, data.draw(cuts(len(X)))))
    assert said(DOCUMENTS[claim], rows, None) is None
    assert claims.small(DOCUMENTS[claim], X, y) is None


@given(st.sampled_from(CLAIMS), st.data())
def test_what_is_tampered_with_is_refused_in_the_same_words(claim, data):
    X, y = DATA[claim]
    document = copy.deepcopy(DOCUMENTS[claim])
    path = data.draw(st.sampled_from([path for path in leaves(document) if path and path[0] != "format"]))
    value = data.draw(st.sampled_from(list(changed(at(document, path)))))
    at(document, path[:-1])[path[-1]] = value
    rows = Stream(HeldRows(X, y, data.draw(cuts(len(X)))))
    assert said(document, rows, None) == said(document, X, y)


@given(problems(max_rows=12), st.data())
def test_other_data_is_refused_in_the_same_words(problem, data):
    X, y = problem
    y = y.astype(int)
    document = sx.decide(X, y).certificate.document()
    X, y = X.copy(), y.copy()
    i = data.draw(st.integers(0, len(X) - 1))
    if data.draw(st.booleans()):
        y[i] = -y[i]
    elif data.draw(st.booleans()):
        y[i] = 7
    elif data.draw(st.booleans()):
        X[i, 0] = np.nextafter(X[i, 0], 1.0)
    else:
        X, y = X[:-1], y[:-1]
    rows = Stream(HeldRows(X, y, data.draw(cuts(len(X)))))
    assert said(document, rows, None) == said(document, X, y) is not None


def test_one_number_out_of_step_is_found_wherever_it_is():
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 1, 1, 1]
    proof = sx.decide(X, y).certificate
    sx.verify(proof, Stream(HeldRows(X, y, [3, 0, 5])))
    with pytest.raises(sx.InvalidCertificate, match="The data is not that"):
        sx.verify(proof, Stream(HeldRows(X[::-1], y, [3, 0, 5])))


def test_labels_besides_are_refused():
    X, y = [[0.0], [1.0]], [0, 1]
    rows = Stream(HeldRows(X, y, [1, 1]))
    with pytest.raises(ValueError, match="do not give y as well"):
        sx.verify(sx.decide(X, y).certificate, rows, y)
    with pytest.raises(ValueError, match="do not give y as well"):
        sx.decide(rows, y)
    with pytest.raises(ValueError, match="A kernel takes the products of all rows"):
        sx.decide(rows, kernel="poly")
