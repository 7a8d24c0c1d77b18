"""Step tables, line by line, against literal loops in fractions."""

import csv
import io
import json
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from fits import fitted
from hypothesis import given
from hypothesis import strategies as st
from reference import dot, dual_perceptron, kesler, lifted, mean, perceptron, perceptron_lines, pocket, polynomial_gram
from strategies import TIES, problems
from traces import FEW

import separatrix as sx
from separatrix.tracing import steps as module

ORDERS = st.sampled_from(["cyclic", "shuffle", "explicit"])
STARTS = st.sampled_from([None, 1, 0.5, Fraction(1, 3)])


def as_order(name, n):
    return np.random.RandomState(3).permutation(n).tolist() if name == "explicit" else name


def start_of(value, d, intercept):
    return {} if value is None else {"coef_init": [value] * d, **({"intercept_init": -value} if intercept else {})}


def shown(step):
    return step.step, step.passed, step.row, step.score, step.mistake, step.update and list(step.update), list(step.weights)


def assert_same_lines(table, lines):
    assert [shown(each) for each in table] == lines
    made = 0
    for each, (*_, mistake, _, _) in zip(table, lines, strict=True):
        made += mistake
        assert each.mistakes == made


@given(problems(), ORDERS, TIES, st.booleans(), st.sampled_from([1, 4, 30]), st.sampled_from(["1", "0.1", "3"]), STARTS,
       st.booleans(), st.booleans())  # fmt: skip
def test_two_classes(problem, order, tie, intercept, max_iter, eta, start, record, sparse):
    X, y = problem
    order = as_order(order, len(X))
    more = start_of(start, X.shape[1], intercept)
    model = fitted(X, y, order=order, tie=tie, fit_intercept=intercept, max_iter=max_iter, eta0=eta, random_state=7,
                   record=record, **more)  # fmt: skip
    first = None if start is None else [Fraction(start)] * X.shape[1] + ([-Fraction(start)] if intercept else [])
    lines = perceptron_lines(X, y, order=order, tie=tie, max_iter=max_iter, eta=Fraction(eta), start=first,
                             intercept=intercept, random_state=7)  # fmt: skip
    rows = sp.csr_array(X) if sparse else X
    table = sx.steps(model, rows, y, star=False, **more)
    assert_same_lines(table, lines)
    assert table.whole
    assert table.visits == len(lines)
    assert table.mistakes == model.n_mistakes_ == sum(line[4] for line in lines)
    assert all(each.alignment is None for each in table)
    mistaken = sx.steps(model, rows, y, star=False, mistakes_only=True, **more)
    assert [shown(each) for each in mistaken] == [line for line in lines if line[4]]
    k = 1 + len(lines) // 2
    begun = sx.steps(model, rows, y, star=False, first=k, **more)
    assert_same_lines(begun, lines[:k])
    assert begun.whole == (k == len(lines))


@given(problems(), TIES, st.booleans(), st.booleans())
def test_terms_of_the_proof(problem, tie, intercept, mine):
    X, y = problem
    model = fitted(X, y, tie=tie, fit_intercept=intercept, max_iter=5, eta0=0.5)
    star = list(range(1, X.shape[1] + intercept + 1)) if mine else None
    table = sx.steps(model, X, y, star=star)
    Z = lifted(X, y, intercept)
    if mine:
        assert table.star == tuple(star)
    elif table.star is not None:
        assert all(number.denominator == 1 for number in table.star)
        winner = {"positive": 1, "negative": -1}.get(tie)
        assert all(dot(table.star, z) > 0 for z, label in zip(Z, y, strict=True) if any(z) or label != winner)
    else:
        with pytest.raises(sx.NotSeparable):
            sx.margin(X, y, fit_intercept=intercept)
    before = [Fraction(0)] * len(Z[0])
    for each in table:
        after = list(each.weights)
        if each.mistake:
            assert each.cross == 2 * dot(before, each.update) <= 0
            assert each.square == dot(each.update, each.update)
            assert dot(after, after) == dot(before, before) + each.cross + each.square
            assert table.star is None or each.alignment == dot(table.star, each.update)
        else:
            assert (each.update, each.cross, each.square, each.alignment) == (None,) * 4
        before = after


def test_the_star_is_the_direction_of_the_margin():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y)
    weights = sx.margin(X, y, exact=True).weights.fractions()
    assert table.star == (2, 2, -3)
    assert len({a / b for a, b in zip(weights, table.star, strict=True)}) == 1


@given(problems(), TIES, st.booleans(), st.booleans(), st.sampled_from(["1", "1/3"]), st.booleans())
def test_what_the_star_promises_of_each_update(problem, tie, intercept, mine, eta, weighted):
    X, y = problem
    weights = [0.5 + k for k in range(len(X))] if weighted else None
    model = fitted(X, y, tie=tie, fit_intercept=intercept, max_iter=6, eta0=eta, sample_weight=weights)
    star = [1] * (X.shape[1] + intercept) if mine else None
    table = sx.steps(model, X, y, star=star, sample_weight=weights)
    if table.star is None:
        assert (table.star_score, table.star_growth, table.gamma_squared, table.star_squared) == (None,) * 4
        return
    Z = lifted(X, y, intercept)
    winner = {"positive": 1, "negative": -1}.get(tie)
    erring = [k for k, z in enumerate(Z) if any(z) or y[k] != winner]
    steps = [Fraction(eta) * Fraction(1 if weights is None else weights[k]) for k in range(len(Z))]
    assert table.star_squared == dot(table.star, table.star)
    assert table.star_score == min((dot(table.star, Z[k]) for k in erring), default=None)
    assert table.star_growth == min((steps[k] * dot(table.star, Z[k]) for k in erring), default=None)
    assert all(each.alignment >= table.star_growth for each in table if each.mistake)
    if table.star_score is None or table.star_score <= 0:
        assert table.gamma_squared is None
        assert "gamma" not in table.explain()
        return
    assert table.gamma_squared * table.star_squared == table.star_score**2
    if not weighted:
        assert table.star_growth == Fraction(eta) * table.star_score
    if not mine and tie == "update":
        assert table.gamma_squared == sx.margin(X, y, fit_intercept=intercept, exact=True).squared


def test_updates_on_rows_that_are_not_nearest_grow_by_more_than_the_margin():
    X, y = [[-5, -2], [6, 2], [0, 2], [9, -5]], [-1, 1, 1, 1]
    table = sx.steps(sx.Perceptron().fit(X, y), X, y)
    assert table.gamma_squared == Fraction(227, 65)
    smallest = min(each.alignment for each in table if each.mistake)
    assert smallest**2 / table.star_squared == Fraction(169744, 14755)
    assert smallest > table.star_growth == table.star_score


@given(problems(), TIES, st.booleans(), st.booleans())
def test_decisions(problem, tie, intercept, mistakes_only):
    X, y = problem
    names = np.where(y > 0, "yes", "no")
    table = sx.steps(fitted(X, names, tie=tie, fit_intercept=intercept, max_iter=4), X, names, mistakes_only=mistakes_only)
    zero = {"update": None, "positive": "yes", "negative": "no"}[tie]
    for each in table:
        assert each.label == names[each.row]
        assert each.decision == ("yes" if each.score > 0 else "no" if each.score < 0 else zero)
        assert each.mistake == (each.decision != each.label)


@FEW
@given(problems(), TIES, st.booleans(), st.sampled_from([1, 20]))
def test_the_order_random_shows_its_updates(problem, tie, intercept, max_iter):
    X, y = problem
    model = fitted(X, y, order="random", tie=tie, fit_intercept=intercept, max_iter=max_iter, random_state=3)
    history = []
    trace, _, _, _ = perceptron(X, y, order="random", tie=tie, max_iter=max_iter, intercept=intercept, random_state=3,
                                history=history)  # fmt: skip
    for only in (False, True):
        table = sx.steps(model, X, y, mistakes_only=only)
        assert [each.row for each in table] == trace
        assert [list(each.weights) for each in table] == history
        assert [each.step for each in table] == list(range(1, len(trace) + 1))


@FEW
@given(problems(), ORDERS, st.lists(st.sampled_from([0.1, 1.0, 3.0, 0.75, 1e-5, 0.0]), min_size=9, max_size=9), TIES)
def test_weights_of_rows_multiply_updates_and_rows_of_weight_zero_are_left_out(problem, order, steps, tie):
    X, y = problem
    weights = np.array(steps[: len(X)])
    weights[:2] = 1.0
    weights[-2:] = 0.5  # rows of both classes stay
    n = len(X)
    order = as_order(order, n) if order == "explicit" else "cyclic"
    if len(set(y[weights > 0])) < 2:
        return
    model = fitted(X, y, order=order, tie=tie, max_iter=5, sample_weight=weights)
    kept = np.flatnonzero(weights)
    places = {int(row): place for place, row in enumerate(kept)}
    inner = order if isinstance(order, str) else [places[i] for i in order if i in places]
    lines = perceptron_lines(X[kept], y[kept], order=inner, tie=tie, max_iter=5, weights=weights[kept])
    table = sx.steps(model, X, y, sample_weight=weights, star=False)
    assert_same_lines(table, [(*line[:2], int(kept[line[2]]), *line[3:]) for line in lines])


@given(problems(), ORDERS, TIES, st.booleans(), st.sampled_from([1, 7]), st.booleans())
def test_the_mean_of_the_weights(problem, order, tie, intercept, max_iter, mistakes_only):
    X, y = problem
    order, history = as_order(order, len(X)), []
    model = fitted(X, y, order=order, tie=tie, fit_intercept=intercept, max_iter=max_iter, random_state=1, average=True)
    perceptron(X, y, order=order, tie=tie, max_iter=max_iter, intercept=intercept, random_state=1, history=history)
    table = sx.steps(model, X, y, star=False, mistakes_only=mistakes_only)
    for each in table:
        assert list(each.mean) == mean(history[: each.step])
    if not mistakes_only:
        assert list(table[-1].mean) == model.exact_weights().fractions()


@FEW
@given(problems(), st.integers(3, 4), TIES, st.booleans(), st.sampled_from(["cyclic", "shuffle", "random"]), st.booleans())
def test_more_than_two_classes(problem, classes, tie, intercept, order, average):
    X, _ = problem
    X = np.vstack([X, X[:2] + 1])
    codes = np.arange(len(X)) % classes if len(X) >= classes else None
    if codes is None or len(set(codes.tolist())) < 3:
        return
    model = fitted(X, codes, order=order, tie=tie, fit_intercept=intercept, max_iter=3, random_state=2, average=average)
    history = []
    trace, _, _, _ = kesler(X, codes, int(codes.max()) + 1, order=order, tie=tie, intercept=intercept, max_iter=3,
                            random_state=2, history=history)  # fmt: skip
    table = sx.steps(model, X, codes)
    assert [list(each.weights) for each in table] == history
    assert [(each.row, each.rival) for each in table if each.mistake] == trace
    width = X.shape[1] + intercept
    before = [Fraction(0)] * (width * (int(codes.max()) + 1))
    for each in table:
        row = [*map(Fraction, X[each.row].tolist()), *([Fraction(1)] if intercept else [])]
        scores = [dot(before[k : k + width], row) for k in range(0, len(before), width)]
        assert list(each.scores) == scores
        best = [k for k, score in enumerate(scores) if score == max(scores)]
        tied = {"update": None, "negative": best[0], "positive": best[-1]}[tie]
        assert each.decision == (best[0] if len(best) == 1 else tied)
        if each.mistake:
            assert each.cross == 2 * dot(before, each.update)
            assert each.square == dot(each.update, each.update)
        before = list(each.weights)
    if average:
        assert list(table[-1].mean) == mean(history)


@FEW
@given(problems(kinds=("integers", "halves", "xor", "duplicates", "zeros")), TIES, st.booleans(), st.integers(1, 3),
       st.sampled_from([None, [1.0, 0.5, 2.0]]))  # fmt: skip
def test_kernels(problem, tie, intercept, degree, weights):
    X, y = problem
    weights = None if weights is None else np.resize(weights, len(X))
    model = fitted(X, y, kind=sx.KernelPerceptron, kernel="poly", degree=degree, gamma=0.5, coef0=1.0, tie=tie,
                   fit_intercept=intercept, max_iter=6, sample_weight=weights)  # fmt: skip
    K = polynomial_gram(X, X, degree=degree, gamma=0.5, coef0=1.0, intercept=intercept)
    trace, alpha, passes, _ = dual_perceptron(K, y, tie=tie, max_iter=6, weights=weights)
    table = sx.steps(model, X, y, sample_weight=weights)
    assert len(table) == passes * len(X)
    assert [each.row for each in table if each.mistake] == trace
    assert list(table[-1].weights) == alpha
    before = [Fraction(0)] * len(X)
    for each in table:
        assert each.score == dot(before, K[each.row])
        if each.mistake:
            step = each.update[0]
            assert each.cross == 2 * step * each.score
            assert each.square == step * step * K[each.row][each.row]
        before = list(each.weights)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed", lambda a, b: (a @ b.T) ** 2])
def test_other_kernels(kernel):
    X, y = sx.examples.load("xor")
    if kernel == "precomputed":
        X = (X @ X.T + 1) ** 2
    model = fitted(X, y, kind=sx.KernelPerceptron, kernel=kernel, max_iter=20, order="shuffle", random_state=0)
    table = sx.steps(model, X, y)
    assert table.mistakes == model.n_mistakes_
    with pytest.raises(ValueError, match="leave star out"):
        sx.steps(model, X, y, star=[1, 2, 3])


@FEW
@given(problems(), TIES, st.booleans(), st.sampled_from([3, 150]), st.integers(0, 2), st.booleans(), st.booleans(),
       st.sampled_from([None, Fraction(1, 3)]))  # fmt: skip
def test_the_pocket(problem, tie, intercept, most, restarts, average, weighed, start):
    X, y = problem
    weights = np.resize([1.0, 0.1, 3.0], len(X)) if weighed else None
    more = start_of(start, X.shape[1], intercept)
    model = fitted(X, y, kind=sx.Pocket, init="zero", tie=tie, fit_intercept=intercept, max_updates=most, restarts=restarts,
                   average=average, random_state=5, sample_weight=weights, **more)  # fmt: skip
    first = None if start is None else [start] * X.shape[1] + ([-start] if intercept else [])
    _, history, updates = pocket(X, y, tie=tie, start=first, weights=weights, intercept=intercept, max_updates=most,
                                    restarts=restarts, every=100 if average else 0, random_state=5)  # fmt: skip
    table = sx.steps(model, X, y, sample_weight=weights, **more)
    assert len(table) == updates
    assert table.start_errors == len(history[0][1])
    filled = {k for k, _, _ in history} - {0}
    assert {each.step for each in table if each.kept} == filled
    Z = lifted(X, y, intercept)
    for each in table:
        wrong = [i for i in range(len(Z)) if perceptron_errs(each.weights, Z[i], y[i], tie)]
        assert each.errors == len(wrong)
        assert each.load == (None if weights is None else sum(Fraction(float(weights[i])) for i in wrong))
        assert each.mistake


def perceptron_errs(w, z, label, tie):
    from reference import is_mistake

    return is_mistake(dot(w, z), label, tie)


@FEW
@given(problems(), ORDERS, TIES, st.booleans())
def test_votes(problem, order, tie, intercept):
    X, y = problem
    order = as_order(order, len(X))
    model = fitted(X, y, kind=sx.VotedPerceptron, order=order, tie=tie, fit_intercept=intercept, max_iter=4, random_state=0)
    lines = perceptron_lines(X, y, order=order, tie=tie, intercept=intercept, max_iter=4, random_state=0)
    table = sx.steps(model, X, y, star=False)
    assert_same_lines(table, lines)
    ends = [each.votes for each, later in zip(table, [*table[1:], None], strict=True) if later is None or later.mistake]
    survivals = model.survivals_.tolist()
    assert ends == (survivals[1:] if table[0].mistake else survivals)


@FEW
@given(problems(), TIES, st.integers(1, 4), st.booleans(), st.sampled_from(["cyclic", "shuffle", "reversed"]))
def test_rows_that_were_given_one_after_another(problem, tie, size, record, order):
    X, y = problem
    order = list(range(len(X)))[::-1] if order == "reversed" else order
    model = sx.Perceptron(tie=tie, record=record, order=order, random_state=0)
    for k in range(0, len(X), size):
        model.set_params(order="cyclic").partial_fit(X[k : k + size], y[k : k + size], classes=[-1, 1])
    model.set_params(order=order)
    table = sx.steps(model, X, y, star=False)
    assert_same_lines(table, perceptron_lines(X, y, tie=tie, max_iter=1))


def test_decimals_of_text_are_decimals(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n0.1,0.3,0\n0.2,0.6,1\n0.3,0.7,0\n")
    data = sx.read_data(path, "y")
    model = fitted(data.rows, data.y, eta0="0.1", max_iter=50)
    table = sx.steps(model, data)
    assert list(table) == list(sx.steps(model, data.rows, data.y))
    with pytest.raises(ValueError, match="do not give y"):
        sx.steps(model, data, data.y)
    assert table[0].update == (Fraction(-1, 100), Fraction(-3, 100), Fraction(-1, 10))
    assert table.features == ("a", "b")
    cells = list(csv.DictReader(io.StringIO(table.csv())))
    assert (cells[0]["w[a]"], cells[0]["w[b]"], cells[0]["b"]) == ("-0.01", "-0.03", "-0.1")


# What it looks like.


def test_the_forms_of_the_table_say_the_same():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron(eta0=Fraction(1, 3)).fit(X, y), X, y)
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns()
    assert frame["w[x1]"].tolist() == [each.weights[0] for each in table]
    assert table.to_pandas(floats=True)["b"].tolist() == [float(each.weights[-1]) for each in table]
    polars = table.to_polars()
    assert polars.columns == table.columns()
    assert list(map(Fraction, polars["b"])) == [each.weights[-1] for each in table]
    document = json.loads(json.dumps(table.document()))
    assert list(map(Fraction, document["columns"]["score"])) == [each.score for each in table]
    assert document["columns"]["mistake"] == [each.mistake for each in table]
    cells = list(csv.DictReader(io.StringIO(table.csv())))
    assert [Fraction(each["w*.u"]) for each in cells if each["w*.u"]] == [each.alignment for each in table if each.mistake]
    assert {each["mistake"] for each in cells} == {"yes", "no"}
    assert len(table.to_markdown().splitlines()) == len(table) + 2
    assert r"\frac{1}{3}" in table.to_latex()
    assert table.to_latex().count(r"\\") == len(table) + 1
    assert repr(table) == "<StepTable: 36 visits, 18 mistakes>"
    assert "The direction of w* is (2, 2, -3), and ||w*||^2 = 17." in table.explain()
    smallest = "The smallest y w*.x of a row that can be a mistake is 1"
    promise = f"{smallest}, so gamma^2 = 1/17, and w*.u >= 1/3 at every mistake."
    assert promise in table.explain()
    assert (document["||w*||^2"], document["gamma^2"], document["least w*.u"]) == ("17", "1/17", "1/3")
    assert r"\gamma^2 = \frac{1}{17}" in table.explain("latex")
    with pytest.raises(ValueError, match="format='rtf' is not known"):
        table.explain("rtf")


def test_a_file_of_it(tmp_path):
    X, y = sx.examples.load("or")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y, first=3)
    table.to_csv(tmp_path / "steps.csv")
    assert (tmp_path / "steps.csv").read_text() == table.csv()
    assert table.explain().startswith("The first 3 visits of a run of")


def test_names_are_shown_as_text():
    names = ["a|b", "<b>", "c\n"]
    X = {name: [0, 1, 0, 1] for name in names}
    import pandas as pd

    frame = pd.DataFrame(X)
    table = sx.steps(fitted(frame, ["*x*", "y|z", "*x*", "y|z"]), frame, ["*x*", "y|z", "*x*", "y|z"])
    assert r"y\|z" in table.to_markdown()
    assert r"c\n" in table.explain()
    assert "w[a|b]" in table.columns()


# What is refused.


def test_a_table_that_is_too_long(monkeypatch):
    X, y = sx.examples.load("and")
    monkeypatch.setattr(module, "MAX_LINES", 20)
    model = sx.Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=r"would have 36 lines .*mistakes alone, which are 18 \(mistakes_only=True\), or"):
        sx.steps(model, X, y)
    assert len(sx.steps(model, X, y, mistakes_only=True)) == 18
    assert len(sx.steps(model, X, y, first=20)) == 20
    monkeypatch.setattr(module, "MAX_LINES", 10)
    with pytest.raises(ValueError, match=r"would have 18 lines .* the first of them \(first=10\)"):
        sx.steps(model, X, y, mistakes_only=True)
    with pytest.raises(ValueError, match="first"):
        sx.steps(fitted(X, y, kind=sx.Pocket, init="zero", random_state=0, max_updates=50), X, y)


@pytest.mark.parametrize("first", [0, -1, 2.5, "3"])
def test_an_impossible_number_of_lines(first):
    X, y = sx.examples.load("and")
    with pytest.raises(ValueError, match="first must be a whole number"):
        sx.steps(sx.Perceptron().fit(X, y), X, y, first=first)


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("kind", [sx.Perceptron, sx.KernelPerceptron])
def test_other_rows_are_refused(record, kind):
    X, y = sx.examples.load("and")
    more = {"kernel": "linear"} if kind is sx.KernelPerceptron else {}
    model = fitted(X, y, kind=kind, record=record, **more)
    for rows, labels in ((X + 1, y), (X[:, ::-1] * [1, 2], y), (X, 1 - y), (X[::-1], y[::-1])):
        with pytest.raises(ValueError, match="cannot be shown on these rows"):
            sx.steps(model, rows, labels)
    with pytest.raises(ValueError, match="columns"):
        sx.steps(model, X[:, :1], y)


def test_what_cannot_be_repeated():
    X, y = sx.examples.load("and")
    model = fitted(X, y, order="shuffle")
    with pytest.raises(ValueError, match="random_state=None and cannot be repeated"):
        sx.steps(model, X, y)
    recorded = fitted(X, y, order="shuffle", record=True)
    table = sx.steps(recorded, X, y)
    assert [each.row for each in table] == recorded.mistakes_.tolist()
    assert {each.step for each in table} == {None}
    with pytest.raises(ValueError, match="cannot be drawn again"):
        sx.steps(fitted(X, y, kind=sx.Pocket), X, y)


def test_what_has_no_steps():
    X, y = sx.examples.load("and")
    with pytest.raises(TypeError, match="got MaxMargin"):
        sx.steps(sx.MaxMargin().fit(X, y), X, y)
    with pytest.raises(ValueError, match="not fitted"):
        sx.steps(sx.Perceptron(), X, y)
    with pytest.raises(ValueError, match="star has 2 numbers, expected 3"):
        sx.steps(sx.Perceptron().fit(X, y), X, y, star=[1, 2])
    with pytest.raises(ValueError, match="not fitted with coef_init"):
        sx.steps(fitted(X, y, kind=sx.VotedPerceptron), X, y, coef_init=[1, 2])
    three = fitted(X, [0, 1, 2, 1], kind=sx.VotedPerceptron)
    with pytest.raises(ValueError, match="each of 3 classes against the rest"):
        sx.steps(three, X, [0, 1, 2, 1])
    one = three.estimators_[2]
    assert len(sx.steps(one, X, np.array([0, 1, 2, 1]) == 2)) == one.n_visits_
