"""What the benchmarks share: lines with bars, work measured in turn with its peers, a table, and a file of results.

A benchmark is a script that yields a few of `Line` and hands them to `run`, which measures them one by one, prints what it
finds and ends with 1 if a bar is missed. With ``--json FILE`` it also writes the figures down, with the machine and the
versions that they are of; `tables.py` makes the tables of the documentation from those files.
"""

import argparse
import datetime
import importlib.metadata
import json
import multiprocessing
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import separatrix as sx

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "highspy", "python-flint", "pyarrow")
NAME_WIDTH = 34  # characters


@dataclass(frozen=True)
class Outcome:
    """What a line has found: figures by their names, and whether its bar is met.

    A figure of seconds is called ``seconds``, or ``linprog seconds`` if it is a peer's.
    """

    figures: dict[str, Any] = field(default_factory=dict)
    met: bool = True


@dataclass(frozen=True)
class Line:
    """One line of a benchmark: its name, its bar in words (empty if figures are only reported), and how it is measured."""

    name: str
    bar: str
    run: Callable[[], Outcome]


class Timed(NamedTuple):
    """Seconds that some work took, and what it returned."""

    seconds: float
    result: Any


def timed(work: Callable[..., Any], *arguments: Any, **options: Any) -> Timed:
    """Do some work once."""
    started = time.perf_counter()
    result = work(*arguments, **options)
    return Timed(time.perf_counter() - started, result)


def in_turn(repeat: int, works: Mapping[str, Callable[[], Any]]) -> dict[str, Timed]:
    """Do several pieces of work in turn, so that all see the same machine; return medians, and the last result of each."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    results: dict[str, Any] = {}
    for _ in range(repeat):
        for name, work in works.items():
            results.pop(name, None)  # so that its memory can be used again, as it would be without us
            took, results[name] = timed(work)
            seconds[name].append(took)
    return {name: Timed(statistics.median(seconds[name]), results[name]) for name in works}


def apart(work: Callable[..., Any], *arguments: Any, patience: float | None = None) -> Any:
    """Do some work in a process of its own, whose memory is its own; None if it takes longer than ``patience`` seconds."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(sender, work, arguments))
    process.start()
    sender.close()  # so that the end of the process is the end of the pipe
    try:
        return receiver.recv() if receiver.poll(patience) else None
    finally:
        process.terminate()
        process.join()


def _report(sender: Any, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    warnings.simplefilter("ignore")
    sender.send(work(*arguments))


def parser(description: str | None, *, repeat: int | None = None) -> argparse.ArgumentParser:
    """Return a parser of the options that all benchmarks have; ``repeat`` is for those that take medians."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with the real data; without it, lines on them are left out"
    )
    if repeat is not None:
        made.add_argument("--repeat", type=int, default=repeat, help="runs of which the median is taken")
    made.add_argument("--only", nargs="+", metavar="NAME", help="run the lines whose names hold one of these texts")
    made.add_argument("--json", type=Path, metavar="FILE", help="write figures, machine and versions to a file")
    return made


def run(lines: Iterable[Line], options: argparse.Namespace) -> int:
    """Measure the lines that are asked for; return 0 if all bars are met, else 1."""
    warnings.simplefilter("ignore")
    measured = []
    for line in lines:
        if options.only and not any(text.lower() in line.name.lower() for text in options.only):
            continue
        outcome = line.run()
        print(f"{line.name:<{NAME_WIDTH}} {_in_words(outcome.figures)}{_verdict(line, outcome)}", flush=True)
        measured.append({
            "name": line.name, "bar": line.bar, "met": bool(outcome.met), "load": round(os.getloadavg()[0], 1),
            "figures": {name: _plain(value) for name, value in outcome.figures.items()},
        })  # fmt: skip
    missed = [line["name"] for line in measured if not line["met"]]
    print(f"{len(missed)} bars MISSED: {'; '.join(missed)}." if missed else "All bars met.")
    if options.json:
        options.json.write_text(
            json.dumps(_document(measured, options), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return 1 if missed else 0


def _verdict(line: Line, outcome: Outcome) -> str:
    return f"  [{line.bar}: {'met' if outcome.met else 'MISSED'}]" if line.bar else ""


def _in_words(figures: Mapping[str, Any]) -> str:
    return ", ".join(_figure_in_words(name, value) for name, value in figures.items() if value is not None)


def _figure_in_words(name: str, value: Any) -> str:
    if name.endswith("seconds"):
        return f"{name.removesuffix('seconds')}{value:.4g} s"
    return (
        f"{name} {value:,}"
        if isinstance(value, int)
        else f"{name} {value:.4g}"
        if isinstance(value, float)
        else f"{name} {value}"
    )


def _plain(value: Any) -> Any:
    """Return a figure as JSON holds it, with six digits."""
    value = value.item() if hasattr(value, "item") else value
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _document(lines: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    chosen = {name: value for name, value in vars(options).items() if name not in ("data", "folder", "json")}
    return {
        "benchmark": Path(sys.argv[0]).stem,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "versions": {"separatrix": sx.__version__, "Python": platform.python_version()}
        | {package: importlib.metadata.version(package) for package in PACKAGES},
        "options": chosen,
        "lines": lines,
    }


def _processor() -> str:
    """Return the name of the processor, which Linux keeps in a file."""
    file = Path("/proc/cpuinfo")
    for line in file.read_text().splitlines() if file.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
