"""Small built-in problems, each with its story, for demonstrations, documentation and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Floats
from .credit_card import credit_table, encoded_credit
from .gaussians import TwoGaussians


@dataclass(frozen=True)
class Example:
    """A problem with its names and its story."""

    name: str
    story: str
    X: Floats
    y: NDArray[Any]
    features: tuple[str, ...]
    label: str
    table: pa.Table
    """The same with text where it has text; the last column is the label."""


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
    if name in _NOISE:
        table = credit_table(noise=_NOISE[name])
    else:
        table = pa.table({feature: X[:, j] for j, feature in enumerate(features)} | {label: y})
    return Example(name, text, X, y, features, label, table)


def with_gaps(name: str, gaps: float) -> pa.Table:
    """Return the table of a credit problem with some answers missing."""
    if name not in _NOISE:
        raise ValueError(f"The example {name!r} has no answers to leave out; {' and '.join(_NOISE)} have.")
    return credit_table(noise=_NOISE[name], gaps=gaps)


def load(name: str) -> tuple[Floats, NDArray[Any]]:
    """Return the rows and the labels of a built-in problem.

    >>> X, y = load("and")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1])
    """
    example = get(name)
    return example.X, example.y


def two_gaussians(
    n: int, *, distance: float = 2.0, dimension: int = 2, prior: float = 0.5, random_state: Any = None
) -> tuple[Floats, NDArray[Any]]:
    """Draw rows and labels from two normal distributions, for which the best classifier and its risk are known.

    `TwoGaussians` is the source itself, with the parameters but for n and the seed: it has that classifier, ``bayes``, and
    the ``risk`` of any hyperplane.

    >>> X, y = two_gaussians(50, distance=3.0, random_state=0)
    >>> X.shape, round(TwoGaussians(distance=3.0).bayes.risk().value, 4)
    ((50, 2), 0.0668)
    """
    return TwoGaussians(distance, dimension, prior).sample(n, random_state)


_Made = tuple[Floats, NDArray[Any], tuple[str, ...], str]


def _gate(table: str) -> Callable[[], _Made]:
    def make() -> _Made:
        X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
        return X, np.array([int(bit) for bit in table]), ("x1", "x2"), "output"

    return make


def _signed_xor() -> _Made:
    X = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    return X, np.array([-1, -1, 1, 1]), ("x1", "x2"), "output"


def _cloud() -> _Made:
    """Draw points with whole coordinates, none of them near the line ``x1 + 2 x2 = 45``."""
    points = np.random.RandomState(0).randint(0, 31, (80, 2))
    sides = points @ [1, 2] - 45
    far = np.abs(sides) >= 6
    return points[far].astype(np.float64), np.where(sides[far] > 0, 1, -1), ("x1", "x2"), "side"


def _collinear() -> _Made:
    return np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), np.array([0, 1, 0]), ("x1", "x2"), "class"


def _credit(noise: float) -> Callable[[], _Made]:
    def make() -> _Made:
        data = encoded_credit(200, noise, 0)
        return data.X, data.y, tuple(data.names), "approved"

    return make


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


_NOISE = {"credit": 0.0, "credit-noisy": 15.0}

_MAKERS: dict[str, tuple[str, Callable[[], _Made]]] = {
    "and": ("True if both inputs are: a line separates it.", _gate("0001")),
    "or": ("True if an input is: a line separates it.", _gate("0111")),
    "nand": ("False only if both inputs are true: from it all of logic can be built.", _gate("1110")),
    "nor": ("True only if no input is: separable, like its opposite.", _gate("1000")),
    "xor": ("True if exactly one input is: the classic that no line separates.", _gate("0110")),
    "xnor": ("True if the inputs agree: as hopeless for a line as xor.", _gate("1001")),
    "xor-signs": ("Minus one and one in place of false and true: xor without a bias, and as hopeless.", _signed_xor),
    "cloud": ("Points in the plane on two sides of a line, at some distance: for pictures.", _cloud),
    "collinear": ("Three points on a line, the middle one of another class: not separable in any dimension.", _collinear),
    "credit": ("Credit card applications judged by a score against a threshold: separable.", _credit(_NOISE["credit"])),
    "credit-noisy": ("The same applications, judged with some noise: not separable.", _credit(_NOISE["credit-noisy"])),
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
