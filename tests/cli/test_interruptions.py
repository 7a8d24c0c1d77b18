"""Exit codes, closed and full outputs, Ctrl-C, and time, on the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from commands import PATIENCE
from outputs import ended, posix, run, write_csv
from paths import ROOT

import separatrix as sx

# ---- Exit codes.


class Strange(Exception):  # noqa: N818
    """What nobody expects."""


UNEXPECTED = (
    MemoryError(), RecursionError("too deep"), RuntimeError("odd"), KeyError("odd"), AssertionError(), Strange("x\ny"),
)  # fmt: skip


@pytest.mark.parametrize("error", UNEXPECTED, ids=repr)
@pytest.mark.parametrize("as_json", [False, True])
def test_whatever_happens_is_no_refutation(monkeypatch, error, as_json):
    def fail(name):
        raise error

    monkeypatch.setattr("separatrix.examples.problems.get", fail)
    code, output, errors = run("examples", "and", *(["--json"] if as_json else []))
    said = errors.decode()
    assert code == 2
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert ("SEPARATRIX_TRACEBACK=1" in said) == (not isinstance(error, MemoryError))
    assert ("There is not enough memory." in said) == isinstance(error, MemoryError)
    assert (set(json.loads(output)) == {"error"}) if as_json else not output
    monkeypatch.setenv("SEPARATRIX_TRACEBACK", "1")
    code, _, errors = run("examples", "and")
    assert code == 2
    assert b"Traceback" in errors


@posix
def test_closed_and_full_outputs_are_told_of():
    with open("/dev/full", "w") as full:
        for command in (("examples", "and"), ("--help",)):
            code, _, errors = ended(*command, stdout=full)
            assert (code, errors) == (2, b"Error: No space left on device.\n")
        assert ended("fly", stderr=full)[:2] == (2, b"")
    shell = f"exec {sys.executable} -m separatrix"
    for command, said in [
        (f"{shell} --version >&-", b"Error: standard output is closed: "),
        (f"{shell} fly 2>&-", b""),
        (f"{shell} fly >&- 2>&-", b""),
        (f"{shell} decide - --label y <&-", b"Error: standard input "),
    ]:
        done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (2, b""), command
        assert done.stderr.startswith(said)
    done = subprocess.run(["sh", "-c", f"{shell} --version 2>&-"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"separatrix {sx.__version__}\n".encode())


@posix
def test_a_reader_that_leaves_ends_it_silently():
    read, write = os.pipe()
    os.close(read)
    try:
        code, _, errors = ended("--help", stdout=write)
    finally:
        os.close(write)
    assert (code, errors) == (141, b"")  # as after the signal SIGPIPE


# ---- Ctrl-C.


@pytest.mark.slow
@posix
@pytest.mark.parametrize("wait", [None, 0.0, 0.1, 0.3, 0.8])
def test_ctrl_c_stops_it_from_the_first_instant(tmp_path, wait):
    """At whatever moment it comes, from the first that is ours."""
    data = tmp_path / "d.csv"
    data.write_text("x,y\n" + "".join(f"{k * k % 1009},{k % 2}\n" for k in range(200_000)))
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING if wait is None else READY, "least-errors", str(data), "--label", "y"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    if wait is not None:
        assert process.stderr.readline() == b"ready\n"
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    assert errors == b"Stopped.\n" or b"Ctrl-C ended the search" in output


READY = """
import signal, sys
import separatrix.__main__ as way
install = signal.signal
def installed(*given):
    signal.signal = install
    before = install(*given)
    print("ready", file=sys.stderr, flush=True)
    return before
signal.signal = installed
way.main()
"""

LOADING = """
import builtins, os, signal, sys
import separatrix.__main__ as way
load = builtins.__import__
def loading(name, *more):
    if name == "typer":
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *more)
builtins.__import__ = loading
way.main()
"""


@posix
def test_ctrl_c_while_leaving_changes_nothing():
    program = (
        "import atexit, os, signal\nimport separatrix.__main__ as way\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\nway.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_script_is_the_way_in():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'separatrix = "separatrix.__main__:main"' in text


# ---- Time.


def test_compiling_takes_no_time_from_a_clock(monkeypatch):
    from numba.core import event

    from separatrix.support import clock as clocks

    now = [1000.0]
    monkeypatch.setattr("separatrix.support.clock.time.monotonic", lambda: now[0])
    clock = clocks.Clock(10.0)
    now[0] += 4.0
    assert clock.left() == 6.0
    with event.trigger_event("numba:compile"):
        now[0] += 100.0
        assert clock.left() == 6.0
        with event.trigger_event("numba:compile"):  # of a loop that the first one calls
            now[0] += 100.0
    assert clock.left() == 6.0
    assert clocks.Clock(10.0).left() == 10.0
    now[0] += 6.0
    with pytest.raises(clocks.OutOfTime):
        clock.check()


def test_progress_goes_on_while_work_is_silent(monkeypatch):
    from separatrix.cli.terminal import progress

    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)
    monkeypatch.setattr("separatrix.support.display._TICK", 0.001)
    shown, enough = [], threading.Event()

    def update(self, text):
        shown.append(text)
        if len(shown) > 2:
            enough.set()

    monkeypatch.setattr("rich.status.Status.update", update)
    with progress("thinking"):
        assert enough.wait(60)
    assert all(text.startswith("thinking, ") for text in shown)
    silent = len(shown)
    time.sleep(0.02)
    assert len(shown) == silent


def test_progress_says_that_loops_are_compiled_only_while_they_are(monkeypatch):
    from numba.core import event

    from separatrix.cli.terminal import progress
    from separatrix.support.progress import report

    monkeypatch.setattr("separatrix.support.display.PATIENCE", 0.0)
    shown = []
    monkeypatch.setattr("rich.status.Status.update", lambda self, text: shown.append(text))
    with progress("first"):
        report(lambda: "second")
        with event.trigger_event("numba:compile"):
            report(lambda: "third")
        report(lambda: "fourth")
    assert [text.partition(",")[0] for text in shown] == ["second", "compiling loops", "fourth"]


def test_the_last_pass_is_not_followed_by_another(monkeypatch):
    from separatrix.support.progress import listening

    heard = []
    X, y = sx.examples.load("xor")
    with listening(heard.append), pytest.warns(UserWarning, match="has not come to a pass without one"):
        sx.Perceptron(max_iter=7).fit(X, y)
    assert heard[-1].text == "7 passes, 28 mistakes in all"
    assert not any("pass 8" in told.text for told in heard)


def test_the_rule_has_the_sign_of_its_ties(tmp_path):
    rows = [[a, b, int(not (a or b))] for a in (0, 1) for b in (0, 1)]
    data, model = write_csv(tmp_path / "nor.csv", ["a", "b", "y"], rows), tmp_path / "m.json"
    code, output, _ = run("fit", data, "--label", "y", "--no-intercept", "--tie", "positive", "--model", model)
    text = output.decode()
    assert code == 0
    assert "\n  >= 0\n" in text
    assert "Training errors: 0 of 4." in text
    assert "where --tie positive decides" not in text  # the row of zeros is never wrong, the others are separated strictly
    assert json.loads(run("predict", model, data, "--json")[1])["predictions"] == [1, 0, 0, 0]
    assert json.loads(run("score", model, data, "--json")[1])["errors"] == 0
    result = json.loads(run("fit", data, "--label", "y", "--no-intercept", "--tie", "positive", "--json")[1])
    assert result["theorem"]["most_mistakes"] >= result["mistakes"]
    assert "\n  > " in run("fit", data, "--label", "y")[1].decode()


def test_audit_says_of_a_run_that_was_stopped_what_is_known(tmp_path):
    data = tmp_path / "d.csv"
    assert run("examples", "credit", "--output", data)[0] == 0
    _, output, _ = run("audit", data, "--label", "approved", "--max-iter", "3")
    text = output.decode()
    assert "Either no hyperplane" not in text
    assert "which is proved, after " in text
    assert "The run was stopped after 3 passes" in text
    result = json.loads(run("audit", data, "--label", "approved", "--max-iter", "3", "--json")[1])
    most = int(re.search(r"after ([0-9,]+) mistakes at most", result["notes"][-1])[1].replace(",", ""))
    assert result["bound"][1] - 1 < most <= result["bound"][1]
    whole = json.loads(run("audit", data, "--label", "approved", "--json")[1])
    assert whole["converged"]
    assert whole["notes"] == []


# ---- Ctrl-C at a report of progress: what there is, and 130.


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("decide",), "Ctrl-C came while"),
        (("audit",), ""),
        (("least-errors",), "Ctrl-C ended the search"),
        (("compare", "--cv", "0"), "Stopped by Ctrl-C"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else None,
)
def test_ctrl_c_shows_what_there_is(tmp_path, monkeypatch, command, said):
    data = tmp_path / "noisy.csv"
    assert run("examples", "credit-noisy", "--output", data)[0] == 0
    heard = []

    def tell(self, told):
        heard.append(told)
        if len(heard) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("separatrix.support.progress._Shared.tell", tell)
    code, output, errors = run(command[0], data, "--label", "approved", *command[1:])
    assert code == 130, errors
    assert said in output.decode()
    assert heard
    assert (errors.decode() == "Stopped.\n") == (not said)
