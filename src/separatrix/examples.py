"""Small built-in problems, each with its story, for demonstrations, documentation and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A problem with its names and its story."""

    name: str
    story: str
    X: Floats
    y: NDArray[Any]
    features: tuple[str, ...]
    label: str


def names() -> list[str]:
    """Return the names of the built-in problems.

    >>> names()[:3]
    ['and', 'or', 'nand']
    """
    return list(_MAKERS)


def story(name: str) -> str:
    """Tell in one line what a problem is about."""
    return _maker(name)[0]


def get(name: str) -> Example:
    """Return a built-in problem with all that belongs to it.

    >>> get("xor").story
    'True if exactly one input is: the classic that no line separates.'
    """
    text, make = _maker(name)
    X, y, features, label = make()
    return Example(name, text, X, y, features, label)


def load(name: str) -> tuple[Floats, NDArray[Any]]:
    """Return the rows and the labels of a built-in problem.

    >>> X, y = load("and")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1])
    """
    example = get(name)
    return example.X, example.y


CREDIT_FEATURES = ("income_keur", "debt_keur", "years_employed", "late_payments", "cards_held")
_CREDIT_WEIGHTS = np.array([2, -3, 4, -10, 0])
_CREDIT_THRESHOLD = 40
_CREDIT_CLEARANCE = 8


def credit(n: int = 200, noise: float = 0.0, seed: int = 0) -> tuple[Floats, NDArray[Any]]:
    """Applicants for a credit card, and whether the bank approved.

    The bank scores 2 points per thousand euros of yearly income, 4 per year in the present job, -3 per thousand euros
    of debt and -10 per late payment in two years, and approves above a threshold of 40. Nobody is nearer to it than 8
    points; the number of cards held does not count.

    Parameters
    ----------
    n : int
        Number of applicants.
    noise : float
        Standard deviation, in points, of what a clerk's mood adds to the score. Without noise the classes are
        separable.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : array of shape (n, 5)
        Columns as in `CREDIT_FEATURES`: thousand euros a year, thousand euros, years, and two counts. Whole numbers.
    y : array of shape (n,)
        "yes" or "no".

    Examples
    --------
    >>> X, y = credit(n=3)
    >>> X[0].tolist(), str(y[0])
    ([65.0, 7.0, 4.0, 0.0, 4.0], 'yes')
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    rng = np.random.RandomState(seed)
    chosen: list[NDArray[np.int64]] = []
    while len(chosen) < n:
        income = int(np.clip(round(rng.lognormal(3.3, 0.5)), 8, 120))
        debt = round(min(rng.exponential(8.0), 60.0))
        employed = round(min(rng.exponential(5.0), 40.0))
        late, cards = rng.poisson(0.7), rng.poisson(1.5)
        row = np.array([income, debt, employed, late, cards])
        if abs(int(row @ _CREDIT_WEIGHTS) - _CREDIT_THRESHOLD) >= _CREDIT_CLEARANCE:
            chosen.append(row)
    X = np.array(chosen)
    scores = X @ _CREDIT_WEIGHTS + noise * rng.normal(size=n)
    return X.astype(np.float64), np.where(scores > _CREDIT_THRESHOLD, "yes", "no")


_Made = tuple[Floats, NDArray[Any], tuple[str, ...], str]


def _gate(table: str) -> Callable[[], _Made]:
    def make() -> _Made:
        X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
        return X, np.array([int(bit) for bit in table]), ("x1", "x2"), "output"

    return make


def _collinear() -> _Made:
    return np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), np.array([0, 1, 0]), ("x1", "x2"), "class"


def _credit(noise: float) -> Callable[[], _Made]:
    return lambda: (*credit(noise=noise), CREDIT_FEATURES, "approved")


def _iris(negative: tuple[str, ...], positive: str) -> Callable[[], _Made]:
    def make() -> _Made:
        from sklearn.datasets import load_iris

        iris = load_iris()
        species = np.array([str(iris.target_names[t]) for t in iris.target])
        kept = np.isin(species, [*negative, positive])
        other = negative[0] if len(negative) == 1 else "other"
        labels = np.where(species[kept] == positive, positive, other)
        features = tuple(name.replace(" (cm)", "_cm").replace(" ", "_") for name in iris.feature_names)
        return np.ascontiguousarray(iris.data[kept]), labels, features, "species"

    return make


def _breast_cancer() -> _Made:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    labels = np.array([str(data.target_names[t]) for t in data.target])
    return data.data, labels, tuple(name.replace(" ", "_") for name in data.feature_names), "diagnosis"


_MAKERS: dict[str, tuple[str, Callable[[], _Made]]] = {
    "and": ("True if both inputs are: a line separates it.", _gate("0001")),
    "or": ("True if an input is: a line separates it.", _gate("0111")),
    "nand": ("False only if both inputs are true: from it all of logic can be built.", _gate("1110")),
    "nor": ("True only if no input is: separable, like its opposite.", _gate("1000")),
    "xor": ("True if exactly one input is: the classic that no line separates.", _gate("0110")),
    "xnor": ("True if the inputs agree: as hopeless for a line as xor.", _gate("1001")),
    "collinear": ("Three points on a line, the middle one of another class: not separable in any dimension.", _collinear),
    "credit": ("Credit card applications judged by a score against a threshold: separable.", _credit(0.0)),
    "credit-noisy": ("The same applications, judged with some noise: not separable.", _credit(15.0)),
    "iris-setosa": (
        "Fisher's irises, setosa against the rest: separable at a glance.",
        _iris(("versicolor", "virginica"), "setosa"),
    ),
    "iris-virginica": (
        "Fisher's irises, versicolor against virginica: nearly, but not separable.",
        _iris(("versicolor",), "virginica"),
    ),
    "breast-cancer": (
        "Wisconsin breast cancer, 30 features of cell nuclei: separable, though hard to tell.",
        _breast_cancer,
    ),
}


def _maker(name: str) -> tuple[str, Callable[[], _Made]]:
    if name not in _MAKERS:
        raise ValueError(f"There is no example {name!r}. The examples are: {', '.join(_MAKERS)}.")
    return _MAKERS[name]
