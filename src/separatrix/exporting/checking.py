"""Whether what was exported predicts as the model does: proved row by row, and tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem.exact_rows import ExactRows
from ..problem.problem import Problem
from ..problem.row_names import RowNames
from ..support import progress
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from .rule import Rule
from .running import Cells, NotRun, Ran, cells_of
from .score_bound import bound_for

_CELLS_AT_ONCE = 2**20
"""Numbers in the rows that are run at a time."""

MOST_LISTED = 60
"""Rows that are named one by one."""


@dataclass(frozen=True, repr=False)
class ExportCheck(Answer):
    """How the predictions of what was exported compare with those of the model.

    Attributes
    ----------
    to : {"python", "sql", "onnx"}
        What it was exported to.
    rows : int
        How many rows were predicted.
    near_ties : tuple of int
        The rows for which it is not proved that predictions are the same, counted from 0: their scores are within the bound
        of what float64 makes of them. Exported Python computes exactly, and has none.
    differing : tuple of int, or None
        The rows for which predictions were not the same when it was run; None if it could not be run.
    ran_by : str
        What has run it, or why nothing could.
    """

    to: str
    rows: int
    near_ties: tuple[int, ...]
    differing: tuple[int, ...] | None
    ran_by: str
    _names: RowNames

    @property
    def proved(self) -> int:
        """For how many rows it is proved that predictions are the same."""
        return self.rows - len(self.near_ties)

    def __repr__(self) -> str:
        tried = "not run" if self.differing is None else f"{counted(len(self.differing), 'difference')} in {self.rows:,}"
        return f"<ExportCheck of {self.to}: proved equal for {self.proved:,} of {counted(self.rows, 'row')}; {tried}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say for how many rows predictions are proved to be the same, and where not; ``format`` as in `Verdict.explain`."""
        if self.near_ties:
            proved = (
                f"Predictions are proved to be those of the model for {self.proved:,} of {counted(self.rows, 'row')}. "
                f"{counted(len(self.near_ties), 'row')} may be predicted otherwise, with scores nearer to a tie than "
                f"float64 is sure to tell: {self._names.listed(self.near_ties, MOST_LISTED)}{self._names.aside}."
            )
        else:
            proved = f"Predictions are proved to be those of the model for all of the {counted(self.rows, 'row')}."
        if self.differing is None:
            return written([f"{proved} It was not run: {self.ran_by}."], format)
        differ = "all are the same"
        if self.differing:
            listed = self._names.listed(self.differing, MOST_LISTED)
            differ = f"predictions differ in {counted(len(self.differing), 'row')}: {listed}{self._names.aside}"
        return written([f"{proved} Run by {self.ran_by}, {differ}."], format)

    def document(self) -> dict[str, Any]:
        """Return what was found as JSON has it; rows are counted from 0."""
        return {
            "to": self.to,
            "rows": self.rows,
            "proved": self.proved,
            "near_ties": list(self.near_ties),
            "near_tie_places": list(map(self._names.name, self.near_ties)),
            "differing": None if self.differing is None else list(self.differing),
            "differing_places": list(map(self._names.name, self.differing or ())),
            "ran_by": self.ran_by,
        }


def checked(
    to: str,
    rule: Rule,
    rows: ExactRows,
    expected: Sequence[Any],
    run: Callable[[Cells], Ran],
) -> ExportCheck:
    """Compare predictions with those of a model, on rows in the columns that it has learnt."""
    near = [] if to == "python" else bound_for(rule, rows, of_text=to == "sql").undecided(rows).tolist()
    differing: list[int] | None = []
    by = "nothing, as there are no rows"
    try:
        step = max(1, _CELLS_AT_ONCE // rows.shape[1])
        for start in range(0, len(rows), step):
            progress.report(lambda: "running what was exported", start, len(rows), "rows")
            some = rows[np.arange(start, min(start + step, len(rows)))]
            ran = run(cells_of(rule, some, exact=to == "python"))
            by = ran.by
            pairs = zip(ran.labels, expected[start : start + len(some)], strict=True)
            differing += [start + k for k, (found, wanted) in enumerate(pairs) if found != wanted]  # type: ignore[operator]
    except NotRun as why:
        differing, by = None, str(why)
    names = RowNames(Problem.bare(rows, False), [*near, *(differing or [])])
    return ExportCheck(to, len(rows), tuple(near), None if differing is None else tuple(differing), by, names)
