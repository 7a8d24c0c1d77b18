"""How fast the pocket algorithm is, how few errors it comes to, and what it takes in memory, in one run.

    python benchmarks/pocket.py [--data DIR] [--repeat 3] [--updates 10000] [--only speed errors memory] [--json FILE]

*Speed*: updates per second, from zero, on 100,000 x 50 rows, standard normal, 5 % of the labels flipped, beside the
textbook: for each update one product of matrix and vector in NumPy, and a count.

*Errors*: training rows misclassified on a9a, spambase, german.data-numeric and crx, standardised, and w8a, sparse (in the
folder ``--data``), on 1,000,000 x 50 normal rows and on sparse 1,000,000 x 100,000 rows, both with 5 % of the labels
flipped. Each of the family that learns one hyperplane, and scikit-learn's LogisticRegression and LinearSVC, is timed.
`Pocket` and `least_errors` are then given twice its time, but a tenth of a second at least and a minute at most. The bar is
that neither makes more errors, and that neither takes more than a third and a second longer than it was given. MaxMargin is
left out, as no table is separable; so are, on the two large tables, the linear program, which would not come to an end, and
on the sparse one least squares. On the tables of the folder, `least_errors` also has half a minute.

*Memory*: the peak of a process that fits the rows of the first part, relative to the rows.

Ends with 1 if a bar is missed.
"""

import statistics
from functools import partial

import data
import harness
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome
from memory import Growth
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import separatrix as sx

ROWS = 100_000, 50
PATIENCE = 30.0  # seconds for least_errors on its own
TIMES, LEAST_SECONDS, MOST_SECONDS = 2.0, 0.1, 60.0  # what Pocket and least_errors have of a member's time, and limits
MOST_OVERTIME, MOST_SECONDS_MORE = 4 / 3, 1.0
LARGE = 1_000_000
LEAST_SPEEDUP = 10.0
MOST_MEMORY = 3.0  # times the rows


def textbook(X, y, updates, rng):
    """The pocket as everybody writes it."""
    Z = y[:, None] * np.hstack([X, np.ones((len(y), 1))])
    w = np.zeros(Z.shape[1])
    wrong = np.flatnonzero(Z @ w <= 0)
    best = wrong.size
    for _ in range(updates):
        w += Z[rng.choice(wrong)]
        wrong = np.flatnonzero(Z @ w <= 0)
        best = min(best, wrong.size)
    return best


def speed(updates, repeat):
    X, y = data.flipped(*ROWS)
    sx.Pocket(init="zero", max_updates=40, random_state=0).fit(X, y)  # compiles
    fewer = max(1, updates // 50)
    rates = []
    for seed in range(repeat):
        plain, _ = harness.timed(textbook, X, y, fewer, np.random.RandomState(seed))
        exact, pocket = harness.timed(sx.Pocket(init="zero", max_updates=updates, random_state=seed).fit, X, y)
        rates.append((fewer / plain, pocket.n_updates_ / exact))
    ratio = statistics.median(ours / theirs for theirs, ours in rates)
    theirs, ours = map(statistics.median, zip(*rates, strict=True))
    figures = {"updates a second": round(ours), "textbook updates a second": round(theirs), "ratio": ratio}
    return Outcome(figures, ratio >= LEAST_SPEEDUP)


def members(large, sparse):
    yield "perceptron", sx.Perceptron(max_iter=20)
    yield "averaged", sx.Perceptron(average=True, max_iter=20)
    if not (large and sparse):
        yield "least squares", sx.LeastSquaresClassifier()
    if not large:
        yield "linear program", sx.LinearProgramClassifier()
    yield "LogisticRegression", LogisticRegression(max_iter=1000)
    yield "LinearSVC", LinearSVC(random_state=0)


def ours(X, y, limit):
    """Yield names, seconds and errors in so much time."""
    pocket = sx.Pocket(max_updates=10**12, time_limit=limit, random_state=0)
    yield "Pocket", *harness.timed(lambda: pocket.fit(X, y).n_errors_)
    yield "least_errors", *harness.timed(lambda: sx.least_errors(X, y, time_limit=limit).upper)


def errors(make, patience=None):
    X, y = make()
    some = np.random.default_rng(0).permutation(len(y))[:2000]
    sx.least_errors(X[some], y[some], time_limit=0.5)  # compiles
    sx.Pocket(max_updates=101).fit(X[some], y[some])
    sx.Perceptron(average=True, max_iter=2).fit(X[some], y[some]).predict(X[some])
    figures, met = {"rows": X.shape[0], "features": X.shape[1]}, True
    for name, member in members(len(y) >= LARGE, sp.issparse(X)):
        seconds, _ = harness.timed(member.fit, X, y)
        wrong = int(np.count_nonzero(member.predict(X) != y))
        figures |= {f"{name} errors": wrong, f"{name} seconds": seconds}
        limit = min(max(TIMES * seconds, LEAST_SECONDS), MOST_SECONDS)
        for mine, took, found in ours(X, y, limit):
            figures |= {f"{mine} against {name} errors": found, f"{mine} against {name} seconds": took}
            late = took > MOST_OVERTIME * limit + MOST_SECONDS_MORE
            if found > wrong or late:
                met = False
                figures[f"{mine} loses to {name}"] = f"{found - wrong:+,} errors" + (", late" if late else "")
    if patience is not None:
        seconds, found = harness.timed(sx.least_errors, X, y, time_limit=patience)
        name = f"least_errors in {patience:g} s"
        figures |= {f"{name} errors": found.upper, f"{name} seconds": seconds, f"{name}, proved, at least": found.lower}
    return Outcome(figures, met)


def growth():
    """Return by how many times the rows the process grows in a fit."""
    sx.Pocket(max_updates=101, average=True).fit(*data.flipped(6000, 50))  # compiles, for rows in single precision as well
    X, y = data.flipped(*ROWS)
    with Growth() as memory:
        sx.Pocket(max_updates=200, average=True).fit(X, y)
    return memory.bytes / X.nbytes


def memory():
    sx.Pocket(max_updates=101, average=True).fit(*data.flipped(6000, 50))  # compiles, lest the other process does
    ratio = 1 + harness.apart(growth)
    return Outcome({"rows and all that the fit takes, by the rows": ratio}, ratio < MOST_MEMORY)


def scaled(make):
    X, y = make()
    return data.standardised(X.toarray() if sp.issparse(X) else X, y)


def lines(options):
    yield Line("speed", f"ratio at least {LEAST_SPEEDUP:g}", partial(speed, options.updates, options.repeat))
    bar = f"no more in {TIMES:g} times the time"
    tables = {}
    if options.data:
        tables["a9a"] = partial(scaled, lambda: data.libsvm(options.data, "a9a"))
        for name in ("spambase.data", "german.data-numeric", "crx.data"):
            tables[name] = partial(scaled, partial(data.rows, options.data, name))
        tables["w8a"] = lambda: data.libsvm(options.data, "w8a")
    for name, make in tables.items():
        yield Line(f"errors: {name}", bar, partial(errors, make, PATIENCE))
    yield Line("errors: 1,000,000 x 50", bar, partial(errors, lambda: data.flipped(LARGE, 50)))
    yield Line("errors: sparse 1,000,000 x 100,000", bar, partial(errors, lambda: data.flipped_sparse(LARGE, 100_000)))
    yield Line("memory", f"below {MOST_MEMORY:g}", memory)


def main():
    parser = harness.parser(__doc__, repeat=3)
    parser.add_argument("--updates", type=int, default=10_000)
    options = parser.parse_args()
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
