"""Every bound is needed: weakened, some run goes wrong; as it stands, none does."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from paths import SUPPORT

from separatrix.compiled.error_free import two_product, two_sum
from separatrix.perceptron.run import Run
from separatrix.problem.problem import Problem


@pytest.fixture(scope="module")
def weakened():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    output = subprocess.run(
        [sys.executable, str(SUPPORT / "weakened.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert output.returncode == 0, output.stderr
    return json.loads(output.stdout)


def test_as_they_stand_the_bounds_hold(weakened):
    assert {name: wrong[0] for name, wrong in weakened.items() if wrong[0]} == {}


def test_weakened_each_bound_lets_a_run_go_wrong(weakened):
    assert [name for name, wrong in weakened.items() if not wrong[1]] == []


def test_error_free_sums_survive_the_compiler():
    """Fast-math in the wrong place would delete the low parts."""
    assert two_sum(1.0, 2.0**-60) == (1.0, 2.0**-60)
    assert two_product(1.0 + 2.0**-30, 1.0 + 2.0**-30) == ((1.0 + 2.0**-30) ** 2, 2.0**-60)


def test_low_parts_are_kept():
    """Weights that one float does not hold are exact all the same."""
    X = np.array([[-(2.0**60)], [1.0]])
    run = Run(Problem.of(X, [1, 1], classes=[0, 1], intercept=False))
    run.advance(np.array([0, 1]), 1)
    assert run.weights().strings() == [str(1 - 2**60)]
