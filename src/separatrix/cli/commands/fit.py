"""The command ``fit``: learn a classifier and write it to a model file."""

from __future__ import annotations

import json
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from ...support.interruption import interrupt, one_deeper
from .. import inputs
from ..algorithms import choose
from ..clusters import Scheduler
from ..durations import duration_option
from ..fitted import advice, findings, hold_against_theorem, show_fit
from ..lessons import Lesson, continued, first_lesson, next_lesson, order_of, refuse_beside_from, typed_weights
from ..models_in_blocks import Checkpoint, fit_in_blocks
from ..options import (
    DataFiles,
    Intercept,
    Json,
    refuse_seed,
    refuse_unwritable,
    seconds_of,
    with_data_options,
)
from ..pages import Page
from ..scaling import Scale, differing, read_scale
from ..steps import Asked, refuse_steps, step_table
from ..streams import Memory, in_blocks, refuse_in_blocks
from ..terminal import collected, progress
from ..typed import typed_again
from ..wording import all_worded

if TYPE_CHECKING:
    from ...estimators.family import Member
    from ...tracing.step_table import StepTable


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
        duration_option(
            help="Stop after so many seconds, and keep what is learnt by then; of voted, pocket and kernel, so many for "
            "each of more than two classes."
        ),
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="Of max-margin: how near its bounds must be, 1e-9.")] = None,
    kernel: Annotated[str | None, typer.Option(help="Of kernel: linear, poly or rbf (the default).")] = None,
    degree: Annotated[int | None, typer.Option(help="Of the kernel poly: its degree, 3.")] = None,
    gamma: Annotated[str | None, typer.Option(help="Of the kernels poly and rbf: a number, or scale (the default).")] = None,
    coef0: Annotated[float | None, typer.Option(help="Of the kernel poly: its constant, 0.")] = None,
    intercept: Intercept = True,
    scale: Scale = None,
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
    memory: Memory = None,
    scheduler: Scheduler = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Keep the state of the run in this file, to go on from; rows are read in blocks, see --memory."),
    ] = None,
    every: Annotated[float | None, duration_option(help="Of --checkpoint: so much time between two of them, 60s.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Of --checkpoint: go on from the one that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a classifier: a hyperplane with the perceptron learning algorithm, exactly, or what --algorithm names.

    With --from, passes begin with the weights of a model, and go on until one is without a mistake; to show each row once,
    use separatrix play --from.
    """
    from ...models.model_file import save_model
    from ...tables.column_notes import about_positive

    typed = typed_weights(start, algorithm)
    given = {
        "order": order_of(order), "tie": tie, "max_iter": max_iter, "eta0": eta0, "max_updates": max_updates,
        "restarts": restarts, "start": None if typed else start, "time_limit": seconds_of(time_limit),
        "tolerance": tolerance, "kernel": kernel, "degree": degree, "gamma": gamma, "coef0": coef0,
        "class_weight": class_weight,
    }  # fmt: skip
    way, parameters = _way(algorithm, given, holdout, seed)
    kind = read_scale(scale)
    asked = None if steps is None else Asked(steps, mistakes_only, first)
    refuse_steps(asked, algorithm, holdout, mistakes_only or first is not None)
    read = {"the data": data, "the model to begin with": [] if begin is None else [str(begin)]}
    refuse_unwritable(model, "--model", read)
    refuse_unwritable(None if asked is None or asked.shown else steps, "--steps", read)
    kept = Checkpoint(checkpoint, every, resume)
    kept.refuse()
    blocks = in_blocks(memory, scheduler, checkpoint)
    if blocks is not None:
        refuse_unwritable(checkpoint, "--checkpoint", read)
        in_memory = {"--from": begin, "--holdout": holdout or None, "--steps": steps, "--scale": scale}
        refuse_in_blocks(blocks, in_memory.items())
        fit_in_blocks(algorithm, parameters, data, choice, layout, blocks, intercept, typed, kept, model, as_json)
        return
    if begin is not None:
        refuse_beside_from(algorithm, typed, intercept, scale, choice)
        if seed is None:
            parameters.pop("random_state", None)
        lesson = next_lesson(continued(begin, data, layout, choice.label), way, parameters, holdout, seed or 0)
    else:
        lesson = first_lesson(
            algorithm, way, parameters, inputs.read(data, layout, choice), choice.positive, intercept, holdout, seed or 0,
            typed, kind,
        )  # fmt: skip
    rows = lesson.rows
    if asked is not None and lesson.has_copies():
        raise FileError(
            f"--steps shows one run, and --algorithm {algorithm} has one for each of {len(lesson.classes)} classes: choose "
            "one with --positive."
        )
    guessed = () if begin is not None else about_positive(rows.classes, choice.positive)
    notes = all_worded([*rows.notes(), *guessed])
    seconds, interrupted = _learn(lesson, notes)
    result = findings(lesson, seconds, interrupted)
    if lesson.is_of_theorem():
        hold_against_theorem(lesson, result, notes)
    notes.extend(advice(result, lesson, data, choice, layout, intercept))
    told = differing(rows) if scale is None and begin is None and way.scaled else None
    if told is not None:
        notes.append(f"{told}: {typed_again('--scale', 'standard')}")
    if model is not None:
        save_model(lesson.learnt(), model, data=rows)
    result |= {"model": None if model is None else str(model), "interrupted": interrupted, "notes": notes}
    table = None
    if asked is not None and not interrupted:
        table = step_table(asked, lesson)
        result |= {"steps": table.document()} if asked.shown else {"steps_file": str(steps)}
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        show_fit(result, lesson)
        if table is not None and asked is not None and asked.shown:
            Page().print(partial(_told_steps, table))


def _told_steps(table: StepTable) -> str:
    return f"\n{table.explain().rstrip()}"


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
    X, y = lesson.X, lesson.y
    with progress("getting ready", hint), collected(notes):
        with collected([]), one_deeper():  # stopped here, it has learnt nothing
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
            raise KeyboardInterrupt("Stopped; nothing is kept.") from None
    return time.perf_counter() - started, interrupt.came
