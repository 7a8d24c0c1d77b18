"""The averaged perceptron beside scikit-learn's, and the kernel and voted perceptrons beside NumPy's, in one run.

    python benchmarks/family.py [--data DIR] [--passes 5] [--repeat 9] [--rows 10000] [--only NAME ...] [--json FILE]

(a) `Perceptron(average=True)` against ``SGDClassifier(loss="perceptron", average=True)``, with no stopping criterion and the
same number of passes, on a9a and w8a (LIBSVM, sparse, as they are) and spambase (UCI, dense, standardised) of the folder
``--data``. Three comparisons: *shuffled*, SGDClassifier as it is by default, which shuffles the rows, and so does
`Perceptron` (``order="shuffle"``); *shuffled, alike*, SGDClassifier with a constant rate of 1 and no penalty, which makes it
the same algorithm; *in order, alike*, rows as they stand. Fits take turns, so that all see the same machine; times are
medians. Accuracy is by five-fold cross-validation on the same folds, and for a9a on its test set, a9a.t. Bars: not slower;
at least as accurate, within two standard errors of the differences over the folds, or over the test rows.

On sparse rows SGDClassifier learns the intercept a hundred times more slowly (its ``intercept_decay`` is 0.01), which makes
it another algorithm, for better or worse. The line "intercept as a column" has it out of the way: neither learns an
intercept, and the rows have a column of ones. Rows in order have their bar there. Reported without a bar: `Perceptron` by
default, which does not shuffle, beside SGDClassifier by default. (spambase is sorted by class, and w8a not well mixed.)

(b) `KernelPerceptron` with the radial kernel against the same in NumPy with the whole Gram matrix, computed in its time: by
products, each visited row with its row of the matrix, as texts write it; and, without a bar, by running scores, to which a
row of the matrix is added at each mistake, as here. The problem is a noisy sphere inside another. Each measurement is a
process of its own, so that its peak memory is known; how fast the system hands out memory is a large part of it. Bars: 3
times faster than by products, within 200 MB (its cache) and a tenth of the Gram matrix more.

(c) What `VotedPerceptron` predicts for all rows of UCI_Credit_Card (UCI; as they are, and standardised) after ten passes
over them, against NumPy, which multiplies the rows by all weights, in blocks, and adds up the votes. Bar: 5 times
faster. NumPy's signs are those of rounded scores: how many rows have other votes is reported.

Ends with 1 if a bar is missed.
"""

import statistics
from functools import cache, partial

import data
import harness
import numpy as np
import scipy.sparse as sp
from harness import Line, Outcome
from memory import Growth
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

import separatrix as sx

ALIKE = {"penalty": None, "learning_rate": "constant", "eta0": 1.0}
MODES = [("shuffled", True, {}), ("shuffled, alike", True, ALIKE), ("in order, alike", False, ALIKE)]
ACCURATE = "at least as accurate, within two standard errors"
FASTER = 3.0
KERNEL_REPEAT = 3
VOTED_REPEAT = 3
VOTED_FASTER = 5.0
CACHE_MEGABYTES = 200.0  # what the kernel perceptron keeps of the Gram matrix, at most


# ---- (a) The averaged perceptron.


@cache
def read(folder, name):
    """Return rows and labels, and test rows and labels or None."""
    if name == "a9a":
        return data.libsvm(folder, "a9a", "a9a.t")
    rows = data.standardised(*data.rows(folder, "spambase.data")) if name == "spambase" else data.libsvm(folder, name)
    return [*rows, None, None]


def learners(passes, shuffle, intercept=True, **parameters):
    order = "shuffle" if shuffle else "cyclic"
    common = {"average": True, "max_iter": passes, "fit_intercept": intercept, "random_state": 0}
    return {
        "averaged": sx.Perceptron(order=order, **common),
        "sgd": SGDClassifier(loss="perceptron", tol=None, shuffle=shuffle, **common, **parameters),
    }


def speed(folder, name, chosen, repeat):
    X, y, *_ = read(folder, name)
    works = {kind: partial(lambda learner: clone(learner).fit(X, y), learner) for kind, learner in chosen.items()}
    harness.in_turn(1, works)  # compiles
    took = harness.in_turn(repeat, works)
    ratio = took["sgd"].seconds / took["averaged"].seconds
    return Outcome({"seconds": took["averaged"].seconds, "SGD seconds": took["sgd"].seconds, "ratio": ratio}, ratio >= 1.0)


def compared(ours, theirs, right):
    """Compare accuracies over folds, or what is right over rows: the mean difference, and its standard error."""
    difference = ours.astype(float) - theirs
    mean, error = difference.mean(), difference.std(ddof=1) / np.sqrt(difference.size)
    figures = {"accuracy": ours.mean(), "SGD accuracy": theirs.mean(), "difference": mean, "standard error": error}
    return Outcome(figures, not right or mean >= -2.0 * error)


def over_folds(folder, name, chosen, *, ones=False, bar=True):
    """Compare over five folds; with ``ones`` the intercept is a column."""
    X, y, *_ = read(folder, name)
    X = sp.csr_array(sp.hstack([X, np.ones((X.shape[0], 1))])) if ones else X
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    accuracy = {kind: cross_val_score(each, X, y, cv=folds) for kind, each in chosen.items()}
    return compared(accuracy["averaged"], accuracy["sgd"], bar)


def over_test_rows(folder, name, chosen):
    X, y, T, t = read(folder, name)
    right = {kind: clone(each).fit(X, y).predict(T) == t for kind, each in chosen.items()}
    return compared(right["averaged"], right["sgd"], True)


def averaged_lines(folder, passes, repeat):
    for name in ("a9a", "w8a", "spambase"):
        for mode, shuffle, parameters in MODES:
            what, chosen = f"{name}, {mode}", learners(passes, shuffle, **parameters)
            yield Line(f"{what}: speed", "not slower", partial(speed, folder, name, chosen, repeat))
            if shuffle or name == "spambase":
                yield Line(f"{what}: folds", ACCURATE, partial(over_folds, folder, name, chosen))
            else:
                without = learners(passes, shuffle, intercept=False, **parameters)
                yield Line(f"{what}: folds", "", partial(over_folds, folder, name, chosen, bar=False))
                yield Line(f"{what}: folds, intercept as a column", ACCURATE,
                           partial(over_folds, folder, name, without, ones=True))  # fmt: skip
            if shuffle and name == "a9a":
                yield Line(f"{what}: test set", ACCURATE, partial(over_test_rows, folder, name, chosen))
        default = {"averaged": learners(passes, False)["averaged"], "sgd": learners(passes, True)["sgd"]}
        yield Line(f"{name}, ours in order, theirs shuffled", "", partial(over_folds, folder, name, default, bar=False))


# ---- (b) The kernel perceptron.


def gram(X):
    gamma = 1 / (X.shape[1] * X.var())
    squares = (X * X).sum(axis=1)
    K = X @ X.T
    K *= 2 * gamma
    K -= gamma * squares
    K -= gamma * squares[:, None]
    np.minimum(K, 0, out=K)
    np.exp(K, out=K)
    K += 1
    return K


def by_products(X, y, passes):
    K, alpha, mistakes = gram(X), np.zeros(len(y)), 0
    for _ in range(passes):
        for i, label in enumerate(y):
            if label * (K[i] @ alpha) <= 0:
                alpha[i] += label
                mistakes += 1
    return mistakes


def by_running_scores(X, y, passes):
    K, scores, mistakes = gram(X), np.zeros(len(y)), 0
    for _ in range(passes):
        for i, label in enumerate(y):
            if label * scores[i] <= 0:
                scores += label * K[i]
                mistakes += 1
    return mistakes


def separatrix(X, y, passes):
    return sx.KernelPerceptron(max_iter=passes).fit(X, y).n_mistakes_


METHODS = {"by products": by_products, "by scores": by_running_scores, "separatrix": separatrix}


def measure(name, n, d, passes):
    """Time, mistakes and peak memory in MB above that of a small problem, which also compiles and loads what is needed."""
    X, y = data.spheres(n, d)
    METHODS[name](X[:50], y[:50], 1)
    with Growth() as memory:
        seconds, mistakes = harness.timed(METHODS[name], X, y, passes)
    return seconds, mistakes, memory.bytes / 2**20


def kernel(n, d=20, passes=10):
    runs = {name: [] for name in METHODS}
    for _ in range(KERNEL_REPEAT):
        for name in METHODS:
            runs[name].append(harness.apart(measure, name, n, d, passes))
    seconds = {name: statistics.median(took for took, _, _ in each) for name, each in runs.items()}
    memory = {name: max(peak for _, _, peak in each) for name, each in runs.items()}
    figures = {"seconds": seconds["separatrix"], "MB": memory["separatrix"], "mistakes": runs["separatrix"][0][1]}
    for name in ("by products", "by scores"):
        figures |= {
            f"{name} seconds": seconds[name], f"{name} MB": memory[name], f"{name} mistakes": runs[name][0][1],
            f"{name} ratio": seconds[name] / seconds["separatrix"],
        }  # fmt: skip
    faster = FASTER * seconds["separatrix"] <= seconds["by products"]
    return Outcome(figures, faster and memory["separatrix"] <= CACHE_MEGABYTES + 0.1 * 8 * n * n / 2**20)


# ---- (c) Votes.


def votes_by_numpy(voted, Z, y):
    weights = np.cumsum(Z[voted.mistakes_] * y[voted.mistakes_, None], axis=0)
    lengths = voted.survivals_[1:].astype(float)
    blocks = np.array_split(Z, max(1, len(Z) * len(weights) // 2**25))
    return np.concatenate([np.sign(block @ weights.T) @ lengths for block in blocks])


def voted(folder, standardise):
    X, y = data.rows(folder, "UCI_Credit_Card.csv")
    if standardise:
        X = sx.Scaler().fit_transform(X)
    learnt = sx.VotedPerceptron(max_iter=10).fit(X, y)
    Z = np.column_stack([X, np.ones(len(X))])
    works = {"voted": lambda: learnt.decision_function(X), "NumPy": lambda: votes_by_numpy(learnt, Z, y)}
    harness.in_turn(1, {"voted": works["voted"]})  # compiles
    took = harness.in_turn(VOTED_REPEAT, works)
    ratio = took["NumPy"].seconds / took["voted"].seconds
    votes = np.rint(took["voted"].result * learnt.n_visits_)
    other = int(np.count_nonzero(votes != took["NumPy"].result))
    figures = {"seconds": took["voted"].seconds, "NumPy seconds": took["NumPy"].seconds, "ratio": ratio}
    figures |= {"mistakes": learnt.n_mistakes_, "rows with other votes in NumPy": other}
    return Outcome(figures, ratio >= VOTED_FASTER)


def voted_lines(folder):
    for kind, standardise in (("as they are", False), ("standardised", True)):
        line = f"voted prediction, UCI_Credit_Card, {kind}"
        yield Line(line, f"{VOTED_FASTER:g} times faster than NumPy", partial(voted, folder, standardise))


def lines(options):
    if options.data:
        yield from averaged_lines(options.data, options.passes, options.repeat)
        yield from voted_lines(options.data)
    bar = f"{FASTER:g} times faster than by products, memory bounded"
    yield Line(f"kernel perceptron, {options.rows:,} x 20", bar, partial(kernel, options.rows))


def main():
    parser = harness.parser(__doc__, repeat=9)
    parser.add_argument("--passes", type=int, default=5, help="passes of the averaged perceptron")
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the kernel perceptron")
    options = parser.parse_args()
    return harness.run(lines(options), options)


if __name__ == "__main__":
    raise SystemExit(main())
