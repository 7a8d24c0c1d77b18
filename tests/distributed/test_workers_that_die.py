"""Workers that are killed in the middle of runs on files change no answer."""

import pytest
import soak_workers


@pytest.mark.slow
def test_three_workers_that_are_killed_change_nothing():
    lines = []
    assert soak_workers.soak(3, lines.append) == 0, lines
    assert len([line for line in lines if "killed" in line]) == 3
