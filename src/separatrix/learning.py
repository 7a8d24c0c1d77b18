"""The commands that learn and apply what was learnt: ``fit``, ``predict`` and ``score``."""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .algorithms import choose, drawn, findings, some, told
from .names import command, shown, tamed
from .options import Choosing, DataFiles, Intercept, Json, Reading, with_data_options
from .terminal import as_csv, collected, console, counted, no_formula, percent, progress, put, say

if TYPE_CHECKING:
    from .encoding import Data
    from .models import Model

ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]
Unseen = Annotated[str, typer.Option(help="Categories that were not there before: refuse them, or ignore (count as 0).")]

_MOST_FEATURES = 300
"""Features up to which `fit` finds the margin for the bound of the convergence theorem."""

_MOST_CLASSES = 12
"""Classes up to which `score` prints which of them was taken for which."""


@with_data_options
def fit(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
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
    eta0: Annotated[float | None, typer.Option(help="The learning rate: 1.")] = None,
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
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import get_tags

    from .decision import NotSeparable
    from .estimators.copies import Copies
    from .files import FileError
    from .models import save_model

    given = {
        "order": order, "tie": tie, "max_iter": max_iter, "eta0": eta0, "max_updates": max_updates, "restarts": restarts,
        "start": start, "time_limit": time_limit, "tolerance": tolerance, "kernel": kernel, "degree": degree,
        "gamma": gamma, "coef0": coef0, "class_weight": class_weight,
    }  # fmt: skip
    given = {option: value for option, value in given.items() if value is not None}
    if not 0.0 <= holdout < 1.0:
        raise FileError(f"--holdout must be at least 0 and below 1, got {holdout}.")
    if seed is not None and seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
    way, _ = choose(algorithm, {})
    if seed is not None and ("seed" in way.options or not holdout):
        given["seed"] = seed
    way, parameters = choose(algorithm, given)
    options.refuse_unwritable(model, "--model", {"the data": data})
    rows = options.read(data, reading, choosing)
    classifier = way.make(fit_intercept=intercept, **parameters)
    y: Any
    if choosing.positive is not None or len(rows.classes) <= 2:
        y, classes = options.two_classes(rows, choosing.positive)
    elif get_tags(classifier).classifier_tags.multi_class:
        y, classes = rows.codes, list(rows.classes)
    else:
        raise ValueError(
            f"--algorithm {algorithm} learns two classes, and the label has {len(rows.classes)}. Set one against the rest "
            "with --positive, or learn all of them with another algorithm."
        )
    each_alone = len(classes) > 2 and isinstance(classifier, Copies)
    kept, tested = _split(y, len(classes), holdout, seed or 0)
    X = rows.X if not len(tested) else rows.X[kept]
    notes = rows.notes()
    interrupted = False
    last = None if each_alone else way.last  # some of the classes would be of no use
    hint = "Ctrl-C stops it, and nothing is kept" if last is None else "Ctrl-C keeps what is learnt so far"
    with progress("getting ready: the first run compiles its loops, once", hint), collected(notes):
        with collected([]):
            few = min(len(classes), 3)
            way.make().fit(np.arange(float(few))[:, None], np.arange(few))
        if each_alone:
            warnings.simplefilter("ignore", ConvergenceWarning)  # one for each class; a note tells of all
        started = time.perf_counter()
        try:
            classifier.fit(X, y[kept])
        except NotSeparable:
            raise ValueError(
                "No hyperplane separates the classes, so that none has a margin; `separatrix decide` proves it. Learn one "
                "that errs on some rows with --algorithm pocket or linear-program."
            ) from None
        except KeyboardInterrupt:
            if last is None:
                raise KeyboardInterrupt("Stopped; nothing is kept.") from None
            if not hasattr(classifier, last):
                raise
            interrupted = True
    seconds = time.perf_counter() - started
    result: dict[str, Any] = {
        "algorithm": algorithm, "rows": len(kept), "features": rows.names, **findings(algorithm, classifier),
        "training_errors": int((classifier.predict(X) != y[kept]).sum()), "seconds": round(seconds, 6), "classes": classes,
    }  # fmt: skip
    if len(tested):
        wrong = int((classifier.predict(rows.X[tested]) != y[tested]).sum())
        result["holdout"] = {"rows": len(tested), "errors": wrong, "accuracy": 1 - wrong / len(tested)}
    of_theorem = algorithm in ("perceptron", "averaged") and len(classes) == 2 and parameters.get("class_weight") is None
    if of_theorem and classifier.converged_ and rows.shape[1] <= _MOST_FEATURES:
        try:
            result["theorem"] = _allowed(X, y[kept], intercept)
        except NotSeparable:
            notes.append(
                f"Some rows lie on the hyperplane itself, where --tie {tie} decides: none has every row strictly on its "
                "correct side, so that there is no margin, and the convergence theorem does not apply."
            )
    # Learnt as False and True, so that the positive class is the one asked for, whatever its place in sorted order.
    classifier.classes_ = np.array(classes)
    if interrupted:
        so_far = f"{result['mistakes']:,} mistakes" if "mistakes" in result else f"{result['updates']:,} updates"
        what = "best so far" if algorithm == "pocket" else "those of that moment"
        notes.append(f"Stopped by Ctrl-C after {so_far}; the weights are {what}.")
    notes.extend(_advice(result, data, choosing, reading, intercept))
    if model is not None:
        save_model(classifier, model, data=rows)
    result["model"] = None if model is None else str(model)
    result["interrupted"] = interrupted
    result["notes"] = notes
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        _show_fit(result, parameters.get("tie"))
    if interrupted:
        raise typer.Exit(130)


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


def _allowed(X: Any, y: Any, intercept: bool) -> dict[str, Any]:
    """Return what the convergence theorem is about: radius, margin, and the most mistakes that it allows."""
    from .lifted import Lifted
    from .margins import find_margin
    from .problem import Problem
    from .rounding import root
    from .walk import radius_squared

    problem = Problem.of(X, y, intercept=intercept)
    margin = find_margin(problem, "lifted")
    square = radius_squared(Lifted.of(problem))
    most = square / margin.lo_squared
    return {
        "radius": root(square, up=True), "margin": [margin.lo, margin.hi],
        "most_mistakes": most.numerator // most.denominator,
    }  # fmt: skip


def _advice(result: dict[str, Any], data: list[str], choosing: Choosing, reading: Reading, intercept: bool) -> list[str]:
    """Say what there is to do about errors."""
    classes, advice = result["classes"], []
    if result["algorithm"] == "pocket" and result["training_errors"]:
        errors = result["errors"]
        worst = str(classes[errors.index(max(errors))]) if isinstance(errors, list) else choosing.positive
        which = "" if worst is None else f", {shown(worst)} against the rest,"
        words = [*replace(choosing, positive=worst).words(), *reading.words(), *([] if intercept else ["--no-intercept"])]
        proof = command(["separatrix", "least-errors", *data, *words])
        advice.append(f"How many errors no hyperplane avoids{which} is proved by: {proof}")
    if result["algorithm"] in ("kernel", "voted") and len(classes) > 2 and not all(result["converged"]):
        erring = [each for each, rested in zip(classes, result["converged"], strict=True) if not rested]
        why = (
            "Either no hyperplane in the feature space of this kernel sets such a class apart from the rest, or it takes "
            "more passes (--max-iter), or a kernel with more features: a higher --degree, a larger --gamma."
            if result["algorithm"] == "kernel"
            else "Their votes may be poor where rows are sorted by class or features differ in scale: try --order shuffle, "
            "standardised features, or more passes (--max-iter)."
        )
        advice.append(f"Still erring: {some(erring, _MOST_CLASSES)}. {why}")
    return advice


def _show_fit(result: dict[str, Any], tie: str | None) -> None:
    out = console(soft_wrap=True)
    classes = result["classes"]
    if len(classes) == 2:
        about = f"{shown(classes[1])} against {shown(classes[0])}"
    else:
        about = f"{counted(len(classes), 'class')}, {some(classes, _MOST_CLASSES)}"
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


@with_data_options
def predict(
    model: ModelFile,
    data: DataFiles,
    reading: Reading,
    unseen: Unseen = "refuse",
    output: Annotated[Path | None, typer.Option(help="Write the predictions to this CSV file.")] = None,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe", help="Write an apostrophe before texts that a spreadsheet would take for a formula."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Predict the class of each row, with its score, or one for each of several classes; columns are matched by name."""
    from .files import FileError, write_whole
    from .models import read_model

    if spreadsheet_safe and as_json:
        raise FileError("--spreadsheet-safe is for CSV, and not for --json: choose one.")
    options.refuse_unwritable(output, "--output", {"the data": data, "the model": [str(model)]})
    learnt = read_model(model)
    rows = _reread(learnt, data, reading, None, unseen)
    predicted = learnt.classifier.predict(rows.X).tolist()
    scores = learnt.classifier.decision_function(rows.X).tolist()
    several = bool(scores) and isinstance(scores[0], list)
    if rows.kept is not None:  # rows with missing values, which the model has not learnt to predict
        places = {row: k for k, row in enumerate(rows.kept.tolist())}
        nothing = [None] * len(scores[0]) if several else None
        predicted = [predicted[places[row]] if row in places else None for row in range(rows.given)]
        scores = [scores[places[row]] if row in places else nothing for row in range(rows.given)]
    if as_json:
        finite = [[_finite(each) for each in row] for row in scores] if several else [_finite(each) for each in scores]
        result = {"label": learnt.label, "predictions": predicted, "scores": finite}
        if several:
            result["classes"] = learnt.classifier.classes_.tolist()
        text = json.dumps(result, indent=1) + "\n"
    else:
        name = learnt.label or "prediction"
        if several:
            header = [f"score of {each}" for each in learnt.classifier.classes_.tolist()]
            lines = [[label, *row] for label, row in zip(predicted, scores, strict=True)]
        else:
            header = ["score" if name != "score" else "score of it"]
            lines = [[label, each] for label, each in zip(predicted, scores, strict=True)]
        written = no_formula if spreadsheet_safe else str
        seen = output is None and sys.stdout.isatty()  # by a person, not by a program
        text = as_csv([name, *header], lines, (lambda text: shown(written(text))) if seen else written)
    if output is None:
        put(text)
    else:
        write_whole(output, text)
        say(f"{counted(len(predicted), 'prediction')} written to {shown(output)}.")
    if rows.kept is not None:
        say(f"{counted(rows.dropped, 'row')} with missing values: no prediction, as the model was learnt without such.")


def _finite(score: float | None) -> float | None:
    """Return a score as JSON can hold it: of what no class can have made, none."""
    return score if score is not None and math.isfinite(score) else None


@with_data_options
def score(
    model: ModelFile,
    data: DataFiles,
    reading: Reading,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if not the one learnt from.")] = None,
    unseen: Unseen = "refuse",
    as_json: Json = False,
) -> None:
    """Count the errors of a model on labelled rows."""
    import numpy as np

    from .files import FileError
    from .models import read_model

    learnt = read_model(model)
    column = label or learnt.label
    rows = _reread(learnt, data, reading, column, unseen)
    if rows.codes is None:
        raise FileError(f"{model} does not say which column it predicts. Name it with --label.")
    classes = learnt.classifier.classes_.tolist()
    truth = _coded(rows, classes)
    places = {each: k for k, each in enumerate(classes)}
    predicted = np.array([places[each] for each in learnt.classifier.predict(rows.X).tolist()])
    confusion = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    n = len(truth)
    errors = n - int(np.trace(confusion))
    if as_json:
        result = {
            "rows": n, "errors": errors, "accuracy": (n - errors) / n, "classes": classes, "confusion": confusion.tolist(),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    from rich.table import Table as Grid

    out = console()
    out.print(f"{counted(errors, 'error')} in {counted(n, 'row')}: {percent(n - errors, n)} right.")
    grid = Grid(show_edge=False)
    grid.add_column(f"{shown(column or 'class')} is")
    if len(classes) <= _MOST_CLASSES:
        for each in classes:
            grid.add_column(f"said {shown(each)}", justify="right")
        for each, counts in zip(classes, confusion.tolist(), strict=True):
            grid.add_row(shown(each), *(f"{count:,}" for count in counts))
    else:
        for name in ("rows", "errors"):
            grid.add_column(name, justify="right")
        for k, each in enumerate(classes):
            total = int(confusion[k].sum())
            grid.add_row(shown(each), f"{total:,}", f"{total - int(confusion[k, k]):,}")
    out.print(grid)
    if rows.kept is not None:
        out.print(f"{counted(rows.dropped, 'row')} with missing values left out.")


def _reread(learnt: Model, data: list[str], reading: Reading, label: str | None, unseen: str) -> Data:
    """Read data in the columns that a model has learnt from."""
    from .columns import LibsvmTable
    from .encoding import reread
    from .files import FileError
    from .models import ModelError

    if unseen not in ("refuse", "ignore"):
        raise FileError(f"--unseen must be refuse or ignore, got {unseen!r}.")
    dimension = getattr(learnt.classifier, "n_features_in_", None)
    nameless = learnt.columns is None and not isinstance(learnt.table, LibsvmTable)
    if dimension is None or (nameless and reading.kind not in ("libsvm", "npz")):
        raise ModelError("The model has no feature names, so columns cannot be matched. Use it from Python.")
    return reread(
        data, learnt.columns, learnt.table, dimension, label=label, layout=reading.layout(), kind=reading.kind,
        unseen=unseen, predicting=True,
    )  # fmt: skip


def _coded(rows: Data, classes: list[Any]) -> Any:
    """Return for each label its place among the classes; labels that the model has not learnt are refused."""
    import numpy as np

    from .checker import sign_of
    from .files import FileError

    # Whole numbers are written without a point, whatever they were learnt as.
    meant = [int(each) if isinstance(each, float) and each.is_integer() else each for each in classes]
    one_against_rest = len(classes) == 2 and isinstance(classes[0], str) and classes[0] == f"not {classes[1]}"
    codes = []
    for text in rows.texts:
        found = [k for k, each in enumerate(meant) if sign_of(text, (None, each)) == 1]
        if not found and not one_against_rest:
            if len(classes) == 2:
                strange = f"neither {shown(classes[0])} nor {shown(classes[1])}, the classes"
            else:
                strange = f"none of the {len(classes)} classes"
            raise FileError(f"The label {shown(text)} is {strange} the model has learnt.")
        codes.append(found[0] if found else 0)
    return np.array(codes)[rows.codes]
