"""Commands whose rows the workers of a cluster read say what they say of rows in memory."""

import builtins
import json
import logging
import socket
from unittest import mock

import pytest
from commands import failed, separatrix, succeeded

import separatrix as sx
from separatrix.cli import clusters


@pytest.fixture(autouse=True)
def as_loud_as_before():
    """Leave the logs of Dask as they were: a command silences them for its own process."""
    logger = logging.getLogger("distributed")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.fixture
def workers(two_workers):
    return ("--scheduler", two_workers.scheduler.address)


def told(*arguments):
    return json.loads(succeeded(*arguments, "--json"))


def alike(found, expected, *keys):
    assert {key: found[key] for key in keys} == {key: expected[key] for key in keys}


def test_decide_and_verify(credit, workers, tmp_path):
    proof = tmp_path / "proof.json"
    found = told("decide", credit, "--label", "approved", *workers, "--certificate", proof)
    alike(
        found, told("decide", credit, "--label", "approved"), "status", "separable", "numbers", "rows", "features", "classes"
    )
    assert succeeded("verify", proof, credit) == succeeded("verify", proof, credit, *workers)
    other = tmp_path / "other.csv"
    other.write_text(credit.read_text().replace("yes", "maybe"))
    done = separatrix("verify", proof, other, *workers, "--memory", "1MB")
    assert (done.returncode, "Not proved." in done.stdout) == (1, True)


def test_fit_predict_and_score(credit, workers, tmp_path):
    arguments = ("fit", credit, "--label", "approved", "--max-iter", "20")
    plain = told(*arguments, "--model", tmp_path / "plain.json")
    found = told(*arguments, "--model", tmp_path / "there.json", *workers)
    alike(found, plain, "mistakes", "passes", "halted", "coef", "intercept", "training_errors", "classes", "majority")
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("plain.json", "there.json"))
    assert first["state"] == second["state"]
    succeeded("predict", tmp_path / "plain.json", credit, "-o", tmp_path / "plain.csv")
    succeeded("predict", tmp_path / "there.json", credit, "-o", tmp_path / "there.csv", *workers)
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    assert told("score", tmp_path / "there.json", credit, *workers) == told("score", tmp_path / "plain.json", credit)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_rows_with_missing_values_are_predicted_as_in_memory(credit, workers, tmp_path, options):
    model = tmp_path / "model.json"
    succeeded("fit", credit, "--label", "approved", "--max-iter", "20", "--model", model)
    header, *lines = credit.read_text().splitlines()
    gaps = [",".join(["", *line.split(",")[1:]]) if k % 3 == 0 else line for k, line in enumerate(lines)]
    new = tmp_path / "new.csv"
    new.write_text("\n".join([header, *gaps * 20]) + "\n")  # several pieces
    for command in ("predict", "score"):
        plain, there = (separatrix(command, model, new, *options, *more) for more in ((), (*workers, "--memory", "1MB")))
        assert (there.returncode, there.stdout, there.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_mistake_bound_and_describe(credit, workers):
    for command in ("mistake-bound", "describe"):
        assert told(command, credit, "--label", "approved", *workers) == told(command, credit, "--label", "approved")


def test_one_class_against_the_others(credit, workers):
    arguments = ("fit", credit, "--label", "employment", "--max-iter", "3", "--positive", "retired")
    alike(told(*arguments, *workers), told(*arguments), "mistakes", "coef", "classes", "training_errors")


def test_audit_and_least_errors(credit, workers, tmp_path):
    alike(told("audit", credit, "--label", "approved", *workers), told("audit", credit, "--label", "approved"),
          "mistakes", "passes", "converged", "radius", "holds", "rows", "features", "classes")  # fmt: skip
    proof = tmp_path / "proof.json"
    found = told("least-errors", credit, "--label", "approved", "--certificate", proof, *workers)
    assert (found["lower"], found["upper"]) == (0, 0)
    succeeded("verify", proof, credit)


@pytest.mark.slow
def test_processes_of_this_machine(credit):
    alike(told("decide", credit, "--label", "approved", "--scheduler", "local"),
          told("decide", credit, "--label", "approved"), "status", "rows", "features")  # fmt: skip


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


REFUSED = {
    "nobody there": (f"tcp://127.0.0.1:{free_port()}", "There is no scheduler of Dask at tcp://127.0.0.1"),
    "no address": ("elsewhere", "must be local, or an address such as tcp://127.0.0.1:8786"),
    "another scheme": ("foo://127.0.0.1:8786", "unknown address scheme"),
    "no port": ("tcp://127.0.0.1", "missing port number"),
    "no files for TLS": ("tls://127.0.0.1:8786", "TLS takes the files that Dask's configuration names"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused(why, credit, monkeypatch):
    monkeypatch.setattr(clusters, "SECONDS_TO_ANSWER", 1.0)
    address, words = REFUSED[why]
    said = " ".join(failed("decide", credit, "--label", "approved", "--scheduler", address).split())
    assert words in said
    assert said.startswith("Error: ")


def test_what_needs_all_rows_in_memory_and_standard_input(credit, workers):
    assert "takes all rows in memory" in " ".join(failed("decide", credit, "--kernel", "rbf", *workers).split())
    assert "read only once" in " ".join(failed("decide", "-", "--label", "approved", *workers).split())
    assert "Name it with --label" in " ".join(failed("decide", credit, *workers).split())


def test_a_file_that_is_damaged_is_told_of(workers, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,y\n1,u\n2,v\n3,4,v\n")
    expected = failed("decide", table, "--label", "y", "--memory", "1MB")
    assert failed("decide", table, "--label", "y", *workers) == expected


def test_workers_of_another_version(credit, workers):
    with mock.patch.object(sx, "__version__", "0.0"):
        said = " ".join(failed("decide", credit, "--label", "approved", *workers).split())
    assert "but here it is 0.0. Every worker needs the same version." in said


def test_without_dask(credit, monkeypatch):
    usual = builtins.__import__

    def no_dask(name, *rest):
        if name == "dask":
            raise ImportError("No module named 'dask'")
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", no_dask)
    said = " ".join(failed("decide", credit, "--label", "approved", "--scheduler", "local").split())
    assert "pip install 'separatrix[dask]'" in said
