"""Numbers of text are the decimals that it writes: what is read, proved and learnt is what fractions say."""

import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference
import scipy.sparse as sp
from commands import separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from profiles import quickly

import separatrix as sx
from separatrix import checker
from separatrix.exceptions import FileError, TableError

pytestmark = pytest.mark.filterwarnings("ignore")  # runs are short

# ---- Decimals, written in many ways.


@st.composite
def written(draw, value, places):
    """Write a whole number over a power of ten, as people and programs do."""
    number = Decimal(value).scaleb(-places)
    form = draw(st.sampled_from(["plain", "plain", "short", "zeros", "exponent", "sign"]))
    if form == "exponent":
        power = draw(st.integers(-3, 3))
        return f"{number.scaleb(-power):f}{draw(st.sampled_from('eE'))}{power}"
    text = f"{number:f}"
    if form == "zeros":
        return text + ("" if "." in text else ".") + "0" * draw(st.integers(0, 3))
    if form == "short" and text.lstrip("-").startswith("0.") and value:
        return text.replace("0.", ".", 1)
    if form == "sign" and value >= 0:
        return f"+{text}"
    return text


@st.composite
def tables(draw, max_rows=7, max_digits=15):
    """Rows of texts that have at most so many digits over the file, with labels -1 and 1."""
    places = draw(st.integers(0, 6))
    digits = draw(st.integers(1, max(1, min(4, max_digits - places)))) + places
    if draw(st.integers(0, 9)) == 0:
        digits = max_digits
    d = draw(st.integers(1, 3))
    few = draw(st.booleans())
    numbers = st.integers(-(10**digits) + 1, 10**digits - 1)
    if few:
        numbers = st.sampled_from(draw(st.lists(numbers, min_size=1, max_size=3)))
    n = draw(st.integers(2, max_rows))
    texts = [[draw(written(draw(numbers), places)) for _ in range(d)] for _ in range(n)]
    return texts, [draw(st.sampled_from([-1, 1])) for _ in range(n)]


def fractions_of(texts):
    return [[Fraction(text) for text in row] for row in texts]


def csv(path, texts, labels):
    names = [f"x{j}" for j in range(len(texts[0]))]
    lines = [",".join([*names, "y"]), *(",".join([*row, str(y)]) for row, y in zip(texts, labels, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


def libsvm(path, texts, labels):
    lines = [" ".join([str(y), *(f"{j + 1}:{t}" for j, t in enumerate(row))]) for row, y in zip(texts, labels, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def exact(rows):
    """Return exact rows as fractions."""
    X = rows.numerators.toarray() if sp.issparse(rows.numerators) else rows.numerators
    return [[Fraction(v) / rows.denominator for v in row] for row in X.tolist()]


def padded(rows, d):
    return [[*row, *([Fraction(0)] * (d - len(row)))] for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("decimals")


# ---- What is read.


@given(tables())
def test_texts_are_the_decimals_they_write(folder, table):
    texts, labels = table
    data = sx.read_data(csv(folder / "a.csv", texts, labels), "y")
    sparse = sx.read_data(libsvm(folder / "a.libsvm", texts, labels), format="libsvm")
    truth = fractions_of(texts)
    assert data.rows.reading == sparse.rows.reading == "decimal"
    assert exact(data.rows) == truth
    assert padded(exact(sparse.rows), len(truth[0])) == truth
    assert data.X.tolist() == [[float(text) + 0.0 for text in row] for row in texts]
    assert data.notes() == []
    numbers = sx.read_data(folder / "a.csv", "y", numbers="float64")
    assert numbers.rows.reading == "float64"
    assert numbers.X.tolist() == data.X.tolist()


@quickly(60)
@given(tables())
def test_one_digest_for_all_that_is_decimal_and_one_for_all_that_is_float64(folder, table):
    texts, labels = table
    names = [f"x{j}" for j in range(len(texts[0]))]
    wide = (
        texts if any(Fraction(row[-1]) for row in texts) else [[*row[:-1], "0.25"] for row in texts]
    )  # LIBSVM has no zeros
    of_text = sx.read_data(csv(folder / "b.csv", wide, labels), "y")
    of_libsvm = sx.read_data(libsvm(folder / "b.libsvm", wide, labels), format="libsvm")
    columns = {name: pa.array([Decimal(row[j]) for row in wide], pa.decimal128(38, 12)) for j, name in enumerate(names)}
    of_arrow = sx.read_data(pa.table({**columns, "y": labels}), "y")
    pq.write_table(pa.table({**columns, "y": labels}), folder / "b.parquet")
    of_parquet = sx.read_data(folder / "b.parquet", "y")
    found = [sx.decide(each, positive=_class(each)).certificate for each in (of_text, of_libsvm, of_arrow, of_parquet)]
    assert len({each.problem.digest for each in found}) == 1
    assert {each.problem.numbers for each in found} == {"decimal"}
    floats = np.array([[float(text) for text in row] for row in wide])
    pq.write_table(pa.table({**{name: floats[:, j] for j, name in enumerate(names)}, "y": labels}), folder / "f.parquet")
    near = [
        sx.decide(floats, labels, positive=1 if 1 in labels else None).certificate,
        sx.decide(sx.read_data(folder / "f.parquet", "y"), positive=1 if 1 in labels else None).certificate,
        sx.decide(sx.read_data(folder / "b.csv", "y", numbers="float64"), positive=1 if 1 in labels else None).certificate,
        sx.decide(sx.read_data(folder / "b.libsvm", numbers="float64"), positive=1 if 1 in labels else None).certificate,
    ]
    assert len({each.problem.digest for each in near}) == 1
    assert {each.problem.numbers for each in near} == {"float64"}
    traces = [
        sx.Perceptron(max_iter=20, record=True).fit(each.rows, each.y).mistakes_.tolist() if len(set(labels)) > 1 else []
        for each in (of_text, of_libsvm, of_arrow, of_parquet)
    ]
    assert all(trace == traces[0] for trace in traces)


def _class(data):
    return 1 if 1 in data.classes else None


LONG = [
    ("0.1\n0.12345678901234567", "0.12345678901234567"),
    ("1e-23\n1", "1e-23"),
    ("9007199254740993\n1", "9007199254740993"),
    ("9007199254740.993\n0.0001", "9007199254740.993"),
    ("1e300\n1", "1e300"),
]


@pytest.mark.parametrize("form", ["csv", "large csv", "quoted csv", "libsvm"])
@pytest.mark.parametrize(("cells", "odd"), LONG)
def test_what_does_not_fit_is_float64_and_said_so(tmp_path, cells, odd, form):
    values = cells.split("\n")
    rows = [*values, *["2"] * (60_000 if form == "large csv" else 0)]
    path = tmp_path / ("a.libsvm" if form == "libsvm" else "a.csv")
    quote = '"' if form == "quoted csv" else ""
    if form == "libsvm":
        path.write_text("".join(f"{i % 2} 1:{v}\n" for i, v in enumerate(rows)))
    else:
        path.write_text("x,y\n" + "".join(f"{quote}{v}{quote},{i % 2}\n" for i, v in enumerate(rows)))
    label = None if form == "libsvm" else "y"
    data = sx.read_data(path, label)
    assert data.rows.reading == "float64"
    line = values.index(odd) + (1 if form == "libsvm" else 2)
    (note,) = data.notes()
    column = "index 1" if form == "libsvm" else "column 'x'"
    assert f"{path}, line {line}, {column}: {odd!r} has too many digits" in note
    with pytest.raises(FileError, match="does not fit as a decimal"):
        sx.read_data(path, label, numbers="decimal")
    assert sx.read_data(path, label, numbers="float64").notes() == []


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("cells", "numerators", "places"),
    [
        ("9007199254740992\n-9007199254740992", [2**53, -(2**53)], 0),
        ("900719925474099.2\n0.5", [2**53, 5], 1),
        ("0.5000000000000000000000000000\n1.50", [5, 15], 1),
        ("9e15\n1.0", [9 * 10**15, 1], 0),
        ("0.9007199254740991\n0.0000000000000001", [9007199254740991, 1], 16),
        ("1e-22\n9007199254740992e-22", [1, 2**53], 22),
        ("123456789012345.5\n0.25", [12345678901234550 // 1, 25], 2),
    ],
)
def test_up_to_the_last_digit(tmp_path, cells, numerators, places, large):
    values, more = cells.split("\n"), ["0"] * (70_000 if large else 0)
    (tmp_path / "a.csv").write_text("x,y\n" + "".join(f"{v},{i % 2}\n" for i, v in enumerate([*values, *more])))
    (tmp_path / "a.libsvm").write_text("".join(f"{i % 2} 1:{v}\n" for i, v in enumerate([*values, *more])))
    fits = max(map(abs, numerators)) <= 2**53
    for data in (sx.read_data(tmp_path / "a.csv", "y"), sx.read_data(tmp_path / "a.libsvm")):
        assert (data.rows.reading == "decimal") == fits
        if fits:
            assert [row[0] for row in exact(data.rows[[0, 1]])] == [Fraction(v) for v in values]
            assert [row[0] for row in exact(data.rows[[0, 1]])] == [Fraction(n, 10**places) for n in numerators]
    assert sx.read_data(tmp_path / "a.csv", "y").X[:2, 0].tolist() == [float(v) for v in values]


# ---- What is proved.


@quickly(60)
@given(tables())
def test_verdicts_are_those_of_the_fractions(folder, table):
    texts, labels = table
    path = csv(folder / "c.csv", texts, labels)
    for data, source in (
        (sx.read_data(path, "y"), path),
        (sx.read_data(libsvm(folder / "c.libsvm", texts, labels)), folder / "c.libsvm"),
    ):
        verdict = sx.decide(data)
        status, free = reference.separability(fractions_of(texts), labels, True)
        assert verdict.status == status
        assert verdict.separated_rows.tolist() == free
        proof = folder / "c.json"
        verdict.certificate.save(proof)
        assert checker.main([str(proof), str(source)]) == 0
        sx.verify(proof, source)
        sx.verify(proof, data)
        if status == "separable" and len(set(labels)) > 1:
            margin = sx.margin(data, exact=True)
            unit = data.rows.denominator
            lifted = np.array([[*(float(v * unit) for v in row), float(unit)] for row in fractions_of(texts)])
            scaled = sx.margin(lifted, labels, fit_intercept=False, exact=True)
            assert margin.squared * data.rows.denominator**2 == scaled.squared
            for each in (margin.at_least, margin.at_most):
                each.save(proof)
                assert checker.main([str(proof), str(source)]) == 0
                sx.verify(proof, source)
            wide = sx.margin(data, kind="geometric")
            for each in (wide.at_least, wide.at_most):
                each.save(proof)
                assert checker.main([str(proof), str(source)]) == 0
                sx.verify(proof, source)


@quickly(60)
@given(tables(max_rows=6))
def test_least_errors_are_those_of_the_fractions(folder, table):
    texts, labels = table
    path = csv(folder / "d.csv", texts, labels)
    data = sx.read_data(path, "y")
    found = sx.least_errors(data, time_limit=20)
    truth = fractions_of(texts)
    best = min(
        len(left)
        for size in range(len(labels) + 1)
        for left in itertools.combinations(range(len(labels)), size)
        if _separable_without(truth, labels, left)
    )
    assert found.lower == found.upper == best
    found.certificate.save(folder / "d.json")
    assert checker.main([str(folder / "d.json"), str(path)]) == 0
    sx.verify(folder / "d.json", path)


def _separable_without(truth, labels, left):
    kept = [i for i in range(len(labels)) if i not in left]
    if not kept:
        return True
    return reference.separability([truth[i] for i in kept], [labels[i] for i in kept], True)[0] == "separable"


def test_collinear_triples_are_what_they_are(tmp_path):
    rng = np.random.RandomState(0)
    for _ in range(1000):
        d, places = rng.randint(1, 6), rng.randint(1, 5)
        direction = rng.randint(-(10**places), 10**places + 1, d)
        base = rng.randint(-(10**places), 10**places + 1, d) * rng.randint(0, 2)
        a, b, c = sorted(rng.choice(np.arange(-9, 10), 3, replace=False).tolist())
        rows = [[f"{Decimal(int(base[j] + t * direction[j])).scaleb(-int(places)):f}" for j in range(d)] for t in (a, b, c)]
        data = sx.read_data(csv(tmp_path / "t.csv", rows, [0, 1, 0]), "y")
        verdict = sx.decide(data)
        assert verdict.status == "overlapping", rows
        assert not verdict.separable
        assert len(verdict.witness) == (3 if direction.any() else 2)


# ---- What is learnt.


def runs(labels):
    return len(set(labels)) > 1


@quickly(60)
@given(tables(), st.sampled_from(["update", "positive", "negative"]), st.booleans(), st.booleans())
def test_runs_are_those_of_the_fractions(folder, table, tie, intercept, average):
    texts, labels = table
    if not runs(labels):
        return
    history = []
    trace, w, passes, ended = reference.perceptron(
        fractions_of(texts), labels, tie=tie, max_iter=8, intercept=intercept, history=history
    )
    dense = sx.read_data(csv(folder / "e.csv", texts, labels), "y")
    sparse = sx.read_data(libsvm(folder / "e.libsvm", texts, labels))
    for data in (dense, sparse):
        p = sx.Perceptron(tie=tie, max_iter=8, fit_intercept=intercept, record=True, average=average)
        p.fit(data.rows, data.y)
        assert p.mistakes_.tolist() == trace
        width = data.shape[1]
        expected = w if width == len(texts[0]) else [*w[:width], *w[len(texts[0]) :]]
        assert p.last_weights().fractions() == expected
        assert (p.n_iter_, p.halted_) == (passes, ended)
        if average:
            mean = reference.mean(history)
            assert p.exact_weights().fractions() == (
                mean if width == len(texts[0]) else [*mean[:width], *mean[len(texts[0]) :]]
            )
        if p.converged_:
            assert p.predict(data.rows).tolist() == labels
        online = sx.Perceptron(tie=tie, fit_intercept=intercept, record=True, average=average)
        for k in range(8):
            if k < passes:
                for start in range(0, len(labels), 2):
                    part = slice(start, start + 2)
                    online.partial_fit(data.rows[part], data.y[part], classes=[-1, 1])
        assert online.last_weights().fractions() == p.last_weights().fractions()
        assert online.exact_weights().fractions() == p.exact_weights().fractions()


@given(st.lists(tables(max_rows=2), min_size=2, max_size=4), st.sampled_from([1.0, 0.1, "0.1", Fraction(1, 3)]))
def test_rows_that_come_one_by_one_may_have_more_decimals(folder, parts, eta):
    d = min(len(texts[0]) for texts, _ in parts)
    online = sx.Perceptron(eta0=eta, record=True)
    rows, labels = [], []
    for texts, own in parts:
        cut = [row[:d] for row in texts]
        data = sx.read_data(csv(folder / "g.csv", cut, own), "y")
        online.partial_fit(data.rows, data.y, classes=[-1, 1])
        rows += fractions_of(cut)
        labels += own
    trace, w, _, _ = reference.perceptron(rows, labels, max_iter=1, eta=eta)
    assert online.mistakes_.tolist() == trace
    assert online.last_weights().fractions() == w


@given(
    tables(),
    st.sampled_from(["0.1", "0.05", Fraction(1, 3), 0.1, 3]),
    st.lists(st.sampled_from(["0.1", "-2.5", "0", "1e-3"]), min_size=4, max_size=4),
)
def test_starts_and_rates_typed_as_text_are_decimals(folder, table, eta, start):
    texts, labels = table
    if not runs(labels):
        return
    d = len(texts[0])
    data = sx.read_data(csv(folder / "h.csv", texts, labels), "y")
    trace, w, *_ = reference.perceptron(fractions_of(texts), labels, max_iter=6, eta=eta, start=[*start[:d], start[3]])
    p = sx.Perceptron(max_iter=6, eta0=eta, record=True)
    p.fit(data.rows, data.y, coef_init=start[:d], intercept_init=start[3])
    assert p.mistakes_.tolist() == trace
    assert p.exact_weights().fractions() == w
    ledger = sx.audit(p, data.rows, data.y, coef_init=start[:d], intercept_init=start[3])
    assert ledger.holds
    assert ledger.mistakes == len(trace)


@quickly(60)
@given(tables(), st.sampled_from(["update", "positive", "negative"]), st.integers(0, 5))
def test_pocket_votes_and_kernels_are_those_of_the_fractions(folder, table, tie, seed):
    texts, labels = table
    if not runs(labels):
        return
    data, truth = sx.read_data(csv(folder / "i.csv", texts, labels), "y"), fractions_of(texts)
    best, history, done = reference.pocket(truth, labels, tie=tie, max_updates=20, random_state=seed)
    pocket = sx.Pocket(init="zero", tie=tie, max_updates=20, random_state=seed).fit(data.rows, data.y)
    assert pocket.exact_weights().fractions() == best
    assert (pocket.n_updates_, pocket.n_errors_) == (done, len(history[-1][1]))
    visits = []
    reference.perceptron(truth, labels, tie=tie, max_iter=3, history=visits)
    voted = sx.VotedPerceptron(tie=tie, max_iter=3).fit(data.rows, data.y)
    counted = [reference.votes(visits, [*row, Fraction(1)], tie) for row in truth]
    assert voted.decision_function(data.rows).tolist() == [c / len(visits) for c in counted]
    for kernel, degree, coef0 in (("linear", 1, 0.0), ("poly", 2, 0.5)):
        gram = reference.polynomial_gram(truth, truth, degree=degree, gamma=1.0, coef0=coef0)
        trace, _, _, ended = reference.dual_perceptron(gram, labels, tie=tie, max_iter=4)
        machine = sx.KernelPerceptron(kernel=kernel, degree=degree, gamma=1.0, coef0=coef0, tie=tie, max_iter=4, record=True)
        machine.fit(data.rows, data.y)
        assert machine.mistakes_.tolist() == trace
        assert machine.converged_ == ended
        if ended:
            assert machine.predict(data.rows).tolist() == labels


@given(tables())
def test_more_than_two_classes(folder, table):
    texts, _ = table
    codes = [k % 3 for k in range(len(texts))]
    if len(texts) < 3:
        return
    data = sx.read_data(csv(folder / "j.csv", texts, codes), "y")
    trace, w, *_ = reference.kesler(fractions_of(texts), codes, 3, max_iter=5)
    p = sx.Perceptron(max_iter=5, record=True)
    p.fit(data.rows, data.y)
    assert p.mistakes_.tolist() == [i for i, _ in trace]
    assert p.exact_weights().fractions() == w
    if p.converged_:
        assert p.predict(data.rows).tolist() == codes


# ---- On the command line.


def test_commands_read_one_file_one_way(tmp_path):
    path = csv(tmp_path / "a.csv", [["0.1", "0.3"], ["0.2", "0.6"], ["0.3", "0.9"]], [0, 1, 0])

    decided = json.loads(succeeded("decide", path, "--label", "y", "--json"))
    assert (decided["status"], decided["numbers"]) == ("overlapping", "decimal")
    near = json.loads(succeeded("decide", path, "--label", "y", "--json", "--numbers", "float64"))
    assert (near["status"], near["numbers"]) == ("separable", "float64")
    assert json.loads(succeeded("least-errors", path, "--label", "y", "--json"))["lower"] == 1
    assert Path(path).exists()


# ---- Tables of other libraries.


def decimals_of_arrow(values, scale):
    return pa.table({"a": pa.array([Decimal(value) for value in values], pa.decimal256(60, scale)), "y": ["a", "b", "a"]})


def test_arrow_decimals_with_more_than_22_places_do_not_fit():
    table = decimals_of_arrow(["1e-30", "2e-30", "3e-30"], 30)
    data = sx.read_data(table, "y")
    assert data.rows.reading == "float64"
    assert "'1E-30' has too many digits" in data.notes()[0]
    with pytest.raises(FileError, match="does not fit as a decimal"):
        sx.read_data(table, "y", numbers="decimal")
    short = sx.read_data(decimals_of_arrow(["0.1", "0.2", "0.3"], 30), "y")  # zeros at the end do not count
    assert (short.rows.reading, short.rows.denominator) == ("decimal", 10)
    long = sx.read_data(decimals_of_arrow(["12345678901234567890.3", "1", "2"], 3), "y")
    assert "'12345678901234567890.300' has too many digits" in long.notes()[0]


def test_floats_beside_decimals_are_the_doubles_they_are():
    columns = {"a": [Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], "b": [Decimal("0.3"), Decimal("0.6"), Decimal("0.9")]}
    for c, reading in ((0.25, "decimal"), (1.0, "decimal"), (2.0**-10, "decimal"), (0.1, "float64"), (2.0**-23, "float64")):
        data = sx.read_data(pa.table({**columns, "c": [c] * 3, "y": [0, 1, 0]}), "y")
        assert data.rows.reading == reading
        if reading == "decimal":
            assert exact(data.rows)[0] == [Fraction(1, 10), Fraction(3, 10), Fraction(c)]
            assert sx.decide(data).status == "overlapping"
        else:
            assert "column 'c'" in data.notes()[0]


def test_an_encoder_of_tables_refuses_decimals_that_are_no_float64():
    with pytest.raises(ValueError, match=r"X holds the decimal 0\.1, which float64 cannot hold exactly"):
        sx.TableEncoder().fit_transform(pa.table({"a": [Decimal("0.5"), Decimal("0.1")]}))
    with pytest.raises(ValueError, match=r"X holds decimals of more digits than float64 holds"):
        sx.TableEncoder().fit_transform(pa.table({"a": [Decimal("0.5"), Decimal("0.12345678901234567890")]}))
    assert sx.TableEncoder().fit_transform(pa.table({"a": [Decimal("0.5"), Decimal("3")]})).tolist() == [[0.5], [3.0]]


def test_what_read_data_cannot_take_is_said():
    with pytest.raises(TableError, match="a column holds an integer of more than 64 bits"):
        sx.read_data(pd.DataFrame({"a": [10**20, 1], "y": [0, 1]}), "y")
    thirds = pd.DataFrame({"one third": [Fraction(1, 3), Fraction(2, 3)], "y": [0, 1]})
    with pytest.raises(TableError, match=r"column 'one third' holds objects of type Fraction, .* such as sx.decide take"):
        sx.read_data(thirds, "y")
    assert sx.decide(thirds[["one third"]], thirds["y"]).separable


# ---- Marks, and decimals that are too long for the fast reader.


def test_marks_that_separate_cells_too_are_fine_in_quotation_marks(tmp_path):
    path, proof = tmp_path / "q.csv", tmp_path / "q.json"
    path.write_text('a,b,y\n"1,234","0.5",0\n"2,000","1.5",1\n"12","3",1\n')
    data = sx.read_data(path, "y", thousands=",", separator="comma")
    assert exact(data.rows) == [[1234, Fraction(1, 2)], [2000, Fraction(3, 2)], [12, 3]]
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0
    sx.verify(proof, path)
    assert exact(sx.read_data(path, "y", thousands=",").rows) == exact(data.rows)
    path.write_text("a,b,y\n1,2,0\n3,4,1\n")
    with pytest.raises(FileError, match="seems to be separated by commas, and a comma is a mark"):
        sx.read_data(path, "y", thousands=",")


def test_three_digits_after_a_decimal_comma_are_no_thousands(tmp_path):
    path, proof = tmp_path / "c.csv", tmp_path / "c.json"
    path.write_text("a;y\n1,234;0\n-12,005;0\n2,5;1\n")
    data = sx.read_data(path, "y", decimal=",", separator="semicolon")
    assert exact(data.rows) == [[Fraction(1234, 1000)], [Fraction(-12005, 1000)], [Fraction(5, 2)]]
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0
    sx.verify(proof, path)


def test_a_proof_about_long_decimals_is_verified_against_text(tmp_path):
    path, proof = tmp_path / "a.csv", tmp_path / "p.json"
    path.write_text("a,y\n0.12345678901234567,0\n1000,1\n")
    sx.decide([[Decimal("0.12345678901234567")], [1000]], [0, 1]).certificate.save(proof)
    verify = ["verify", proof, path, "--label", "y"]
    done = separatrix(*verify)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Proved for 2 rows")
    done = separatrix(*verify, "--numbers", "float64")
    assert done.returncode == 1
    assert "about numbers read as decimal, not as float64" in done.stdout
    path.write_text("a,y\n0.12345678901234568,0\n1000,1\n")
    assert separatrix(*verify).returncode == 1


def test_cells_with_thousands_of_zeros_are_the_numbers_they_are(tmp_path):
    path, proof = tmp_path / "a.csv", tmp_path / "p.json"
    path.write_text("a,y\n" + "0" * 5000 + "1,0\n2." + "0" * 3000 + ",1\n")
    data = sx.read_data(path, "y")
    assert exact(data.rows) == [[1], [2]]
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(path)]) == 0
