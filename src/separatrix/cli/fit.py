"""The command ``fit``: learn a classifier and write it to a model file."""

from __future__ import annotations

import json
import math
import time
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..estimators.reports import some
from ..exceptions import FileError
from ..problem.provenance import Choice, Layout
from ..support.console import console
from ..support.counts import counted, percent
from ..support.escaping import command, shown, tamed
from . import inputs
from .algorithms import choose, drawn, findings, told
from .options import (
    DataFiles,
    Intercept,
    Json,
    refuse_seed,
    refuse_unwritable,
    with_data_options,
    words_of_choice,
    words_of_layout,
)
from .terminal import collected, progress
from .wording import MAX_CLASSES_SHOWN, all_worded

if TYPE_CHECKING:
    from ..estimators.family import Member
    from ..tables.data import Data

_MAX_FEATURES_FOR_MARGIN = 300
"""Features up to which `fit` finds the margin for the bound of the convergence theorem."""


@with_data_options
def fit(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    algorithm: Annotated[
        str,
        typer.Option(
            help="perceptron, averaged, voted, pocket, max-margin (of two classes only), kernel, least-squares or "
            "linear-program. Each takes some of the options below; others are refused."
        ),
    ] = "perceptron",
    model: Annotated[Path | None, typer.Option(help="Write the model to this file.")] = None,
    order: Annotated[str | None, typer.Option(help="Order of visits: cyclic (the default), shuffle or random.")] = None,
    tie: Annotated[
        str | None, typer.Option(help="What a score of zero predicts: update (nothing; the default), positive or negative.")
    ] = None,
    max_iter: Annotated[int | None, typer.Option(help="The most passes: 1000, of voted 10.")] = None,
    eta0: Annotated[str | None, typer.Option(help="The learning rate, a decimal: 1.")] = None,
    max_updates: Annotated[int | None, typer.Option(help="Of pocket: the most updates from a start, 10000.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Of pocket: how often to begin again, 0.")] = None,
    start: Annotated[str | None, typer.Option(help="Of pocket: the first weights, zero (the default) or best.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Of pocket: stop after so many seconds, or so many for each of more than two classes."),
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="Of max-margin: how near its bounds must be, 1e-9.")] = None,
    kernel: Annotated[str | None, typer.Option(help="Of kernel: linear, poly or rbf (the default).")] = None,
    degree: Annotated[int | None, typer.Option(help="Of the kernel poly: its degree, 3.")] = None,
    gamma: Annotated[str | None, typer.Option(help="Of the kernels poly and rbf: a number, or scale (the default).")] = None,
    coef0: Annotated[float | None, typer.Option(help="Of the kernel poly: its constant, 0.")] = None,
    intercept: Intercept = True,
    class_weight: Annotated[
        str | None,
        typer.Option(help="balanced weighs classes by their rarity (the default of linear-program), none does not."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random, and of --holdout: 0.")] = None,
    holdout: Annotated[float, typer.Option(help="Fraction of the rows to keep back for testing, e.g. 0.2.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Learn a classifier: a hyperplane with the perceptron learning algorithm, exactly, or what --algorithm names."""
    from ..models.model_file import save_model

    given = {
        "order": order, "tie": tie, "max_iter": max_iter, "eta0": eta0, "max_updates": max_updates, "restarts": restarts,
        "start": start, "time_limit": time_limit, "tolerance": tolerance, "kernel": kernel, "degree": degree,
        "gamma": gamma, "coef0": coef0, "class_weight": class_weight,
    }  # fmt: skip
    way, parameters = _way(algorithm, given, holdout, seed)
    refuse_unwritable(model, "--model", {"the data": data})
    rows = inputs.read(data, layout, choice)
    lesson = _lesson(algorithm, way, parameters, rows, choice.positive, intercept, holdout, seed or 0)
    notes = all_worded(rows.notes())
    seconds, interrupted = _learn(lesson, notes)
    result = _findings(lesson, seconds)
    if lesson.is_of_theorem():
        _hold_against_theorem(lesson, result, notes)
    if interrupted:
        notes.append(_about_interruption(result))
    notes.extend(_advice(result, data, choice, layout, intercept))
    if model is not None:
        save_model(lesson.with_named_classes(), model, data=rows)
    result |= {"model": None if model is None else str(model), "interrupted": interrupted, "notes": notes}
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        _show_fit(result, parameters.get("tie"))
    if interrupted:
        raise typer.Exit(130)


def _way(algorithm: str, given: dict[str, Any], holdout: float, seed: int | None) -> tuple[Member, dict[str, Any]]:
    """Return the algorithm with its parameters; refuse options that are not for it, or not possible."""
    given = {option: value for option, value in given.items() if value is not None}
    if not 0.0 <= holdout < 1.0:
        raise FileError(f"--holdout must be at least 0 and below 1, got {holdout}.")
    refuse_seed(seed)
    way, _ = choose(algorithm, {})
    if seed is not None and ("seed" in (way.options or {}) or not holdout):
        given["seed"] = seed
    return choose(algorithm, given)


@dataclass(frozen=True, kw_only=True)
class _Lesson:
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

    @cached_property
    def X(self) -> Any:  # noqa: N802 (what it is called everywhere)
        """The rows to learn from."""
        return self.rows.rows[self.kept] if len(self.tested) else self.rows.rows

    @property
    def y(self) -> Any:
        """Their classes."""
        return self.labels[self.kept]

    def has_copies(self) -> bool:
        """Whether each class is learnt by itself, against the rest."""
        from ..estimators._copies import Copies

        return len(self.classes) > 2 and isinstance(self.classifier, Copies)

    def is_of_theorem(self) -> bool:
        """Whether the convergence theorem is about the run, and the margin found in little time."""
        plain = self.algorithm in ("perceptron", "averaged") and self.parameters.get("class_weight") is None
        small = self.rows.shape[1] <= _MAX_FEATURES_FOR_MARGIN
        return plain and small and len(self.classes) == 2 and bool(self.classifier.halted_)

    def with_named_classes(self) -> Any:
        """Return the classifier with the names of its classes: two are learnt as False and True, the second asked for."""
        from ..estimators.learnt import with_classes

        return with_classes(self.classifier, self.classes)


def _lesson(
    algorithm: str,
    way: Member,
    parameters: dict[str, Any],
    rows: Data,
    positive: str | None,
    intercept: bool,
    holdout: float,
    seed: int,
) -> _Lesson:
    """Choose classes to learn, and rows to learn from."""
    from sklearn.utils import get_tags

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
    return _Lesson(
        algorithm=algorithm, way=way, parameters=parameters, intercept=intercept, classifier=classifier, rows=rows,
        labels=labels, classes=classes, kept=kept, tested=tested,
    )  # fmt: skip


def _learn(lesson: _Lesson, notes: list[str]) -> tuple[float, bool]:
    """Have the classifier learn; return the seconds it took, and whether Ctrl-C ended it with something to keep.

    What it warns of becomes notes.
    """
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from ..separation.verdict import NotSeparable

    keeps = lesson.way.interruptible and not lesson.has_copies()  # some of the classes would be of no use
    hint = "Ctrl-C keeps what is learnt so far" if keeps else "Ctrl-C stops it, and nothing is kept"
    interrupted = False
    X, y = lesson.X, lesson.y
    with progress("getting ready: the first run compiles its loops, once", hint), collected(notes):
        with collected([]):
            few = min(len(lesson.classes), 3)
            lesson.way.make().fit(np.arange(float(few))[:, None], np.arange(few))
        if lesson.has_copies():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one for each class; a note tells of all
        started = time.perf_counter()
        try:
            lesson.classifier.fit(X, y)
        except NotSeparable:
            raise ValueError(
                "No hyperplane separates the classes, so that none has a margin; `separatrix decide` proves it. Learn one "
                "that errs on some rows with --algorithm pocket or linear-program."
            ) from None
        except KeyboardInterrupt:
            if not keeps:
                raise KeyboardInterrupt("Stopped; nothing is kept.") from None
            if not hasattr(lesson.classifier, "classes_"):
                raise
            interrupted = True
    return time.perf_counter() - started, interrupted


def _findings(lesson: _Lesson, seconds: float) -> dict[str, Any]:
    """Return what was learnt, with its errors, for JSON."""
    classifier, tested = lesson.classifier, lesson.tested
    result: dict[str, Any] = {
        "algorithm": lesson.algorithm, "rows": len(lesson.kept), "features": lesson.rows.names,
        **findings(lesson.algorithm, classifier),
        "training_errors": int((classifier.predict(lesson.X) != lesson.y).sum()), "seconds": round(seconds, 6),
        "classes": lesson.classes,
    }  # fmt: skip
    if len(tested):
        wrong = int((classifier.predict(lesson.rows.rows[tested]) != lesson.labels[tested]).sum())
        result["holdout"] = {"rows": len(tested), "errors": wrong, "accuracy": 1 - wrong / len(tested)}
    return result


def _hold_against_theorem(lesson: _Lesson, result: dict[str, Any], notes: list[str]) -> None:
    """Add what the convergence theorem allows, or why it does not apply."""
    from ..separation.verdict import NotSeparable

    try:
        result["theorem"] = _allowed(lesson.X, lesson.y, lesson.intercept, str(lesson.parameters.get("tie") or "update"))
    except NotSeparable:
        notes.append(
            f"Some rows lie on the hyperplane itself, where --tie {lesson.parameters.get('tie')} decides: none has every "
            "row strictly on its correct side, so that there is no margin, and the convergence theorem does not apply."
        )


def _about_interruption(result: dict[str, Any]) -> str:
    so_far = f"{result['mistakes']:,} mistakes" if "mistakes" in result else f"{result['updates']:,} updates"
    what = "best so far" if result["algorithm"] == "pocket" else "those of that moment"
    return f"Stopped by Ctrl-C after {so_far}; the weights are {what}."


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


def _allowed(X: Any, y: Any, intercept: bool, tie: str) -> dict[str, Any]:
    """Return what the convergence theorem is about: radius, margin, and the most mistakes that it allows."""
    from ..exact.rounding import root
    from ..perceptron.trace import radius_squared
    from ..problem.lifted import Lifted
    from ..problem.problem import Problem
    from ..problem.ties import TIES
    from ..separation.maximum_margin import margin_of_problem

    problem = Problem.of(X, y, intercept=intercept).fallible(TIES[tie])
    margin = margin_of_problem(problem, "lifted")
    square = radius_squared(Lifted.of(problem))
    most = square / margin.lo_squared
    return {
        "radius": root(square, up=True), "margin": [margin.lo, margin.hi],
        "most_mistakes": most.numerator // most.denominator,
    }  # fmt: skip


def _advice(result: dict[str, Any], data: list[str], choice: Choice, layout: Layout, intercept: bool) -> list[str]:
    """Say what there is to do about errors."""
    classes, advice = result["classes"], []
    if result["algorithm"] == "pocket" and result["training_errors"]:
        errors = result["errors"]
        worst = str(classes[errors.index(max(errors))]) if isinstance(errors, list) else choice.positive
        which = "" if worst is None else f", {shown(worst)} against the rest,"
        words = [*words_of_choice(replace(choice, positive=worst)), *words_of_layout(layout)]
        words += [] if intercept else ["--no-intercept"]
        proof = command(["separatrix", "least-errors", *data, *words])
        advice.append(f"How many errors no hyperplane avoids{which} is proved by: {proof}")
    if result["algorithm"] in ("kernel", "voted") and len(classes) > 2 and not all(result["halted"]):
        erring = [each for each, rested in zip(classes, result["halted"], strict=True) if not rested]
        why = (
            "Either no hyperplane in the feature space of this kernel sets such a class apart from the rest, or it takes "
            "more passes (--max-iter), or a kernel with more features: a higher --degree, a larger --gamma."
            if result["algorithm"] == "kernel"
            else "Their votes may be poor where rows are sorted by class or features differ in scale: try --order shuffle, "
            "standardised features, or more passes (--max-iter)."
        )
        advice.append(f"Still erring: {some(erring, MAX_CLASSES_SHOWN)}. {why}")
    return advice


def _show_fit(result: dict[str, Any], tie: str | None) -> None:
    out = console(soft_wrap=True)
    classes = result["classes"]
    if len(classes) == 2:
        about = f"{shown(classes[1])} against {shown(classes[0])}"
    else:
        about = f"{counted(len(classes), 'class')}, {some(classes, MAX_CLASSES_SHOWN)}"
    out.print(f"{counted(result['rows'], 'row')}, {counted(len(result['features']), 'feature')}: {about}.")
    out.print(told(result))
    if "theorem" in result:
        theorem = result["theorem"]
        out.print(
            f"The convergence theorem allows {counted(theorem['most_mistakes'], 'mistake')}: the radius is "
            f"{theorem['radius']:.4g}, the margin {theorem['margin'][0]:.4g}."
        )
    drawing = drawn(result, ">=" if tie == "positive" else ">")
    if drawing is not None:
        out.print(f"\n{drawing}\n")
    out.print(f"Training errors: {result['training_errors']:,} of {result['rows']:,}.")
    if "holdout" in result:
        held = result["holdout"]
        out.print(
            f"Rows kept back: {counted(held['errors'], 'error')} in {held['rows']:,}, "
            f"{percent(held['rows'] - held['errors'], held['rows'])} right."
        )
    if result["model"]:
        out.print(f"Model written to {shown(result['model'])}.")
    for note in result["notes"]:
        out.print(tamed(f"Note: {note}"))
