"""The command line: ``separatrix decide | verify | fit | predict | score | examples``.

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
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from .estimators import Perceptron
    from .files import Table

app = typer.Typer(
    help="Certified linear classification.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DataFile = Annotated[Path, typer.Argument(help="CSV file with a header; all columns but the label numeric.")]
ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]

_COLUMNS_PATIENCE = 10.0
"""Seconds that the search for a smallest set of columns may take."""

_PATIENCE = 1.0
"""Seconds of work before progress is shown."""


class _Interrupt:
    """Remembers a Ctrl-C: a library may swallow the exception, as happens while modules load and loops are compiled."""

    came = False

    def __call__(self, *_: object) -> None:
        self.came = True
        sys.unraisablehook = lambda _: None  # nor need anybody read that it was swallowed
        raise KeyboardInterrupt


_interrupt = _Interrupt()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, on the given arguments or on those of the process."""
    _interrupt.came = False
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # better a question mark for a letter than half a report
    try:
        app(arguments)
    except SystemExit as left:
        if left.__context__ is not None and isinstance(left.__context__.__cause__, KeyboardInterrupt):
            _say("Stopped.")  # typer has seen it first, and says nothing
        raise
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has had enough
        sys.exit(1)
    except Exception as error:
        if _interrupt.came:  # what a half-loaded module or a half-compiled loop says then is of no interest
            _say("Stopped.")
            sys.exit(130)
        if not isinstance(error, ValueError | ArithmeticError | TypeError | OSError | MemoryError):
            raise
        _say(f"Error: {str(error) or type(error).__name__}")
        sys.exit(2)


def _console(**options: Any) -> Any:
    """Return a console that prints texts as they are: names of columns and classes are no markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **options)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


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
def decide(
    data: DataFile,
    label: Annotated[str, typer.Option(help="Name of the column that holds the classes.")],
    positive: Annotated[str | None, typer.Option(help="The class to set against all others.")] = None,
    intercept: Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane has one.")] = True,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Give up after so many seconds.")] = None,
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 0 if separable, 3 if quasi-separable, 4 if overlapping, 5 if unknown."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Decide whether a hyperplane separates the classes, and prove it."""
    from .decision import decide as decide_rows
    from .files import FileError, read_csv
    from .progress import report

    _refuse_unwritable(certificate)
    if time_limit is not None and not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    if certificate is not None and certificate.exists() and certificate.samefile(data):
        raise FileError(f"--certificate {certificate} would overwrite the data.")
    table = read_csv(data, label=label)
    named = _positive_class(table, positive)
    with _progress("getting ready: the first run compiles its loops, once", "Ctrl-C stops it"):
        started = time.perf_counter()
        verdict = decide_rows(_frame(table), table.labels, positive=named, fit_intercept=intercept, time_limit=time_limit)
        seconds = time.perf_counter() - started
        written = certificate if verdict.certificate is not None else None
        if written is not None and verdict.certificate is not None:
            verdict.certificate.save(written)
        report(lambda: f"{verdict.status}; looking for few columns that suffice")
        patience = _COLUMNS_PATIENCE if time_limit is None else min(_COLUMNS_PATIENCE, max(0.0, time_limit - seconds))
        separated, columns = verdict.separated_rows, verdict.columns_within(patience)
    if as_json:
        result = {
            "status": str(verdict.status), "separable": verdict.separable, "message": verdict.message,
            "rows": verdict.problem.n, "features": list(table.features), "classes": list(verdict.problem.classes),
            "witness": None if verdict.witness is None else verdict.witness.tolist(),
            "separated_rows": None if separated is None else separated.tolist(),
            "separating_columns": columns, "coef": None if verdict.coef is None else verdict.coef.tolist(),
            "intercept": verdict.intercept, "certificate": None if written is None else str(written),
            "seconds": round(seconds, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        console = _console(soft_wrap=True)
        console.print(verdict.explain(), end="")
        if columns and len(columns) < len(table.features):
            console.print(f"\n{_suffices(columns)}")
        if written is not None:
            words = ["separatrix", "verify", str(written), str(data), "--label", label]
            console.print(f"\nProof written to {written}; check it with: {shlex.join(words)}")
        elif certificate is not None:
            console.print("\nNo proof was written.")
    if exit_code:
        raise typer.Exit(_EXIT_CODES[verdict.status])


_EXIT_CODES = {"separable": 0, "quasi-separable": 3, "overlapping": 4, "unknown": 5}


def _suffices(columns: Any) -> str:
    if len(columns) == 1:
        return f"The column {columns[0]} alone separates the same rows."
    shown = ", ".join(map(str, columns[:10])) + (f", … ({len(columns)} in all)" if len(columns) > 10 else "")
    return f"The columns {shown} alone separate the same rows; none of them can be left out, but other sets may do as well."


@app.command()
def verify(
    certificate: Annotated[Path, typer.Argument(help="Proof written by decide.")],
    data: Annotated[Path, typer.Argument(help="CSV file with a header; columns are matched by name.")],
    label: Annotated[str, typer.Option(help="Name of the column that holds the classes.")],
    as_json: Json = False,
) -> None:
    """Check a proof against the data it speaks of: exit code 0 if it holds, 1 if not."""
    import numpy as np

    from .certificate import Certificate, InvalidCertificate
    from .checker import in_words, sign_of
    from .files import MissingColumns, read_csv
    from .verifier import verify_signs

    claim = about = reason = None
    try:
        proof = Certificate.load(certificate)
        claim = str(proof.claim)
        if label in (proof.problem.columns or ()):
            raise InvalidCertificate(f"The certificate uses the label, {label!r}, as a column.")
        table = read_csv(data, label=label, features=proof.problem.columns)
        assert table.labels is not None
        texts, places = np.unique(table.labels.astype(str), return_inverse=True)
        signs = [sign_of(text, proof.problem.classes) for text in texts.tolist()]
        if 0 in signs:
            raise InvalidCertificate(f"The label {texts[signs.index(0)]} is no class of the certificate.")
        verify_signs(proof, table.X, np.array(signs, float)[places])
        about = in_words(proof.document()["problem"])
    except (InvalidCertificate, MissingColumns) as error:
        reason = str(error)
    if as_json:
        print(json.dumps({"valid": reason is None, "claim": claim, "about": about, "reason": reason}, indent=1))
    elif reason is None:
        print(f"The proof holds, for {about}: the classes are {claim}.")
    else:
        print(f"Not proved. {reason}")
    if reason is not None:
        raise typer.Exit(1)


@app.command()
def fit(
    data: DataFile,
    label: Annotated[str, typer.Option(help="Name of the column that holds the classes.")],
    model: Annotated[Path | None, typer.Option(help="Write the model to this file.")] = None,
    positive: Annotated[str | None, typer.Option(help="The class to set against all others.")] = None,
    order: Annotated[str, typer.Option(help="Order of visits: cyclic, shuffle or random.")] = "cyclic",
    tie: Annotated[
        str, typer.Option(help="What a score of zero predicts: update (nothing), positive or negative.")
    ] = "update",
    max_iter: Annotated[int, typer.Option(help="The most passes.")] = 1000,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    intercept: Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether to learn an intercept.")] = True,
    class_weight: Annotated[str | None, typer.Option(help="'balanced' weighs classes by their rarity.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the orders shuffle and random, and of --holdout.")] = 0,
    holdout: Annotated[float, typer.Option(help="Fraction of the rows to keep back for testing, e.g. 0.2.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Learn a hyperplane with the perceptron learning algorithm, exactly."""
    import numpy as np

    from .estimators import Perceptron
    from .files import FileError, read_csv
    from .models import save_model

    if not 0.0 <= holdout < 1.0:
        raise FileError(f"--holdout must be at least 0 and below 1, got {holdout}.")
    if seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
    _refuse_unwritable(model)
    table = read_csv(data, label=label)
    y, classes = _two_classes(table, positive)
    kept, tested = _split(y, holdout, seed)
    perceptron = Perceptron(
        order=order, tie=tie, max_iter=max_iter, eta0=eta0, fit_intercept=intercept, class_weight=class_weight,
        random_state=seed,
    )  # fmt: skip
    notes: list[str] = []
    interrupted = False
    with _progress("getting ready: the first run compiles its loops, once"), _collected(notes):
        Perceptron().fit([[0.0], [1.0]], [0, 1])
        started = time.perf_counter()
        try:
            perceptron.fit(_frame(table, kept), y[kept])
        except KeyboardInterrupt:
            if not hasattr(perceptron, "converged_"):
                raise
            interrupted = True
    seconds = time.perf_counter() - started
    result = _summary(perceptron, table, y, kept, tested, seconds)
    result["classes"] = classes
    # Learnt as False and True, so that the positive class is the one asked for, whatever its place in sorted order.
    perceptron.classes_ = np.array(classes)
    if interrupted:
        notes.append(f"Stopped by Ctrl-C after {perceptron.n_mistakes_:,} mistakes; the weights are those of that moment.")
    if model is not None:
        save_model(perceptron, model, label=label)
    result["model"] = None if model is None else str(model)
    result["interrupted"] = interrupted
    result["notes"] = notes
    if as_json:
        print(json.dumps(result, indent=1))
    else:
        _show_fit(perceptron, result)
    if interrupted:
        raise typer.Exit(130)


@app.command()
def predict(
    model: ModelFile,
    data: Annotated[Path, typer.Argument(help="CSV file with a header; columns are matched by name.")],
    output: Annotated[Path | None, typer.Option(help="Write the predictions to this CSV file.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the class of each row, with its score."""
    from .files import read_csv, write_whole
    from .models import read_model

    learnt = read_model(model)
    table = read_csv(data, features=_features(learnt.perceptron))
    frame = _frame(table)
    classes = learnt.perceptron.predict(frame).tolist()
    scores = learnt.perceptron.decision_function(frame).tolist()
    if as_json:
        text = json.dumps({"label": learnt.label, "predictions": classes, "scores": scores}, indent=1) + "\n"
    else:
        name = learnt.label or "prediction"
        text = _as_csv([name, "score" if name != "score" else "score of it"], zip(classes, scores, strict=True))
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
        _say(f"{len(classes):,} predictions written to {output}.")


@app.command()
def score(
    model: ModelFile,
    data: Annotated[Path, typer.Argument(help="CSV file with a header; columns are matched by name.")],
    label: Annotated[str | None, typer.Option(help="Name of the label column, if not the one learnt from.")] = None,
    as_json: Json = False,
) -> None:
    """Count the errors of a model on labelled rows."""
    import numpy as np

    from .files import FileError, read_csv
    from .models import read_model

    learnt = read_model(model)
    column = label or learnt.label
    if column is None:
        raise FileError(f"{model} does not say which column it predicts. Name it with --label.")
    table = read_csv(data, label=column, features=_features(learnt.perceptron))
    negative, positive = learnt.perceptron.classes_.tolist()
    truth = _coded(table, negative, positive)
    predicted = learnt.perceptron.predict(_frame(table)) == positive
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

    console = _console()
    console.print(f"{_count(errors, 'error')} in {_count(n, 'row')}: {_percent(n - errors, n)} right.")
    grid = Grid(show_edge=False)
    grid.add_column(f"{column} is")
    grid.add_column(f"said {negative}", justify="right")
    grid.add_column(f"said {positive}", justify="right")
    for name, counts in zip((negative, positive), confusion, strict=True):
        grid.add_row(str(name), *(f"{count:,}" for count in counts))
    console.print(grid)


@app.command("examples")
def examples_command(
    name: Annotated[str | None, typer.Argument(help="The example to print as CSV; without it, all are listed.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the example to this CSV file.")] = None,
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
        _console().print(grid)
        return
    example = examples.get(name)
    rows = [[*row, value] for row, value in zip(example.X.tolist(), example.y.tolist(), strict=True)]
    columns = [*example.features, example.label]
    if as_json:
        text = json.dumps({"name": name, "story": example.story, "columns": columns, "rows": rows}) + "\n"
    else:
        text = _as_csv(columns, rows)
    if output is None:
        sys.stdout.write(text)
        return
    write_whole(output, text)
    _say(f"{example.story} {len(rows):,} rows written to {output}.")


def _refuse_unwritable(path: Path | None) -> None:
    """Say at once, before any work, that a result cannot be written."""
    from .files import FileError

    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise FileError(f"{path} cannot be written: {'it is a' if path.is_dir() else 'there is no such'} folder.")


def _positive_class(table: Table, positive: str | None) -> Any:
    """Return the class that is named, as the labels have it; see that it is there, or else that two classes are."""
    from .problem import distinct

    assert table.labels is not None
    named: Any = positive
    if positive is not None and table.labels.dtype.kind == "i":
        named = int(positive) if positive.lstrip("+-").isdigit() else positive
    found = distinct(table.labels)
    if named is None and len(found) > 2:
        shown = ", ".join(map(str, found[:6])) + (", …" if len(found) > 6 else "")
        raise ValueError(f"The label has {len(found)} classes: {shown}. Set one against the rest with --positive.")
    if named is not None and named not in found:
        raise ValueError(f"--positive {positive} is not a class of the label, which has: {', '.join(map(str, found[:12]))}.")
    return named


def _two_classes(table: Table, positive: str | None) -> tuple[Any, list[Any]]:
    """Whether each row is of the positive class, and the two classes; ``positive`` against the rest."""
    from .problem import code_labels

    assert table.labels is not None
    codes, classes = code_labels(table.labels, positive=_positive_class(table, positive))
    if len(classes) < 2:
        raise ValueError(f"All rows are of one class, {classes[0]!r}: there is nothing to tell apart. Give rows of two.")
    same_kind = type(classes[0]) is type(classes[1])
    return codes > 0, list(classes) if same_kind else [str(each) for each in classes]


def _coded(table: Table, negative: Any, positive: Any) -> Any:
    """Whether each label is the positive class; labels that the model has not learnt are refused."""
    from .files import FileError

    assert table.labels is not None
    labels = table.labels if table.labels.dtype.kind == "i" and isinstance(positive, int) else table.labels.astype(str)
    one_against_rest = isinstance(negative, str) and negative == f"not {positive}"
    strange = labels[(labels != positive) & (labels != negative)]
    if strange.size and not one_against_rest:
        raise FileError(f"The label {strange[0]!s} is neither {negative} nor {positive}, the classes the model has learnt.")
    return labels == positive


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


def _frame(table: Table, rows: Any = None) -> Any:
    """Rows with their column names, as a table that the estimators understand."""
    import pyarrow as pa

    X = table.X if rows is None else table.X[rows]
    return pa.table({name: X[:, j] for j, name in enumerate(table.features)})


def _features(perceptron: Perceptron) -> list[str]:
    from .models import ModelError

    names = getattr(perceptron, "feature_names_in_", None)
    if names is None:
        raise ModelError("The model has no feature names, so columns cannot be matched. Use it from Python.")
    return [str(name) for name in names]


def _summary(perceptron: Perceptron, table: Table, y: Any, kept: Any, tested: Any, seconds: float) -> dict[str, Any]:
    errors = int((perceptron.predict(_frame(table, kept)) != y[kept]).sum())
    result: dict[str, Any] = {
        "rows": len(kept), "features": list(table.features),
        "coef": perceptron.coef_[0].tolist(), "intercept": float(perceptron.intercept_[0]),
        "converged": bool(perceptron.converged_), "passes": int(perceptron.n_iter_),
        "mistakes": int(perceptron.n_mistakes_), "training_errors": errors, "seconds": round(seconds, 6),
    }  # fmt: skip
    if len(tested):
        wrong = int((perceptron.predict(_frame(table, tested)) != y[tested]).sum())
        result["holdout"] = {"rows": len(tested), "errors": wrong, "accuracy": 1 - wrong / len(tested)}
    return result


def _show_fit(perceptron: Perceptron, result: dict[str, Any]) -> None:
    console = _console(soft_wrap=True)
    negative, positive = result["classes"]
    verb = "made its last mistake, and then went through all rows without one" if result["converged"] else "was still erring"
    console.print(
        f"{_count(result['rows'], 'row')}, {_count(len(result['features']), 'feature')}: {positive} against {negative}."
    )
    console.print(
        f"The perceptron {verb}: {_count(result['mistakes'], 'mistake')} in {_count(result['passes'], 'pass')}, "
        f"{result['seconds']:.2f} s."
    )
    console.print(f"\n{positive} if\n{hyperplane(result['features'], result['coef'], result['intercept'])}\n")
    console.print(f"Training errors: {result['training_errors']:,} of {result['rows']:,}.")
    if "holdout" in result:
        held = result["holdout"]
        console.print(
            f"Rows kept back: {_count(held['errors'], 'error')} in {held['rows']:,}, "
            f"{_percent(held['rows'] - held['errors'], held['rows'])} right."
        )
    if result["model"]:
        console.print(f"Model written to {result['model']}.")
    for note in result["notes"]:
        console.print(f"Note: {note}")


def hyperplane(features: list[str], coef: list[float], intercept: float) -> str:
    """Write ``w.x > threshold`` in feature names, a term a line.

    >>> print(hyperplane(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0))
      +   2 * income
      - 3.5 * debt
      > 60
    """
    terms = [(abs(w), "-" if w < 0 else "+", name) for w, name in zip(coef, features, strict=True) if w != 0.0]
    if not terms:
        return f"  0 > {0.0 - intercept:.6g}   (all coefficients are zero: no hyperplane)"
    width = max(len(f"{size:.6g}") for size, _, _ in terms)
    lines = [f"  {sign} {size:>{width}.6g} * {name}" for size, sign, name in terms]
    return "\n".join([*lines, f"  > {0.0 - intercept:.6g}"])


def _count(number: int, thing: str) -> str:
    """Write a number of things.

    >>> _count(1, "pass"), _count(1200, "pass"), _count(0, "row")
    ('1 pass', '1,200 passes', '0 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}{'es' if thing.endswith('s') else 's'}"


def _percent(part: int, whole: int) -> str:
    """Write a percentage that says 100 % and 0 % only when it is so."""
    share = 100 * part / whole
    if 0 < part < whole:
        share = min(max(share, 0.1), 99.9)
    return f"{share:.1f} %"


def _as_csv(columns: list[str], rows: Any) -> str:
    import csv

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 1e15 else v for v in row])
    return text.getvalue()


@contextmanager
def _collected(notes: list[str]) -> Iterator[None]:
    """Turn warnings into notes for the person at the terminal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes.extend(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning))


@contextmanager
def _progress(first: str, hint: str = "Ctrl-C keeps what is learnt so far") -> Iterator[None]:
    """Show how far the work has come, once it has taken more than a second.

    What is shown is made ready here, since importing in the timer's thread could wait for ever after a Ctrl-C.
    """
    from .progress import listening

    started = time.monotonic()
    lock = threading.Lock()
    status = _console(stderr=True).status("")
    shown = over = False

    def heard(text: str) -> None:
        if _interrupt.came:
            raise KeyboardInterrupt
        show(text)

    def show(text: str) -> None:
        nonlocal shown
        elapsed = time.monotonic() - started
        if elapsed < _PATIENCE:
            return
        line = f"{text}, {elapsed:.0f} s ({hint})"
        with lock:
            if over:
                return
            status.update(line)
            if not shown:
                shown = True
                status.start()

    timer = threading.Timer(_PATIENCE, show, [first])
    timer.daemon = True
    timer.start()
    try:
        with listening(heard):
            yield
    finally:
        timer.cancel()
        with lock:
            over = True
        if shown:
            status.stop()
