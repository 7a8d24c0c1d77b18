"""Where the repository, its docs and the shared code of the tests are."""

import os
from pathlib import Path

SUPPORT = Path(__file__).parent
ROOT = SUPPORT.parents[1]
DOCS = ROOT / "docs"
CHECKED_LOOPS = ROOT / "build" / "bounds"
"""Where loops that check every index are kept, as make test-bounds has it; they are never outdated."""


def python_path():
    """Return PYTHONPATH for a process that uses the shared code as well."""
    return os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
