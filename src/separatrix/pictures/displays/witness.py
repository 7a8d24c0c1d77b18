"""Why no hyperplane separates: hulls that meet, the rows that prove it, and the point they have in common."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._types import Floats
from .. import style
from ..making import scene
from ..scene import Points, View, Witness
from ..scenery.witnesses import hull
from .display import Display
from .rows import draw_rows, ringed_on

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from .canvas import Canvas

_MOST_LETTERS = 6
"""Rows of a proof that have a letter and a line in the legend."""

_LONGEST_SHARE = 12
"""Letters of a share that is written exactly."""


class WitnessDisplay(Display):
    """Rows, the hulls of the classes, and the rows of the proof with the point that they have in common.

    Attributes
    ----------
    points_ : list of PathCollection
        The points, class by class.
    hulls_ : list of artists
        The hulls of the classes.
    proof_ : list of artists
        For each class the hull of its rows of the proof: a triangle, a segment, or a point.
    rows_ : PathCollection
        Rings around the rows of the proof.
    common_ : PathCollection
        The common point.
    letters_ : list of Annotation
        The letters beside rows of the proof.
    lines_ : list of Line2D
        Weak separators, where there are any and the plane shows them.
    on_ : PathCollection or None
        Marks around the rows on them, unless they are very many.
    """

    picture = "witness"

    points_: list[PathCollection]
    hulls_: list[Artist]
    proof_: list[Artist]
    rows_: PathCollection
    common_: PathCollection
    letters_: list[Annotation]
    lines_: list[Line2D]
    on_: PathCollection | None

    def _draw(self, canvas: Canvas) -> None:
        witness: Witness = self.scene.require("witness", self.picture)
        view: View = witness.view or self.scene.require("view", self.picture)
        points: Points = witness.points or self.scene.require("points", self.picture)
        canvas.frame(points.at, *witness.hulls, np.array([witness.common]), equal=view.kind != "line", room=0.16)
        self.points_ = draw_rows(canvas, view, points)
        one = len(witness.hulls) == 1
        self.hulls_ = [
            drawn
            for k, corners in enumerate(witness.hulls)
            for drawn in canvas.region(corners, style.INK if one else style.colour(k), 0.07, ls=":", lw=0.9)
        ]
        self.proof_ = [
            drawn
            for k in range(1 if one else len(points.classes))
            for drawn in canvas.region(
                hull(witness.at if one else witness.at[witness.code == k]), style.INK if one else style.colour(k), 0.18, lw=2
            )
        ]
        self.lines_ = [
            drawn
            for line in (self.scene.lines if witness.view is None else ())
            if line.cut and (drawn := canvas.line(line.cut, f"{line.name}: {line.equation}", short=line.name)) is not None
        ]
        self.on_ = ringed_on(canvas, points)
        many = len(witness.row) > _MOST_LETTERS
        self.rows_ = canvas.rings(witness.at, "row of the proof" if many else None, style.INK)
        if view.kind == "line":
            canvas.ax.axvline(witness.common[0], color=style.INK, lw=0.8, ls=":", zorder=2)
        self.common_ = canvas.star(witness.common, "the origin" if one else "common point")
        self.letters_ = self._draw_letters(canvas, witness, points)
        canvas.note(witness.sentence, *self.scene.notes, view.note, points.note)
        if not witness.exact:
            canvas.note("The proof is in the numbers: hulls that cross in a projection may be apart in space.")

    def _draw_letters(self, canvas: Canvas, witness: Witness, points: Points) -> list[Annotation]:
        """Put a letter beside each row of a short proof, and say in the legend what its share is."""
        rows = len(witness.row)
        if rows > _MOST_LETTERS:
            canvas.note(f"The proof has {rows} rows; certificate.obstruction has their shares.")
            return []
        found = []
        steps = np.linspace(0, 1, 300)[:, None]
        ends = [np.asarray(each.get_xydata(), np.float64) for each in self.lines_]
        lines = [start + steps * (end - start) for start, end in ends]
        avoid: Floats = np.concatenate([points.at, *_along(witness), *lines])
        for k in range(rows):
            letter, of = "ABCDEFGH"[k], style.cut(points.classes[int(witness.code[k])], 16)
            found.append(canvas.letter(witness.at[k], letter, avoid))
            share = witness.shares[k]
            row = f"row {witness.row[k]:,}" if witness.names is None else style.cut(witness.names[k], 24)
            brief = share if len(share) <= _LONGEST_SHARE else f"about {float(Fraction(share)):.5g}"
            canvas.entry(canvas.key(letter), f"{brief} of {row}, class {of}")
        return found


def _along(witness: Witness) -> list[Floats]:
    """Return points along the segments between rows of the proof of one class, where no letter should be."""
    steps = np.linspace(0, 1, 20)[:, None]
    pairs = [(i, j) for i, j in combinations(range(len(witness.row)), 2) if witness.code[i] == witness.code[j]]
    return [witness.at, *(witness.at[i] + steps * (witness.at[j] - witness.at[i]) for i, j in pairs)]


def witness(answer: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None) -> WitnessDisplay:
    """Draw why no hyperplane separates the classes.

    The convex hulls of the classes meet, and a few rows prove it: a mean of those of one class is a mean of those of the
    other. Of one or two features the picture is the proof.

    Parameters
    ----------
    answer : Verdict, or Scene
        A verdict that is not "separable".
    X, y
        Not used; every picture takes them.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    WitnessDisplay
        What was drawn.

    Examples
    --------
    >>> import separatrix as sx
    >>> drawn = sx.plot.witness(sx.decide(*sx.examples.load("xor")))
    >>> drawn.common_.get_offsets().tolist(), drawn.scene.witness.shares
    ([[0.5, 0.5]], ('1/2', '1/2', '1/2', '1/2'))
    """
    return WitnessDisplay.from_scene(scene(answer, X, y), ax=ax)
