"""What ``fit`` learns: a classifier, the rows it learns from and those that are kept back, and where it begins."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.escaping import shown
from . import inputs

if TYPE_CHECKING:
    from ..estimators.family import Member
    from ..estimators.scaler import Scaler
    from ..models.model_file import Model
    from ..problem.scaling import Scaling
    from ..tables.data import Data

MAX_FEATURES_FOR_MARGIN = 300
"""Features up to which `fit` finds the margin for the bound of the convergence theorem."""

MAX_ROWS_FOR_KERNEL_MARGIN = 500
"""Rows up to which `fit` finds the margin in feature space for that bound."""

_LEARN_FROM_WEIGHTS = ("perceptron", "averaged", "pocket")
"""The algorithms that take first weights."""

# ---- Where it begins.


def order_of(text: str | None) -> Any:
    """Return an order by its name or, if numbers are typed, as a list of them.

    >>> order_of("3,1,0,2"), order_of("shuffle")
    ([3, 1, 0, 2], 'shuffle')
    """
    if text is None or not re.fullmatch(r"\s*[0-9]{1,9}(\s*,\s*[0-9]{1,9})*\s*", text):
        return text
    return [int(number) for number in text.split(",")]


def typed_weights(start: str | None, algorithm: str) -> list[Fraction] | None:
    """Return the weights that ``--start`` types, if it does not name them.

    >>> typed_weights("1, -0.5, 1/3", "perceptron")
    [Fraction(1, 1), Fraction(-1, 2), Fraction(1, 3)]
    """
    from ..exact.rationals import read_rational

    if start is None or not re.search("[0-9]", start):
        return None
    if algorithm not in _LEARN_FROM_WEIGHTS:
        some = ", ".join(_LEARN_FROM_WEIGHTS)
        raise FileError(f"--start with weights is for --algorithm {some}; {algorithm} begins as it does.")
    return [read_rational(number, "--start") for number in start.split(",")]


def first_weights(numbers: Sequence[Fraction], d: int, vectors: int, intercept: bool) -> dict[str, Any]:
    """Return weights, score after score with the intercept last, as arguments of ``fit``."""
    size = d + intercept
    if len(numbers) != vectors * size:
        each = f"{d} for the features{', then the intercept' if intercept else ''}"
        many = "" if vectors == 1 else f", for each of the {vectors} classes"
        raise FileError(f"--start has {len(numbers)} numbers, expected {vectors * size}: {each}{many}.")
    rows = [list(numbers[k * size : (k + 1) * size]) for k in range(vectors)]
    given: dict[str, Any] = {"coef_init": [row[:d] for row in rows]}
    return given | ({"intercept_init": [row[d] for row in rows]} if intercept else {})


def refuse_beside_from(algorithm: str, typed: Any, intercept: bool, scale: str | None, choice: Choice) -> None:
    """Refuse what a model file says by itself."""
    said = {
        "--algorithm": algorithm != "perceptron", "--start": typed is not None, "--no-intercept": not intercept,
        "--scale": scale is not None,
        "--positive": choice.positive is not None, "--drop": choice.drop, "--only": choice.only, "--text": choice.text,
        "--missing": choice.missing != "refuse",
    }  # fmt: skip
    words = [option for option, there in said.items() if there]
    if words:
        raise FileError(f"{', '.join(words)} cannot be said beside --from: the model file says it.")


@dataclass(frozen=True)
class Continued:
    """A perceptron that a file has, and the rows that it is to learn from, in its columns."""

    model: Model
    rows: Data
    labels: Any
    """For each row its class: whether it is the second of two, or the place of it."""

    @property
    def classes(self) -> list[Any]:
        """The classes of the perceptron."""
        return list(self.model.learner.classes_.tolist())

    def perceptron(self, parameters: dict[str, Any]) -> Any:
        """Return a perceptron that has learnt nothing, with the parameters of that of the file but for those given."""
        from sklearn.base import clone

        return clone(self.model.learner).set_params(**parameters)

    def weights(self) -> dict[str, Any]:
        """Return its last weights, as arguments of ``fit``."""
        learnt, d = self.model.learner, self.model.learner.n_features_in_
        vectors = len(self.classes) if len(self.classes) > 2 else 1
        return first_weights(learnt.last_weights().fractions(), d, vectors, learnt.fit_intercept)


def continued(path: Path, data: list[str], layout: Layout, label: Any) -> Continued:
    """Read the perceptron of a file, and rows to go on with."""
    from ..estimators.perceptron import Perceptron
    from ..models.model_file import read_model

    model = read_model(path)
    if not isinstance(model.learner, Perceptron):
        raise FileError(f"{path} holds a {type(model.learner).__name__}: fit goes on with a Perceptron only.")
    rows = inputs.reread(model, data, layout, label or model.label, "refuse")
    if rows.codes is None:
        raise FileError(f"{shown(path)} does not say which column it predicts. Name it with --label.")
    classes = model.learner.classes_.tolist()
    codes = inputs.coded(rows, classes, model.others)
    return Continued(model, rows, codes == 1 if len(classes) == 2 else codes)


# ---- What is learnt, and from which rows.


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A classifier, and the rows that it is to learn from."""

    algorithm: str
    way: Member
    parameters: dict[str, Any]
    intercept: bool
    classifier: Any
    rows: Data
    labels: Any
    """For each row its class: the place of it or, of two classes, whether it is the second one."""
    classes: list[Any]
    kept: Any
    """The rows to learn from."""
    tested: Any
    """The rows that are kept back."""
    first: dict[str, Any] = field(default_factory=dict)
    """The first weights, as arguments of ``fit``."""
    others: bool = False
    """Whether the first of two classes stands for all others."""
    scaler: Scaler | None = None
    """What scales the rows: learnt from those to learn from, unless a model has learnt it before."""

    @cached_property
    def X(self) -> Any:  # noqa: N802 (what it is called everywhere)
        """The rows to learn from; scaled, if rows are."""
        given = self.rows.rows[self.kept] if len(self.tested) else self.rows.rows
        if self.scaler is None:
            return given
        return (self.scaler if hasattr(self.scaler, "scale_") else self.scaler.fit(given)).transform(given)

    def rows_kept_back(self) -> Any:
        """Return the rows that are kept back; scaled, if rows are."""
        given = self.rows.rows[self.tested]
        return given if self.scaler is None else self.scaler.transform(given)

    @property
    def scaling(self) -> Scaling | None:
        """How rows are scaled, as it is known since they are."""
        from ..estimators.scaler import scaling_of

        return None if self.scaler is None else scaling_of(self.scaler)

    @property
    def y(self) -> Any:
        """Their classes."""
        return self.labels[self.kept]

    def has_copies(self) -> bool:
        """Whether each class is learnt by itself, against the rest."""
        from ..estimators.shared.copies import Copies

        return len(self.classes) > 2 and isinstance(self.classifier, Copies)

    def is_of_theorem(self) -> bool:
        """Whether the convergence theorem is about the run, and the margin found in little time."""
        if self.parameters.get("class_weight") is not None or self.first or len(self.classes) != 2:
            return False
        small = self.rows.shape[1] <= MAX_FEATURES_FOR_MARGIN
        if self.algorithm == "kernel":
            small = len(self.kept) <= MAX_ROWS_FOR_KERNEL_MARGIN
        return self.algorithm in ("perceptron", "averaged", "kernel") and small and bool(self.classifier.halted_)

    def learnt(self) -> Any:
        """Return the classifier, behind its scaler if there is one, with the names of its classes.

        Two are learnt as False and True, the second asked for.
        """
        from sklearn.pipeline import make_pipeline

        from ..estimators.learnt import with_classes

        named = with_classes(self.classifier, self.classes, self.others)
        return named if self.scaler is None else make_pipeline(self.scaler, named)


def first_lesson(
    algorithm: str,
    way: Member,
    parameters: dict[str, Any],
    rows: Data,
    positive: str | None,
    intercept: bool,
    holdout: float,
    seed: int,
    typed: list[Fraction] | None,
    scale: str,
) -> Lesson:
    """Choose classes to learn, and rows to learn from."""
    from sklearn.utils import get_tags

    from ..estimators.scaler import Scaler

    classifier = way.make(fit_intercept=intercept, **parameters)
    labels: Any
    if positive is not None or len(rows.classes) <= 2:
        labels, classes = inputs.two_classes(rows, positive)
    elif get_tags(classifier).classifier_tags.multi_class:
        labels, classes = rows.codes, list(rows.classes)
    else:
        raise ValueError(
            f"--algorithm {algorithm} learns two classes, and the label has {len(rows.classes)}. Set one against the rest "
            "with --positive, or learn all of them with another algorithm."
        )
    kept, tested = _split(labels, len(classes), holdout, seed)
    vectors = len(classes) if len(classes) > 2 else 1
    first = {} if typed is None else first_weights(typed, rows.shape[1], vectors, intercept)
    return Lesson(
        algorithm=algorithm, way=way, parameters=parameters, intercept=intercept, classifier=classifier, rows=rows,
        labels=labels, classes=classes, kept=kept, tested=tested, first=first,
        scaler=None if scale == "none" else Scaler(scale),
    )  # fmt: skip


def next_lesson(found: Continued, way: Member, parameters: dict[str, Any], holdout: float, seed: int) -> Lesson:
    """Choose rows to learn from with the perceptron of a model."""
    kept, tested = _split(found.labels, len(found.classes), holdout, seed)
    perceptron = found.perceptron(parameters)
    return Lesson(
        algorithm="averaged" if perceptron.average else "perceptron", way=way, parameters=perceptron.get_params(),
        intercept=perceptron.fit_intercept, classifier=perceptron, rows=found.rows, labels=found.labels,
        classes=found.classes, kept=kept, tested=tested, first=found.weights(), others=found.model.others,
        scaler=found.model.scaler,
    )  # fmt: skip


def _split(y: Any, count: int, fraction: float, seed: int) -> tuple[Any, Any]:
    """Return the rows to learn from, and those to keep back, which have their share of each of so many classes."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    everything = np.arange(len(y))
    if fraction == 0.0:
        return everything, everything[:0]
    back = math.ceil(fraction * len(y))
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if rarest >= 2 and min(back, len(y) - back) >= count:
        kept, tested = train_test_split(everything, test_size=back, random_state=seed, stratify=y)
        if np.unique(y[kept]).size == count:
            return np.sort(kept), np.sort(tested)
    raise ValueError(
        f"--holdout {fraction} keeps back {back} of {len(y)} rows, with {rarest} of the rarest class in all. It takes at "
        f"least two rows of each class, {count} on either side, and some of each to learn from."
    )
