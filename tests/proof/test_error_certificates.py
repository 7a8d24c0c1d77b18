"""Certificates of errors: trees prove the fewest, no tree proves more, and both checkers agree."""

import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from claims import COSTS, DATA, agreed, certificate, error_certificate, fast, refused, signs_of
from hypothesis import given
from hypothesis import strategies as st
from packing_reference import errors, fewest, proved, twisted

import separatrix as sx
from separatrix import checker
from separatrix.problem.problem import Problem
from separatrix.proof.certificate import Certificate, Subject
from separatrix.proof.claims import Claim, Combination, ErrorBound, Leaf, Packing, Split


@st.composite
def crowded(draw):
    """Few points, on small grids, many of them equal: rows, labels, an intercept or none, costs or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    d = draw(st.integers(1, 3))
    scale = draw(st.sampled_from([1.0, 1.0, 0.1, 5e-324, 1e300]))
    X = rng.integers(-1, 2 if d > 1 else 4, (draw(st.integers(1, 7)), d)) * scale
    kind = draw(st.sampled_from(["none", "none", "whole", "thirds"]))
    costs = None
    if kind != "none":
        costs = tuple(Fraction(int(c), 1 if kind == "whole" else 3) for c in rng.integers(0, 5, len(X)))
    return X, [str(label) for label in rng.choice(["a", "b"], len(X))], draw(st.booleans()), costs, rng


@given(crowded())
def test_a_tree_proves_the_least_errors_and_no_tree_proves_more(problem):
    X, y, intercept, costs, rng = problem
    rows, signs = X.tolist(), signs_of(y)
    optimum = fewest(rows, signs, intercept, costs)
    least = optimum if rng.integers(3) else optimum * Fraction(int(rng.integers(0, 4)), 4)
    document = error_certificate(X, y, least, costs, intercept, int(rng.integers(10**6)))
    assert agreed(document, X, y)
    assert fast(document, sp.csr_array(X), y) is None
    bound = proved(checker.validate(copy.deepcopy(document)), rows, signs)
    assert least <= bound <= optimum
    for value, holds in ((bound, True), (bound + Fraction(1, 10**9), False)):
        document["errors"]["least"] = str(value)
        assert agreed(document, X, y) == holds
    for _ in range(20):
        w = [
            int(v) * Fraction(X.max() or 1) ** (j < X.shape[1])
            for j, v in enumerate(rng.integers(-3, 4, X.shape[1] + intercept))
        ]
        assert errors(w, rows, signs, intercept, costs) >= bound
    changes = list(twisted(document))
    for k in rng.permutation(len(changes))[:15].tolist():
        _, other = changes[k]
        if agreed(other, X, y):  # then it is true
            own = other["errors"]["costs"]
            own = None if own is None else [Fraction(cost) for cost in own]
            assert Fraction(other["errors"]["least"]) <= fewest(rows, signs, intercept, own)


@pytest.mark.parametrize("claim", COSTS)
def test_both_checkers_agree_on_every_twist_of_a_packing(claim):
    X, y = DATA[claim]
    document = certificate(claim).document()
    nodes = document["packing"]["nodes"]
    assert sum("row" in node for node in nodes) > 1
    refusals = {}
    for name, other in twisted(document):
        refusals.setdefault(name, []).append(not agreed(other, X, y))
    for name, refused_ones in refusals.items():
        assert any(refused_ones) or name == "twice the multipliers", name
    # Never: another tree than a whole one, a multiplier alone.
    for name in ("a node dropped", "a node doubled", "one more split", "no nodes", "another multiplier"):
        assert all(refusals[name]), name
    assert not any(refusals["twice the multipliers"])


HAND_MADE_ERRORS: dict[str, Any] = {
    "without a bound": lambda: {"errors": None},
    "without a packing": lambda: {"packing": None},
    "below 0": lambda: {"errors": ErrorBound(Fraction(-1))},
    "of a float": lambda: {"errors": ErrorBound(1.0)},
    "of too few costs": lambda: {"errors": ErrorBound(Fraction(0), (Fraction(1),) * 6)},
    "of costs below 0": lambda: {"errors": ErrorBound(Fraction(0), (*[Fraction(1)] * 6, Fraction(-1)))},
    "of costs in floats": lambda: {"errors": ErrorBound(Fraction(0), (1.0,) * 7)},
    "of no nodes": lambda: {"packing": {"nodes": ()}},
    "of half a tree": lambda: {"packing": {"nodes": (Split(0), Leaf((), ()))}},
    "of more than a tree": lambda: {"packing": {"nodes": (Leaf((), ()), Leaf((), ()))}},
    "of a tree and a half": lambda: {"packing": {"nodes": (Leaf((), ()), Split(0), Leaf((), ()))}},
    "of a split from behind": lambda: {"packing": {"nodes": (Split(-1), Leaf((), ()), Leaf((), ()))}},
    "of a split on no row": lambda: {"packing": {"nodes": (Split(7), Leaf((), ()), Leaf((), ()))}},
    "of an obstruction from behind": lambda: {"packing": {"nodes": (Leaf((-1,), (Fraction(1),)),)}},
    "of an obstruction that is not there": lambda: {"packing": {"nodes": (Leaf((99,), (Fraction(1),)),)}},
    "of an obstruction twice": lambda: {"packing": {"nodes": (Leaf((0, 0), (Fraction(1, 2),) * 2),)}},
    "of a weight too few": lambda: {"packing": {"nodes": (Leaf((0,), ()),)}},
    "of weights below 0": lambda: {"packing": {"nodes": (Leaf((0, 1), (Fraction(1), Fraction(-1))),)}},
    "of weights in floats": lambda: {"packing": {"nodes": (Leaf((0,), (1.0,)),)}},
    "of no rows": lambda: {"packing": {"obstructions": (Combination((), ()),)}},
    "of a row twice": lambda: {"packing": {"obstructions": (Combination((0, 0, 1), (1, 1, 1)),)}},
    "of a row from behind": lambda: {"packing": {"obstructions": (Combination((-1, 1), (1, 1)),)}},
    "of multipliers of 0": lambda: {"packing": {"obstructions": (Combination((0, 1), (0, 0)),)}},
    "of multipliers below 0": lambda: {"packing": {"obstructions": (Combination((1, 5), (1, -1)),)}},
    "of a multiplier too few": lambda: {"packing": {"obstructions": (Combination((0, 1, 2), (1, 2)),)}},
}


@pytest.mark.parametrize("name", HAND_MADE_ERRORS)
def test_packings_made_by_hand_are_not_believed(name):
    """Whatever is claimed, be it nothing: an empty leaf proves it unless the form is wrong."""
    X, y = DATA["errors-at-least"]
    proof = certificate("errors-at-least")
    plain = {"errors": ErrorBound(Fraction(0)), "packing": Packing(proof.packing.obstructions, (Leaf((), ()),))}
    sx.verify(replace(proof, **plain), X, y)
    parts = dict(plain)
    with pytest.raises(sx.InvalidCertificate):  # noqa: PT012
        for section, change in HAND_MADE_ERRORS[name]().items():
            parts[section] = replace(plain[section], **change) if isinstance(change, dict) else change
        replace(proof, **parts)


def test_packings_made_by_hand_in_fractions():
    X, y = np.array([[0.0], [1.0], [2.0]]), list("bab")
    subject = Subject.of(Problem.of(X, y, classes=["a", "b"]))
    pool = (Combination((0, 1, 2), (Fraction(1, 3), Fraction(2, 3), Fraction(1, 3))),)
    for weight, holds in ((Fraction(1), True), (Fraction(1, 10**30), True), (1 + Fraction(1, 10**30), False)):
        packing_of_one = Packing(pool, (Leaf((0,), (weight,)),))
        proof = Certificate(Claim.ERRORS_AT_LEAST, subject, errors=ErrorBound(Fraction(1)), packing=packing_of_one)
        assert ("more weight than its cost" in refused(proof, X, y)) != holds


def test_errors_are_written_and_read(tmp_path):
    for name in COSTS:
        proof = certificate(name)
        proof.save(tmp_path / "proof.json")
        loaded = Certificate.load(tmp_path / "proof.json")
        assert (loaded.claim, loaded.errors, loaded.packing) == (Claim.ERRORS_AT_LEAST, proof.errors, proof.packing)
        assert loaded.document() == proof.document()
        sx.verify(tmp_path / "proof.json", sp.csr_array(DATA[name][0].astype(float)), DATA[name][1])


def test_a_packing_of_subnormal_numbers_that_the_processor_flushes(monkeypatch):
    X, y = np.array([[5e-324], [-5e-324]]), ["b", "b"]
    document = error_certificate(X, y, 1, intercept=False)
    assert agreed(document, X, y)
    monkeypatch.setattr("separatrix.compiled.environment.flushes_subnormals", lambda: True)
    with pytest.raises(FloatingPointError, match="flushes subnormal numbers"):
        fast(document, X, y)


def test_long_weights_are_added_up_exactly():
    """Also beyond 63 bits: seven obstructions share a row, and its cost is just enough for them, or not quite."""
    X = np.array([[0.0], *([float(k)] for k in range(-7, 8) if k)])
    y = ["a", *["b"] * 14]
    subject = Subject.of(Problem.of(X, y, classes=["a", "b"]))
    pool = tuple(Combination((0, 8 - k, 7 + k), (2, 1, 1)) for k in range(1, 8))  # 0 is half way between -k and k
    for digits in (3, 17, 18, 19, 40, 390):
        tiny = Fraction(1, 10**digits)
        weights = tuple(1 - k * tiny for k in range(7))
        for off in (0, tiny, -tiny):
            bound = ErrorBound(sum(weights), (sum(weights) + off, *[Fraction(1)] * 14))
            packed = Packing(pool, (Leaf(tuple(range(7)), weights),))
            document = Certificate(Claim.ERRORS_AT_LEAST, subject, errors=bound, packing=packed).document()
            assert agreed(document, X, y) == (off >= 0)


def test_two_rows_of_a_group_count_once_in_an_obstruction():
    X, y = np.ones((3, 1)), list("bab")
    subject = Subject.of(Problem.of(X, y, classes=["a", "b"]))
    pool = (Combination((0, 2, 1), (1, 1, 2)),)
    for weight, holds in (("1", True), ("5/4", False)):
        bound = ErrorBound(Fraction(weight), (Fraction(1, 2), Fraction(2), Fraction(1, 2)))
        packed = Packing(pool, (Leaf((0,), (Fraction(weight),)),))
        proof = Certificate(Claim.ERRORS_AT_LEAST, subject, errors=bound, packing=packed)
        assert agreed(proof.document(), X, y) == holds


def test_a_row_of_zeros_errs_always_without_an_intercept():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0]]), list("ab")
    document = error_certificate(X, y, 1, intercept=False)
    assert document["packing"]["obstructions"] == [{"rows": [0], "multipliers": ["1"]}]
    assert agreed(document, X, y)
    assert fast(document, sp.csr_array(X), y) is None
