"""How long the averaged perceptron takes and how well it does, beside scikit-learn's SGDClassifier, in one run.

    python benchmarks/average.py --data DIR [--passes 5] [--repeat 9]

``--data`` names a folder with ``a9a``, ``w8a`` (LIBSVM) and ``spambase.data`` (UCI). Fits are taken in turn, so that all see
the same machine; times are medians. Accuracy is by five-fold cross-validation on the same parts; the difference is given
with its standard error. On sparse rows SGDClassifier learns the intercept a hundred times more slowly (its
``intercept_decay``), which is the one difference of the two algorithms.
"""

import argparse
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import StandardScaler

import separatrix as sx


def problems(folder):
    for name in ("a9a", "w8a"):
        X, y = load_svmlight_file(str(folder / name))
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        yield name, X, y.astype(int)
    table = np.loadtxt(folder / "spambase.data", delimiter=",")
    yield "spambase", StandardScaler().fit_transform(table[:, :-1]), table[:, -1].astype(int)


def learners(passes, shuffle):
    order = "shuffle" if shuffle else "cyclic"
    return {
        "averaged": sx.Perceptron(order=order, average=True, max_iter=passes, random_state=0),
        "last": sx.Perceptron(order=order, max_iter=passes, random_state=0),
        "sgd": SGDClassifier(
            loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, shuffle=shuffle,
            max_iter=passes, tol=None, random_state=0,
        ),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=9)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, X, y in problems(arguments.data):
        for shuffle in (False, True):
            chosen = learners(arguments.passes, shuffle)
            times = {kind: [] for kind in chosen}
            for _ in range(arguments.repeat + 1):
                for kind, learner in chosen.items():
                    started = time.perf_counter()
                    learner.fit(X, y)
                    times[kind].append(time.perf_counter() - started)
            seconds = {kind: statistics.median(each[1:]) for kind, each in times.items()}
            accuracy = {kind: cross_val_score(learner, X, y, cv=parts) for kind, learner in chosen.items()}
            gap = accuracy["averaged"] - accuracy["sgd"]
            print(f"{name:<10}{'shuffle' if shuffle else 'cyclic':<9}"
                  + " ".join(f"{kind} {1e3 * seconds[kind]:7.1f} ms {accuracy[kind].mean():.4f} " for kind in chosen)
                  + f" sgd/averaged {seconds['sgd'] / seconds['averaged']:.2f}, accuracy {gap.mean():+.4f} "
                  f"± {gap.std(ddof=1) / np.sqrt(gap.size):.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
