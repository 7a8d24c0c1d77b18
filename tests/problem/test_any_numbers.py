"""Fractions, decimals and integers of any size: what is proved and learnt is what fractions say."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix import checker
from separatrix.problem.exact_rows import ExactRows
from separatrix.problem.reading_rows import read_rows

pytestmark = pytest.mark.filterwarnings("ignore")  # runs are short

LONG = 10**20
NUMBERS = [
    0, 1, -1, 2, 0.5, LONG, LONG + 1, -LONG, 2 * LONG, 3 * LONG, -(2**70), Fraction(1, 3), Fraction(2, 3), Fraction(-1, 7),
    Decimal("0.1"), Decimal("-0.2"), Decimal("0.3"), Decimal("0.12345678901234567890"), Fraction(LONG, 7), 2**53 + 1, -0.0,
]  # fmt: skip


@st.composite
def problems(draw, max_rows=7):
    """Rows of numbers of many kinds, few different ones, with labels of both classes."""
    few = draw(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=4))
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, max_rows))
    rows = [[draw(st.sampled_from(few)) for _ in range(d)] for _ in range(n)]
    return rows, [-1, 1, *(draw(st.sampled_from([-1, 1])) for _ in range(n - 2))]


def fractions_of(rows):
    return [[Fraction(value) for value in row] for row in rows]


def exactly(rows):
    numerators = rows.numerators if rows.wide is None else rows.wide
    return [[Fraction(value) / rows.denominator for value in row] for row in numerators.tolist()]


@given(problems())
def test_numbers_of_any_kind_are_what_they_are(problem):
    rows, _ = problem
    truth = fractions_of(rows)
    for form in (rows, np.array(rows, object)):
        found = read_rows(form)
        assert exactly(found) == truth
        assert found.nearest().tolist() == [[float(value) + 0.0 for value in row] for row in truth]
        assert exactly(found[[0]]) == truth[:1]
        assert exactly(found.columns([0])) == [[row[0]] for row in truth]
        assert exactly(ExactRows.stacked(found, found)) == [*truth, *truth]
        if any(isinstance(value, Fraction | Decimal) for row in rows for value in row):
            assert found.reading in ("decimal", "rational")


@given(problems(), st.booleans())
def test_verdicts_and_margins_are_those_of_the_fractions(tmp_path_factory, problem, intercept):
    rows, labels = problem
    verdict = sx.decide(rows, labels, fit_intercept=intercept)
    status, free = reference.separability(fractions_of(rows), labels, intercept)
    assert verdict.status == status
    assert verdict.separated_rows.tolist() == free
    path = tmp_path_factory.getbasetemp() / "wide.json"
    verify_twice(verdict.certificate, path, rows, labels)
    if status == "separable":
        margin = sx.margin(rows, labels, fit_intercept=intercept, exact=True)
        for each in (margin.at_least, margin.at_most):
            assert Fraction(each.document()["margin"]["squared"]) == margin.squared
            verify_twice(each, path, rows, labels)


def verify_twice(certificate, path, rows, labels):
    """See that both checkers accept a certificate."""
    certificate.save(path)
    sx.verify(path, rows, labels)
    document = checker.parse(path.read_text())
    told = [
        (y, [(j, told_as(value, document["problem"]["numbers"])) for j, value in enumerate(row) if value])
        for row, y in zip(fractions_of(rows), labels, strict=True)
    ]
    assert checker.check(document, told).startswith("Proved")


def told_as(value, numbers):
    """Return a fraction as the checker has it: a float, a decimal as m and e for m times 10**e, or a fraction."""
    if numbers == "decimal":
        m, e = value, 0
        while m.denominator > 1:
            m, e = m * 10, e - 1
        m = int(m)
        while m % 10 == 0:
            m, e = m // 10, e + 1
        return m, e
    return float(value) if numbers == "float64" else value


@given(problems(max_rows=6))
def test_least_errors_are_those_of_the_fractions(problem):
    rows, labels = problem
    truth, n = fractions_of(rows), len(labels)
    found = sx.least_errors(rows, labels, time_limit=20)
    best = min(
        len(left)
        for size in range(n + 1)
        for left in itertools.combinations(range(n), size)
        if size == n
        or reference.separability(
            [truth[i] for i in range(n) if i not in left], [labels[i] for i in range(n) if i not in left], True
        )[0]
        == "separable"
    )
    assert found.lower == found.upper == best


@given(problems(), st.sampled_from(["update", "positive", "negative"]), st.booleans(), st.sampled_from([1.0, "0.1", 1 / 3]))
def test_runs_are_those_of_the_fractions(problem, tie, intercept, eta):
    rows, labels = problem
    truth, history = fractions_of(rows), []
    trace, w, passes, ended = reference.perceptron(
        truth, labels, tie=tie, max_iter=8, intercept=intercept, eta=Fraction(eta), history=history
    )
    for average in (False, True):
        p = sx.Perceptron(tie=tie, max_iter=8, fit_intercept=intercept, record=True, average=average, eta0=eta)
        p.fit(rows, labels)
        assert p.mistakes_.tolist() == trace
        assert p.last_weights().fractions() == w
        assert (p.n_iter_, p.halted_) == (passes, ended)
        assert p.exact_weights().fractions() == (reference.mean(history) if average else w)
        if p.converged_:
            assert p.predict(rows).tolist() == labels
    ledger = sx.audit(p, rows, labels)
    assert ledger.holds
    assert ledger.mistakes == len(trace)
    online = sx.Perceptron(tie=tie, fit_intercept=intercept, eta0=eta)
    for _ in range(passes):
        for i in range(len(rows)):
            online.partial_fit(rows[i : i + 1], labels[i : i + 1], classes=[-1, 1])
    assert online.exact_weights().fractions() == w


@given(problems(), st.sampled_from(["update", "positive", "negative"]), st.integers(0, 5))
def test_pocket_votes_and_kernels_are_those_of_the_fractions(tmp_path_factory, problem, tie, seed):
    rows, labels = problem
    truth = fractions_of(rows)
    best, history, done = reference.pocket(truth, labels, tie=tie, max_updates=20, random_state=seed)
    pocket = sx.Pocket(init="zero", tie=tie, max_updates=20, random_state=seed).fit(rows, labels)
    assert pocket.exact_weights().fractions() == best
    assert (pocket.n_updates_, pocket.n_errors_) == (done, len(history[-1][1]))
    visits = []
    reference.perceptron(truth, labels, tie=tie, max_iter=3, history=visits)
    voted = sx.VotedPerceptron(tie=tie, max_iter=3).fit(rows, labels)
    votes = [reference.votes(visits, [*row, Fraction(1)], tie) / len(visits) for row in truth]
    assert voted.decision_function(rows).tolist() == votes
    path = tmp_path_factory.getbasetemp() / "wide-model.json"
    sx.save_model(voted, path)
    assert sx.load_model(path).decision_function(rows).tolist() == votes
    for kernel, degree, coef0 in (("linear", 1, 0.0), ("poly", 2, 0.5)):
        gram = reference.polynomial_gram(truth, truth, degree=degree, gamma=1.0, coef0=coef0)
        trace, _, _, ended = reference.dual_perceptron(gram, labels, tie=tie, max_iter=4)
        machine = sx.KernelPerceptron(kernel=kernel, degree=degree, gamma=1.0, coef0=coef0, tie=tie, max_iter=4, record=True)
        machine.fit(rows, labels)
        assert machine.mistakes_.tolist() == trace
        assert machine.converged_ == ended
        sx.save_model(machine, path)
        assert sx.load_model(path).predict(rows).tolist() == machine.predict(rows).tolist()


@given(problems())
def test_all_other_classifiers_take_them(problem):
    rows, labels = problem
    separable = sx.decide(rows, labels).separable
    assert sx.LinearProgramClassifier().fit(rows, labels).predict(rows).shape == (len(rows),)
    assert sx.LeastSquaresClassifier().fit(rows, labels).predict(rows).shape == (len(rows),)
    if separable:
        assert sx.MaxMargin().fit(rows, labels).predict(rows).tolist() == labels


@given(problems())
def test_more_than_two_classes(problem):
    rows, _ = problem
    codes = [k % 3 for k in range(len(rows))]
    if len(rows) < 3:
        return
    trace, w, *_ = reference.kesler(fractions_of(rows), codes, 3, max_iter=5)
    p = sx.Perceptron(max_iter=5, record=True).fit(rows, codes)
    assert p.mistakes_.tolist() == [i for i, _ in trace]
    assert p.exact_weights().fractions() == w


FORMS = {
    "pandas": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "polars": lambda values: pl.DataFrame({"x": values}),
    "pyarrow": lambda values: pa.table({"x": pa.array(values)}),
    "array": lambda values: np.array(values, object)[:, None],
}


@pytest.mark.parametrize("form", FORMS)
def test_decimals_in_tables_of_any_kind(form):
    for values, status in (
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], "overlapping"),
        ([Decimal("0.10"), Decimal("0.30"), Decimal("0.10")], "separable"),
        (
            [Decimal("12345678901234567890.5"), Decimal("12345678901234567890.6"), Decimal("12345678901234567890.5")],
            "separable",
        ),
    ):
        rows = FORMS[form](values)
        verdict = sx.decide(rows, [0, 1, 0])
        assert verdict.status == status
        assert verdict.certificate.problem.numbers == "decimal"
        assert verdict.certificate.problem.digest == sx.decide(FORMS["array"](values), [0, 1, 0]).certificate.problem.digest


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_beyond_what_float64_holds(dtype):
    X = np.array([[2**62], [2**62 + 1]], dtype)
    assert sx.decide(X, [0, 1]).separable  # float64 would not tell them apart
    assert sx.decide(pl.DataFrame({"x": X[:, 0]}), [0, 1]).separable
    assert read_rows(X).wide is not None
    assert read_rows(X // 2**40).wide is None


def test_what_is_too_long_is_refused_with_its_place():
    many = np.zeros((100_001, 1), object)
    many[7] = 2**60 + 1
    with pytest.raises(ValueError, match=r"X holds 1152921504606846977 in row 7, column 0, which .* more than 53 bits, and"):
        sx.decide(many, np.arange(len(many)) % 2)
    many[7] = Fraction(1, 3)  # which has a denominator that fits
    assert read_rows(many).denominator == 3
    frame = pd.DataFrame({"a": [0, 1], "b": pd.Series([1, 10**400], dtype=object)})
    with pytest.raises(ValueError, match=r"X holds 1000.*… \(401 characters\) in row 1, column 'b', which .* 1,000 bits"):
        sx.decide(frame, [0, 1])
    for value in (Fraction(1, 3), 2**60 + 1, Decimal("0.1")):
        with pytest.raises(ValueError, match="holds the text 'a' in row 1"):
            sx.decide(np.array([[value], ["a"]], object), [0, 1])
        with pytest.raises(ValueError, match="Input X contains NaN: 1 entry, the first in row 1, column 0"):
            sx.decide([[value], [float("nan")]], [0, 1])
        with pytest.raises(ValueError, match="contains infinity"):
            sx.decide([[value], [Decimal("Infinity")]], [0, 1])
        with pytest.raises(ValueError, match="Complex"):
            sx.decide(np.array([[value], [1j]], object), [0, 1])


def test_rows_that_come_later_may_be_longer():
    p = sx.Perceptron()
    p.partial_fit([[1]], [0], classes=[0, 1])
    p.partial_fit([[Fraction(1, 3)]], [1])
    p.partial_fit([[10**20 + 1]], [1])
    _, w, *_ = reference.perceptron([[Fraction(1)], [Fraction(1, 3)], [Fraction(10**20 + 1)]], [-1, 1, 1], max_iter=1)
    assert p.exact_weights().fractions() == w


@given(st.lists(problems(max_rows=3), min_size=2, max_size=3))
def test_votes_of_batches_of_any_kind(tmp_path_factory, batches):
    d = min(len(rows[0]) for rows, _ in batches)
    cut = [([row[:d] for row in rows], labels) for rows, labels in batches]
    voted, truth, signs = sx.VotedPerceptron(), [], []
    for rows, labels in cut:
        voted.partial_fit(rows, labels, classes=[-1, 1])
        truth += fractions_of(rows)
        signs += labels
    visits = []
    reference.perceptron(truth, signs, max_iter=1, history=visits)
    votes = [reference.votes(visits, [*row, Fraction(1)], "update") / len(visits) for row in truth]
    rows = [row for rows, _ in cut for row in rows]
    assert voted.decision_function(rows).tolist() == votes
    path = tmp_path_factory.getbasetemp() / "batches.json"
    sx.save_model(voted, path)
    assert sx.load_model(path).decision_function(rows).tolist() == votes


def test_rows_that_are_taken_from_others_have_the_same_proofs():
    rows = read_rows([[Fraction(1, 3)], [Fraction(1, 2)], [Fraction(1, 4)]])
    certificate = sx.decide(rows[1:], [0, 1]).certificate
    sx.verify(certificate, [[Fraction(1, 2)], [Fraction(1, 4)]], [0, 1])
    with pytest.raises(sx.InvalidCertificate):
        sx.verify(certificate, [[Fraction(1, 2)], [Fraction(1, 5)]], [0, 1])


def test_long_exponents_are_refused_at_once():
    for text in ("1e-1000000", "1e1000000"):
        with pytest.raises(ValueError, match="takes more than 1,000 bits"):
            sx.decide([[Decimal(text)], [Fraction(1, 3)]], [0, 1])


def test_weights_that_are_set_must_be_float64():
    p = sx.Perceptron().fit([[1], [2]], [0, 1])
    for value, message in ((2**63 - 1, "cannot hold exactly"), (1 + 1j, "Complex"), (Fraction(1, 3), "cannot hold exactly")):
        p.coef_ = [[value]]
        with pytest.raises(ValueError, match=message):
            p.predict([[1]])
    p.coef_ = [[Fraction(1, 2)]]
    assert p.exact_weights().fractions()[0] == Fraction(1, 2)
