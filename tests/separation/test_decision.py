"""Verdicts: always one, always proved, equal to brute force, and the same however the problem is written down."""

import itertools
import json
import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris
from strategies import problems

import separatrix as sx
from separatrix import checker
from separatrix.exact import linear_algebra
from separatrix.problem.problem import Problem
from separatrix.separation.search import Search
from separatrix.support.clock import Clock, OutOfTime
from separatrix.support.progress import listening

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def proved(X, y, **options):
    """Decide, and let the stand-alone checker check the certificate against the rows, through its file format."""
    verdict = sx.decide(X, y, **options)
    assert verdict.separable == (verdict.status == "separable")
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, float)
    rows = [
        (int(s), [(j, v) for j, v in enumerate(row) if v]) for row, s in zip(dense.tolist(), verdict.problem.y, strict=True)
    ]
    document = json.dumps(verdict.certificate.document())
    checker.check(checker.parse(document), rows)
    assert json.loads(document)["claim"] == verdict.status
    return verdict


def is_minimal(X, y, witness, **options):
    """Whether the rows cannot be separated, but all proper subsets can."""
    X, y = np.asarray(X), np.asarray(y)
    return not sx.decide(X[witness], y[witness], **options).separable and all(
        len(witness) == 1 or sx.decide(X[np.delete(witness, k)], y[np.delete(witness, k)], **options).separable
        for k in range(len(witness))
    )


# Known answers.


@pytest.mark.parametrize(
    ("gate", "y"), [("and", [0, 0, 0, 1]), ("or", [0, 1, 1, 1]), ("nand", [1, 1, 1, 0]), ("nor", [1, 0, 0, 0])]
)
def test_gates_that_are_separable(gate, y):
    assert proved(SQUARE, y).status == "separable"


@pytest.mark.parametrize("y", [[0, 1, 1, 0], [1, 0, 0, 1]])
def test_xor_and_xnor(y):
    verdict = proved(SQUARE, y)
    assert verdict.status == "overlapping"
    assert verdict.witness.tolist() == [0, 1, 2, 3]
    assert "XOR pattern" in verdict.explain()


@pytest.mark.parametrize("d", [1, 2, 7])
def test_three_collinear_points(d):
    X = np.outer([0.0, 1.0, 2.0], np.arange(1.0, d + 1)) + 0.5
    verdict = proved(X, [0, 1, 0])
    assert verdict.status == "overlapping"
    assert verdict.witness.tolist() == [0, 1, 2]
    assert "segment" in verdict.explain()


@pytest.mark.parametrize(
    ("x", "y", "status"),
    [
        ([-2, -1, 1, 2], [0, 0, 1, 1], "separable"),
        ([-2, 0, 0, 2], [0, 0, 1, 1], "quasi-separable"),
        ([-1, 0, 1, 2], [0, 1, 0, 1], "overlapping"),
    ],
)
def test_the_three_verdicts_on_a_line(x, y, status):
    assert proved(np.reshape(x, (-1, 1)), y).status == status


def test_four_points_of_the_detectseparation_tests():
    assert proved([[-1, 2], [-1, -2], [-2, -2], [2, 2]], [0, 1, 1, 1]).status == "separable"


def test_iris():
    X, y = load_iris(return_X_y=True)
    assert proved(X, y, positive=0).status == "separable"
    assert proved(X[y > 0], y[y > 0]).separable is False
    assert proved(X, y, positive=1).separable is False


def test_breast_cancer_takes_more_than_its_first_ten_features():
    X, y = load_breast_cancer(return_X_y=True)
    assert proved(X, y).status == "separable"
    verdict = proved(X[:, :10], y)
    assert verdict.separable is False
    assert is_minimal(X[:, :10], y, verdict.witness)


@pytest.mark.parametrize("gap", [1e-9, -1e-9])
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_a_small_gap_or_overlap(gap, unit):
    x = np.array([0.0, 1.0, 1.0 + gap, 2.0]) * unit
    assert proved(x[:, None], [0, 0, 1, 1]).separable is (gap > 0)
    assert proved(np.c_[x, x * -4, np.full(4, 0.1)], [0, 0, 1, 1]).separable is (gap > 0)


def boolean(k, functions):
    X = np.array(list(itertools.product([0.0, 1.0], repeat=k)))
    return sum(bool(sx.decide(X, [f >> i & 1 for i in range(2**k)]).separable) for f in functions)


@pytest.mark.parametrize(("k", "count"), [(2, 12), (3, 102)])
def test_boolean_functions(k, count):
    assert boolean(k, range(1, 2**2**k - 1)) == count
    assert boolean(k, [0, 2**2**k - 1]) == 2


def orbits(k):
    """One Boolean function of each kind up to permuting and negating inputs and the output, with the size of its kind."""
    points = list(itertools.product([0, 1], repeat=k))
    place = {point: i for i, point in enumerate(points)}
    maps = [
        [place[tuple(point[p] ^ flip[p] for p in permutation)] for point in points]
        for permutation in itertools.permutations(range(k))
        for flip in itertools.product([0, 1], repeat=k)
    ]
    seen = bytearray(2**2**k)
    for f in range(2**2**k):
        if not seen[f]:
            orbit = {sum((f >> i & 1) << m[i] for i in range(2**k)) for m in maps}
            orbit |= {2**2**k - 1 - g for g in orbit}
            for g in orbit:
                seen[g] = 1
            yield f, len(orbit)


def test_boolean_functions_of_four_inputs():
    """One of each kind; benchmarks/known_answers.py --functions decides all of them one by one."""
    kinds = dict(orbits(4))
    assert sum(kinds.values()) == 2**16
    assert sum(size * boolean(4, [f]) for f, size in kinds.items() if f) == 1880


@pytest.mark.parametrize(("n", "d"), [(5, 1), (6, 2), (7, 3)])
def test_covers_count(n, d):
    X = np.random.RandomState(n).standard_normal((n, d))
    labelings = itertools.product([0, 1], repeat=n)
    count = sum(sx.decide(X, y).separable for y in labelings)
    assert count == 2 * sum(math.comb(n - 1, k) for k in range(d + 1))


# Exactness where floats fail.


def touching(d, n, rng):
    """Rows on both sides of a hyperplane, as close to it as ``2**-44``, in coordinates that hide it."""
    w = rng.integers(-4, 5, d).astype(float)
    w[-1] = 1.0
    X = rng.integers(-(2**10), 2**10, (n, d)) / 2.0**9
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X[:, -1] = -(X[:, :-1] @ w[:-1]) + y * rng.integers(1, 4, n) * 2.0**-44
    scores = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in X.tolist()]
    assert all(s * label > 0 for s, label in zip(scores, y.tolist(), strict=True))
    return X, y


@pytest.mark.parametrize("d", [2, 5, 10, 30])
def test_near_parallel_hulls(d):
    rng = np.random.default_rng(d)
    X, y = touching(d, 6 * d + 10, rng)
    assert proved(X, y).status == "separable"
    # One more point of the wrong class, exactly the mean of two of the others.
    positive = np.flatnonzero(y > 0)
    X = np.vstack([X, (X[positive[0]] + X[positive[1]]) / 2])
    verdict = proved(X, np.append(y, -1.0))
    assert verdict.separable is False
    assert len(X) - 1 in verdict.witness


def float_program(X, y):
    """What a linear program in floating point says: the usual recipe."""
    Z = y[:, None] * np.c_[X, np.ones(len(X))]
    found = linprog(
        [0.0] * Z.shape[1] + [-1.0], A_ub=np.c_[-Z, np.ones(len(Z))], b_ub=np.zeros(len(Z)),
        bounds=[(-1, 1)] * Z.shape[1] + [(None, 1)],
    )  # fmt: skip
    return bool(found.status == 0 and found.x is not None and found.x[-1] > 1e-9)


def one_ulp(scale, apart):
    """Two classes on a diagonal line, apart or overlapping by one unit in the last place."""
    last = np.nextafter(scale, 2 * scale)
    x = np.array([scale / 2, scale, last, 2 * scale]) if apart else np.array([scale / 2, last, scale, 2 * scale])
    return np.c_[x, -x], np.array([-1.0, -1.0, 1.0, 1.0])


SCALES = [1e-300, 1e-150, 1e-9, 1.0, 1e9, 1e150, 1e300]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("apart", [True, False])
def test_one_unit_in_the_last_place(scale, apart):
    X, y = one_ulp(scale, apart)
    assert proved(X, y).separable is apart


def test_a_float_program_errs_there():
    verdicts = [float_program(*one_ulp(scale, apart)) is apart for scale in SCALES for apart in (True, False)]
    assert not all(verdicts)
    rng = np.random.default_rng(2)
    assert not float_program(*touching(2, 22, rng))  # though they are separable, see above


def test_features_in_wildly_different_units():
    X, y = load_iris(return_X_y=True)
    units = np.array([2.0**900, 2.0**-900, 1.0, 2.0**-1000])
    assert proved(X * units, y, positive=0).separable is True
    assert proved((X * units)[y > 0], y[y > 0]).separable is False


def test_weights_of_ratio_1e15():
    X = np.array([[0, 1], [0, -1], [1, 1 - 1e15], [-1, 1e15 - 1], [3, 7], [-5, -2]])
    y = np.array([1, -1, 1, -1, 1, -1])
    verdict = proved(X, y, fit_intercept=False)
    assert verdict.separable is True
    weights = verdict.certificate.separator.weights
    assert weights[0] > (10**15 - 1) * weights[1] > 0
    # A little more than the ratio allows.
    X = np.vstack([X, [[1, -1e16]]])
    assert proved(X, np.append(y, -1), fit_intercept=False).separable is True
    assert proved(np.vstack([X, [[1, -1e16]]]), np.append(y, [-1, 1]), fit_intercept=False).separable is False


@pytest.mark.parametrize("d", [2, 6, 15])
def test_a_planted_obstruction_of_exactly_d_plus_2_rows(d):
    """Far from the hyperplane a simplex of one class, with a point of the other inside."""
    rng = np.random.default_rng(d)
    X = rng.integers(-1000, 1000, (2000, d)).astype(float)
    X = X[np.abs(X[:, 0]) > 100]
    y = np.where(X[:, 0] > 0, 1, -1)
    simplex = np.vstack([np.zeros(d), np.eye(d)]) * (d + 1) * 64 + 5000
    X = np.vstack([X, simplex, simplex.mean(axis=0)])
    y = np.concatenate([y, np.ones(d + 1, int), [-1]])
    shuffled = rng.permutation(len(X))
    verdict = proved(X[shuffled], y[shuffled])
    assert verdict.separable is False
    assert int(np.flatnonzero(shuffled == len(X) - 1)[0]) in verdict.witness
    assert len(verdict.witness) <= d + 2
    # Alone, the simplex and its mean are the only witness, with d + 2 rows.
    assert proved(X[-(d + 2) :], y[-(d + 2) :]).witness.tolist() == list(range(d + 2))


# Random problems of every kind.

SOME = {"max_rows": 8, "max_columns": 3}


@given(problems(**SOME), st.booleans(), st.booleans())
def test_equal_to_brute_force(problem, intercept, sparse):
    X, y = problem
    verdict = proved(sp.csr_array(X) if sparse else X, y, fit_intercept=intercept)
    status, free = reference.separability(X, y, intercept)
    assert verdict.status == status
    assert verdict.separated_rows.tolist() == free


@given(problems(max_rows=40, max_columns=6), st.booleans())
def test_always_one_verdict_always_proved(problem, intercept):
    X, y = problem
    verdict = proved(X, y, fit_intercept=intercept)
    if verdict.separable:
        assert verdict.witness is None
        assert len(verdict.separated_rows) == len(y)
    else:
        assert len(verdict.witness) <= X.shape[1] + intercept + 1


@given(problems(max_rows=12, max_columns=4), st.booleans())
def test_witnesses_are_minimal(problem, intercept):
    X, y = problem
    verdict = sx.decide(X, y, fit_intercept=intercept)
    if not verdict.separable:
        assert is_minimal(X, y, verdict.witness, fit_intercept=intercept)


MODERATE = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "constant", "zeros", "ulps")


@given(problems(kinds=MODERATE, max_rows=14, max_columns=4), st.booleans(), st.integers(0, 2**31 - 1))
def test_the_verdict_does_not_depend_on_how_the_problem_is_written(problem, intercept, seed):
    X, y = problem
    rng = np.random.default_rng(seed)
    verdict = sx.decide(X, y, fit_intercept=intercept)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    twice = rng.integers(0, len(X), 3)
    free = set(verdict.separated_rows.tolist())
    shuffled = proved(X[rows], y[rows], fit_intercept=intercept)
    assert {int(rows[i]) for i in shuffled.separated_rows} == free
    others = {
        "columns": (X[:, columns], y),
        "scaled": (np.ldexp(X, rng.integers(-500, 500, X.shape[1])), y),
        "swapped": (X, -y),
        "repeated": (np.vstack([X, X[twice]]), np.concatenate([y, y[twice]])),
        "sparse": (sp.csr_array(X), y),
    }
    if intercept:
        others["constant"] = (np.c_[X, np.full(len(X), 0.1)], y)
    for name, (A, labels) in others.items():
        other = proved(A, labels, fit_intercept=intercept)
        assert other.status == verdict.status, name
        assert set(other.separated_rows.tolist()) - set(range(len(X), len(labels))) == free, name


@given(problems(kinds=MODERATE, max_rows=14, max_columns=4), st.booleans())
def test_columns_are_a_minimal_set_that_keeps_the_separation(problem, intercept):
    X, y = problem
    verdict = sx.decide(X, y, fit_intercept=intercept)
    columns = verdict.columns
    if verdict.status == "overlapping":
        assert columns is None
        return

    def persists(some):
        if not some:
            return False  # two classes are here, and a constant does not tell them apart
        part = sx.decide(X[:, some], y, fit_intercept=intercept)
        return part.separated_rows.tolist() == verdict.separated_rows.tolist()

    assert persists(columns)
    assert not any(persists([j for j in columns if j != left]) for left in columns)


def test_pivoting_without_any_help_from_floats():
    """The exact procedure alone decides, whatever basis it starts from."""
    rng = np.random.default_rng(0)
    for k in range(30):
        X, y = rng.integers(-3, 4, (12, 3)).astype(float), rng.choice([-1.0, 1.0], 12)
        search = Search(Problem.of(X, y, intercept=bool(k % 2)), Clock())
        search._generate = lambda *_: None  # no linear program
        search._affordable_passes, search._regressed, search._obvious = lambda: 0, lambda: None, None
        search._widened = lambda together: together
        found = search.run()
        status, _ = reference.separability(X, y, bool(k % 2))
        seen = "separable" if found.witness is None else "overlapping" if found.weights is None else "quasi-separable"
        assert seen == status


# What a verdict says.


def test_classes_and_names_and_exceptions():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    verdict = sx.decide(X, names, positive="setosa")
    assert verdict.columns in (["petal length (cm)"], ["petal width (cm)"])
    verdict.require_separable()
    other = sx.decide(X, names, positive="versicolor")
    with pytest.raises(sx.NotSeparable) as caught:
        other.require_separable()
    assert caught.value.certificate.claim == "not-separable"
    sx.verify(caught.value.certificate, X, names)
    copy = pickle.loads(pickle.dumps(caught.value))  # as it must be to come from a worker of a grid search
    assert (str(copy), copy.certificate) == (str(caught.value), caught.value.certificate)
    assert "versicolor" in other.explain()


def test_several_classes_get_no_advice_that_is_wrong():
    """One class against the rest is no multinomial regression: what holds of the one says only half of the other."""
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "c"]
    data = sx.read_data({"x": [1, 2, 3], "y": y}, label="y")
    for source in ((X, y), (data,)):
        with pytest.raises(ValueError, match=r"y holds 3 classes.*positive='a'.*multinomial.*only half"):
            sx.check_separation(*source)
        assert sx.check_separation(*source, positive="b").status == "overlapping"  # though a multinomial one is separated
        with pytest.warns(sx.SeparationWarning, match="no maximum-likelihood estimate"):
            sx.check_separation(*source, positive="a")


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
@pytest.mark.parametrize("y", [[0, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
def test_explanations(style, y):
    verdict = sx.decide(pd.DataFrame(SQUARE, columns=["a_b", "c & d"]), y)
    text = verdict.explain(style)
    assert text.endswith("\n")
    if style == "latex":
        assert r"a\_b" in text
        assert (r"c \& d" in text) or y == [0, 0, 1, 1]
        assert text.count("{") == text.count("}")
    if y == [0, 1, 1, 0]:
        assert "0 > 0" in text
    assert sx.decide(SQUARE, y)._repr_markdown_() == sx.decide(SQUARE, y).explain("markdown")


def test_an_unknown_format():
    with pytest.raises(ValueError, match="'text', 'markdown', 'latex', 'html'"):
        sx.decide(SQUARE, [0, 0, 0, 1]).explain("rtf")


def test_the_inequalities_of_an_explanation_add_up_to_nothing():
    """Read back from the text: the multipliers and the left sides, as a person would add them."""
    verdict = sx.decide([[1, 0], [2, 1], [4, 3]], [0, 1, 0])
    lines = [line.strip() for line in verdict.explain().splitlines() if line.strip().endswith("> 0") and "b" in line]
    assert lines == ["2 * (-w[x1] - b) > 0", "3 * (2*w[x1] + w[x2] + b) > 0", "-4*w[x1] - 3*w[x2] - b > 0"]
    total = {"x1": 0.0, "x2": 0.0, "b": 0.0}
    for line in lines:
        expression = line.removesuffix(" > 0").replace("w[x1]", "x1").replace("w[x2]", "x2")
        for name in total:
            total[name] += eval(expression, {each: float(each == name) for each in total})
    assert total == {"x1": 0.0, "x2": 0.0, "b": 0.0}


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1, 2], [1, 2]], [0, 1], "contradict each other"),
        ([[0], [1], [2]], [0, 1, 0], "lies on the segment"),
        (SQUARE, [0, 1, 1, 0], "XOR pattern"),
        ([[0, 0], [3, 0], [0, 3], [1, 1]], [0, 0, 0, 1], "common point"),
    ],
)
def test_special_shapes_are_named(X, y, words):
    assert words in sx.decide(X, y).explain()


def test_a_row_of_zeros_without_an_intercept():
    verdict = proved([[0.0, -0.0], [1, 1]], [0, 1], fit_intercept=False)
    assert verdict.status == "quasi-separable"
    assert verdict.witness.tolist() == [0]
    assert "all zeros" in verdict.explain()


def test_a_row_of_zeros_beside_rows_that_are_nearly_the_same():
    e = 2.0**-40
    X = [[0, 0], [1 - 2 * e, 1 - 2 * e], [1 - 2 * e, 1 - e]]
    assert proved(X, [-1, -1, 1], fit_intercept=False).separated_rows.tolist() == [1, 2]


def test_a_single_class():
    assert proved([[1.0], [2.0]], ["a", "a"]).status == "separable"
    assert sx.decide([[1.0], [2.0]], ["a", "a"]).columns == []
    assert proved([[1.0], [-2.0]], ["a", "a"], fit_intercept=False).status == "overlapping"
    assert proved([[1.0]], [True]).status == "separable"


def test_more_columns_than_rows():
    X = np.random.default_rng(0).standard_normal((6, 200))
    assert proved(X, [0, 1, 0, 1, 1, 0]).status == "separable"
    X[5] = X[0]
    assert proved(X, [0, 1, 0, 1, 1, 1]).separable is False


@st.composite
def far_apart(draw):
    """Rows of which each number has an exponent of its own: what floats choose by overflows."""
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    n, d, decades = draw(st.integers(3, 6)), draw(st.integers(1, 3)), draw(st.integers(20, 300))
    return rng.choice([0.0, 1.0, -1.0, 1.5, 0.1], (n, d)) * 10.0 ** rng.randint(-decades, decades, (n, d)), rng.randint(
        0, 2, n
    )


@given(far_apart(), st.booleans())
def test_exponents_far_apart(rows_and_labels, intercept):
    X, y = rows_and_labels
    verdict = proved(X, y, fit_intercept=intercept)
    assert verdict.status == reference.separability(X, np.where(y, 1.0, -1.0), intercept)[0]


@pytest.mark.filterwarnings("ignore::separatrix.RoundingWarning")
@settings(max_examples=settings().max_examples // 5)
@given(far_apart(), st.booleans())
def test_errors_and_margins_of_exponents_far_apart(rows_and_labels, intercept):
    X, y = rows_and_labels
    separable = sx.decide(X, y, fit_intercept=intercept).separable
    fewest = sx.least_errors(X, y, fit_intercept=intercept, time_limit=30)
    assert fewest.lower <= fewest.upper
    assert (fewest.upper == 0) == separable
    if separable:
        margin = sx.margin(X, y, fit_intercept=intercept)
        assert 0 < margin.lo_squared <= margin.hi_squared


def test_numbers_larger_than_those_they_are_scaled_by():
    rows = [[6.518515124270356e91, 1e-26, 0.0], [1e211, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 1.723641332219371e215, 0.0]]
    assert proved(rows, [0, 0, 1, 1]).separable


def test_a_solution_that_would_take_too_long_is_not_begun(monkeypatch):
    """It cannot be interrupted. How long it takes depends on the bits of the numbers, and on the machine."""
    now, taken = [0.0], []

    def solving(matrix, right):
        taken.append(linear_algebra.seconds_to_solve(len(matrix), linear_algebra.bits_of(matrix)))
        now[0] += 3 * taken[-1]  # a machine that is slower than one would guess
        return solved(matrix, right)

    solved = linear_algebra.solve
    monkeypatch.setattr("separatrix.separation.gordan.solve", solving)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((40, 8)) * 2.0 ** rng.randint(-900, 900, (40, 8)), rng.randint(0, 2, 40)
    verdict = sx.decide(X, y, time_limit=0.05)
    assert verdict.status == "unknown"
    assert taken
    assert now[0] <= 0.05 + 2 * taken[0]  # the first guess is the only one that is not corrected
    assert linear_algebra.seconds_to_solve(20, 4000) > 100 * linear_algebra.seconds_to_solve(20, 53)


def test_time_limit_is_the_only_road_to_unknown():
    X = np.random.default_rng(0).standard_normal((400, 60))
    y = np.arange(400) % 2
    verdict = sx.decide(X, y, time_limit=1e-9)
    assert (verdict.status, verdict.separable, verdict.certificate, verdict.witness) == ("unknown", None, None, None)
    assert "time limit" in verdict.explain()
    assert "time limit" in repr(verdict)
    with pytest.raises(ValueError, match="not known"):
        verdict.require_separable()
    assert sx.decide(X, y, time_limit=1000).separable is False
    with pytest.raises(ValueError, match="positive number of seconds"):
        sx.decide(X, y, time_limit=0)


def test_what_is_proved_when_the_time_runs_out(monkeypatch):
    def late(*_):
        raise OutOfTime

    monkeypatch.setattr(Search, "_widened", late)
    verdict = sx.decide([[0, 0], [0, 1], [0, 1], [5, 5]], [0, 0, 1, 1], time_limit=100)
    assert (verdict.status, verdict.separable) == ("unknown", False)
    assert verdict.certificate.claim == "not-separable"
    sx.verify(verdict.certificate, [[0, 0], [0, 1], [0, 1], [5, 5]], [0, 0, 1, 1])
    assert verdict.separated_rows is verdict.columns is None
    assert "contradict each other" in verdict.explain()
    with pytest.raises(sx.NotSeparable):
        verdict.require_separable()


def test_progress_is_reported():
    heard = []
    with listening(heard.append):
        sx.decide(np.random.default_rng(0).standard_normal((400, 10)), np.arange(400) % 2)
    assert any("linear program" in told.text for told in heard)


def test_guard():
    table = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "sex": [0, 1, 0, 1, 1, 0]})
    with pytest.warns(sx.SeparationWarning, match="The column 'dose' separates the classes completely"):
        verdict = sx.check_separation(table, [0, 0, 0, 1, 1, 1])
    assert verdict.status == "separable"
    with pytest.warns(
        sx.SeparationWarning, match=r"The column 'dose' separates the classes quasi-completely \(4 of 6 rows\)"
    ):
        sx.check_separation(table.assign(dose=[1, 2, 3, 3, 5, 6], sex=[0, 1, 0, 0, 1, 0]), [0, 0, 0, 1, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = pd.DataFrame({"dose": range(8), "sex": [0, 1] * 4})
        assert sx.check_separation(table, [0, 1, 1, 0, 0, 1, 1, 0]).status == "overlapping"
