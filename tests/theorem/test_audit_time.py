"""An audit inside other work ends with the time of that work, wherever it is."""

import sys

import numpy as np
import pytest

import separatrix as sx
from separatrix.support.clock import Clock, OutOfTime, present, within

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Watched(Clock):
    """A clock that keeps in mind who has looked at it."""

    def __init__(self):
        super().__init__(1000.0)
        self.asked = set()

    def check(self, needed=0.0):
        self.asked.add(sys._getframe(1).f_code.co_name)
        super().check(needed)


def test_the_clock_at_hand_is_that_of_the_innermost_work():
    outer, inner = Clock(2.0), Clock(1.0)
    assert present().limit is None
    with within(outer):
        with within(inner):
            assert present() is inner
        assert present() is outer
    assert present().limit is None


def test_every_long_loop_of_an_audit_looks_at_the_clock():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    perceptron = sx.Perceptron(max_iter=20, record=True).fit(X, y)
    clock = Watched()
    with within(clock):
        found = sx.audit(perceptron, X, y)
    assert found.holds
    assert clock.asked >= {"at", "go", "_row_sums", "timed"}


@pytest.mark.parametrize("name", ["and", "xor"])
def test_an_audit_without_time_ends(name):
    X, y = sx.examples.load(name)
    perceptron = sx.Perceptron(max_iter=20, record=True).fit(X, y)
    with within(Clock(1e-9)), pytest.raises((OutOfTime, TimeoutError)):
        sx.audit(perceptron, X, y)
