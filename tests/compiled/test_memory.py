"""No call reaches memory that is not its own: numbers that are not finite, rows that change, results tampered with.

Out-of-bounds accesses show as an IndexError where kernels are compiled with checks (``make test-bounds``).
"""

import threading
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix as sx
from separatrix.compiled import error_free, integers, kernel_run, largest, pocket_errors, rows, signs, simplex, trace, votes
from separatrix.compiled.run import STATE_SIZE, Record
from separatrix.estimators.learnt import learnt_by
from separatrix.perceptron.multiclass import MulticlassRun
from separatrix.perceptron.pocket import PocketRun
from separatrix.perceptron.run import Run
from separatrix.problem.largest import table_of
from separatrix.problem.lifted import Lifted
from separatrix.problem.multiclass import Classes
from separatrix.problem.problem import Problem

NONFINITE = [np.nan, np.inf, -np.inf, 1.7e308]
RNG = np.random.RandomState(0)
X = RNG.standard_normal((12, 5))
Y = np.where(X @ [1, 2, -1, 0.5, 3] + 0.3 * RNG.standard_normal(12) > 0, 1, 0)
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
VALUES = pytest.mark.parametrize("value", NONFINITE)


def spoilt(shape, value, seed=0):
    """Numbers some of which are not finite."""
    rng = np.random.RandomState(seed)
    return np.where(rng.random_sample(shape) < 0.4, value, rng.standard_normal(shape))


# Kernels, given weights that are not finite: they say that they do not know, and write where they may.


@VALUES
@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_sums_of_terms(value, count):
    terms = np.concatenate([spoilt(count, value), [12345.0]])
    assert signs._sign_of_sum(terms[:-1], count) in (-1, 0, 1, signs.UNKNOWN)
    assert terms[-1] == 12345.0
    assert signs._sign_of_sum(np.full(count, value if value < 1.7e308 else np.inf), count) in (-1, 1, signs.UNKNOWN)


@FORMS
@VALUES
def test_signs_of_scores(form, value):
    lifted = Lifted.of(Problem.of(form(X), Y))
    size = lifted.columns
    for parts in (1, 2, 3):
        w, loss = spoilt((parts, size), value), np.zeros(size)
        w[0, 0] = value
        found = np.empty(12, np.int64)
        for refine in (False, True):
            signs.classify(lifted.rows, w, loss, 1e-10, refine, found, lifted.buffers())
            assert set(found.tolist()) <= {-1, 0, 1, signs.UNKNOWN}
        some = np.empty(12, np.int64)
        assert signs.find_doubtful(lifted.rows, w, 1e-10, some) <= 12
    spoilt_loss = np.full(size, value)
    signs.classify(lifted.rows, np.ones((2, size)), spoilt_loss, 1e-10, True, found, lifted.buffers())


@FORMS
@VALUES
@pytest.mark.parametrize("parts", [2, 3])
def test_sums_of_rows(form, value, parts):
    lifted = Lifted.of(Problem.of(form(X), Y))
    r, size = lifted.rows, lifted.columns
    w, loss = spoilt((parts, size), value), np.zeros(size)
    buffers = lifted.buffers()
    for i in range(12):
        rows.add(r, i, 1.0, w[0])
        rows.add_exactly(r, i, 3.0, w[0], w[1])
        rows.tally(r, i, 2.0, 1.5 * 2.0**30, w[0], w[1])
        m = rows.gather(r, i, buffers)
        error_free.add_multiple(buffers, m, value, w, loss)
        rows.score(r, i, w[0])
    error_free.merge(w[0], w[1], w[0].copy(), w[1].copy())
    error_free.norm_and_loss(w, loss)
    trace.measure(w, loss, spoilt(size, value), loss)


@FORMS
@VALUES
@pytest.mark.parametrize("kind", ["plain", "weighed", "several classes", "pocket"])
def test_runs_from_weights_that_are_not_finite(form, value, kind):
    """They end with the error of exact integers, or after their passes."""
    if kind == "several classes":
        run = MulticlassRun(Classes.of_labels(form(X), np.arange(12) % 3, [0, 1, 2], True, None))
        run._kernel.parts[:] = value
    elif kind == "pocket":
        run = PocketRun(Problem.of(form(X), Y))
        run._kernel.parts[:] = value
    else:
        run = Run(Problem.of(form(X), Y), steps=np.linspace(0.1, 3, 12) if kind == "weighed" else None)
        run._kernel.parts[:] = value
    with suppress(ValueError, OverflowError):
        run.advance(None, 3)
    assert run.passes <= 3
    assert run.mistakes <= 36


@FORMS
@VALUES
def test_largest_of_several_scores(form, value):
    lifted = Lifted.of(Problem.bare(Problem.of(form(X), Y).rows, True))
    for some in (np.full(18, value), spoilt(18, value)):
        table = table_of(lifted, some[None], np.zeros(18), 3)
        result = np.empty(12, np.int64)
        largest.find_leaders(lifted.rows, table, table.parts[0].reshape(3, -1).copy(), 1e-9, False, np.empty(3), result)
        assert set(result.tolist()) <= {0, 1, 2, largest.OPEN}


@VALUES
def test_votes_and_scores_by_kernels(value):
    n = votes.MAX_ROWS
    products, trace = spoilt((4, n), value), np.array([0, 3, 1, 1, 2] * 4 + [0] * 4, np.uint32).reshape(3, 8)
    doubtful = np.full((2, 8 * n), -7, np.int64)
    for first_start in (0, 2):
        voters = votes.Voters(trace, np.ones((3, 8), np.int64), 2, first_start, np.full(3, 1e-9))
        poll = votes.Poll(np.zeros(n), np.zeros(n, np.int64))
        place = 0
        while place < 3:
            place, found = votes.count(products, voters, poll, 0, place, doubtful)
            assert found <= 8 * n
    scores = spoilt(12, value)
    cache = kernel_run.Cache(spoilt((12, 12), value), np.arange(12))
    state, nothing = np.zeros(STATE_SIZE, np.int64), np.empty(0, np.int64)
    record = Record(np.zeros(12, np.int64), np.empty(5, np.int64), nothing, nothing, True)
    run = kernel_run.Dual(
        scores=scores, bounds=np.zeros(3), labels=np.ones(12), left_spans=np.ones(12), spans=np.ones(12), cache=cache,
        steps=None, error=1e-16, largest=1.0, limit=0.0, tie=0,
    )  # fmt: skip
    for known in (signs.UNKNOWN, -1):
        kernel_run.advance(run, None, record, state, 3, 100, 10**6, known)


@VALUES
def test_simplex_of_numbers_that_are_not_finite(value):
    columns, costs = spoilt((9, 4), value), spoilt(9, value)
    basis, inverse, level = np.arange(9, 13), np.eye(4), np.ones(4)
    tableau = simplex.Tableau(basis, inverse, level, np.empty(4))
    simplex.improve(columns, costs, 1.0, tableau, np.empty(4), 50)
    simplex.lighten(columns, costs, np.arange(9), tableau, 50)
    assert basis.min() >= 0
    assert basis.max() < 13


@VALUES
def test_exact_sums_of_numbers_out_of_range(value):
    bits = np.array([1.0, value, 2.0]).view(np.uint64)
    entries = integers.DenseEntries(bits, 1)
    limbs = np.zeros((1, 5), np.int64)
    first = 1022 // 32
    fits = integers.add_up(entries, np.ones(3), np.arange(3), np.ones(3, np.int64), first, limbs)
    assert not fits
    pocket_errors.weigh(bits, np.arange(3), np.zeros(integers.LIMBS + 2, np.int64))
    p = np.uint64(2147483629)
    powers = np.array([pow(2, e, int(p)) for e in range(integers.EXPONENTS)], np.uint64)
    integers.residues(entries, np.uint64(0), np.ones(2, np.uint64), powers, p, np.empty(3, np.uint64))


# Rows that change after they were looked at: an answer or an error, and an end.


CALLS = {
    "decide": lambda X, y: sx.decide(X, y).status,
    "least errors": lambda X, y: sx.least_errors(X, y, time_limit=2),
    "margin": lambda X, y: sx.margin(X, y),
    "recorded": lambda X, y: sx.Perceptron(max_iter=5, record=True).fit(X, y),
    "averaged": lambda X, y: sx.Perceptron(max_iter=5, average=True).fit(X, y),
    "three classes": lambda X, y: sx.Perceptron(max_iter=5).fit(X, np.arange(len(y)) % 3),
    "pocket": lambda X, y: sx.Pocket(max_updates=300, random_state=0).fit(X, y),
    "voted": lambda X, y: sx.VotedPerceptron(max_iter=3).fit(X, y),
    "kernel": lambda X, y: sx.KernelPerceptron(kernel="poly", max_iter=3).fit(X, y),
}


def changing(monkeypatch, home, value):
    """Let a row change each time when rows are lifted, which comes after they were validated."""
    lift = vars(Lifted)["of"].__func__
    array = home if isinstance(home, np.ndarray) else home.data

    def lifted(cls, problem):
        array.reshape(-1)[::7] = value
        return lift(cls, problem)

    monkeypatch.setattr(Lifted, "of", classmethod(lifted))


@FORMS
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 1e-320])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_rows_that_change_meanwhile(monkeypatch, form, value, name):
    rows_of_mine = form(X.copy())
    changing(monkeypatch, rows_of_mine, value)
    with suppress(ValueError, ArithmeticError, np.linalg.LinAlgError, sx.InvalidCertificate):
        CALLS[name](rows_of_mine, Y)


@pytest.mark.filterwarnings("ignore")
def test_another_thread_that_changes_rows_all_the_time():
    mine, stop = X.copy(), threading.Event()

    def disturb():
        while not stop.is_set():
            for value in (np.nan, 1e300, 0.5, np.inf):
                mine[3, 2] = value

    other = threading.Thread(target=disturb)
    other.start()
    try:
        for _ in range(20):
            for call in (
                lambda: sx.decide(mine, Y),
                lambda: sx.Perceptron(max_iter=5, average=True).fit(mine, Y),
                lambda: sx.Pocket(max_updates=100).fit(mine, Y),
            ):
                with suppress(ValueError, ArithmeticError, np.linalg.LinAlgError, sx.InvalidCertificate):
                    call()
    finally:
        stop.set()
        other.join()


# What estimators have learnt, tampered with.


@VALUES
def test_published_weights_that_are_not_finite_are_refused(value):
    for estimator in (sx.Perceptron(max_iter=500), sx.MaxMargin(), sx.LeastSquaresClassifier()):
        with np.errstate(all="ignore"):
            estimator.fit(*sx.examples.load("and"))
        if np.isfinite(value):
            continue
        estimator.coef_ = np.array([[value, 0.0]])
        for method in (estimator.predict, estimator.decision_function, estimator.distance):
            with pytest.raises(ValueError, match="hold NaN or infinity"):
                method([[0.0, 1.0]])


def test_published_weights_of_another_shape_are_refused():
    estimator = sx.Perceptron().fit(*sx.examples.load("and"))
    for coef in (np.ones((1, 3)), np.ones((1, 1)), np.ones(2), np.ones((1, 2, 1))):
        estimator.coef_ = coef
        with pytest.raises(ValueError, match="have been changed"):
            estimator.predict([[0.0, 1.0]])
    estimator = sx.Perceptron().fit(*sx.examples.load("and"))
    estimator.n_features_in_ = 3
    with pytest.raises(ValueError, match="have been changed"):
        estimator.predict([[0.0, 1.0, 2.0]])


def test_a_voted_perceptron_tampered_with_is_refused():
    for value in (10**8, -1, None):
        voted = sx.VotedPerceptron().fit(*sx.examples.load("and"))
        if value is None:
            voted.survivals_ = voted.survivals_[:-1]
        else:
            learnt_by(voted).places[0] = value
        with pytest.raises(ValueError, match="does not fit together"):
            voted.predict([[0.0, 1.0]])
    voted = sx.VotedPerceptron().fit(sp.csr_array(X), Y)
    learnt_by(voted).erred.numerators.indices[0] = 10**8
    with pytest.raises(ValueError, match="broken sparse array"):
        voted.predict(X)


# Numbers too large for float64 end in an error, in every estimator.


@pytest.mark.parametrize(
    "estimator",
    [sx.MaxMargin(), sx.LeastSquaresClassifier(), sx.LinearProgramClassifier()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_weights_too_large_for_float64(estimator):
    for _ in range(50):
        with pytest.raises(OverflowError, match=r"too large for float64. Rescale"):
            estimator.fit([[0.0], [5e-324]], [0, 1])
    assert not hasattr(estimator, "coef_")
    assert not hasattr(estimator, "classes_")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_too_large_for_the_perceptron():
    huge = [[1.7e308], [1.7e308], [1.6e308]], [0, 1, 0]
    for estimator in (sx.Perceptron(max_iter=50), sx.Perceptron(max_iter=50, eta0=1e300), sx.Pocket(max_updates=50)):
        with suppress(OverflowError):
            with np.errstate(all="ignore"):
                estimator.fit(*huge)
            assert np.isfinite(estimator.coef_).all()
