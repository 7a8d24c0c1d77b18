"""The rows of a table in pieces that `describe` says more of: those without gaps, in the columns that can be used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..problem.provenance import Choice, Place, Places
from .cells import cells_of, told_apart
from .decimals import Digits
from .encoding import labels_of
from .labelled_rows import rows_taken
from .loose_survey import LooseSurvey
from .pieces import Columns, Part, Piece, Pieces
from .survey import Counted, Survey

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
    """Return the pieces of such rows, and what is to be chosen of them."""
    part = _KeptPart(survey)
    label, missing = survey.label, survey.asked.missing
    choice = Choice(
        label=None if label is None else label + 1,
        only=tuple(k + 1 for k in survey.used),
        text=tuple(k + 1 for k in survey.used if k in survey.words),
        missing=missing if missing == "indicator" else "refuse",
    )
    return Pieces([part], survey.frame), choice


class _KeptPart(Part):
    """All parts of a table as one, of which rows are left out."""

    def __init__(self, survey: LooseSurvey) -> None:
        self._survey, self._passed = survey, 0
        self.name, self.layout, self.is_text = survey.frame.name, survey.frame.layout, survey.is_text
        self.total = float(survey.rows), "rows"

    def cut(self, wanted: Sequence[int]) -> Iterator[Piece]:
        """Go through the table."""
        self._passed = 0
        return self.again(range(self._survey.pieces.count))

    def again(self, numbers: Sequence[int]) -> Iterator[Piece]:
        """Read pieces."""
        for _, piece in self._survey.pieces.again(numbers):
            yield self._kept(piece)

    def done(self) -> float:
        """Tell how many rows were gone through."""
        return float(self._passed)

    def type_of(self, place: int) -> Any:
        """Return the type of a column; of numbers, that of decimals if any part has such."""
        kind = self._survey.kind(place)
        types = [part.type_of(place) for part in self._survey.pieces.parts]
        decimal = next((each for each in types if pa.types.is_decimal(each)), pa.float64())
        return _TYPES.get(kind, decimal)

    def _kept(self, piece: Piece) -> Piece:
        survey = self._survey
        places = survey.places
        position = {k: j for j, k in enumerate(places)}

        def read(wanted: Sequence[int], words: Collection[int], decimals: int, judged: bool) -> tuple[Columns, Digits]:
            """Read all columns, as how numbers are read is told by all of them."""
            table, digits = piece.read(places, [*{*survey.words, *words}], decimals, judged)
            self._passed += table.num_rows
            kept = self._rows(table)
            table = table.select([position[k] for k in wanted])
            return (table if kept.size == table.num_rows else rows_taken(table, kept)), digits

        def places_of(rows: Sequence[int]) -> list[Place]:
            table, _ = piece.read(places, survey.words, survey.way, False)
            return piece.places(self._rows(table)[list(rows)].tolist())

        return piece._replace(read=read, places=Places(places_of))

    def _rows(self, table: Columns) -> NDArray[np.int64]:
        """Return the rows of a piece that are kept."""
        survey, there = self._survey, np.ones(table.num_rows, bool)
        columns = dict(zip(survey.places, table.columns, strict=True))
        if survey.label is not None and there.size:
            there = labels_of(survey.frame, survey.label, columns[survey.label]).codes >= 0
        if survey.asked.missing != "indicator":
            gaps = survey.frame.layout.gaps
            cells = [cells_of(survey.frame.names[k], columns[k], gaps, survey.frame.where) for k in survey.used]
            for source in told_apart(cells):
                if source.gaps is not None:
                    there &= ~source.gaps
        return np.flatnonzero(there)
