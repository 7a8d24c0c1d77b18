"""Deciding, verifying and auditing on the command line."""

import json
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from commands import LINE, PATIENCE, XOR, failed, separatrix, succeeded, written
from paths import DOCS

import separatrix as sx


def test_decide_explains_and_proves(tmp_path):
    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    text = succeeded("decide", data, "--label", "odd", "--certificate", proof)
    assert "XOR pattern" in text
    assert "0 > 0" in text
    assert f"separatrix verify {proof} {data}" in text
    about = "4 rows, 2 columns ('left', 'right'), an intercept, class 'yes' against 'no', labels in column 'odd'"
    assert f"Proved for {about}: the classes overlap: any hyperplane" in succeeded("verify", proof, data)
    assert json.loads(succeeded("verify", proof, data, "--label", "odd", "--json")) == {
        "valid": True, "claim": "overlapping", "about": about, "reason": None,
    }  # fmt: skip


@pytest.mark.parametrize(("status", "code"), [("separable", 0), ("quasi-separable", 3), ("overlapping", 4)])
def test_decide_as_json_and_exit_codes(tmp_path, status, code):
    data = written(tmp_path, LINE[status])
    result = json.loads(succeeded("decide", data, "--label", "y", "--json"))
    assert result["status"] == status
    assert result["separable"] is (status == "separable")
    assert result["classes"] == [0, 1]
    assert result["separating_columns"] == (None if status == "overlapping" else ["x"])
    assert len(result["separated_rows"]) == {"separable": 3, "quasi-separable": 2, "overlapping": 0}[status]
    assert separatrix("decide", data, "--label", "y", "--exit-code").returncode == code


def test_decide_says_when_the_time_is_up(tmp_path):
    data = written(tmp_path, XOR)
    assert "time limit" in succeeded("decide", data, "--label", "odd", "--time-limit", "1e-9")
    done = separatrix("decide", data, "--label", "odd", "--time-limit", "1e-9", "--exit-code", "--json")
    assert done.returncode == 5
    assert json.loads(done.stdout)["status"] == "unknown"
    assert "--time-limit must be" in failed("decide", data, "--label", "odd", "--time-limit", "-1")
    proof = tmp_path / "proof.json"
    assert "No proof was written" in succeeded(
        "decide", data, "--label", "odd", "--time-limit", "1e-9", "--certificate", proof
    )
    assert not proof.exists()


def test_decide_one_class_against_the_rest_and_without_intercept(tmp_path):
    data = written(tmp_path, "x,kind\n1,a\n2,b\n3,c\n")
    assert "3 classes" in failed("decide", data, "--label", "kind")
    assert "no-such" in failed("decide", data, "--label", "kind", "--positive", "no-such")
    assert json.loads(succeeded("decide", data, "--label", "kind", "--positive", "b", "--json"))["status"] == "overlapping"
    proof = tmp_path / "proof.json"
    succeeded("decide", data, "--label", "kind", "--positive", "c", "--no-intercept", "--certificate", proof)
    succeeded("verify", proof, data, "--label", "kind")
    single = written(tmp_path, "x,kind\n1,a\n2,a\n", "single.csv")
    assert json.loads(succeeded("decide", single, "--label", "kind", "--json"))["separating_columns"] == []


def test_verify_says_what_is_wrong(tmp_path):
    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    succeeded("decide", data, "--label", "odd", "--certificate", proof)
    other = written(tmp_path, XOR.replace("1,1,no", "1,2,no"), "other.csv")
    done = separatrix("verify", proof, other, "--label", "odd")
    assert done.returncode == 1
    assert "not that of the certificate" in done.stdout
    strange = written(tmp_path, XOR.replace("1,1,no", "1,1,maybe"), "strange.csv")
    done = separatrix("verify", proof, strange, "--label", "odd", "--json")
    assert done.returncode == 1
    assert "maybe" in json.loads(done.stdout)["reason"]
    proof.write_text(proof.read_text().replace('"multipliers": [\n   "1"', '"multipliers": [\n   "2"', 1))
    done = separatrix("verify", proof, data, "--label", "odd")
    assert done.returncode == 1
    assert "add up to zero" in done.stdout
    assert "not JSON" in separatrix("verify", data, data, "--label", "odd").stdout
    assert "cannot be read" in failed("verify", tmp_path / "none.json", data, "--label", "odd")
    done = separatrix("verify", proof, data, "--label", "left")
    assert done.returncode == 1
    assert "about the label 'odd', not 'left'" in done.stdout


def test_verify_refuses_the_label_as_a_column_as_the_checker_does(tmp_path):
    from separatrix import checker

    data, proof = written(tmp_path, LINE["separable"]), tmp_path / "proof.json"
    table = pd.read_csv(data)
    sx.decide(table, table["y"]).certificate.save(proof)
    assert separatrix("verify", proof, data, "--label", "y").returncode == 1
    assert checker.main([str(proof), str(data), "--label", "y"]) == 1
    missing = written(tmp_path, LINE["separable"].replace("x,y", "z,y"), "missing.csv")
    assert separatrix("verify", proof, missing, "--label", "y").returncode == 1


def test_verify_refuses_a_gap_where_the_proof_has_none(tmp_path):
    from separatrix import checker

    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    succeeded("decide", data, "--label", "odd", "--certificate", proof)
    gap = written(tmp_path, XOR.replace("1,1,no", "1,,no"), "gap.csv")
    done = separatrix("verify", proof, gap)
    assert done.returncode == checker.main([str(proof), str(gap)]) == 1
    assert "Not proved." in done.stdout
    assert "The certificate allows none." in done.stdout
    assert "--" not in done.stdout, "verify has no option for missing values"
    with pytest.raises(sx.InvalidCertificate, match="allows none"):
        sx.verify(proof, gap)
    words = pd.DataFrame({"word": ["a", "b", "a", "b"], "y": [0, 1, 0, 1]})
    certificate = sx.decide(sx.read_data(words, "y")).certificate
    with pytest.raises(sx.InvalidCertificate, match="allows none"):
        sx.verify(certificate, words.assign(word=["a", None, "a", "b"]), words["y"])


def test_decide_refuses_at_once_what_it_could_not_write(tmp_path):
    data = written(tmp_path, XOR)
    assert "would overwrite the data" in failed("decide", data, "--label", "odd", "--certificate", data)
    assert data.read_text() == XOR
    assert "no such folder" in failed("decide", data, "--label", "odd", "--certificate", tmp_path / "no" / "proof.json")


def test_the_checker_stands_alone(tmp_path):
    """As a file somewhere else, with a Python that knows no package but its own."""
    import shutil

    from separatrix import checker

    data, proof = written(tmp_path, XOR), tmp_path / "proof.json"
    succeeded("decide", data, "--label", "odd", "--certificate", proof)
    alone = shutil.copy(checker.__file__, tmp_path / "checker.py")
    for command in (
        [sys.executable, "-I", "-S", alone],
        [sys.executable, checker.__file__],
        [sys.executable, "-m", "separatrix.checker"],
    ):
        done = subprocess.run([*command, proof, data, "--label", "odd"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "overlap" in done.stdout


@pytest.mark.slow
def test_ctrl_c_stops_decide(tmp_path):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.standard_normal((2000, 250)), np.arange(2000) % 2])
    data = tmp_path / "large.csv"
    np.savetxt(data, table, delimiter=",", header=",".join([*(f"x{j}" for j in range(250)), "y"]), comments="", fmt="%.17g")
    text = data.read_text().replace(",0\n", ",no\n").replace(",1\n", ",yes\n")
    data.write_text(text)
    command = [sys.executable, "-c", "from separatrix.cli.app import main; print('ready', flush=True); main()"]
    process = subprocess.Popen(
        [*command, "decide", str(data), "--label", "y"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(timeout=2.5)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)
    assert process.returncode == 0 or "Stopped." in errors or "Ctrl-C came while" in printed


def test_audit_reads_like_a_lecture(tmp_path):
    data = tmp_path / "and.csv"
    succeeded("examples", "and", "--output", data)
    text = succeeded("audit", data, "--label", "output")
    for part in ("Claim 1", "Claim 2", "The squeeze", "more mistakes are impossible", "How well does it generalise?"):
        assert part in text
    result = json.loads(succeeded("audit", data, "--label", "output", "--json"))
    assert (result["mistakes"], result["holds"]) == (18, True)
    assert result["bound"][0] <= 51 <= result["bound"][1]
    assert len(result["per_mistake"]["k"]) == len(result["per_mistake"]["cosine"]) == 18
    assert "\\gamma" in succeeded("audit", data, "--label", "output", "--style", "latex")
    assert "--style must be" in failed("audit", data, "--label", "output", "--style", "html")


def test_audit_says_why_a_run_cannot_end(tmp_path):
    data = written(tmp_path, XOR)
    text = succeeded("audit", data, "--label", "odd", "--max-iter", "20")
    assert "The theorem does not apply" in text
    assert "the run cannot halt" in text
    assert json.loads(succeeded("audit", data, "--label", "odd", "--max-iter", "20", "--json"))["margin"] is None


def test_fit_prints_the_bound_of_the_theorem(tmp_path):
    data = tmp_path / "and.csv"
    succeeded("examples", "and", "--output", data)
    assert "The convergence theorem allows 51 mistakes" in succeeded("fit", data, "--label", "output")
    assert json.loads(succeeded("fit", data, "--label", "output", "--json"))["theorem"]["most_mistakes"] == 51
    assert "theorem" not in json.loads(succeeded("fit", written(tmp_path, XOR), "--label", "odd", "--json"))


def test_verify_says_what_a_margin_certificate_proves(tmp_path):
    data, proof = written(tmp_path, LINE["separable"]), tmp_path / "proof.json"
    rows = sx.read_data(data, "y")
    sx.margin(rows, kind="geometric").at_least.save(proof)
    assert "the margin (geometric) is at least 0.5: the given hyperplane" in succeeded("verify", proof, data)
    sx.margin(rows).at_most.save(proof)
    assert "the margin (lifted) is at most 0." in succeeded("verify", proof, data)


def test_verify_says_how_many_errors_are_proved(tmp_path):
    """The example of the specification, and a copy with costs."""
    page = (DOCS / "certificate-format.md").read_text(encoding="utf-8")
    table, document = re.search(r"```csv\n(x,side\n.*?)```.*?```json\n(.*?)```", page, re.DOTALL).groups()
    data, proof = tmp_path / "line.csv", tmp_path / "proof.json"
    data.write_text(table)
    proof.write_text(document)
    said = succeeded("verify", proof, data, "--label", "side")
    assert ": every hyperplane has at least 2 rows on its wrong side or goes through them." in said
    costly = json.loads(document) | {"errors": {"least": "5/2", "costs": ["3/2"] * 6}}
    costly["packing"]["nodes"][2]["weights"] = ["3/2"]
    costly["packing"]["nodes"][1]["weights"] = ["5/4", "5/4"]
    proof.write_text(json.dumps(costly))
    said = succeeded("verify", proof, data, "--label", "side")
    assert "rows of a total cost of at least 5/2 (in the costs of the certificate) on its wrong side" in said
    costly["errors"]["least"] = "31/10"  # all sums of costs are multiples of 3/2, so that 5/2 is as good as 3
    proof.write_text(json.dumps(costly))
    assert (
        "Not proved. Node 1 proves errors of 3 at least, but 3.1 are claimed"
        in separatrix("verify", proof, data, "--label", "side").stdout
    )


def test_how_sure_a_verdict_is(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("mark,size,paid\n0,1.5,no\n0,3.5,no\n0,2.5,yes\n0,4.5,yes\n1,0.5,yes\n")
    options = ("decide", table, "--label", "paid")
    assert json.loads(succeeded(*options, "--json"))["stability"] is None
    found = json.loads(succeeded(*options, "--stability", "digits", "--json"))["stability"]
    assert (found["stable"], found["lower"], found["upper"], found["tolerance"]) == (True, "10", "10", "digits")
    found = json.loads(succeeded(*options, "--stability", "0.6", "--exact", "mark", "--json"))["stability"]
    assert (found["stable"], found["tolerances"]) == (False, {"mark": "0", "size": "3/5"})
    text = succeeded(*options, "--stability", "0.6", "--time-limit", "60")
    assert "The verdict is not stable" in " ".join(text.split())
    assert "half of its last digit" in " ".join(succeeded(*options, "--stability", "digits", "--style", "markdown").split())
    for bad in ("much", "-1", "nan"):
        expected = f"--stability must be digits, or a number from 0 up, got {bad!r}."
        assert expected in " ".join(failed(*options, f"--stability={bad}").split())
    assert "There is no column colour" in failed(*options, "--stability", "1", "--exact", "colour")
    assert "--exact is for --stability" in failed(*options, "--exact", "size")
    assert "leave --kernel out" in " ".join(failed(*options, "--stability", "1", "--kernel", "rbf").split())
