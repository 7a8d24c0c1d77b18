"""A certificate of every claim, made in fractions, and both checkers at work on it."""

import copy
from fractions import Fraction

import numpy as np
import pytest
import reference
from packing_reference import fewest, packing, proved

import separatrix as sx
from separatrix import checker
from separatrix.problem.problem import Problem
from separatrix.proof.certificate import Certificate, Subject
from separatrix.proof.claims import Claim, Combination, ErrorBound, Leaf, MarginBound, Packing, Separator

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
    return reference.lifted(np.asarray(X, float), signs_of(y), intercept)


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


def refused(proof, X, y):
    try:
        sx.verify(proof, X, y)
    except sx.InvalidCertificate as reason:
        return str(reason)
    return ""


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
