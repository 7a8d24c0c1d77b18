"""Make the screenshots of the docs: the report that `make demo` makes, in Chromium.

Run it by ``make screenshots``, which installs what it needs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "screenshots"
COMMANDS = [
    "examples credit-noisy --gaps 0.04 --output applications.csv",
    "report applications.csv --label approved --missing drop-rows -o report.html",
]
SHOTS = {
    "report": {"viewport": {"width": 1200, "height": 1000}, "color_scheme": "light"},
    "report-phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "device_scale_factor": 2},
}


def main() -> None:
    """Make all of them."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("There is no Chromium: run make browser.")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for command in COMMANDS:
            subprocess.run([sys.executable, "-m", "separatrix", *command.split()], cwd=folder, check=True)
        path = Path(folder) / "report.html"
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"] if root else [])
        for name, settings in SHOTS.items():
            page = browser.new_page(**settings)
            page.goto(path.as_uri())
            page.screenshot(path=FOLDER / f"{name}.png")
            print(f"docs/screenshots/{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
