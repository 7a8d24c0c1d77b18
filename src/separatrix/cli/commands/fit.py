"""The command ``fit``: learn a classifier and write it to a model file."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...estimators.reports import some
from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from ...support.console import console
from ...support.counts import counted, percent
from ...support.escaping import command, shown, tamed
from .. import inputs
from ..algorithms import choose, drawn, findings, told
from ..kernels import allowed_by_kernel
from ..lessons import Lesson, continued, first_lesson, next_lesson, order_of, refuse_beside_from, typed_weights
from ..options import (
    DataFiles,
    Intercept,
    Json,
    refuse_seed,
    refuse_unwritable,
    with_data_options,
    words_of_choice,
    words_of_layout,
)
from ..steps import Asked, refuse_steps, step_table
from ..terminal import collected, progress
from ..wording import MAX_CLASSES_SHOWN, all_worded

if TYPE_CHECKING:
    from ...estimators.family import Member


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
    begin: Annotated[
        Path | None,
        typer.Option("--from", help="Begin with the weights of the perceptron in this model file, and its parameters."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Order of visits: cyclic (the default), shuffle, random, or all rows in an order such as 2,0,1."),
    ] = None,
    tie: Annotated[
        str | None, typer.Option(help="What a score of zero predicts: update (nothing; the default), positive or negative.")
    ] = None,
    max_iter: Annotated[int | None, typer.Option(help="The most passes: 1000, of voted 10.")] = None,
    eta0: Annotated[str | None, typer.Option(help="The learning rate, a decimal or a fraction such as 1/3: 1.")] = None,
    max_updates: Annotated[int | None, typer.Option(help="Of pocket: the most updates from a start, 10000.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Of pocket: how often to begin again, 0.")] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="The first weights: one for each feature, then the intercept, with commas, as in 1,0.5,-2; of pocket also "
            "best (the default) or zero."
        ),
    ] = None,
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
    steps: Annotated[
        Path | None, typer.Option(help="Write the run to this file, a line for each visit; - shows it with the result.")
    ] = None,
    mistakes_only: Annotated[
        bool, typer.Option("--mistakes-only", help="Of --steps: leave out visits that were right.")
    ] = False,
    first: Annotated[int | None, typer.Option(help="Of --steps: so many lines at most.")] = None,
    as_json: Json = False,
) -> None:
    """Learn a classifier: a hyperplane with the perceptron learning algorithm, exactly, or what --algorithm names.

    With --from, passes begin with the weights of a model, and go on until one is without a mistake; to show each row once,
    use separatrix play --from.
    """
    from ...models.model_file import save_model

    typed = typed_weights(start, algorithm)
    given = {
        "order": order_of(order), "tie": tie, "max_iter": max_iter, "eta0": eta0, "max_updates": max_updates,
        "restarts": restarts, "start": None if typed else start, "time_limit": time_limit, "tolerance": tolerance,
        "kernel": kernel, "degree": degree, "gamma": gamma, "coef0": coef0, "class_weight": class_weight,
    }  # fmt: skip
    way, parameters = _way(algorithm, given, holdout, seed)
    asked = None if steps is None else Asked(steps, mistakes_only, first)
    refuse_steps(asked, algorithm, holdout, mistakes_only or first is not None)
    read = {"the data": data, "the model to begin with": [] if begin is None else [str(begin)]}
    refuse_unwritable(model, "--model", read)
    refuse_unwritable(None if asked is None or asked.shown else steps, "--steps", read)
    if begin is not None:
        refuse_beside_from(algorithm, typed, intercept, choice)
        if seed is None:
            parameters.pop("random_state", None)
        lesson = next_lesson(continued(begin, data, layout, choice.label), way, parameters, holdout, seed or 0)
    else:
        lesson = first_lesson(
            algorithm, way, parameters, inputs.read(data, layout, choice), choice.positive, intercept, holdout, seed or 0,
            typed,
        )  # fmt: skip
    rows = lesson.rows
    if asked is not None and lesson.has_copies():
        raise FileError(
            f"--steps shows one run, and --algorithm {algorithm} has one for each of {len(lesson.classes)} classes: choose "
            "one with --positive."
        )
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
    table = None
    if asked is not None and not interrupted:
        table = step_table(asked, lesson)
        result |= {"steps": table.document()} if asked.shown else {"steps_file": str(steps)}
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        _show_fit(result, lesson.parameters.get("tie"), lesson.intercept)
        if table is not None and asked is not None and asked.shown:
            console(soft_wrap=True).print(f"\n{table.explain().rstrip()}")
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


def _learn(lesson: Lesson, notes: list[str]) -> tuple[float, bool]:
    """Have the classifier learn; return the seconds it took, and whether Ctrl-C ended it with something to keep.

    What it warns of becomes notes.
    """
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from ...separation.verdict import NotSeparable

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
            lesson.classifier.fit(X, y, **lesson.first)
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


def _findings(lesson: Lesson, seconds: float) -> dict[str, Any]:
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


def _hold_against_theorem(lesson: Lesson, result: dict[str, Any], notes: list[str]) -> None:
    """Add what the convergence theorem allows, or why it does not apply."""
    if lesson.algorithm == "kernel":
        found, applies = allowed_by_kernel(lesson.classifier, lesson.X, lesson.y), True
    else:
        found = _allowed(lesson.X, lesson.y, lesson.intercept, str(lesson.parameters.get("tie") or "update"))
        applies = found is not None
    if found is not None:
        result["theorem"] = found
    elif not applies:
        notes.append(
            f"Some rows lie on the hyperplane itself, where --tie {lesson.parameters.get('tie')} decides: none has every "
            "row strictly on its correct side, so that there is no margin, and the convergence theorem does not apply."
        )


def _about_interruption(result: dict[str, Any]) -> str:
    so_far = f"{result['mistakes']:,} mistakes" if "mistakes" in result else f"{result['updates']:,} updates"
    what = "best so far" if result["algorithm"] == "pocket" else "those of that moment"
    return f"Stopped by Ctrl-C after {so_far}; the weights are {what}."


def _allowed(X: Any, y: Any, intercept: bool, tie: str) -> dict[str, Any] | None:
    """Return what the convergence theorem is about, radius and margin, and the most mistakes; None if it does not apply."""
    from ...problem.problem import Problem
    from ...theorem.mistake_bound import bound_of_problem

    found = bound_of_problem(Problem.of(X, y, intercept=intercept), tie, exact=False)
    if found.margin is None:
        return None
    return {
        "radius": found.radius, "margin": [found.margin.lo, found.margin.hi], "most_mistakes": found.most_mistakes,
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


def _show_fit(result: dict[str, Any], tie: str | None, intercept: bool) -> None:
    out = console(soft_wrap=True)
    classes = result["classes"]
    if len(classes) == 2:
        about = f"{shown(classes[1])} against {shown(classes[0])}"
    else:
        about = f"{counted(len(classes), 'class')}, {some(classes, MAX_CLASSES_SHOWN)}"
    out.print(f"{counted(result['rows'], 'row')}, {counted(len(result['features']), 'feature')}: {about}.")
    out.print(told(result))
    if "theorem" in result:
        theorem, lifted = result["theorem"], " lifted by a 1" if intercept else ""
        out.print(
            f"The convergence theorem allows {counted(theorem['most_mistakes'], 'mistake')}: rows{lifted} have the radius "
            f"{theorem['radius']:.4g} and the margin {theorem['margin'][0]:.4g}"
            f"{', in feature space' if result['algorithm'] == 'kernel' else ''}."
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
    for what, key in (("Model", "model"), ("Steps", "steps_file")):
        if result.get(key):
            out.print(f"{what} written to {shown(result[key])}.")
    for note in result["notes"]:
        out.print(tamed(f"Note: {note}"))
