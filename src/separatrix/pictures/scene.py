"""A scene: all that a picture shows, made once from real runs, and kept as JSON.

Plots, the report, the page and notebooks draw scenes and compute nothing of their own. Numbers in a scene are floats, close
enough for a picture; where a picture prints a number, the scene has it as an exact text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from .._types import Floats, Indices
from ..support.answer import Answer
from ..support.blocks import written
from ..support.escaping import tamed
from .parts import Part, SceneError, Truths

FORMAT = "separatrix-scene/1"


@dataclass(frozen=True, eq=False)
class View(Part):
    """How rows become points of a plane."""

    kind: str
    """``line``: one feature, and the class; ``features``: two features; ``weights``: the distance from the hyperplane, and
    the first principal direction along it; ``means``: the same of the direction from mean to mean of two classes, where
    there is no hyperplane; ``principal``: the first two principal directions; ``step``: the plane of the weights before and
    after a step of a run, in which both hyperplanes have each row on its side."""
    axes: tuple[str, str]
    """What the axes show, in words."""
    units: tuple[float, float]
    """What a coordinate of 1 stands for: 1, or a power of ten where numbers are very large or very small."""
    dimension: int
    """How many features the rows have."""
    note: str | None = None
    """What the reader must know of the projection, where there is one."""


@dataclass(frozen=True, eq=False)
class Points(Part):
    """Rows as points, thinned if there are many."""

    at: Floats
    """Coordinates, of shape (m, 2)."""
    code: Indices
    """The class of each, as a place in ``classes``."""
    row: Indices
    """The number of each row, from 0."""
    classes: tuple[str, ...]
    total: int
    """How many rows there are."""
    wrong: Truths | None = None
    """Whether the first hyperplane has it wrong."""
    support: Truths | None = None
    """Whether it holds the widest margin."""
    on: Truths | None = None
    """Whether it lies on the first hyperplane, exactly."""
    note: str | None = None
    """What is left out, where something is."""


@dataclass(frozen=True, eq=False)
class Line(Part):
    """Where a hyperplane cuts the plane of the picture: the points (u, v) with ``a u + b v + c = 0``; positive is a side."""

    name: str
    cut: tuple[float, float, float] | None
    """The numbers a, b, c, with ``a² + b² = 1``; None if it does not cut the plane of the picture."""
    equation: str
    """The rule in feature names, as the product prints it."""
    margin: float | None = None
    """How far from it the nearest row is, in units of the picture; None if the picture cannot show it, or there is none."""
    cuts: tuple[float, ...] = ()
    """Where it cuts the axes, for two features."""
    cut_texts: tuple[str, ...] = ()
    """The same numbers, as they are printed; empty for an axis that it does not cut."""
    margin_text: str | None = None
    """How far the nearest row is, as it is printed, in units of the rows; None unless all rows are right."""


@dataclass(frozen=True, eq=False)
class Border(Part):
    """Where two of several classes lead all others with equal scores: a part of a line of the plane."""

    codes: tuple[int, int]
    cut: tuple[float, float, float]
    """The line, as that of `Line`; the first class is on the positive side."""
    span: tuple[float, float]
    """From where to where, along ``(-b, a)`` from the point ``(-a c, -b c)``; infinite where it does not end."""


@dataclass(frozen=True, eq=False)
class Unit(Part):
    """The perceptron as a unit: inputs, weights, sum, threshold."""

    inputs: tuple[str, ...]
    weights: tuple[str, ...]
    """Of the inputs shown, those of the largest weights, as they are printed."""
    total: int
    intercept: str | None
    classes: tuple[str, ...]
    tie: str | None = None
    divided: bool = False
    """Whether weights and intercept are divided by the largest weight, as they are too large or too small to be read."""


@dataclass(frozen=True, eq=False)
class Update(Part):
    """One step of a run: the row that is looked at, and the weights before and after."""

    step: int
    row: int
    at: tuple[float, float]
    label: int
    mistake: bool
    score: str
    before: Line | None
    """None while all weights are zero: every point is on no side."""
    after: Line | None
    weights_before: tuple[str, ...]
    weights_after: tuple[str, ...]
    arrows: Floats
    """The weights before, what is added, and the weights after, in the plane of the picture; of shape (3, 2)."""


@dataclass(frozen=True, eq=False)
class Witness(Part):
    """Why no hyperplane separates: a point that convex combinations of both classes have in common."""

    row: Indices
    code: Indices
    at: Floats
    shares: tuple[str, ...]
    """The share of each row in its class's combination, exact."""
    common: tuple[float, float]
    hulls: tuple[Floats, ...]
    """For each class, the corners of the convex hull of all its rows in the plane, in order."""
    exact: bool
    """Whether what is seen proves it, with one or two features: in a projection, hulls that cross may be apart in space."""
    sentence: str
    points: Points | None = None
    """The rows, where they are not drawn as they are: without an intercept those of the first class are turned about the
    origin, and the common point is the origin; there is one hull then."""
    view: View | None = None
    """The plane of all this, where it is not that of the scene: a weak separator has nearly all rows on one line."""
    names: tuple[str, ...] | None = None
    """What the rows are called, where that is not by their numbers: by the lines of a text."""


@dataclass(frozen=True, eq=False)
class Course(Part):
    """The convergence theorem on a run: after k mistakes, each quantity and its line."""

    k: Indices
    alignment: Floats | None
    alignment_line: Floats | None
    length: Floats
    length_line: Floats
    cosine: Floats | None
    cosine_line: Floats | None
    bound: float | None
    mistakes: int
    converged: bool | None
    """Whether the run came to a pass without a mistake; None if that is not known."""
    letters: tuple[str, ...]
    """What the margin and the radius are called, with their numbers; the radius alone if there is no margin."""
    lines: tuple[str, str, str] = ("k γ", "√k R", "√k γ / R")
    """What the lines of the alignment, the length and the cosine are called."""
    meeting: tuple[float, float] | None = None
    """Where the lines of alignment and length meet, which is at the bound: k, and how high; None if that is not known."""
    notes: tuple[str, ...] = ()
    """What is left out, and what the run lacks."""


@dataclass(frozen=True, eq=False)
class Curve(Part):
    """Numbers in the course of something, such as errors after each update."""

    name: str
    at: Floats
    value: Floats
    steps: bool = False
    """Whether a value holds until the next one, as counts do."""
    dots: bool = False
    """Whether they are single values, with nothing between them."""


@dataclass(frozen=True, eq=False)
class Chart(Part):
    """Curves on common axes, and what is known of them all."""

    axes: tuple[str, str]
    curves: tuple[Curve, ...]
    levels: tuple[tuple[str, float], ...] = ()
    """Horizontal lines, such as a bound."""
    note: str | None = None


@dataclass(frozen=True, eq=False)
class WeightSpace(Part):
    """A plane of the space of weights: each row allows a half-plane, all of them together a cone; the run is a path."""

    axes: tuple[str, str]
    normals: Floats
    """Of shape (m, 2): weights w are right about the row if ``normal . w > 0``."""
    code: Indices
    row: Indices
    path: Floats
    """Weights of the run, of shape (steps + 1, 2)."""
    k: Indices
    star: tuple[float, float] | None
    """The direction of w*, at length 1."""
    classes: tuple[str, ...]
    total: int
    cone: tuple[float, float] | None = None
    """Between which angles weights are right about all rows; None if none are."""
    note: str | None = None


@dataclass(frozen=True, eq=False)
class Foot(Part):
    """A point, and its foot on the hyperplane."""

    point: tuple[float, float]
    foot: tuple[float, float]
    distance: str
    label: str


@dataclass(frozen=True, eq=False)
class Bar(Part):
    """A classifier in a comparison."""

    name: str
    errors: int | None
    cv_error: float | None
    cv_spread: float | None
    failure: str | None
    """Why there is nothing to show of it, or not all."""
    bounded: bool = True
    """Whether it is a hyperplane in the given features, so that the bound applies to it."""


@dataclass(frozen=True, eq=False)
class Bars(Part):
    """Classifiers side by side."""

    bars: tuple[Bar, ...]
    rows: int
    lower_bound: float | None
    folds: int
    note: str | None = None


_IN_WORDS = ("title", "notes")


@dataclass(frozen=True, eq=False, repr=False)
class Scene(Part, Answer):
    """What there is to see of an answer; make one with `scene`. Parts that it has nothing to say on are None.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> seen = sx.scene(sx.decide(X, y))
    >>> seen.points.at.tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Scene.from_json(seen.to_json()) == seen
    True
    """

    title: str
    view: View | None = None
    points: Points | None = None
    lines: tuple[Line, ...] = ()
    borders: tuple[Border, ...] = ()
    notes: tuple[str, ...] = ()
    """What else the reader must know."""
    unit: Unit | None = None
    updates: tuple[Update, ...] = ()
    witness: Witness | None = None
    weight_space: WeightSpace | None = None
    feet: tuple[Foot, ...] = ()
    course: Course | None = None
    loss: Chart | None = None
    kink: Chart | None = None
    pocket: Chart | None = None
    online: Chart | None = None
    bounds: Chart | None = None
    comparison: Bars | None = None

    def __repr__(self) -> str:
        return f"<Scene: {tamed(self.title)}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what there is to see; ``format`` as in `Verdict.explain`."""
        parts = [each.name for each in fields(self) if each.name not in _IN_WORDS]
        there = [name.replace("_", " ") for name in parts if getattr(self, name) not in (None, ())]
        return written([f"{self.title.rstrip('.')}. To see: {', '.join(there) or 'nothing'}.", *self.notes], format)

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps({"format": FORMAT, **self.document()}, ensure_ascii=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Scene:
        """Read a scene from JSON. What is not one is refused, with its place."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise SceneError("It is not JSON, so it is no scene.") from None
        given = document.pop("format", None) if isinstance(document, dict) else None
        if given != FORMAT:
            raise SceneError(f"The format must be {FORMAT!r}, got {given!r:.60}.")
        return cls.of_document(document)

    def require(self, name: str, picture: str) -> Any:
        """Return a part that a picture cannot do without."""
        part = getattr(self, name)
        if part is None or part == ():
            has = [each.name for each in fields(self)[1:] if getattr(self, each.name) not in (None, ())]
            raise SceneError(
                f"The picture {picture!r} shows {name}, and the scene {self.title!r} has none. "
                f"It has: {', '.join(has) or 'nothing'}."
            )
        return part
