"""The floating-point environment is checked, and what numpy or the interpreter is told to raise changes nothing."""

import subprocess
import sys
import threading
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from environments import MACHINE, MODES, flushing, known, rounding
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems

import separatrix as sx
from separatrix.compiled.environment import flushes_subnormals, rounds_to_nearest
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron.run import Run
from separatrix.problem.lifted import Lifted
from separatrix.problem.problem import Problem
from separatrix.support.threads import in_parts

FEW = settings(max_examples=settings().max_examples // 5)  # each of them is twenty computations or more
AND = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]


def calls(X, y, intercept=True):
    """Every public computation on a problem, by its name."""
    fitted, sparse = {"fit_intercept": intercept}, sp.csr_array(X)

    def audited():
        return sx.audit(sx.Perceptron(max_iter=4, record=True, **fitted).fit(X, y), X, y).holds

    def predicted(estimator):
        estimator.fit(X, y)
        return estimator.predict(X).tolist(), np.sign(estimator.decision_function(X)).tolist()

    return {
        "decide": lambda: str(sx.decide(X, y, **fitted).status),
        "explain": lambda: sx.decide(X, y, **fitted).explain(),
        "check": lambda: sx.check_separation(X, y).status,
        "margin": lambda: sx.margin(X, y, **fitted).lo_squared > 0,
        "least errors": lambda: sx.least_errors(X, y, time_limit=30, **fitted).upper,
        "audit": audited,
        "perceptron": lambda: predicted(sx.Perceptron(max_iter=4, **fitted)),
        "average": lambda: predicted(sx.Perceptron(max_iter=4, average=True, **fitted)),
        "sparse": lambda: sx.Perceptron(max_iter=4, **fitted).fit(sparse, y).n_mistakes_,
        "pocket": lambda: predicted(sx.Pocket(max_updates=40, random_state=0, **fitted)),
        "voted": lambda: predicted(sx.VotedPerceptron(max_iter=3, **fitted)),
        "kernel": lambda: predicted(sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, max_iter=3, **fitted)),
        "max margin": lambda: predicted(sx.MaxMargin(**fitted)),
        "least squares": lambda: predicted(sx.LeastSquaresClassifier(**fitted)),
        "linear program": lambda: predicted(sx.LinearProgramClassifier(**fitted)),
        "loss": lambda: sx.perceptron_loss(np.ones(np.shape(X)[1]), 1.0, X, y),
    }


def outcome(call):
    """Return a result, or the kind of error that is an answer: no hyperplane, no float64 for it."""
    try:
        return call()
    except (sx.NotSeparable, OverflowError, ValueError) as error:
        return type(error).__name__


# Rounding modes.


@known
@pytest.mark.parametrize("mode", MODES.get(MACHINE, {}))
def test_another_rounding_mode_is_refused(mode):
    certificate = sx.decide(*AND).certificate
    perceptron = sx.Perceptron().fit(*AND)
    problem = Problem.of(*AND)
    run = Run(problem)
    everything = calls(*AND) | {
        "verify": lambda: sx.verify(certificate, *AND),
        "predict": lambda: perceptron.predict(AND[0]),
        "exact": lambda: perceptron.exact_weights(),
        "lift": lambda: Lifted.of(problem),
        "read": lambda: Problem.of(*AND),
        "advance": lambda: run.advance(None, 1),
    }
    with rounding(mode):
        assert not rounds_to_nearest()
        for call in everything.values():
            with pytest.raises(FloatingPointError, match=r"does not round to the nearest float64.*fesetround"):
                call()
    assert rounds_to_nearest()
    assert perceptron.predict(AND[0]).tolist() == AND[1]


@known
def test_a_false_certificate_is_refused_when_rounding_up():
    """A score of exactly 0, that rounding up makes positive."""
    a, b = 8459262092732065, 4979716061498645
    certificate = sx.decide([[a, b], [-a, -b]], [1, -1], fit_intercept=False, positive=1).certificate
    document = certificate.document()
    document["separator"]["weights"] = [str(a), str(b)]
    false = sx.Certificate.from_document(document)
    with rounding("up"), pytest.raises(FloatingPointError):
        sx.verify(false, [[b, -a], [-b, a]], [1, -1])


@known
@pytest.mark.parametrize("mode", MODES.get(MACHINE, {}))
def test_the_mode_of_another_thread_does_not_matter_here(mode):
    """Nor does a check in this thread tell of another one."""
    found = {}

    def work():
        with rounding(mode):
            started.set()
            done.wait(60)
            found["there"] = rounds_to_nearest()

    started, done = threading.Event(), threading.Event()
    other = threading.Thread(target=work)
    other.start()
    started.wait(60)
    found["here"] = sx.decide(*AND).separable
    done.set()
    other.join()
    assert found == {"here": True, "there": False}


@known
@pytest.mark.parametrize("mode", MODES.get(MACHINE, {}))
def test_worker_threads_are_checked_too(mode, monkeypatch):
    monkeypatch.setattr("separatrix.support.threads.NUMBERS_PER_THREAD", 1)
    monkeypatch.setattr("separatrix.support.threads.config.NUMBA_NUM_THREADS", 4)
    seen = in_parts(lambda start, stop: threading.get_ident(), 4, 100)
    assert len(set(seen)) > 1
    with rounding(mode), pytest.raises(FloatingPointError, match="does not round to the nearest"):
        in_parts(lambda start, stop: None, 4, 100)


# Subnormal numbers flushed to zero: the same answer, or a clear error.


@known
def test_flushing_is_seen():
    with flushing():
        assert flushes_subnormals()
        assert rounds_to_nearest()
    assert not flushes_subnormals()


@known
def test_huge_numbers_under_flushing_get_the_clear_error():
    """Weights for numbers of 1e307 beside an intercept are subnormal, and would be taken for zero."""
    X = [[-8.98846567431158e307], [0.0], [-8.98846567431158e307], [1.4044477616111843e306], [1.0099064397284689e307]]
    with flushing(), pytest.raises(FloatingPointError, match="flushes subnormal numbers to zero"):
        sx.decide([*X, [2.0198128794569378e307]], [1, -1, 1, -1, -1, -1])


@known
@FEW
@given(problems(max_rows=6, max_columns=3), st.booleans())
def test_under_flushing_answers_are_the_same_or_refused(problem, intercept):
    X, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls(X, y.astype(int), intercept).items():
            plain = outcome(call)
            with flushing():
                try:
                    flushed = outcome(call)
                except FloatingPointError as error:
                    flushed = str(error)
            approximate = name in ("least squares", "linear program", "pocket", "least errors", "loss", "explain")
            assert "flushes subnormal numbers" in str(flushed) or flushed == plain or approximate, name


# What numpy and the interpreter are told to raise.


@FEW
@given(problems(max_rows=6, max_columns=3), st.booleans())
def test_errors_that_numpy_is_told_to_raise_change_nothing(problem, intercept):
    X, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = {name: outcome(call) for name, call in calls(X, y.astype(int), intercept).items()}
        with np.errstate(all="raise"):
            assert {name: outcome(call) for name, call in calls(X, y.astype(int), intercept).items()} == plain
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        assert {name: outcome(call) for name, call in calls(X, y.astype(int), intercept).items()} == plain


def test_lazy_parts_of_results_under_errors_raised():
    X, y = [[1e-300, 1e300], [1e-300, -1e300], [0.0, 1e-300]], [0, 1, 1]
    verdict, perceptron = sx.decide(X, y), sx.Perceptron(record=True).fit(X, y)
    ledger, margin = sx.audit(perceptron, X, y), sx.margin(X, y)
    fewest = sx.least_errors([*X, X[0]], [*y, 1])
    with np.errstate(all="raise"):
        assert verdict.separated_rows.tolist() == [0, 1, 2]
        assert verdict.coef is not None
        assert verdict.columns
        for result in (verdict, ledger, fewest):
            assert all(result.explain(style) for style in ("text", "markdown", "latex"))
        assert margin.direction.shape == (3,)
        assert margin.at_least is not None
        assert fewest.coef.shape == (2,)


def test_warnings_as_errors_from_the_start():
    code = (
        "import separatrix as sx\n"
        "X, y = [[6.5e91, 1e-26], [1e211, 0.0], [0.0, 1.7e215], [5e-324, 1.0]], [0, 0, 1, 1]\n"
        "print(sx.decide(X, y).status, sx.least_errors(X, y).upper, sx.MaxMargin().fit(X, y).predict(X).tolist())"
    )
    output = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (output.stdout, output.stderr) == ("separable 0 [0, 0, 1, 1]\n", "")


def test_warnings_point_to_the_caller():
    """One more function in between, which checks the environment, must not take the blame."""
    X, y = sx.examples.load("xor")
    for estimator in (
        sx.Perceptron(max_iter=2),
        sx.KernelPerceptron(kernel="linear", max_iter=2),
        sx.VotedPerceptron(max_iter=2),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(X, y)
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sx.check_separation([[0.0], [1.0]], [0, 1])
        sx.least_errors([[1], [1], [1.0000000000000002], [1], [1.0000000000000004], [1]], [1, -1, 1, -1, 1, -1])
        sx.MaxMargin().fit([[1.0], [1.0000000000000002]], [0, 1])
    assert [warning.filename for warning in caught] == [__file__] * 3


# Numbers that do not hold together in float64.


def test_weights_that_are_no_sums_rounded_are_written_anew():
    """Kernels trust that no part changes the one before it; parts that come from elsewhere need not be so."""
    parts = np.array([[1.0, 2.0**60, 0.0], [1.0, -(2.0**60) + 2.0**8, 1.0]])
    vector = Dyadic.from_parts(parts)
    split, loss = vector.split(3, 0)
    assert not loss.any()
    assert split[0].tolist() == [2.0, 256.0, 1.0]
    assert not split[1:].any()
    assert [Fraction(a) + Fraction(b) for a, b in parts.T] == vector.fractions()


def test_exact_numbers_of_nothing_finite_are_refused():
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="NaN or infinity where every number was finite"):
            Dyadic.from_parts(np.array([1.0, value])).fractions()
