"""What is said of a table, against plain Python."""

import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from commands import separatrix
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.compiled import integers
from separatrix.problem import spans
from separatrix.problem.provenance import Choice
from separatrix.tables.description import describe
from separatrix.tables.facts import Note, Noted

GAPS = ("", "?")
POOLS = {
    "number": ["1", "2", "0.5", "-0", "0", "1e300", "3"],
    "few": ["1", "2"],
    "category": ["a", "b", "c"],
    "flag": ["true", "False"],
    "mixed": ["1", "2.5", "a", "b"],
    "constant": ["7"],
    "word": ["w"],
    "empty": ["?"],
}


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


# ---- The definition.


@st.composite
def tables(draw):
    """Draw columns of cells, as text, and labels."""
    n = draw(st.integers(1, 9))
    kinds = draw(st.lists(st.sampled_from(list(POOLS)), min_size=1, max_size=4))
    columns = []
    for kind in kinds:
        pool = POOLS[kind] * 3 + (list(GAPS) if draw(st.booleans()) else [])
        columns.append(draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)))
    if draw(st.booleans()):  # a copy, in other words perhaps
        renamed = draw(st.booleans())
        columns.append([{"a": "x", "b": "y"}.get(cell, cell) if renamed else cell for cell in columns[0]])
    labels = draw(st.lists(st.sampled_from(draw(st.sampled_from([["0", "1"], ["u", "v", "w"], ["0", "1", "?"]]))),
                           min_size=n, max_size=n))  # fmt: skip
    return columns, labels


def number_of(cell):
    try:
        return float(cell)
    except ValueError:
        return None


def kind_of(cells):
    present = [cell for cell in cells if cell not in GAPS]
    numbers = sum(number_of(cell) is not None for cell in present)
    if not present:
        return "empty"
    if all(cell.lower() in ("true", "false") for cell in present):
        return "flag"
    return "number" if numbers == len(present) else "mixed" if numbers else "category"


def value_of(kind, cell):
    return float(cell.lower() == "true") if kind == "flag" else float(cell)


def design(columns, labels, missing):
    """Return the rows that are left, the names of the columns and the columns, as the definition has it."""
    kinds = [kind_of(cells) for cells in columns]
    used = [k for k, kind in enumerate(kinds) if kind != "mixed" and (kind != "empty" or missing == "indicator")]
    n = len(columns[0])
    left = [i for i in range(n) if labels is None or labels[i] not in GAPS]
    if missing != "indicator":
        left = [i for i in left if all(columns[k][i] not in GAPS for k in used)]
    made = {}
    for k in used:
        cells = [columns[k][i] for i in left]
        if kinds[k] == "category":
            for word in sorted(set(cells) - set(GAPS)):
                made[f"c{k}={word}"] = k, [float(cell == word) for cell in cells]
        elif any(cell not in GAPS for cell in cells):
            made[f"c{k}"] = k, [0.0 if cell in GAPS else value_of(kinds[k], cell) for cell in cells]
        if any(cell in GAPS for cell in cells):
            made[f"c{k} is missing"] = k, [float(cell in GAPS) for cell in cells]
    return kinds, used, left, made


def rank(vectors):
    rows = [[Fraction(x) for x in vector] for vector in vectors]
    found = 0
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][j] / rows[found][j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def write_table(path, columns, labels):
    names = [f"c{k}" for k in range(len(columns))] + ["y"]
    lines = [",".join(cells) for cells in zip(*columns, labels, strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


@given(tables(), st.sampled_from(["refuse", "drop-rows", "indicator"]), st.booleans())
def test_by_definition(table, missing, labelled):
    columns, labels = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, columns, labels)
        choice = Choice(label="y", missing=missing) if labelled else Choice(drop=("y",), missing=missing)
        found = describe(str(path), choice)
        found.explain()
        json.dumps(found.document())
    labels = labels if labelled else None
    kinds, used, left, made = design(columns, labels, missing)
    assert found.rows == len(columns[0])
    for k, cells in enumerate(columns):
        check_column(found.columns[k], kinds[k], k in used, cells)
    about = found.problem
    if not left or not used:
        assert about is None
        return
    rows = list(zip(*(values for _, values in made.values()), strict=True))
    assert (about.rows, about.left_out, about.columns) == (len(left), len(columns[0]) - len(left), len(made))
    assert about.duplicates == sum(row in rows[:i] for i, row in enumerate(rows))
    if labels is None:
        assert about.contradictory_groups is None
        assert about.classes == ()
    else:
        kept = [labels[i] for i in left]
        assert {str(name): count for name, count in about.classes} == Counter(kept)
        by_point = {row: [label for other, label in zip(rows, kept, strict=True) if other == row] for row in rows}
        assert about.contradictory_groups == sum(len(set(those)) > 1 for those in by_point.values())
        assert about.contradictory_rows == sum(len(t) - max(Counter(t).values()) for t in by_point.values())
    check_columns(about, made)


def check_column(column, kind, used, cells):
    present = [cell for cell in cells if cell not in GAPS]
    assert (column.kind, column.used) == (kind, used)
    assert (column.gaps, column.cells) == (len(cells) - len(present), len(present))
    if kind == "number":
        values = [float(cell) for cell in present]
        assert (column.least, column.largest, column.distinct) == (min(values), max(values), len(set(values)))
    elif kind == "flag":
        assert dict(column.frequent) == Counter(cell.lower() for cell in present)
    else:
        assert dict(column.frequent) == Counter(present)
        assert column.distinct == len(set(present))
        assert [count for _, count in column.frequent] == sorted(Counter(present).values(), reverse=True)
    assert column.words == (sum(number_of(cell) is None for cell in present) if kind == "mixed" else 0)
    assert (Note(Noted.CONSTANT) in column.notes) == (kind != "mixed" and column.distinct == 1)


def check_columns(about, made):
    """Compare what is said of the columns of the problem with ranks of fractions."""
    names, columns = list(made), [values for _, values in made.values()]
    constant = {name for name, values in zip(names, columns, strict=True) if len(set(values)) == 1}
    assert set(about.constant) == constant
    sources = {made[name][0] for name in names if "=" in name}
    several = {k: [name for name in names if made[name][0] == k] for k in sources}
    several = {k: its_own for k, its_own in several.items() if len(its_own) > 1}
    assert set(about.inevitable) == {f"c{k}" for k in several}
    last = {its_own[-1] for its_own in several.values()}
    before = [[1.0] * len(columns[0])]
    dependent = set()
    for name, values in zip(names, columns, strict=True):
        if rank([*before, values]) == rank(before):
            dependent.add(name)
        before.append(values)
    assert constant | last <= dependent
    assert {each.column for each in about.dependent} == dependent - constant - last
    for each in about.dependent:
        assert each.terms is not None
        place = names.index(each.column)
        assert all(name is None or names.index(name) < place for _, name in each.terms)
        for i in range(len(columns[0])):
            total = sum(c * Fraction(1.0 if name is None else made[name][1][i]) for c, name in each.terms)
            assert total == Fraction(made[each.column][1][i])


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_rows_of_numbers(seed, sparse):
    """Any numbers whatever, dense or sparse: duplicates and dependences are exact."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 30), rng.integers(1, 7)
    X = rng.integers(-1, 2, (n, d)) * 2.0 ** rng.integers(-900, 900, d) * rng.choice([1.0, 0.1], d)
    X[rng.random((n, d)) < 0.2] = -0.0
    if d > 2:
        X[:, 2] = X[:, 0] * rng.choice([1.0, -4.0, 0.5])
    y = rng.integers(0, 2, n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        if sparse:
            S = sp.csr_array(X)
            np.savez(path, data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, y=y)
        else:
            np.savez(path, X=X, y=y)
        found = describe(str(path))
    about, rows = found.problem, [tuple(row) for row in X.tolist()]
    assert about.sparse == sparse
    assert about.duplicates == len(rows) - len(set(rows))
    for j, column in enumerate(found.columns):
        values = X[:, j].tolist()
        assert (column.least, column.largest, column.distinct) == (min(values), max(values), len(set(values)))
    check_columns(about, {f"x{j + 1}": (j, X[:, j].tolist()) for j in range(d)})


# ---- Points.


def test_equal_hashes_are_told_apart(monkeypatch):
    """Rows with one and the same hash are compared."""

    def same(entries, most, result):
        result[:] = 5

    monkeypatch.setattr(integers, "hashes", same)
    X = [[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0], [2.0, 2.0], [1.0, 0.0]]
    for rows in (X, sp.csr_array(X)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.npz"
            if sp.issparse(rows):
                np.savez(path, data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape, y=[0, 1, 1, 0, 1])
            else:
                np.savez(path, X=rows, y=[0, 1, 1, 0, 1])
            about = describe(str(path)).problem
        assert (about.duplicates, about.contradictory_groups, about.contradictory_rows) == (2, 1, 1)
        assert list(map(str, about.example)) == ["row 0", "row 2"]


def test_contradictions_against_the_rest():
    """With one class set against the rest, labels of the rest do not contradict each other."""
    table = {"x": [1, 1, 1, 2, 2, 2, 3], "y": ["a", "b", "c", "b", "c", "c", "a"]}
    alone = describe(table, Choice(label="y")).problem
    assert (alone.contradictory_groups, alone.contradictory_rows) == (2, 3)
    against = describe(table, Choice(label="y", positive="a")).problem
    assert (against.contradictory_groups, against.contradictory_rows) == (1, 1)
    assert any("set one against the rest with positive." in each for each in describe(table, Choice(label="y")).advice)
    assert not describe(table, Choice(label="y", positive="a")).advice
    with pytest.raises(ValueError, match="is not a class of the label, which has: a, b, c"):
        describe(table, Choice(label="y", positive="d"))


def test_rare_categories_and_sums_are_found():
    """A dependence that only one row of many would break is not claimed."""
    rng = np.random.default_rng(3)
    n = 20_000
    a, b = rng.integers(0, 50, n), rng.integers(0, 50, n)
    words = np.array(["often"] * n)
    words[[77, 15_000]] = "once", "twice"
    almost = a + b
    almost[19_000] += 1
    about = describe({"a": a, "b": b, "sum": a + b, "almost": almost, "w": words}).problem
    assert [str(each) for each in about.dependent] == ["sum equals a + b"]
    assert about.inevitable == ("w",)


def test_many_columns_are_not_compared(monkeypatch):
    monkeypatch.setattr(spans, "MAX_COLUMNS", 3)
    found = describe({f"x{j}": [j, 2 * j + 1] for j in range(4)})
    assert found.problem.dependent is None
    assert "not looked for among 4 columns (at most 3), but at least 3 columns are" in " ".join(found.explain().split())
    assert found.document()["problem"]["dependent"] is None


# ---- Notes.


def test_notes():
    n = 12
    table = {
        "id": list(range(100, 100 + n)),
        "key": [f"k{i}" for i in range(n)],
        "size": [i / 7 for i in range(n)],
        "copy": [i / 7 for i in range(n)],
        "kind": ["a", "b", "c"] * 4,
        "same": ["a", "b", "c"] * 4,
        "other": ["x", "y", "z"] * 4,
        "one": [1.0] * n,
        "flag": [True, False, False] * 4,
        "none": [None] * n,
        "when": pa.array([0] * n, pa.timestamp("s")),
        "large": [2**60 + 1] * n,
    }
    found = describe(table)
    notes = {column.name: tuple(map(str, column.notes)) for column in found.columns}
    kinds = {column.name: column.kind for column in found.columns}
    assert notes["id"] == ("identifies the rows",)
    assert notes["key"][0] == "identifies the rows"
    assert notes["copy"] == ("equal to size",)
    assert notes["same"] == ("equal to kind",)
    assert notes["other"] == ("says the same as kind",)
    assert notes["one"] == ("constant",)
    assert notes["flag"] == ()  # all depend on the key, which is said once
    without = {column.name: tuple(map(str, column.notes)) for column in describe(table, Choice(drop=("key",))).columns}
    assert without["flag"] == ("depends on other columns",)
    assert (kinds["flag"], kinds["none"], kinds["when"], kinds["large"]) == ("flag", "empty", "other", "other")
    assert found.left_out == ("none", "when", "large")
    assert any("holds timestamp[s], neither numbers nor words" in each for each in found.advice)
    assert any("All cells of the column 'none' are missing: leave it out with drop='none'." in e for e in found.advice)


def test_infinity_is_shown_and_nan_is_a_gap():
    found = describe({"x": [1.0, float("nan"), 2.0], "z": [1.0, float("inf"), 2.0], "w": [1, 2, 3]})
    x, z, _ = found.columns
    assert (x.kind, x.gaps, x.distinct) == ("number", 1, 2)
    assert (z.kind, z.used) == ("other", False)
    assert "the table, row 1, column 'z': an infinite number" in found.advice[0]
    assert found.problem.rows == 2


# ---- The command.

TABLE = """\
income,job,home,income2,age,approved
10,clerk,own,20,31,no
20,cook,rent,40,?,no
20,cook,rent,40,28,yes
30,clerk,own,60,abc,yes
10,clerk,own,20,40,no
30,smith,,60,41,yes
"""

SHOWN = """\
: 6 rows, 6 columns. CSV with a header, separated by commas, UTF-8.

column    what      values                          gaps  notes
income    number    10 to 30, 3 different
job       category  clerk (3), cook (2), smith (1)
home      category  own (3), rent (2)                  1  depends on other columns
income2   number    20 to 60, 3 different                 depends on other columns
age       mixed     4 numbers, 1 word                  1  the word abc in line 5
approved  label     no (3), yes (3)

rows            5 of 6; 1 left out for missing values
features        6, dense: 2 numbers, 4 categories; without 'age'
classes         no: 3 (60.0 %), yes: 2 (40.0 %)
duplicates      2 rows equal to an earlier one
contradictions  1 point with different labels, so that any hyperplane misclassifies at least 1 row;
                the first: line 3 and line 4
constant        none
collinear       home=own equals job=clerk
                income2 equals 2 income
                and, as always, the categories add up to 1 in columns job, home
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(TABLE)
    return "loans.csv"


def test_command(path):
    done = separatrix("describe", path, "--label", "approved")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(path + SHOWN)
    advice = " ".join(done.stdout[len(path + SHOWN) :].split())
    assert advice == (
        "Before it can be decided: - The column 'age' mixes numbers and words, the first 'abc' in loans.csv, line 5. If "
        "that stands for a missing value, say --gap abc; if the "
        "column is one of categories, --text age; else leave it out with "
        "--drop age. - 1 row has missing values: leave such rows out with --missing drop-rows, count the values as 0, with "
        "a column that tells, by --missing indicator, or --drop the columns."
    )


def test_command_without_label(path):
    shown = separatrix("describe", path, "--drop", "age").stdout
    assert "classes     none: name the column that holds them with --label" in shown
    assert "contradictions" not in shown
    assert "age       dropped" in shown


def test_command_takes_the_advice(path):
    """What is advised makes the advice go away."""
    shown = separatrix("describe", path, "--label", "approved", "--text", "age", "--missing", "indicator").stdout
    assert "Before" not in shown
    assert "rows            6" in shown
    assert separatrix("decide", path, "--label", "approved", "--text", "age", "--missing", "indicator").returncode == 0
    shown = separatrix("describe", path, "--label", "approved", "--gap", "abc", "--missing", "drop-rows").stdout
    assert "age       number    28 to 41, 4 different" in shown
    assert "Before" not in shown


def test_json(path):
    done = separatrix("describe", path, "--label", "approved", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(result) == ["name", "format", "form", "rows", "label", "columns", "problem", "left_out", "advice", "notes"]
    assert (result["format"], result["rows"], result["label"], result["left_out"]) == ("csv", 6, "approved", ["age"])
    columns = {column["name"]: column for column in result["columns"]}
    assert columns["job"]["frequent"] == [["clerk", 3], ["cook", 2], ["smith", 1]]
    assert (columns["income"]["least"], columns["income"]["largest"], columns["income"]["distinct"]) == (10.0, 30.0, 3)
    assert (columns["age"]["kind"], columns["age"]["words"], columns["age"]["gaps"]) == ("mixed", 1, 1)
    problem = result["problem"]
    assert problem["classes"] == [{"class": "no", "rows": 3}, {"class": "yes", "rows": 2}]
    assert problem["contradictions"] == {"groups": 1, "rows": 1, "example": ["loans.csv, line 3", "loans.csv, line 4"]}
    assert {"column": "income2", "terms": [{"coefficient": "2", "column": "income"}]} in problem["dependent"]
    assert problem["inevitable"] == ["job", "home"]


def test_several_mixed_columns_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("p,q,r,y\n1,2,3,0\nx,2,4,1\n")
    Path("b.csv").write_text("p,q,r,y\n1,z,3,0\n1,2,4,1\n")
    shown = separatrix("describe", "a.csv", "--label", "y").stdout
    assert "the word x in line 3" in shown
    Path("both.csv").write_text("p,q,r,y\n1,2,3,0\nx,2,4,1\n5,y,4,1\n")
    result = json.loads(separatrix("describe", "both.csv", "--label", "y", "--json").stdout)
    assert result["left_out"] == ["p", "q"]
    assert [column["notes"] for column in result["columns"][:2]] == [["the word x in line 3"], ["the word y in line 4"]]
    result = json.loads(separatrix("describe", "both.csv", "both.csv", "--label", "y", "--json").stdout)
    assert (result["name"], result["rows"], result["left_out"]) == ("both.csv and 1 more", 6, ["p", "q"])
    assert result["problem"]["duplicates"] == 4


def test_unnamed_column(tmp_path):
    path = tmp_path / "index.csv"
    path.write_text(",a,y\n0,1,0\n1,3,1\n")
    result = json.loads(separatrix("describe", path, "--label", "y", "--json").stdout)
    assert result["left_out"] == ["1"]
    assert "Column 1 has no name. Name it; or, if it is an index, leave it out with --drop 1." in result["advice"]
    assert "(no name)  number" in separatrix("describe", path, "--label", "y").stdout


def test_nothing_left(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,y\n?,1,0\n2,?,1\n")
    done = separatrix("describe", path, "--label", "y")
    assert done.returncode == 0
    assert "There is no row without a missing value, so nothing can be said of the rows." in done.stdout
    assert "Every row has missing values" in done.stdout
    path.write_text("a,y\nb,0\n1,1\n")
    assert "There is no column to learn from" in separatrix("describe", path, "--label", "y").stdout


def test_one_class(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,y\n1,0\n2,0\n")
    assert "All rows are of one class, 0" in separatrix("describe", path, "--label", "y").stdout
    path.write_text("a,y\n1,0\n2,0\n?,1\n")
    said = " ".join(separatrix("describe", path, "--label", "y").stdout.split())
    assert "All rows without missing values are of one class, 0" in said


def test_other_formats(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"a": [1, 2, None], "w": ["u", "v", "u"], "y": [True, False, True]}), "t.parquet")
    assert separatrix("describe", "t.parquet", "--label", "y").stdout.startswith("t.parquet: 3 rows, 3 columns. Parquet.\n")
    Path("t.svm").write_text("1 1:2 4:1\n-1 2:1\n1 1:2 4:1\n")
    shown = separatrix("describe", "t.svm").stdout
    assert shown.startswith("t.svm: 3 rows, 4 columns. LIBSVM text, columns counted from 1.\n")
    assert "number  0                    constant" in shown
    assert "1 row equal to an earlier one" in shown
    np.savez("t.npz", X=np.eye(2))
    assert "The file holds no labels" in separatrix("describe", "t.npz").stdout
    np.save("t.npy", np.eye(2))
    shown = separatrix("describe", "t.npy").stdout
    assert shown.startswith("t.npy: 2 rows, 2 columns. A NumPy array.\n")
    assert "column 2 equals 1 - column 1" in shown
    Path("t.tsv").write_text("a\ty\n1\t0\n2\t1\n")
    assert "separated by tabs" in separatrix("describe", "t.tsv").stdout
    Path("t.txt").write_text("1  0\n 2 1\n")
    assert "CSV without a header, separated by blanks" in separatrix(
        "describe", "t.txt", "--no-header", "--separator", "blanks"
    ).stdout  # fmt: skip


def test_standard_input():
    done = subprocess.run(
        [sys.executable, "-m", "separatrix", "describe", "-", "--label", "y"], input="a,y\n1,0\n2,1\n", text=True,
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    assert done.stdout.startswith("standard input: 2 rows, 2 columns. CSV with a header, separated by commas, UTF-8.\n")


def test_many_columns_are_not_all_shown(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(100)) + "\n" + ",".join("1" * 100) + "\n" + ",".join("2" * 100) + "\n")
    shown = separatrix("describe", path, "--label", "-1").stdout
    assert "c59     number" in shown
    assert "c60     number" not in shown
    assert "c99     label" in shown
    assert "… and 39 more columns; --json has them all." in shown
    assert len(json.loads(separatrix("describe", path, "--json").stdout)["columns"]) == 100


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "is empty"),
        ("a,b\n", [], "has a header but no rows"),
        ("a,b\n1,2\n3\n", [], "line 3: 1 value for 2 columns"),
        ("a,b\n1,2\n", ["--label", "c"], "has no column 'c'"),
        ("a,b\n1,2\n", ["--label", "a", "--drop", "a"], "The label, 'a', cannot be dropped"),
        ("a,b\n1,2\n", ["--label", "a", "--only", "a"], "The label, 'a', cannot be dropped"),
        ("a,b\n1,2\n", ["--only", "a", "--drop", "b"], "not both"),
        ("a,b\n1,2\n", ["--missing", "guess"], "--missing guess is not known; it must be one of refuse, "),
        ("a,b\n1,2\n", ["--label", "b", "--positive", "5"], "--positive 5 is not a class"),
        ("1.5,2\n1,2\n", [], "looks like a row"),
    ],
)
def test_errors(tmp_path, text, options, message):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    done = separatrix("describe", path, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stdout == ""
    assert message in json.loads(separatrix("describe", path, *options, "--json").stdout)["error"]


def test_frequent_values_are_limited():
    words = list(itertools.islice(map("".join, itertools.product("abcdef", repeat=2)), 30))
    column = describe({"w": words * 2 + ["aa"]}).columns[0]
    assert (column.distinct, len(column.frequent), column.frequent[0]) == (30, 12, ("aa", 3))
    assert column.values() == "30 different: aa (3), ab (2), ac (2), …"


def test_decimals_of_many_digits_are_described_as_they_are_written(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b,y\n12.5,1234567890.123,0\n13.5,4000000000000.123,1\n11.25,3.5,0\n")
    first, second, _ = sx.describe(path, "y").columns
    assert (first.least, first.largest, second.least, second.largest) == (11.25, 13.5, 3.5, 4000000000000.123)
