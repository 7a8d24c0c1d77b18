"""What comes out of the command line: names that are hostile, terminals, pipes, files, closed and full places, Ctrl-C."""

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout

import pytest
from paths import ROOT

import separatrix as sx
from separatrix import exceptions
from separatrix.cli.app import main
from separatrix.support import writing

HOSTILE = "\x1b]0;pwned\x07\x1b[5m\nThe proof holds, for all\r\u202e\u200b\x9b5m|<img src=x>`[a](b)[red]"
"""A name that would set the title, blink, begin a line, turn the direction of writing, and be markup of all kinds."""

pty = pytest.importorskip("pty", reason="takes a system with pseudo-terminals")
posix = pytest.mark.skipif(os.name != "posix", reason="of POSIX")


class Pipe(io.TextIOWrapper):
    """Standard output or error that is a pipe to a program."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")

    def read_all(self):
        self.flush()
        return self.buffer.getvalue()


class Terminal(io.TextIOWrapper):
    """Standard output or error that is a terminal, read while it is written to."""

    def __init__(self):
        self.master, slave = pty.openpty()
        self.seen = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        super().__init__(io.FileIO(slave, "w"), encoding="utf-8", newline="\n", line_buffering=True)
        self.reader.start()

    def _read(self):
        try:
            while more := os.read(self.master, 65536):
                self.seen += more
        except OSError:  # the other end is closed
            pass

    def read_all(self):
        self.close()
        self.reader.join()
        os.close(self.master)
        return self.seen


def run(*arguments, place=Pipe, **options):
    """Run a command in this process; return its exit code and the bytes on both its outputs."""
    outputs = place(**options), place(**options)
    with redirect_stdout(outputs[0]), redirect_stderr(outputs[1]), pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return left.value.code or 0, *(each.read_all() for each in outputs)


def started(*arguments, **options):
    """Start a process of its own."""
    command = [sys.executable, "-m", "separatrix", *map(str, arguments)]
    return subprocess.Popen(command, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def ended(*arguments, **options):
    process = started(*arguments, **options)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def hostile(folder):
    """A table whose every name is hostile: its own, and those of its columns, its classes and its categories."""
    names = [f"size{HOSTILE}", f"colour{HOSTILE}", f"class{HOSTILE}"]
    kinds = [f"no{HOSTILE}", f"yes{HOSTILE}"]
    colours = [f"red{HOSTILE}", f"blue{HOSTILE}"]
    rows = [[k, colours[k % 2], kinds[k > 5 or k == 2]] for k in range(12)]
    return write_csv(folder / f"data{HOSTILE.replace('/', '')}.csv", names, rows)


@pytest.fixture(scope="module")
def three(folder):
    rows = [[k, k * k, f"{'abc'[k // 4]}{HOSTILE}"] for k in range(12)]
    names = [f"{each}{HOSTILE}" for each in ("a", "b", "class")]
    return write_csv(folder / f"three{HOSTILE.replace('/', '')}.csv", names, rows)


@pytest.fixture(scope="module")
def made(folder, hostile):
    """A model and a proof, whose own names are hostile as well."""
    model, proof = (folder / f"{what}{HOSTILE.replace('/', '')}.json" for what in ("model", "proof"))
    assert run("fit", hostile, "--label", LABEL, "--model", model)[0] == 0
    assert run("decide", hostile, "--label", LABEL, "--certificate", proof)[0] == 0
    return model, proof


LABEL = f"class{HOSTILE}"
ALGORITHMS = ("perceptron", "averaged", "voted", "pocket", "kernel", "least-squares", "linear-program")


def commands(hostile, three, made):
    """Yield every command that shows names to a person, those that fail among them."""
    model, proof = made
    label = ("--label", LABEL)
    yield "describe", hostile
    yield "describe", hostile, *label
    yield "describe", three, *label
    yield "describe", hostile, *label, "--positive", HOSTILE
    for style in ("text", "markdown", "latex"):
        yield "decide", hostile, *label, "--style", style, "--certificate", proof
        yield "decide", three, *label, "--positive", f"a{HOSTILE}", "--style", style
        yield "least-errors", hostile, *label, "--style", style, "--certificate", proof
    yield "audit", hostile, *label, "--max-iter", "5"
    yield "verify", proof, hostile
    yield "verify", proof, three
    for algorithm in ALGORITHMS:
        yield "fit", hostile, *label, "--algorithm", algorithm, "--model", model
        yield "fit", three, *label, "--algorithm", algorithm, "--max-iter", "2"
        yield "fit", three, *label, "--algorithm", algorithm
    yield "fit", hostile, *label, "--model", model
    yield "score", model, hostile
    yield "score", model, three
    yield "predict", model, hostile, "--output", model.with_suffix(".csv")
    yield "compare", hostile, *label, "--cv", "0", "--time-limit", "1"
    yield "compare", hostile, *label, "--cv", "0", "--time-limit", "1", "--markdown"
    # What is wrong.
    yield "fit", hostile, "--label", HOSTILE
    yield "fit", hostile, *label, "--positive", HOSTILE
    yield "fit", three, *label, "--algorithm", "max-margin"
    yield "audit", three, *label
    yield "decide", f"{hostile}.none", *label
    yield "decide", hostile, *label, "--weights", "x"
    yield "decide", hostile, *label, f"--{HOSTILE}"
    yield "decide", hostile, *label, "--drop", HOSTILE
    yield "least-errors", hostile, *label, "--weights", f"colour{HOSTILE}"
    yield "predict", hostile, hostile
    yield "predict", model, hostile, "--output", hostile
    yield "decide", hostile, *label, "--certificate", hostile.parent / HOSTILE / "no"
    yield "examples", HOSTILE
    yield (HOSTILE,)


@pytest.mark.filterwarnings("ignore")
def test_no_name_reaches_a_pipe_but_as_text(hostile, three, made, monkeypatch):
    monkeypatch.setenv("COLUMNS", "4000")  # a line that is broken at a blank begins with what comes after
    for command in commands(hostile, three, made):
        _, output, errors = run(*command)
        for line in (output + errors).decode().split("\n"):
            assert line.isprintable(), (command[0], line)
            assert not line.startswith("The proof holds, for all"), command
        assert output or errors


RICH = re.compile(r"\x1b\[([0-9;]*[mKA]|\?25[lh])|\r")


@pytest.mark.filterwarnings("ignore")
def test_no_name_reaches_a_terminal_but_as_text(hostile, three, made, monkeypatch):
    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)  # so that progress is shown, too
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "4000")
    model, _ = made
    for command in [*commands(hostile, three, made), ("predict", model, hostile)]:
        _, output, errors = run(*command, place=Terminal)
        seen = (output + errors).decode()
        assert "\x1b[5m" not in seen, command
        for line in RICH.sub("", seen).split("\n"):
            assert line.isprintable(), (command[0], line)
            assert not line.startswith("The proof holds, for all"), command


def test_progress_is_no_markup(monkeypatch):
    from separatrix.cli.terminal import progress
    from separatrix.support.progress import report

    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    errors = Terminal()
    with redirect_stderr(errors), progress("first"):
        report(lambda: "[red]name[/red] \x1b[5m\nline")
    seen = RICH.sub("", errors.read_all().decode())
    assert r"[red]name[/red] \x1b[5m\nline" in seen


@pytest.mark.filterwarnings("ignore")
def test_data_and_json_are_faithful(hostile, made):
    model, _ = made
    truth = [row[-1] for row in csv.reader(io.StringIO(hostile.read_bytes().decode(), newline=""))][1:]
    _, output, _ = run("predict", model, hostile)
    rows = list(csv.reader(io.StringIO(output.decode(), newline="")))
    predicted = json.loads(run("predict", model, hostile, "--json")[1])["predictions"]
    assert rows[0] == [LABEL, "score"]
    assert [row[0] for row in rows[1:]] == predicted
    assert set(predicted) <= set(truth)
    assert run("predict", model, hostile, "--output", hostile.with_suffix(".out"))[0] == 0
    assert hostile.with_suffix(".out").read_bytes() == output
    result = json.loads(run("decide", hostile, "--label", LABEL, "--json")[1])
    assert set(result["classes"]) == set(truth)
    assert result["features"][0] == f"size{HOSTILE}"
    assert json.loads(run("describe", hostile, "--label", LABEL, "--json")[1])["label"] == LABEL


def test_a_suggested_command_can_be_run(hostile, tmp_path):
    proof = tmp_path / "it's\na proof.json"
    _, output, _ = run("decide", hostile, "--label", LABEL, "--certificate", proof)
    suggested = output.decode().partition("check it with: separatrix ")[2]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {suggested}"], capture_output=True, check=True, env=environment)
    assert words.stdout.decode().split("\0")[:-1] == ["verify", str(proof), str(hostile)]


# ---- Formulas, and letters that a terminal does not know.


def test_formulas_are_data_unless_they_are_asked_to_be_harmless(tmp_path):
    classes = ["=HYPERLINK(1)", "@SUM(1)", "+1+1", "-2+3", "-2.5", "\tx", "plain"]
    data = write_csv(tmp_path / "d.csv", ["x", "=y"], [[10 * k, each] for k, each in enumerate(classes)])
    model = tmp_path / "m.json"
    assert run("fit", data, "--label", "=y", "--algorithm", "least-squares", "--model", model)[0] == 0
    predicted = json.loads(run("predict", model, data, "--json")[1])["predictions"]

    def labels(*more):
        code, output, _ = run("predict", model, data, *more)
        assert code == 0
        rows = list(csv.reader(io.StringIO(output.decode(), newline="")))
        return rows[0][0], [row[0] for row in rows[1:]], rows[0][1:]

    assert labels()[:2] == ("=y", predicted)
    name, safe, scores = labels("--spreadsheet-safe")
    assert name == "'=y"
    assert safe == [each if each in ("-2.5", "plain") else f"'{each}" for each in predicted]
    assert all(each.startswith("score of ") for each in scores)
    written = tmp_path / "out.csv"
    assert run("predict", model, data, "--spreadsheet-safe", "--output", written)[0] == 0
    assert written.read_bytes() == run("predict", model, data, "--spreadsheet-safe")[1]
    assert run("predict", model, data, "--spreadsheet-safe", "--json")[0] == 2


def test_ascii_loses_nothing(tmp_path):
    data = write_csv(tmp_path / "d.csv", ["größe", "art"], [[1, "ä"], [2, "ö"]])
    model, proof = tmp_path / "m.json", tmp_path / "p.json"
    assert run("fit", data, "--label", "art", "--model", model)[0] == 0
    _, output, _ = run("predict", model, data, encoding="ascii")
    assert output == run("predict", model, data)[1]
    assert [line.split(",")[0] for line in output.decode().splitlines()] == ["art", "ä", "ö"]
    assert run("decide", data, "--label", "art", "--certificate", proof)[0] == 0
    _, output, _ = run("verify", proof, data, encoding="ascii")
    assert rb"class '\xf6' against '\xe4'" in output
    _, output, _ = run("decide", data, "--label", "art", encoding="ascii")
    assert rb"[gr\xf6\xdfe]" in output or rb"gr\xf6\xdfe" in output
    _, _, errors = run("decide", data, "--label", "ä", encoding="ascii")
    assert rb"no column '\xe4'" in errors
    code, output, _ = ended("predict", model, data, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (code, output) == run("predict", model, data)[:2]


# ---- Files.


@pytest.fixture
def inputs(tmp_path):
    data = write_csv(tmp_path / "d.csv", ["x", "y"], [[1, "no"], [2, "yes"]])
    model = tmp_path / "m.json"
    assert run("fit", data, "--label", "y", "--model", model)[0] == 0
    return data, model


@posix
def test_no_file_is_replaced_by_its_own_result(inputs, tmp_path, monkeypatch):
    data, model = inputs
    (tmp_path / "link").symlink_to(data)
    os.link(data, tmp_path / "twin")
    os.link(model, tmp_path / "model twin")
    (tmp_path / "model link").symlink_to(model)
    before = data.read_bytes(), model.read_bytes()
    fit, label = ("fit", data), ("--label", "y")
    for arguments, what in [
        (("predict", model, data, "--output", model), "the model"),
        (("predict", model, data, "--output", tmp_path / "model twin"), "the model"),
        (("predict", tmp_path / "model link", data, "--output", model), "the model"),
        (("predict", model, data, "--output", data), "the data"),
        (("predict", model, tmp_path / "d*.csv", "--output", data), "the data"),
        (("predict", model, tmp_path / "**" / "d.csv", "--output", data), "the data"),
        ((*fit, *label, "--model", data), "the data"),
        ((*fit, *label, "--model", tmp_path / "link"), "the data"),
        (("fit", tmp_path / "link", *label, "--model", tmp_path / "twin"), "the data"),
        (("decide", data, *label, "--certificate", tmp_path / "twin"), "the data"),
        (("least-errors", data, *label, "--certificate", tmp_path / "link"), "the data"),
    ]:
        code, output, errors = run(*arguments)
        assert (code, output) == (2, b"")
        assert f"would overwrite {what}." in errors.decode()
    for command in (("decide", "-", *label, "--certificate"), ("least-errors", "-", *label, "--certificate"),
                    ("fit", "-", *label, "--model"), ("predict", model, "-", "--output")):  # fmt: skip
        with data.open() as file, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", file)
            code, output, errors = run(*command, data)
        assert (code, output) == (2, b"")
        assert b"would overwrite the data." in errors
    assert (data.read_bytes(), model.read_bytes()) == before
    assert run("predict", model, data, "--output", "/dev/null")[0] == 0


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "old.txt"
    path.write_text("old")
    path.chmod(mode)
    before = path.stat()
    writing.write_whole(path, "new")
    after = path.stat()
    assert path.read_text() == "new"
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


@posix
def test_a_new_file_obeys_the_mask(tmp_path):
    old = os.umask(0o027)
    try:
        writing.write_whole(tmp_path / "new.txt", "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


@posix
def test_all_is_on_the_disk_before_the_old_file_goes(tmp_path, monkeypatch):
    path, order = tmp_path / "old.txt", []
    path.write_text("old")
    sync, replace = os.fsync, os.replace

    def synced(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        order.append((kind, path.read_text(), sum(each.stat().st_size for each in tmp_path.glob(".old*"))))
        sync(handle)

    def replaced(new, target):
        order.append("replace")
        replace(new, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    writing.write_whole(path, "newer")
    assert order == [("file", "old", 5), "replace", ("folder", "newer", 0)]


@posix
@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing, error):
    path = tmp_path / "old.txt"
    path.write_text("old")

    def fail(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fail)
        with pytest.raises(exceptions.FileError if isinstance(error, OSError) else type(error)):
            writing.write_whole(path, "new")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("old.txt", "old")]


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_leaves_nothing_behind(tmp_path, number):
    path = tmp_path / "old.txt"
    path.write_text("old")
    program = (
        "import os, sys, signal\nfrom separatrix.support import writing\n"
        f"signal.signal({int(number)}, signal.SIG_DFL)\n"  # whoever runs the tests may ignore it, as nohup does
        f"os.fsync = lambda _: os.kill(os.getpid(), {int(number)})\n"
        "writing.write_whole(sys.argv[1], 'new')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False, capture_output=True)
    assert done.returncode == -number
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("old.txt", "old")]


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
def test_a_reader_that_leaves_is_told_of():
    read, write = os.pipe()
    os.close(read)
    try:
        code, _, errors = ended("--help", stdout=write)
    finally:
        os.close(write)
    assert code == 2
    assert errors == b"Error: Whoever read the output has closed it before all was written.\n"


# ---- Ctrl-C.


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
    output, errors = process.communicate(timeout=120)
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

    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)
    monkeypatch.setattr("separatrix.cli.terminal._TICK", 0.001)
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

    monkeypatch.setattr("separatrix.cli.terminal.PATIENCE", 0.0)
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
    assert heard[-1] == "7 passes, 28 mistakes in all"
    assert not any("pass 8" in text for text in heard)


def test_the_rule_has_the_sign_of_its_ties(tmp_path):
    rows = [[a, b, int(not (a or b))] for a in (0, 1) for b in (0, 1)]
    data, model = write_csv(tmp_path / "nor.csv", ["a", "b", "y"], rows), tmp_path / "m.json"
    code, output, _ = run("fit", data, "--label", "y", "--no-intercept", "--tie", "positive", "--model", model)
    text = output.decode()
    assert code == 0
    assert "\n  >= 0\n" in text
    assert "Training errors: 0 of 4." in text
    assert "where --tie positive decides" in text
    assert json.loads(run("predict", model, data, "--json")[1])["predictions"] == [1, 0, 0, 0]
    assert json.loads(run("score", model, data, "--json")[1])["errors"] == 0
    result = json.loads(run("fit", data, "--label", "y", "--no-intercept", "--tie", "positive", "--json")[1])
    assert "theorem" not in result
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
