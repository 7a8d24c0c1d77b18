"""The stand-alone checker and the fast verifier: they accept the same proofs, refuse the same, and say the same of them."""

import ast
import copy
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from certificates import CLAIMS, DECIMAL, EXAMPLES, KERNEL, LABELS, MIXED, SPARSE, TIED, own_digest, tabled, tables
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix import checker
from separatrix.checker import FORMATS, InvalidCertificate, check, parse, read_rows
from separatrix.cli import app
from separatrix.exceptions import FileError, OtherTable, TableError
from separatrix.problem import provenance
from separatrix.proof.certificate import Certificate
from separatrix.proof.verification import data_of, in_words, verify_data


def stand_alone(text, path, label=None):
    """What the stand-alone checker answers: its exit code, and the sentence if the proof is valid."""
    try:
        certificate = parse(text)
        return 0, check(certificate, read_rows([path], certificate, label))
    except InvalidCertificate:
        return 1, None
    except checker.DataError:
        return 2, None


def fast(text, path, label=None):
    """What ``separatrix verify`` answers."""
    try:
        certificate = Certificate.from_text(text)
        data = data_of(certificate, str(path), label=label)
        return 0, in_words(certificate, data, verify_data(certificate, data))
    except (InvalidCertificate, OtherTable):
        return 1, None
    except FileError:
        return 2, None


def answers(document, path, label=None):
    """The sentence of both checkers, or None if both refuse."""
    text = document if isinstance(document, str | bytes) else json.dumps(document)
    one, other = stand_alone(text, path, label), fast(text, path, label)
    assert (one[0] == 0) == (other[0] == 0), (one, other, text[:2000])
    assert one[1] == other[1]
    return one[1]


def proof_of(rows, table, named, classes=("a", "b"), weights=None, intercept="0"):
    """A certificate that a hyperplane separates rows, given as pairs of a label and a point."""
    d = len(rows[0][1])
    return {
        "format": FORMATS[0],
        "claim": "separable",
        "problem": {
            "rows": len(rows), "dimension": d, "intercept": True, "classes": list(classes), "columns": named, "table": table,
            "digest": own_digest([(label, [float(value) for value in point]) for label, point in rows]),
        },
        "separator": {"weights": weights or ["0"] * d, "intercept": intercept},
    }  # fmt: skip


# ---- The examples of the specification


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_examples(tmp_path, claim):
    table, text = EXAMPLES[claim]
    path = tmp_path / "data.csv"
    path.write_text(table)
    assert answers(text, path, LABELS[claim]).startswith("Proved for ")


def test_the_examples_of_other_tables_of_decimals_and_of_ties(tmp_path):
    for (table, text), name in ((MIXED, "a.csv"), (SPARSE, "a.svm"), (DECIMAL, "b.csv"), (TIED, "c.csv"), (KERNEL, "d.csv")):
        path = tmp_path / name
        path.write_text(table)
        assert answers(text, path).startswith("Proved for ")


# ---- What the sentence says


def test_the_usual_gaps_are_the_same_for_both():
    assert checker.USUAL_GAPS == provenance.GAPS


def test_a_value_that_is_called_a_gap_is_told(tmp_path):
    """The classes overlap; without the value 3 they do not."""
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,a\n2,b\n3,a\n")
    taken_as_0 = proof_of(
        [(-1, [1]), (1, [2]), (-1, [0])], tabled(gaps=["3"]), [{"source": "x"}], weights=["2"], intercept="-3"
    )
    assert answers(taken_as_0, path) == (
        "Proved for 3 rows, 1 column ('x'), an intercept, "
        "numbers read as float64, class 'b' against 'a', labels in column 'y', 1 gap in 1 row taken "
        "as 0, none of them told of by a column, where '3' is a gap and no other text is: the classes are separable: the "
        "given hyperplane has every row on its correct side."
    )
    left_out = proof_of(
        [(-1, [1]), (1, [2])], tabled(gaps=[*provenance.GAPS, "3"], missing="drop-rows"), None, weights=["2"], intercept="-3"
    )
    assert answers(left_out, path) == (
        "Proved for 2 of 3 rows, 1 column ('x', in the order of the file, whatever their names), an intercept, "
        "numbers read as float64, class 'b' "
        "against 'a', labels in column 'y', 1 row left out for 1 gap, where '3' is a gap besides the usual texts: the "
        "classes are separable: the given hyperplane has every row on its correct side."
    )


def test_what_the_sentence_says_of_columns(tmp_path):
    """Ten columns of numbers, of which some are left out, or taken by their order."""
    path = tmp_path / "data.csv"
    names = [f"c{k}" for k in range(9)] + ["z"]
    path.write_text(f"{','.join(names)},y\n{','.join('0' * 10)},b\n")
    plain = tabled(gaps=list(provenance.GAPS), missing="refuse")
    said = {
        count: answers(
            proof_of([(1, [0] * count)], plain, [{"source": name} for name in names[:count]], intercept="1"), path
        )
        for count in (1, 2, 8, 9, 10)
    }
    assert "1 column ('c0') from 1 of the 10 that the file has besides the label, an" in said[1]
    assert "2 columns ('c0', 'c1') from 2 of the 10 that the file has besides the label, without 'c2', 'c3'" in said[2]
    assert "('c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7') from 8 of the 10 that" in said[8]
    assert "the label, without 'c8' and 'z', an intercept" in said[8]
    assert "9 columns from 9 of the 10 that the file has besides the label, without 'z', an intercept" in said[9]
    assert "10 columns from all 10 that the file has besides the label, an intercept" in said[10]
    mixed = [{"source": name} for name in names[:8]] + [{"source": "c8", "category": text} for text in "01"]
    said = answers(proof_of([(1, [0] * 8 + [1, 0])], plain, mixed, intercept="1"), path)
    assert "10 columns (8 of numbers, 2 of categories, 0 of gaps) from 9 of the 10 that the file has besides" in said
    ordered = answers(proof_of([(1, [0] * 10)], plain, None, intercept="1"), path)
    assert "10 columns (in the order of the file, whatever their names), an intercept" in ordered


def test_what_the_sentence_says_of_the_file(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes("grün\tb\n".encode("latin-1"))
    table = tabled(header=False, separator="\t", encoding="latin-1", label="2", gaps=[], missing="refuse")
    said = answers(proof_of([(1, [1])], table, [{"source": "1", "category": "grün"}], intercept="1"), path)
    assert (
        "1 column ('1' = 'grün'), an intercept, "
        "numbers read as float64, class 'b' against 'a', labels in column '2', no header but a row in the "
        "first line, cells separated by tabs, text in latin-1, where no text is a gap: the"
    ) in said


@pytest.mark.parametrize("classes", [("no", "yes"), (" NA", " yes")])
def test_a_category_with_blanks_is_what_the_certificate_says(tmp_path, classes):
    """Before blanks around gaps were passed over, ` ?` was a category: such proofs go on to hold, for both checkers."""
    no, yes = classes
    table, proof = tmp_path / "t.csv", tmp_path / "proof.json"
    table.write_text(f"a,b,y\n1, ?,{no}\n2, x,{yes}\n3, ?,{yes}\n0, x,{no}\n")
    data = sx.read_data(table, "y", usual_gaps=False)
    assert data.names == ["a", "b= ?", "b= x"]
    sx.decide(data).certificate.save(proof)
    document = json.loads(proof.read_text())
    document["problem"]["table"]["gaps"] = list(checker.USUAL_GAPS)
    proof.write_text(json.dumps(document))
    assert checker.main([str(proof), str(table)]) == 0
    sx.verify(proof, table)
    assert sx.read_data(table, "y", missing="drop-rows").shape == ((2, 2) if no == "no" else (1, 2))


@pytest.mark.parametrize("missing", ["refuse", "drop-rows"])
def test_truths_among_numbers_and_words_in_rows_that_are_left_out(tmp_path, missing):
    """Neither is what `decide` would learn from, and both are as the format says."""
    path = tmp_path / "t.csv"
    path.write_text("x,z,y\n1,1,b\n true,2,b\n" + ("word,?,b\n" if missing == "drop-rows" else ""))
    table = tabled(gaps=["?"], missing=missing)
    assert answers(proof_of([(1, [1, 1]), (1, [1, 2])], table, [{"source": "x"}, {"source": "z"}], intercept="1"), path)
    path.write_text(path.read_text().replace("true", "word"))
    assert (
        answers(proof_of([(1, [1, 1]), (1, [1, 2])], table, [{"source": "x"}, {"source": "z"}], intercept="1"), path) is None
    )


def test_lines_without_an_end(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(checker, "MOST_LINE", 2**16)
    proof = tmp_path / "proof.json"
    sx.decide([[0.0], [1.0]], [0, 1]).certificate.save(proof)
    assert checker.main([str(proof), "/dev/zero", "--label", "y"]) == 2
    assert "line 1: this has 65,536 characters or more, too many for a line" in capsys.readouterr().err


def test_files_may_have_their_columns_in_different_orders(tmp_path):
    one, other, proof = tmp_path / "1.csv", tmp_path / "2.csv", tmp_path / "proof.json"
    one.write_text("a,b,y\n1,5,no\n2,6,yes\n")
    other.write_text("y,b,a\nyes,7,3\nno,8,0\n")
    data = sx.read_data([one, other], "y")
    assert data.X.tolist() == [[1, 5], [2, 6], [3, 7], [0, 8]]
    sx.decide(data).certificate.save(proof)
    assert checker.main([str(proof), str(one), str(other)]) == 0
    certificate = Certificate.load(proof)
    verify_data(certificate, data_of(certificate, [one, other]))
    other.write_text("y,b,a\nyes,7,3\nno,8,word\n")
    with pytest.raises(FileError, match=r"2.csv, line 3, column 'a': 'word' is not a number"):
        sx.read_data([one, other], "y")
    other.write_text("y,b,c\nyes,7,3\n")
    with pytest.raises(FileError, match=r"2.csv does not have the columns of .*1.csv"):
        sx.read_data([one, other], "y")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("comment", ["", " # first"])
def test_every_end_of_line_in_libsvm_text(tmp_path, end, comment):
    """A comment goes on to the end of its line, and no further."""
    text, proof = tmp_path / "t.svm", tmp_path / "proof.json"
    text.write_bytes(f"1 1:1{comment}{end}-1 1:2{end}1 1:3\n1 1:4{comment}{end}".encode())
    data = sx.read_data(text)
    assert data.X.toarray().tolist() == [[1], [2], [3], [4]]
    verdict = sx.decide(data)
    assert verdict.status == "overlapping"
    verdict.certificate.save(proof)
    assert answers(proof.read_text(), text)


def test_a_truth_beside_an_empty_cell_in_a_row_that_is_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\ntrue,b\nfalse,b\n,?\n")
    assert answers(
        proof_of([(1, [1]), (1, [0])], tabled(gaps=["?"], missing="drop-rows"), [{"source": "x"}], intercept="1"), path
    )


def test_names_of_files_are_escaped(tmp_path, capsys):
    assert checker.main(["nosuch\x1b[31m.json", "t.csv"]) == 2
    proof = tmp_path / "proof.json"
    sx.decide([[0.0], [1.0]], [0, 1]).certificate.save(proof)
    assert checker.main([str(proof), "nosuch\x1b[31m\n.csv", "--label", "y"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert said.count("\n") == 2


def test_texts_without_a_column_are_counted(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("c,d,y\nred,1,b\ngreen,NA,b\nblue,2,b\nNA,1,b\n")
    named = [{"source": "c", "category": "red"}, {"source": "d", "gap": True}, {"source": "c", "gap": True}]
    rows = [(1, [1, 0, 0]), (1, [0, 1, 0]), (1, [0, 0, 0]), (1, [0, 0, 1])]
    table = tabled(gaps=list(provenance.GAPS))
    said = answers(proof_of(rows, table, named, intercept="1"), path)
    assert ", 2 cells with a text that has no column taken as 0, an intercept" in said
    assert ", 2 gaps in 2 rows taken as 0, each told of by a column: the classes" in said
    said = answers(proof_of([(y, x[:2]) for y, x in rows], table, named[:2], intercept="1"), path)
    assert ", 2 gaps in 2 rows taken as 0, all but 1 of them told of by a column: the classes" in said


TWINS = [
    ("a" * 80, "a" * 40 + "b" + "a" * 39),
    ("a" * 5_000, "a" * 2_500 + "b" + "a" * 2_499),
    ("yes", "y\u0435s"),  # a Cyrillic letter
    ("caf\u00e9", "cafe\u0301"),
    ("\u00c5", "\u212b"),
    ("A", "\uff21"),
    ("1", "1\u200b"),
    ("\u0421\u041e\u041f", "COP"),
]


@pytest.mark.parametrize("pair", TWINS, ids=[ascii(pair[0][:9]) for pair in TWINS])
def test_names_that_look_alike_are_told_apart(tmp_path, pair):
    path = tmp_path / "data.csv"
    for classes in (pair, pair[::-1]):
        path.write_text(f"x,y\n1,{classes[1]}\n2,{classes[0]}\n", encoding="utf-8")
        plain = tabled(gaps=list(provenance.GAPS), missing="refuse")
        document = proof_of([(1, [1]), (-1, [2])], plain, [{"source": "x"}], classes, ["-2"], "3")
        said = answers(document, path)
        assert said.isascii() or "…" in said
        shown = said.partition("class ")[2].partition(", labels")[0]
        one, other = shown.split(" against ")
        assert one != other
        assert len(said) < 1_000


def test_names_of_one_alphabet_are_shown_as_they_are(tmp_path):
    for classes in (("нет", "да"), ("否", "是"), ("größer", "gleich"), ("ä", "ö")):
        table = tabled(gaps=list(provenance.GAPS), label="Klasse")
        problem = {"rows": 1, "dimension": 1, "intercept": True, "classes": list(classes), "columns": None, "table": table}
        problem |= {"tie": "update", "numbers": "float64", "kernel": None}
        assert f"class '{classes[1]}' against '{classes[0]}'" in checker.subject_in_words(problem)


def test_no_two_certificates_have_the_same_sentence(tmp_path):
    """Whatever is chosen differently, the sentence differs: each of these reads the same file in another way."""
    path = tmp_path / "data.csv"
    path.write_text("x,z,y\n1,2,b\n")
    usual = list(provenance.GAPS)
    said = [
        answers(proof_of([(1, point)], tabled(**changes), named, intercept="1"), path)
        for point, changes, named in [
            ([1, 2], {"gaps": usual, "missing": "refuse"}, [{"source": "x"}, {"source": "z"}]),
            ([1, 2], {"gaps": usual, "missing": "refuse"}, None),
            ([1], {"gaps": usual, "missing": "refuse"}, [{"source": "x"}]),
            ([1, 2], {"gaps": usual, "missing": "indicator"}, [{"source": "x"}, {"source": "z"}]),
            ([0, 2], {"gaps": [*usual, "1"], "missing": "indicator"}, [{"source": "x"}, {"source": "z"}]),
            ([1, 0], {"gaps": [*usual, "2"], "missing": "indicator"}, [{"source": "x"}, {"source": "z"}]),
            ([0, 1], {"gaps": [*usual, "1"], "missing": "indicator"}, [{"source": "x"}, {"source": "x", "gap": True}]),
            ([1, 2], {"gaps": usual, "missing": "drop-rows"}, [{"source": "x"}, {"source": "z"}]),
            ([1], {"gaps": usual, "missing": "refuse"}, [{"source": "x", "category": "1"}]),
            ([0], {"gaps": usual, "missing": "refuse"}, [{"source": "x", "category": "2"}]),
        ]
    ]
    assert None not in said
    assert len(set(said)) == len(said)


def test_names_that_look_alike_are_written_in_ascii():
    assert checker.spelling(["größe", "y"])("größe") == "'größe'"
    assert checker.spelling(["größe", "gro\u0308ße"])("größe") == r"'gr\xf6\xdfe'"


# ---- Tables of all kinds


LEFT_OUT = {
    "dimension": 1, "classes": ["a", "b"], "columns": [{"source": "2"}],
    "table": {
        "format": "csv", "label": "1", "header": False, "separator": ",", "encoding": "utf-8", "gaps": ["a"],
        "missing": "drop-rows",
    },
}  # fmt: skip


@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@example((["1", "2"], [["a", "1e400"], ["b", "1"]], LEFT_OUT), csv.QUOTE_MINIMAL)  # what is left out is not looked at
@example((["1", "2"], [["a", "no number"], ["b", "1"]], LEFT_OUT), csv.QUOTE_MINIMAL)
def test_the_same_answer_on_any_table(tmp_path_factory, case, quoting):
    names, lines, problem = case
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    with open(path, "w", encoding=problem["table"]["encoding"], newline="") as file:
        writer = csv.writer(file, delimiter=problem["table"]["separator"], quoting=quoting)
        writer.writerows([names] * problem["table"]["header"] + [*lines])
    document = {
        "format": FORMATS[0],
        "claim": "separable",
        "problem": {"rows": 1, "intercept": True, "digest": f"sha256:{'0' * 64}", **problem},
        "separator": {"weights": ["0"] * problem["dimension"], "intercept": "1"},
    }
    try:
        rows = read_rows([path], parse(json.dumps(document)))
    except ValueError:
        rows = []
    document["problem"] |= {"rows": max(1, len(rows)), "digest": checker.digest(rows)}
    event(str(answers(document, path))[:6])


ODD = [
    "", "NA", "nan", "NaN", "inf", "1", "0", " 1", "1 ", "+1", "1e0", "01", "1.0", "-0", "true", "TRUE", "a", "?", "1_0",
    "1e400", "é", "1,5", "9007199254740993", "\t1",
]  # fmt: skip
ODD_LABELS = ["a", "b", "1", "0", "1.0", "+1", "01", "-1", "1e0", "true", "false", "NA", "", " 1", "-0"]


@st.composite
def odd_tables(draw):
    """The cells and labels that programs disagree on, and a certificate about them that claims nothing."""
    width = draw(st.integers(1, 3))
    header = draw(st.booleans())
    others = draw(st.permutations(["x", "", "2", "1"]))[:width] if header else [str(k + 1) for k in range(width)]
    names = [*others, "y" if header else str(width + 1)]
    pools = [draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=3)) for _ in others]
    pools.append(draw(st.lists(st.sampled_from(ODD_LABELS), min_size=1, max_size=2)))
    lines = draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=1, max_size=4))
    missing = draw(st.sampled_from(["refuse", "drop-rows", "indicator"]))
    gaps = draw(st.just(list(provenance.GAPS)) | st.lists(st.sampled_from(ODD), max_size=4, unique=True))
    chosen = []
    for name, pool in zip(others, pools, strict=False):
        kind = draw(st.sampled_from(["number", "category", "nothing"]))
        if kind == "number":
            chosen.append({"source": name})
        elif kind == "category":
            chosen += [{"source": name, "category": text} for text in sorted({*pool, "z"} - set(gaps))]
        if missing == "indicator" and draw(st.booleans()):
            chosen.append({"source": name, "gap": True})
    problem = {
        "rows": 1,
        "dimension": len(chosen or others),
        "intercept": True,
        "classes": draw(st.sampled_from([["a", "b"], [None, "a"], [0, 1], [None, 1], [False, True], None, ["1", "1.0"]])),
        "columns": chosen or None,
        "table": tabled(label=names[-1], header=header, separator=draw(st.sampled_from(",;\t")), gaps=gaps, missing=missing),
        "digest": f"sha256:{'0' * 64}",
    }
    document = {
        "format": FORMATS[0], "claim": "errors-at-least", "problem": problem, "errors": {"least": "0", "costs": None},
        "packing": {"obstructions": [], "nodes": [{"obstructions": [], "weights": []}]},
    }  # fmt: skip
    return [names] * header + lines, document


@given(odd_tables())
@settings(max_examples=max(300, settings().max_examples))
def test_no_proof_is_accepted_by_one_and_refused_by_the_other(tmp_path_factory, case):
    """What one accepts the other accepts, or cannot read; then it says so, and does not call it refuted."""
    lines, document = case
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=document["problem"]["table"]["separator"]).writerows(lines)
    try:
        rows = read_rows([path], parse(json.dumps(document)))
    except ValueError:
        rows = []
    document["problem"] |= {"rows": max(1, len(rows)), "digest": checker.digest(rows)}
    one, other = (each(json.dumps(document), path) for each in (stand_alone, fast))
    event(f"{one[0]} {other[0]}")
    assert {one[0], other[0]} != {0, 1}
    assert other[0] != 0 or one == other


# ---- Labels in every spelling

WHOLE = ["1", "+1", "1.0", "1.", "1e0", "10e-1", "0.1e1", "01", "001.00", "1.00000000000000000000000"]
ZERO = ["0", "-0", "+0", "0.0", "-0.0", "0e5", "0e-999", "00", ".0", "0." + "0" * 400]
HUGE = ["9007199254740993", "9007199254740992", "9007199254740994", "1e22", "10000000000000000000001", "-1e308"]


@pytest.mark.parametrize("one", WHOLE)
@pytest.mark.parametrize("zero", ["0", "-0", "0e-999"])
def test_one_rule_for_labels_of_libsvm_text(tmp_path, one, zero):
    """A number is the class, however it is written, to the reader, to the verifier and to the checker."""
    path, proof = tmp_path / "data.svm", tmp_path / "proof.json"
    path.write_text(f"{one} 1:1\n{zero} 1:-1\n1 1:2\n0 1:-2\n")
    data = sx.read_data(path)
    assert data.classes == (0, 1)
    assert data.y.tolist() == [1, 0, 1, 0]
    sx.decide(data).certificate.save(proof)
    assert "class 1 against 0: the classes are separable" in answers(proof.read_text(), path)
    sx.verify(proof, path)
    sx.verify(proof, data.X, data.y)
    sx.verify(proof, data.X, data.y.astype(float))


def test_labels_of_libsvm_text_are_never_merged(tmp_path):
    path, proof = tmp_path / "data.svm", tmp_path / "proof.json"
    words = [*HUGE, *WHOLE[:1], *ZERO[:1]]
    path.write_text("".join(f"{word} 1:{k}\n" for k, word in enumerate(words)))
    data = sx.read_data(path)
    assert sorted(data.classes) == sorted({int(Fraction(word)) for word in words})
    assert len(data.classes) == len(words)
    assert [int(Fraction(word)) for word in words] == data.y.tolist()
    for k in (0, 1, 6):
        positive = int(Fraction(words[k]))
        sx.least_errors(data, positive=positive).certificate.save(proof)
        assert f"class {positive} against all other labels" in answers(proof.read_text(), path)


@given(
    st.lists(st.sampled_from(WHOLE + ZERO + HUGE + ["-1", "2", "0.5", "1e999", "x", "0.99999999999999999999"]), min_size=2)
)
def test_labels_of_libsvm_text_by_definition(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("labels") / "data.svm"
    path.write_text("".join(f"{word} 1:1\n" for word in words))
    values = [Fraction(word) if word not in ("x", "1e999") else Fraction(1, 2) for word in words]
    if all(value.denominator == 1 for value in values):
        assert sx.read_data(path).y.tolist() == [int(value) for value in values]
    else:
        with pytest.raises(FileError, match=r"data\.svm"):
            sx.read_data(path)
    document = proof_of([(1, [1])], {"format": "libsvm", "base": 1}, None, (None, 1))
    certificate = parse(json.dumps(document))
    if all(value.denominator == 1 for value in values):
        assert [label for label, _ in read_rows([path], certificate)] == [1 if value == 1 else -1 for value in values]
    else:
        with pytest.raises(checker.DataError, match="is not a whole number"):
            read_rows([path], certificate)


@pytest.mark.parametrize("pair", [("1", "1.0"), ("1", "01"), ("1", "+1"), ("0", "-0"), ("1e0", "1"), ("true", "1")])
def test_labels_of_csv_in_every_spelling(tmp_path, pair):
    """Two texts that are one number stay two classes, as words; a third text does not matter."""
    path, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    for first, second in (pair, pair[::-1]):
        path.write_text(f"x,y\n1,{first}\n2,{second}\n")
        data = sx.read_data(path, "y")
        assert sorted(data.classes) == sorted(pair)
        sx.decide(data).certificate.save(proof)
        assert "the classes are separable" in answers(proof.read_text(), path)
    path.write_text(f"x,y\n1,{pair[0]}\n2,7\n")
    data = sx.read_data(path, "y")
    sx.decide(data).certificate.save(proof)
    assert "the classes are separable" in answers(proof.read_text(), path)


def test_numbers_of_classes_that_csv_spells_alike(tmp_path):
    path, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    path.write_text("x,y\n1,0\n2,+1.0\n3,-0\n")
    certificate = sx.decide([[1], [2], [3]], [0, 1, 0]).certificate
    certificate.save(proof)
    assert "class 1 against 0" in answers(proof.read_text(), path, "y")


# ---- Columns without a name, and labels that look like places


def test_two_columns_without_a_name_are_refused_by_both(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(",,y\n1,2,b\n")
    plain = tabled(gaps=[], missing="refuse")
    for named in ([{"source": ""}], None):
        for point in ([1], [2]):
            document = proof_of([(1, point * (1 if named else 2))], plain, named, intercept="1")
            assert stand_alone(json.dumps(document), path)[0] == fast(json.dumps(document), path)[0] == 2
    path.write_text(",x,y\n1,2,b\n")
    assert "1 column ('') from 1 of the 2" in answers(proof_of([(1, [1])], plain, [{"source": ""}], intercept="1"), path)
    assert "2 columns ('', 'x', in" in answers(proof_of([(1, [1, 2])], plain, None, intercept="1"), path)
    path.write_text(",,x,y\n1,2,3,b\n")  # those that are not used do not matter
    said = answers(proof_of([(1, [3])], plain, [{"source": "x"}], intercept="1"), path)
    assert "without '' and '', an intercept" in said
    path.write_text("x,x,y\n1,2,b\n")
    document = json.dumps(proof_of([(1, [1])], plain, [{"source": "x"}], intercept="1"))
    assert stand_alone(document, path)[0] == fast(document, path)[0] == 2


def test_a_label_is_a_name_and_no_place(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,z\n1,b\n")
    document = proof_of([(1, [1])], tabled(label="2", gaps=[], missing="refuse"), [{"source": "x"}], intercept="1")
    assert stand_alone(json.dumps(document), path)[0] == fast(json.dumps(document), path)[0] == 1
    path.write_text("x,\n1,b\n")
    document["problem"]["table"]["label"] = ""
    assert "labels in column ''" in answers(document, path)


def test_a_column_of_gaps_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n,b\nred,b\n1,b\n")
    document = proof_of([(1, [1]), (1, [0]), (1, [0])], tabled(gaps=[""]), [{"source": "a", "gap": True}], intercept="1")
    assert "1 column ('a' is missing), an intercept" in answers(document, path)


# ---- Documents that mean harm


@pytest.mark.parametrize(
    ("gaps", "reason"),
    [
        ([str(k) for k in range(1_001)], "at most 1,000 texts"),
        ([str(k) for k in range(40_000)], "at most 1,000 texts"),
        (["x" * 1_001], "at most 1,000 characters"),
        ([f"{k}{'é' * 900}" for k in range(100)], "at most 100,000 bytes"),
        (["\ud800"], "half of a surrogate pair"),
    ],
)
def test_gaps_have_limits(tmp_path, gaps, reason):
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,b\n")
    document = proof_of([(1, [1])], tabled(gaps=gaps), [{"source": "x"}], intercept="1")
    for read in (parse, Certificate.from_text):
        with pytest.raises(InvalidCertificate, match=reason):
            read(json.dumps(document))
    with pytest.raises(TableError, match=reason):
        sx.read_data(path, "y", gaps=gaps)
    model = tmp_path / "model.json"
    data = sx.read_data(path.parent / "data.csv", "y")
    sx.save_model(sx.Perceptron().fit([[1.0], [2.0]], ["a", "b"]), model, data=data)
    changed = json.loads(model.read_text())
    changed["table"]["gaps"] = gaps
    model.write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=reason):
        sx.load_model(model)


def test_as_many_gaps_as_there_may_be(tmp_path):
    """In a process of its own: beyond some number of texts, Arrow's reader crashes."""
    path, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    path.write_text("x,c,y\n1,u,b\n2,v,b\n")
    rng = np.random.default_rng(0)
    for length in (100, 1_000):
        gaps = ["".join(map(chr, rng.integers(33, 127, length))) for _ in range(100_000 // length)]
        named = [{"source": "x"}, {"source": "c", "category": "u"}]
        document = proof_of([(1, [1, 1]), (1, [2, 0])], tabled(gaps=gaps), named, intercept="1")
        proof.write_text(json.dumps(document))
        done = run(sys.executable, "-m", "separatrix", "verify", proof, path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("Proved for 2 rows")


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, **options)


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**25), 10**25), st.integers(-3, 3), st.text(max_size=3), st.floats(),
    st.sampled_from(["\ud800", "1/0", "0", "1", "-1", "x" * 5_000, "9" * 60_000, 10**30, {}, [], [[]], {"a": 1}]),
)  # fmt: skip


def places(document, path=()):
    """All places of a document."""
    yield path
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from places(document[key], (*path, key))


@st.composite
def hostile(draw):
    """A valid certificate of which something was changed, and its name."""
    name = draw(st.sampled_from(list(VALID)))
    document = json.loads(VALID[name][0])
    for _ in range(draw(st.integers(1, 2))):
        *path, last = draw(st.sampled_from([place for place in places(document) if place]))
        parent = document
        for key in path:
            parent = parent[key]
        change = draw(st.sampled_from(["replace", "delete", "repeat", "nest", "swap"]))
        if change == "replace":
            parent[last] = draw(values)
        elif change == "delete":
            del parent[last]
        elif change == "repeat" and isinstance(parent, list):
            parent.insert(last, copy.deepcopy(parent[last]))
        elif change == "nest":
            parent[last] = [parent[last]]
        elif isinstance(parent, dict):
            other = draw(st.sampled_from(sorted(parent)))
            parent[last], parent[other] = parent[other], parent[last]
    text = json.dumps(document)
    for _ in range(draw(st.integers(0, 1))):
        at = draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + draw(st.sampled_from(["", '"', "]", "1", "1e999", "NaN", "{", '"a":1,', "\x00", " "]))
            + text[at + 1 :]
        )
    return text, name


VALID = {claim: (document, f"{claim}.csv", table, LABELS[claim]) for claim, (table, document) in EXAMPLES.items()}
VALID["mixed"] = (MIXED[1], "mixed.csv", MIXED[0], None)
VALID["sparse"] = (SPARSE[1], "sparse.svm", SPARSE[0], None)


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    for _, name, table, _ in VALID.values():
        (folder / name).write_text(table)
    return folder


@given(hostile())
@settings(max_examples=max(400, settings().max_examples))
def test_hostile_documents_get_the_same_answer(examples, case):
    """Accepted by both or by none, for a reason, and never an exception of another kind."""
    text, about = case
    _, name, _, label = VALID[about]
    one, other = stand_alone(text, examples / name, label), fast(text, examples / name, label)
    event(f"{one[0]} {other[0]}")
    if about == "sparse" and other[0] == 0 and json.loads(text)["problem"]["table"] is None:
        assert one[0] == 2  # the library sees by itself that a file is LIBSVM text; the checker must be told
        return
    assert one == other or {one[0], other[0]} == {1, 2}  # what is wrong first is seen first


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, '{"a":' * 100_000, "{" * 960 + "}" * 960, "9" * 1_000_000, "1e999", "NaN", "-Infinity", '"\\ud800"',
        '{"format": 1, "format": 2}', "", "null", "[[]," * 1_000, "\ufeff{}",
        json.dumps({"format": FORMATS[0], "claim": "\ud800"}),
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_documents_that_are_none(examples, text, tmp_path):
    path = tmp_path / "proof.json"
    path.write_text(text, encoding="utf-8")
    for answer in (on_the_command_line, on_our_command_line):
        code, out, err = answer(path, examples / "separable.csv")
        assert (code, err) == (1, "")
        assert out.count("\n") == 1
        assert len(out) < 500


def on_the_command_line(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = checker.main(list(map(str, arguments)))
    return code, out.getvalue(), err.getvalue()


def on_our_command_line(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
        app.main(["verify", *map(str, arguments)])
    return left.value.code or 0, out.getvalue(), err.getvalue()


def test_both_command_lines_say_the_same(examples, tmp_path):
    proof = tmp_path / "proof.json"
    for document, name, _, label in VALID.values():
        proof.write_text(document)
        arguments = (proof, examples / name, *([] if label is None else ["--label", label]))
        assert on_the_command_line(*arguments) == on_our_command_line(*arguments)


# ---- The file that stands alone


def test_the_checker_is_written_out_byte_for_byte(tmp_path):
    done = subprocess.run([sys.executable, "-m", "separatrix", "checker"], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == Path(checker.__file__).read_bytes()
    copied = tmp_path / "checker.py"
    copied.write_bytes(done.stdout)
    assert run(sys.executable, "-I", "-S", copied, "--help").returncode == 0


def proof_and_table(folder):
    document, name, table, _ = VALID["separable"]
    (folder / "proof.json").write_text(document)
    (folder / name).write_text(table)
    return folder / "proof.json", folder / name


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("command", [[checker.__file__], ["-m", "separatrix", "verify"]])
def test_an_answer_that_cannot_be_written_is_none(tmp_path, command):
    """A valid proof is not called refuted because the disk is full or nobody listens."""
    arguments = [*command, *proof_and_table(tmp_path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
def test_closed_streams(tmp_path):
    command = " ".join(map(str, [sys.executable, checker.__file__, *proof_and_table(tmp_path)]))
    done = run("sh", "-c", f"{command} >&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "The answer cannot be written to standard output, which is closed or full.\n"
    assert run("sh", "-c", f"{command} >&- 2>&-").returncode == 2
    assert run("sh", "-c", f"{command} 2>&-").returncode == 0
    broken = tmp_path / "none.json"
    assert run("sh", "-c", f"{command.replace('proof.json', broken.name)} 2>&-").returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.05, 0.5])
def test_ctrl_c_ends_with_a_message(tmp_path, seconds):
    """While it reads from a pipe that never ends; from the moment on at which its first line has run."""
    proof, _ = proof_and_table(tmp_path)
    fifo, mark = tmp_path / "fifo.csv", tmp_path / "mark"
    os.mkfifo(fifo)
    source = Path(checker.__file__).read_text(encoding="utf-8")
    begun = f"    signal.signal(signal.SIGINT, stop)\n    open({str(mark)!r}, 'w').close()\n"
    copied = tmp_path / "checker.py"
    copied.write_text(source.replace("    signal.signal(signal.SIGINT, stop)\n", begun), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(copied), str(proof), str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not mark.exists():
            time.sleep(0.001)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "Not checked. Stopped.\n")


LATER = {  # what Python 3.8 does not have
    "attributes": {
        "lcm", "nextafter", "ulp", "removeprefix", "removesuffix", "bit_count", "randbytes", "pairwise", "batched", "cache",
        "is_relative_to", "readlink", "with_stem", "fma", "cbrt", "exp2", "sumprod", "is_integer", "file_digest",
    },
    "modules": {"zoneinfo", "graphlib", "tomllib"},
    "names": {"aiter", "anext", "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning"},
    "keywords": {("zip", "strict")},
}  # fmt: skip


def test_the_checker_runs_on_python_3_8():
    """As far as its text can tell; and on 3.7 it can be parsed, to say that it needs more."""
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert "Python 3.8 or later" in ast.get_docstring(ast.parse(source))
    tree = ast.parse(source, feature_version=(3, 7))
    assert any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body[:2])  # annotations
    for node in ast.walk(tree):
        assert not isinstance(node, ast.NamedExpr | ast.Match | ast.TryStar)
        if isinstance(node, ast.Attribute):
            assert node.attr not in LATER["attributes"]
        if isinstance(node, ast.ImportFrom):
            assert not LATER["attributes"] & {each.name for each in node.names}
        if isinstance(node, ast.Import):
            assert not LATER["modules"] & {each.name for each in node.names}
        if isinstance(node, ast.Name):
            assert node.id not in LATER["names"]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert not LATER["keywords"] & {(node.func.id, keyword.arg) for keyword in node.keywords}
            if node.func.id in ("gcd", "isinstance"):
                assert not isinstance(node.args[-1], ast.BinOp)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gcd":
            assert len(node.args) == 2
            assert not any(isinstance(each, ast.Starred) for each in node.args)
    for node in evaluated(tree):  # built-in classes take no types in brackets, nor bars between them
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            assert node.value.id not in ("list", "dict", "tuple", "set", "frozenset", "type", "defaultdict")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            raise AssertionError(ast.unparse(node))


def evaluated(tree):
    """All that is evaluated, which annotations are not."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node
                yield from evaluated(node)


def test_an_older_python_is_told(tmp_path):
    source = Path(checker.__file__).read_text(encoding="utf-8")
    copied = tmp_path / "checker.py"
    copied.write_text(source.replace("import sys\n", "import sys\nsys.version_info = (3, 7, 17)\n", 1), encoding="utf-8")
    done = run(sys.executable, "-I", "-S", copied, *proof_and_table(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "Not checked. This needs Python 3.8 or later.\n"
