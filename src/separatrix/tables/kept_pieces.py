"""The rows of a table in pieces that `describe` says more of: those without gaps, in the columns that can be used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..exceptions import FileError
from ..problem.provenance import Choice, Missing, Place, Places
from .cells import cells_of, told_apart
from .decimals import Digits
from .encoding import labels_of
from .frame import Frame
from .labelled_rows import rows_taken
from .loose_survey import LooseSurvey
from .piece_survey import Counted
from .pieces import Columns, Part, Piece, Pieces, mapped
from .survey import Survey

_TYPES = {"flag": pa.bool_(), "category": pa.string(), "label": pa.string()}
"""A type of Arrow for what columns hold, where it matters."""


class KeptSurvey(Survey):
    """A survey of such rows, as of a table of its own; texts keep the order that they have in the whole table."""

    def __init__(self, survey: LooseSurvey, most: int) -> None:
        self._whole = survey
        super().__init__(*_kept_pieces(survey), most)

    def _nothing(self) -> Counted:
        counted = super()._nothing()
        for k, tally in counted.tallies.items():
            tally.expect(self._whole.now.tallies[k].texts)
        return counted


def _kept_pieces(survey: LooseSurvey) -> tuple[Pieces, Choice]:
    """Return the pieces of such rows as a table of its own, and what is to be chosen of it."""
    label, missing = survey.label, survey.asked.missing
    kept = _Kept(
        frame=survey.head, label=label, used=tuple(survey.used), missing=missing, places=tuple(survey.places),
        words=tuple(survey.words), way=survey.way, types={} if survey.is_text else _types(survey),
    )  # fmt: skip
    parts = [_KeptPart(part, own, count, kept) for part, own, count in survey.pieces.cut_parts()]
    choice = Choice(
        label=None if label is None else label + 1,
        only=tuple(k + 1 for k in survey.used),
        text=tuple(k + 1 for k in survey.used if k in survey.words),
        missing=missing if missing == "indicator" else "refuse",
    )
    return survey.pieces.made_of(parts), choice


def _types(survey: LooseSurvey) -> dict[int, Any]:
    """Return the types of columns; of numbers, that of decimals if any part has such."""
    found = {}
    for place in survey.places:
        types = [part.type_of(place) for part in survey.pieces.parts]
        decimal = next((each for each in types if pa.types.is_decimal(each)), pa.float64())
        found[place] = _TYPES.get(survey.kind(place), decimal)
    return found


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """Which rows are kept, and how they are read; picklable."""

    frame: Frame
    label: int | None
    used: tuple[int, ...]
    missing: Missing
    places: tuple[int, ...]
    """The columns that were gone through."""
    words: tuple[int, ...]
    way: int
    types: dict[int, Any]

    def rows(self, table: Columns) -> NDArray[np.int64]:
        """Return the rows of a piece that are kept."""
        there = np.ones(table.num_rows, bool)
        columns = dict(zip(self.places, table.columns, strict=True))
        if self.label is not None and there.size:
            there = labels_of(self.frame, self.label, columns[self.label]).codes >= 0
        if self.missing != "indicator":
            gaps = self.frame.layout.gaps
            cells = [cells_of(self.frame.names[k], columns[k], gaps, self.frame.where) for k in self.used]
            for source in told_apart(cells):
                if source.gaps is not None:
                    there &= ~source.gaps
        return np.flatnonzero(there)


class _KeptPart(Part):
    """A part of a table, of which rows are left out; it was cut into so many pieces."""

    def __init__(self, part: Part, own: Sequence[int], count: int, kept: _Kept) -> None:
        self._part, self._own, self._count, self._kept = part, own, count, kept
        self.name, self.layout, self.is_text = part.name, part.layout, part.is_text
        self.total = float(count), "pieces"
        self._passed = 0
        self._cuts = getattr(part, "_cuts", None), kept.label, kept.used, kept.missing
        """What tells its pieces from others of the same file."""

    @property
    def source(self) -> Any:
        """The file that it is of, if it is of one."""
        return self._part.source  # type: ignore[attr-defined]

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through it again."""
        self._passed = 0
        return self.again(range(self._count))

    def cut_up(self, wanted: Sequence[int]) -> tuple[int, FileError | None]:
        """Return how many pieces it has, as it was cut before."""
        return self._count, None

    def alone(self, number: int) -> Part:
        """Return what it takes to read one of its pieces."""
        return _KeptPart(self._part.alone(number), self._own, self._count, self._kept)

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces."""
        for piece in self._part.again(numbers):
            self._passed += 1
            yield self._kept_of(mapped(piece, self._own))

    def done(self) -> float:
        """Tell how many pieces were gone through."""
        return float(self._passed)

    def type_of(self, place: int) -> Any:
        """Return the type of a column."""
        return self._kept.types[place]

    def _kept_of(self, piece: Piece) -> Piece:
        kept = self._kept
        places = kept.places
        position = {k: j for j, k in enumerate(places)}

        def read(wanted: Sequence[int], words: Collection[int], decimals: int, judged: bool) -> tuple[Columns, Digits]:
            """Read all columns, as how numbers are read is told by all of them."""
            table, digits = piece.read(places, [*{*kept.words, *words}], decimals, judged)
            rows = kept.rows(table)
            table = table.select([position[k] for k in wanted])
            return (table if rows.size == table.num_rows else rows_taken(table, rows)), digits

        def places_of(rows: Sequence[int]) -> list[Place]:
            table, _ = piece.read(places, kept.words, kept.way, False)
            return piece.places(kept.rows(table)[list(rows)].tolist())

        return piece._replace(read=read, places=Places(places_of))
