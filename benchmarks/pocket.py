"""How fast the pocket algorithm is, how few errors it comes to, and what it takes in memory, in one run.

    python benchmarks/pocket.py [--data DIR] [--repeat 3] [--updates 10000] [--only speed errors memory] [--json FILE]

*Speed*: updates per second on 100,000 x 50 rows, standard normal, 5 % of the labels flipped, beside the textbook: for each
update one product of matrix and vector in NumPy, and a count.

*Errors*, reported without a bar: training rows misclassified on a9a, spambase, german.data-numeric and crx (in the folder
``--data``), standardised, beside scikit-learn's Perceptron, averaged perceptron (SGDClassifier), LinearSVC and
LogisticRegression, all with their defaults except for enough iterations. The pocket has the time of the slowest of them,
from zero weights, without and with ``average``; `least_errors` has it as well, and half a minute.

*Memory*: the peak of a process that fits the rows of the first part, relative to the rows.

Ends with 1 if a bar, of speed or memory, is missed.
"""

import statistics
from functools import partial

import data
import harness
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome
from memory import Growth
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.svm import LinearSVC

import separatrix as sx

ROWS = 100_000, 50
PATIENCE = 30.0  # seconds for least_errors, besides the time of the slowest peer
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
    sx.Pocket(max_updates=40, random_state=0).fit(X, y)  # compiles
    fewer = max(1, updates // 50)
    rates = []
    for seed in range(repeat):
        plain, _ = harness.timed(textbook, X, y, fewer, np.random.RandomState(seed))
        exact, pocket = harness.timed(sx.Pocket(max_updates=updates, random_state=seed).fit, X, y)
        rates.append((fewer / plain, pocket.n_updates_ / exact))
    ratio = statistics.median(ours / theirs for theirs, ours in rates)
    theirs, ours = map(statistics.median, zip(*rates, strict=True))
    figures = {"updates a second": round(ours), "textbook updates a second": round(theirs), "ratio": ratio}
    return Outcome(figures, ratio >= LEAST_SPEEDUP)


def peers():
    return {
        "Perceptron": Perceptron(max_iter=10_000, random_state=0),
        "averaged": SGDClassifier(loss="perceptron", average=True, max_iter=10_000, random_state=0),
        "LinearSVC": LinearSVC(max_iter=1_000_000, random_state=0),
        "LogisticRegression": LogisticRegression(max_iter=100_000, random_state=0),
    }


def errors(make):
    X, y = make()
    X, y = data.standardised(X.toarray() if sp.issparse(X) else X, y)
    sx.Pocket(max_updates=101, average=True).fit(X, y)  # compiles
    figures, slowest = {"rows": X.shape[0], "features": X.shape[1]}, 0.0
    for name, peer in peers().items():
        seconds, peer = harness.timed(peer.fit, X, y)
        figures |= {f"{name} errors": int(np.count_nonzero(peer.predict(X) != y)), f"{name} seconds": seconds}
        slowest = max(slowest, seconds)
    for name, average in (("Pocket", False), ("Pocket, average", True)):
        pocket = sx.Pocket(max_updates=10**12, time_limit=slowest, average=average, random_state=0)
        seconds, _ = harness.timed(pocket.fit, X, y)
        figures |= {f"{name} errors": pocket.n_errors_, f"{name} seconds": seconds, f"{name} updates": pocket.n_updates_}
        more = {peer: pocket.n_errors_ - figures[f"{peer} errors"] for peer in peers()}
        if any(many > 0 for many in more.values()):
            figures[f"{name} loses to"] = ", ".join(f"{peer} by {many:,}" for peer, many in more.items() if many > 0)
    for name, limit in (("least_errors", slowest), (f"least_errors in {PATIENCE:g} s", PATIENCE)):
        seconds, found = harness.timed(sx.least_errors, X, y, time_limit=limit)
        figures |= {f"{name} errors": found.upper, f"{name} seconds": seconds, f"{name}, proved, at least": found.lower}
    return Outcome(figures)


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


def lines(options):
    yield Line("speed", f"ratio at least {LEAST_SPEEDUP:g}", partial(speed, options.updates, options.repeat))
    if options.data:
        yield Line("errors: a9a", "", partial(errors, lambda: data.libsvm(options.data, "a9a")))
        for name in ("spambase.data", "german.data-numeric", "crx.data"):
            yield Line(f"errors: {name}", "", partial(errors, partial(data.rows, options.data, name)))
    yield Line("memory", f"below {MOST_MEMORY:g}", memory)


def main():
    parser = harness.parser(__doc__, repeat=3)
    parser.add_argument("--updates", type=int, default=10_000)
    options = parser.parse_args()
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
