"""What all tests share: how hard hypothesis tries, a browser, and a table.

Hypothesis is quick by default; SEPARATRIX_PROFILE=deep, as in make fuzz, has it try for long.
"""

import os

import pytest
from browsers import axe, browser
from clusters import one_worker, two_workers
from commands import succeeded
from hypothesis import HealthCheck, settings

from separatrix.support.interruption import interrupt

__all__ = ["axe", "browser", "one_worker", "two_workers"]  # fixtures

common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("quick", max_examples=150, derandomize=True, **common)
settings.register_profile("deep", max_examples=int(os.environ.get("SEPARATRIX_EXAMPLES", "2000")), **common)
settings.load_profile(os.environ.get("SEPARATRIX_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def no_ctrl_c_before():
    """Forget any Ctrl-C of an earlier test: a second one within two seconds ends what the first one would not."""
    interrupt.forget()


@pytest.fixture(scope="module")
def credit(tmp_path_factory):
    """The credit card applications as a file."""
    path = tmp_path_factory.mktemp("credit") / "credit.csv"
    succeeded("examples", "credit", "--output", path)
    return path
