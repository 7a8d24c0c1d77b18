"""What separates the values of a text: the table that is meant, or a refusal with options that lead to it; never another."""

from fractions import Fraction

import pytest
import scipy.sparse as sp
from commands import failed, separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from table_files import write

import separatrix as sx
from separatrix.exceptions import TableError
from separatrix.support.remedies import remedies_of

GERMAN = """\
name;umsatz;groesse;zahlt
A;1.012,50;3,5;ja
B;2.013,50;4,7;nein
C;3.001,25;6,5;ja
D;4.007,25;9,1;nein
"""


@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("title", ["", "Bericht\n\n", "Bericht, Mai 2024\n", "Bericht; Mai\n"])
@pytest.mark.parametrize("columns", [(1,), (2,), (1, 2), (1, 2, 1), (1, 2, 1, 2, 1)])
def test_names_that_commas_do_not_divide_are_no_title(tmp_path, separator, title, columns):
    """Decimal commas divide the rows alike, but not the names."""
    records = [line.split(";") for line in GERMAN.splitlines()]
    lines = [[record[0], *(record[k] for k in columns), record[-1]] for record in records]
    lines[0][1:-1] = [f"x{k}" for k in range(len(columns))]
    path = write(tmp_path, "g.csv", title + "".join(separator.join(line) + "\n" for line in lines))
    data, _ = read_by_the_advice(path, -1)
    expected = [[float(cell.replace(".", "").replace(",", ".")) for cell in line[1:-1]] for line in lines[1:]]
    assert data.X[:, 4:].tolist() == expected
    assert data.classes == ("ja", "nein")
    if not title:
        assert " ".join(succeeded("describe", path).split()).startswith(f"{path}: 4 rows")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("Nachname, Vorname;x;y\nMüller, Hans;1;ja\nMeier, Eva;2;nein\n", {"separator": "semicolon"}),
        ("A;1.012,50;ja\nB;2.013,50;nein\n", {"separator": "semicolon"}),
        ("Umsatz, Mai\nName, Vorname;y\nMüller, Hans;1\nMeier, Eva;0\n", {"separator": "semicolon"}),
        ("name umsatz groesse\nA 1,5 3,5\nB 2,5 4,5\nC 3,5 5,5\n", {"separator": "blanks"}),
        ("a;b;y\n1,5;2,5;no\n2,5;3,5;yes\n3,5;yes\n", {"separator": "semicolon"}),
        ("m;n;o;y\n" + "1,5;2,5;3,5;no\n" * 4 + "3,5;yes\n", {"separator": "semicolon"}),
    ],
)
def test_what_commas_may_divide_as_well_is_refused(tmp_path, table, told):
    path = write(tmp_path, "t.csv", table)
    with pytest.raises(TableError) as refused:
        sx.read_data(path, -1)
    ((key, value),) = told.items()
    assert next(remedy.value for remedy in remedies_of(refused.value) if remedy.parameter == key) == value


def test_commas_beside_other_characters_separate(tmp_path):
    tables = {
        "a,\tb,\ty\n1,\t2,\tno\n3,\t4,\tyes\n": ["a", "\tb"],
        "id,span,y\n1,3;4,no\n2,5;6,yes\n3,5;6,yes\n": ["id", "span=3;4", "span=5;6"],
        "Report; May\na,b,c,y\n1,2,u;v,no\n3,4,u,yes\n": ["a", "b", "c=u", "c=u;v"],
    }
    for table, names in tables.items():
        assert sx.read_data(write(tmp_path, "t.csv", table), -1).names == names


def test_a_name_of_a_file_that_is_not_true(tmp_path):
    assert sx.read_data(write(tmp_path, "t.tsv", "a;y\n1,5;no\n2,5;yes\n"), "y").X.tolist() == [[1.5], [2.5]]
    assert sx.read_data(write(tmp_path, "u.tsv", "x\n1,5\n2,5\n3,5\n4,5\n")).names == ["x"]
    # a decimal comma that is told leads to semicolons, unless there are tabs
    assert sx.read_data(write(tmp_path, "t.csv", "a\ty\n1,5\tno\n2,5\tyes\n"), "y", decimal=",").X.tolist() == [[1.5], [2.5]]


def test_a_row_with_decimal_commas_is_no_header(tmp_path):
    assert "'1.012,50' is a number" in failed("decide", write(tmp_path, "t.csv", "A;1.012,50;ja\nB;2.013,50;nein\n"),
                                              "--label", "-1", "--separator", "semicolon")  # fmt: skip


def test_a_json_array_is_called_so(tmp_path):
    path = write(tmp_path, "arr.json", '[\n {"a": 1, "y": "no"},\n {"a": 2, "y": "yes"}\n]\n')
    assert "is a JSON array, which is not read. Write it as JSON lines" in failed("describe", path)


def test_rows_of_one_class_can_be_decided_but_not_learnt(tmp_path):
    path = write(tmp_path, "one.csv", "a,y\n1,no\n2,no\n")
    said = " ".join(succeeded("describe", path, "--label", "y").split())
    assert "Before a classifier can be learnt: - All rows are of one class, no: learning takes rows of two." in said
    assert "separable" in succeeded("decide", path, "--label", "y")


def test_a_column_that_only_looks_like_numbers_does_not_mix_them_with_words(tmp_path):
    said = " ".join(succeeded("describe", write(tmp_path, "t.csv", "a,y\n$1,no\n$2,yes\n$3,no\n"), "--label", "y").split())
    assert "The column 'a' has no number that can be read, but '$1'" in said
    assert "mixes" not in said


def test_percent_signs_and_labels_that_are_not_everywhere(tmp_path):
    path = write(tmp_path, "p.csv", "a,y\n12%,no\n12,yes\n13,yes\n")
    assert "'12%' has a percent sign, which other values of the column lack" in failed("decide", path, "--label", "y")
    path = write(tmp_path, "l.csv", "a,y\n1,no\n2,\n3,yes\n")
    said = " ".join(succeeded("describe", path, "--label", "y").split())
    assert said.endswith("Before it can be decided: - 1 row without a label: --drop-unlabelled leaves such rows out.")
    assert "separable" in succeeded("decide", path, "--label", "y", "--drop-unlabelled")
    path = write(tmp_path, "l.csv", "a,y\n1,no\n2,\n,yes\n4,yes\n")
    assert "--missing indicator" in succeeded("describe", path, "--label", "y")


def test_columns_without_names_are_in_brackets_in_formulas_and_models_replace_models_only(tmp_path):
    path, model, proof = write(tmp_path, "t.csv", "1,5,no\n2,7,yes\n3,8,yes\n"), tmp_path / "m.json", tmp_path / "p.json"
    told = ("--no-header", "--label", "3")
    for _ in range(2):
        assert "* [1]" in succeeded("fit", path, *told, "--model", model)
    succeeded("decide", path, *told, "--certificate", proof)
    before = proof.read_bytes()
    assert "would overwrite a certificate of separatrix, which is not a model" in failed(
        "fit", path, *told, "--model", proof
    )
    assert proof.read_bytes() == before
    done = separatrix("score", model, path)
    assert all(line == line.rstrip() for line in done.stdout.split("\n"))
    assert done.stdout.split("\n")[0].endswith(".")


def read_by_the_advice(path, label, **told):
    """Return what is read if the options that refusals name are told, and these options."""
    for _ in range(8):
        try:
            return sx.read_data(path, label, **told), told
        except TableError as error:
            refused = error
        advice = {remedy.parameter: remedy.value for remedy in reversed(remedies_of(refused)) if remedy.value is not None}
        layout = [key for key in ("skip_lines", "separator", "header", "decimal", "thousands") if key in advice]
        assert layout, refused
        # Where one option or another is named, the first is the one for a table that is as it seems.
        if layout[0] == "skip_lines":
            layout = ["skip_lines"]
        assert any(told.get(key) != advice[key] for key in layout), refused
        told.update({key: advice[key] for key in layout})
    raise AssertionError(refused)


@st.composite
def german_tables(draw):
    """Return a text, whether it has a header, and the numbers of its columns."""
    separator = draw(st.sampled_from([";", "\t"]))
    count, n = draw(st.integers(1, 5)), draw(st.integers(3, 8))
    header, thousands = draw(st.booleans()), draw(st.booleans())
    text = st.sampled_from(["Anna", "Bert", "Müller Hans", "x1", "Weg 7", "Meier, Eva"])
    columns, numbers = [], []
    for k in range(count):
        places = draw(st.sampled_from([1, 2, 2, 4]))
        values = draw(st.lists(st.integers(0, 10**7), min_size=n, max_size=n))
        wholes = [f"{value // 10**places:,}".replace(",", "." if thousands else "") for value in values]
        cells = [f"{w},{value % 10**places:0{places}}" for w, value in zip(wholes, values, strict=True)]
        name = draw(st.sampled_from(["betrag", "größe", "größe (m)", "in %", "netto, EUR"]))
        columns.append((f"{name} {k}", cells))
        numbers.append([Fraction(value, 10**places) for value in values])
    words = draw(st.integers(0, 2))
    for k in range(words):
        cells = draw(st.lists(text, min_size=n, max_size=n))
        columns.insert(0, (f"name {k}", cells))
    columns.append(("zahlt", draw(st.lists(st.sampled_from(["ja", "nein"]), min_size=n, max_size=n))))
    lines = [[name for name, _ in columns]] if header else []
    lines += [[cells[i] for _, cells in columns] for i in range(n)]
    titles = draw(st.lists(st.sampled_from(["Bericht", "Umsätze, Mai 2024", "", "Stand: 1.5.2024"]), max_size=3))
    return "".join(f"{line}\n" for line in [*titles, *(separator.join(line) for line in lines)]), header, numbers


@given(german_tables())
def test_tables_with_decimal_commas_are_read_or_refused_with_the_way_to_read_them(tmp_path_factory, table):
    text, header, numbers = table
    path = write(tmp_path_factory.mktemp("german"), "t.csv", text)
    data, told = read_by_the_advice(path, -1)
    plain = [k for k, column in enumerate(data.columns) if column.category is None]
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    read = [[Fraction(str(value)) for value in X[:, k].tolist()] for k in plain]
    assert read == numbers, (text, told)
    assert set(data.classes) <= {"ja", "nein"}
    assert told.get("header", True) is header
