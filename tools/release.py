"""Build a release and try it as a user would: python tools/release.py.

The version is in one place, ``src/separatrix/__init__.py``. CHANGELOG.md must have a section for it, and CITATION.cff the
same version and date. The wheel and the source distribution are built into dist/. The wheel is installed in a clean
environment, in an empty folder, and must do what the README shows; the checker that it prints must run with nothing but
the standard library. Nothing is tagged and nothing uploaded: the last lines say what is left to do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from readme import WIDTH, is_as_shown, steps  # noqa: E402

DIST = ROOT / "dist"
IN_THE_SOURCES = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "docs/index.md", "tests/test_archive.py")


def found(pattern: str, path: str) -> re.Match[str]:
    """Find what a file of the project must say; refuse to release if it does not."""
    match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        sys.exit(f"Not released: {path} has no {pattern!r}.")
    return match


def checked_version() -> str:
    """Return the version, which all files that name it must agree on."""
    version = found(r'^__version__ = "([^"]+)"$', "src/separatrix/__init__.py").group(1)
    date = found(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", "CHANGELOG.md").group(1)
    found(rf"^version: {re.escape(version)}$", "CITATION.cff")
    found(rf"^date-released: {date}$", "CITATION.cff")
    return version


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a command; return what it prints, or end with it if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"Not released: {' '.join(map(str, command))} ended with {done.returncode}.\n{done.stdout}")
    return done.stdout


def environment(folder: Path, *packages: str | Path) -> Path:
    """Make a virtual environment with these packages; return where its commands are."""
    run(sys.executable, "-m", "venv", folder)
    commands = folder / "bin"
    run(commands / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return commands


def build(version: str, folder: Path) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from nothing but that."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    commands = environment(folder / "builder", *project["build-system"]["requires"])
    sources = DIST / f"separatrix-{version}.tar.gz"
    wheel = DIST / f"separatrix-{version}-py3-none-any.whl"
    for old in (sources, wheel):
        old.unlink(missing_ok=True)
    run(commands / "python", "-m", "hatchling", "build", "--target", "sdist", "--directory", DIST)
    with tarfile.open(sources) as archive:
        archive.extractall(folder / "sources", filter="data")
    unpacked = folder / "sources" / f"separatrix-{version}"
    for name in IN_THE_SOURCES:
        if not (unpacked / name).exists():
            sys.exit(f"Not released: {sources.name} lacks {name}.")
    run(commands / "python", "-m", "hatchling", "build", "--target", "wheel", "--directory", DIST, cwd=unpacked)
    return sources, wheel


def try_out(version: str, wheel: Path, folder: Path) -> int:
    """Install the wheel and run the commands of the README in an empty folder; return how many there were."""
    commands = environment(folder / "user", wheel)
    empty = folder / "empty"
    empty.mkdir()
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables |= {**WIDTH, "NUMBA_CACHE_DIR": str(folder / "compiled")}
    said = run(commands / "separatrix", "--version", cwd=empty, env=variables)
    if said.strip() != f"separatrix {version}":
        sys.exit(f"Not released: the wheel says {said.strip()!r}.")
    (empty / "checker.py").write_text(run(commands / "separatrix", "checker", cwd=empty, env=variables), encoding="utf-8")
    ran = 0
    for (program, *arguments), expected in steps():
        # The checker runs without anything that is installed beside Python: -I and -S leave it all out.
        command = [commands / "separatrix"] if program == "separatrix" else [sys.executable, "-I", "-S"]
        printed = run(*command, *arguments, cwd=empty, env=variables)
        if not is_as_shown(expected, printed):
            sys.exit(f"Not released: {program} {' '.join(arguments)} does not print what the README shows, but\n{printed}")
        ran += 1
    return ran


def main() -> None:
    """Check, build, install and try."""
    version = checked_version()
    folder = Path(tempfile.mkdtemp(prefix="separatrix-release-"))
    try:
        sources, wheel = build(version, folder)
        ran = try_out(version, wheel, folder)
    finally:
        shutil.rmtree(folder)
    print(f"separatrix {version}: the wheel does what {ran} commands of the README show.")
    for path in (sources, wheel):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    if re.search(r"^## Unreleased\n+(?!## )\S", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE):
        print(f"Note: CHANGELOG.md has changes under Unreleased, which are built in but not part of {version} by its text.")
    print("Left to do: make test and make test-oldest, the archive of this version (tests/archive), the tag, the upload.")


if __name__ == "__main__":
    main()
