"""What tests, examples in docstrings and pages of the docs share: figures that one leaves open are closed after it."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
