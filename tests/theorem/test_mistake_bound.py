"""The bound of the mistakes before any run: by definition, and never exceeded."""

import json
from fractions import Fraction

import numpy as np
import pytest
from commands import XOR, failed, succeeded, written
from fits import fitted
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, lifted
from strategies import TIES, noisy, problems
from traces import FEW, TAME

import separatrix as sx
from separatrix.problem.problem import Problem
from separatrix.theorem.one_pass import Shortfall, hinge_bound, online_pass


@given(problems(max_rows=7, max_columns=4), st.booleans(), TIES, st.booleans())
def test_it_is_what_the_theorem_says(problem, intercept, tie, exact):
    X, y = problem
    found = sx.mistake_bound(X, y, fit_intercept=intercept, tie=tie, exact=exact)
    Z, winner = lifted(X, y, intercept), {"positive": 1, "negative": -1}.get(tie)
    squares = [dot(z, z) for z in Z]
    assert found.radius_squared == max(squares)
    assert found.longest == tuple(i for i, square in enumerate(squares) if square == max(squares))
    some = [i for i, z in enumerate(Z) if any(z) or y[i] != winner] or list(range(len(Z)))
    assert (found.margin is not None) == sx.decide(X[some], y[some], fit_intercept=intercept).separable
    if found.margin is None:
        assert found.bound is found.most_mistakes is None
        proof = found.obstruction.obstruction
        assert set(proof.rows) <= set(some)
        assert all(m > 0 for m in proof.multipliers)
        columns = zip(*(Z[i] for i in proof.rows), strict=True)
        assert all(dot(list(proof.multipliers), list(column)) == 0 for column in columns)
        assert "There is no bound" in found.explain()
        return
    star = found.margin.weights.fractions()
    assert min(dot(Z[i], star) for i in some) ** 2 >= found.margin.lo_squared * dot(star, star)
    lo, hi = found.bound
    exactly = max(squares) / found.margin.lo_squared
    assert found.most_mistakes == exactly.numerator // exactly.denominator
    assert Fraction(lo) <= max(squares) / found.margin.hi_squared <= exactly
    assert hi == float("inf") or exactly <= Fraction(hi)
    if exact:
        assert found.margin.squared is not None
    assert f"at most {found.most_mistakes:,} mistake" in found.explain("text")


@given(problems(kinds=TAME, max_rows=6, max_columns=3), st.booleans(), TIES, st.integers(0, 99))
@FEW
def test_no_run_exceeds_it(problem, intercept, tie, seed):
    X, y = problem
    most = sx.mistake_bound(X, y, fit_intercept=intercept, tie=tie).most_mistakes
    order = np.random.RandomState(seed).permutation(len(y))
    run = fitted(X, y, fit_intercept=intercept, tie=tie, order=order, eta0=0.3, max_iter=300)
    if most is not None:
        assert run.n_mistakes_ <= most
        assert run.n_iter_ <= most + 1


def test_decimals_are_decimals(tmp_path):
    path = written(tmp_path, "a,b,y\n0.1,0.3,0\n0.2,0.6,0\n0.3,0.9,1\n")
    found = sx.mistake_bound(sx.read_data(path, "y"))
    assert found.radius_squared == Fraction(9, 100) + Fraction(81, 100) + 1
    assert found.longest == (2,)
    middle = written(tmp_path, "a,b,y\n0.1,0.3,0\n0.2,0.6,1\n0.3,0.9,0\n", "line.csv")
    assert sx.mistake_bound(sx.read_data(middle, "y")).margin is None


def test_rows_of_zeros_that_are_never_wrong_do_not_count():
    X, y = [[0, 0], [1, 0], [-1, 0], [0, 1]], [1, 1, 1, 0]
    found = sx.mistake_bound(X, y, fit_intercept=False, tie="positive")
    assert found.obstruction.obstruction.rows == (1, 2)
    sx.verify(found.obstruction, X, y)
    assert "z_1 + z_2 = 0" in found.explain()
    found = sx.mistake_bound([[0, 0], [1, 0]], [1, 1], fit_intercept=False, tie="positive")
    assert (found.most_mistakes, found.longest) == (1, (1,))
    with pytest.raises(ValueError, match="tie must be one of"):
        sx.mistake_bound(X, y, tie="zero")


def test_a_star_of_the_bank():
    X, y = sx.examples.load("credit")
    best = sx.mistake_bound(X, y)
    found = sx.mistake_bound(X, y, star=sx.Perceptron().fit(X, y).exact_weights().fractions())
    assert found.most_mistakes == best.most_mistakes == 106_556
    assert found.star_bound > found.bound[1]
    assert "With the w* given" in found.explain()
    assert repr(found) == "<MistakeBound: at most 106,556 mistakes>"
    assert found._repr_markdown_() == found.explain("markdown")


# On the command line.


def test_the_command_says_the_same(tmp_path):
    data = written(tmp_path, "a,b,y\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    result = json.loads(succeeded("mistake-bound", data, "--label", "y", "--json", "--star", "3,2,-4"))
    assert (result["most_mistakes"], result["radius_squared"], result["margin_squared"]) == (51, "3", "1/17")
    assert (result["longest_rows"], result["separable"], result["bound"]) == ([3], True, [51.0, 51.0])
    assert (result["star"]["bound"], result["star"]["margin_squared"]) == (87.0, "1/29")
    text = succeeded("mistake-bound", data, "--label", "y", "--star=3,2,-4")
    assert "makes at most 51 mistakes" in text
    assert "it allows 87 mistakes" in text
    assert r"\gamma" in succeeded("mistake-bound", data, "--label", "y", "--style", "latex")
    assert "line 3 wrong" in failed("mistake-bound", data, "--label", "y", "--star", "-1,2,3")
    assert "expected 3" in failed("mistake-bound", data, "--label", "y", "--star", "1")
    assert "not a decimal number" in failed("mistake-bound", data, "--label", "y", "--star", "1,x,3")
    assert "--tie must be" in failed("mistake-bound", data, "--label", "y", "--tie", "zero")


def test_the_command_proves_that_there_is_none(tmp_path):
    data = written(tmp_path, XOR)
    result = json.loads(succeeded("mistake-bound", data, "--label", "odd", "--json"))
    assert (result["separable"], result["most_mistakes"], result["witness"]) == (False, None, [0, 1, 2, 3])
    text = succeeded("mistake-bound", data, "--label", "odd")
    assert "There is no bound" in text
    assert "lines 2, 3, 4 and 5 add up to zero" in text


def test_audit_has_it_in_json(tmp_path):
    data = written(tmp_path, "a,b,y\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    result = json.loads(succeeded("audit", data, "--label", "y", "--json", "--star", "3,2,-4"))
    assert (result["zero_scores"], result["cosine_steps"], result["cosine_falls"]) == (13, 17, 8)
    assert result["run_bound"] == pytest.approx(50.069, abs=0.001)
    assert result["per_mistake"]["squared_rows"][:3] == [1.0, 4.0, 5.0]
    assert result["star"]["bound"] == 87.0
    assert len(result["star"]["per_mistake"]["alignment"]) == 18
    other = json.loads(succeeded("audit", written(tmp_path, XOR), "--label", "odd", "--json"))
    assert other["growth"] is other["star"] is other["run_bound"] is None
    assert other["hinge"] == {"mistakes": 4, "bound": 4.0, "vacuous": True}


# One pass, by the hinge loss.


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tie", ["update", "negative"])
def test_the_hinge_loss_bounds_one_pass_for_every_direction_and_margin(seed, tie):
    X, y = noisy(80, 3, 0.05 + 0.02 * seed, seed)
    rng = np.random.RandomState(seed + 100)
    problem = Problem.of(X, y)
    mistakes, directions = online_pass(problem, tie, None)
    shortfall, best = Shortfall(problem), hinge_bound(problem, mistakes, directions)
    Z = problem.lifted(list(range(80)))
    R = np.linalg.norm(Z, axis=1).max()
    for u in [*directions, *rng.standard_normal((30, 4))]:
        u = u / np.linalg.norm(u)
        for gamma in 10.0 ** rng.uniform(-2, 1.5, 12):
            loss = np.maximum(0, 1 - Z @ u / gamma).sum()
            exact = (R / gamma + np.sqrt(R * R / gamma**2 + 4 * loss)) ** 2 / 4
            assert mistakes <= exact
            assert exact * (1 - 1e-13) <= shortfall.hinge_at_most(u / gamma)[1] <= exact * (1 + 1e-9)
    assert mistakes <= best.bound <= 80
    assert best.holds
    if best.direction is not None:
        loss = np.maximum(0, 1 - Z @ best.direction / best.gamma).sum()
        assert best.loss == pytest.approx(loss, rel=1e-6)
        assert best.bound == pytest.approx((R / best.gamma + np.sqrt(R**2 / best.gamma**2 + 4 * loss)) ** 2 / 4, rel=1e-6)


def test_its_slope_is_that_of_differences():
    X, y = noisy(60, 2, 0.2, 1)
    shortfall = Shortfall(Problem.of(X, y))
    for seed in range(5):
        v = np.random.RandomState(seed).standard_normal(3)
        _, slope = shortfall.hinge_root(v)
        for j in range(3):
            step = np.eye(3)[j] * 1e-7
            difference = shortfall.hinge_root(v + step)[0] - shortfall.hinge_root(v - step)[0]
            assert slope[j] == pytest.approx(difference / 2e-7, rel=1e-4, abs=1e-5)


def test_without_a_bound_it_does_not_say_that_no_hyperplane_separates():
    """Under a tie rule one may, with rows on itself: the theorem is silent there, and that is all that is known."""
    X, y = [[1, 0], [-1, 0], [0, 1]], [1, 1, 0]
    assert sx.decide(X, y, fit_intercept=False, tie="positive").separable
    bound = sx.mistake_bound(X, y, fit_intercept=False, tie="positive")
    assert repr(bound) == "<MistakeBound: none, no hyperplane has every row strictly right>"
