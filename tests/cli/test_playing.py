"""Rows one by one, and runs that begin elsewhere than at zero, on the command line."""

import gzip
import io
import json
import re
import signal
import subprocess
import sys
from fractions import Fraction

import pytest
from commands import PATIENCE, failed, separatrix, succeeded, written
from outputs import posix, started
from reference import perceptron as reference

import separatrix as sx

AND = "x1,x2,y\n0,0,-1\n0,1,-1\n1,0,-1\n1,1,1\n"


def rounds(text):
    header, *lines = text.splitlines()
    assert header == "round,prediction,outcome,mistake,mistakes"
    return [line.split(",") for line in lines]


@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
@pytest.mark.parametrize("intercept", [True, False])
def test_rounds_are_one_pass_of_the_definition(tmp_path, tie, intercept):
    rows = [[Fraction(k * 7 % 5, 10), Fraction(k * 3 % 7, 10)] for k in range(20)]
    labels = [1 if k % 3 else -1 for k in range(20)]
    text = "a,b,y\n" + "".join(f"{float(a)},{float(b)},{label:+d}\n" for (a, b), label in zip(rows, labels, strict=True))
    data, model = written(tmp_path, text), tmp_path / "m.json"
    extra = [] if intercept else ["--no-intercept"]
    said = rounds(succeeded("play", data, "--label", "y", "--tie", tie, "--model", model, *extra))
    trace, weights, _, _ = reference(rows, labels, tie=tie, intercept=intercept, max_iter=1)
    assert [k for k, each in enumerate(said) if each[3] == "yes"] == trace
    assert [int(each[4]) for each in said][-1] == len(trace)
    assert [int(each[2]) for each in said] == labels
    learnt = sx.load_model(model)
    assert learnt.exact_weights().fractions() == weights
    assert learnt.feature_names_in_.tolist() == ["a", "b"]
    assert succeeded("predict", model, data).splitlines()[0] == "y,score"


def test_a_game_goes_on_from_its_file_and_fit_goes_on_from_it(tmp_path):
    header, _, lines = AND.partition("\n")
    data, half = (written(tmp_path, f"{header}\n{lines * times}", f"{times}.csv") for times in (4, 2))
    one, early, two = (tmp_path / name for name in ("one.json", "early.json", "two.json"))
    whole = rounds(succeeded("play", data, "--label", "y", "--model", one))
    first = rounds(succeeded("play", half, "--label", "y", "--model", early))
    second = rounds(succeeded("play", half, "--from", early, "--model", two))
    assert "would overwrite the model" in failed("play", half, "--from", two, "--model", two)
    assert [each[1:4] for each in whole] == [each[1:4] for each in first + second]
    assert sx.load_model(one).exact_weights() == sx.load_model(two).exact_weights()
    and_csv = written(tmp_path, AND)
    start = sx.load_model(one).exact_weights().fractions()
    X, _ = sx.examples.load("and")
    trace, weights, passes, ended = reference(X, [-1, -1, -1, 1], start=start)
    result = json.loads(succeeded("fit", and_csv, "--from", one, "--model", two, "--json"))
    assert (result["mistakes"], result["passes"], result["converged"]) == (len(trace), passes, ended)
    assert "theorem" not in result  # whose bound is that of a run from zero
    assert sx.load_model(two).exact_weights().fractions() == weights
    assert sx.load_model(two).classes_.tolist() == [-1, 1]


def test_json_has_a_line_for_each_round_and_one_for_all(tmp_path):
    lines = [json.loads(line) for line in succeeded("play", written(tmp_path, AND), "--label", "-1", "--json").splitlines()]
    assert lines[0] == {"round": 1, "prediction": -1, "tie": True, "outcome": -1, "mistake": True, "mistakes": 1}
    assert lines[-1] == {"rounds": 4, "mistakes": 2, "model": None, "interrupted": False}
    assert len(lines) == 5


def test_classes_are_named_counted_or_set_against_the_rest(tmp_path):
    model = tmp_path / "m.json"
    named = written(tmp_path, "a;y\n1,5;yes\n-2;no\n3;\n", "named.csv")
    said = rounds(succeeded("play", named, "--label", "y", "--classes", "no,yes", "--decimal", ","))
    assert [each[1] for each in said] == ["no", "no", "yes"]
    assert said[2][2:] == ["", "", "1"]  # predicted, and nothing learnt
    data = written(tmp_path, "a;y\n1,5;yes\n-2;no\n3;perhaps\n", "rest.csv")
    said = rounds(succeeded("play", data, "--label", "y", "--positive", "yes", "--decimal", ",", "--model", model))
    assert [each[2] for each in said] == ["yes", "not yes", "not yes"]
    later = written(tmp_path, "a,y\n1,who knows\n", "later.csv")
    assert rounds(succeeded("play", later, "--from", model))[0][2] == "not yes"
    assert " in 1 row" in succeeded("score", model, later)
    three = written(tmp_path, "a,y\n1,c\n1,a\n", "three.csv")
    assert [each[1] for each in rounds(succeeded("play", three, "--label", "y", "--classes", "c,b,a"))] == ["a", "c"]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", ["--label", "y"], "is empty"),
        ("a,y\n1,1\n", [], "Which column of .* --label"),
        ("a,y\n1,1\n", ["--label", "z"], "has no column 'z' for the label"),
        ("1.5,1\n2,1\n", ["--label", "2"], "looks like a row.*--no-header"),
        ("a,y\nx,1\n", ["--label", "y"], "line 2, column 'a': 'x' is not a number"),
        ("a,y\n,1\n", ["--label", "y"], "line 2, column 'a'.*no gaps"),
        ("a,y\n1,1\n1\n", ["--label", "y"], "line 3: 1 values, expected 2"),
        ("a,y\n1,5\n", ["--label", "y"], "line 2: the label 5 is none of the classes -1, 1.*--classes"),
        ("a,y\n1,1\n", ["--label", "y", "--classes", "1"], "two or more classes"),
        ("a,y\n1,1\n", ["--label", "y", "--classes", "a,b", "--positive", "b"], "leave one out"),
        ("a,y\n1,1\n", ["--label", "y", "--text", "a"], "--text and --missing are for whole tables"),
        ("a,y\n1,1\n", ["--label", "y", "--drop", "a"], "no column to learn from"),
        ("a,a,y\n1,1,1\n", ["--label", "y"], "two columns named 'a'"),
        ("a,y\n1e99999,1\n", ["--label", "y"], "line 2, column 'a'"),
        ("a,y\n1,1\n", ["--label", "y", "--tie", "spam"], "tie"),
    ],
)
def test_what_cannot_be_played_is_told_in_one_line(tmp_path, text, arguments, message):
    done = separatrix("play", written(tmp_path, text), *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert re.search(message, done.stderr), done.stderr


def test_what_a_model_says_is_not_said_again(tmp_path):
    data, model = written(tmp_path, AND), tmp_path / "m.json"
    succeeded("fit", data, "--label", "y", "--model", model)
    for command in ("play", "fit"):
        message = failed(command, data, "--from", model, "--positive", "1")
        assert "--positive" in message
        assert "--from" in message
        assert "would overwrite the data" in failed(command, data, "--from", model, "--model", data)
    other = tmp_path / "pocket.json"
    succeeded("fit", data, "--label", "y", "--algorithm", "pocket", "--model", other)
    assert "only a Perceptron plays" in failed("play", data, "--from", other)
    assert "fit goes on with a Perceptron only" in failed("fit", data, "--from", other)


def test_fit_begins_where_it_is_told_and_visits_in_the_order_typed(tmp_path):
    data, X, _ = written(tmp_path, AND), *sx.examples.load("and")
    signs = [-1, -1, -1, 1]
    result = json.loads(succeeded("fit", data, "--label", "y", "--start", "1,-0.5,1/3", "--order", "3,1,0,2", "--json"))
    start = [Fraction(1), Fraction(-1, 2), Fraction(1, 3)]
    trace, weights, passes, _ = reference(X, signs, start=start, order=[3, 1, 0, 2])
    assert (result["mistakes"], result["passes"]) == (len(trace), passes)
    assert [*result["coef"], result["intercept"]] == [float(number) for number in weights]
    assert "theorem" not in result
    pocket = json.loads(succeeded("fit", data, "--label", "y", "--algorithm", "pocket", "--start", "2,2,-3", "--json"))
    assert pocket["training_errors"] == pocket["updates"] == 0
    assert "expected 3" in failed("fit", data, "--label", "y", "--start", "1,2")
    assert "permutation" in failed("fit", data, "--label", "y", "--order", "0,1,2")
    assert "voted begins as it does" in failed("fit", data, "--label", "y", "--algorithm", "voted", "--start", "1,2,3")


@posix
def test_each_line_is_answered_at_once_and_ctrl_c_keeps_what_there_is(tmp_path):
    model = tmp_path / "m.json"
    process = started("play", "--label", "y", "--model", model, stdin=subprocess.PIPE)
    process.stdin.write(b"a,y\n1,1\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"round,prediction,outcome,mistake,mistakes\n"
    assert process.stdout.readline() == b"1,-1,1,yes,1\n"  # while standard input is open
    process.stdin.write(b"2,-1\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"2,1,-1,yes,2\n"
    process.send_signal(signal.SIGINT)
    process.wait(timeout=PATIENCE)
    errors = process.stderr.read().decode()
    assert process.returncode == 130
    assert errors.startswith("Stopped after 2 rounds, 2 mistakes. Model written to ")
    assert sx.load_model(model).exact_weights().strings() == ["-1", "0"]
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_standard_input_is_text_in_its_encoding(tmp_path, monkeypatch):
    text, model = "größe,y\n1,é\n-2,no\n", tmp_path / "m.json"
    for encoding in ("latin-1", "utf-8", "utf-8-sig"):
        words = ["--encoding", "latin-1"] if encoding == "latin-1" else []
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode(encoding))))
        printed = succeeded("play", "--label", "y", "--classes", "no,é", "--model", model, *words)
        assert printed.splitlines()[1:] == ["1,no,é,yes,1", "2,no,no,no,1"]
        assert sx.load_model(model).feature_names_in_.tolist() == ["größe"]
    for data, advice in ((text.encode("latin-1"), "--encoding"), (gzip.compress(text.encode()), "unpack it first")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        done = separatrix("play", "--label", "y")
        assert done.returncode == 2
        assert done.stderr.startswith("Error: Standard input is not text in utf-8.")
        assert advice in done.stderr
