"""Commands that read rows in blocks say what they say of rows in memory."""

import json

import pytest
from commands import failed, separatrix, succeeded
from workbooks import workbook

ERRORS = [
    (("--memory", "5"), "at least 1MB"),
    (("--memory", "much"), "must be a size"),
    (("--memory", "5MB", "--kernel", "rbf"), "--kernel takes all rows in memory"),
    (("--memory", "5MB", "--stability", "digits"), "blocks: leave --memory out, or --stability."),
]


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    succeeded("examples", "credit-noisy", "--output", path)
    return path


def told(*arguments):
    return json.loads(succeeded(*arguments, "--json"))


@pytest.mark.parametrize("more", [(), ("--label", "approved"), ("--label", "approved", "--positive", "no"), ("--drop", "1")])
@pytest.mark.parametrize("shown", [(), ("--json",)])
def test_describe(noisy, more, shown):
    arguments = ("describe", noisy, *more, *shown)
    assert succeeded(*arguments, "--memory", "1MB") == succeeded(*arguments)


def test_describe_what_others_refuse(tmp_path):
    """Gaps, columns that mix numbers and words, columns without a name; several files; a file that is read as a whole."""
    rows = "".join(f"{k},{'' if k % 5 else 'x'},{k % 7 or 'n/a'},{k / 8},{'u' if k % 3 else 'v'}\n" for k in range(3000))
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    for path in (first, second):
        path.write_text("id,a,b,,y\n" + rows)
    book = tmp_path / "book.xlsx"
    book.write_bytes(workbook({"S": [["a", "y"], ["1", "u"], ["", "v"], ["w", "u"]]}))
    for files in ((first,), (first, second), (book,)):
        arguments = ("describe", *files, "--label", "y")
        assert succeeded(*arguments, "--memory", "1MB") == succeeded(*arguments)


def test_describe_refuses_what_it_cannot_read_again(noisy):
    assert "read only once" in " ".join(failed("describe", "-", "--memory", "1MB").split())
    assert "at least 1MB" in " ".join(failed("describe", noisy, "--memory", "5").split())


def test_decide_and_verify(noisy, tmp_path):
    proof = tmp_path / "proof.json"
    plain = told("decide", noisy, "--label", "approved")
    found = told("decide", noisy, "--label", "approved", "--memory", "1MB", "--certificate", proof)
    for key in ("status", "separable", "tie", "strict", "always_halts", "numbers", "rows", "features", "classes"):
        assert found[key] == plain[key]
    assert len(found["witness_places"]) == len(found["witness"]) <= len(plain["features"]) + 2
    assert succeeded("verify", proof, noisy) == succeeded("verify", proof, noisy, "--memory", "1MB")


def test_verify_refuses_other_data(noisy, tmp_path):
    proof, other = tmp_path / "proof.json", tmp_path / "other.csv"
    succeeded("decide", noisy, "--label", "approved", "--certificate", proof)
    for old, new in (("yes", "maybe"), ("income_keur", "salary"), (",1,", ",9,")):
        other.write_text(noisy.read_text().replace(old, new))
        done = separatrix("verify", proof, other, "--memory", "1MB")
        assert done.returncode == 1
        assert "Not proved. The data is not that of the certificate" in " ".join(done.stdout.split())


def test_least_errors(noisy, tmp_path):
    proof = tmp_path / "proof.json"
    arguments = ("least-errors", noisy, "--label", "approved", "--time-limit", "20s")
    found = told(*arguments, "--memory", "1MB", "--certificate", proof)
    plain = told(*arguments)
    assert found["lower"] <= plain["upper"]
    assert plain["lower"] <= found["upper"] == len(found["errors"])
    succeeded("verify", proof, noisy)


@pytest.mark.parametrize("positive", [(), ("--positive", "no")])
@pytest.mark.parametrize("algorithm", ["perceptron", "averaged"])
def test_fit_predict_and_score(credit, tmp_path, positive, algorithm):
    arguments = ("fit", credit, "--label", "approved", "--algorithm", algorithm, "--max-iter", "30", *positive)
    plain = told(*arguments, "--model", tmp_path / "plain.json")
    found = told(*arguments, "--model", tmp_path / "blocks.json", "--memory", "1MB")
    for key in ("mistakes", "passes", "halted", "coef", "intercept", "training_errors", "classes", "majority"):
        assert found[key] == plain[key]
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("plain.json", "blocks.json"))
    assert first["state"] == second["state"]
    succeeded("predict", tmp_path / "plain.json", credit, "-o", tmp_path / "plain.csv")
    succeeded("predict", tmp_path / "blocks.json", credit, "-o", tmp_path / "blocks.csv", "--memory", "1MB")
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "blocks.csv").read_bytes()
    assert told("score", tmp_path / "blocks.json", credit, "--memory", "1MB") == told(
        "score", tmp_path / "plain.json", credit
    )


def test_one_class_against_several_others(tmp_path):
    table = tmp_path / "flowers.csv"
    succeeded("examples", "iris-setosa", "--output", table)
    rows = [line.split(",") for line in table.read_text().splitlines()]
    rows[1:] = [[*row[:-1], row[-1] if k % 3 else "third"] for k, row in enumerate(rows[1:])]
    table.write_text("".join(f"{','.join(row)}\n" for row in rows))
    arguments = ("fit", table, "--label", "-1", "--max-iter", "20")
    for more in (("--positive", "third"), ()):
        plain, found = told(*arguments, *more), told(*arguments, *more, "--memory", "1MB")
        assert {key: found[key] for key in ("mistakes", "coef", "classes")} == {
            key: plain[key] for key in ("mistakes", "coef", "classes")
        }


def test_audit(credit):
    plain = told("audit", credit, "--label", "approved")
    found = told("audit", credit, "--label", "approved", "--memory", "1MB")
    for key in ("mistakes", "passes", "converged", "radius", "holds", "rows", "features", "classes"):
        assert found[key] == plain[key]
    assert max(found["margin"][0], plain["margin"][0]) <= min(found["margin"][1], plain["margin"][1])


def test_a_run_goes_on_from_its_checkpoint(credit, tmp_path):
    run = tmp_path / "run.ckpt"
    arguments = ("fit", credit, "--label", "approved")
    told(*arguments, "--max-iter", "7", "--checkpoint", run)
    assert "is there already" in failed(*arguments, "--checkpoint", run)
    resumed, plain = told(*arguments, "--checkpoint", run, "--resume"), told(*arguments)
    for key in ("mistakes", "passes", "coef", "halted"):
        assert resumed[key] == plain[key]
    assert "name its file with --checkpoint" in " ".join(failed(*arguments, "--resume").split())


@pytest.mark.parametrize(("more", "words"), ERRORS)
def test_what_is_refused(credit, more, words):
    assert words in " ".join(failed("decide", credit, "--label", "approved", *more).split())


def test_a_label_that_is_not_said_and_standard_input(credit):
    assert "Name it with --label" in " ".join(failed("decide", credit, "--memory", "1MB").split())
    assert "read only once" in " ".join(failed("decide", "-", "--label", "approved", "--memory", "1MB").split())
    assert "takes all rows in memory" in " ".join(
        failed("fit", credit, "--label", "approved", "--memory", "1MB", "--algorithm", "voted").split()
    )
