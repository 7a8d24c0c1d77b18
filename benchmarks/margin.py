"""How long it takes to find the maximum margin, proved, beside scikit-learn's support vector machines, in one run.

    python benchmarks/margin.py [--data DIR] [--repeat 3] [--patience 300] [--only NAME ...] [--json FILE]

``DIR`` holds UCI's sonar.all-data. A peer is run with ``C=1e10`` and smaller and smaller tolerance until it attains the
margin that is found here, up to a part in 1,000, or until it has had five minutes, which then count. Its time is that of the
last run, in a process of its own. Ends with 1 if a bar is missed.
"""

from functools import partial

import data
import harness
import numpy as np
from harness import Line, Outcome
from sklearn.svm import SVC, LinearSVC

import separatrix as sx

TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9)
PEERS = {
    "SVC": lambda tol: SVC(kernel="linear", C=1e10, tol=tol, cache_size=1000),
    "LinearSVC": lambda tol: LinearSVC(C=1e10, tol=tol, max_iter=10**8, dual="auto", random_state=0),
}


def attained(X, y, w):
    scores = X @ w
    return (scores[y > 0].min() - scores[y < 0].max()) / 2 / np.linalg.norm(w)


def train(name, tol, X, y):
    seconds, machine = harness.timed(PEERS[name](tol).fit, X, y)
    return seconds, attained(X, y, machine.coef_[0])


def peer(name, X, y, wanted, patience):
    """Return the seconds that a peer takes to attain a margin, all of its time if it never does, and the margin it has."""
    left, found = patience, 0.0
    for tol in TOLERANCES:
        trained = harness.apart(train, name, tol, X, y, patience=left)
        if trained is None:
            break
        seconds, found = trained
        if found >= wanted * (1 - 1e-3):
            return seconds, found
        left -= seconds
    return patience, found


def compare(make, least, options):
    X, y = make()
    ours, found = harness.in_turn(options.repeat, {"ours": lambda: sx.margin(X, y, kind="geometric")})["ours"]
    figures = {"seconds": ours, "margin": found.lo, "gap": (found.hi - found.lo) / found.hi}
    fine = True
    for name in PEERS:
        seconds, margin = peer(name, X, y, found.lo, options.patience)
        figures |= {f"{name} seconds": seconds, f"{name} margin": margin, f"{name} ratio": seconds / ours}
        fine &= seconds >= least * ours
    return Outcome(figures, fine)


def lines(options):
    def line(name, make, least):
        return Line(name, f"ratio at least {least:g}", partial(compare, make, least, options))

    yield line("100,000 x 30", lambda: data.shifted_apart(100_000, 30, 0.001), 5.0)
    yield line("WDBC", lambda: data.standardised(*data.wdbc()), 1.0)
    yield line("500 x 20,000", lambda: data.coin_tossed(500, 20_000), 1.0)
    yield line("1,000,000 x 50", lambda: data.shifted_apart(1_000_000, 50, 0.001), 5.0)
    if options.data:
        yield line("sonar", lambda: data.standardised(*data.rows(options.data, "sonar.all-data")), 1.0)


def main():
    parser = harness.parser(__doc__, repeat=3)
    parser.add_argument("--patience", type=float, default=300.0, help="seconds for each peer")
    options = parser.parse_args()
    sx.margin([[0.0], [1.0]], [0, 1], kind="geometric")  # compiles
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
