"""The report: all answers about some data, gathered once, in one file."""

from __future__ import annotations

import numbers
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from ..comparison.results import Comparison
from ..compiled.environment import checked_arithmetic
from ..errors.disagreement import Disagreement
from ..estimators.perceptron import Perceptron
from ..estimators.scaler import Scaler
from ..problem.scaling import KINDS
from ..separation.margins import Margin
from ..separation.verdict import Verdict
from ..support.answer import Answer
from ..support.blocks import written
from ..support.calls import Verbose, long_call
from ..support.clock import Clock, read_time_limit
from ..support.writing import write_whole
from ..theorem.ledger import Ledger
from .answers import Answers, Limits, gather
from .document import page
from .draft import Draft
from .drawing import require_matplotlib
from .material import Material, Origin


class Report(Answer):
    """What `report` returns: the answers, and a page with all of them.

    Attributes
    ----------
    verdict : Verdict or None
        What `decide` found; None with more than two classes, as are the next three, or if Ctrl-C or the end of the time came
        first.
    margin : Margin or None
        The geometric margin, of separable classes.
    ledger : Ledger or None
        The convergence theorem on the run.
    disagreement : Disagreement or None
        The fewest errors.
    perceptron : Perceptron or None
        The run.
    scaler : Scaler or None
        What has scaled the rows of the run, if ``scale`` asked for that.
    comparison : Comparison or None
        Classifiers side by side.
    interrupted : bool
        Whether Ctrl-C ended the work.
    out_of_time : bool
        Whether the time limit did.
    missing : list of str
        What was left undone then.
    seconds : dict
        How long each part took.
    """

    def __init__(self, material: Material, limits: Limits, without_rows: bool, answers: Answers) -> None:
        self._material, self._limits, self._without_rows, self._answers = material, limits, without_rows, answers

    @classmethod
    def of(cls, material: Material, limits: Limits, without_rows: bool) -> Report:
        """Gather the answers about some material."""
        require_matplotlib()
        return cls(material, limits, without_rows, gather(material, limits))

    @property
    def verdict(self) -> Verdict | None:
        """What `decide` found."""
        return self._answers.verdict

    @property
    def margin(self) -> Margin | None:
        """The geometric margin."""
        return self._answers.margin

    @property
    def ledger(self) -> Ledger | None:
        """The convergence theorem on the run."""
        return self._answers.ledger

    @property
    def disagreement(self) -> Disagreement | None:
        """The fewest errors."""
        return self._answers.disagreement

    @property
    def perceptron(self) -> Perceptron | None:
        """The run."""
        return self._answers.perceptron

    @property
    def scaler(self) -> Scaler | None:
        """What has scaled the rows of the run."""
        return self._answers.scaler

    @property
    def comparison(self) -> Comparison | None:
        """Classifiers side by side."""
        return self._answers.comparison

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the work."""
        return self._answers.interrupted

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit ended the work."""
        return self._answers.out_of_time

    @property
    def missing(self) -> list[str]:
        """What was left undone then."""
        return self._answers.missing

    @property
    def seconds(self) -> dict[str, float]:
        """How long each part took."""
        return self._answers.seconds

    @cached_property
    @checked_arithmetic
    def html(self) -> str:
        """The page, as HTML."""
        from .. import __version__

        clock = Clock(self._answers.left)
        return page(Draft(self._material, self._answers, self._limits, self._without_rows, clock=clock), __version__)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        found, material = self._answers, self._material
        size = f"{material.n:,} rows, {material.d:,} features"
        what = f"{len(material.classes)} classes" if found.verdict is None else str(found.verdict.status)
        stopped = "; stopped by Ctrl-C" if found.interrupted else "; stopped by the time limit" if found.out_of_time else ""
        return f"<Report: {size}, {what}{stopped}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what was found, in a few sentences; the page has it all. ``format`` as in `Verdict.explain`."""
        said = [f"{self.__repr__()[1:-1]}."]
        said += [] if self.verdict is None else [self.verdict.message]
        said += [] if self.disagreement is None else [f"{repr(self.disagreement)[1:-1].removeprefix('Disagreement: ')}."]
        return written([*said, "The page has it all: save it with report.save('report.html')."], format)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own: its style and its script are no one else's."""
        return (
            f'<iframe title="Report" srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" width="100%" '
            'height="720" style="border: 1px solid #ccc"></iframe>'
        )


@long_call
def report(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    scale: str | None = None,
    without_rows: bool = False,
    time_limit: float | None = None,
    bound_time_limit: float | None = 10.0,
    max_iter: int = 1000,
    cv: int | None = 5,
    random_state: int = 0,
    title: str = "the data",
    verbose: Verbose = False,
) -> Report:
    """Answer all questions about some data, once each, and gather the answers in one HTML file.

    It has the verdict with its proof, the classifier in feature names, the margin, the fewest errors and where they are, the
    convergence theorem on a run of the perceptron, a comparison of classifiers, what was done to the columns, and the
    certificates with how to check them. Pictures take matplotlib: ``pip install 'separatrix[plot]'``.

    Parameters
    ----------
    X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d), or Data
        The rows; or rows with their labels, as `read_data` returns them.
    y : array of shape (n,)
        The labels. With more than two classes and without ``positive``, there is a run and a comparison, and no proof.
    positive : label, optional
        The class to set against all others.
    scale : {"none", "standard", "minmax", "maxabs"}, optional
        How rows are scaled, by a `Scaler`, for the run of the perceptron, its audit, and the comparison. Without it, the run
        is on the rows as they are, and the comparison on standardised ones. All else is about the rows as they are.
    without_rows : bool, default=False
        Whether to leave out what shows single rows: their values, and pictures in which they are points.
    time_limit : float, optional
        Seconds for the report as a whole, about, beyond reading the rows. Its parts share them: the verdict first, then the
        margin, the fewest errors, the run and its audit, and the comparison; some are kept for the page. What there is no
        time for is left out, which the page says, with the call that answers it. Ctrl-C ends the work likewise.
    bound_time_limit : float or None, default=10
        Seconds for the search for the fewest errors, at most; None: until it is done, which may take for ever.
    max_iter : int, default=1000
        Passes of the perceptron, at most.
    cv : int or None, default=5
        Folds of the comparison; None for none.
    random_state : int, default=0
        The seed of the search and of the comparison.
    title : str
        What the data is called.
    verbose : bool or callable, default=False
        Whether to show the progress, once it takes longer than a second; or a function that is called with each `Progress`.

    Returns
    -------
    Report
        ``report.save("report.html")`` writes it; in a notebook it shows itself.

    Examples
    --------
    >>> import separatrix as sx
    >>> found = sx.report([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found
    <Report: 4 rows, 2 features, overlapping>
    >>> found.disagreement.lower, found.html.startswith("<!DOCTYPE html>")
    (1, True)
    """
    limits = read_limits(time_limit, bound_time_limit, max_iter, cv, random_state, scale)
    if not isinstance(without_rows, bool):
        raise ValueError(f"without_rows must be True or False, got {without_rows!r}.")
    return Report.of(Material.of(X, y, positive, Origin(str(title))), limits, without_rows)


def read_limits(
    time_limit: float | None,
    bound_time_limit: float | None,
    max_iter: int,
    cv: int | None,
    random_state: int,
    scale: str | None = None,
) -> Limits:
    """Return how far the work goes, and on which rows; refuse what limits nothing."""
    if scale is not None and scale not in KINDS:
        raise ValueError(f"scale must be one of {', '.join(map(repr, KINDS))}, or None, got {scale!r}.")
    for what, value, least in (
        ("max_iter", max_iter, 1),
        ("cv", 2 if cv is None else cv, 2),
        ("random_state", random_state, 0),
    ):
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
            none = ", or None for none" if what == "cv" else ""
            raise ValueError(f"{what} must be a whole number from {least} up{none}, got {value!r}.")
    kind: Any = scale
    seconds, for_bound = read_time_limit(time_limit), read_time_limit(bound_time_limit)
    return Limits(seconds, for_bound, int(max_iter), None if cv is None else int(cv), int(random_state), kind)
