"""The checker on LIBSVM text."""

import json
import re

import pytest
from certificates import OPENERS, SPARSE, altered, is_accepted, numbers, outcome, rows_of, twofold
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker import parse, read_rows, whole_number


def sparse(points, base=1, classes=(-1, 1)):
    return twofold(points, {"format": "libsvm", "base": base}, None, classes)


def test_the_libsvm_example(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(SPARSE[0])
    assert read_rows([path], parse(SPARSE[1])) == rows_of([[1, 0, 0.5], [2, 0, 1]], [-1, 1])
    assert outcome(json.loads(SPARSE[1]), path).startswith(
        "Proved for 2 rows, 3 columns of LIBSVM text (indices 1 to 3), no intercept, "
        "numbers read as float64, class 1 against -1: "
    )


LIBSVM = """# a comment, then an empty line

-1 qid:7 1:1.5 2:0 3:-2e1 # qid:8 1:2
+1 1:+1.5\t3:-20   2
-1 # no entries
1\t
\t  # nothing
 -1 2:.5
1.0 qid:1 2:5e-1 3:0.0#
"""


@pytest.mark.parametrize("packed", OPENERS)
@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_libsvm_text(tmp_path, base, packed, end):
    text = LIBSVM.replace("   2\n", " \n")
    if base == 0:
        text = re.sub(r"\b([123]):", lambda match: f"{int(match[1]) - 1}:", text)
    path = tmp_path / f"data{packed}"
    with OPENERS[packed](path, "wb") as file:
        file.write(b"\xef\xbb\xbf" + text.replace("\n", end).encode())
    document = sparse([[1.5, 0, -20], [0, 0, 0], [0, 0.5, 0]], base)
    assert is_accepted(document, path)
    assert "Refused. " in outcome(altered(document, "table", "base", 1 - base), path)
    assert outcome(document, path, path).startswith("Refused. The certificate is about 6 rows, but the data has 12")
    assert "Not checked. There is no column 'y'" in outcome(document, path, label="y")
    wider = sparse([[1.5, 0, -20, 0], [0, 0, 0, 0], [0, 0.5, 0, 0]], base)
    assert is_accepted(wider, path)  # the last column is 0 everywhere
    for old, new in [("1.5", "1.25"), (".5", ".25"), ("-1 #", "1 #"), ("5e-1", "6e-1"), ("# nothing", "-1")]:
        with OPENERS[packed](path, "wb") as file:
            file.write(text.replace(old, new, 1).encode())
        assert "Refused. " in outcome(document, path)


def test_labels_are_whole_numbers_however_they_are_written():
    words = ("1", "+1.0", "10e-1", "-0", "01", "9007199254740993", "0.5", "1e999", "x")
    assert [whole_number(word) for word in words] == [1, 1, 1, 0, 1, 9007199254740993, None, None, None]


NO_LIBSVM = {
    "-1 1:1 2": "Not checked. {}, line 2: '2' is not an index, a colon and a number",
    "-1 1:1 2:": "Not checked. {}, line 2: '2:' is not an index",
    "-1 1:1 :2": "Not checked. {}, line 2: ':2' is not an index",
    "-1 1:1 2: 3": "Not checked. {}, line 2: '2:' is not an index",
    "-1 1:1 2:x": "Not checked. {}, line 2: '2:x' is not an index",
    "-1 1:1 2:nan": "Not checked. {}, line 2: '2:nan' is not an index",
    "-1 1:1 2:1e999": "Not checked. {}, line 2: '2:1e999' is not an index",
    "-1 1:1 2:true": "Not checked. {}, line 2: '2:true' is not an index",
    "-1 1:1 2:1:1": "Not checked. {}, line 2: '2:1:1' is not an index",
    "-1 1:1 -2:1": "Not checked. {}, line 2: '-2:1' is not an index",
    "-1 1:1 ２:1": "Not checked. {}, line 2: '２:1' is not an index",
    "-1 1:1 1e0:1": "Not checked. {}, line 2: '1e0:1' is not an index",
    "-1 1:1 " + "1" * 5_000 + ":1": "Not checked. {}, line 2: '1111",
    "-1 1:1 qid:1": "Not checked. {}, line 2: 'qid:1' is not an index",
    "-1 qid:x 1:1": "Not checked. {}, line 2: 'qid:x' is not an index",
    "-1 qid: 1:1": "Not checked. {}, line 2: 'qid:' is not an index",
    "-1 qid:1 qid:2 1:1": "Not checked. {}, line 2: 'qid:2' is not an index",
    "-1 2:1 1:1": "Not checked. {}, line 2: the index 1 follows 2.",
    "-1 1:1 1:1": "Not checked. {}, line 2: the index 1 follows 1.",
    "-1 1:0 1:1": "Not checked. {}, line 2: the index 1 follows 1.",
    "1:1 2:2": "Not checked. {}, line 2: '1:1' is where the label should be.",
    "qid:1 1:1": "Not checked. {}, line 2: 'qid:1' is where the label should be.",
    "-1 1:\0": "Not checked. {}, line 2: this is not text in utf-8.",
    "-1 0:1 1:1": "Refused. {}, line 2: the index 0 is not from 1 to 2, the columns of the certificate.",
    "-1 0:0 1:1": "Refused. {}, line 2: the index 0 is not from 1 to 2, the columns of the certificate.",
    "-1 1:1 3:1": "Refused. {}, line 2: the index 3 is not from 1 to 2, the columns of the certificate.",
    "-1 1:1 3:0": "Refused. {}, line 2: the index 3 is not from 1 to 2, the columns of the certificate.",
    "2 1:1": "Refused. {}, line 2: the label '2' is no class of the certificate.",
    "-1,1 1:1": "Not checked. {}, line 2: the label '-1,1' is not a whole number",
    "0.5 1:1": "Not checked. {}, line 2: the label '0.5' is not a whole number",
    "1e999 1:1": "Not checked. {}, line 2: the label '1e999' is not a whole number",
    "1e-99999999999999999999999 1:1": "Not checked. {}, line 2: the label '1e-99999",
    "-9999999999999999.5 1:1": "Not checked. {}, line 2: the label '-9999999999999999.5' is not a whole number",
    "x 1:1": "Not checked. {}, line 2: the label 'x' is not a whole number",
}


@pytest.mark.parametrize("line", NO_LIBSVM, ids=[line[:20] for line in NO_LIBSVM])
def test_what_is_no_libsvm_text(tmp_path, line):
    path = tmp_path / "data.svm"
    document = sparse([[1, 0]])
    path.write_text("\n-1 1:1\n+1 1:1\n", encoding="utf-8")
    assert is_accepted(document, path)
    path.write_text(f"\n{line}\n+1 1:1\n", encoding="utf-8")
    said = outcome(document, path)
    assert said.startswith(NO_LIBSVM[line].format(path))
    assert len(said) < 300


def test_forms_of_libsvm_tables():
    document = json.loads(SPARSE[1])
    for change, message in [
        (("table", "base", 2), "problem.table.base must be an integer from 0 to 1, not 2"),
        (("table", "base", -1), "problem.table.base must be an integer"),
        (("table", "base", True), "problem.table.base must be an integer"),
        (("table", "base", None), "problem.table.base must be an integer"),
        (("table", {"format": "libsvm"}), "problem.table lacks the key 'base'"),
        (("table", "label", "y"), "problem.table must not have the key 'label'"),
        (("table", "gaps", []), "problem.table must not have the key 'gaps'"),
        (("columns", [{"source": name} for name in "123"]), "problem.columns must be null, as"),
        (("columns", []), "problem.columns must be null, as"),
    ]:
        assert message in outcome(altered(document, *change))


@given(
    st.lists(st.tuples(st.sampled_from([-1, 1]), st.lists(numbers, min_size=3, max_size=3)), min_size=1, max_size=5),
    st.sampled_from([0, 1]),
    st.data(),
)
def test_floats_survive_libsvm_text(tmp_path_factory, rows, base, data):
    path = tmp_path_factory.mktemp("tables") / "data.svm"
    lines = []
    for label, point in rows:
        words = [str(label), *data.draw(st.sampled_from([[], ["qid:3"]]))]
        words += [f"{j + base}:{value!r}" for j, value in enumerate(point) if value or data.draw(st.booleans())]
        lines.append(
            data.draw(st.sampled_from([" ", "\t", "  "])).join(words) + data.draw(st.sampled_from(["", " # 9:9", "\n"]))
        )
    path.write_text("\n".join(lines))
    table = {"format": "libsvm", "base": base}
    problem = {"dimension": 3, "numbers": "float64", "classes": None, "columns": None, "table": table}
    assert read_rows([path], {"problem": problem}) == rows_of([x for _, x in rows], [y for y, _ in rows])
