"""What a model says of a row of its table, in one frozen value, from which every form of it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ..checker import is_gap
from ..estimators.family import KINDS
from ..estimators.learnt import LearntWeights, learnt_by
from ..models.fields import plain
from ..models.model_file import Model
from ..problem.provenance import GAPS, Column, LibsvmTable, Missing, NumbersAs, TextTable
from ..problem.scaling import Scaling
from ..problem.ties import TIES, prefers_last
from ..support.counts import few_of
from ..support.remedies import Message, Remedy
from ..tables.encoding import at_prediction
from .machines import MOST_NUMBERS, Machine, machines_of

Unseen: TypeAlias = Literal["refuse", "ignore"]

_MANY = 12
"""Kinds of classifiers that a message names."""


@dataclass(frozen=True)
class Source:
    """A column of the table, and the features that are made of it, by their places among the weights."""

    name: str
    number: int | None
    """The feature that is its number; None if it has none."""
    categories: dict[str, int]
    """The features that are 1 where its cell is a text."""
    gap: int | None
    """The feature that is 1 where its cell is missing."""
    scaling: tuple[float, float] | None = None
    """What is taken away from its number, and what the rest is divided by, in float64; None if it stays as it is."""

    @property
    def of_words(self) -> bool:
        """Whether its cells are compared as texts."""
        return bool(self.categories)


@dataclass(frozen=True)
class Rule:
    """What a model says of a row.

    Attributes
    ----------
    kind : str
        The kind of classifier, as model files name it.
    classes : tuple
        The labels of the classes, in order; of two the second is the positive one.
    ties_to_last : bool
        Whether the last of classes with equal scores is predicted, not the first; of two, whether zero is positive.
    weights : tuple of tuples of Fraction
        The exact weights, one vector for two classes, else one for each. Where columns are scaled, those of numbers are for
        scaled numbers, and those of words and gaps, for which there are but two scaled values, are for 0 and 1.
    intercepts : tuple of Fraction
        As many intercepts.
    sources : tuple of Source
        The columns of the table that it needs.
    missing : {"refuse", "drop-rows", "indicator"}
        What is done with missing values: the row is refused, has no prediction, or they count as 0.
    unseen : {"refuse", "ignore"}
        What is done with what was not there when the model was learnt: the row is refused, or it counts as 0.
    gaps : tuple of str
        The texts that stand for a missing value.
    table : TextTable or None
        How the table was written.
    """

    kind: str
    classes: tuple[Any, ...]
    ties_to_last: bool
    weights: tuple[tuple[Fraction, ...], ...]
    intercepts: tuple[Fraction, ...]
    sources: tuple[Source, ...]
    missing: Missing
    unseen: Unseen
    gaps: tuple[str, ...] = GAPS
    numbers: NumbersAs = "auto"
    label: str | None = None
    table: TextTable | None = None
    machines: tuple[Machine, ...] = ()
    """What scores rows in place of weights and intercepts, of which there are none then."""
    off: tuple[Fraction, ...] = ()
    on: tuple[Fraction, ...] = ()
    """With machines: what each feature is where it is 0, and where it is 1; others, if columns are scaled."""

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.weights[0])

    @cached_property
    def words(self) -> frozenset[str]:
        """The categories that would be gaps without the blanks around them."""
        found = (text for source in self.sources for text in source.categories)
        return frozenset(text for text in found if is_gap(text, self.gaps))

    @property
    def gap_counts(self) -> bool:
        """Whether a missing value counts as something, be it 0; if not, its row has no prediction."""
        return self.missing == "indicator"

    def weight_of_gap(self, source: Source, k: int) -> Fraction | None:
        """Return what a missing value of a source adds to a score; None if its row has no prediction."""
        if not self.gap_counts or (source.gap is None and self.unseen == "refuse"):
            return None
        if source.gap is not None:
            return self.weights[k][source.gap]
        return Fraction(0) if source.number is None else self.weights[k][source.number] * _zero(source)

    def names(self) -> list[str]:
        """Return all texts from users that an export may hold: names of columns, categories, gaps, labels."""
        texts = [text for source in self.sources for text in (source.name, *source.categories)]
        labels = [each for each in self.classes if isinstance(each, str)]
        return [*texts, *labels, *self.gaps]


def rule_of(model: Model, unseen: str) -> Rule:
    """Return what a model says; refuse one that computes otherwise than in fractions."""
    if unseen not in ("refuse", "ignore"):
        raise ValueError(Message(Remedy("unseen", unseen), " is not known; it must be refuse or ignore."))
    classifier = model.learner
    learnt = learnt_by(classifier)
    d, tie = learnt.features, TIES[getattr(classifier, "tie", "update")]
    linear = isinstance(learnt, LearntWeights)
    machines = () if linear else machines_of(learnt, tie)
    if not linear:
        _require_machines(classifier, machines)
    table = model.table if isinstance(model.table, TextTable) else None
    missing: Missing = "refuse" if table is None else table.missing
    sources, scaling = _sources(_columns(model, d)), model.scaling
    weights, intercepts = _weights(learnt) if linear else ([], [])
    off, on = [Fraction(0)] * d, [Fraction(1)] * d
    if scaling is not None:
        sources = _with_scaling(sources, scaling, weights, intercepts)
        pairs = list(zip(scaling.shift.tolist(), scaling.scale.tolist(), strict=True))
        if not linear:
            off, on = ([Fraction((cell - shift) / scale) for shift, scale in pairs] for cell in (0.0, 1.0))
    return Rule(
        kind=kind_of(classifier),
        classes=tuple(plain(each) for each in learnt.classes),
        ties_to_last=prefers_last(tie),
        weights=tuple(map(tuple, weights)),
        intercepts=tuple(intercepts),
        sources=sources,
        missing=at_prediction(missing, unseen),
        unseen=unseen,  # type: ignore[arg-type]  # read above
        gaps=GAPS if table is None else table.gaps,
        numbers=model.numbers,
        label=model.label,
        table=table,
        machines=machines,
        off=() if linear else tuple(off),
        on=() if linear else tuple(on),
    )


def _weights(learnt: LearntWeights) -> tuple[list[list[Fraction]], list[Fraction]]:
    """Return exact weights, and as many intercepts."""
    fractions, d = learnt.exact().fractions(), learnt.features
    size = len(fractions) // learnt.vectors
    vectors = [fractions[k * size : (k + 1) * size] for k in range(learnt.vectors)]
    return [vector[:d] for vector in vectors], [vector[d] if size > d else Fraction(0) for vector in vectors]


def linear_kinds() -> str:
    """Name the classifiers that predict by hyperplanes."""
    linear = [kind.class_name for kind in KINDS.values() if issubclass(kind.load_learnt(), LearntWeights)]
    return f"{few_of(linear, _MANY)}, without a kernel"


def kind_of(classifier: Any) -> str:
    """Return what model files call a kind of classifier."""
    return next(name for name, kind in KINDS.items() if type(classifier) is kind.load())


def _require_machines(classifier: Any, machines: tuple[Machine, ...]) -> None:
    """Refuse what is not computed in fractions, or keeps too many rows to be written down."""
    if not machines:
        raise TypeError(
            f"This {type(classifier).__name__} cannot be exported, as its scores are not computed in fractions. What can be "
            f"exported: {linear_kinds()}; to Python, also VotedPerceptron, and kernels that are linear or polynomial."
        )
    numbers = sum(len(row) for machine in machines for row in machine.rows)
    if numbers > MOST_NUMBERS:
        raise ValueError(
            f"This {type(classifier).__name__} keeps rows of {numbers:,} numbers, more than the {MOST_NUMBERS:,} that are "
            f"written to a file of Python. What is short, however many rows there were: {linear_kinds()}."
        )


def _columns(model: Model, d: int) -> Iterable[Column]:
    """Return how features come from a table; those without a name are called x1, x2, and so on, as `Data` calls them."""
    if model.columns is not None:
        return model.columns
    first = model.table.base if isinstance(model.table, LibsvmTable) else 1
    return [Column(f"x{first + j}") for j in range(d)]


def _sources(columns: Iterable[Column]) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for j, (name, category, gap) in enumerate(columns):
        before = found.get(name, Source(name, None, {}, None))
        if gap:
            found[name] = Source(name, before.number, before.categories, j)
        elif category is None:
            found[name] = Source(name, j, before.categories, before.gap)
        else:
            found[name] = Source(name, before.number, {**before.categories, category: j}, before.gap)
    return tuple(found.values())


def _zero(source: Source) -> Fraction:
    """Return what 0 is when it is scaled, exactly: a float64, of two operations that are rounded."""
    shift, scale = source.scaling or (0.0, 1.0)
    return Fraction((0.0 - shift) / scale)


def _with_scaling(
    sources: tuple[Source, ...], scaling: Scaling, weights: list[list[Fraction]], intercepts: list[Fraction]
) -> tuple[Source, ...]:
    """Give sources of numbers their shift and scale; change the weights of words and gaps to those of 0 and 1, in place.

    A feature that is v where its cell is something else, and v' where it is what it stands for, adds v times its weight to
    every score, and v' - v times it where it is. Where a number is missing, it counts as 0 and is scaled like any other.
    """
    d, shift, scale = len(scaling.shift), scaling.shift.tolist(), scaling.scale.tolist()
    found = [
        source if source.number is None else replace(source, scaling=(shift[source.number], scale[source.number]))
        for source in sources
    ]
    numbers = {source.number for source in found}
    for k, vector in enumerate(weights):
        for j in range(d):
            if j not in numbers:
                low, high = (Fraction((cell - shift[j]) / scale[j]) for cell in (0.0, 1.0))
                intercepts[k] += vector[j] * low
                vector[j] *= high - low
        for source in found:
            if source.number is not None and source.gap is not None:
                vector[source.gap] += vector[source.number] * _zero(source)
    return tuple(found)
