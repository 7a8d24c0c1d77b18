"""What a comparison of classifiers found, as a table: for a person, a notebook or a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any

from ..problem.majority import Majority
from ..proof.certificate import Certificate
from ..support.answer import Answer
from ..support.blocks import Block, Grid, written
from ..support.console import printed
from ..support.counts import counted, percent
from ..support.escaping import markdown, shown, tamed
from ..support.notebook import with_picture

_TITLES = ("classifier", "errors", "cross-validation", "margin", "mistakes", "fit")

_MARK = " *"

_SCALED = {
    "none": "", "standard": ", standardised", "minmax": ", scaled to reach from 0 to 1",
    "maxabs": ", divided by their largest magnitude",
}  # fmt: skip


NOT_BEGUN = "not begun, as the time was up"

NOT_FINISHED = "not finished, as the time was up before it had learnt all classes"

_OF_TIME = {NOT_BEGUN: "not begun", NOT_FINISHED: "not finished"}
"""What the table says where there was no time; the remarks say it in full."""


class NoHyperplane(str):
    """Why there is nothing to show of a classifier that separates the classes or gives up: no hyperplane does."""

    def __new__(cls, text: str = "not separable") -> NoHyperplane:
        """Make the text, which is always the same."""
        return super().__new__(cls, text)


def in_few_words(failure: str | None) -> str:
    """Say why there is nothing to show, as short as a cell of the table."""
    return failure if isinstance(failure, NoHyperplane) else _OF_TIME.get(failure or "", "failed")


@dataclass(frozen=True, kw_only=True)
class Standing(Answer):
    """One classifier in a comparison.

    Attributes
    ----------
    name : str
        What it is called.
    errors : int or None
        The rows it misclassifies of those it learnt from.
    cv_error, cv_spread : float or None
        The share of errors on rows it did not learn from: its mean over the folds, and its standard deviation (with one
        less than the number of folds in the denominator).
    fold_errors : tuple of float
        That share in each fold; the folds are the same for all classifiers.
    margin : float or None
        If it is a hyperplane that separates the classes: the distance of the nearest row from it, rounded down, in the
        features it learns from.
    mistakes : int or None
        The mistakes it made while it learnt, if it counts them.
    seconds : float or None
        How long it took to learn from all rows.
    hyperplane : bool or None
        Whether its predictions are those of a hyperplane in the given features, so that the bound applies to it; None if
        there are more than two classes.
    failure : str or None
        Why there is nothing to show, or not everything; a `NoHyperplane` if the classes are not separable.
    notes : tuple of str
        What it warned of.
    """

    name: str
    errors: int | None = None
    cv_error: float | None = None
    cv_spread: float | None = None
    fold_errors: tuple[float, ...] = ()
    margin: float | None = None
    mistakes: int | None = None
    seconds: float | None = None
    hyperplane: bool | None = None
    failure: str | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Standing: {self._said()}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say how the classifier did; ``format`` as in `Verdict.explain`."""
        return written([f"{self._said()}.", *self.notes], format)

    def _said(self) -> str:
        if self.failure is not None and self.errors is None:
            return f"{shown(self.name)}: {self.failure}".rstrip(".")
        parts = [] if self.errors is None else [f"{counted(self.errors, 'training error')}"]
        parts += [] if self.cv_error is None else [f"{100 * self.cv_error:.1f} % errors in cross-validation"]
        parts += [] if self.margin is None else [f"margin {self.margin:.6g}"]
        return f"{shown(self.name)}: {', '.join(parts) or 'nothing to show'}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    table : tuple of Standing
        The classifiers, in the order given.
    lower_bound : int or None
        The training errors that no hyperplane avoids, proved; None if there are more than two classes.
    upper_bound : int or None
        The training errors of the best hyperplane that was found on the way.
    certificate : Certificate or None
        What proves the lower bound.
    rows, features : int
        The size of the data.
    classes : tuple
        The classes.
    folds : int
        Into how many parts the rows were divided; 0 if they were not.
    scale : {"none", "standard", "minmax", "maxabs"}
        How features were scaled.
    interrupted : bool
        Whether Ctrl-C ended the comparison.
    notes : tuple of str
        What should be known of the whole.
    majority : Majority or None
        The most frequent class, and the errors that it makes on these rows to say it always: what to do better than.
    """

    table: tuple[Standing, ...]
    lower_bound: int | Fraction | None
    upper_bound: int | Fraction | None
    certificate: Certificate | None = field(compare=False)
    rows: int
    features: int
    classes: tuple[Any, ...]
    folds: int
    scale: str
    interrupted: bool
    notes: tuple[str, ...]
    models: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The classifiers that have learnt from all rows, by name: see `fitted`."""
    majority: Majority | None = None

    @property
    def standardised(self) -> bool:
        """Whether features were brought to mean 0 and standard deviation 1."""
        return self.scale == "standard"

    @property
    def best(self) -> Standing | None:
        """The one with the least error in cross-validation and, of several, with the fewest errors; None if all failed.

        Where time or Ctrl-C has left out folds, those that have been tried on more of them come first.
        """
        there = [each for each in self.table if each.errors is not None and each.failure is None]
        return min(there, key=lambda each: (-len(each.fold_errors), each.cv_error or 0.0, each.errors or 0), default=None)

    def fitted(self, name: str | None = None) -> Any:
        """Return a classifier that has learnt from all rows, with its scaler in a pipeline if there is one.

        Parameters
        ----------
        name : str, optional
            What the table calls it; without, that of `best`.

        Returns
        -------
        estimator
            It makes the training errors of the table. `save_model` takes those of this library. Where ``positive`` was
            given, they call the other classes by one name, "not" that one; classifiers of other libraries have learnt
            True for it and False for all others.
        """
        if name is None:
            if self.best is None:
                raise ValueError("No classifier of the table has learnt from all rows.")
            name = self.best.name
        standing = self[name]
        if name not in self.models:
            raise ValueError(f"{name!r} has not learnt from all rows: {standing.failure or 'it was stopped'}.")
        return self.models[name]

    def __getitem__(self, name: str) -> Standing:
        """Return a classifier by its name."""
        for each in self.table:
            if each.name == name:
                return each
        raise KeyError(f"There is no {name!r} in the table, which has: {', '.join(each.name for each in self.table)}.")

    def document(self) -> dict[str, Any]:
        """Return all of it but the certificate, as JSON has it."""
        own = ("rows", "features", "folds", "scale", "standardised", "lower_bound", "upper_bound", "interrupted")
        return {
            **{name: getattr(self, name) for name in own},
            "classes": [value.item() if hasattr(value, "item") else value for value in self.classes],
            "table": [{**asdict(each), "fold_errors": list(each.fold_errors), "notes": list(each.notes)}
                      for each in self.table],
            "notes": list(self.notes),
            "majority": None if self.majority is None else self.majority.document(),
        }  # fmt: skip

    def to_frame(self, backend: str) -> Any:
        """Return the table as a data frame, a row for each classifier.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library whose table it is to be. It must be installed; pyarrow always is.
        """
        import narwhals.stable.v2 as nw

        if backend not in ("pandas", "polars", "pyarrow"):
            raise ValueError(f"backend must be 'pandas', 'polars' or 'pyarrow', got {backend!r}.")
        names = [name for name in Standing.__dataclass_fields__ if name not in ("fold_errors", "notes")]
        columns: dict[str, list[Any]] = {name: [getattr(each, name) for each in self.table] for name in names}
        columns["notes"] = ["\n".join(each.notes) for each in self.table]
        kinds = {"errors": nw.Int64(), "mistakes": nw.Int64(), "hyperplane": nw.Boolean()}
        floats = dict.fromkeys(("cv_error", "cv_spread", "margin", "seconds"), nw.Float64())
        schema = {name: kinds.get(name) or floats.get(name) or nw.String() for name in columns}
        if backend == "pandas":  # whose integers and booleans know no gaps, unless they are objects
            schema = None  # type: ignore[assignment]
        try:
            library: Any = import_module(backend)
        except ImportError:
            raise ImportError(
                f"to_frame({backend!r}) needs {backend}, which is not installed: pip install {backend}. "
                "Without it there are to_frame('pyarrow'), to_markdown() and table."
            ) from None
        return nw.from_dict(columns, schema, backend=library).to_native()

    def to_markdown(self) -> str:
        """Return it all as Markdown."""
        heading = [markdown(text) for text in (self._heading(), self._bound()) if text]
        lines = [line for text in heading for line in (text, "")]
        if self.table:
            lines += [_line(_TITLES), "|---|" + "---:|" * (len(_TITLES) - 1)]
        lines += [_line(self._cells(each)) for each in self.table]
        legend = map(markdown, self._legend())
        remarks = [f"- {markdown(text)}" for text in self._remarks()]
        return "\n".join([*lines, "", *("\n\n".join(legend).splitlines()), *([""] if remarks else []), *remarks]) + "\n"

    def to_html(self) -> str:
        """Return it all as HTML, a piece of a page; names are escaped."""
        blocks: list[Block] = [text for text in (self._heading(), self._bound()) if text]
        if self.table:
            blocks.append(Grid(_TITLES, [self._cells(each) for each in self.table]))
        return written([*blocks, *self._legend(), *self._remarks()], "html")

    def explain(self, width: int = 100) -> str:
        """Return it as a person at a terminal sees it."""
        return printed(self, width)

    def __str__(self) -> str:
        return self.explain().rstrip("\n")

    def __repr__(self) -> str:
        bound = (
            "" if self.lower_bound is None else f"; no hyperplane makes fewer than {counted(int(self.lower_bound), 'error')}"
        )
        return f"<Comparison: {counted(len(self.table), 'classifier')}, {counted(self.rows, 'row')}{bound}>"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return with_picture(self, self.to_html())

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        parts: list[Any] = [Text(self._heading())]
        if self._bound():
            parts.append(Text(self._bound()))
        grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for title in _TITLES:
            first = title == _TITLES[0]
            grid.add_column(Text(title), justify="left" if first else "right", no_wrap=not first, overflow="fold")
        for each in self.table:
            grid.add_row(*map(Text, self._cells(each)))
        if self.table:
            parts += [Text(), grid, Text(), *map(Text, self._legend())]
        remarks = self._remarks()
        if remarks:
            items = Table.grid(padding=(0, 1, 0, 0))
            for text in remarks:
                items.add_row(Text("-"), Text(text))
            parts += [Text(), items]
        return Group(*parts)

    # Below: what the texts are made of.

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table as texts: the titles of its columns, and a row for each classifier."""
        return _TITLES, [self._cells(each) for each in self.table]

    def sentences(self) -> tuple[str, list[str], list[str]]:
        """Return what is said beside the table: on the bound (empty if there is none), on the columns, and remarks."""
        return self._bound(), self._legend(), self._remarks()

    def _heading(self) -> str:
        classes = list(map(shown, self.classes))
        what = f"{classes[1]} against {classes[0]}" if len(classes) == 2 else f"{len(classes)} classes"
        size = f"{counted(self.rows, 'row')}, {counted(self.features, 'feature')}"
        return f"{size}{_SCALED[self.scale]}: {what}."

    def _bound(self) -> str:
        if self.lower_bound is None or self.upper_bound is None:
            return ""
        if self.upper_bound == 0:
            return "A hyperplane separates the classes, which is proved: no errors need be made."
        in_table = [each.errors for each in self.table if each.hyperplane and each.errors is not None]
        best = ""
        if self.lower_bound == self.upper_bound:
            best = "; one that makes no more was found on the way"
        elif self.upper_bound < min(in_table, default=self.rows):
            best = f"; the best one found on the way makes {self.upper_bound:,}"
        if self.lower_bound == 0:
            return f"How many errors a hyperplane must make is not known, for lack of time{best}."
        return (
            f"No hyperplane makes fewer than {counted(int(self.lower_bound), 'error')} on these rows, which is proved{best}."
        )

    def _marked(self, each: Standing) -> bool:
        return self.lower_bound is not None and each.hyperplane is False

    def _cells(self, each: Standing) -> tuple[str, ...]:
        name = shown(each.name) + (_MARK if self._marked(each) else "")
        if each.errors is None:
            return name, in_few_words(each.failure), *("–" for _ in _TITLES[2:])
        crossed = "–" if each.cv_error is None else f"{100 * each.cv_error:.1f} % ± {100 * (each.cv_spread or 0.0):.1f}"
        return (
            name, f"{each.errors:,} ({percent(each.errors, self.rows)})", crossed,
            "–" if each.margin is None else f"{each.margin:.4g}",
            "–" if each.mistakes is None else f"{each.mistakes:,}", duration(each.seconds or 0.0),
        )  # fmt: skip

    def _legend(self) -> list[str]:
        if not self.table:
            return []
        crossed = f"; cross-validation: on others, mean and standard deviation over {self.folds} folds" if self.folds else ""
        legend = [f"errors: on the rows learnt from{crossed}."]
        if any(each.margin is not None for each in self.table):
            legend.append("margin: the distance of the nearest row, if the classes are separated.")
        if any(map(self._marked, self.table)):
            legend.append("* not a hyperplane in these features: the bound on errors does not apply.")
        if self.majority is not None:
            legend.append(self.majority.in_words())
        return legend

    def _remarks(self) -> list[str]:
        failed: dict[str, list[str]] = {}
        grouped: dict[str, list[str]] = {}
        for each in self.table:
            if each.failure is not None and not isinstance(each.failure, NoHyperplane):
                failed.setdefault(each.failure, []).append(shown(each.name))
            for note in each.notes:
                grouped.setdefault(note, []).append(shown(each.name))
        failures, warned = ([f"{', '.join(names)}: {text}" for text, names in some.items()] for some in (failed, grouped))
        stopped = ["Stopped by Ctrl-C: this is what was there."] if self.interrupted else []
        return [tamed(" ".join(text.split())) for text in (*self.notes, *failures, *warned, *stopped)]


def duration(seconds: float) -> str:
    """Write how long something took.

    >>> duration(0.0004), duration(0.0123), duration(2.345), duration(120)
    ('<1 ms', '12 ms', '2.3 s', '120 s')
    """
    if seconds < 0.001:
        return "<1 ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds:.0f} s"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(markdown, cells))} |"
