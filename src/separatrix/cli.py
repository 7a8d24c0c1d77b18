"""The command line.

``separatrix describe | decide | least-errors | verify | checker | fit | audit | predict | score | compare | examples``.

Heavy imports wait until a command needs them, so that ``--help`` answers at once. Every error is one readable message
and a non-zero exit code: 1 for a proof that does not hold and for nothing else, 2 for whatever went wrong, 130 after
Ctrl-C. With ``--exit-code``, ``decide`` and ``least-errors`` say by 3, 4 and 5 what they have found.
"""

from __future__ import annotations

import gc
import io
import json
import math
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from . import learning, options
from .cautions import CacheWarning
from .names import command as command_of
from .names import shown, tamed
from .options import Choosing, DataFiles, Intercept, Json, Reading, with_data_options
from .options import refuse_unwritable as _refuse_unwritable
from .options import two_classes as _two_classes
from .terminal import as_csv, collected, console, interrupt, progress, put, say

app = typer.Typer(
    help="Certified linear classification.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Order = Annotated[str, typer.Option(help="Order of visits: cyclic, shuffle or random.")]
Tie = Annotated[str, typer.Option(help="What a score of zero predicts: update (nothing), positive or negative.")]
MaxIter = Annotated[int, typer.Option(help="The most passes.")]

_COLUMNS_PATIENCE = 10.0
"""Seconds that the search for a smallest set of columns may take."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, on the given arguments or on those of the process, and leave with an exit code."""
    interrupt.came = False
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed: there is no place for the result. Give it one, such as > /dev/null")
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # letters that the terminal does not know stay apart
        with warnings.catch_warnings():
            warnings.simplefilter("always", CacheWarning)  # a note on speed: no error even where warnings are to be errors
            warnings.showwarning = lambda message, *_: say(f"Warning: {message}")
            code = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt as stopped:
        say(str(stopped) or "Stopped.")
        code = 130
    except Exception as error:
        code = _failed(error, "--json" in given)
    finally:
        gc.unfreeze()  # what `options.read` has frozen
    _let_go()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    """Run a command; return the exit code it asks for."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("separatrix", list(arguments or ["--help"])) as context:
            command.invoke(context)
    except typer.Exit as left:
        return left.exit_code if arguments else 2
    except Exception as error:
        if not hasattr(error, "show"):
            raise
        # What is wrong with the arguments, which the library that reads them can say.
        message = io.StringIO()
        error.message = tamed(error.message)  # type: ignore[attr-defined]
        error.show(message)
        for line in message.getvalue().splitlines():
            say(line)
        return 2
    return 0


def _failed(error: Exception, as_json: bool) -> int:
    """Say what went wrong, on one line; return the exit code."""
    if interrupt.came:  # what a half-loaded module or a half-compiled loop says then is of no interest
        say("Stopped.")
        return 130
    message = str(error) or type(error).__name__
    if isinstance(error, MemoryError):
        message = f"There is not enough memory. {error}".rstrip()
    elif isinstance(error, BrokenPipeError):
        message = "Whoever read the output has closed it before all was written."
    elif isinstance(error, OSError):
        message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}."
    elif not isinstance(error, ValueError | ArithmeticError | TypeError):
        message = f"This should not happen: {type(error).__name__}: {message}"
    hint = ""
    if os.environ.get("SEPARATRIX_TRACEBACK"):
        traceback.print_exception(error)
    elif message.startswith("This should not happen"):
        hint = " (SEPARATRIX_TRACEBACK=1 in the environment shows where.)"
    if as_json:
        with suppress(OSError, ValueError):
            print(json.dumps({"error": message}), flush=True)
    say(f"Error: {message}{hint}")
    return 2


def _let_go() -> None:
    """Let nothing that could not be written be tried again on leaving."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
    with progress("reading the table", "Ctrl-C stops it"):
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
    from .explanation import STYLES
    from .files import FileError
    from .progress import Clock, report

    _refuse_style(style)
    if time_limit is not None and not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    _refuse_unwritable(certificate, "--certificate", {"the data": data})
    rows = options.read(data, reading, choosing)
    named = options.positive_class(rows, choosing.positive)
    with progress("deciding", "Ctrl-C stops it"):
        clock, started = Clock(time_limit), time.perf_counter()
        verdict = decided(rows.problem(positive=named, intercept=intercept), clock)
        seconds = time.perf_counter() - started
        written = certificate if verdict.certificate is not None else None
        if written is not None and verdict.certificate is not None:
            verdict.certificate.save(written)
        report(lambda: f"{verdict.status}; looking for few columns that suffice")
        separated, found = verdict.separated_rows, verdict.columns_within(min(_COLUMNS_PATIENCE, clock.left()))
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
        out, sentence = console(soft_wrap=True), STYLES[style]().sentence
        out.print(verdict.explain(format=style), end="")
        if witness is not None and len(witness) <= _MOST_PLACES:
            out.print(f"\n{sentence(_places(rows.locate(witness)))}")
        if columns and len(columns) < len(rows.names):
            out.print(f"\n{sentence(_suffices(columns))}")
        for note in rows.notes():
            out.print(f"\n{sentence(f'Note: {note}')}")
        if written is not None:
            out.print(f"\n{sentence(_written(written, data, reading))}")
        elif certificate is not None:
            out.print("\nNo proof was written.")
    if exit_code:
        raise typer.Exit(_EXIT_CODES[verdict.status])


_EXIT_CODES = {"separable": 0, "quasi-separable": 3, "overlapping": 4, "unknown": 5}
_MOST_PLACES = 60


def _written(proof: Path, data: list[str], reading: Reading) -> str:
    kind = [] if reading.kind is None else ["--format", reading.kind]
    check = command_of(["separatrix", "verify", str(proof), *data, *kind])
    return f"Proof written to {shown(proof)}; check it with: {check}"


def _places(places: list[str], what: str = "The witness, in its order") -> str:
    """Say where rows are.

    >>> _places(["a.csv, line 2", "a.csv, line 7", "b.csv, line 3"])
    'The witness, in its order: a.csv, lines 2, 7; b.csv, line 3.'
    """
    files: dict[str, list[str]] = {}
    for place in places:
        file, _, row = place.rpartition(" ")
        files.setdefault(file, []).append(row)
    texts = [f"{shown(file)}{'s' if len(rows) > 1 else ''} {', '.join(rows)}" for file, rows in files.items()]
    return f"{what}: {'; '.join(texts)}."


def _suffices(columns: Any) -> str:
    if len(columns) == 1:
        return f"The column {shown(columns[0])} alone separates the same rows."
    some = ", ".join(map(shown, columns[:10])) + (f", … ({len(columns)} in all)" if len(columns) > 10 else "")
    return f"The columns {some} alone separate the same rows; none of them can be left out, but other sets may do as well."


@app.command("least-errors")
@with_data_options
def least_errors(
    data: DataFiles,
    choosing: Choosing,
    reading: Reading,
    intercept: Intercept = True,
    weights: Annotated[str | None, typer.Option(help="A column that says what an error on each row counts.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof of the lower bound to this file.")] = None,
    time_limit: Annotated[
        float, typer.Option(help="End after so many seconds, with what is proved by then; or inf.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    style: Annotated[str, typer.Option(help="How to write the explanation: text, markdown or latex.")] = "text",
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 0 if the bounds meet, 5 if not.")] = False,
    as_json: Json = False,
) -> None:
    """Find a hyperplane with few errors, and prove how few any hyperplane can make."""
    from .disagreement import find_least_errors
    from .explanation import STYLES
    from .files import FileError

    _refuse_style(style)
    if not time_limit > 0:
        raise FileError(f"--time-limit must be a number of seconds above 0, got {time_limit:g}.")
    if seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
    _refuse_unwritable(certificate, "--certificate", {"the data": data})
    rows, costs = options.read_weighed(data, reading, choosing, weights)
    named = options.positive_class(rows, choosing.positive)
    with progress("searching", "Ctrl-C keeps what is proved so far"):
        problem = rows.problem(positive=named, intercept=intercept)
        started = time.perf_counter()
        found = find_least_errors(problem, costs, time_limit, seed)
        seconds = time.perf_counter() - started
        with collected(notes := rows.notes()):
            found.tell_of_rounding()
        if certificate is not None:
            found.certificate.save(certificate)
    wrong = found.rows_given_up.tolist()
    if as_json:
        result = {
            "lower": _exactly(found.lower), "upper": _exactly(found.upper), "optimal": found.optimal,
            "rows": problem.n, "features": rows.names, "classes": list(problem.classes),
            "kept_rows": None if rows.kept is None else rows.kept.tolist(),
            "errors": wrong, "error_places": rows.locate(wrong),
            "coef": found.coef.tolist(), "intercept": found.intercept, "exact_weights": found.weights.strings(),
            "certificate": None if certificate is None else str(certificate),
            "interrupted": found.interrupted, "notes": notes, "seconds": round(seconds, 6),
        }  # fmt: skip
        print(json.dumps(result, indent=1))
    else:
        out, sentence = console(soft_wrap=True), STYLES[style]().sentence
        out.print(found.explain(format=style), end="")
        places = rows.locate(wrong)
        if wrong and len(wrong) <= _MOST_PLACES and places != [f"row {i}" for i in wrong]:
            out.print(f"\n{sentence(_places(places, 'Where the errors are'))}")
        for note in notes:
            out.print(f"\n{sentence(f'Note: {note}')}")
        if certificate is not None:
            out.print(f"\n{sentence(_written(certificate, data, reading))}")
    if found.interrupted:
        raise typer.Exit(130)
    if exit_code and not found.optimal:
        raise typer.Exit(_EXIT_CODES["unknown"])


def _exactly(number: Any) -> int | str:
    """Return a number as JSON has it: whole, or else as certificates write it."""
    return number if isinstance(number, int) else str(number)


@app.command()
@with_data_options
def verify(
    certificate: Annotated[Path, typer.Argument(help="Proof, as decide and least-errors write it.")],
    data: DataFiles,
    reading: Reading,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if the proof does not say.")] = None,
    as_json: Json = False,
) -> None:
    """Check a proof against the data it speaks of: exit code 0 if it holds, 1 if not."""
    from .certificate import Certificate, InvalidCertificate
    from .files import OtherTable
    from .verifier import about, data_of, in_words, verify_data

    claim = subject = reason = None
    said = ""
    try:
        proof = Certificate.load(certificate)
        claim = str(proof.claim)
        rows = data_of(proof, data, label=label, layout=reading.layout(), kind=reading.kind)
        said, subject = in_words(proof, rows, verify_data(proof, rows)), about(proof, rows)
    except (InvalidCertificate, OtherTable) as error:
        reason = str(error)
    if as_json:
        print(json.dumps({"valid": reason is None, "claim": claim, "about": subject, "reason": reason}, indent=1))
    elif reason is None:
        print(tamed(said))
    else:
        print(tamed(f"Not proved. {reason}"))
    if reason is not None:
        raise typer.Exit(1)


@app.command()
def checker() -> None:
    """Print the stand-alone checker of proofs, one file of plain Python: separatrix checker > checker.py."""
    from .files import FileError

    if sys.stdout is None:
        raise FileError("Standard output is closed: there is nowhere to write to.")
    sys.stdout.buffer.write(Path(__file__).with_name("checker.py").read_bytes())


app.command()(learning.fit)


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
    from sklearn.exceptions import ConvergenceWarning

    from .estimators import Perceptron
    from .explanation import STYLES
    from .ledger import audit as audited

    _refuse_style(style)
    rows = options.read(data, reading, choosing)
    y, classes = _two_classes(rows, choosing.positive)
    notes = rows.notes()
    with progress("running the perceptron", "Ctrl-C stops it"), collected(notes):
        warnings.simplefilter("ignore", ConvergenceWarning)  # what is known of the run is said below
        perceptron = Perceptron(
            order=order, tie=tie, max_iter=max_iter, fit_intercept=intercept, random_state=seed, record=True
        ).fit(rows.X, y)  # fmt: skip
        ledger = audited(perceptron, rows.X, y)
        promise = ledger.generalization(delta)
    if not ledger.converged and ledger.bound is not None:
        most = f", after {math.floor(ledger.bound[1]):,} mistakes at most" if math.isfinite(ledger.bound[1]) else ""
        notes.append(
            f"The run was stopped after {ledger.passes:,} passes, before it came to rest. With more passes (--max-iter) it "
            f"does, as a hyperplane separates the classes, which is proved{most}."
        )
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
            out.print(f"\n{STYLES[style]().sentence(f'Note: {note}')}")


app.command()(learning.predict)
app.command()(learning.score)


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
    with progress("comparing", "Ctrl-C shows what is there"):
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
        put(text)
        return
    write_whole(output, text)
    say(f"{example.story} {len(rows):,} rows written to {shown(output)}.")


def _refuse_style(style: str) -> None:
    from .files import FileError

    if style not in ("text", "markdown", "latex"):
        raise FileError(f"--style must be text, markdown or latex, got {style!r}.")
