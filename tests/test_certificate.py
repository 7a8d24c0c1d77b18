"""Certificates: files, digests, and two checkers that agree on everything, tampering above all."""

import copy
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx
from separatrix import checker, verifier
from separatrix.certificate import Certificate, Claim, Obstruction, Separator, digest
from separatrix.files import FileError
from separatrix.problem import Problem

SQUARE = np.array([[0.0, 0.1], [0.0, 1.0], [1.0, 0.1], [1.0, 1.0]])
DATA = {
    "separable": (SQUARE, list("aaab")),
    "not-separable": (SQUARE, list("abba")),
    "quasi-separable": (np.array([[-2, 1], [0, 2], [0, 2], [2, 3], [0, 2], [0, 5]]), list("aabbba")),
    "overlapping": (np.vstack([SQUARE, 3 * SQUARE, [[0.5, 0.75]]]), list("abbaabbab")),
}


def certificate(claim):
    verdict = sx.decide(*DATA[claim])
    if claim == "not-separable":
        with pytest.raises(sx.NotSeparable) as caught:
            verdict.require_separable()
        return caught.value.certificate
    assert verdict.status == claim
    return verdict.certificate


def small(document, X, y):
    """What the stand-alone checker says: None, or why it refuses."""
    try:
        valid = checker.validate(copy.deepcopy(document))
        signs = [checker.sign_of(str(label), valid["problem"]["classes"]) for label in y]
        if 0 in signs:
            return "A label is no class."
        entries = [[(j, v) for j, v in enumerate(row) if v] for row in np.asarray(X, float).tolist()]
        checker.check(valid, list(zip(signs, entries, strict=True)))
    except sx.InvalidCertificate as reason:
        return str(reason)
    return None


def fast(document, X, y):
    """What the verifier says."""
    try:
        sx.verify(Certificate.from_document(document), X, y)
    except sx.InvalidCertificate as reason:
        return str(reason)
    return None


def leaves(node, path=()):
    """The paths of all places in a document."""
    yield path
    if isinstance(node, dict | list):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(child, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


OTHERS = [
    None, True, 0, 1, -1, 2, 7, 1.0, 10**19, "", "0", "1", "-1", "2", "1/3", "x", "9" * 6000, [], [0], [[["1"]]],
    {}, {"a": 1},
]  # fmt: skip


def changed(value):
    """What a value might be changed to."""
    yield from (other for other in OTHERS if other != value or type(other) is not type(value))
    if isinstance(value, str) and value[-1:].isdigit():
        yield value[:-1] + str((int(value[-1]) + 1) % 10)
        yield value + "0"
        yield f"-{value}"
        yield f"{value}/1"
    if isinstance(value, int) and not isinstance(value, bool):
        yield value + 1
        yield value - 1
        yield float(value)
    if isinstance(value, list) and value:
        yield value[1:]
        yield [*value, value[0]]
        yield value[::-1]
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        yield {**value, "more": 1}


@pytest.mark.parametrize("claim", list(DATA))
def test_both_checkers_agree_on_every_change_of_every_field(claim):
    X, y = DATA[claim]
    document = certificate(claim).document()
    assert small(document, X, y) is None
    assert fast(document, X, y) is None
    accepted, tried = [], 0
    for path in leaves(document):
        for value in changed(at(document, path)):
            if value == at(document, path) and type(value) is type(at(document, path)):
                continue
            tampered = copy.deepcopy(document)
            if path:
                at(tampered, path[:-1])[path[-1]] = value
            else:
                tampered = value
            reasons = small(tampered, X, y), fast(tampered, X, y)
            assert (reasons[0] is None) == (reasons[1] is None), (path, value, reasons)
            tried += 1
            if reasons[0] is None:
                accepted.append((path, value))
            else:
                assert reasons[1].endswith(".")
                assert len(reasons[1]) < 400
    assert tried > 400
    # What may change and leave a proof: another separator that separates, names, a cover's unused rest, labels of the
    # other class written as null, reversed lists of one entry. Never a multiplier, a point, a row, a digest, a count.
    for path, value in accepted:
        if path[:2] == ("obstruction", "points") and value == f"{at(document, path)}/1":
            continue  # the same number
        assert path[0] in ("separator", "problem", "cover"), (path, value)
        if path[0] == "problem":
            assert path[1:2] in (("classes",), ("columns",)), (path, value)
        if path[0] == "cover":
            assert path[1] == "rest", (path, value)
            assert len(document["cover"]["rows"]) == len(y) - len(sx.decide(X, y).separated_rows)


@pytest.mark.parametrize("claim", list(DATA))
def test_another_claim_needs_another_proof(claim):
    X, y = DATA[claim]
    document = certificate(claim).document()
    for other in DATA:
        if other != claim:
            assert small({**document, "claim": other}, X, y)
            assert fast({**document, "claim": other}, X, y)


@pytest.mark.parametrize("claim", list(DATA))
def test_other_data(claim):
    X, y = DATA[claim]
    document = certificate(claim).document()
    X, y = np.array(X, float), np.array(y)
    moved = X.copy()
    moved[0, 0] = np.nextafter(moved[0, 0], 9.0)
    swapped = y.copy()
    swapped[0] = "b"
    for A, labels in ((moved, y), (X, swapped), (X[:-1], y[:-1]), (X[::-1], y[::-1]), (np.c_[X, X[:, 0]], y), (X[:, :1], y)):
        assert small(document, A, labels)
        assert fast(document, A, labels)
    # As an object that still has its data at hand, too.
    with pytest.raises(sx.InvalidCertificate, match="not that of the certificate"):
        sx.verify(certificate(claim), moved, y)


def test_labels_of_other_classes():
    proof = sx.decide(SQUARE, ["a", "b", "b", "a"]).certificate
    with pytest.raises(sx.InvalidCertificate, match="row 3 is labelled 'c', neither 'a' nor 'b'"):
        sx.verify(proof, SQUARE, ["a", "b", "b", "c"])
    one_against_rest = sx.decide(SQUARE, ["a", "b", "c", "a"], positive="a").certificate
    assert one_against_rest.problem.classes == (None, "a")
    sx.verify(one_against_rest, SQUARE, ["a", "c", "c", "a"])


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [False, True, True, False], ["n", "y", "y", "n"], [0.0, 1.0, 1.0, 0.0]])
def test_files(labels, tmp_path):
    table = pd.DataFrame(SQUARE, columns=["age", "größe"])
    verdict = sx.decide(table, labels)
    path = tmp_path / "proof.json"
    verdict.certificate.save(path)
    loaded = Certificate.load(path)
    assert loaded.document() == verdict.certificate.document()
    assert [str(column) for column in loaded.problem.columns] == ["age", "größe"]
    for proof in (loaded, path, str(path)):
        sx.verify(proof, table, labels)
        sx.verify(proof, sp.csr_array(SQUARE), labels)
    table.assign(label=labels).to_csv(tmp_path / "data.csv", index=False)
    assert checker.main([str(path), str(tmp_path / "data.csv"), "--label", "label"]) == 0


def test_columns_are_matched_by_name():
    table = pd.DataFrame(SQUARE, columns=["a", "b"])
    proof = sx.decide(table, list("abba")).certificate
    sx.verify(proof, table[["b", "a"]].assign(more="text"), list("abba"))
    with pytest.raises(sx.InvalidCertificate, match="no column 'b'"):
        sx.verify(proof, table.rename(columns={"b": "c"}), list("abba"))
    with pytest.raises(sx.InvalidCertificate, match="digests"):
        sx.verify(proof, table.rename(columns={"a": "b", "b": "a"}), list("abba"))


def test_what_is_no_certificate():
    verdict = sx.decide(SQUARE, list("abba"))
    for other in (verdict, {}, None):
        with pytest.raises(TypeError, match=r"verdict\.certificate"):
            sx.verify(other, SQUARE, list("abba"))
    assert repr(verdict.certificate) == "<Certificate: overlapping, 4 rows, 2 columns>"
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(verdict)


def test_rows_that_change_before_the_certificate_is_saved(tmp_path):
    X = SQUARE.copy()
    verdict = sx.decide(X, list("aaab"))
    X[0, 0] = 100.0
    with pytest.raises(ValueError, match="changed since"):
        verdict.certificate.save(tmp_path / "proof.json")


def test_the_name_of_a_class_may_begin_with_not():
    proof = sx.decide(SQUARE, ["yes", "not yes", "not yes", "yes"], positive="yes").certificate
    assert proof.problem.classes == ("not yes", "yes")


def test_unreadable_files(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        Certificate.load(tmp_path / "none.json")
    (tmp_path / "half.json").write_text(json.dumps(certificate("separable").document())[:-40])
    with pytest.raises(sx.InvalidCertificate, match="not JSON"):
        Certificate.load(tmp_path / "half.json")


@given(problems(max_rows=30, max_columns=6))
def test_digests_are_those_of_the_checker_dense_or_sparse(problem):
    X, y = problem
    rows = [(int(s), [(j, v) for j, v in enumerate(row) if v]) for row, s in zip(X.tolist(), y, strict=True)]
    expected = checker.digest(rows)
    n, d = X.shape
    with_zeros = sp.csr_array((X.ravel(), np.tile(np.arange(d), n), np.arange(n + 1) * d), (n, d))
    for A in (X, sp.csr_array(X), with_zeros, np.asfortranarray(X)):
        assert digest(Problem.of(A, y)) == expected


def test_the_digest_of_many_rows_does_not_depend_on_how_they_are_cut(monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[X < 0] = 0.0
    y = np.arange(50) % 2
    whole = digest(Problem.of(X, y))
    monkeypatch.setattr("separatrix.certificate._CHUNK", 7)
    assert digest(Problem.of(X, y)) == digest(Problem.of(sp.csr_array(X), y)) == whole


@given(problems(max_rows=10, max_columns=3), st.integers(0, 10**6))
def test_both_checkers_agree_on_random_problems(problem, seed):
    """A random change of a random field of a random certificate."""
    X, y = problem
    rng = np.random.default_rng(seed)
    y = np.where(y > 0, "b", "a")
    document = sx.decide(X, y).certificate.document()
    assert small(document, X, y) is None
    assert fast(document, X, y) is None
    paths = [path for path in leaves(document) if path]
    path = paths[rng.integers(len(paths))]
    values = list(changed(at(document, path)))
    at(document, path[:-1])[path[-1]] = values[rng.integers(len(values))]
    assert (small(document, X, y) is None) == (fast(document, X, y) is None)


def test_long_numbers_are_written_and_read(tmp_path):
    """Beyond the 4,300 digits that Python converts by itself."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 3)) * 10.0 ** rng.integers(-300, 300, (6, 3))
    long = Certificate(
        Claim.SEPARABLE, sx.decide(X, [0, 1, 0, 1, 0, 1]).certificate.problem,
        separator=type(sx.decide(SQUARE, [0, 0, 0, 1]).certificate.separator)((10**5000 + 1, 3, -(7**6000)), 5),
    )  # fmt: skip
    long.save(tmp_path / "long.json")
    assert Certificate.load(tmp_path / "long.json").separator == long.separator


def test_verifying_takes_no_notice_of_where_the_certificate_came_from():
    """`check` is what `decide` runs on its own certificate: it must not trust it."""
    X, y = DATA["overlapping"]
    verdict = sx.decide(X, y)
    proof = verdict.certificate
    broken = Certificate(proof.claim, proof.problem, None, proof.obstruction, type(proof.cover)(
        proof.cover.rows, tuple(2 * m if k == 0 else m for k, m in enumerate(proof.cover.multipliers)), proof.cover.rest
    ))  # fmt: skip
    with pytest.raises(sx.InvalidCertificate, match="cover"):
        verifier.check(broken, verdict.problem)


HAND_MADE = {
    "no proof at all": {},
    "a section too many": {
        "separator": Separator((Fraction(1), Fraction(0)), Fraction(0)),
        "obstruction": ...,
        "cover": ...,
    },
    "an empty obstruction": {"obstruction": Obstruction((), (), (), ()), "cover": ...},
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
    """Objects need not come from a file: the verifier looks at their form as well."""
    X, y = DATA["overlapping"]
    proof = certificate("overlapping")
    parts = {}
    for section, change in HAND_MADE[name].items():
        if change is ...:
            parts[section] = getattr(proof, section)
        else:
            parts[section] = replace(getattr(proof, section), **change) if isinstance(change, dict) else change
    with pytest.raises(sx.InvalidCertificate):
        sx.verify(Certificate(proof.claim, proof.problem, **parts), X, y)


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
