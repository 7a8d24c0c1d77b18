"""BLAS has one thread while loops of ours call it, and as many as before afterwards."""

import os
import threading

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from threadpoolctl import threadpool_info, threadpool_limits

import separatrix as sx
from separatrix.support import threads
from separatrix.support.blas import one_thread
from separatrix.theorem import one_pass


def counts():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def several_threads():
    """Also on a machine with one core."""
    with threadpool_limits(3, user_api="blas"):
        assert counts() == {3}
        yield
        assert counts() == {3}


def test_it_counts_who_is_inside():
    with one_thread:
        assert counts() == {1}
        with one_thread:
            assert counts() == {1}
        assert counts() == {1}
    assert counts() == {3}


def test_an_error_leaves_it_too():
    with pytest.raises(ZeroDivisionError), one_thread:
        _ = 1 / 0
    assert counts() == {3}


def test_threads_may_leave_in_any_order():
    """The first to enter leaves first: the other still has one thread, and the last one restores."""
    entered, leave = threading.Event(), threading.Event()
    seen = []

    def other():
        with one_thread:
            entered.set()
            leave.wait()
            seen.append(counts())

    second = threading.Thread(target=other)
    with one_thread:
        second.start()
        entered.wait()
    assert counts() == {1}
    leave.set()
    second.join()
    assert seen == [{1}]
    assert counts() == {3}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_begins_anew():
    with one_thread:
        child = os.fork()
        if not child:  # no assertion may leave it
            seen = [counts()]
            for _ in range(2):  # the second time after an exit without an entry, as it comes if the child returns
                with one_thread:
                    seen.append(counts())
                seen.append(counts())
                one_thread.__exit__()
            os._exit(seen != [{3}, {1}, {3}, {1}, {3}])
        assert os.waitpid(child, 0)[1] == 0


def overlapping(n=60, d=8):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    return X, (X[:, 0] + 0.5 * rng.standard_normal(n) > 0).astype(int)


def separable():
    X, _ = overlapping()
    return X, (X @ np.arange(8.0) > 0.3).astype(int)


def pocketed(init):
    sx.Pocket(init=init, max_updates=300).fit(*overlapping())


LOOPS = {
    "max margin": (lambda: sx.MaxMargin().fit(*separable()), scipy.linalg, "lstsq"),
    "margin": (lambda: sx.margin(*separable()), scipy.linalg, "lstsq"),
    "regression": (lambda: sx.LeastSquaresClassifier().fit(*overlapping()), np.linalg, "svd"),
    "decide": (lambda: sx.decide(*overlapping()), np.linalg, "solve"),
    "few columns": (lambda: sx.decide(*separable()).columns, np.linalg, "solve"),
    "linear program": (lambda: sx.LinearProgramClassifier().fit(*overlapping()), np.linalg, "solve"),
    "least errors": (lambda: sx.least_errors(*overlapping(), time_limit=1.0), np.linalg, "qr"),
    "pocket, to begin with": (lambda: pocketed("best"), np.linalg, "solve"),
    "pocket": (lambda: pocketed("zero"), threads.np, "matmul"),
    "votes": (lambda: sx.VotedPerceptron(max_iter=3).fit(*overlapping()).predict(overlapping()[0]), threads.np, "matmul"),
    "one pass": (
        lambda: sx.audit(sx.Perceptron(max_iter=1).fit(*overlapping()), *overlapping()).online,
        one_pass,
        "minimize",
    ),
    "kernels": (lambda: sx.KernelPerceptron(kernel="rbf", max_iter=3).fit(*overlapping()), np, "exp"),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_loops_have_one_thread(loop, monkeypatch):
    run, module, name = LOOPS[loop]
    called, seen = getattr(module, name), []

    def spy(*args, **kwargs):
        seen.append(counts())
        return called(*args, **kwargs)

    monkeypatch.setattr(module, name, spy)
    run()
    assert seen, f"{loop} does not call {name} any more: choose what it does call"
    assert all(each == {1} for each in seen)


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 3, 2), (3000, 200, 64)])
def test_shared_products_are_products(shape):
    n, d, m = shape
    rng = np.random.default_rng(0)
    left, right = rng.integers(-9, 10, (n, d)).astype(float), rng.integers(-9, 10, (d, m)).astype(float)  # so sums are exact
    assert np.array_equal(threads.matrix_product(left, right, np.empty((n, m))), left @ right)
