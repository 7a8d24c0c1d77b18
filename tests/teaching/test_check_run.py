"""Runs done by hand: right ones are accepted in every convention, and each planted error is found and named."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from fits import fitted
from hand_runs import LIMIT, as_table, by_hand
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import TIES, problems

import separatrix as sx
from separatrix.teaching.causes import Cause

TAME = ("integers", "halves", "decimals", "duplicates", "zeros", "collinear")
SETS = (("row", "score", "mistake", "weights"), ("row", "weights"), ("score", "mistake", "weights"), ("weights",),
        ("pass", "row", "label", "score", "decision", "mistake", "update", "weights"))  # fmt: skip


def separable(seed):
    """A problem whose run ends soon, its tie rule, and a source of random numbers."""
    rng = np.random.RandomState(seed)
    while True:
        n, d = rng.randint(3, 7), rng.randint(1, 4)
        X = rng.randint(-3, 4, (n, d))
        y = np.where(X @ rng.randint(-2, 3, d) + rng.randint(-1, 2) > 0, 1, -1)
        tie = ("update", "positive", "negative")[rng.randint(3)]
        if len(set(y.tolist())) == 2 and by_hand(X, y, tie=tie)[1]:
            return X, y, tie, rng


def first_difference(one, other, columns):
    for k, (a, b) in enumerate(zip(one, other, strict=False)):
        if any(a[name] != b[name] and not (name == "decision" and 0 in (a[name], b[name])) for name in columns):
            return k
    return None if len(one) == len(other) else min(len(one), len(other))


# Right runs.


@given(problems(kinds=TAME), TIES, st.booleans(), st.sampled_from(["1", "1/3", "0.5"]), st.sampled_from([None, 1, "1/2"]),
       st.sampled_from(["cyclic", "reversed"]), st.sampled_from(SETS), st.sampled_from([0, 1]))  # fmt: skip
def test_right_runs_are_accepted_in_every_convention(problem, tie, intercept, eta, start, order, columns, first_row):
    X, y = problem
    n, d = X.shape
    order = "cyclic" if order == "cyclic" else list(range(n))[::-1]
    w = None if start is None else [Fraction(start)] * (d + intercept)
    lines, ended = by_hand(X, y, tie=tie, intercept=intercept, eta=Fraction(eta), start=w,
                           order=None if order == "cyclic" else order)  # fmt: skip
    begin = {} if w is None else {"coef_init": w[:d], "intercept_init": w[-1] if intercept else None}
    convention = {"tie": tie, "fit_intercept": intercept, "eta0": Fraction(eta), "first_row": first_row, **begin}
    passes = None
    if not ended:  # stopped after whole passes
        passes = LIMIT // n
        lines = lines[: passes * n]
    found = sx.check_run(as_table(lines, columns, first_row), X, y, order=order, max_iter=passes, **convention)
    assert found.right, found.explain()
    if "row" in columns:
        assert sx.check_run(as_table(lines, columns, first_row), X, y, order="any", **convention).right or not ended
    mistakes = [line for line in lines if line["mistake"]]
    if mistakes:
        table = as_table(mistakes, columns, first_row)
        assert sx.check_run(table, X, y, order=order, max_iter=passes, mistakes_only=True, **convention).right
        assert sx.check_run(table, X, y, order=order, max_iter=passes, **convention).right


@given(problems(), TIES, st.booleans(), st.booleans())
def test_what_steps_writes_is_right(problem, tie, intercept, mistakes_only):
    X, y = problem
    model = fitted(X, y, tie=tie, fit_intercept=intercept, max_iter=8)
    assume(model.halted_ and model.n_mistakes_)
    table = sx.steps(model, X, y, mistakes_only=mistakes_only)
    assert sx.check_run(table, X, y, tie=tie, fit_intercept=intercept).right
    assert sx.check_run(table.to_pandas(), X, y, tie=tie, fit_intercept=intercept).right
    assert sx.check_run(table.to_polars(), X, y, tie=tie, fit_intercept=intercept).right


def test_a_run_may_end_within_a_pass_once_all_rows_are_right():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y).to_pandas()
    assert [bool(sx.check_run(table.iloc[:k], X, y)) for k in (32, 33, 34, 35, 36)] == [False, False, True, True, True]


def test_a_line_for_the_start():
    X, y = sx.examples.load("or")
    lines, _ = by_hand(X, np.where(y > 0, 1, -1))
    table = as_table(lines)
    begun = {name: ["(0, 0, 0)" if name == "weights" else "", *cells] for name, cells in table.items()}
    assert sx.check_run(begun, X, y).right
    begun["weights"][0] = "(1, 0, 0)"
    assert not sx.check_run(begun, X, y).right


# Wrong ones.

FAULTS = {
    "tie": (Cause.TIE, False), "bias": (Cause.BIAS, True), "bias always": (Cause.BIAS, False),
    "no-bias": (Cause.BIAS, False), "sign": (Cause.SIGN, True), "sign always": (Cause.SIGN, False),
    "rate": (Cause.RATE, True), "rate always": (Cause.RATE, False), "labels": (Cause.LABELS, False),
    "classes": (Cause.CLASSES, False), "old-score": (Cause.OLD_SCORE, True), "pass-score": (Cause.OLD_SCORE, False),
    "one-update": (Cause.ONE_UPDATE, False),
    "new-score": (Cause.NEW_SCORE, True), "new-score always": (Cause.NEW_SCORE, False), "order": (Cause.ORDER, False),
    "skip": (Cause.SKIPPED, True), "repeat": (Cause.REPEATED, True), "missing": (Cause.MISSED, True),
    "needless": (Cause.NEEDLESS, True), "arithmetic": (Cause.ARITHMETIC, True), "score": (Cause.SCORE, True),
}  # fmt: skip
NEEDS = dict.fromkeys(("bias", "sign", "rate", "new-score", "missing"), True) | {"needless": False}
"""Errors that are made at a mistake only, or at none."""
PROBLEMS = 60


def planted(name, seed):
    """A right run and one with an error, or None if the error makes no difference."""
    X, y, tie, rng = separable(seed)
    right, _ = by_hand(X, y, tie=tie)
    fault, once = name.split()[0], FAULTS[name][1]
    n, d = X.shape
    values = {
        "tie": [each for each in ("update", "positive", "negative") if each != tie][rng.randint(2)],
        "rate": Fraction(1, 2), "order": rng.permutation(n).tolist(), "score": Fraction(1),
        "arithmetic": (rng.randint(d + 1), Fraction(int(rng.choice([-1, 1])))),
    }  # fmt: skip
    possible = [k for k, line in enumerate(right) if NEEDS.get(fault) in (None, line["mistake"])]
    at = int(rng.choice(possible)) if once else None
    wrong, _ = by_hand(X, y, tie=tie, fault=fault, at=at, value=values.get(fault))
    return X, y, tie, right, wrong


@pytest.mark.parametrize("columns", [SETS[0], SETS[-1]], ids=["few columns", "all columns"])
@pytest.mark.parametrize("name", FAULTS)
def test_each_error_is_found_and_named(name, columns):
    cause, tried, first = FAULTS[name][0], 0, 0
    for seed in range(PROBLEMS):
        X, y, tie, right, wrong = planted(name, seed)
        k = first_difference(wrong, right, columns)
        found = sx.check_run(as_table(wrong, columns), X, y, tie=tie, mistakes_only=False)
        assert found.right == (k is None)
        if k is None:
            continue
        tried += 1
        zero = name in ("missing", "needless") and k < len(right) and right[k]["score"] == 0  # then the tie rule is blamed
        first += found.cause == (Cause.TIE if zero else cause)
        assert found.line == k + 1
        assert cause in found.causes, (seed, found.explain())
        assert (found.expected != {}) or found.cause == Cause.OVERRUN or k >= len(right)
    assert tried >= PROBLEMS // 2
    assert first >= 0.85 * tried


@pytest.mark.parametrize("name", ["sign always", "rate always", "bias always", "labels", "classes", "tie", "needless"])
@pytest.mark.parametrize("columns", [("row", "mistake"), ("weights",), ("mistake",)], ids=["marks", "weights", "bare marks"])
def test_few_columns_show_an_error_later_or_not_at_all(name, columns):
    """What does not show cannot be found; what shows is found where it shows, and the cause is among those named."""
    named = tried = 0
    for seed in range(PROBLEMS):
        X, y, tie, right, wrong = planted(name, seed)
        k = first_difference(wrong, right, columns)
        found = sx.check_run(as_table(wrong, columns), X, y, tie=tie, mistakes_only=False)
        if k is None:
            assert found.right
            continue
        tried += 1
        assert found.line == k + 1
        named += FAULTS[name][0] in found.causes
    assert named >= 0.9 * tried


@pytest.mark.parametrize("seed", range(40))
def test_where_it_ends(seed):
    X, y, tie, rng = separable(seed)
    right, _ = by_hand(X, y, tie=tie)
    k = int(rng.randint(1, len(right) - len(X) + 1)) if len(right) > len(X) else None
    if k is not None:
        short = sx.check_run(as_table(right[:k]), X, y, tie=tie, mistakes_only=False)
        assert (short.cause, short.line) == (Cause.STOPPED, k + 1)
        assert short.expected["row"] == right[k]["row"]
    longer = [*right, *right[-len(X) :]]
    found = sx.check_run(as_table(longer), X, y, tie=tie, mistakes_only=False)
    assert (found.cause, found.line) == (Cause.OVERRUN, len(right) + 1)


@pytest.mark.parametrize("seed", range(40))
def test_errors_in_tables_of_mistakes(seed):
    X, y, tie, _ = separable(seed)
    right = [line for line in by_hand(X, y, tie=tie)[0] if line["mistake"]]
    if len(right) < 2:
        return
    for fault, cause in (("sign", Cause.SIGN), ("rate", Cause.RATE), ("bias", Cause.BIAS)):
        lines = by_hand(X, y, tie=tie, fault=fault, value=Fraction(1, 3))[0]
        found = sx.check_run(as_table([line for line in lines if line["mistake"]]), X, y, tie=tie, mistakes_only=True)
        assert (found.line, found.cause) == (1, cause), found.explain()
    short = sx.check_run(as_table(right[:-1]), X, y, tie=tie, mistakes_only=True)
    assert short.cause == Cause.STOPPED


def test_how_rows_are_counted_and_what_is_shown():
    X, y = sx.examples.load("and")
    lines, _ = by_hand(X, np.where(y > 0, 1, -1))
    assert sx.check_run(as_table(lines, first_row=1), X, y).cause == Cause.ROW_NUMBERS
    signed = [{**line, "score": line["score"] * line["label"]} for line in lines]
    assert sx.check_run(as_table(signed), X, y).cause == Cause.SIGNED_SCORE
    before = [[0, 0, 0], *(line["weights"] for line in lines)]
    early = [{**line, "weights": w} for line, w in zip(lines, before, strict=False)]
    assert sx.check_run(as_table(early), X, y).cause == Cause.WEIGHTS_BEFORE
    other = by_hand(X, np.where(y > 0, 1, -1), start=[1, 1, 1])[0]
    assert sx.check_run(as_table(other), X, y).cause == Cause.START
    marked = [{**line, "mistake": line["mistake"] != (k == 5)} for k, line in enumerate(lines)]
    assert sx.check_run(as_table(marked), X, y).cause == Cause.MARK
    decided = [{**line, "decision": -line["decision"] if k == 3 else line["decision"]} for k, line in enumerate(lines)]
    assert sx.check_run(as_table(decided, ("row", "decision", "mistake", "weights")), X, y).cause == Cause.DECISION
    named = as_table(lines, ("weights",)) | {name: [str(line["score"]) for line in lines] for name in ("2 w.u", "|| u ||^2")}
    assert sx.check_run(named, X, y).checked == ("weights", "2 w.u", "|| u ||^2")
    strange = [{**line, "weights": [9, 9, 9], "score": Fraction(77)} if k > 3 else line for k, line in enumerate(lines)]
    assert sx.check_run(as_table(strange), X, y).cause == Cause.UNKNOWN


AND_STAR = (2, 2, -3)
SEPARABLE = "a,b,y\n0.5,1.5,-1\n1.2,-0.3,1\n-0.7,0.4,-1\n2.1,0.8,1\n-0.1,-0.2,-1\n"


def separable_data(tmp_path):
    path = tmp_path / "sep.csv"
    path.write_text(SEPARABLE)
    return sx.read_data(path, "y")


def test_floats_that_somebody_typed_are_decimals(tmp_path):
    data = separable_data(tmp_path)
    begun = {"coef_init": [0.1, -0.3], "intercept_init": 0.7}
    texts = {"coef_init": ["0.1", "-0.3"], "intercept_init": "0.7"}
    for start, written in (({}, {}), (begun, texts)):
        table = sx.steps(fitted(data.rows, data.y, eta0="0.1", tie="positive", **written), data, **written, star=False)
        run = table.to_pandas(floats=True)[["row", "score", "w[a]", "w[b]", "b"]]
        assert sx.check_run(run, data, tie="positive", eta0=0.1, **start).right
        assert sx.check_run(run, data, tie="positive", eta0=np.float32(0.1), **start).right
        found = sx.check_run(run, data, tie="positive", eta0=0.3, **start)
        assert (found.cause, found.hint) == (Cause.RATE, "it is 0.1 in place of 0.3")
    binary = sx.steps(fitted(data.rows, data.y, eta0=0.1, tie="positive"), data, star=False)
    assert sx.check_run(binary, data, tie="positive", eta0=0.1).right
    assert not sx.check_run(binary, data, tie="positive", eta0="0.1").right
    with pytest.raises(ValueError, match=r"eta0 is nan\. It must be a finite number"):
        sx.check_run(binary, data, eta0=float("nan"))


@pytest.mark.parametrize("only", [False, True])
def test_a_run_that_never_ends(only):
    X, y = sx.examples.load("xor")
    table = sx.steps(fitted(X, y, tie="positive", max_iter=7), X, y, mistakes_only=only).to_pandas()
    found = sx.check_run(table, X, y, tie="positive", mistakes_only=only)
    assert (found.right, found.cause, found.line) == (False, Cause.ENDLESS, len(table) + 1)
    assert "no run on these rows ever ends" in found.explain()
    assert "Say after how many passes it stops: max_iter=7.\n" in found.explain()
    assert sx.check_run(table, X, y, tie="positive", max_iter=7, mistakes_only=only).right
    late = sx.check_run(table, X, y, tie="positive", max_iter=5, mistakes_only=only)
    assert late.cause == Cause.OVERRUN
    assert "every row was right" not in late.explain()
    assert "it stops after 5 passes, right or not, with max_iter=5" in late.explain()
    early = sx.check_run(table, X, y, tie="positive", max_iter=9, mistakes_only=only)
    assert early.cause == Cause.STOPPED
    assert "before the 9 passes of max_iter=9 are over" in early.explain()


def test_a_run_that_ends_when_its_passes_are_over_or_before():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y).to_pandas()
    assert all(sx.check_run(table, X, y, max_iter=most).right for most in (9, 20))
    found = sx.check_run(pd.concat([table, table.tail(4)])[["row", "b"]], X, y)
    assert (found.cause, found.hint) == (Cause.OVERRUN, "every row was right")


@pytest.mark.parametrize("eta", ["1/3", "1/7", "2/3"])
@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("places", [2, 3, 5])
def test_rounded_numbers(tmp_path, eta, carried, places):
    """Rounded when written, or after every sum and computed with."""
    data = separable_data(tmp_path)
    Z = [[*map(Fraction, row.split(",")[:2]), Fraction(1)] for row in SEPARABLE.split()[1:]]
    unit = Fraction(1, 10**places)
    w, lines, clean = [Fraction(0)] * 3, [], 0
    while clean < len(Z):
        i = len(lines) % len(Z)
        score = sum(a * b for a, b in zip(w, Z[i], strict=True))
        mistake = (score >= 0) != (data.y[i] > 0)
        if mistake:
            w = [a + Fraction(eta) * int(data.y[i]) * b for a, b in zip(w, Z[i], strict=True)]
            w = [round(each / unit) * unit for each in w] if carried else w
        clean = 0 if mistake else clean + 1
        lines.append([i, float(round(score / unit) * unit), *(float(round(each / unit) * unit) for each in w)])
    run = dict(zip(("row", "score", "w1", "w2", "b"), map(list, zip(*lines, strict=True)), strict=True))
    found = sx.check_run(run, data, tie="positive", eta0=eta)
    assert (found.line, found.cause, found.hint) == (1, Cause.ROUNDED, f"to {places} places")


def test_floats_are_rounded_numbers():
    rng = np.random.RandomState(0)
    X = rng.randint(-9, 9, (8, 2)) / 10
    y = np.where(X @ [1, 2] > 0.05, 1, -1)
    Z, w, lines, clean = np.column_stack([X, np.ones(8)]), np.zeros(3), [], 0
    while clean < 8:
        i = len(lines) % 8
        score = float(Z[i] @ w)
        mistake = score * y[i] <= 0
        w = w + y[i] * Z[i] if mistake else w
        clean = 0 if mistake else clean + 1
        lines.append([i, score, *w.tolist()])
    run = dict(zip(("row", "score", "w1", "w2", "b"), map(list, zip(*lines, strict=True)), strict=True))
    found = sx.check_run(run, X, y)
    assert (found.cause, found.hint) == (Cause.ROUNDED, "as floats are")


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("only", [False, True])
def test_terms_of_the_proof_are_checked(place, only):
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron(eta0="0.1").fit(X, y), X, y, mistakes_only=only).to_pandas().astype(object)
    column = ("2w.u", "||u||^2", "w*.u")[place]
    convention = {"eta0": "0.1", "star": AND_STAR, "mistakes_only": only}
    assert column in sx.check_run(table, X, y, **convention).checked
    for k in [k for k, mistake in enumerate(table["mistake"]) if mistake][::5]:
        wrong = table.copy()
        wrong.loc[k, column] += Fraction(1, 100)
        found = sx.check_run(wrong, X, y, **convention)
        assert (found.line, found.cause, found.hint) == (k + 1, Cause.PROOF, f"in {column}")
        assert found.always is False
    twice = table.assign(**{column: [None if each is None else 3 * each + 1 for each in table[column]]})
    found = sx.check_run(twice, X, y, **convention)
    assert (found.line, found.cause, found.always) == (1, Cause.PROOF, True)


@given(problems(kinds=TAME), TIES, st.booleans(), st.booleans())
def test_terms_of_a_step_table_are_right(problem, tie, intercept, mistakes_only):
    X, y = problem
    star = list(range(1, X.shape[1] + intercept + 1))
    model = fitted(X, y, tie=tie, fit_intercept=intercept, max_iter=4, eta0="1/3")
    assume(model.n_mistakes_)
    table = sx.steps(model, X, y, star=star, mistakes_only=mistakes_only)
    convention = {"tie": tie, "fit_intercept": intercept, "eta0": "1/3", "max_iter": 4}
    assert sx.check_run(table, X, y, **convention).right
    assert sx.check_run(table.to_pandas(), X, y, star=star, **convention).right
    same = not any(sum(each.update) for each in table if each.mistake)
    assert sx.check_run(table, X, y, star=[each + 1000 for each in star], **convention).right == same


def test_a_star_that_is_not_known():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y)
    assert sx.check_run(table, X, y).unchecked == ()
    found = sx.check_run(table.to_pandas(), X, y)
    assert (found.unchecked, found.ignored) == (("w*.u",), ())
    assert "Not checked, as w* is not given (star): w*.u." in found.explain()
    assert "w*.u" not in found.checked
    with pytest.raises(ValueError, match="star has 2 numbers, expected 3: one for each feature, the intercept last"):
        sx.check_run(table, X, y, star=[1, 2])


def test_columns_that_are_not_known_are_told():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron(average=True).fit(X, y), X, y).to_pandas()
    assert sx.check_run(table, X, y).ignored == ("mean w[x1]", "mean w[x2]", "mean b")
    assert sx.check_run(table.rename(columns={"step": "t"})[["t", "b"]], X, y).ignored == ("t",)


@pytest.mark.parametrize("only", [False, True])
def test_numbers_of_steps_and_passes(only):
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron().fit(X, y), X, y, mistakes_only=only).to_pandas().astype(object)
    more = {"mistakes_only": only}
    assert sx.check_run(table, X, y, **more).right
    for first in (0, 1):  # the lines are numbered
        assert sx.check_run(table.assign(step=range(first, first + len(table))), X, y, **more).right
    for column in ("step", "pass"):
        wrong = table.copy()
        wrong.loc[4, column] += 1
        found = sx.check_run(wrong, X, y, **more)
        assert (found.line, found.cause, found.always) == (5, Cause.NUMBERING, False)
    zero = sx.check_run(table.assign(**{"pass": table["pass"] - 1}), X, y, **more)
    assert (zero.line, zero.cause, zero.always) == (1, Cause.NUMBERING, True)


def test_rows_are_told_as_the_run_counts_them():
    X, y = sx.examples.load("and")
    lines, _ = by_hand(X, np.where(y > 0, 1, -1))
    for first in (0, 1):
        found = sx.check_run(as_table(lines, first_row=1 - first), X, y, first_row=first)
        assert (found.row, found.expected["row"], found.found["row"]) == (0, first, 1 - first)
        assert f"Line 1 (row {first})" in found.explain()
        assert f"the first row has the number {1 - first} in the run: give first_row={1 - first})" in found.explain()


def test_the_negative_class_need_not_be_0():
    X, y = sx.examples.load("and")
    signs = np.where(y > 0, 1, -1)
    found = sx.check_run(as_table(by_hand(X, signs, fault="labels")[0]), X, signs)
    assert found.cause == Cause.LABELS
    assert "rows of the negative class change nothing" in found.explain()


def test_what_is_said():
    X, y = sx.examples.load("and")
    table = sx.steps(sx.Perceptron(eta0="0.5").fit(X, y), X, y).to_pandas()
    found = sx.check_run(table[["row", "w[x1]", "b"]].assign(note="?"), X, y)
    assert not found
    assert repr(found) == "<RunCheck: line 1 is wrong, learning-rate>"
    assert found.explain().splitlines() == [
        "Line 1 (row 0) is the first wrong line: it says b = -0.5; expected is b = -1.",
        "Likely cause from the beginning on: the learning rate is wrong or missing (it is 0.5 in place of 1).",
        "Columns checked: row, w[x1], b.",
        "Not known, and not checked: note.",
    ]
    document = found.document()
    assert (document["expected"], document["found"], document["cause"]) == ({"b": "-1"}, {"b": "-0.5"}, "learning-rate")
    assert sx.check_run(table, X, y, eta0="0.5").document()["right"] is True


# What tables may look like.


@pytest.mark.parametrize(
    "names",
    [
        ("w1", "w2", "b"),
        ("w1", "w2", "w3"),
        ("w_1", "w_2", "w_3"),
        ("w_1", "w_2", "bias"),
        ("w[x1]", "w[x2]", "w0"),
        ("W1", "w2", "b"),
    ],
)
def test_names_of_weights(names):
    X, y = sx.examples.load("or")
    lines, _ = by_hand(X, np.where(y > 0, 1, -1))
    table = {name: [line["weights"][j] for line in lines] for j, name in enumerate(names)}
    found = sx.check_run(table, X, y)
    assert found.right
    assert found.checked == tuple(name for name in names if name[0] != "W")


def test_files(tmp_path):
    X, y = sx.examples.load("or")
    lines, _ = by_hand(X, np.where(y > 0, 1, -1), eta=Fraction(1, 3))
    frame = pd.DataFrame(
        {"Row": [line["row"] for line in lines], "w": ["; ".join(map(str, line["weights"])) for line in lines]}
    )
    for separator, name in ((",", "a.csv"), ("\t", "b.tsv")):
        frame.to_csv(tmp_path / name, sep=separator, index=False)
        assert sx.check_run(tmp_path / name, X, y, eta0=Fraction(1, 3)).right
    wrong = sx.check_run(tmp_path / "a.csv", X, y)
    assert wrong.place == wrong.line + 1
    assert wrong.explain().startswith(f"{tmp_path / 'a.csv'}, line {wrong.place} (row ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("row,score\n", "no lines below its header"),
        ("colour,size\n1,2\n", "no column of a run"),
        ("row,score\n0,one\n", "line 2, column 'score': 'one' is not a number"),
        ("row,score\n0,1/0\n", "divides by zero"),
        ("row,score\n0.5,1\n", "'0.5' is not a whole number"),
        ("row,mistake\n0,perhaps\n", "'perhaps' is neither yes nor no"),
        ("row,decision\n0,7\n", "'7' is neither class: expected 0 or 1"),
        ('row,weights\n0,"(1,2)"\n', "has 2 numbers, expected 3"),
        ("row,i\n0,0\n", "two columns for the same, 'row' and 'i'"),
        ("b,bias\n0,0\n", "two columns for the same weight"),
        ("row,score\n0,1,2\n", "line 2: 3 cells, but the header has 2"),
    ],
)
def test_files_that_are_no_runs(tmp_path, text, message):
    X, y = sx.examples.load("and")
    path = tmp_path / "run.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="^" if message is None else None) as refused:
        sx.check_run(path, X, y)
    assert message in str(refused.value)


def test_what_is_refused():
    X, y = sx.examples.load("and")
    run = {"row": [0], "b": ["-1"]}
    for more, message in (
        ({"tie": "odd"}, "tie must be one of"), ({"eta0": 0}, "eta0 must be a positive number"),
        ({"order": "shuffle"}, "order must be 'cyclic', 'any'"), ({"order": [0, 1]}, "each of the 4 rows once"),
        ({"names": ["a"]}, "names must be 2"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            sx.check_run(run, X, y, **more)
    with pytest.raises(ValueError, match="must name the row of every visit"):
        sx.check_run({"b": ["-1"]}, X, y, order="any")
    with pytest.raises(ValueError, match="all are of one"):
        sx.check_run(run, X, [1, 1, 1, 1])
    with pytest.raises(TypeError, match="got int"):
        sx.check_run(3, X, y)
    with pytest.raises(ValueError, match="10,000 lines at most"):
        sx.check_run({"row": [0] * 10_001}, X, y)
    assert sx.check_run({"row": [7]}, X, y).line == 1
    assert sx.check_run({"row": [-3]}, X, y, order="any").line == 1
