"""The stand-alone checker and the fast verifier: they accept the same proofs, refuse the same, and say the same of them."""

import copy
import csv
import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from test_checker import CLAIMS, EXAMPLES, LABELS, MIXED, SPARSE, own_digest, tabled, tables, twofold

import separatrix as sx
from separatrix import checker, cli, columns
from separatrix.certificate import Certificate
from separatrix.checker import FORMAT, InvalidCertificate, check, parse, read_rows
from separatrix.files import FileError, OtherTable
from separatrix.verifier import data_of, in_words, verify_data


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


def overlapping(n):
    return {"rows": list(range(n)), "multipliers": ["1"] * n}


def proof_of(rows, table, named, classes=("a", "b"), weights=None, intercept="0"):
    """A certificate that a hyperplane separates rows, given as pairs of a label and a point."""
    d = len(rows[0][1])
    return {
        "format": FORMAT,
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


def test_the_examples_of_mixed_and_sparse_tables(tmp_path):
    for (table, text), name in ((MIXED, "data.csv"), (SPARSE, "data.svm")):
        path = tmp_path / name
        path.write_text(table)
        assert answers(text, path).startswith("Proved for ")


# ---- What the sentence says


def test_the_usual_gaps_are_the_same_for_both():
    assert checker.USUAL_GAPS == columns.GAPS


def test_a_value_that_is_called_a_gap_is_told(tmp_path):
    """The classes overlap; without the value 3 they do not."""
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,a\n2,b\n3,a\n")
    taken_as_0 = proof_of([(-1, [1]), (1, [2]), (-1, [0])], tabled(gaps=["3"]), [{"source": "x"}], weights=["2"], intercept="-3")
    assert answers(taken_as_0, path) == (
        "Proved for 3 rows, 1 column ('x'), an intercept, class 'b' against 'a', labels in column 'y', 1 gap in 1 row taken "
        "as 0, none of them told of by a column, where '3' is a gap and no other text is: the classes are separable: the "
        "given hyperplane has every row on its correct side."
    )
    left_out = proof_of(
        [(-1, [1]), (1, [2])], tabled(gaps=[*columns.GAPS, "3"], missing="drop-rows"), None, weights=["2"], intercept="-3"
    )
    assert answers(left_out, path) == (
        "Proved for 2 of 3 rows, 1 column ('x', in the order of the file, whatever their names), an intercept, class 'b' "
        "against 'a', labels in column 'y', 1 row left out for 1 gap, where '3' is a gap besides the usual texts: the classes "
        "are separable: the given hyperplane has every row on its correct side."
    )


def test_what_the_sentence_says_of_columns(tmp_path):
    """Ten columns of numbers, of which some are left out, or taken by their order."""
    path = tmp_path / "data.csv"
    names = [f"c{k}" for k in range(9)] + ["z"]
    path.write_text(f"{','.join(names)},y\n{','.join('0' * 10)},b\n")
    plain = tabled(gaps=list(columns.GAPS), missing="refuse")
    said = {
        count: answers(proof_of([(1, [0] * count)], plain, [{"source": name} for name in names[:count]], intercept="1"), path)
        for count in (1, 2, 8, 9, 10)
    }
    assert "1 column ('c0') from 1 of the 10 that the file has besides the label, an" in said[1]
    assert "2 columns ('c0', 'c1') from 2 of the 10 that the file has besides the label, without 'c2', 'c3'" in said[2]
    assert "('c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7') from 8 of the 10 that" in said[8]
    assert "the label, without 'c8' and 'z', an intercept" in said[8]
    assert "9 columns from 9 of the 10 that the file has besides the label, without 'z', an intercept" in said[9]
    assert "10 columns from all 10 that the file has besides the label, an intercept" in said[10]
    ordered = answers(proof_of([(1, [0] * 10)], plain, None, intercept="1"), path)
    assert "10 columns (in the order of the file, whatever their names), an intercept" in ordered


def test_what_the_sentence_says_of_the_file(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes("grün\tb\n".encode("latin-1"))
    table = tabled(header=False, separator="\t", encoding="latin-1", label="2", gaps=[], missing="refuse")
    said = answers(proof_of([(1, [1])], table, [{"source": "1", "category": "grün"}], intercept="1"), path)
    assert (
        "1 column ('1' = 'grün'), an intercept, class 'b' against 'a', labels in column '2', no header but a row in the "
        "first line, cells separated by tabs, text in latin-1, where no text is a gap: the"
    ) in said


def test_texts_without_a_column_are_counted(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("c,d,y\nred,1,b\ngreen,NA,b\nblue,2,b\nNA,1,b\n")
    named = [{"source": "c", "category": "red"}, {"source": "d", "gap": True}, {"source": "c", "gap": True}]
    rows = [(1, [1, 0, 0]), (1, [0, 1, 0]), (1, [0, 0, 0]), (1, [0, 0, 1])]
    table = tabled(gaps=list(columns.GAPS))
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
        plain = tabled(gaps=list(columns.GAPS), missing="refuse")
        document = proof_of([(1, [1]), (-1, [2])], plain, [{"source": "x"}], classes, ["-2"], "3")
        said = answers(document, path)
        assert said.isascii() or "…" in said
        shown = said.partition("class ")[2].partition(", labels")[0]
        one, other = shown.split(" against ")
        assert one != other
        assert len(said) < 1_000


def test_names_of_one_alphabet_are_shown_as_they_are(tmp_path):
    for classes in (("нет", "да"), ("否", "是"), ("größer", "gleich"), ("ä", "ö")):
        problem = {"rows": 1, "dimension": 1, "intercept": True, "classes": list(classes), "columns": None, "table": None}
        assert f"class '{classes[1]}' against '{classes[0]}'" in checker.subject_in_words(problem)


def test_no_two_certificates_have_the_same_sentence(tmp_path):
    """Whatever is chosen differently, the sentence differs: each of these reads the same file in another way."""
    path = tmp_path / "data.csv"
    path.write_text("x,z,y\n1,2,b\n")
    usual = list(columns.GAPS)
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


# ---- Tables of all kinds


@given(tables(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@settings(max_examples=150)
def test_the_same_answer_on_any_table(tmp_path_factory, case, quoting):
    names, lines, problem = case
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    with open(path, "w", encoding=problem["table"]["encoding"], newline="") as file:
        writer = csv.writer(file, delimiter=problem["table"]["separator"], quoting=quoting)
        writer.writerows([names] * problem["table"]["header"] + [*lines])
    document = {
        "format": FORMAT,
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
