"""Certificates: files, digests, and two checkers that agree on everything, tampering above all."""

import copy
import csv
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from packing_reference import errors, fewest, packing, proved, twisted
from strategies import problems

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError
from separatrix.problem.digest import digest
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.proof import claim_checks
from separatrix.proof.certificate import Certificate, Subject, fingerprint
from separatrix.proof.claims import Claim, Combination, ErrorBound, Leaf, MarginBound, Packing, Separator, Split
from separatrix.support import threads

GATE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
SQUARE = np.array([[0.0, 0.1], [0.0, 1.0], [1.0, 0.1], [1.0, 1.0]])
DATA = {
    "separable": (SQUARE, list("aaab")),
    "not-separable": (SQUARE, list("abba")),
    "quasi-separable": (np.array([[-2, 1], [0, 2], [0, 2], [2, 3], [0, 2], [0, 5]]), list("aabbba")),
    "overlapping": (np.vstack([SQUARE, 3 * SQUARE, [[0.5, 0.75]]]), list("abbaabbab")),
    "margin-at-least": (GATE, list("aaab")),
    "margin-at-most": (GATE, list("aaab")),
    "margin-at-least, geometric": (SQUARE, list("aaab")),
    "margin-at-most, geometric": (SQUARE, list("aaab")),
    "errors-at-least": (np.array([[0, 1], [1, 1], [2, 1], [3, 1], [4, 1], [1, 1], [4, 2]]), list("abababb")),
    "errors-at-least, costs": (np.vstack([SQUARE, SQUARE[1:]]), list("abbaaba")),
}


def lifted(X, y, intercept=True):
    """The signed, lifted rows in fractions; the second class is the positive one."""
    rows = np.asarray(X, float).tolist()
    signs = [1 if label == "b" else -1 for label in y]
    return [[s * Fraction(v) for v in ([*row, 1.0] if intercept else row)] for row, s in zip(rows, signs, strict=True)]


def attained(z, w, kind, intercept=True):
    """The square of the margin of a hyperplane, or None if a row is not on its correct side or its length is 0."""
    products = [sum(a * b for a, b in zip(row, w, strict=True)) for row in z]
    length = sum(v * v for v in (w[:-1] if kind == "geometric" and intercept else w))
    return Fraction(min(products) ** 2) / length if min(products) > 0 and length else None


def reached(z, multipliers, kind, intercept=True):
    """The square of the bound that a combination proves, or None if it proves none."""
    v = [sum(m * z[i][j] for i, m in multipliers.items()) for j in range(len(z[0]))]
    if kind == "geometric" and intercept and v[-1]:
        return None
    return Fraction(sum(a * a for a in v)) / sum(multipliers.values()) ** 2


def proves(valid, X, y):
    """Whether what `validate` returned proves its bound of the margin or of errors: the definitions, in fractions."""
    if valid["claim"] == "errors-at-least":
        bound = proved(valid, np.asarray(X, float).tolist(), signs_of(y))
        return bound is not None and bound >= valid["errors"]["least"]
    intercept, kind, squared = valid["problem"]["intercept"], valid["margin"]["kind"], valid["margin"]["squared"]
    z = lifted(X, y, intercept)
    if valid["claim"] == "margin-at-least":
        w = [*valid["separator"]["weights"], valid["separator"]["intercept"]]
        own = attained(z, w if intercept else w[:-1], kind, intercept)
        return own is not None and own >= squared
    listed = dict(zip(valid["combination"]["rows"], valid["combination"]["multipliers"], strict=True))
    bound = reached(z, listed, kind, intercept)
    return bound is not None and bound <= squared


def bounding(X, y, claim, kind, squared, proof, intercept=True):
    """A certificate of a bound of the margin: the proof is a hyperplane, intercept last, or multipliers by row."""
    subject = Subject.of(Problem.of(X, y, intercept=intercept, classes=["a", "b"]))
    margin = MarginBound(kind, Fraction(squared))
    if claim == Claim.MARGIN_AT_LEAST:
        numbers = [*map(Fraction, proof)] if intercept else [*map(Fraction, proof), Fraction(0)]
        return Certificate(Claim(claim), subject, Separator(tuple(numbers[:-1]), numbers[-1]), margin=margin)
    combination = Combination(tuple(proof), tuple(map(Fraction, proof.values())))
    return Certificate(Claim(claim), subject, margin=margin, combination=combination)


def margin_certificate(name):
    """The tightest bounds: of AND exactly, of the other square by a hyperplane and a combination that are not the best."""
    claim, _, kind = name.partition(", ")
    (X, y), kind = DATA[name], kind or "lifted"
    if claim == "margin-at-least":
        w = [2, 2, -3] if kind == "lifted" else [20, 22, -31]
        return bounding(X, y, claim, kind, attained(lifted(X, y), w, kind), w)
    multipliers = {1: 5, 2: 5, 3: 7} if kind == "lifted" else {1: 1, 2: 1, 3: 2}
    return bounding(X, y, claim, kind, reached(lifted(X, y), multipliers, kind), multipliers)


COSTS = {
    "errors-at-least": None,
    "errors-at-least, costs": tuple(map(Fraction, ("1", "3/2", "2", "0", "1/3", "1", "5/4"))),
}


def signs_of(y):
    return [1 if label == "b" else -1 for label in y]


def error_certificate(X, y, least, costs=None, intercept=True, seed=3):
    """A bound of errors, by a tree of packings."""
    section = packing(np.asarray(X, float).tolist(), signs_of(y), intercept, costs, least, np.random.default_rng(seed))
    subject = Subject.of(Problem.of(X, y, intercept=intercept, classes=["a", "b"]))
    texts = None if costs is None else [str(cost) for cost in costs]
    nothing = Packing((), (Leaf((), ()),))
    document = Certificate(Claim.ERRORS_AT_LEAST, subject, errors=ErrorBound(Fraction(least)), packing=nothing).document()
    return document | {"errors": {"least": str(least), "costs": texts}, "packing": section}


def certificate(claim):
    if claim.startswith("margin"):
        return margin_certificate(claim)
    if claim.startswith("errors"):
        (X, y), costs = DATA[claim], COSTS[claim]
        return Certificate.from_document(error_certificate(X, y, fewest(X.tolist(), signs_of(y), True, costs), costs))
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
        if valid["problem"]["dimension"] != np.shape(X)[1]:
            return "The columns are others."  # as `read_rows` finds in a file
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


def refused(proof, X, y):
    try:
        sx.verify(proof, X, y)
    except sx.InvalidCertificate as reason:
        return str(reason)
    return ""


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


# ---- Errors


def agreed(document, X, y):
    """Whether both checkers accept a bound of errors, as the definitions say they must."""
    reasons = small(document, X, y), fast(document, X, y)
    assert (reasons[0] is None) == (reasons[1] is None), reasons
    try:
        expected = proves(checker.validate(copy.deepcopy(document)), X, y)
    except sx.InvalidCertificate:
        expected = False
    assert (reasons[0] is None) == expected, reasons
    return expected


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


HAND_MADE_ERRORS = {
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
