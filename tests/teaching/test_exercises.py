"""Exercises: what is delivered is what was asked for, and what is refused does not exist."""

import itertools
import json
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
import reference
from commands import failed, succeeded
from hypothesis import example, given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.exact.squares import has_primitive_vector, is_sum_of_squares, random_vector, without_squares
from separatrix.teaching.exercises import NoExercise, make
from separatrix.teaching.impossible import why_impossible
from separatrix.teaching.request import Request, read_request

TIES = ("update", "positive", "negative")
MISTAKE = re.compile(r"mistake +\+ \(")


def margin_squared(X, y, intercept, by_class=False):
    """The square of the margin by definition, in fractions: the least over all faces that a hull has.

    The nearest point of a hull is that of the affine hull of some of its points; all sets of them are tried.
    """
    if by_class and intercept:
        sides = [[list(map(Fraction, x)) for x, s in zip(X.tolist(), y, strict=True) if s == sign] for sign in (1, -1)]
        points = [
            [a - b for a, b in zip(p, q, strict=True)] for p in sides[0] for q in sides[1]
        ]  # their hull is that of both
        return least_square(points) / 4
    return least_square(reference.lifted(X, y, intercept))


def least_square(points):
    best = None
    for size in range(1, len(points[0]) + 2):
        for chosen in itertools.combinations(points, size):
            found = nearest(chosen)
            if found is not None and (best is None or found < best):
                best = found
    return best


def nearest(points):
    """The squared length of the nearest point of an affine hull, if it is a convex combination; else None."""
    m = len(points)
    rows = [[reference.dot(p, q) for q in points] + [Fraction(1), Fraction(0)] for p in points]
    rows.append([Fraction(1)] * m + [Fraction(0), Fraction(1)])
    for c in range(m + 1):  # Gauss-Jordan
        pivot = next((r for r in range(c, m + 1) if rows[r][c]), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(m + 1):
            if r != c:
                rows[r] = [a - rows[r][c] * b for a, b in zip(rows[r], rows[c], strict=True)]
    shares = [row[-1] for row in rows[:m]]
    if min(shares) < 0:
        return None
    point = [sum((s * p[j] for s, p in zip(shares, points, strict=True)), Fraction(0)) for j in range(len(points[0]))]
    return reference.dot(point, point)


def request(rng):
    """A random request, most of which can be met."""
    asked = {"mistakes": int(rng.randint(1, 16)), "tie": TIES[rng.randint(3)], "fit_intercept": bool(rng.randint(4))}
    asked["dimension"] = int(rng.choice([1, 2, 2, 2, 3]))
    if rng.randint(2):
        asked["kind"] = ("lifted", "geometric")[rng.randint(2)]
        asked["margin_squared"] = Fraction(int(rng.choice([1, 1, 2, 4, 9])), int(rng.choice([1, 2, 5, 13, 17])))
    if rng.randint(2):
        asked["radius_squared"] = int(rng.randint(3, 60))
    if rng.randint(3) == 0:
        asked["rows"] = int(rng.randint(3, 9))
    if rng.randint(4) == 0:
        asked["order"] = rng.permutation(asked.pop("rows", 6)).tolist()
    return asked


def attempt(*given, **asked):
    """An exercise, or the error that says why there is none."""
    try:
        return make(*given, **asked)
    except NoExercise as error:
        return error


def test_two_hundred_requests_are_met_or_refused_with_a_reason():
    rng, met, by_hand = np.random.RandomState(5), 0, 0
    for number in range(1000):
        asked = request(rng)
        made = attempt(seed=number, time_limit=0.25, **asked)
        if isinstance(made, NoExercise):
            assert ("no such exercise" in str(made)) == made.proved
            continue
        met += 1
        check(made, asked, slowly=by_hand < 60 and len(made.y) <= 6)
        by_hand += len(made.y) <= 6
        if met == 200:
            break
    assert met == 200
    assert by_hand >= 30


def check(made, asked, slowly):
    X, y, intercept, tie = made.X, made.y, asked["fit_intercept"], asked["tie"]
    assert X.dtype.kind == "i"
    assert np.abs(X).max() <= 9
    assert X.shape[1] == asked["dimension"]
    assert set(y.tolist()) == {-1, 1}
    assert len({tuple(row) for row in X.tolist()}) == len(X)  # no row twice
    order = asked.get("order", range(len(y)))
    assert len(y) == asked.get("rows", len(order))
    perceptron = sx.Perceptron(tie=tie, fit_intercept=intercept, order=list(order), max_iter=10**6, record=True).fit(X, y)
    assert perceptron.n_mistakes_ == made.mistakes == asked["mistakes"]
    assert perceptron.mistakes_.tolist() == list(made.trace)
    lifted, geometric = (sx.margin(X, y, kind=kind, fit_intercept=intercept, exact=True).squared
                         for kind in ("lifted", "geometric"))  # fmt: skip
    assert (lifted, geometric) == (made.margin_squared, made.geometric_margin_squared)
    if "margin_squared" in asked:
        assert asked["margin_squared"] == (geometric if asked["kind"] == "geometric" else lifted)
    square = max(sum(v * v for v in row) for row in X.tolist()) + intercept
    assert made.radius_squared == square == asked.get("radius_squared", square)
    assert made.mistakes <= made.bound == square / lifted
    if slowly:
        trace, w, passes, halted = reference.perceptron(
            X, y, order=list(order), tie=tie, intercept=intercept, max_iter=10**6
        )
        assert halted
        assert (trace, w, passes) == (list(made.trace), list(made.weights), made.passes)
        assert margin_squared(X, y, intercept) == lifted
        assert margin_squared(X, y, intercept, by_class=True) == geometric


def test_seeds_have_data_of_their_own_and_the_same_every_time():
    texts = [make(6, seed=seed).csv() for seed in range(40)]
    assert len(set(texts)) == 40
    assert [make(6, seed=seed).csv() for seed in range(5)] == texts[:5]


# What is refused does not exist: all data with small coordinates are looked at.


def everything(d, largest, rows, intercept, ties=("update",)):
    """What all sets of different rows of both classes give: mistakes, squares of margins and radius, by tie rule."""
    found = set()
    points = [x for x in itertools.product(range(-largest, largest + 1), repeat=d) if intercept or any(x)]
    for chosen in itertools.permutations(points, rows):
        X, square = np.array(chosen), max(sum(v * v for v in x) for x in chosen) + intercept
        for y in itertools.product((-1, 1), repeat=rows):
            if len(set(y)) == 2 and reference.separability(X, y, intercept)[0] == "separable":
                margins = margin_squared(X, y, intercept), margin_squared(X, y, intercept, by_class=True)
                for tie in ties:
                    trace, *_ = reference.perceptron(X, y, tie=tie, intercept=intercept, max_iter=10**4)
                    found.add((tie, len(trace), *margins, square))
    return found


@pytest.mark.parametrize(
    ("d", "largest", "rows", "intercept"), [(1, 2, 2, True), (1, 3, 3, True), (2, 1, 3, False), (2, 1, 2, True)]
)
def test_refusals_agree_with_all_data_there_are(d, largest, rows, intercept):
    there = everything(d, largest, rows, intercept)
    ks, squares = sorted({each[1] for each in there}), sorted({each[4] for each in there})
    margins = {kind: sorted({each[2 + at] for each in there}) for at, kind in enumerate(("lifted", "geometric"))}
    rng = np.random.RandomState(0)
    refused = 0
    for number in range(25):
        kind = ("lifted", "geometric")[number % 2]
        k = int(rng.choice([*ks, max(ks) + 1, 2 * max(ks), 10**4]))
        square = [
            None,
            margins[kind][rng.randint(len(margins[kind]))],
            Fraction(int(rng.randint(1, 12)), int(rng.randint(1, 12))),
        ]
        gamma, R = square[rng.randint(3)], (None, int(rng.choice(squares)), int(rng.randint(1, 12)))[rng.randint(3)]
        matches = [each for each in there if each[1] == k and gamma in (None, each[3 if kind == "geometric" else 2])
                   and R in (None, each[4])]  # fmt: skip
        asked = {"dimension": d, "largest": largest, "fit_intercept": intercept, "kind": kind, "margin_squared": gamma,
                 "radius_squared": R}  # fmt: skip
        made = attempt(k, rows=rows, time_limit=30, **asked)
        if isinstance(made, NoExercise):
            assert made.proved
            assert not matches, (asked, made)
            refused += 1
        else:
            assert matches
            at = made.geometric_margin_squared if kind == "geometric" else made.margin_squared
            assert (made.mistakes, gamma or at, R or made.radius_squared) == (k, at, made.radius_squared)
    assert refused >= 5


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(["lifted", "geometric"]), st.sampled_from(TIES))
def test_what_exists_is_never_refused(seed, intercept, kind, tie):
    rng = np.random.RandomState(seed)
    d, n, largest = int(rng.randint(1, 4)), int(rng.randint(2, 6)), int(rng.randint(1, 6))
    X, y = rng.randint(-largest, largest + 1, size=(n, d)), rng.permutation([1, -1, *rng.choice([1, -1], n - 2)])
    if not sx.decide(X, y, fit_intercept=intercept).separable or len({tuple(row) for row in X.tolist()}) < n:
        return
    k = sx.Perceptron(tie=tie, fit_intercept=intercept, max_iter=10**6).fit(X, y).n_mistakes_
    square = sx.margin(X, y, kind=kind, fit_intercept=intercept, exact=True).squared
    R = int(np.square(X).sum(axis=1).max()) + intercept
    for given_margin, given_radius, rows in itertools.product((None, square), (None, R), (None, n)):
        asked = read_request(k, dimension=d, rows=rows, margin=None, margin_squared=given_margin, kind=kind, radius=None,
                             radius_squared=given_radius, tie=tie, fit_intercept=intercept, order="cyclic",
                             largest=max(1, int(np.abs(X).max())))  # fmt: skip
        assert why_impossible(asked) is None


def test_reasons_are_given():
    def refusal(*given, **asked):
        with pytest.raises(NoExercise) as error:
            make(*given, **asked)
        assert error.value.proved
        again = pickle.loads(pickle.dumps(error.value))
        assert (str(again), again.proved) == (str(error.value), True)
        return str(error.value)

    assert "at most R^2 / gamma^2, and R^2 = 26 divided by gamma^2 = 1/2 is 52" in refusal(
        60, margin_squared="1/2", radius_squared=26)  # fmt: skip
    assert "R^2 - 1 = 7 is not a sum of 2 squares" in refusal(radius_squared=8)
    assert "R^2 = 7 is not a sum of 3 squares" in refusal(radius_squared=7, fit_intercept=False, dimension=3)
    assert "R^2 = 5/2 is not whole" in refusal(radius_squared="5/2")
    assert "whole numbers up to 9" in refusal(radius_squared=101, dimension=1)
    assert "gamma^2 = 1/4 cannot be attained" in refusal(margin="1/2")
    assert "margin_squared='1/2'" in refusal(margin=2**-0.5)
    assert "gamma^2 = 101 is too large: the rows are so short that it is at most 100" in refusal(
        margin_squared=101, radius_squared=101)  # fmt: skip
    assert "all 480 ways to choose 3 different rows" in refusal(6, dimension=1, rows=3, largest=2)
    assert "R^4 / gamma^2" in refusal(99_999, margin=1, kind="geometric", largest=2)
    assert "gamma^2 is at least 1/8" in refusal(99, largest=1, dimension=1, fit_intercept=True, radius_squared=2)
    assert "there are 9 points, fewer than 10 rows" in refusal(rows=10, largest=1)


def test_a_search_that_fails_says_that_it_proves_nothing():
    with pytest.raises(NoExercise, match="does not mean that there is none") as error:
        make(25, margin=1, radius=5, fit_intercept=False, time_limit=0.5)
    assert not error.value.proved


@pytest.mark.parametrize(("asked", "message"), [
    ({"mistakes": 0}, "mistakes must be a whole number from 1"),
    ({"mistakes": True}, "mistakes must be"),
    ({"dimension": 10}, "dimension must be a whole number from 1 to 9"),
    ({"rows": 1}, "rows must be a whole number from 2"),
    ({"margin": -1}, "margin must be above 0"),
    ({"margin": "1/0"}, "divides by 0"),
    ({"margin": "spam"}, "not a decimal number"),
    ({"margin": 1, "margin_squared": 1}, "not both"),
    ({"kind": "wide"}, "kind must be one of lifted, geometric"),
    ({"tie": "zero"}, "tie must be one of"),
    ({"order": "random"}, "order must be 'cyclic' or the numbers"),
    ({"order": [0, 0, 1]}, "each of the rows"),
    ({"order": 3}, "order must be 'cyclic' or"),
    ({"order": [1, 0], "rows": 3}, "but rows=3"),
    ({"largest": 0}, "largest must be"),
    ({"seed": -1}, "seed must be"),
    ({"time_limit": 0}, "time_limit must be"),
])  # fmt: skip
def test_bad_parameters_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        make(**asked)


# Words and files.


def test_the_solution_shows_every_visit():
    made = make(5, margin_squared="1/2", radius_squared=26, seed=3)
    text = made.solution()
    for visit in made.visits:
        assert f"({', '.join(map(str, visit.weights))})" in text
    assert len(MISTAKE.findall(text)) == 5
    for part in ("R^2 = ||z_", "gamma^2 = ", "= 1/2", "R^2 / gamma^2 = 52", "k = 5 <= 52"):
        assert part in text
    assert made.solution("latex").count(r"\begin{tabular}") == 2
    assert made.solution("markdown").startswith(made.task("markdown").rstrip())
    with pytest.raises(ValueError, match="format='rtf' is not known"):
        made.solution("rtf")


def test_a_long_solution_shows_mistakes_only():
    text = make(100, seed=1).solution()
    assert "those to rows that are right are left out" in text
    assert "  right  " not in text
    assert len(MISTAKE.findall(text)) == 100


@pytest.mark.parametrize("tie", TIES)
def test_the_combination_in_the_solution_is_the_nearest_point(tie):
    made = make(7, seed=2, tie=tie, order=[1, 0, 3, 2])
    text = made.solution()
    assert "in the order 1, 0, 3, 2" in text
    assert (">= 0." in text) == (tie == "positive")


def test_the_file_is_read_as_the_data(tmp_path):
    made = make(4, dimension=3, seed=9)
    made.to_csv(tmp_path / "data.csv")
    data = sx.read_data(tmp_path / "data.csv", label="y")
    assert np.array_equal(np.asarray(data.rows), made.X)
    assert sx.Perceptron().fit(data.rows, data.y).n_mistakes_ == 4


def test_the_command_writes_data_task_and_solution(tmp_path):
    files = [tmp_path / name for name in ("data.csv", "solution.tex", "task.md")]
    succeeded("exercise", "--mistakes", 5, "--seed", 3, "--output", files[0], "--solution", files[1], "--task", files[2])
    made = make(5, seed=3)
    assert files[0].read_text() == made.csv()
    assert files[1].read_text().rstrip() == made.solution("latex").rstrip()
    assert files[2].read_text().rstrip() == made.task("markdown").rstrip()
    assert json.loads(succeeded("exercise", "--seed", 3, "--json")) == json.loads(json.dumps(made.document()))
    printed = succeeded("exercise", "--mistakes", 3, "--margin-squared", "1/2", "--order", "1,0,2,3,4", "--no-intercept")
    assert "in the order 1, 0, 2, 3, 4" in printed
    assert "gamma^2 = " in printed
    assert "at most R^2 / gamma^2" in failed("exercise", "--mistakes", 60, "--margin-squared", "1/2", "--radius-squared", 26)
    assert "--margin-squared 1/2" in failed("exercise", "--margin", "0.70710678")
    assert "must be different files" in failed("exercise", "--output", files[0], "--task", files[0])
    assert "--seed must be" in failed("exercise", "--seed", -1)
    assert "--style must be" in failed("exercise", "--style", "html")


# Sums of squares.


@given(st.integers(0, 400), st.integers(1, 5), st.integers(0, 9))
@example(7, 3, 9)
def test_sums_of_squares_against_all_vectors(total, parts, largest):
    sums = {0}
    for _ in range(parts):
        sums = {a + v * v for a in sums for v in range(21) if a + v * v <= 400}
    assert is_sum_of_squares(total, parts) == (total in sums)
    small = {0}
    for _ in range(parts):
        small = {a + v * v for a in small for v in range(largest + 1)}
    found = random_vector(total, parts, np.random.RandomState(total), largest)
    assert (found is not None) == (total in small)
    if found is not None:
        assert sum(v * v for v in found) == total
        assert max(map(abs, found)) <= largest


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5])
def test_primitive_vectors_against_all_vectors(parts):
    largest = {1: 60, 2: 60, 3: 18, 4: 10, 5: 7}[parts]
    lengths = {sum(v * v for v in w) for w in itertools.product(range(largest + 1), repeat=parts) if np.gcd.reduce(w) == 1}
    for multiple in range(1, largest**2 // 4):
        there = any(multiple * v * v in lengths for v in range(1, largest) if multiple * v * v <= largest**2)
        assert has_primitive_vector(multiple, parts) == there, multiple


@given(st.integers(1, 5000))
def test_squares_are_taken_out(number):
    free, root = without_squares(number)
    assert free * root**2 == number
    assert not any(free % (f * f) == 0 for f in range(2, 71))


def test_a_request_knows_its_planes():
    asked = Request(mistakes=1, dimension=2, rows=None, margin_squared=Fraction(8, 9), kind="geometric", radius_squared=None,
                    tie="update", intercept=True, order=None, largest=9)  # fmt: skip
    free, root, below = asked.normals
    assert Fraction(free * root**2, below) == 4 * asked.margin_squared
