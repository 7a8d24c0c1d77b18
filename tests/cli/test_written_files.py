"""Files that the command line writes: whole or not at all, and never in the place of what they are made from."""

import os
import signal
import stat
import subprocess
import sys

import pytest
from outputs import posix, run, write_csv

from separatrix import exceptions
from separatrix.support import writing

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
