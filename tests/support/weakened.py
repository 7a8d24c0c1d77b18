"""Weaken each bound of the exact run in turn, and count the runs that go wrong.

Run with the compiler off (NUMBA_DISABLE_JIT=1), so that the bounds can be changed. Prints, as JSON, the number of
runs that differ from the reference for each weakening, and for none.
"""

import json
from contextlib import contextmanager

import numpy as np
from reference import kesler as kesler_reference
from reference import perceptron as reference
from strategies import planted, rows_of_kind

from separatrix.compiled import binary_run, error_free, multiclass_run, signs
from separatrix.compiled import run as machine
from separatrix.exact.dyadic import Dyadic
from separatrix.perceptron import run, updates
from separatrix.perceptron.multiclass import MulticlassRun
from separatrix.perceptron.run import Run
from separatrix.problem import lifted
from separatrix.problem.multiclass import Classes
from separatrix.problem.problem import Problem


@contextmanager
def changed(changes):
    old = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in old:
            setattr(module, name, value)


def differs(X, y, order, start=None, weights=None, intercept=False):
    problem = Problem.of(X, y.astype(int), classes=[-1, 1], intercept=intercept)
    mine = Run(problem, start=None if start is None else Dyadic.from_parts(start), steps=weights)
    mine.advance(order, 4)
    rows = range(len(y)) if order is None else order.tolist()
    trace, w, _, _ = reference(X, y, order=rows, max_iter=4, start=start, weights=weights, intercept=intercept)
    return mine.mistakes != len(trace) or mine.weights().fractions() != w


def differs_among_classes(X, y, order, start):
    """The same with a vector of weights for each class, which is 0 for the negative one."""
    codes, start = (y > 0).astype(np.int64), np.concatenate([np.zeros_like(start), start])
    mine = MulticlassRun(Classes.of_labels(X, codes, [0, 1], False, None), start=Dyadic.from_parts(start))
    mine.advance(order, 4)
    rows = range(len(y)) if order is None else order.tolist()
    trace, w, _, _ = kesler_reference(X, codes, 2, order=rows, max_iter=4, start=start, intercept=False)
    return mine.mistakes != len(trace) or mine.weights().fractions() != w


def long_difference():
    """As `long_sum`, with terms enough for the bound of a difference."""
    tiny = 1500
    yield np.array([[1.0, *[2.0**-54] * tiny, -(1.0 + 270 * 2.0**-52)]]), np.ones(1), None, np.ones(tiny + 2)


def long_drift_of_one_class():
    """As `long_drift`: the weights of one class miss the updates, those of the other, which begin at 0, do not."""
    X = np.array([[0.99 * 2.0**-53, 2.0**-30, 0.0], [2.0**-10, 0.0, (1.0 + 1.5 * 2.0**-41) * 2.0**-10]])
    yield X, np.ones(2), np.array([0] * 4000 + [1]), np.array([1.0, -(2.0**-17), -1.0])


def long_sum():
    """Three hundred terms too small for a float sum of 1, which together turn its sign."""
    tiny = 300
    z = np.array([[1.0, *[2.0**-54] * tiny, -(1.0 + 40 * 2.0**-52)]])
    yield z, np.array([1.0]), None, np.ones(tiny + 2)


def long_drift():
    """Four thousand updates, each too small to change a float weight of 1, which together turn a sign."""
    X = np.array([[0.99 * 2.0**-53, 2.0**-30, 0.0], [1.0, 0.0, 1.0 + 2.0**-42]])
    yield X, np.ones(2), np.array([0] * 4000 + [1]), np.array([1.0, -(2.0**-17), -1.0])


def coarse_entries():
    """Entries that float32 rounds by nearly half a unit, each, in the wrong direction."""
    ulp = 2.0**-23
    yield np.array([[1 + 1.4 * ulp, 1 + 1.4 * ulp, -(2 + 2.4 * ulp), 1.0, -1.0 - 0.3 * ulp]]), np.ones(1), None, np.ones(5)
    yield np.array([[1 + 0.6 * ulp] * 3 + [-(1 + 1.4 * ulp), -2.0 - 0.8 * ulp]]), np.ones(1), None, np.ones(5)


def nearly_orthogonal():
    """Rows whose scores are about 1e-32 of the norms, or exactly 0."""
    for seed in range(100):
        rng = np.random.RandomState(seed)
        X, w = planted(4, 8, 32, rng)
        yield X, np.ones(4), None, w


def wide():
    for seed in range(60):
        rng = np.random.RandomState(seed)
        yield rows_of_kind(["wide", "cancelling"][seed % 2], 6, 5, rng), rng.choice([-1.0, 1.0], 6), None, None


def large_and_small():
    for X, y, order, _ in wide():
        yield X, y, order, np.zeros(X.shape[1])


def gaussian():
    for seed in range(10):
        rng = np.random.RandomState(seed)
        yield rng.standard_normal((30, 3)), rng.choice([-1.0, 1.0], 30), None, None


def large_integers():
    """Products of 58 bits that differ by 1, which floats find to be 0."""
    yield np.array([[2.0**26, 2.0**26 - 1]]), np.ones(1), None, np.array([2.0**32 - 63, -(2.0**32 + 1)])


def tiny_steps():
    """A row with a step so small that the low half of the update vanishes, and one with step 1 that never errs."""
    X = np.array([[1.1, 1.3], [1.1, 1.3]])
    yield X, np.ones(2), None, None, np.array([1e-300, 1.0])


def tiny_products():
    """``1 - (1 + e)(1 - e)``, so small that its terms underflow."""
    e, tiny = 2.0**-45, 2.0**-500
    w = np.array([-(1 + e) * tiny, tiny, 0.0])
    yield np.array([[(1 - e) * tiny, tiny, 1.0]]), np.ones(1), None, w


SMALL_BUDGET = [(run, "MIN_MISTAKES_PER_BUDGET", 1), (run, "MAX_MISTAKES_PER_BUDGET", 1)]
BUDGET_4096 = [(run, "MIN_MISTAKES_PER_BUDGET", 4096), (run, "MAX_MISTAKES_PER_BUDGET", 4096)]
# What to weaken, under which settings, and the problems that then go wrong.
BOUNDS = {
    "error of a float score": ([(binary_run, "SCORE_SLACK", 0.0)], SMALL_BUDGET, long_sum),
    "drift of plain updates": ([(binary_run, "UPDATE_SLACK", 0.0)], BUDGET_4096, long_drift),
    "error of the float32 screen": (
        [(binary_run, "COARSE_SLACK", 0.0)],
        [*SMALL_BUDGET, (lifted, "BYTES_BEFORE_SCREEN", 0)],
        coarse_entries,
    ),
    "error of a score in twice the precision": ([(signs, "DOT2_SLACK", 0.0)], [], nearly_orthogonal),
    "room in two floats": ([(updates, "ROOM_BITS", 400)], [], wide),
    "bits of the low parts of sums": ([(run, "MANTISSA_BITS", 75)], [], gaussian),
    "bits of the grid": ([(updates, "MANTISSA_BITS", 80)], [(machine, "SUSPECTS_BEFORE_GRID", 0)], large_integers),
    "loss by underflow": ([(error_free, "UNDERFLOW", 0.0)], [], tiny_steps),
    "smallest exact product": ([(signs, "SMALLEST_PRODUCT", 0.0)], [], tiny_products),
}


OF_CLASSES = {
    "error of a difference of float scores": (
        [(multiclass_run, "PAIR_SLACK", 0.0)], SMALL_BUDGET, long_difference
    ),
    "drift of plain updates of a class": (
        [(multiclass_run, "UPDATE_SLACK", 0.0)], BUDGET_4096, long_drift_of_one_class
    ),
    "error of a difference in twice the precision": ([(signs, "DOT2_SLACK", 0.0)], [], nearly_orthogonal),
    "room of a class in two floats": ([(updates, "ROOM_BITS", 400)], [], large_and_small),
}  # fmt: skip


def main():
    result = {}
    for bounds, goes_wrong in ((BOUNDS, differs), (OF_CLASSES, differs_among_classes)):
        for name, (weakening, setting, problems) in bounds.items():
            with changed(setting):
                sound = sum(goes_wrong(*problem) for problem in problems())
                with changed(weakening):
                    result[name] = [sound, sum(goes_wrong(*problem) for problem in problems())]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
