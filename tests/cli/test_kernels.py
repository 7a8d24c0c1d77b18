"""The commands that ask in the feature space of a kernel."""

import json
import subprocess
import sys

import pytest
from commands import failed, succeeded

from separatrix import checker


@pytest.fixture
def xor(tmp_path):
    path = tmp_path / "xor.csv"
    path.write_text("a,b,y\n0,0,no\n0,0.1,yes\n0.1,0,yes\n0.1,0.1,no\n")
    return path


def test_decide(xor):
    text = succeeded("decide", xor, "--label", "y", "--kernel", "poly", "--degree", "2")
    assert "in the feature space of the kernel" in text
    assert "[a*b]" in text
    assert "distances" not in text
    found = json.loads(
        succeeded("decide", xor, "--label", "y", "--kernel", "poly", "--degree", "2", "--gamma", "1", "--json")
    )
    assert (found["status"], found["kernel_features"]) == ("separable", ["a^2", "a*b", "b^2"])
    assert found["kernel"] == {"name": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}
    assert json.loads(succeeded("decide", xor, "--label", "y", "--kernel", "linear", "--json"))["status"] == "overlapping"
    assert json.loads(succeeded("decide", xor, "--label", "y", "--kernel", "rbf", "--json"))["separable"]


def test_audit(xor):
    options = ("--kernel", "poly", "--degree", "2", "--gamma", "100")  # in tenths: the problem of XOR in whole numbers
    text = succeeded("audit", xor, "--label", "y", *options)
    assert "R^2 / gamma^2 = 85 mistakes, which the run keeps: 21." in text
    found = json.loads(succeeded("audit", xor, "--label", "y", *options, "--json"))
    assert (found["mistakes"], found["bound"], found["holds"]) == (21, [85.0, 85.0], True)
    assert len(found["per_mistake"]["squared_length"]) == 21


def test_fit_tells_both_bounds(xor):
    options = ("--algorithm", "kernel", "--kernel", "poly", "--degree", "2", "--gamma", "100")
    text = succeeded("fit", xor, "--label", "y", *options)
    assert "By the margin of its own weights in feature space, no order of visits leads to more than 135 mistakes." in text
    assert (
        "The convergence theorem allows 85 mistakes, by the largest margin and not by that of the weights learnt: " in text
    )
    assert json.loads(succeeded("fit", xor, "--label", "y", *options, "--json"))["theorem"]["most_mistakes"] == 85


@pytest.mark.parametrize("command", ["decide", "audit"])
@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--degree", "2"), "--degree is for a kernel: name it with --kernel."),
        (("--kernel", "rbf", "--degree", "2"), "--degree is not for --kernel rbf, but for poly."),
        (("--kernel", "cosine"), "--kernel must be linear, poly or rbf, got 'cosine'."),
        (("--kernel", "poly", "--gamma", "big"), "--gamma must be scale or a number, got 'big'."),
        (("--kernel", "poly", "--degree", "0"), "degree"),
    ],
)
def test_bad_options(xor, command, options, text):
    assert text in failed(command, xor, "--label", "y", *options)


def test_a_certificate_is_about_the_rows_of_the_file(xor, tmp_path):
    proof = tmp_path / "proof.json"
    succeeded("decide", xor, "--label", "y", "--kernel", "poly", "--degree", "2", "--gamma", "1", "--certificate", proof)
    said = succeeded("verify", proof, xor)
    assert "hyperplanes in the feature space of the kernel (x.x')^2, an intercept" in said
    assert "the classes are separable" in said
    alone = subprocess.run([sys.executable, checker.__file__, proof, xor], capture_output=True, text=True, check=True)
    assert alone.stdout == said


def test_no_certificate_of_products_that_no_file_has(tmp_path):
    proof, table = tmp_path / "proof.json", tmp_path / "table.csv"
    table.write_text("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    kernel = ["--kernel", "poly", "--degree", "400", "--gamma", "1"]
    text = failed("decide", table, "--label", "y", *kernel, "--certificate", proof)
    assert "Lower --degree, or leave --certificate out." in text
    assert not proof.exists()
