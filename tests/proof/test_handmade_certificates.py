"""Certificates made by hand, of hyperplanes and of margins: none is believed, and both checkers agree."""

import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from claims import DATA, GATE, attained, bounding, certificate, fast, lifted, proves, reached, refused, small
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx
from separatrix import checker
from separatrix.problem.lifted import Lifted
from separatrix.proof.certificate import Certificate
from separatrix.proof.claims import Combination, MarginBound, Separator

HAND_MADE = {
    "no proof at all": {},
    "a section too many": {
        "separator": Separator((Fraction(1), Fraction(0)), Fraction(0)),
        "obstruction": ...,
        "cover": ...,
    },
    "an empty obstruction": {"obstruction": {"rows": (), "labels": (), "points": (), "multipliers": ()}, "cover": ...},
    "a negative multiplier": {"obstruction": {"multipliers": (-1, 1, 1, 1)}, "cover": ...},
    "multipliers of 0": {"obstruction": {"multipliers": (0, 0, 0, 0)}, "cover": ...},
    "too few multipliers": {"obstruction": {"multipliers": (1, 1, 1)}, "cover": ...},
    "too few points": {"obstruction": {"points": ()}, "cover": ...},
    "a row twice": {"obstruction": {"rows": (0, 0, 1, 2)}, "cover": ...},
    "a row from behind": {"obstruction": {"rows": (0, 1, 2, -1)}, "cover": ...},
    "a row that is not there": {"obstruction": ..., "cover": {"rows": (0, 1, 2, 99)}},
    "a rest of 0": {"obstruction": ..., "cover": {"rest": Fraction(0)}},
    "a negative rest": {"obstruction": ..., "cover": {"rest": Fraction(-1)}},
}


@pytest.mark.parametrize("name", list(HAND_MADE))
def test_certificates_made_by_hand_are_not_believed(name):
    """Objects need not come from a file: what cannot be a proof cannot be made."""
    proof = certificate("overlapping")
    parts = {}
    with pytest.raises(sx.InvalidCertificate):  # noqa: PT012
        for section, change in HAND_MADE[name].items():
            if change is ...:
                parts[section] = getattr(proof, section)
            else:
                parts[section] = replace(getattr(proof, section), **change) if isinstance(change, dict) else change
        Certificate(proof.claim, proof.problem, **parts)


HAND_MADE_MARGINS = {
    "of another kind": ("margin-at-least", lambda: {"margin": MarginBound("Lifted", Fraction(0))}),
    "below 0": ("margin-at-least", lambda: {"margin": MarginBound("lifted", Fraction(-1))}),
    "of a float": ("margin-at-least", lambda: {"margin": MarginBound("lifted", 0.01)}),
    "of infinity": ("margin-at-most", lambda: {"margin": MarginBound("lifted", float("inf"))}),
    "without a bound": ("margin-at-least", lambda: {"margin": None}),
    "without a separator": ("margin-at-least", lambda: {"separator": None}),
    "with both proofs": ("margin-at-least", lambda: {"combination": Combination((1, 2, 3), (5, 5, 7))}),
    "with too few weights": ("margin-at-least", lambda: {"separator": Separator((Fraction(2),), Fraction(-3))}),
    "without a combination": ("margin-at-most", lambda: {"combination": None}),
    "of no rows": ("margin-at-most", lambda: {"combination": Combination((), ())}),
    "of a row twice": ("margin-at-most", lambda: {"combination": Combination((1, 2, 3, 3), (5, 5, 3, 4))}),
    "of a row from behind": ("margin-at-most", lambda: {"combination": Combination((1, 2, -1), (5, 5, 7))}),
    "of multipliers below 0": ("margin-at-most", lambda: {"combination": Combination((1, 2, 3), (-5, -5, -7))}),
    "of multipliers that cancel": ("margin-at-most", lambda: {"combination": Combination((1, 2, 3), (0, 0, 0))}),
    "of too few multipliers": ("margin-at-most", lambda: {"combination": Combination((1, 2, 3), (5, 5))}),
}


@pytest.mark.parametrize("name", HAND_MADE_MARGINS)
def test_margins_made_by_hand_are_not_believed(name):
    claim, parts = HAND_MADE_MARGINS[name]
    proof = certificate(claim)
    sx.verify(proof, *DATA[claim])
    with pytest.raises(sx.InvalidCertificate):
        replace(proof, **parts())


def test_margins_made_by_hand_in_fractions():
    """Neither the length of a separator nor the sum of multipliers means anything, whole or not."""
    least, most = certificate("margin-at-least"), certificate("margin-at-most")
    separator = Separator((Fraction(2, 7), Fraction(2, 7)), Fraction(-3, 7))
    combination = Combination((3, 1, 2), (Fraction(7, 17), Fraction(5, 17), Fraction(5, 17)))
    for squared, holds in ((Fraction(1, 17), True), (Fraction(1, 17) + Fraction(1, 10**30), False)):
        proof = replace(least, separator=separator, margin=MarginBound("lifted", squared))
        assert refused(proof, GATE, list("aaab")) == (
            "" if holds else "Row 1 is nearer to the separator than the margin that is claimed."
        )
        bound = MarginBound("lifted", Fraction(2, 17) - squared)
        reason = refused(replace(most, combination=combination, margin=bound), GATE, list("aaab"))
        assert reason == "" if holds else "add up to more than the margin" in reason


def test_geometric_margins_need_weights_and_both_classes():
    X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), ["b", "b"]
    far = bounding(X, y, "margin-at-least", "geometric", 10**12, [1, 0, 10**6])
    nowhere = bounding(X, y, "margin-at-least", "geometric", 0, [0, 0, 1])
    whole = bounding(X, y, "margin-at-most", "geometric", 10**9, {0: 1, 1: 1})
    for proof, part in ((far, None), (nowhere, "weights of the separator are all 0"), (whole, "same in either class")):
        assert (small(proof.document(), X, y) is None) == (part is None)
        assert part in refused(proof, X, y) if part else not refused(proof, X, y)
    sx.verify(replace(nowhere, margin=MarginBound("lifted", Fraction(1))), X, y)
    sx.verify(replace(whole, margin=MarginBound("lifted", Fraction(14))), X, y)
    assert refused(replace(whole, margin=MarginBound("lifted", Fraction(13))), X, y)  # (2, 3, 1)


def test_subnormal_numbers_that_the_processor_flushes(monkeypatch):
    """Rows that would be taken for 0 bound the margin by 0: better no answer."""
    X, y = np.array([[5e-324], [-5e-324]]), ["b", "a"]
    proof = bounding(X, y, "margin-at-most", "geometric", Fraction(5e-324) ** 2, {0: 1, 1: 1})
    sx.verify(proof, X, y)
    assert refused(replace(proof, margin=MarginBound("geometric", Fraction(0))), X, y)
    monkeypatch.setattr("separatrix.compiled.environment.flushes_subnormals", lambda: True)
    with pytest.raises(FloatingPointError, match="flushes subnormal numbers"):
        sx.verify(proof, X, y)


def test_margins_are_written_and_read(tmp_path):
    for name in DATA:
        if name.startswith("margin"):
            proof = certificate(name)
            proof.save(tmp_path / "proof.json")
            loaded = Certificate.load(tmp_path / "proof.json")
            assert (loaded.margin, loaded.combination, loaded.separator) == (
                proof.margin,
                proof.combination,
                proof.separator,
            )
            assert loaded.claim == name.partition(",")[0]
            assert loaded.document() == proof.document()
            sx.verify(tmp_path / "proof.json", sp.csr_array(DATA[name][0]), DATA[name][1])


@given(problems(max_rows=8, max_columns=4), st.booleans(), st.sampled_from(checker.KINDS), st.integers(0, 10**6))
def test_both_checkers_agree_on_bounds_from_below(problem, intercept, kind, seed):
    """Numbers of any scale; labels from a hyperplane; its own margin, a little less and a little more."""
    X, _ = problem
    rng = np.random.default_rng(seed)
    w = [int(v) for v in rng.integers(-3, 4, X.shape[1] + intercept)]
    if rng.integers(2):
        w = [v * 10**25 + int(rng.integers(9)) for v in w]
    y = ["b" if row_product > 0 else "a" for row_product in products(X, w, intercept)]
    z = lifted(X, y, intercept)
    own = attained(z, w, kind, intercept)
    if own is None:  # it goes through a row
        own = Fraction(1, 10**6)
    for off in (0, Fraction(-1, 10**50), Fraction(1, 10**50), Fraction(-1, 3), Fraction(1, 3), -1):
        squared = own * (1 + off)
        document = bounding(X, y, "margin-at-least", kind, squared, w, intercept).document()
        expected = proves(checker.validate(copy.deepcopy(document)), X, y)
        assert (small(document, X, y) is None) == (fast(document, X, y) is None) == expected
        assert (fast(document, sp.csr_array(X), y) is None) == expected


def products(X, w, intercept):
    for row in X.tolist():
        yield sum(Fraction(a) * v for a, v in zip([*row, 1.0] if intercept else row, w, strict=True))


@given(problems(max_rows=8, max_columns=4), st.booleans(), st.sampled_from(checker.KINDS), st.integers(0, 10**6))
def test_both_checkers_agree_on_bounds_from_above(problem, intercept, kind, seed):
    X, y = problem
    rng = np.random.default_rng(seed)
    y = ["b" if label > 0 else "a" for label in y]
    multipliers = {int(i): int(rng.integers(1, 9)) for i in rng.permutation(len(y))[: rng.integers(1, len(y) + 1)]}
    sums = {label: sum(m for i, m in multipliers.items() if y[i] == label) for label in "ab"}
    if all(sums.values()) and rng.integers(4):  # the same in either class
        multipliers = {i: m * sums["b" if y[i] == "a" else "a"] for i, m in multipliers.items()}
    own = reached(lifted(X, y, intercept), multipliers, "lifted", intercept)
    for off in (0, Fraction(-1, 10**50), Fraction(1, 10**50), Fraction(-1, 3), Fraction(1, 3)):
        document = bounding(X, y, "margin-at-most", kind, own * (1 + off), multipliers, intercept).document()
        expected = proves(checker.validate(copy.deepcopy(document)), X, y)
        assert (small(document, X, y) is None) == (fast(document, X, y) is None) == expected
        assert (fast(document, sp.csr_array(X), y) is None) == expected


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1.0, 1e30, 1e250])
@pytest.mark.parametrize("kind", checker.KINDS)
def test_many_rows_take_few_exact_products(kind, scale, intercept, monkeypatch):
    """Floating point decides nearly all rows, whatever their scale; the nearest one is told to the last bit."""
    rng = np.random.default_rng(7)
    w = [int(v) for v in rng.integers(-99, 100, 6 + intercept)]
    weights = np.array(w, float)
    if intercept:  # so that it counts at this scale
        w[-1] = int(w[-1] * Fraction(scale) * 2**1000)
        w[:-1] = [v * 2**1000 for v in w[:-1]]
    X = rng.standard_normal((20_000, 6))
    scores = X @ weights[:6] + (weights[6] if intercept else 0.0)
    y = np.where(scores > 0, "b", "a")
    nearest = np.argsort(np.abs(scores))[:20]
    X *= scale
    own = attained(lifted(X[nearest], y[nearest], intercept), w, kind, intercept)
    assert own is not None
    taken = []
    exact_sign = Lifted.exact_sign

    def counted(self, i, numbers):
        taken.append(i)
        return exact_sign(self, i, numbers)

    monkeypatch.setattr(Lifted, "exact_sign", counted)
    for squared, reason in ((own, ""), (own * (1 + Fraction(1, 10**60)), f"Row {nearest[0]} is nearer")):
        for A in (X, sp.csr_array(X)):
            assert refused(bounding(A, y, "margin-at-least", kind, squared, w, intercept), A, y).startswith(reason)
            assert bool(refused(bounding(A, y, "margin-at-least", kind, squared, w, intercept), A, y)) == bool(reason)
    assert len(taken) < 80


def test_rows_that_are_all_equally_near(monkeypatch):
    """Ties are the rule where features are counts: they are settled without integers."""
    monkeypatch.setattr(Lifted, "exact_sign", None)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (5_000, 4)).astype(float)
    X[:, 3] = np.where(rng.integers(2, size=5_000), 7.0, 4.0) - X[:, :3].sum(axis=1)
    y = np.where(X.sum(axis=1) > 5, "b", "a")
    w = [2, 2, 2, 2, -11]
    for kind, length in (("geometric", 16), ("lifted", 137)):
        sx.verify(bounding(X, y, "margin-at-least", kind, Fraction(9, length), w), X, y)
        assert refused(bounding(X, y, "margin-at-least", kind, Fraction(9, length) + Fraction(1, 10**9), w), X, y)


def test_separators_made_by_hand():
    X, y = DATA["separable"]
    proof = certificate("separable")
    weights = (Fraction(2, 3), Fraction(2, 3))
    sx.verify(replace(proof, separator=Separator(weights, Fraction(-1))), X, y)
    for wrong in (
        Separator((*weights, Fraction(0)), Fraction(-1)),
        Separator((Fraction(2, 3), Fraction(2, 9)), Fraction(-1)),
    ):
        with pytest.raises(sx.InvalidCertificate):
            sx.verify(replace(proof, separator=wrong), X, y)
