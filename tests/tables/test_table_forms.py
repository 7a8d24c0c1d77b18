"""Every form of a table gives the same rows, to the bit, in Python and on the command line."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
from commands import PATIENCE, separatrix, succeeded
from hypothesis import given
from hypothesis import strategies as st
from random_tables import (
    MATRICES,
    PLAIN,
    SUFFIXES,
    Expected,
    Table,
    as_arrow,
    as_text,
    examples,
    file_forms,
    label_of,
    layouts,
    tables,
    tables_in_memory,
)
from table_files import write

import separatrix as sx
from separatrix import checker
from separatrix.problem.digest import digest
from separatrix.problem.provenance import GAPS


def check_every_form(table, layout, suffix):
    expected = Expected(table)
    with tempfile.TemporaryDirectory() as folder:
        for form, path, options in file_forms(table, layout, suffix, folder):
            said = {} if form in MATRICES else table.options
            data = sx.read_data(path, label_of(form, table, options), numbers="float64", **options, **said)
            expected.meets(form, data, options.get("header") is not False and form != "npy")
            verdict = sx.decide(data)
            assert verdict.status == expected.status
            sx.verify(verdict.certificate, path)
            if "parts" in form:
                continue
            piped = {**options, "separator": "tab"} if form == "tsv" else options
            with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes()))):
                again = sx.read_data("-", label_of(form, table, options), numbers="float64", **piped, **said)
            assert digest(again.problem()) == expected.digest
        for form, source in tables_in_memory(table):
            data = sx.read_data(source, table.names[-1], numbers="float64", **table.options)
            expected.meets(form, data)
            verdict = sx.decide(data)
            assert verdict.status == expected.status
            sx.verify(verdict.certificate, str(Path(folder, "plain.csv")))


@examples(40)
@given(tables(), layouts(), SUFFIXES)
def test_every_form_of_a_table_gives_the_same_rows(table, layout, suffix):
    check_every_form(table, layout, suffix)


@examples(30)
@given(tables(numeric=True), layouts(), SUFFIXES)
def test_every_form_of_a_matrix_gives_the_same_rows(table, layout, suffix):
    check_every_form(table, layout, suffix)


@examples(30)
@given(tables(numeric=True).filter(lambda table: table.whole), st.sampled_from([" ", "  ", "\t", " \t "]), st.booleans())
def test_blanks_as_separators(table, blanks, header):
    names = [f"n{k}" for k in range(len(table.names) - 1)] + ["label"]
    rows = [*([names] if header else []), *zip(*table.cells, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.txt")
        path.write_text("".join(f"{blanks[1:]}{blanks.join(row)}{blanks}\n \n" for row in rows))
        data = sx.read_data(path, -1, separator="blanks", header=header, numbers="float64", **table.options)
        expected = Expected(table)
        assert digest(data.problem()) == expected.digest
        certificate = Path(folder, "proof.json")
        sx.decide(data).certificate.save(certificate)
        assert checker.main([str(certificate), str(path)]) == 0


# ---- The command line.


def as_words(options):
    words = []
    for name, value in options.items():
        if name == "header":
            words += [] if value is None else ["--header" if value else "--no-header"]
        elif name == "gaps":
            words += [word for gap in value if value != GAPS for word in ("--gap", gap)]
        elif name == "usual_gaps":
            words += [] if value else ["--no-usual-gaps"]
        else:
            words += [f"--{name}", value]
    return words


def check_on_the_command_line(table, layout, suffix):
    expected = Expected(table)
    with tempfile.TemporaryDirectory() as folder:
        proof, model = Path(folder, "proof.json"), Path(folder, "model.json")
        for form, path, options in file_forms(table, layout, suffix, folder):
            reading = [*as_words(options), "--numbers", "float64"]
            label = label_of(form, table, options)
            choosing = [] if form in MATRICES else [*as_words(table.options), "--label", label]
            decided = json.loads(succeeded("decide", path, "--json", "--certificate", proof, *reading, *choosing))
            assert (decided["status"], decided["rows"]) == (str(expected.status), len(expected.y))
            assert decided["classes"] == expected.classes
            learnt = ["--model", model] if form == "plain" else []
            done = separatrix("fit", path, "--json", "--max-iter", 5, *reading, *choosing, *learnt)
            fitted = json.loads(done.stdout)
            if isinstance(expected.run, str):
                assert (done.returncode, fitted["error"]) == (2, expected.run)
            else:
                weights = np.array([fitted["coef"]]), np.array([fitted["intercept"]])
                assert (fitted["mistakes"], *(each.tobytes() for each in weights)) == expected.run
                if form not in (*MATRICES, "npy") and options.get("header") is not False:
                    check_predictions(table, model, path, form, layout, reading, Path(folder, "plain.csv"))
            assert json.loads(proof.read_text())["problem"]["digest"] == expected.digest
            succeeded("verify", proof, path)
            # The stand-alone checker takes the certificate with the table as it is described: another text, or LIBSVM.
            subject = json.loads(proof.read_text())["problem"]["table"]
            if form == "npy":
                continue  # its columns are called by their places
            alone = ["--label", table.names[-1]] if subject is None else []
            own = form in ("text", "tsv", "libsvm 0", "libsvm 1") or (form == "packed" and suffix not in (".zst", ".lz4"))
            if not own and form in ("packed", "no suffix"):
                continue
            given = path if own else Path(folder, "plain.csv")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                assert checker.main([str(proof), str(given), *alone]) == 0, said.getvalue()


def check_predictions(table, model, path, form, layout, reading, plain):
    """See that a model learnt from one form predicts the same from another, once told how that is written."""
    told = [*reading, *(["--separator", "tab"] if form == "tsv" else [])]
    if layout["encoding"].startswith("utf-16") and form in ("text", "packed", "no suffix"):
        told += ["--encoding", "utf-16"]
    refused = separatrix("predict", model, plain)
    unseen = []
    if refused.returncode:  # a category of rows without a label, which were left out when it learnt
        assert None in table.cells[-1]
        assert "is new; those learnt are" in refused.stderr
        assert "is new; those learnt are" in separatrix("predict", model, path, *told).stderr
        unseen = ["--unseen", "ignore"]
    assert succeeded("predict", model, path, *told, *unseen) == succeeded("predict", model, plain, *unseen)
    assert succeeded("score", model, path, "--json", *told, *unseen) == succeeded("score", model, plain, "--json", *unseen)


@examples(6)
@given(tables(), layouts(), SUFFIXES)
def test_every_form_of_a_table_on_the_command_line(table, layout, suffix):
    check_on_the_command_line(table, layout, suffix)


@examples(4)
@given(tables(numeric=True).filter(lambda table: table.whole), layouts(), SUFFIXES)
def test_every_form_of_a_matrix_on_the_command_line(table, layout, suffix):
    check_on_the_command_line(table, layout, suffix)


def test_the_checker_alone_accepts_what_comes_from_another_format(tmp_path):
    cells = [["1e3", " -0.0", "+.5", "5."], ["a,b", 'say "no"', "two\nlines", None], ["TRUE", "false", None, "true"],
             ["no", "yes", "no", "no"]]  # fmt: skip
    table = Table(["x", "c,c", "flag", "the label"], ["number", "word", "flag", "word"], cells, GAPS, "indicator")
    write(tmp_path, "t.csv", as_text(table, PLAIN))
    pq.write_table(as_arrow(table), tmp_path / "t.parquet")
    proof = tmp_path / "proof.json"
    succeeded("decide", tmp_path / "t.parquet", "--label", "the label", "--missing", "indicator", "--certificate", proof)
    command = [sys.executable, "-I", checker.__file__, str(proof)]
    done = subprocess.run([*command, str(tmp_path / "t.csv")], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 rows, 7 columns" in done.stdout
    cells[0][2] = ".25"
    write(tmp_path, "t.csv", as_text(table, PLAIN))
    done = subprocess.run([*command, str(tmp_path / "t.csv")], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "digests differ" in done.stdout
