"""Certificates: files, digests, and two checkers that agree on everything, tampering above all."""

import copy
import csv
import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from claims import DATA, SQUARE, at, certificate, changed, fast, leaves, proves, small
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError
from separatrix.problem.digest import digest
from separatrix.problem.problem import Problem
from separatrix.proof import claim_checks
from separatrix.proof.certificate import Certificate, fingerprint
from separatrix.proof.claims import Claim
from separatrix.support import threads


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
            if path[:1] in (("margin",), ("separator",), ("combination",), ("errors",), ("packing",)) and (
                claim.startswith(("margin", "errors"))
            ):
                try:
                    expected = proves(checker.validate(copy.deepcopy(tampered)), X, y)
                except sx.InvalidCertificate:
                    expected = False
                assert (reasons[0] is None) == expected, (path, value, reasons)
            if reasons[0] is None:
                accepted.append((path, value))
            else:
                assert reasons[1].endswith(".")
                assert len(reasons[1]) < 400
    assert tried > 400
    # What may change and leave a proof: another separator that separates, names, a cover's unused rest, labels of the
    # other class written as null, reversed lists of one entry. Never a multiplier, a point, a row, a digest, a count. Of a
    # margin, a weaker bound, and what proves it as well; the best combination leaves no other.
    for path, value in accepted:
        if path[:2] == ("obstruction", "points") and value == f"{at(document, path)}/1":
            continue  # the same number
        if path[0] in ("margin", "errors", "packing") or (path[0] == "combination" and claim != "margin-at-most"):
            continue
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
    for other in Claim:
        if other != document["claim"]:
            assert small({**document, "claim": str(other)}, X, y)
            assert fast({**document, "claim": str(other)}, X, y)


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


def swap_columns(X):
    X[:] = X[:, ::-1].copy()


def swap_rows(X):
    X[:2] = X[1::-1].copy()


def flip_a_sign(X):
    X[0, 0] = -X[0, 0]


def change_the_last_bit(X):
    X[3, 1] = np.nextafter(X[3, 1], 9.0)


def put_nothing_for_little(X):
    X[2, 0] = 0.0


@pytest.mark.parametrize("change", [swap_columns, swap_rows, flip_a_sign, change_the_last_bit, put_nothing_for_little])
@pytest.mark.parametrize("make", [np.ascontiguousarray, sp.csr_array])
def test_no_change_of_the_rows_goes_unnoticed(tmp_path, change, make):
    """Not even one that leaves the lengths of all rows as they are, or nearly."""
    X, y, path = np.array([[3.0, -3.0], [-3.0, 3.0], [1e-300, 5.0], [4.0, 2.0]]), list("abab"), tmp_path / "proof.json"
    rows = make(X)
    values = rows if isinstance(rows, np.ndarray) else rows.data.reshape(4, 2)
    proofs = [sx.decide(rows, y).certificate, sx.least_errors(rows, y).certificate, sx.decide(rows, y).certificate]
    proofs[-1].save(path)
    assert checker.parse(path.read_bytes())["problem"]["digest"] == digest(Problem.of(X, y))
    change(values)
    for proof in proofs[:-1]:
        with pytest.raises(ValueError, match="changed since"):
            proof.save(tmp_path / "other.json")
        with pytest.raises(sx.InvalidCertificate):
            sx.verify(proof, rows, y)
    with pytest.raises(sx.InvalidCertificate):
        sx.verify(proofs[-1], rows, y)
    sx.verify(proofs[-1], X if values is not rows else np.array([[3.0, -3.0], [-3.0, 3.0], [1e-300, 5.0], [4.0, 2.0]]), y)
    assert not (tmp_path / "other.json").exists()


def test_rows_that_change_after_a_margin_was_found(tmp_path):
    X = SQUARE.copy()
    found = sx.margin(X, list("aaab"))
    swap_columns(X)
    for proof in (found.at_least, found.at_most):
        with pytest.raises(ValueError, match="changed since"):
            proof.save(tmp_path / "proof.json")


@given(st.integers(0, 40), st.integers(0, 63), st.integers(1, 3))
def test_every_bit_of_every_number_counts(place, bit, columns):
    X = np.random.default_rng(0).standard_normal((41, columns))
    problem = Problem.of(X, [0, 1] * 20 + [0])
    before = fingerprint(problem)
    assert fingerprint(problem) == before
    X.view(np.uint64)[place, place % columns] ^= np.uint64(1) << np.uint64(bit)
    assert fingerprint(problem) != before


def test_fingerprints_of_many_numbers_do_not_depend_on_threads(monkeypatch):
    problem = Problem.of(np.random.default_rng(0).standard_normal((70_000, 3)), [0, 1] * 35_000)
    before = fingerprint(problem)
    monkeypatch.setattr(threads, "NUMBERS_PER_THREAD", 1)
    monkeypatch.setattr(threads.config, "NUMBA_NUM_THREADS", 3)
    assert fingerprint(problem) == before
    for place in (0, 2**16 - 1, 2**16, 209_999):
        problem.X.reshape(-1)[place] += 1.0
        assert fingerprint(problem) != before
        problem.X.reshape(-1)[place] -= 1.0


LABEL_TYPES = {
    "bool": [False, True],
    "numpy bools": np.array([False, True]),
    **{kind: np.array([0, np.iinfo(kind).max], kind) for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32")},
    "int64": np.array([-(2**63), 2**63 - 1]),
    "uint64": np.array([2**63, 2**64 - 1], np.uint64),
    "large": [0, 10**19],
    "negative": [-(10**19) + 1, 5],
    "floats": [0.0, 1.0],
    "minus zero": [-0.0, 1.0],
    "large floats": [1e15, 1e19],
    "float32": np.array([1, 2], np.float32),
    "objects": np.array([2**70 // 2**20, 3], dtype=object),
    "texts": ["no", "yes"],
    "empty": ["", "x"],
    "odd": ["new\nline", "tab\t, \"quoted\" 'text'"],
    "NUL inside": ["a\0b", "ab"],
    "NUL at the end": np.array(["a\0", "b"], dtype=object),
    "not ASCII": ["größe", "\U0001f600"],
    "long": ["x" * 100_000, "x" * 99_999],
}
UNWRITABLE = {
    "too large": [0, 10**30],
    "one digit too many": [0, 10**20],
    "too negative": [-(10**19), 5],
    "too large floats": [1.0, 1e20],
    "beyond all digits": [0, 10**5000],
    "half a pair": ["\ud800", "x"],
}


@pytest.mark.parametrize("kind", LABEL_TYPES)
def test_labels_of_every_type_are_written_and_read(tmp_path, kind):
    """Saved, loaded, verified; and checked against a table, where a table can hold such labels."""
    pair, path = LABEL_TYPES[kind], tmp_path / "proof.json"
    y = pair[[0, 1, 0]] if isinstance(pair, np.ndarray) else [pair[0], pair[1], pair[0]]
    X = [[0.0], [2.0], [1.0]]
    certificate = sx.decide(X, y).certificate
    certificate.save(path)
    loaded = Certificate.load(path)
    assert loaded.problem.classes == certificate.problem.classes
    sx.verify(loaded, X, y)
    sx.verify(path, X, y)
    with pytest.raises(sx.InvalidCertificate):
        sx.verify(path, X, y[::-1] if pair[0] != y[0] else [y[1], y[0], y[1]])
    cells = [str(int(label)) if isinstance(label, float | np.floating) else str(label) for label in y]
    if not any("\0" in cell for cell in cells):
        table = tmp_path / "data.csv"
        with open(table, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["x", "y"], *zip([0, 2, 1], cells, strict=True)])
        assert checker.main([str(path), str(table), "--label", "y"]) == 0


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_labels_that_no_file_holds(tmp_path, kind):
    path = tmp_path / "proof.json"
    path.write_text("something else")
    pair = UNWRITABLE[kind]
    y = [pair[0], pair[1], pair[0]]
    certificate = sx.decide([[0.0], [2.0], [1.0]], y).certificate
    sx.verify(certificate, [[0.0], [2.0], [1.0]], y)
    with pytest.raises(ValueError, match="cannot be written to a file") as caught:
        certificate.save(path)
    assert len(str(caught.value)) < 300
    assert path.read_text() == "something else"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_positive_class_of_another_type(tmp_path):
    path = tmp_path / "proof.json"
    for y, positive in (([0, 1], True), ([0, 1], np.int8(1)), ([0, 1], 1.0), (["a", "b"], np.str_("b")), ([0, 1, 2], True)):
        X = [[float(label == positive)] for label in y]
        sx.decide(X, y, positive=positive).certificate.save(path)
        sx.verify(path, X, y)


def test_certificates_without_end():
    with pytest.raises(sx.InvalidCertificate, match="longer than"):
        Certificate.load("/dev/zero")


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
    monkeypatch.setattr("separatrix.problem.digest._NUMBERS_PER_CHUNK", 7)
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
        claim_checks.check(broken, verdict.problem)
