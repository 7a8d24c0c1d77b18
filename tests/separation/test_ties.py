"""Separable under a tie rule: by brute force, by runs, and by the theorem that connects the two."""

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix import checker

TIES = {"update": 0, "positive": 1, "negative": -1}

WEIGHTS = range(-5, 6)
"""Whole weights that are enough for all threshold functions of three inputs, with their intercepts."""


def right(score, label, tie):
    """Whether a score is right for a label."""
    return (score > 0) - (score < 0) == label or (score == 0 and TIES[tie] == label)


def lift(X, intercept):
    return [(*row, 1) if intercept else tuple(row) for row in X]


def scores_in_grid(X, intercept):
    """Return the scores of all rows under all weights in a grid."""
    rows = np.array(lift(X, intercept))
    return np.array(list(itertools.product(WEIGHTS, repeat=rows.shape[1]))) @ rows.T


def solvable(scores, y, tie):
    """Whether some weights have all rows right."""
    signs = np.sign(scores)
    signs[signs == 0] = TIES[tie]
    return bool(np.any(np.all(signs == y, axis=1)))


def halts(X, y, tie, intercept, start, order):
    """Whether a cyclic run comes to a pass without a mistake; else it comes to weights that it began a pass with before."""
    rows = lift(X, intercept)
    w, seen = list(start), set()
    while tuple(w) not in seen:
        seen.add(tuple(w))
        clean = True
        for i in order:
            if not right(sum(a * b for a, b in zip(w, rows[i], strict=True)), y[i], tie):
                clean = False
                w = [a + y[i] * b for a, b in zip(w, rows[i], strict=True)]
        if clean:
            return True
    return False


def functions(inputs, low):
    """All Boolean functions of so many inputs, with labels -1 and 1; the inputs are coded low and 1."""
    X = list(itertools.product((low, 1), repeat=inputs))
    for y in itertools.product((-1, 1), repeat=len(X)):
        yield X, list(y)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("low", [0, -1])
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_all_boolean_functions(inputs, low, intercept):
    rng = np.random.RandomState(inputs)
    scores = scores_in_grid(list(itertools.product((low, 1), repeat=inputs)), intercept)
    for X, y in functions(inputs, low):
        for tie in TIES:
            verdict = sx.decide(X, y, fit_intercept=intercept, tie=tie)
            assert verdict.separable == solvable(scores, y, tie), (X, y, tie)
            assert verdict.strict == sx.decide(X, y, fit_intercept=intercept).status
            assert not verdict.always_halts or verdict.separable
            sx.verify(verdict.certificate, X, y)
            starts = [[0] * (inputs + intercept), rng.randint(-3, 4, inputs + intercept).tolist()]
            orders = [range(len(X)), rng.permutation(len(X)).tolist()]
            ended = [halts(X, y, tie, intercept, list(w), order) for w in starts for order in orders]
            if verdict.always_halts:
                assert all(ended)
            if any(ended):
                assert verdict.separable
            if not verdict.separable:
                assert not any(ended)


def test_solvable_where_the_run_errs_for_ever():
    X, y = [(-1, -2), (2, 0), (-2, 0)], [-1, 1, 1]
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive")
    assert verdict.separable
    assert verdict.strict != "separable"
    assert not verdict.always_halts
    assert not halts(X, y, "positive", False, (0, 0), range(3))
    run = sx.Perceptron(tie="positive", fit_intercept=False, max_iter=50)
    with pytest.warns(sx.ConvergenceWarning if hasattr(sx, "ConvergenceWarning") else Warning):
        run.fit(X, y)


def test_rows_of_zeros_do_no_harm_in_the_class_that_wins():
    verdict = sx.decide([[0], [1]], [-1, 1], fit_intercept=False, tie="negative")
    assert verdict.separable
    assert verdict.always_halts
    assert verdict.strict == "quasi-separable"
    lost = sx.decide([[0], [1]], [-1, 1], fit_intercept=False, tie="positive")
    assert not lost.separable
    assert lost.witness.tolist() == [0]


def test_one_class_is_separable_by_nothing_at_all():
    X, y = [[1], [-1]], [1, 1]
    assert not sx.decide(X, y, fit_intercept=False).separable
    verdict = sx.decide(X, y, fit_intercept=False, tie="positive", positive=1)
    assert verdict.separable
    assert not verdict.coef.any()
    assert not sx.decide(X, y, fit_intercept=False, tie="negative", positive=1).separable


small = st.integers(-2, 2)


@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[small] * d, st.sampled_from([-1, 1])), min_size=1, max_size=7))
)
def test_certificates_under_a_tie_rule(rows):
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    for tie in ("positive", "negative"):
        verdict = sx.decide(X, y, fit_intercept=False, tie=tie)
        document = verdict.certificate.document()
        certificate = checker.parse(json.dumps(document))
        entries = [(label, [(j, float(v)) for j, v in enumerate(row) if v]) for row, label in zip(X, y, strict=True)]
        assert checker.check(certificate, entries).startswith("Proved")
        sx.verify(verdict.certificate, X, y)
        loser = -TIES[tie]
        obstruction = verdict.certificate.obstruction
        if obstruction is not None:
            assert any(label == loser for label in obstruction.labels)
        # What is claimed under the rule must not pass for a claim without it, nor under the other one, unless it is so.
        for other in TIES:
            tampered = {**document, "problem": {**document["problem"], "tie": other}}
            holds = verdict.certificate.claim == "separable" and all(
                right(sum(a * b for a, b in zip(verdict.certificate.separator.weights, x, strict=True)), label, other)
                for x, label in zip(X, y, strict=True)
            )
            if verdict.certificate.claim != "separable":
                holds = other == "update" or any(label == -TIES[other] for label in obstruction.labels)
            try:
                checker.check(checker.parse(json.dumps(tampered)), entries)
                passed = True
            except checker.InvalidCertificate:
                passed = False
            assert passed == holds
            try:
                sx.verify(type(verdict.certificate).from_document(tampered), X, y)
                verified = True
            except sx.InvalidCertificate:
                verified = False
            assert verified == holds


def inequalities(text):
    """Read back from an explanation what it demands: the left sides, as functions of the weights, and the relations."""
    found = []
    for side, relation in re.findall(r"^    (.*(?:w\[|b).*) (>=|>) 0$", text, re.MULTILINE):
        code = compile(re.sub(r"w\[x(\d+)\]", r"w[\1 - 1]", side), side, "eval")
        found.append((lambda w, b=0, code=code: eval(code, {"w": w, "b": b}), relation))
    return found


def holds(side, relation):
    return side >= 0 if relation == ">=" else side > 0


tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[small] * d, st.sampled_from([-1, 1])), min_size=1, max_size=7)
)


@given(tables, st.sampled_from(["positive", "negative", "update"]))
def test_the_inequalities_shown_are_those_of_the_question(rows, tie):
    """Weights satisfy the one of a row if and only if they have that row right; and together they are impossible."""
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    if tie == "update" and len(set(y)) == 1:
        y = [1] * len(y)  # without a rule a single class is the positive one
    verdict = sx.decide(X, y, fit_intercept=False, tie=tie)
    if verdict.separable:
        return
    text = verdict.explain()
    assert text.count("\n    0 > 0\n") == 1
    shown, obstruction = inequalities(text), verdict.certificate.obstruction
    d = len(X[0])
    if len(obstruction.rows) == 1:
        (i,) = obstruction.rows
        assert not any(X[i])
        assert not right(0, y[i], tie)
        assert f"a score of 0 is wrong for class {y[i]}." in text
        assert not shown
        return
    assert len(shown) == len(obstruction.rows)
    for w in itertools.product((-3, -1, 0, 2), repeat=d):
        for (side, relation), i in zip(shown, obstruction.rows, strict=True):
            score = sum(a * b for a, b in zip(w, X[i], strict=True))
            assert holds(side(w), relation) == right(score, y[i], tie)
        assert sum(side(w) for side, _ in shown) == 0
    strict = [y[i] for (_, relation), i in zip(shown, obstruction.rows, strict=True) if relation == ">"]
    assert strict
    assert (f"the rows of class {strict[0]} make the sum greater than 0" in text) == (len(strict) < len(shown))


@given(tables, st.sampled_from(["positive", "negative"]))
def test_with_an_intercept_the_rule_makes_no_difference(rows, tie):
    """The inequalities are strict, and the explanation says why they may be; it is the one without a rule otherwise."""
    X, y = [row[:-1] for row in rows], [row[-1] for row in rows]
    verdict, strict = sx.decide(X, y, tie=tie), sx.decide(X, y)
    text, plain = verdict.explain(), strict.explain()
    remark = "With an intercept it makes no difference for which class a score of 0 counts"
    assert remark not in plain
    if verdict.separable:
        assert text == plain
        return
    assert [block for block in text.split("\n\n") if not block.startswith(remark)] == plain.split("\n\n")
    shown = inequalities(text)
    assert len(shown) == len(verdict.witness)
    for *w, b in itertools.product((-2, 0, 1), repeat=len(X[0]) + 1):
        for (side, relation), i in zip(shown, verdict.witness, strict=True):
            score = sum(a * x for a, x in zip(w, X[i], strict=True)) + b
            assert holds(side(w, b), relation) == right(score, y[i], "update")


def test_xor_without_an_intercept_as_a_text_with_zero_for_no_has_it():
    X, y = sx.examples.load("xor")
    text = sx.decide(X, y, fit_intercept=False, tie="negative").explain()
    assert "where a score of 0 is right for class 0:\n\n    w[x2] > 0\n    w[x1] > 0\n    -w[x1] - w[x2] >= 0\n" in text
    assert r"-w_{1} - w_{2} \ge 0" in sx.decide(X, y, fit_intercept=False, tie="negative").explain("latex")


@pytest.mark.parametrize("tie", ["update", "positive"])
def test_a_row_of_zeros_is_shown_with_all_its_columns(tie):
    X, y = sx.examples.load("xor")
    text = sx.decide(X, y, fit_intercept=False, tie=tie).explain()
    assert re.search(r"row  class  x1  x2  multiplier\n.*\n +0 +0 +0 +0 +1\n", text)
    assert "Added up" not in text
    wide = sx.decide(np.zeros((1, 30)), [1], fit_intercept=False).explain()
    assert re.search(r"row  class  x1 .* x8  …  multiplier\n", wide)


def test_many_rows_under_a_rule_say_which_are_strict():
    d = 14
    X = [*np.eye(d, dtype=int).tolist(), [1] * d]
    verdict = sx.decide(X, [1] * d + [-1], fit_intercept=False, tie="negative")
    assert len(verdict.witness) == d + 1
    assert "read 0 > 0, as those of class 1 are strict." in verdict.explain()
    assert "read 0 > 0." in sx.decide(X, [1] * d + [-1], fit_intercept=False).explain()


def test_the_class_that_wins_is_named_even_if_no_row_is_of_it():
    verdict = sx.decide([[1], [2]], [1, 1], fit_intercept=False, tie="negative", positive=1)
    assert "separable if a score of 0 counts for the other class" in verdict.explain()
    crossed = sx.decide([[1], [-1]], [1, 1], fit_intercept=False, tie="negative", positive=1)
    assert "even if a score of 0 counts for the other class" in crossed.message
    assert "reflected" not in crossed.explain()  # no row is of the negative class
