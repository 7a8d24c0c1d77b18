"""The fewest errors, on the command line."""

import json
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from commands import XOR, failed, separatrix, succeeded, written

import separatrix as sx


def test_least_errors_explains_and_proves(tmp_path):
    from separatrix import checker

    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    text = succeeded("least-errors", data, "--label", "odd", "--certificate", proof)
    assert "'yes' against 'no'. A hyperplane errs on 1 of them, and none errs on fewer." in text
    assert "(line 3) + (line 4) = (line 2) + (line 5)" in text
    assert re.search(r"On its wrong side: line [2-5] \(class '(yes|no)'\)\.", text)
    assert f"Proof written to {proof}; check it with: separatrix verify {proof} {data}" in text
    assert "every hyperplane has at least 1 row on its wrong side or goes through it." in succeeded("verify", proof, data)
    assert checker.main([str(proof), str(data)]) == 0
    assert r"\text{left}" in succeeded("least-errors", data, "--label", "odd", "--style", "latex")


def test_least_errors_as_json(tmp_path):
    data, proof = tmp_path / "credit.csv", tmp_path / "proof.json"
    succeeded("examples", "credit-noisy", "--gaps", "0.04", "--output", data)
    arguments = ("least-errors", data, "--label", "approved", "--missing", "drop-rows")
    result = json.loads(succeeded(*arguments, "--json", "--certificate", proof))
    rows = sx.read_data(data, "approved", missing="drop-rows")
    found = sx.least_errors(rows)
    assert result["lower"] == result["upper"] == found.lower == found.upper
    assert result["optimal"] is True
    assert result["interrupted"] is False
    assert len(result["coef"]) == len(result["features"]) == len(rows.names)
    signs = (rows.X @ np.array(result["coef"]) + result["intercept"]) * np.where(rows.y == "yes", 1, -1)
    assert result["errors"] == np.flatnonzero(signs <= 0).tolist()
    assert len(result["errors"]) == result["upper"]
    lines = [int(place.rpartition(" ")[2]) for place in result["error_places"]]
    assert lines == [result["kept_rows"][i] + 2 for i in result["errors"]]
    assert result["certificate"] == str(proof)
    assert result["notes"]
    succeeded("verify", proof, data)
    text = succeeded(*arguments)
    wrong = re.search(r"On its wrong side: (.+)", text)
    assert wrong is not None
    assert len(re.findall(r"\d+", wrong[1])) == len(lines)  # another search may find another hyperplane
    assert {int(line) - 2 for line in re.findall(r"\d+", wrong[1])} <= set(result["kept_rows"])
    assert not re.search(r"rows? \d", text)


def test_least_errors_with_weights(tmp_path):
    table = "left,right,count,odd\n0,0,5,no\n0,1,0.5,yes\n1,0,2,yes\n1,1,4,no\n"
    data, proof = written(tmp_path, table), tmp_path / "proof.json"
    arguments = ("least-errors", data, "--label", "odd", "--weights", "count")
    result = json.loads(succeeded(*arguments, "--json", "--certificate", proof))
    assert (result["lower"], result["upper"], result["errors"]) == ("1/2", "1/2", [1])
    assert result["features"] == ["left", "right"]
    assert "with a weight of 0.5 out of 11.5 in all" in succeeded(*arguments)
    assert "a total cost of at least 1/2" in succeeded("verify", proof, data)
    piped = subprocess.run(
        [sys.executable, "-m", "separatrix", "least-errors", "-", "--label", "odd", "--weights", "count", "--json"],
        input=table, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(piped.stdout)["lower"] == "1/2"
    dropped = written(tmp_path, table.replace("0,1,0.5", ",1,-1"), "dropped.csv")
    result = json.loads(succeeded("least-errors", dropped, *arguments[2:], "--missing", "drop-rows", "--json"))
    assert (result["upper"], result["rows"]) == (0, 3)


def test_least_errors_refuses_bad_arguments(tmp_path):
    data = written(tmp_path, XOR)
    usual = ("least-errors", data, "--label", "odd")
    text = written(tmp_path, "left,right,odd\n0,few,no\n1,many,yes\n", "text.csv")
    negative = written(tmp_path, XOR.replace("1,1,no", "1,-1,no"), "negative.csv")
    gap = written(tmp_path, XOR.replace("1,1,no", "1,,no"), "gap.csv")
    libsvm = written(tmp_path, "1 1:1\n-1 2:1\n", "rows.libsvm")
    for arguments, message in [
        ((*usual, "--time-limit", "0"), "--time-limit must be a number of seconds above 0, got 0"),
        ((*usual, "--time-limit", "nan"), "--time-limit must be"),
        ((*usual, "--seed", "-1"), "--seed must be at least 0"),
        ((*usual, "--style", "html"), "--style must be text, markdown or latex"),
        ((*usual, "--certificate", data), "would overwrite the data"),
        ((*usual, "--certificate", tmp_path / "no" / "proof.json"), "no such folder"),
        ((*usual, "--weights", "count"), "has no column 'count' of weights"),
        ((*usual, "--weights", "odd"), "cannot be both the label and --weights"),
        (("least-errors", text, "--label", "odd", "--weights", "right"), "holds text, such as 'few': --weights must be"),
        (("least-errors", negative, "--label", "odd", "--weights", "right"), "line 5, column 'right': no number from 0 up"),
        (("least-errors", gap, "--label", "odd", "--weights", "right"), "line 5, column 'right': no number from 0 up"),
        (("least-errors", libsvm, "--weights", "right"), "no columns by name to take --weights from"),
        (("least-errors", data), "Name it with --label"),
    ]:
        said = failed(*arguments)
        assert message in said
        assert said.startswith("Error: ")
        assert said.count("\n") == 1
    assert data.read_text() == XOR


@pytest.fixture
def noise(tmp_path):
    """Rows whose labels are noise: the bounds stay apart for long."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((300, 10)), columns=[f"x{j}" for j in range(10)])
    table["y"] = rng.integers(0, 2, 300)
    path = tmp_path / "noise.csv"
    table.to_csv(path, index=False)
    return path


def test_least_errors_says_when_the_time_is_up(noise):
    arguments = ("least-errors", noise, "--label", "y", "--time-limit", "0.5")
    assert "The search ended when its time was up, with a gap" in succeeded(*arguments)
    done = separatrix(*arguments, "--exit-code", "--json")
    assert done.returncode == 5
    result = json.loads(done.stdout)
    assert result["optimal"] is False
    assert result["lower"] < result["upper"] == len(result["errors"])


def test_ctrl_c_keeps_the_bounds_so_far(noise, tmp_path, monkeypatch):
    proof, shown = tmp_path / "proof.json", []

    def show(self, text):
        shown.append(text)
        if len(shown) == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr("rich.status.Status.update", show)
        done = separatrix("least-errors", noise, "--label", "y", "--certificate", proof)
    assert done.returncode == 130
    assert "Ctrl-C ended the search" in done.stdout
    assert "Traceback" not in done.stderr
    assert any(re.match(r"between \d+ and \d+ errors, \d+ s \(Ctrl-C keeps what is proved so far\)", text) for text in shown)
    assert "Proved for 300 rows" in succeeded("verify", proof, noise)


def test_many_errors_are_cut_short(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a:.2f},{'yn'[i % 2]}" for i, a in enumerate(rng.standard_normal(120))]
    data = written(tmp_path, "\n".join(["a,class", *lines]) + "\n")
    arguments = ("least-errors", data, "--label", "class", "--time-limit", "2")
    text = succeeded(*arguments)
    wrong = re.search(r"On its wrong side: (.+)\.", text)
    assert wrong is not None
    for part in wrong[1].split("; "):
        assert re.fullmatch(r"lines (\d+, ){10}\d+ more .*|lines (\d+, ){9}\d+ and \d+ more \(class .*", part)
    assert "All rows that it errs on are in what --json prints." in text
    assert len(json.loads(succeeded(*arguments, "--json"))["error_places"]) > 40
    rows = sx.read_data(data, "class")
    found = sx.least_errors(rows, time_limit=2)
    assert "All rows that it errs on are in rows_given_up." in found.explain()
    assert "rows_given_up" not in found.explain("html")
    few = sx.least_errors(sx.read_data(written(tmp_path, XOR, "xor.csv"), "odd"))
    assert "rows_given_up" not in few.explain()
