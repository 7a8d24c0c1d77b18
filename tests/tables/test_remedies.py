"""What to do about something is said to users of Python as parameters, and on the command line as options."""

import ast
import copy
import csv
import datetime
import io
import pickle
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from commands import separatrix
from looks import looks
from workbooks import workbook

import separatrix as sx
from separatrix.cli.wording import option_text, worded
from separatrix.comparison import comparing
from separatrix.estimators.family import FAMILY
from separatrix.estimators.shared import prospects, training
from separatrix.exceptions import FileError, OtherTable, TableError
from separatrix.problem.provenance import Choice, Layout, Place
from separatrix.support import remedies
from separatrix.support.remedies import Message, Remedy, remedies_of
from separatrix.tables import foreign_errors
from separatrix.tables.description import describe
from separatrix.tables.text.row_stream import RowStream

SOURCE = Path(sx.__file__).parent

TABLE = "a,b,y\n1,2,0\n3,1,1\n4,5,1\n"

CATEGORIES = "a,job,y\n1,cook,0\n2,clerk,1\n3,cook,1\n"

KEYS = "key,x,y\n" + "".join(f"k{i},{i},{i % 2}\n" for i in range(30))


class Case(NamedTuple):
    """Something that is said twice."""

    python: Callable[[], object]
    """What is said in Python: an error that is raised, or what is returned."""
    command: list[str]
    in_python: str
    on_command_line: str


def write(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def parquet(name, **columns):
    pq.write_table(pa.table(columns), name)
    return name


def reading(name, content, in_python, on_command_line, label="y", **options):
    """Return the case of a file that is read and decided."""
    write(name, content) if content is not None else None
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    return Case(
        lambda: sx.read_data(name, label, **options),
        ["decide", name, *(["--label", label] if label else []), *words],
        in_python,
        on_command_line,
    )


def rereading(name, learnt, content, in_python, on_command_line, missing="refuse"):
    """Return the case of a file that is read in the columns of another one."""
    separatrix("fit", write("learnt.csv", learnt), "--label", "y", "--missing", missing, "--model", f"{name}.json")
    write(name, content)
    data = sx.read_data(write(f"learnt for {name}", learnt), "y", missing=missing, format="csv")
    return Case(lambda: sx.read_data(name, like=data), ["predict", f"{name}.json", name], in_python, on_command_line)


def describing(name, content, in_python, on_command_line, **chosen):
    """Return the case of something that `describe` says."""
    write(name, content)
    words = [word for key, value in chosen.items() for word in (f"--{key}", value)]
    return Case(
        lambda: describe(name, Choice(**chosen), layout=Layout()).explain(width=10_000),
        ["describe", name, *words],
        in_python,
        on_command_line,
    )


def noting(name, content, in_python, on_command_line):
    write(name, content)
    note = "\n".join(sx.read_data(name, "y").notes())
    return Case(lambda: note, ["decide", name, "--label", "y"], in_python, on_command_line)


def streaming(content, in_python, on_command_line, label="y", text=()):
    """Return the case of a text that is read line by line."""
    write("stream.csv", content)
    words = [word for each in text for word in ("--text", each)] + ([] if label is None else ["--label", label])
    return Case(
        lambda: RowStream(content.splitlines(), "stream.csv", Layout(), Choice(label=label, text=text)),
        ["play", "stream.csv", *words],
        in_python,
        on_command_line,
    )


def checking(table, change, in_python, on_command_line, passes=100, **options):
    """Return the case of a run by hand: that of some passes, with a change."""
    gate, run = (f"{what} {re.sub('[^a-z]', '', in_python)}.csv" for what in ("gate", "run"))
    data = sx.read_data(write(gate, table), "y")
    steps = sx.steps(silent(sx.Perceptron(max_iter=passes), data.rows, data.y), data)
    lines = list(csv.reader(io.StringIO(steps.csv())))
    with open(run, "w", newline="") as file:
        csv.writer(file).writerows(change(lines))
    words = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]
    return Case(
        lambda: sx.check_run(run, data, **options).explain(),
        ["check-run", run, gate, "--label", "y", *words],
        in_python,
        on_command_line,
    )


def counted_from_one(lines):
    place = lines[0].index("row")
    return [lines[0], *([*line[:place], str(int(line[place]) + 1), *line[place + 1 :]] for line in lines[1:])]


def silent(classifier, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return classifier.fit(X, y)


def learning(make, algorithm, in_python, on_command_line, labels=(0, 0, 1, 1)):
    rows = [[0, 0], [1, 1], [0, 1], [1, 0]] * (len(labels) // 4)
    name = f"labels {len(labels)} {labels[:4]}.csv"
    write(name, "a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(rows, labels, strict=True)))

    def warned():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make().fit(rows, labels)
        return caught[-1].message

    command = ["fit", name, "--label", "y", "--max-iter", "3", *algorithm]
    return Case(warned, command, in_python, on_command_line)


def exporting(in_python, on_command_line, **options):
    """Return the case of a model that is exported."""
    name = f"{'-'.join(options)}.json"
    separatrix("fit", write("and.csv", AND), "--label", "y", "--model", name)
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    return Case(
        lambda: sx.export_model(name, "sql", **options), ["export", name, "--to", "sql", *words], in_python, on_command_line
    )


XOR = "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"
AND = "a,b,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n"

MADE = {
    "row for a header": lambda: reading(
        "no header.csv", "1.5,2,0\n2,3,1\n", "Say header=False if it is one, or header=True if",
        "Say --no-header if it is one, or --header if", label="3"
    ),
    "two names": lambda: reading(
        "twins.csv", "a,a,y\n1,2,0\n", "or say header=False if it has no header.", "or say --no-header if it has no header."
    ),
    "NUL": lambda: reading("nul.csv", "a,y\n1,\0\n", "say encoding='utf-16'.", "say --encoding utf-16."),
    "NUL far away": lambda: reading(
        "nul far.csv", "a,y\n" + "1,0\n" * 40_000 + "2,\0\n", "say encoding='utf-16'.", "say --encoding utf-16."
    ),
    "not UTF-8": lambda: reading(
        "latin.csv", b"a,y\n1,\xe9\n", "in Western Europe: say encoding='cp1252', or",
        "in Western Europe: say --encoding cp1252, or"
    ),
    "not UTF-16": lambda: reading("other.csv", b"a,y\n1,\xe9\n", "say encoding='utf-8', or",
        "say --encoding utf-8, or", encoding="utf-16"),
    "semicolons": lambda: reading(
        "semi.csv", TABLE.replace(",", ";") + "1,5\n", "not commas: say separator='semicolon'.",
        "not commas: say --separator semicolon."
    ),
    "blanks": lambda: reading("blanks.csv", TABLE.replace(",", " "), "say separator='blanks'.", "say --separator blanks."),
    "word among numbers": lambda: reading(
        "word.csv", TABLE.replace("5", "four"),
        "say gaps=['four']; if the column is one of categories, say text='b'; else leave it out with drop.",
        "say --gap 'four'; if the column is one of categories, say --text 'b'; else leave it out with --drop.",
    ),
    "amount": lambda: reading("amount.csv", TABLE.replace("5", "$5"), "say text='b'; else", "say --text 'b'; else"),
    "missing values": lambda: reading(
        "gap.csv", TABLE.replace("5", ""),
        "out with missing='drop-rows', count them as 0 with a column that tells by missing='indicator', or drop ",
        "out with --missing drop-rows, count them as 0 with a column that tells by --missing indicator, or --drop ",
    ),
    "a title above semicolons": lambda: reading(
        "above semicolons.csv", "May\na;y\n1;0\n2;1\n", "say skip_lines=1; if it has but one column, say separator='comma'.",
        "say --skip-lines 1; if it has but one column, say --separator comma."
    ),
    "no such label": lambda: describing(
        "other.csv", "a,b\n1,0\n2,1\n", "The last column is label=-1.", "The last column is --label -1.", label="nowhere"
    ),
    "missing label": lambda: reading(
        "no label.csv", "a,y\n1,0\n2,\n", "leave rows without a label out with drop_unlabelled=True.",
        "leave rows without a label out with --drop-unlabelled."
    ),
    "no name": lambda: reading("index.csv", ",b,y\n1,2,0\n1,3,1\n", "leave it out with drop=1.",
        "leave it out with --drop 1."),
    "dates": lambda: reading(
        parquet("dates.parquet", d=[datetime.date(2020, 1, 1)] * 2, y=[0, 1]), None,
        "Leave it out (drop), or take its values as categories (text).",
        "Leave it out (--drop), or take its values as categories (--text).",
    ),
    "numbers with a unit": lambda: noting(
        "units.csv", "price,y\n12 EUR,0\n7 EUR,1\n9 EUR,1\n", "or leave the column out with drop='price'.",
        "or leave the column out with --drop 'price'.",
    ),
    "long decimals": lambda: reading(
        "long.csv", TABLE.replace("5", "0.12345678901234567"), "or say numbers='float64' to take",
        "or say --numbers float64 to take", numbers="decimal"
    ),
    "read as float64": lambda: noting(
        "near.csv", TABLE.replace("5", "0.12345678901234567"), "or say numbers='float64'.", "or say --numbers float64."
    ),
    "long integers": lambda: reading(
        parquet("long.parquet", d=[2**53 + 1] * 2, y=[0, 1]), None, "say text; else leave it out with drop.",
        "say --text; else leave it out with --drop.",
    ),
    "lines before the table": lambda: Case(
        lambda: sx.read_data(write("s.csv", TABLE), "y", skip_lines=-1),
        ["decide", "s.csv", "--label", "y", "--skip-lines", "-1"],
        "skip_lines=-1 must be from 0", "--skip-lines -1 must be from 0",
    ),
    "other numbers": lambda: reading("n.csv", TABLE, "numbers='x' is not known", "--numbers x is not known", numbers="x"),
    "other comments": lambda: reading("c.csv", TABLE, "comment='x' is not", "--comment x is not", comment="x"),
    "other marks": lambda: reading("m.csv", TABLE, "decimal='x' is not", "--decimal x is not", decimal="x"),
    "a comma for two things": lambda: reading(
        "comma.csv", TABLE, "say separator='comma'.", "say --separator comma.", decimal=","
    ),
    "a blank for two things": lambda: reading(
        "blank.csv", TABLE.replace(",", " "), "Say separator='comma'.", "Say --separator comma.", separator="blanks",
        thousands=" ",
    ),
    "decimal commas": lambda: reading(
        "de.csv", "a,c;y,d\n0,5;1,5\n1,5;0,5\n", "decimal commas: say decimal=',' as well.",
        "decimal commas: say --decimal , as well.", label="y,d",
    ),
    "thousands": lambda: reading(
        "us.csv", 'a,y\n"1,234",0\n"2,345",1\n', "which marks they have (thousands=',' or decimal=',').",
        "which marks they have (--thousands , or --decimal ,).",
    ),
    "thousands of Germans": lambda: reading(
        "de2.csv", "a,y\n1.234.567,0\n2.345.678,1\n", "(decimal=',' and thousands='.').", "(--decimal , and --thousands .).",
    ),
    "thousands of the Swiss": lambda: reading(
        "ch.csv", "a;b;y\n1'234,5;2;0\n2'345,5;0.5;1\n", "(thousands=\"'\" and decimal=',').",
        "(--thousands \"'\" and --decimal ,).", separator="semicolon",
    ),
    "a decimal comma": lambda: reading(
        "dk.csv", "a;b;y\n0,5;0.5;0\n1,5;1.5;1\n", "which marks they have (decimal=',').",
        "which marks they have (--decimal ,).",
    ),
    "found: semicolons": lambda: noting(
        "found.csv", "a;y\n1;0\n2;1\n", "separated by semicolons (separator='semicolon').",
        "separated by semicolons (--separator semicolon)."
    ),
    "found: a line that says so": lambda: noting(
        "sep.csv", "sep=|\na|y\n1|0\n2|1\n", "separated by bars, by its first line (separator='bar').",
        "separated by bars, by its first line (--separator bar)."
    ),
    "found: marks": lambda: noting(
        "marks.csv", "a;y\n1.234,5;0\n2;1\n", "as '1.234,5' (decimal=',' and thousands='.').",
        "as '1.234,5' (--decimal , and --thousands .)."
    ),
    "found: a title": lambda: noting(
        "title.csv", "May\n\na,b,y\n1,5,0\n2,7,1\n", "begins in line 3, with its names (skip_lines=1).",
        "begins in line 3, with its names (--skip-lines 1)."
    ),
    "numbered rows": lambda: noting(
        "ids.csv", "id,y\n" + "".join(f"{i},{i % 2}\n" for i in range(12)), "leave it out with drop='id'.",
        "leave it out with --drop 'id'."
    ),
    "codes": lambda: noting(
        "codes.csv", "plz,y\n01067,0\n99423,1\n", "if they are categories, say text='plz'.",
        "if they are categories, say --text 'plz'."
    ),
    "days": lambda: noting(
        "days.csv", "day,y\n31.1.2024,0\n1.2.2024,1\n", "Leave it out with drop='day', and put",
        "Leave it out with --drop 'day', and put"
    ),
    "labels alike": lambda: noting(
        "alike.csv", "a,y\n1,no\n2,No\n", "To take such as one, say ignore_case=True.",
        "To take such as one, say --ignore-case."
    ),
    "classes alike": lambda: Case(
        lambda: sx.decide(sx.read_data(write("three.csv", "a,y\n1,no\n2,No\n3,yes\n"), "y")),
        ["decide", "three.csv", "--label", "y"],
        "take such as one with ignore_case=True, or set one against the rest with positive.",
        "take such as one with --ignore-case, or set one against the rest with --positive.",
    ),
    "described: labels alike": lambda: describing(
        "d alike.csv", "a,y\n1,no\n2,No\n3,yes\n", "take such as one with ignore_case=True.",
        "take such as one with --ignore-case.", label="y"
    ),
    "blanks that count": lambda: describing(
        "d blanks.csv", 'a,y\n1,no\n2," yes"\n3,"yes "\n', "positive='yes' may be any of ' yes', 'yes ': write",
        "--positive yes may be any of ' yes', 'yes ': write", label="y", positive="yes",
    ),
    "a comment": lambda: reading(
        "comment.csv", "a,b,y\n1,2,0\n# so\n3,4,1\n", "are comments, say comment='#'.", "are comments, say --comment '#'."
    ),
    "a table further down": lambda: reading(
        "down.csv", "May,2024\na,b,y\n1,2,0\n2,3,1\n", "begins in this line, say skip_lines=1.",
        "begins in this line, say --skip-lines 1.", label="May"
    ),
    "a title": lambda: reading(
        "two.csv", "May\n\na,y\n1,0\n2,1\n", "begins there, say skip_lines=2.", "begins there, say --skip-lines 2."
    ),
    "no names": lambda: reading(
        "top.csv", "May,,,\na,b,1,y\n1,2,5,0\n", "lines are above it with skip_lines.",
        "lines are above it with --skip-lines.", label="1"
    ),
    "some percent signs": lambda: reading(
        "percents.csv", "a,y\n" + "5 %,0\n" * 12_000 + "5,1\n",
        "categories with text='a', or leave the column out with drop='a'.",
        "categories with --text 'a', or leave the column out with --drop 'a'."
    ),
    "sheets": lambda: reading(
        "sheets.xlsx", workbook({"May 1": [["a", "y"], [1, 0]], "June": [["a", "y"], [1, 0]]}), "as in sheet='May 1'.",
        "as in --sheet 'May 1'."
    ),
    "a sheet": lambda: noting(
        "sheet.xlsx", workbook({"May": [["Patients"], [], ["a", "b", "y"], [0.5, 1, 0], [2, 1, 1]]}),
        "as one tenth, say numbers='decimal'.\nThe table is taken to begin in row 3 of the sheet, below 'Patients'. If it "
        "begins elsewhere, say skip_lines=2 with",
        "elsewhere, say --skip-lines 2 with"
    ),
    "text cells of a sheet": lambda: noting(
        "codes.xlsx", workbook({"S": [["code", "y"], ["1067", 0], ["4109", 1]]}),
        "are codes of categories, say text='code'.",
        "are codes of categories, say --text 'code'."
    ),
    "two kinds": lambda: reading(
        parquet("kind 1.parquet", d=["x",
        "z"], y=[0, 1]) and parquet("kind 2.parquet", d=[1, 2], y=[0, 1]) and "kind ?.parquet", None,
        "one of categories, say text='d'.", "one of categories, say --text 'd'.",
    ),
    "label of LIBSVM": lambda: reading("t.libsvm", "0 1:1\n1 1:2\n", "leave label out.", "leave --label out."),
    "columns of LIBSVM": lambda: reading(
        "u.libsvm", "0 1:1\n1 1:2\n", ": drop, only, text and missing are",
        ": --drop, --only, --text and --missing are", label=None, drop="1"
    ),
    "new category": lambda: rereading(
        "category.csv", CATEGORIES, CATEGORIES.replace("clerk", "mayor"), "Say unseen='ignore' to count",
        "Say --unseen ignore to count"
    ),
    "new gap": lambda: rereading(
        "new gap.csv", CATEGORIES, CATEGORIES.replace("2", ""), "Say unseen='ignore' to count them",
        "Say --unseen ignore to count them"
    ),
    "new word": lambda: rereading("new word.csv", CATEGORIES, CATEGORIES.replace("2", "two"), "value, say gaps.",
        "value, say --gap."),
    "described: no name": lambda: describing(
        "d index.csv", ",b,y\n1,2,0\n1,3,1\n", "leave it out with drop=1.", "leave it out with --drop 1.", label="y"
    ),
    "described: word": lambda: describing(
        "d word.csv", "a,b c,y\n1,2,0\n3,x y,1\n4,5,1\n",
        "say gaps=['x y']; if the column is one of categories, text='b c'; else leave it out with drop='b c'.",
        "say --gap 'x y'; if the column is one of categories, --text 'b c'; else leave it out with --drop 'b c'.", label="y",
    ),
    "described: empty": lambda: describing(
        "d empty.csv", "e,b,y\n,2,0\n,3,1\n", "are missing: leave it out with drop='e'.",
        "are missing: leave it out with --drop e.", label="y"
    ),
    "described: gaps": lambda: describing(
        "d gap.csv", TABLE.replace("5", ""),
        "out with missing='drop-rows', count the values as 0, with a column that tells, by missing='indicator', or drop",
        "out with --missing drop-rows, count the values as 0, with a column that tells, by --missing indicator, or --drop",
        label="y",
    ),
    "described: no label": lambda: describing(
        "d label.csv", "a,y\n1,0\n2,\n3,1\n", "a label: drop_unlabelled=True leaves",
        "a label: --drop-unlabelled leaves", label="y"
    ),
    "described: a column that is different in every row": lambda: describing(
        "d keys.csv", KEYS, "depends on other columns, say drop='key'.", "depends on other columns, say --drop key.",
        label="y"
    ),
    "described: a sign of currency": lambda: describing(
        "d money.csv", "a;y\n1;0\n2 €;1\n", "is one of categories, say text='a'; else leave it out with drop='a'.",
        "is one of categories, say --text a; else leave it out with --drop a.", label="y"
    ),
    "described: the positive class": lambda: describing(
        "d positive.csv", "a,y\n1,ja\n2,nein\n", "to have 'ja' instead, say positive='ja'.",
        "to have 'ja' instead, say --positive ja.", label="y"
    ),
    "described: classes": lambda: describing(
        "d three.csv", "a,y\n1,u\n2,v\n3,w\n", "against the rest with positive.", "against the rest with --positive.",
        label="y"
    ),
    "described: no such class": lambda: describing(
        "d class.csv", "a,y\n1,u\n2,v\n", "positive='w' is not a class of the label, which has: u, v.",
        "--positive w is not a class of the label, which has: u, v.",
        label="y", positive="w",
    ),
    "described: which label": lambda: describing(
        "d which.csv", TABLE, "name the column that holds them with label", "name the column that holds them with --label"
    ),
    "described: many columns": lambda: describing(
        "d many.csv", "\n".join(",".join(f"{x}{k}" for k in range(70)) for x in ("c", "1", "2")),
        "; columns has them all.", "; --json has them all."
    ),
    "unknown treatment": lambda: reading(
        "unknown.csv", TABLE, "missing='guess' is not known", "--missing guess is not known", missing="guess"
    ),
    "rows told apart": lambda: noting("keys.csv", KEYS, "Leave it out with drop, unless",
        "Leave it out with --drop, unless"),
    "still erring": lambda: learning(
        lambda: sx.Perceptron(max_iter=3), ["--algorithm", "perceptron"], "(sx.decide has the proof). sx.least_errors finds",
        "(separatrix decide has the proof). separatrix least-errors finds"
    ),
    "erring with hope": lambda: learning(
        lambda: sx.Perceptron(max_iter=3), ["--algorithm", "perceptron"], "allow more passes (max_iter)",
        "allow more passes (--max-iter)", [0, 1, 0, 0]
    ),
    "still voting": lambda: learning(
        lambda: sx.VotedPerceptron(max_iter=3), ["--algorithm", "voted"],
        "then standardise the features, or allow more passes (max_iter).",
        "then standardise the features, or allow more passes (--max-iter).",
    ),
    "still erring in feature space": lambda: learning(
        lambda: sx.KernelPerceptron(kernel="linear", max_iter=3), ["--algorithm", "kernel", "--kernel", "linear"],
        "more passes (max_iter), or", "more passes (--max-iter), or"
    ),
    "still erring on three classes": lambda: learning(
        lambda: sx.Perceptron(max_iter=3), [], "sx.decide says which (positive), with a proof.",
        "separatrix decide says which (--positive), with a proof.", labels=(0, 2, 1, 0)
    ),
    "rows sorted by class": lambda: learning(
        lambda: sx.Perceptron(max_iter=3), [], "shuffle them (order='shuffle').", "shuffle them (--order shuffle).",
        labels=(0,) * 40 + (1,) * 40
    ),
    "an export of what is unseen": lambda: exporting(
        "unseen='maybe' is not known", "--unseen maybe is not known", unseen="maybe"
    ),
    "an export to a table without a name": lambda: exporting(
        "table must be the name", "--table must be the name", table=""
    ),
    "a stream of words": lambda: streaming("a,y\n1,0\n", "numbers: text and missing are",
        "numbers: --text and --missing are", text=("a",)),
    "a stream without names": lambda: streaming("1.5,0\n", "Say header=False if it is one, or header=True if",
        "Say --no-header if it is one, or --header if"),
    "a stream without a label": lambda: streaming("a,y\n1,0\n", "Name it with label.", "Name it with --label.", label=None),
    "a long table of steps": lambda: Case(
        lambda: sx.steps(silent(sx.Perceptron(max_iter=30_000), *sx.examples.load("xor")), *sx.examples.load("xor")),
        ["fit", write("xor.csv", XOR), "--label", "y", "--max-iter", "30000", "--steps", "-"],
        "(mistakes_only=True), or the first of them (first=100000).",
        "(--mistakes-only), or the first of them (--first 100000)."
    ),
    "a column of a w* that is not known": lambda: checking(
        AND, list, "as w* is not given (star): w*.u", "as w* is not given (--star): w*.u"
    ),
    "rows counted from elsewhere": lambda: checking(AND, counted_from_one, "give first_row=1", "give --first-row 1"),
    "a run that stops too early": lambda: checking(
        AND, lambda lines: lines[:9], "the 100 passes of max_iter=100 are over", "the 100 passes of --max-iter 100 are over",
        max_iter=100
    ),
    "a run that never ends": lambda: checking(XOR, list, "max_iter=2", "--max-iter 2", passes=2),
    "a run that goes on for too long": lambda: checking(
        XOR, list, "right or not, with max_iter=2", "right or not, with --max-iter 2", passes=3, max_iter=2
    ),
    "no exercise with such a margin": lambda: Case(
        lambda: sx.exercises.make(5, margin="1.41421356"), ["exercise", "--margin", "1.41421356"],
        "its square, as in margin_squared='1/2'.", "its square, as in --margin-squared 1/2."
    ),
    "no exercise found": lambda: Case(
        lambda: sx.exercises.make(50, margin_squared="1/2", radius_squared=26, rows=3, time_limit=0.1),
        ["exercise", "--mistakes", "50", "--margin-squared", "1/2", "--radius-squared", "26", "--rows", "3",
         "--time-limit", "0.1"],
        "another seed or a longer time_limit, or", "another --seed or a longer --time-limit, or"
    ),
}  # fmt: skip


def said_in_python(case):
    try:
        return case.python()
    except ValueError as error:
        return error


@pytest.mark.parametrize("name", MADE)
def test_each_user_is_spoken_to_in_their_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "10000")
    case = MADE[name]()
    python, done = said_in_python(case), separatrix(*case.command)
    command_line = done.stdout + done.stderr
    assert case.in_python in str(python)
    assert case.on_command_line in command_line
    assert not re.search(r"(?<!\w)--\w", str(python))
    if isinstance(python, FileError):
        assert remedies_of(python)
        assert done.stderr == f"Error: {worded(python)}\n"
        again = pickle.loads(pickle.dumps(Message(python)))
        assert (again, worded(again)) == (str(python), worded(python))


ENCODING = {
    "gaps": (lambda: sx.TableEncoder().fit([[1.0], [None]]), "Leave such rows out before, count them as 0 with a column"),
    "gaps later": (lambda: sx.TableEncoder().fit([[1.0]]).transform([[None]]), "Say unseen='ignore' to count them as 0."),
    "numbers as texts": (lambda: sx.TableEncoder().fit(np.array([["20", "a"], ["30", "b"]])), "categories, say text='x0'."),
}


@pytest.mark.parametrize("name", ENCODING)
def test_a_transformer_names_its_own_parameters(name):
    fit, said = ENCODING[name]
    with pytest.raises(TableError) as refusal:
        fit()
    assert said in str(refusal.value)
    assert "drop-rows" not in str(refusal.value)


def hurried(classifier, X, y):
    """Return the warning of a fit whose time is up while there is something to keep, but not all."""
    for count in range(1, 200):
        with looks(count), warnings.catch_warnings(record=True) as caught, suppress(TimeoutError):
            warnings.simplefilter("always")
            classifier.fit(X, y)
        told = [each.message for each in caught if remedies_of(each.message)]
        if told:
            return told[0]
    raise AssertionError("Time was never up in between.")


MANY, KINDS_OF_MANY = np.random.default_rng(0).standard_normal((2, 60, 3))


def in_blocks(n, classes=2):
    return sx.Stream((np.zeros((n, 3)), np.arange(n) % classes), memory="1MB")


def warned(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return caught[-1].message


def written_as_npz():
    path = Path(tempfile.mkdtemp()) / "rows.npz"
    np.savez(path, X=np.zeros((2**17, 3)), y=np.arange(2**17) % 2)
    return path


ONLY_IN_PYTHON = {
    "a reading of what is unseen": (lambda: sx.read_data({"a": [1]}, unseen="maybe"), "unseen='maybe' is not known"),
    "an export to what there is not": (lambda: sx.export_model(sx.Perceptron.of([1]), "perl"), "to='perl' is not known"),
    "digits of fractions": (
        lambda: sx.decide([[Fraction(1, 3)], [Fraction(2, 3)]], [0, 1]).stability(), "as a number: tolerance='0.005'.",
    ),
    "a margin in a hurry": (
        lambda: hurried(sx.MaxMargin(time_limit=60), MANY, MANY @ [1, 2, 3] > 0),
        "Raise time_limit, or be content with a wider tolerance.",
    ),
    "a linear program in a hurry": (
        lambda: hurried(sx.LinearProgramClassifier(time_limit=60), MANY, KINDS_OF_MANY[:, 0] > 0), "Raise time_limit.",
    ),
    "least squares in a hurry": (
        lambda: hurried(sx.LeastSquaresClassifier(time_limit=60), sp.csr_array(MANY), MANY @ [1, 2, 3] > 0),
        "Raise time_limit.",
    ),
    "a bound that took long": (lambda: comparing._told_of_bound(10.0)[0], "a smaller bound_time_limit takes less."),
    "many errors": (
        lambda: sx.least_errors(np.zeros((40, 1)), np.arange(40) % 2).explain(), "it errs on are in rows_given_up.",
    ),
    "an order of all rows in blocks": (
        lambda: sx.Perceptron(order=[1, 0]).fit(in_blocks(2)), "shuffle them in blocks: order='shuffle'.",
    ),
    "a random order in blocks": (lambda: sx.Perceptron(order="random").fit(in_blocks(2)), "Take order='shuffle'"),
    "too many rows shuffled together": (
        lambda: sx.Perceptron(order="shuffle", block_rows=10**5).fit(in_blocks(10**5)), "fewer together: block_rows.",
    ),
    "few passes in blocks": (
        lambda: warned(lambda: sx.Perceptron(max_iter=1).fit(in_blocks(9))), "or it needs more passes (max_iter)",
    ),
    "few passes over three classes in blocks": (
        lambda: warned(lambda: sx.Perceptron(max_iter=1).fit(in_blocks(9, 3))), "or it needs more passes (max_iter)",
    ),
    "few passes of shards": (
        lambda: warned(lambda: sx.MixedPerceptron(shards=2, max_iter=1).fit(np.zeros((9, 1)), np.arange(9) % 2)),
        "Allow more epochs (max_iter)",
    ),
    "a checkpoint that is there": (
        lambda: in_blocks(9).fit(sx.Perceptron(), checkpoint=__file__), "Go on from it: resume=True",
    ),
    "a column of very many texts in blocks": (
        lambda: sx.Stream({"x": [f"{k:040}x" for k in range(10**5)], "y": [0, 1] * 50_000}, label="y", memory="1MB").facts,
        "Leave it out with drop='x'",
    ),
    "a file that is read as a whole": (lambda: sx.Stream(written_as_npz(), memory="1MB"), "Allow more with memory, or"),
}  # fmt: skip
"""What no command can come to, or not for sure, or what is tested with its command elsewhere."""


@pytest.mark.parametrize("name", ONLY_IN_PYTHON)
def test_what_is_said_in_python_alone(name):
    make, said = ONLY_IN_PYTHON[name]
    try:
        told = make()
    except ValueError as error:
        told = error
    assert said in str(told)


def calls_of_remedy():
    """Return the files and the lines of all calls in functions that make a remedy, but for those of the command line."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        if "cli" in path.parts or path.name == "remedies.py":
            continue
        functions = (each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.FunctionDef))
        for node in (node for each in functions for node in ast.walk(each)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remedy":
                found.add((str(path), node.lineno, node.end_lineno))
    return found


def test_no_remedy_is_forgotten(tmp_path, monkeypatch):
    """Every line of the library that makes a remedy is reached by the cases above, and all advice is given."""
    monkeypatch.chdir(tmp_path)
    made, reached = Remedy.__new__, set()

    def recorded(cls, *arguments):
        frame = sys._getframe(1)
        reached.add((frame.f_code.co_filename, frame.f_lineno))
        return made(cls, *arguments)

    monkeypatch.setattr(Remedy, "__new__", recorded)
    cases = [make() for make in MADE.values()]
    said = [said_in_python(case) for case in cases]
    for fit, _ in ENCODING.values():
        with pytest.raises(TableError):
            fit()
    for make, _ in ONLY_IN_PYTHON.values():
        with suppress(ValueError):
            make()
    calls = calls_of_remedy()
    assert len(calls) > 30
    forgotten = [
        (path, first) for path, first, last in calls if not any(path == file and first <= k <= last for file, k in reached)
    ]
    assert forgotten == []
    given = {id(remedy) for each in said for remedy in remedies_of(each)}
    advice = [part for member in FAMILY for part in getattr(member.load(), "_advice", ()) if isinstance(part, Remedy)]
    advice += [part for part in (*prospects._MORE, *training._SORTED) if isinstance(part, Remedy)]
    assert len(advice) > 3
    assert {id(remedy) for remedy in advice} <= given


def test_the_library_names_no_option_of_the_command_line():
    for path in SOURCE.rglob("*.py"):
        if {"cli", "reporting"} & set(path.parts) or path.name in ("checker.py", "__main__.py"):
            continue  # a report on files has the commands that say the same of them
        tree = ast.parse(path.read_text())
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                assert not re.search(r"(?<![\w-])--[a-z]", node.value), (path, node.lineno)


def test_messages_are_texts_with_parts():
    inner = Message("say ", Remedy("drop", 3))
    outer = Message("Or ", inner, ".")
    assert outer == "Or say drop=3."
    assert worded(outer) == "Or say --drop 3."
    assert remedies_of(outer) == [Remedy("drop", 3)]
    for again in (copy.deepcopy(outer), pickle.loads(pickle.dumps(outer))):
        assert (again, worded(again)) == (outer, worded(outer))
    error = OtherTable(outer, " Now.")
    assert (str(error), worded(error)) == ("Or say drop=3. Now.", "Or say --drop 3. Now.")
    assert worded(pickle.loads(pickle.dumps(error))) == worded(error)
    assert worded(ValueError("as it is")) == "as it is"
    assert remedies.worded("{0}", str) == "{0}"
    assert option_text(Remedy("header", True)) == "--header"
    assert str(Remedy("text", "long" * 100)) == f"text='{'long' * 12}lo…ng{'long' * 12}'"


def test_places_are_values():
    place = Place("a.csv", "line", 7)
    assert (str(place), str(place.within("a.csv")), str(place.within("b.csv"))) == (
        "a.csv, line 7",
        "line 7",
        "a.csv, line 7",
    )


# ---- What other libraries say.


def test_the_texts_of_other_libraries_are_read_rightly(tmp_path):
    """Arrow and NumPy, as they are installed, still say what `foreign_errors` looks for."""
    from pyarrow import csv

    def refusal(read):
        with pytest.raises(Exception) as caught:  # noqa: PT011 (whatever it is, its text counts)
            read()
        return caught.value

    def arrow(text, block):
        convert = csv.ConvertOptions(column_types={"0": pa.float64(), "1": pa.float64()})
        return csv.read_csv(
            pa.BufferReader(text), csv.ReadOptions(column_names=["0", "1"], block_size=block), csv.ParseOptions(), convert
        )

    word = refusal(lambda: arrow(b"1,2\n3,four\n", 100))
    assert foreign_errors.column_not_of_numbers(word) == 1
    assert not foreign_errors.is_long_line(word)
    long = refusal(lambda: arrow(b"1,2\n" + b"3," + b"4" * 200 + b"\n", 16))
    assert foreign_errors.is_long_line(long)
    assert foreign_errors.column_not_of_numbers(long) is None
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    objects = refusal(lambda: np.load(tmp_path / "objects.npy", allow_pickle=False))
    assert foreign_errors.is_about_objects(objects)
    assert not foreign_errors.is_about_objects(refusal(lambda: np.load(tmp_path / "none.npy")))
