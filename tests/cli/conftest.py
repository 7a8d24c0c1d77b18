"""What the tests of the command line share."""

import pytest
from commands import succeeded


@pytest.fixture(scope="module")
def credit(tmp_path_factory):
    """The credit card applications as a file."""
    path = tmp_path_factory.mktemp("credit") / "credit.csv"
    succeeded("examples", "credit", "--output", path)
    return path
