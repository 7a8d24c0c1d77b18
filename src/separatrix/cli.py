"""The command line: ``separatrix describe | decide | verify | fit | audit | predict | score | compare | examples``.

Heavy imports wait until a command needs them, so that ``--help`` answers at once. Every error is one readable message
and a non-zero exit code: 1 for a proof that does not hold, 2 for bad input, 130 after Ctrl-C.
"""

from __future__ import annotations

import io
import json
import math
import shlex
import signal
import sys
import threading
import time
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .options import Choosing, Reading, with_data_options
from .terminal import as_csv, collected, console, counted, hyperplane, interrupt, percent, progress, say

if TYPE_CHECKING:
    from .certificate import Certificate
    from .encoding import Data
    from .models import Model

app = typer.Typer(
    help="Certified linear classification.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DataFiles = Annotated[
    list[str],
    typer.Argument(help="CSV or TSV (also compressed), Parquet, Arrow, LIBSVM, .npy or .npz; - is standard input."),
]
ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]
Intercept = Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane has one.")]
Unseen = Annotated[str, typer.Option(help="Categories that were not there before: refuse them, or ignore (count as 0).")]

Order = Annotated[str, typer.Option(help="Order of visits: cyclic, shuffle or random.")]
Tie = Annotated[str, typer.Option(help="What a score of zero predicts: update (nothing), positive or negative.")]
MaxIter = Annotated[int, typer.Option(help="The most passes.")]

_COLUMNS_PATIENCE = 10.0
"""Seconds that the search for a smallest set of columns may take."""

_MOST_FEATURES = 300
"""Features up to which `fit` finds the margin for the bound of the convergence theorem."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, on the given arguments or on those of the process."""
    interrupt.came = False
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # better a question mark for a letter than half a report
    try:
        app(arguments)
    except SystemExit as left:
        if left.__context__ is not None and isinstance(left.__context__.__cause__, KeyboardInterrupt):
            say("Stopped.")  # typer has seen it first, and says nothing
        raise
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
        sys.exit(1)
    except Exception as error:
        if interrupt.came:  # what a half-loaded module or a half-compiled loop says then is of no interest
            say("Stopped.")
            sys.exit(130)
        if not isinstance(error, ValueError | ArithmeticError | TypeError | OSError | MemoryError):
            raise
        message = str(error) or type(error).__name__
        if "--json" in (sys.argv[1:] if arguments is None else arguments):
            print(json.dumps({"error": message}))
        say(f"Error: {message}")
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        from . import __version__

        print(f"separatrix {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


@app.command()
@with_data_options
def describe(data: DataFiles, choosing: Choosing, reading: Reading, as_json: Json = False) -> None:
    """Show what a table holds, and what would be made of it: columns, gaps, classes, duplicates, contradictions."""
    from .description import describe as described
    from .encoding import Choice

    choice = Choice(choosing.label, choosing.drop, choosing.only, choosing.text, choosing.missing)  # type: ignore[arg-type]
    with progress("getting ready: the first run compiles its loops, once", "Ctrl-C stops it"):
        result = described(data, choice, layout=reading.layout(), kind=reading.kind, positive=choosing.positive)
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(out.width))


@app.command()
@with_data_options
def decide(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    intercept: Intercept = True,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Give up after so many seconds.")] = None,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 0 if separable, 3 if quasi-separable, 4 if overlapping, 5 if unknown."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Decide whether a hyperplane separates the classes, and prove it."""
    from .decision import decided
    from .files import FileError
    from .progress import Clock, report

    _refuse_style(style)
    if time_limit is not None and not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    _refuse_unwritable(certificate, "--certificate", data)
    rows = options.read(data, reading, choosing)
    named = options.positive_class(rows, choosing.positive)
    with progress("getting ready: the first run compiles its loops, once", "Ctrl-C stops it"):
        started = time.perf_counter()
        verdict = decided(rows.problem(positive=named, intercept=intercept), Clock(time_limit))
        seconds = time.perf_counter() - started
        written = certificate if verdict.certificate is not None else None
        if written is not None and verdict.certificate is not None:
            verdict.certificate.save(written)
        report(lambda: f"{verdict.status}; looking for few columns that suffice")
        patience = _COLUMNS_PATIENCE if time_limit is None else min(_COLUMNS_PATIENCE, max(0.0, time_limit - seconds))
        separated, found = verdict.separated_rows, verdict.columns_within(patience)
        columns = None if found is None else [rows.names[each] if isinstance(each, int) else each for each in found]
    witness = None if verdict.witness is None else verdict.witness.tolist()
    if as_json:
        result = {
            "status": str(verdict.status), "separable": verdict.separable, "message": verdict.message,
            "rows": verdict.problem.n, "features": rows.names, "classes": list(verdict.problem.classes),
            "kept_rows": None if rows.kept is None else rows.kept.tolist(),
            "witness": witness, "witness_places": None if witness is None else rows.locate(witness),
            "separated_rows": None if separated is None else separated.tolist(),
            "separating_columns": columns, "coef": None if verdict.coef is None else verdict.coef.tolist(),
            "intercept": verdict.intercept, "certificate": None if written is None else str(written),
            "notes": rows.notes(), "seconds": round(seconds, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out = console(soft_wrap=True)
        out.print(verdict.explain(format=style), end="")
        if witness is not None and len(witness) <= _MOST_PLACES:
            out.print(f"\n{_places(rows.locate(witness))}")
        if columns and len(columns) < len(rows.names):
            out.print(f"\n{_suffices(columns)}")
        for note in rows.notes():
            out.print(f"\nNote: {note}")
        if written is not None:
            words = [
                "separatrix",
                "verify",
                str(written),
                *data,
                *([] if reading.kind is None else ["--format", reading.kind]),
            ]
            out.print(f"\nProof written to {written}; check it with: {shlex.join(words)}")
        elif certificate is not None:
            out.print("\nNo proof was written.")
    if exit_code:
        raise typer.Exit(_EXIT_CODES[verdict.status])


_EXIT_CODES = {"separable": 0, "quasi-separable": 3, "overlapping": 4, "unknown": 5}
_MOST_PLACES = 60


def _places(places: list[str]) -> str:
    """Say where the rows of a witness are.

    >>> _places(["a.csv, line 2", "a.csv, line 7", "b.csv, line 3"])
    'The witness, in its order: a.csv, lines 2, 7; b.csv, line 3.'
    """
    files: dict[str, list[str]] = {}
    for place in places:
        file, _, row = place.rpartition(" ")
        files.setdefault(file, []).append(row)
    texts = [f"{file}{'s' if len(rows) > 1 else ''} {', '.join(rows)}" for file, rows in files.items()]
    return f"The witness, in its order: {'; '.join(texts)}."


def _suffices(columns: Any) -> str:
    if len(columns) == 1:
        return f"The column {columns[0]} alone separates the same rows."
    shown = ", ".join(map(str, columns[:10])) + (f", … ({len(columns)} in all)" if len(columns) > 10 else "")
    return f"The columns {shown} alone separate the same rows; none of them can be left out, but other sets may do as well."


@app.command()
@with_data_options
def verify(
    certificate: Annotated[Path, typer.Argument(help="Proof, as decide writes it.")],
    data: DataFiles,
    reading: Reading,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if the proof does not say.")] = None,
    as_json: Json = False,
) -> None:
    """Check a proof against the data it speaks of: exit code 0 if it holds, 1 if not."""
    from .certificate import Certificate, InvalidCertificate
    from .checker import in_words
    from .files import OtherTable
    from .verifier import data_of, verify_data

    claim = about = reason = None
    try:
        proof = Certificate.load(certificate)
        claim = str(proof.claim)
        rows = data_of(proof, data, label=label, layout=reading.layout(), kind=reading.kind)
        verify_data(proof, rows)
        about = in_words(proof.document()["problem"])
    except (InvalidCertificate, OtherTable) as error:
        reason = str(error)
    if as_json:
        print(json.dumps({"valid": reason is None, "claim": claim, "about": about, "reason": reason}, indent=1))
    elif reason is None:
        print(f"The proof holds, for {about}: {_proved(proof)}.")
    else:
        print(f"Not proved. {reason}")
    if reason is not None:
        raise typer.Exit(1)


def _proved(proof: Certificate) -> str:
    """Say what a certificate proves."""
    from .checker import errors_in_words, root

    if proof.errors is not None:
        return errors_in_words(proof.errors.least, proof.errors.costs is not None)
    bound = proof.margin
    if bound is None:
        return f"the classes are {proof.claim}"
    up = proof.claim == "margin-at-most"
    return f"the margin ({bound.kind}) is at {'most' if up else 'least'} {root(bound.squared, up)}"


@app.command()
@with_data_options
def fit(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    model: Annotated[Path | None, typer.Option(help="Write the model to this file.")] = None,
    order: Order = "cyclic",
    tie: Tie = "update",
    max_iter: MaxIter = 1000,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    intercept: Intercept = True,
    class_weight: Annotated[str | None, typer.Option(help="'balanced' weighs classes by their rarity.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the orders shuffle and random, and of --holdout.")] = 0,
    holdout: Annotated[float, typer.Option(help="Fraction of the rows to keep back for testing, e.g. 0.2.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Learn a hyperplane with the perceptron learning algorithm, exactly."""
    import numpy as np

    from .estimators import Perceptron
    from .files import FileError
    from .models import save_model

    if not 0.0 <= holdout < 1.0:
        raise FileError(f"--holdout must be at least 0 and below 1, got {holdout}.")
    if seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
    _refuse_unwritable(model, "--model", data)
    rows = options.read(data, reading, choosing)
    y, classes = _two_classes(rows, choosing.positive)
    kept, tested = _split(y, holdout, seed)
    X = rows.X if not len(tested) else rows.X[kept]
    perceptron = Perceptron(
        order=order, tie=tie, max_iter=max_iter, eta0=eta0, fit_intercept=intercept, class_weight=class_weight,
        random_state=seed,
    )  # fmt: skip
    notes = rows.notes()
    interrupted = False
    with progress("getting ready: the first run compiles its loops, once"), collected(notes):
        Perceptron().fit([[0.0], [1.0]], [0, 1])
        started = time.perf_counter()
        try:
            perceptron.fit(X, y[kept])
        except KeyboardInterrupt:
            if not hasattr(perceptron, "converged_"):
                raise
            interrupted = True
    seconds = time.perf_counter() - started
    result: dict[str, Any] = {
        "rows": len(kept), "features": rows.names,
        "coef": perceptron.coef_[0].tolist(), "intercept": float(perceptron.intercept_[0]),
        "converged": bool(perceptron.converged_), "passes": int(perceptron.n_iter_),
        "mistakes": int(perceptron.n_mistakes_), "training_errors": int((perceptron.predict(X) != y[kept]).sum()),
        "seconds": round(seconds, 6), "classes": classes,
    }  # fmt: skip
    if len(tested):
        wrong = int((perceptron.predict(rows.X[tested]) != y[tested]).sum())
        result["holdout"] = {"rows": len(tested), "errors": wrong, "accuracy": 1 - wrong / len(tested)}
    if perceptron.converged_ and class_weight is None and rows.shape[1] <= _MOST_FEATURES:
        result["theorem"] = _allowed(X, y[kept], intercept)
    # Learnt as False and True, so that the positive class is the one asked for, whatever its place in sorted order.
    perceptron.classes_ = np.array(classes)
    if interrupted:
        notes.append(f"Stopped by Ctrl-C after {perceptron.n_mistakes_:,} mistakes; the weights are those of that moment.")
    if model is not None:
        save_model(perceptron, model, data=rows)
    result["model"] = None if model is None else str(model)
    result["interrupted"] = interrupted
    result["notes"] = notes
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        _show_fit(result)
    if interrupted:
        raise typer.Exit(130)


@app.command()
@with_data_options
def audit(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    order: Order = "cyclic",
    tie: Tie = "update",
    max_iter: MaxIter = 1000,
    intercept: Intercept = True,
    seed: Annotated[int, typer.Option(help="Seed of the orders shuffle and random.")] = 0,
    delta: Annotated[float, typer.Option(help="The chance that a bound of the error on new rows may fail with.")] = 0.05,
    style: Annotated[str, typer.Option(help="How to write it: text, markdown or latex.")] = "text",
    as_json: Json = False,
) -> None:
    """Run the perceptron and audit its convergence theorem: mistakes, margin, bound, and both inequalities."""
    from .estimators import Perceptron
    from .ledger import audit as audited

    _refuse_style(style)
    rows = options.read(data, reading, choosing)
    y, classes = _two_classes(rows, choosing.positive)
    notes = rows.notes()
    with progress("getting ready: the first run compiles its loops, once", "Ctrl-C stops it"), collected(notes):
        perceptron = Perceptron(
            order=order, tie=tie, max_iter=max_iter, fit_intercept=intercept, random_state=seed, record=True
        ).fit(rows.X, y)  # fmt: skip
        ledger = audited(perceptron, rows.X, y)
        promise = ledger.generalization(delta)
    if as_json:
        margin = None if ledger.margin is None else [ledger.margin.lo, ledger.margin.hi]
        arrays = ("k", "alignment", "alignment_line", "squared_length", "squared_length_line", "cosine", "cosine_line",
                  "margin_ceiling")  # fmt: skip
        result = {
            "rows": rows.shape[0], "features": rows.names, "classes": classes, "mistakes": ledger.mistakes,
            "passes": ledger.passes, "converged": ledger.converged, "radius": ledger.radius, "margin": margin,
            "bound": None if ledger.bound is None else list(ledger.bound), "holds": ledger.holds,
            "violations": list(ledger.violations), "per_mistake": {name: getattr(ledger, name).tolist() for name in arrays},
            "generalization": [{"name": b.name, "value": b.value, "verdict": b.verdict} for b in promise.bounds],
            "estimate": promise.estimate, "notes": notes,
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out = console(soft_wrap=True)
        out.print(ledger.explain(style).rstrip())
        out.print(f"\n{promise.explain(style).rstrip()}")
        for note in notes:
            out.print(f"\nNote: {note}")


@app.command()
@with_data_options
def predict(
    model: ModelFile,
    data: DataFiles,
    reading: Reading,
    unseen: Unseen = "refuse",
    output: Annotated[Path | None, typer.Option(help="Write the predictions to this CSV file.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the class of each row, with its score; columns are matched by name."""
    from .files import write_whole
    from .models import read_model

    _refuse_unwritable(output, "--output", data)
    learnt = read_model(model)
    rows = _reread(learnt, data, reading, None, unseen)
    classes = learnt.perceptron.predict(rows.X).tolist()
    scores = learnt.perceptron.decision_function(rows.X).tolist()
    if rows.kept is not None:  # rows with missing values, which the model has not learnt to predict
        places = {row: k for k, row in enumerate(rows.kept.tolist())}
        classes, scores = (
            [values[places[row]] if row in places else None for row in range(rows.given)] for values in (classes, scores)
        )
    if as_json:
        text = json.dumps({"label": learnt.label, "predictions": classes, "scores": scores}, indent=1) + "\n"
    else:
        name = learnt.label or "prediction"
        text = as_csv([name, "score" if name != "score" else "score of it"], zip(classes, scores, strict=True))
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
        say(f"{counted(len(classes), 'prediction')} written to {output}.")
    if rows.kept is not None:
        say(f"{counted(rows.dropped, 'row')} with missing values: no prediction, as the model was learnt without such.")


@app.command()
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
    negative, positive = learnt.perceptron.classes_.tolist()
    truth = _coded(rows, negative, positive)
    predicted = learnt.perceptron.predict(rows.X) == positive
    confusion = [[int(np.sum((truth == t) & (predicted == p))) for p in (False, True)] for t in (False, True)]
    n, errors = len(truth), confusion[0][1] + confusion[1][0]
    result = {
        "rows": n, "errors": errors, "accuracy": (n - errors) / n,
        "classes": [negative, positive], "confusion": confusion,
    }  # fmt: skip
    if as_json:
        print(json.dumps(result, indent=1))
        return
    from rich.table import Table as Grid

    out = console()
    out.print(f"{counted(errors, 'error')} in {counted(n, 'row')}: {percent(n - errors, n)} right.")
    grid = Grid(show_edge=False)
    grid.add_column(f"{column or 'class'} is")
    grid.add_column(f"said {negative}", justify="right")
    grid.add_column(f"said {positive}", justify="right")
    for name, counts in zip((negative, positive), confusion, strict=True):
        grid.add_row(str(name), *(f"{count:,}" for count in counts))
    out.print(grid)
    if rows.kept is not None:
        out.print(f"{counted(rows.dropped, 'row')} with missing values left out.")


@app.command()
@with_data_options
def compare(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    cv: Annotated[int, typer.Option(help="The number of folds of cross-validation; 0 for none.")] = 5,
    standardise: Annotated[
        bool, typer.Option("--standardise/--raw", help="Whether features are brought to mean 0 and variance 1 first.")
    ] = True,
    time_limit: Annotated[float, typer.Option(help="Seconds for the proof of the errors that no hyperplane avoids.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the folds, the orders of visits and the search.")] = 0,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Compare the classifiers on the same rows, beside the errors that no hyperplane avoids."""
    from .comparison import compare as compared
    from .files import FileError

    if cv < 0 or cv == 1:
        raise FileError(f"--cv must be a number of folds of at least 2, or 0 for none, got {cv}.")
    if not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    if seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
    if markdown and as_json:
        raise FileError("--markdown and --json exclude each other: choose one.")
    rows = options.read(data, reading, choosing)
    named = None if choosing.positive is None else options.positive_class(rows, choosing.positive)
    with progress("getting ready: the first run compiles its loops, once", "Ctrl-C shows what is there"):
        result = compared(
            rows, cv=cv or None, positive=named, standardise=standardise, time_limit=time_limit, random_state=seed
        )
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif markdown:
        sys.stdout.write(result.to_markdown())
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(out.width))
    if result.interrupted:
        raise typer.Exit(130)


@app.command("examples")
def examples_command(
    name: Annotated[str | None, typer.Argument(help="The example to print as CSV; without it, all are listed.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the example to this CSV file.")] = None,
    gaps: Annotated[float, typer.Option(help="Of the credit examples: the share of answers that are missing.")] = 0.0,
    as_json: Json = False,
) -> None:
    """List the built-in problems, or print one of them as CSV."""
    from . import examples
    from .files import FileError, write_whole

    if name is None:
        if output is not None:
            raise FileError("--output needs the name of an example.")
        stories = {each: examples.story(each) for each in examples.names()}
        if as_json:
            print(json.dumps(stories, indent=1))
            return
        from rich.table import Table as Grid

        grid = Grid(show_header=False, box=None, padding=(0, 2, 0, 0))
        for each, text in stories.items():
            grid.add_row(each, text)
        console().print(grid)
        return
    example = examples.get(name)
    table = example.table
    if gaps:
        table = examples.with_gaps(name, gaps)
    columns = table.column_names
    rows = [list(row.values()) for row in table.to_pylist()]
    if as_json:
        text = json.dumps({"name": name, "story": example.story, "columns": columns, "rows": rows}) + "\n"
    else:
        text = as_csv(columns, rows)
    if output is None:
        sys.stdout.write(text)
        return
    write_whole(output, text)
    say(f"{example.story} {len(rows):,} rows written to {output}.")


def _refuse_style(style: str) -> None:
    from .files import FileError

    if style not in ("text", "markdown", "latex"):
        raise FileError(f"--style must be text, markdown or latex, got {style!r}.")


def _allowed(X: Any, y: Any, intercept: bool) -> dict[str, Any]:
    """Return what the convergence theorem is about: radius, margin, and the most mistakes that it allows."""
    from .lifted import Lifted
    from .margins import find_margin, root
    from .problem import Problem
    from .walk import radius_squared

    problem = Problem.of(X, y, intercept=intercept)
    margin = find_margin(problem, "lifted")
    square = radius_squared(Lifted.of(problem))
    most = square / margin.lo_squared
    return {
        "radius": root(square, up=True), "margin": [margin.lo, margin.hi],
        "most_mistakes": most.numerator // most.denominator,
    }  # fmt: skip


def _refuse_unwritable(path: Path | None, option: str, data: list[str]) -> None:
    """Say at once, before any work, that a result cannot be written, or would overwrite the data."""
    from .files import FileError

    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise FileError(f"{path} cannot be written: {'it is a' if path.is_dir() else 'there is no such'} folder.")
    if path.exists() and any(path.samefile(each) for name in data for each in [name, *glob(name)] if Path(each).exists()):
        raise FileError(f"{option} {path} would overwrite the data.")


def _reread(learnt: Model, data: list[str], reading: Reading, label: str | None, unseen: str) -> Data:
    """Read data in the columns that a model has learnt from."""
    from .columns import LibsvmTable
    from .encoding import reread
    from .files import FileError
    from .models import ModelError

    if unseen not in ("refuse", "ignore"):
        raise FileError(f"--unseen must be refuse or ignore, got {unseen!r}.")
    if learnt.columns is None and not isinstance(learnt.table, LibsvmTable) and reading.kind not in ("libsvm", "npz"):
        raise ModelError("The model has no feature names, so columns cannot be matched. Use it from Python.")
    dimension = learnt.perceptron.n_features_in_
    return reread(
        data, learnt.columns, learnt.table, dimension, label=label, layout=reading.layout(), kind=reading.kind,
        unseen=unseen, predicting=True,
    )  # fmt: skip


def _two_classes(rows: Data, positive: str | None) -> tuple[Any, list[Any]]:
    """Whether each row is of the positive class, and the two classes; ``positive`` against the rest."""
    import numpy as np

    from .problem import code_labels

    signs, classes = code_labels(np.array(rows.classes), positive=options.positive_class(rows, positive))
    if len(classes) < 2:
        raise ValueError(f"All rows are of one class, {classes[0]!r}: there is nothing to tell apart. Give rows of two.")
    same_kind = type(classes[0]) is type(classes[1])
    return signs[rows.codes] > 0, list(classes) if same_kind else [str(each) for each in classes]


def _coded(rows: Data, negative: Any, positive: Any) -> Any:
    """Whether each label is the positive class; labels that the model has not learnt are refused."""
    import numpy as np

    from .checker import sign_of
    from .files import FileError

    one_against_rest = isinstance(negative, str) and negative == f"not {positive}"
    signs = [sign_of(text, (None if one_against_rest else negative, positive)) for text in rows.texts]
    if 0 in signs:
        strange = rows.texts[signs.index(0)]
        raise FileError(f"The label {strange} is neither {negative} nor {positive}, the classes the model has learnt.")
    return np.array(signs)[rows.codes] > 0


def _split(y: Any, fraction: float, seed: int) -> tuple[Any, Any]:
    import numpy as np
    from sklearn.model_selection import train_test_split

    everything = np.arange(len(y))
    if fraction == 0.0:
        return everything, everything[:0]
    back = math.ceil(fraction * len(y))
    rarest = int(min(y.sum(), len(y) - y.sum()))
    if rarest < 2 or min(back, len(y) - back) < 2:
        raise ValueError(
            f"--holdout {fraction} keeps back {back} of {len(y)} rows, with {rarest} of the rarer class in all. It takes at "
            "least two rows of each class, and two on either side."
        )
    kept, tested = train_test_split(everything, test_size=back, random_state=seed, stratify=y)
    return np.sort(kept), np.sort(tested)


def _show_fit(result: dict[str, Any]) -> None:
    out = console(soft_wrap=True)
    negative, positive = result["classes"]
    verb = "made its last mistake, and then went through all rows without one" if result["converged"] else "was still erring"
    out.print(
        f"{counted(result['rows'], 'row')}, {counted(len(result['features']), 'feature')}: {positive} against {negative}."
    )
    out.print(
        f"The perceptron {verb}: {counted(result['mistakes'], 'mistake')} in {counted(result['passes'], 'pass')}, "
        f"{result['seconds']:.2f} s."
    )
    if "theorem" in result:
        theorem = result["theorem"]
        out.print(
            f"The convergence theorem allows {counted(theorem['most_mistakes'], 'mistake')}: the radius is "
            f"{theorem['radius']:.4g}, the margin {theorem['margin'][0]:.4g}."
        )
    out.print(f"\n{positive} if\n{hyperplane(result['features'], result['coef'], result['intercept'])}\n")
    out.print(f"Training errors: {result['training_errors']:,} of {result['rows']:,}.")
    if "holdout" in result:
        held = result["holdout"]
        out.print(
            f"Rows kept back: {counted(held['errors'], 'error')} in {held['rows']:,}, "
            f"{percent(held['rows'] - held['errors'], held['rows'])} right."
        )
    if result["model"]:
        out.print(f"Model written to {result['model']}.")
    for note in result["notes"]:
        out.print(f"Note: {note}")
