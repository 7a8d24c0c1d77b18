"""Kernels on disk: never an outdated one, never one of other settings, and none at all where nothing can be written."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix as sx
from separatrix.compiled import compilation

PACKAGE = Path(sx.__file__).parent

# A kernel, and one in another file that calls it.
CALLED = "from .compilation import kernel\n\n@kernel\ndef answer():\n    return {answer}\n"
CALLING = """
from .called import answer
from .compilation import kernel

@kernel
def ask(array, place):
    array[place] += answer()
    return array[place]
"""
ASK = "import numpy as np\nfrom separatrix.compiled.calling import ask\nprint(ask(np.zeros(2), {place}))"


@pytest.fixture
def library(tmp_path):
    """A copy of the package with the two kernels, in a folder of its own."""
    folder = tmp_path / "library"
    shutil.copytree(PACKAGE, folder / "separatrix", ignore=shutil.ignore_patterns("__pycache__"))
    write_kernels(folder, answer=1)
    return folder


def write_kernels(library, answer):
    kernels = library / "separatrix" / "compiled"
    (kernels / "called.py").write_text(CALLED.format(answer=answer))
    (kernels / "calling.py").write_text(CALLING)
    for name in ("called.py", "calling.py"):
        os.utime(kernels / name, (10**9, 10**9))  # as an installation may leave them: the times tell nothing


def run(library, code, *, arguments=(), unprivileged=False, **environment):
    """Run code on the copy with nothing set but these variables, its home being a place that cannot be made."""
    usual = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(library),
        "HOME": "/dev/null/home",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments, "-c", code], env=usual | environment, capture_output=True, text=True, check=False,
        preexec_fn=drop_privileges if unprivileged else None, cwd=library,
    )  # fmt: skip


def drop_privileges():
    """Have root obey permissions as everybody does: give up all capabilities for what will be executed."""
    libc = ctypes.CDLL(None)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def make_read_only(folder):
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    trial = f"open({str(folder / 'trial')!r}, 'w')"
    if "Error" not in run(folder, trial, unprivileged=True).stderr:
        pytest.skip("permissions bind nobody here")


@pytest.fixture
def read_only(library):
    make_read_only(library)
    yield library
    for path in (library, *library.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def asked(library, place=0, **more):
    output = run(library, ASK.format(place=place), **more)
    assert output.returncode == 0, output.stderr
    return float(output.stdout), output.stderr


def kept(library):
    """The folders of compiled kernels beside the sources, each with its files."""
    folders = (library / "separatrix" / "compiled" / "__pycache__").glob("*-*")
    return {folder: sorted(file.name for file in folder.iterdir()) for folder in folders if folder.is_dir()}


def test_a_change_in_another_file_is_seen_and_what_is_outdated_removed(library):
    assert asked(library) == (1.0, "")
    [(first, files)] = kept(library).items()
    assert [name.partition("-")[0] for name in files] == ["called.answer", "calling.ask", "writable"]
    stranger = first.with_name("cpython-0-of-somebody-else")
    stranger.mkdir()
    write_kernels(library, answer=2)
    assert asked(library) == (2.0, "")
    assert not first.exists()
    assert stranger.exists()
    assert len(kept(library)) == 2


def test_what_is_kept_is_used_and_what_is_damaged_is_not(library):
    count = (
        "import numpy as np\nfrom separatrix.compiled.calling import ask\nask(np.zeros(2), 0)\nprint(ask.stats.cache_hits)"
    )
    assert "{}" in run(library, count).stdout.replace("Counter()", "{}")
    assert ": 1" in run(library, count).stdout
    [(folder, files)] = kept(library).items()
    for name in files:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])
    assert asked(library) == (1.0, "")
    for name in files:
        (folder / name).write_bytes(b"")
    assert asked(library) == (1.0, "")
    for name in files[:-1]:  # code of other types under the name asked for
        (folder / name).write_bytes((folder / files[0]).read_bytes())
    assert asked(library) == (1.0, "")


def test_indices_are_checked_on_demand_whatever_is_kept(library):
    assert asked(library) == (1.0, "")
    wrong = run(library, ASK.format(place=2), NUMBA_BOUNDSCHECK="1")
    assert "IndexError: index is out of bounds" in wrong.stderr
    assert asked(library, NUMBA_BOUNDSCHECK="1") == (1.0, "")
    [files] = kept(library).values()
    assert len([name for name in files if name.startswith("calling.ask")]) == 2


def test_without_a_compiler(library):
    assert asked(library, NUMBA_DISABLE_JIT="1") == (1.0, "")
    assert kept(library) == {}


def test_the_folder_named_by_the_environment_comes_first(library, tmp_path):
    assert asked(library, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == (1.0, "")
    assert kept(library) == {}
    assert list(tmp_path.glob("cache/separatrix-*/*/calling.ask-*"))


def test_the_cache_of_the_user_is_taken_where_the_package_is_read_only(read_only, tmp_path):
    home = {"HOME": str(tmp_path / "home")}
    assert asked(read_only, unprivileged=True, **home) == (1.0, "")
    assert list(tmp_path.glob("home/.cache/separatrix/*/*/calling.ask-*"))
    assert asked(read_only, unprivileged=True, XDG_CACHE_HOME=str(tmp_path / "xdg")) == (1.0, "")
    assert list(tmp_path.glob("xdg/separatrix/*/*/calling.ask-*"))


def test_a_read_only_cache_is_read(library):
    """As in an image whose kernels were compiled when it was built."""
    assert asked(library) == (1.0, "")
    before = kept(library)
    make_read_only(library)
    assert asked(library, unprivileged=True) == (1.0, "")
    for path in (library, *library.rglob("*")):
        path.chmod(0o755)
    assert kept(library) == before


def test_several_processes_may_fill_one_cache(library):
    code = ASK.format(place=0)
    environment = os.environ | {"PYTHONPATH": str(library)}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [process.communicate()[0] for process in processes] == ["1.0\n"] * 4
    [files] = kept(library).values()
    assert [name.partition("-")[0] for name in files] == ["called.answer", "calling.ask", "writable"]  # nothing unfinished


COMMANDS = """
import json, os, sys, tempfile
from separatrix.cli.app import main
folder = tempfile.mkdtemp()
data, proof = (os.path.join(folder, name) for name in ("data.csv", "proof.json"))
codes = []
for line in [
    ["examples", "and", "--output", data], ["describe", data], ["decide", data, "--label", "output", "--certificate", proof],
    ["verify", proof, data],
]:
    try:
        main(line)
    except SystemExit as end:
        codes.append(end.code)
json.dump(codes, sys.__stderr__)
"""


def test_commands_work_where_nothing_can_be_kept(read_only):
    """No home, no cache, a package that cannot be written: as in many containers. It is told of once, not as an error."""
    output = run(read_only, COMMANDS, arguments=["-W", "error::UserWarning"], unprivileged=True, NUMBA_OPT="0")
    told, codes = output.stderr.rsplit("\n", 1)
    assert json.loads(codes) == [0] * 4, output.stderr
    assert told.count("Warning: There is no folder to keep compiled loops in") == 1
    assert "NUMBA_CACHE_DIR" in told
    assert "no folder to keep" not in output.stdout


def test_python_is_warned_once(read_only):
    code = (
        "import warnings\nimport numpy as np\nfrom separatrix.compiled.calling import ask\n"
        "with warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
        "    print(ask(np.zeros(2), 0), ask(np.zeros(2, np.float32), 0))\n"
        "print([warning.category.__name__ for warning in caught])"
    )
    output = run(read_only, code, unprivileged=True)
    assert output.stdout == "1.0 1.0\n['CacheWarning']\n", output.stderr


def test_the_name_of_a_version_holds_every_source(tmp_path, monkeypatch):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(compilation, "_HERE", tmp_path)
    names = [compilation._version()]
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("2")
        names.append(compilation._version())
    (tmp_path / "b.py").rename(tmp_path / "c.py")
    names.append(compilation._version())
    for module in (compilation.numba, compilation.llvmlite, compilation.np):
        monkeypatch.setattr(module, "__version__", "0")
        names.append(compilation._version())
    monkeypatch.setattr(compilation.sys, "version", "4")
    names.append(compilation._version())
    assert len(set(names)) == len(names) == 8
    for name in ("a.py", "c.py"):
        (tmp_path / name).unlink()
    assert compilation._version() is None  # no sources, no digest: nothing is kept
