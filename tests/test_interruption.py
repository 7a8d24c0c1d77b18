"""Ctrl-C at any report of progress: what comes back is true, or nothing does; and who hears it, where calls are nested."""

import signal
import subprocess
import sys
import threading
import warnings
from contextlib import suppress

import numpy as np
import pytest
from commands import PATIENCE
from outputs import posix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import separatrix as sx
from separatrix.perceptron.run import Run
from separatrix.problem.problem import Problem
from separatrix.support import interruption
from separatrix.support.interruption import interrupt

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((300, 8))
APART = np.where(ROWS @ np.arange(1.0, 9.0) > 0, 1, -1)
MIXED = np.where(RNG.random(300) < 0.2, -APART, APART)


class Press:
    """Listens, and presses Ctrl-C at the k-th report."""

    def __init__(self, k=None):
        self.k, self.heard = k, []

    def __call__(self, told):
        self.heard.append(told)
        if len(self.heard) == self.k:
            raise KeyboardInterrupt


def decided(found):
    assert found.status == "unknown"
    assert "Ctrl-C came while" in found.message
    if found.certificate is not None:
        assert found.certificate.claim == "not-separable"
        sx.verify(found.certificate, *mixed)


mixed, apart = (ROWS, MIXED), (ROWS, APART)
MARGIN = sx.margin(*apart)


def between(found):
    """Proved bounds hold the margin."""
    assert found.lo <= MARGIN.hi
    assert found.hi >= MARGIN.lo


def bounded(found):
    assert found.bound[1] >= sx.mistake_bound(*apart).bound[0]


OFF = {0: 1, 1: 1}
"""How far the numbers of some columns may be off."""


def sure(found):
    """Proved bounds hold what is found in the end."""
    whole = sx.decide(*mixed).stability(OFF)
    assert not found.finished
    assert found.lower <= whole.upper
    assert found.upper >= whole.lower


def errors(found):
    assert found.interrupted
    assert 0 <= found.lower <= found.upper
    assert found.upper == np.count_nonzero(np.where(ROWS @ found.coef + found.intercept > 0, 1, -1) != MIXED)
    sx.verify(found.certificate, *mixed)


def compared(found):
    assert found.interrupted
    for each in found.table:
        assert each.errors is None or each.errors >= (found.lower_bound or 0) or not each.hyperplane


def reported(found):
    assert found.interrupted
    assert found.missing


CALLS = {
    "decide": (lambda verbose: sx.decide(*mixed, verbose=verbose), decided),
    "margin": (lambda verbose: sx.margin(*apart, verbose=verbose), between),
    "mistake_bound": (lambda verbose: sx.mistake_bound(*apart, verbose=verbose), bounded),
    "least_errors": (lambda verbose: sx.least_errors(*mixed, time_limit=2.0, verbose=verbose), errors),
    "stability": (lambda verbose: sx.decide(*mixed).stability(OFF, verbose=verbose), sure),
    "compare": (lambda verbose: sx.compare(*mixed, [sx.Pocket(), sx.Perceptron(max_iter=5)], verbose=verbose), compared),
    "report": (lambda verbose: sx.report(*apart, cv=None, verbose=verbose), reported),
}


@pytest.mark.filterwarnings("ignore:.*has not come to a pass")
@pytest.mark.parametrize("name", CALLS)
def test_what_comes_back_is_true(name):
    call, is_true = CALLS[name]
    came_back = 0
    for k in (1, 2, 5):
        interrupt.forget()
        press = Press(k)
        try:
            found = call(press)
        except KeyboardInterrupt:
            continue
        if len(press.heard) < k:
            break
        came_back += 1
        is_true(found)
    assert came_back or name in ("margin", "mistake_bound")  # which may not know any bound at their first reports


@pytest.mark.parametrize("of", [sx.audit, sx.exercises.worst_order], ids=["audit", "worst_order"])
def test_where_nothing_useful_is_there_it_is_raised(of):
    given = (sx.Perceptron().fit(*apart), *apart) if of is sx.audit else apart
    with pytest.raises(KeyboardInterrupt):
        of(*given, verbose=Press(1))


RUNS = [
    sx.Perceptron(max_iter=40),
    sx.Perceptron(max_iter=40, order="random", random_state=0, average=True),
    sx.VotedPerceptron(order="shuffle", random_state=0),
    sx.KernelPerceptron(kernel="poly", max_iter=40),
    sx.Pocket(random_state=0),
]


@pytest.fixture
def short_steps(monkeypatch):
    """Let runs report often."""
    for room in ("run", "kernel_run"):
        monkeypatch.setattr(f"separatrix.perceptron.{room}.NUMBERS_PER_CALL", 3000)


@pytest.mark.parametrize("estimator", RUNS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("k", [1, 4])
def test_estimators_keep_what_they_have_learnt(short_steps, estimator, k):
    stopped = clone(estimator).set_params(verbose=Press(k))
    with pytest.warns(ConvergenceWarning, match=r"was stopped by Ctrl-C.*sx\.decide") as caught:
        assert stopped.fit(*mixed) is stopped
    assert [each.filename for each in caught] == [__file__]
    assert stopped.predict(ROWS).shape == MIXED.shape
    if isinstance(stopped, sx.Pocket):
        assert np.count_nonzero(stopped.predict(ROWS) != MIXED) == stopped.n_errors_
    else:
        assert stopped.n_mistakes_ > 0
        assert not stopped.halted_


def test_a_second_one_within_two_seconds_is_raised(short_steps):
    with pytest.warns(ConvergenceWarning):
        sx.Perceptron(verbose=Press(1)).fit(*mixed)
    with pytest.raises(KeyboardInterrupt):
        sx.Perceptron(verbose=Press(1)).fit(*mixed)
    interrupt.kept_at -= 2.1
    with pytest.warns(ConvergenceWarning):
        sx.Perceptron(verbose=Press(1)).fit(*mixed)


def test_a_search_around_us_can_be_stopped_by_two(short_steps):
    pressed = []

    def insist(_told):
        pressed.append(1)
        raise KeyboardInterrupt

    search = GridSearchCV(sx.Perceptron(max_iter=5), {"tie": ["update", "positive"], "verbose": [insist]}, cv=2)
    with pytest.raises(KeyboardInterrupt), pytest.warns(ConvergenceWarning):
        search.fit(*mixed)
    assert len(pressed) == 2


def test_warnings_as_errors_lose_nothing(short_steps):
    stopped = sx.Perceptron(verbose=Press(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match="was stopped by Ctrl-C"):
            stopped.fit(*mixed)
    assert stopped.n_mistakes_ > 0


def test_inside_another_call_it_goes_on(short_steps):
    """The fit does not return as if nothing had been: the comparison ends."""
    heard = Press()

    def press(told):
        heard(told)
        if told.stage and told.stage[0].startswith("second"):
            raise KeyboardInterrupt

    chosen = {"first": sx.Perceptron(max_iter=3), "second": sx.Perceptron(max_iter=3), "third": sx.Perceptron(max_iter=3)}
    found = sx.compare(*mixed, chosen, cv=None, bound_time_limit=1.0, verbose=press)
    assert found.interrupted
    assert [each.name for each in found.table] == ["first"]


def test_in_another_thread_it_is_the_same(short_steps):
    results = []

    def work():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(sx.Perceptron(verbose=Press(1)).fit(*mixed).n_mistakes_)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results[0] > 0


def test_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    sx.decide([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="must be"):
        sx.Perceptron(tie="coin").fit([[0.0], [1.0]], [0, 1])
    assert signal.getsignal(signal.SIGINT) is before


def test_one_that_was_swallowed_is_heard_at_the_next_report(short_steps):
    swallowed = []

    def swallow(_told):
        if not swallowed:
            swallowed.append(1)
            with suppress(KeyboardInterrupt):
                interrupt()

    with pytest.warns(ConvergenceWarning, match="was stopped by Ctrl-C"):
        stopped = sx.Perceptron(max_iter=40, verbose=swallow).fit(*mixed)
    assert stopped.n_iter_ < 40


@posix
def test_a_signal_in_python_returns_what_there_is():
    """In a process of its own, whose main thread is at work when the signal comes."""
    code = """
import os, signal, threading, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
import numpy as np
import separatrix as sx
rng = np.random.default_rng(0)
X, y = rng.standard_normal((2000, 20)), rng.integers(0, 2, 2000)
threads = []
def press(told):
    if not threads:
        threads.append(threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)))
        threads[0].start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fitted = sx.Perceptron(max_iter=10**9, verbose=press).fit(X, y)
print(fitted.n_mistakes_ > 0, any("Ctrl-C" in str(each.message) for each in caught))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr


def test_what_must_not_be_left_half_done_is_ended_first():
    done = []

    def work():
        with interruption.held_off():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with interruption.handled():
        with pytest.raises(KeyboardInterrupt):
            work()
        interrupt.forget()
    assert done == ["all of it"]


def test_a_run_that_is_stopped_while_it_settles_has_settled(monkeypatch):
    X, y = sx.examples.load("xor")
    run = Run(Problem.of(X, y))
    with interruption.handled():
        run.advance(None, 3)
        monkeypatch.setattr(Run, "_take_over", lambda self: signal.raise_signal(signal.SIGINT))
        monkeypatch.setattr(Run, "_settle_in_bulk", lambda self, owed: signal.raise_signal(signal.SIGINT) or False)
        with pytest.raises(KeyboardInterrupt):
            run.weights()
        interrupt.forget()
    assert not run._half_settled
