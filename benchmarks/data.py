"""Every data set of the benchmarks, once: those that are made, those that scikit-learn brings, and those read from a folder.

Rows and labels; the labels are -1 and 1 unless a function says otherwise. The folder holds files as they are found in UCI's
repository and in LIBSVM's collection, under their own names.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, load_svmlight_file
from sklearn.preprocessing import StandardScaler, normalize

import separatrix as sx

# ---- Made.


def _direction(d, rng):
    w = rng.standard_normal(d)
    return w / np.linalg.norm(w)


def pushed_apart(n, d, margin, flipped=0):
    """Normal rows, those nearer to a hyperplane than the margin pushed away from it; so many labels are flipped."""
    rng = np.random.default_rng(0)
    w = _direction(d, rng)
    X = np.empty((n, d))
    y = np.empty(n, np.int8)
    for start in range(0, n, 10_000):
        some = X[start : start + 10_000]
        rng.standard_normal(out=some)
        scores = some @ w
        side = np.where(scores > 0, 1.0, -1.0)
        some += np.outer(side * np.maximum(0.0, margin - np.abs(scores)), w)
        y[start : start + 10_000] = side
    y[rng.choice(n, flipped, replace=False)] *= -1
    return X, y


def shifted_apart(n, d, margin):
    """Normal rows, all of which are shifted away from a hyperplane by the margin."""
    rng = np.random.default_rng(0)
    w = _direction(d, rng)
    X = rng.standard_normal((n, d))
    y = np.where(X @ w > 0, 1, -1)
    return X + np.outer(y * margin, w), y


def coin_tossed(n, d):
    """Normal rows whose labels have nothing to do with them: separable if there are more columns than rows."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), np.where(rng.random(n) < 0.5, 1, -1)


def on_the_sphere(n, d, margin):
    """Rows of length 1, none of them nearer to a hyperplane than the margin."""
    rng = np.random.RandomState(0)
    w = _direction(d, rng)
    X = rng.standard_normal((2 * n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X = np.ascontiguousarray(X[np.abs(X @ w) > margin][:n])
    return X, np.sign(X @ w).astype(int)


def flipped(n, d, share=0.05):
    """Normal rows, labelled by a hyperplane, but for a share of labels that are flipped."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    return X, np.where((X @ w > 0.0) ^ (rng.random(n) < share), 1, -1)


def flipped_sparse(n, d, words=20, share=0.05):
    """Sparse rows of so many normal numbers, labelled by a hyperplane, but for a share of labels that are flipped."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, d, (n, words), dtype=np.int32), axis=1)
    starts = np.arange(0, n * words + 1, words, dtype=np.int32)
    X = sp.csr_array((rng.standard_normal(n * words), columns.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    return X, np.where((X @ rng.standard_normal(d) > 0.0) ^ (rng.random(n) < share), 1, -1)


def random_labels(n, d):
    """Normal rows, with labels that have nothing to do with them."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), 2 * rng.integers(0, 2, n) - 1


def hundredths(n, d):
    """Whole numbers of hundredths, separable."""
    rng = np.random.RandomState(0)
    X = rng.randint(-100, 101, (n, d)) / 100
    return X, np.sign(X @ rng.standard_normal(d)).astype(int)


def opposite_duplicates(n, d):
    """Pairs of equal rows with opposite labels: the weights return to zero, where everything ties."""
    X = np.repeat(np.random.RandomState(0).randint(-1000, 1000, (n, d)) / 100, 2, axis=0)
    return X, np.tile([1, -1], n)


def text_like(n, d=47_236, words=75):
    """Sparse rows of length 1 as of documents, some words far more frequent than others; nearly separable."""
    rng = np.random.RandomState(0)
    frequency = 1 / np.arange(1, d + 1) ** 0.9
    columns = np.searchsorted(np.cumsum(frequency / frequency.sum()), rng.random_sample((n, words))).clip(max=d - 1)
    columns.sort(axis=1)
    entries = rng.random_sample((n, words)) + 0.1
    starts = np.arange(0, n * words + 1, words, dtype=np.int32)
    X = sp.csr_array((entries.ravel(), columns.ravel().astype(np.int32), starts), shape=(n, d))
    X.sum_duplicates()
    X = sp.csr_array(normalize(X))
    return X, np.where(X @ rng.standard_normal(d) + 0.05 * rng.standard_normal(n) >= 0, 1, -1)


def spheres(n, d, noise=0.1):
    """One class inside a sphere, the other outside, but for noise."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d))
    radius = np.linalg.norm(X, axis=1)
    return X, np.where(radius + noise * rng.standard_normal(n) > np.median(radius), 1, -1)


# ---- Brought by scikit-learn.


def iris():
    """Return the rows and the three kinds, 0, 1 and 2."""
    return load_iris(return_X_y=True)


def versicolor_and_virginica():
    X, kind = iris()
    return X[kind > 0], np.where(kind[kind > 0] == 2, 1, -1)


def wdbc():
    """Breast cancer of Wisconsin: benign or malignant."""
    X, benign = load_breast_cancer(return_X_y=True)
    return X, 2 * benign - 1


def standardised(X, y):
    return StandardScaler().fit_transform(X), y


# ---- Read from a folder.

_CSV: dict[str, Any] = {"label": -1, "header": False, "missing": "drop-rows"}
_BLANKS = _CSV | {"separator": "blanks"}
TABLES: dict[str, dict[str, Any]] = {
    "australian.dat": _BLANKS, "caesarian.csv": _CSV, "crx.data": _CSV, "cryotherapy.csv": _CSV,
    "german.data-numeric": _BLANKS, "haberman.data": _CSV, "heart_scale": {}, "sonar.all-data": _CSV, "spambase.data": _CSV,
    "voicepath_data.csv": _CSV, "agresti_eight.csv": {"label": -1}, "agresti_ten.csv": {"label": -1},
    "endometrial.csv": {"label": "HG"}, "silvapulle1981.csv": {"label": "y"}, "UCI_Credit_Card.csv": {"label": -1},
}  # fmt: skip
"""How each file is read; rows with gaps are left out, and categories are one-hot."""


def table(folder: Path, name: str) -> sx.Data:
    """Read a file; the labels are those that it has."""
    return sx.read_data(folder / name, **TABLES[name])


def rows(folder: Path, name: str) -> tuple[Any, Any]:
    """Read a file, and label the class that comes last in order 1, the other -1."""
    data = table(folder, name)
    return data.X, np.where(np.asarray(data.y) == data.classes[-1], 1, -1)


def libsvm(folder: Path, *names: str) -> list[Any]:
    """Read rows and labels of each file with scikit-learn, as wide as the first; indices are of 32 bits."""
    width, found = None, []
    for name in names:
        X, y = load_svmlight_file(str(folder / name), n_features=width)
        width = X.shape[1]
        found += [
            sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape),
            y.astype(int),
        ]
    return found


def _categories(folder, name, label):
    cells = pd.read_csv(folder / name, header=None, dtype=str, keep_default_na=False)
    return cells.drop(columns=cells.columns[label]), cells.iloc[:, label].to_numpy()


def one_hot(folder, name, label):
    """Read a file of categories, a column for each value of each of its columns; the labels are those that it has."""
    cells, labels = _categories(folder, name, label)
    return pd.get_dummies(cells).to_numpy(float), labels


def votes_as_numbers(folder):
    """Votes as 1 for yes, -1 for no and 0 for none."""
    cells, labels = _categories(folder, "house-votes-84.data", 0)
    return cells.replace({"y": "1", "n": "-1", "?": "0"}).astype(float).to_numpy(), labels
