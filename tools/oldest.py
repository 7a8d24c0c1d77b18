"""Run the tests with the lowest versions that pyproject.toml promises.

    python tools/oldest.py [--only-install] [options of pytest]

Every requirement of the library and of its tests is pinned to its lower bound, in an environment of its own below build/.
A bound that cannot be installed, or with which a test fails, promises too much and is to be raised.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "oldest"
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)")


def lower_bounds(project: dict) -> dict[str, str]:
    """Return the lower bound of each requirement; refuse a requirement that has none.

    >>> lower_bounds({"dependencies": ["numpy>=1.26"], "optional-dependencies": {"dev": ["mypy>=1.11,<3"]}})
    {'numpy': '1.26', 'mypy': '1.11'}
    """
    bounds: dict[str, str] = {}
    for requirement in (*project["dependencies"], *project["optional-dependencies"]["dev"]):
        found = REQUIREMENT.match(requirement)
        if found is None:
            sys.exit(f"The requirement {requirement!r} in pyproject.toml has no lower bound.")
        name, version = found.groups()
        if bounds.setdefault(name, version) != version:
            sys.exit(f"{name} has two lower bounds in pyproject.toml.")
    return bounds


def main() -> int:
    """Make the environment, and run the tests in it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only-install", action="store_true", help="make the environment, and run nothing")
    options, of_pytest = parser.parse_known_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    if "{}.{}".format(*sys.version_info) != oldest:
        sys.exit(f"The lowest Python that pyproject.toml promises is {oldest}; this is {sys.version.split()[0]}.")
    constraints = FOLDER / "constraints.txt"
    FOLDER.mkdir(parents=True, exist_ok=True)
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in lower_bounds(project).items()))
    subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER / "venv"], check=True)
    python = FOLDER / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", constraints]
    subprocess.run([*install, "--editable", f"{ROOT}[dev]"], check=True)
    subprocess.run([python, "-m", "pip", "list", "--disable-pip-version-check"], check=True)
    if options.only_install:
        return 0
    # Compiled loops of other versions are kept elsewhere, so that neither removes those of the other.
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(FOLDER / "compiled")}
    # Newer packages that old ones use may deprecate what they use: of no concern to us, who promise lower bounds only.
    pytest = [python, "-m", "pytest", "-W", "ignore::DeprecationWarning", *of_pytest]
    return subprocess.run(pytest, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
