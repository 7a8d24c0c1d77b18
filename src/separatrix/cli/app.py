"""The command line: its entry, its commands, and what becomes of errors.

``separatrix describe | decide | least-errors | verify | checker | fit | play | mistake-bound | audit | check-run | predict |
score | export | compare | report | examples | exercise | worst-order | boolean-functions``.

Heavy imports wait until a command needs them, so that ``--help`` answers at once. Every error is one readable message
and a non-zero exit code: 1 for a proof that does not hold or a run by hand that is wrong, and for nothing else, 2 for
whatever went wrong, 130 after Ctrl-C, 141 if whoever reads the output leaves. With ``--exit-code``, ``decide`` and
``least-errors`` say by 3, 4 and 5 what they have found.
"""

from __future__ import annotations

import gc
import io
import json
import os
import signal
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import typer

from ..exceptions import CacheWarning
from ..support.escaping import tamed
from ..support.interruption import interrupt
from . import clusters
from .commands import (
    audit,
    check_run,
    compare,
    decide,
    describe,
    examples,
    export,
    fit,
    least_errors,
    mistake_bound,
    play,
    predict,
    report,
    score,
    teaching,
    verify,
)
from .help import GroupedCommand, GroupedCommands
from .terminal import say
from .typed import remember
from .wording import worded

app = typer.Typer(
    help="Certified linear classification: what is said of the data is proved. Each command has a --help of its own.",
    cls=GroupedCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, on the given arguments or on those of the process, and leave with an exit code."""
    interrupt.forget()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = _unraisable
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed: there is no place for the result. Give it one, such as > /dev/null")
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # letters that the terminal does not know stay apart
        with warnings.catch_warnings():
            warnings.simplefilter("always", CacheWarning)  # a note on speed: no error even where warnings are to be errors
            warnings.showwarning = lambda message, *_: say(f"Warning: {worded(message)}")
            code = _run(given)
        if interrupt.came:
            code = 130  # what there is was shown
        sys.stdout.flush()
    except KeyboardInterrupt as stopped:
        say(str(stopped) or "Stopped.")
        code = 130
    except Exception as error:
        code = _failed(error, "--json" in given)
    finally:
        gc.unfreeze()  # what `inputs.read` has frozen
        clusters.started.close()
    _let_go()
    sys.exit(code)


def _unraisable(what: Any) -> None:
    """Tell of an exception that cannot be raised, unless it is a Ctrl-C: that is remembered, and nobody need read of it."""
    if not interrupt.came:
        sys.__unraisablehook__(what)


@cache
def _parser() -> Any:
    """Return what reads arguments. To make it takes longer than most commands, and a process may run several of them."""
    return typer.main.get_command(app)


def _run(arguments: list[str]) -> int:
    """Run a command; return the exit code it asks for."""
    command = _parser()
    remember(arguments)
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
    if isinstance(error, BrokenPipeError):  # whoever reads the output, such as head, has seen enough
        return 141
    message = worded(error) or type(error).__name__
    if isinstance(error, MemoryError):
        message = f"There is not enough memory. {error}".rstrip()
    elif isinstance(error, OSError):
        message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}".rstrip(".") + "."
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
        from .. import __version__

        print(f"separatrix {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


for command in (
    describe.describe,
    decide.decide,
    least_errors.least_errors,
    verify.verify,
    verify.checker,
    fit.fit,
    play.play,
    mistake_bound.mistake_bound,
    audit.audit,
    check_run.check_run,
    predict.predict,
    score.score,
    export.export,
    compare.compare,
    report.report,
    examples.examples,
    teaching.exercise,
    teaching.worst_order,
    teaching.boolean_functions,
):
    app.command(command.__name__.replace("_", "-"), cls=GroupedCommand)(command)
