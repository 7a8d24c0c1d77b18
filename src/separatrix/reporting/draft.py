"""A report in the making: what the sections are written from, and what they have shown of the data so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..pictures.making import scene as scene_of
from ..pictures.scene import Points, Scene
from ..pictures.thinning import chosen_rows
from ..problem.rows import stored
from ..support.clock import Clock
from ..support.interruption import is_kept
from .answers import Answers, Limits
from .drawing import svg_of
from .markup import Markup, code, figure, paragraphs, tag
from .material import Material

_MOST_POINTS = 800
"""Rows that a picture of a report shows: it is to be sent by mail."""

_SOME_PICTURES = "some of the pictures"


_NUMBERS_PER_SECOND = 5e6
"""Numbers of the rows that are looked at in a second for a picture that shows rows, about."""


@dataclass
class Draft:
    """The material, the answers, and what is shown of them."""

    material: Material
    answers: Answers
    limits: Limits
    without_rows: bool
    scenes: dict[str, Scene] = field(default_factory=dict)
    """What the pictures are drawn from, by their names."""
    valued: set[int] = field(default_factory=set)
    """Rows whose values stand in the text."""
    drawn: set[int] = field(default_factory=set)
    """Rows that are points of a picture."""
    hurried: bool = False
    """Whether Ctrl-C came while pictures were drawn: the page is written without those that are missing."""
    clock: Clock = field(default_factory=Clock)
    """The time that the page may take."""
    _made: dict[int, tuple[Any, Scene]] = field(default_factory=dict)

    def values_of(self, rows: Iterable[int]) -> None:
        """Keep in mind that values of these rows stand in the text."""
        self.valued.update(map(int, rows))

    def scene(self, answer: Any) -> Scene:
        """Return the scene of an answer, made once."""
        if id(answer) not in self._made:
            self._made[id(answer)] = answer, scene_of(answer)  # the answer is kept, so that no other has its id
        return self._made[id(answer)][1]

    def picture(
        self, key: str, draw: Callable[..., Any], answer: Any, caption: str, part: str = "points", height: float = 4.4
    ) -> Markup:
        """Draw a picture of one part of the scene of an answer; return a note instead, if rows are to be left out."""
        if self.hurried or not self.has_time_for(part):
            return self._left_out()
        try:
            return self._picture(key, draw, answer, caption, part, height)
        except KeyboardInterrupt as reason:  # all answers are there: the page is written with them
            self.hurried = self.answers.interrupted = is_kept(reason)
            return self._left_out()

    def has_time_for(self, part: str = "points") -> bool:
        """Whether there is time to draw a picture of a part of a scene."""
        needed = stored(self.material.rows.numerators) / _NUMBERS_PER_SECOND if part == "points" else 0.0
        return needed < self.clock.left()

    def _left_out(self) -> Markup:
        if _SOME_PICTURES not in self.answers.missing:
            self.answers.missing.append(_SOME_PICTURES)
        self.answers.out_of_time = self.answers.out_of_time or not self.answers.interrupted
        why = "Ctrl-C came first" if self.answers.interrupted else "there was no time to draw it"
        return tag("p", f"There is no picture here: {why}.", class_="note")

    def not_done(self, what: str, words: Sequence[str], call: str) -> list[Markup]:
        """Say that something was not done, why, and how it is asked by itself; see `Material.asked`."""
        if not self.answers.out_of_time:
            return [paragraphs(f"{what}: Ctrl-C came first.")]
        return [
            paragraphs(f"{what}: the time limit of {self.limits.seconds:g} s came first. This answers it, without a limit:"),
            code(self.material.asked(words, call)),
        ]

    def _picture(self, key: str, draw: Callable[..., Any], answer: Any, caption: str, part: str, height: float) -> Markup:
        if part != "points":
            seen = self.scene(answer)
            seen = Scene(seen.title, **{part: getattr(seen, part)})
        elif self.without_rows:
            return tag(
                "p", "There is no picture here: it would show rows, which are left out of this report.", class_="note"
            )
        else:
            seen = _thinned(self.scene(answer))
            self.drawn.update(each for points in _points_of(seen) for each in points.row.tolist())
        self.scenes.setdefault(key if part == "points" else part, seen)  # two pictures may be of one part
        return figure(svg_of(lambda ax: draw(seen, ax=ax), key, caption, height), caption)


def _points_of(seen: Scene) -> list[Points]:
    """Return all rows that a scene has as points; a witness may be seen in a plane of its own."""
    own = None if seen.witness is None else seen.witness.points
    return [each for each in (seen.points, own) if each is not None]


def _thinned(seen: Scene) -> Scene:
    if seen.points is not None:
        seen = replace(seen, points=fewer(seen.points))
    if seen.witness is not None and seen.witness.points is not None:
        seen = replace(seen, witness=replace(seen.witness, points=fewer(seen.witness.points)))
    return seen


def fewer(points: Points) -> Points:
    """Take some of the points, if they are many; those that are marked come first."""
    if len(points.row) <= _MOST_POINTS:
        return points
    marked = [each for each in (points.wrong, points.support, points.on) if each is not None]
    first = np.flatnonzero(np.any(marked, axis=0)) if marked else np.zeros(0, np.int64)
    kept, _ = chosen_rows(points.code, first, _MOST_POINTS)
    beside = " beside those that are marked" if first.size else ""
    arrays = {
        each.name: getattr(points, each.name)[kept]
        for each in fields(points)
        if isinstance(getattr(points, each.name), np.ndarray)
    }
    note = f"{kept.size:,} of {points.total:,} rows are shown, drawn at random from each class{beside}."
    return replace(points, **arrays, note=note)
