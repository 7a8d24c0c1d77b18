"""The fewest errors that any hyperplane makes: bounds that are always true, and certificates that prove them."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from packing_reference import fewest, twisted
from sklearn.datasets import load_iris
from strategies import noisy, problems

import separatrix as sx
from separatrix import checker
from separatrix.errors import explanation
from separatrix.errors.lower_bound import LowerBound
from separatrix.exact.dyadic import Dyadic
from separatrix.proof.claims import Leaf
from separatrix.support import progress

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def errors(weights, X, y, costs, intercept):
    """Return the cost of the rows that exact weights have on their wrong side or on themselves."""
    exact = weights.fractions()
    rows = [i for i, z in enumerate(reference.lifted(X, y, intercept)) if reference.dot(exact, z) <= 0]
    return rows, sum((costs[i] for i in rows), Fraction(0))


def check_alone(certificate, X, y):
    """Let the stand-alone checker judge a certificate that was written down and read again."""
    rows = [(int(label), [(j, float(v)) for j, v in enumerate(row) if v]) for row, label in zip(X, y, strict=True)]
    return checker.check(checker.parse(json.dumps(certificate.document())), rows)


@st.composite
def weighted(draw):
    X, y = draw(problems(max_rows=6, max_columns=4))
    kind = draw(st.sampled_from(["none", "whole", "halves", "random", "spread"]))
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    n = len(y)
    weights = {
        "none": None,
        "whole": rng.randint(0, 4, n).astype(float),
        "halves": rng.randint(1, 5, n) / 2.0,
        "random": rng.random_sample(n),
        "spread": 10.0 ** rng.randint(-300, 300, n),
    }[kind]
    return X, y, weights, draw(st.booleans())


@given(weighted())
def test_the_bounds_are_true_and_proved(case):
    X, y, weights, intercept = case
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = sx.least_errors(X, y, sample_weight=weights, fit_intercept=intercept, time_limit=60)
    stored = Dyadic.from_parts(np.append(found.coef, [found.intercept] * intercept))
    rounded, _ = errors(stored, X, y, [Fraction(1)] * len(y), intercept)
    told = any(issubclass(each.category, sx.RoundingWarning) for each in caught)
    assert told == (rounded != found.rows_given_up.tolist())
    costs = [Fraction(1)] * len(y) if weights is None else [Fraction(w) for w in weights]
    optimum = fewest(X, y, intercept, costs)
    assert found.lower <= optimum <= found.upper
    assert found.certificate.errors.least == found.lower
    rows, cost = errors(found.weights, X, y, costs, intercept)
    assert cost == found.upper
    assert rows == found.rows_given_up.tolist()
    assert check_alone(found.certificate, X, y).startswith("Proved")
    sx.verify(found.certificate, X, y)
    if weights is None or np.ptp(np.log2(weights + (weights == 0))) < 100:
        assert found.optimal


def proved(X, y, **options):
    """Find the fewest errors, and let both checkers judge the proof, and the definition the hyperplane."""
    found = sx.least_errors(X, y, **options)
    signs = found.problem.y
    dense = found.problem.X.toarray() if sp.issparse(found.problem.X) else found.problem.X
    assert check_alone(found.certificate, dense, signs).startswith("Proved")
    weights = options.get("sample_weight")
    costs = [Fraction(1)] * len(signs) if weights is None else [Fraction(float(w)) for w in weights]
    rows, cost = errors(found.weights, dense, signs, costs, found.problem.intercept)
    assert (rows, cost) == (found.rows_given_up.tolist(), found.upper)
    assert found.lower <= found.upper
    return found


def bounds(found):
    return found.lower, found.upper


def pentagons():
    """A regular pentagon and, of the other class, its mirror image: contradictions in a ring, of an odd number."""
    angles = 2 * np.pi * np.arange(5) / 5
    ring = np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 3)
    return np.vstack([ring, -ring]), np.repeat([1, -1], 5)


def test_known_answers():
    X, kind = load_iris(return_X_y=True)
    assert bounds(proved(X[kind > 0], kind[kind > 0])) == (1, 1)
    assert bounds(proved(SQUARE, [0, 1, 1, 0])) == (1, 1)
    for name in ("and", "or", "nand"):
        assert bounds(proved(*sx.examples.load(name))) == (0, 0)
    assert bounds(proved([[1], [2], [3]], ["a", "a", "a"])) == (0, 0)
    assert bounds(proved(*sx.examples.load("credit-noisy"))) == (7, 7)


def test_duplicates():
    contrary = proved([[1, 2], [1, 2], [1, 2], [5, 0]], [0, 1, 1, 1])
    assert bounds(contrary) == (1, 1)
    assert contrary.rows_given_up.tolist() == [0]
    many = proved([[7.0]] * 30, [0] * 11 + [1] * 19)
    assert bounds(many) == (11, 11)
    assert len(many.certificate.packing.obstructions) == 1


def test_without_an_intercept():
    assert bounds(proved([[1], [2]], [0, 1])) == (0, 0)
    assert bounds(proved([[1], [2]], [0, 1], fit_intercept=False)) == (1, 1)
    assert bounds(proved([[1, 0], [-1, 0]], [1, 1], fit_intercept=False)) == (1, 1)
    assert bounds(proved([[0, 0], [0, 0], [0, 0]], [1, 1, 0], fit_intercept=False)) == (3, 3)
    assert bounds(proved([[0.0], [1.0], [2.0]], [1, 0, 1], fit_intercept=False, sample_weight=[1.0, 0.0, 0.0])) == (1, 1)


@pytest.mark.parametrize("weights", [[3.0, 1e300], [0.5, 5e-324], [0.3, 0.7]])
def test_rows_that_are_all_given_up(weights):
    found = proved([[0.0], [0.0]], [0, 1], fit_intercept=False, sample_weight=weights)
    assert found.lower == found.upper == sum(map(Fraction, weights))


def test_branching_closes_a_gap():
    X, y = pentagons()
    found = proved(X, y)
    assert bounds(found) == (4, 4)
    assert found.lower == fewest(X, y.tolist(), True)
    assert sum(isinstance(node, Leaf) for node in found.certificate.packing.nodes) > 1
    assert "cases are distinguished, by whether it is right about row" in found.explain()
    cases = explanation._cases(found.problem, found.certificate.errors, found.certificate.packing)
    assert 3 < min(case.total for case in cases) <= 4


def test_branching_begins_where_new_obstructions_do_not_help():
    """There is no end of obstructions that the fractional hitting set meets already."""
    found = proved(*noisy(60, 3, 0.2, seed=7))
    assert found.optimal
    assert len(found.certificate.packing.nodes) > 1


def test_many_rows_are_looked_at_in_samples(monkeypatch):
    X, y = noisy(300, 2, 0.03)
    expected = bounds(proved(X, y))
    drawn = []
    sampled = LowerBound._sampled

    def spied(self, loads):
        drawn.append(sampled(self, loads))
        return drawn[-1]

    monkeypatch.setattr(LowerBound, "_sampled", spied)
    monkeypatch.setattr("separatrix.errors.lower_bound._MAX_NUMBERS_FOR_ALL_GROUPS", 0)
    assert bounds(proved(X, y)) == expected
    assert expected[0] == expected[1] > 0
    sizes = [None if each is None else len(each[1]) for each in drawn]
    assert 20 * 4 in sizes  # of 300, for three dimensions and the sum of the multipliers


def test_rounding_that_makes_errors_is_told_of():
    X, y = [[1], [1], [1 + 2**-52], [1], [1 + 2**-51], [1]], [1, -1, 1, -1, 1, -1]
    with pytest.warns(sx.RoundingWarning, match=r"are 1 of 6 rows; .* weights rounded to float64, .*, [2-6]\. "):
        found = sx.least_errors(X, y)
    assert (found.lower, found.upper) == (1, 1)
    exact = found.weights.fractions()
    signs = [label * (Fraction(x) * exact[0] + exact[1]) for (x,), label in zip(X, y, strict=True)]
    assert sum(sign <= 0 for sign in signs) == 1


@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
def test_columns_that_depend_on_each_other_up_to_rounding():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60) > 0
    wider = np.column_stack([X, X @ rng.standard_normal((3, 2))])  # in floats of the same rank, exactly of a larger one
    found = sx.least_errors(wider, y, time_limit=2)
    assert found.lower > 1
    sx.verify(found.certificate, wider, y)


def test_all_kinds_of_input():
    X, y = noisy(40, 3, 0.1)
    expected = bounds(proved(X, y))
    assert expected[0] == expected[1]
    assert bounds(proved(sp.csr_array(X), y)) == expected
    names = ["left", "right", "up"]
    table = pd.DataFrame(X, columns=names)
    assert bounds(proved(table, y)) == expected
    assert "left" in sx.least_errors(table, y).explain()
    assert bounds(proved(pl.DataFrame(X, schema=names), y)) == expected
    data = sx.read_data(table.assign(y=y), label="y")
    found = sx.least_errors(data)
    assert bounds(found) == expected
    sx.verify(found.certificate, data)
    kinds = np.where(y == 1, "rose", np.where(np.arange(40) % 2, "aster", "tulip"))
    assert bounds(proved(X, kinds, positive="rose")) == expected


def test_weights():
    X, y = noisy(25, 2, 0.2)
    counts = np.arange(25) % 3
    weighed = proved(X, y, sample_weight=counts.astype(float))
    repeated = proved(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert bounds(weighed) == bounds(repeated)
    assert weighed.optimal
    halves = proved(X, y, sample_weight=counts / 2)
    assert bounds(halves) == tuple(Fraction(each) / 2 for each in bounds(repeated))
    alone = proved(SQUARE, [0, 1, 1, 0], sample_weight=[1.0, 1.0, 0.0, 1.0])
    assert bounds(alone) == (0, 0)
    assert bounds(proved(SQUARE, [0, 1, 1, 0], sample_weight=np.zeros(4))) == (0, 0)
    assert bounds(proved(SQUARE, [0, 1, 1, 0], sample_weight=[3.0, 0.25, 2.0, 5.0])) == (Fraction(1, 4), Fraction(1, 4))


def test_weights_of_equal_rows_do_not_coarsen_the_grain():
    """Bounds are rounded up to what divides the weights of all rows, even if more divides those of all groups."""
    X, y = pentagons()
    found = proved(np.vstack([X, X]), np.append(y, y), sample_weight=np.full(20, 0.5))
    assert bounds(found) == (4, 4)


def test_tampered_packings_are_refused():
    X, y = pentagons()
    found = sx.least_errors(X, y)
    document = found.certificate.document()
    bold = json.loads(json.dumps(document))
    bold["errors"]["least"] = "5"
    with pytest.raises(sx.InvalidCertificate, match="Node"):
        sx.verify(sx.Certificate.from_document(bold), X, y)
    rows = [(int(label), [(j, v) for j, v in enumerate(row) if v]) for row, label in zip(X.tolist(), y, strict=True)]
    refused = 0
    for _, other in twisted(document):
        try:
            checker.check(checker.parse(json.dumps(other)), rows)
        except checker.InvalidCertificate:
            refused += 1
        else:
            assert Fraction(other["errors"]["least"]) <= 4 or other["errors"]["costs"] is not None
    assert refused > 100


def test_a_time_limit_leaves_true_bounds():
    X, y = noisy(3000, 12, 0.2)
    found = proved(X, y, time_limit=2)
    assert not found.optimal
    assert not found.interrupted
    assert 0 < found.lower < found.upper <= min((y == 0).sum(), (y == 1).sum())
    assert "its time was up" in found.explain()
    hasty = proved(X[:200], y[:200], time_limit=1e-9)
    assert hasty.lower == 0
    assert "Whether that is necessary is not known" in hasty.explain()


@pytest.mark.parametrize("reports", [1, 4])
def test_ctrl_c_keeps_what_is_proved(reports):
    X, y = noisy(500, 8, 0.2)
    heard = []

    def interrupt(text):
        heard.append(text)
        if len(heard) == reports:
            raise KeyboardInterrupt

    with progress.listening(interrupt):
        found = proved(X, y, time_limit=None)
    assert len(heard) == reports
    assert heard[0].text.startswith("between 0 and ")
    assert found.interrupted
    assert found.upper <= min((y == 0).sum(), (y == 1).sum())
    assert "Ctrl-C ended the search" in found.explain()


def test_bad_arguments():
    for limit in (0, -1, float("nan"), "1"):
        with pytest.raises(ValueError, match="time_limit must be a positive number of seconds, or None"):
            sx.least_errors(SQUARE, [0, 1, 1, 0], time_limit=limit)
        with pytest.raises(ValueError, match="time_limit must be a positive number of seconds, or None"):
            sx.decide(SQUARE, [0, 1, 1, 0], time_limit=limit)
        with pytest.raises(ValueError, match="time_limit must be a positive number of seconds, or None"):
            sx.compare(SQUARE, [0, 1, 1, 0], time_limit=limit)
    for limit in (float("inf"), 1e300, None):
        assert sx.least_errors(SQUARE, [0, 1, 1, 0], time_limit=limit).optimal
    for weights, message in [([1.0], "one weight for each row"), ([1, 1, -1, 1], "Negative values"), ([[1.0]], "1D")]:
        with pytest.raises(ValueError, match=message):
            sx.least_errors(SQUARE, [0, 1, 1, 0], sample_weight=weights)
    with pytest.raises(ValueError, match="classes"):
        sx.least_errors(SQUARE, [0, 1, 2, 0])
    with pytest.raises(ValueError, match="not a class of y"):
        sx.least_errors(SQUARE, [0, 1, 1, 0], positive=7)
    found = sx.least_errors(SQUARE, [0, 1, 1, 0])
    with pytest.raises(ValueError, match="format='rtf' is not known"):
        found.explain("rtf")
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


def test_the_hyperplane_is_short_and_float64():
    found = sx.least_errors(*sx.examples.load("credit-noisy"))
    assert all(weight == float(f"{weight:.8g}") for weight in found.coef.tolist())
    assert found.weights.fractions() == [Fraction(w) for w in [*found.coef.tolist(), found.intercept]]
    assert np.abs(found.coef).max() == 1.0


def test_explanations_of_small_proofs():
    text = sx.least_errors(SQUARE, ["no", "yes", "yes", "no"]).explain()
    assert text.startswith("4 rows, 2 features, 'yes' against 'no'. A hyperplane errs on 1 of them, and none errs on fewer.")
    assert "    (row 1) + (row 2) = (row 0) + (row 3)\n" in text
    assert "every hyperplane errs on at least one of these rows" in text
    text = sx.least_errors([[1], [1], [2], [2]], [0, 1, 0, 1]).explain()
    assert "No row is in two of them: that makes 2 errors." in text
    text = sx.least_errors([[1], [1], [2]], [0, 1, 1]).explain()
    assert "Equal, but labelled differently, are rows 0 and 1" in text
    assert "(row 1) = (row 0)" in text
    text = sx.least_errors(*sx.examples.load("and")).explain()
    assert "The classes are separable" in text
    assert "Why" not in text
    text = sx.least_errors([[0.0], [1.0]], [1, 1], fit_intercept=False).explain()
    assert "On the hyperplane itself, which is an error as well: row 0 (class 1)." in text
    assert "(row 0) = 0" in text
    text = sx.least_errors([[1.0], [2.0]], ["a", "a"]).explain()
    assert "all of one class, 'a'" in text
    assert "It predicts 'a' for every row" in text


def test_explanations_of_large_proofs():
    X, y = sx.examples.load("credit-noisy")
    found = sx.least_errors(X, y)
    text = found.explain()
    assert "hence 7, since errors are whole numbers" in text or "7 errors at least" in text
    assert f"there are {len(found.certificate.packing.obstructions)} contradictions, sets of rows" in text
    wrong = [i for i in found.rows_given_up.tolist() if y[i] == "yes"]
    assert f"rows {', '.join(map(str, wrong[:-1]))} and {wrong[-1]} (class 'yes')" in text
    costly = sx.least_errors(X, y, sample_weight=np.full(200, 0.5))
    text = costly.explain()
    assert "errs on 7 of them, with a weight of 3.5 out of 100 in all, and none errs on less weight" in text
    assert "no row counts for more than its own weight" in text
    assert "```text" in found.explain("markdown")
    assert found._repr_markdown_() == found.explain("markdown")
    latex = found.explain("latex")
    assert r"\text{score} = " in latex
    assert r"\begin{align*}" in latex
