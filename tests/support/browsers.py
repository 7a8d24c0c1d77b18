"""A browser for tests: Debian's Chromium, or Chrome.

Without one the tests are left out, unless SEPARATRIX_BROWSER=required says that they must not be.
"""

import os
import shutil
from pathlib import Path

import pytest

REQUIRED = os.environ.get("SEPARATRIX_BROWSER") == "required"
AXE = Path(__file__).parents[2] / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def absent(what):
    if REQUIRED:
        pytest.fail(f"There is no {what}: run make browser.")
    pytest.skip(f"there is no {what}; make browser installs it")


@pytest.fixture(scope="session")
def browser():
    if PROGRAM is None:
        absent("Chromium")
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"] if root else [])
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe():
    """What finds barriers in a page."""
    if not AXE.is_file():
        absent("axe-core")
    return AXE.read_text(encoding="utf-8")
