"""Checkpoints: where a run stands, in a file from which it goes on to the identical result (docs/checkpoints.md).

A file is written whole or not at all, says what it is a checkpoint of, and has a digest of itself: whatever does not fit is
refused, and nothing in it is executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..exceptions import FileError, ModelError
from ..models.fields import Section, boolean, dyadic, indices, integer, plain
from ..models.parameters import write_parameters
from ..support.escaping import shown
from ..support.remedies import Remedy
from ..support.writing import write_whole
from .walk import Seen, Standing

if TYPE_CHECKING:
    from .learning import Lesson

FORMAT = "separatrix-checkpoint/1"

_KEYS = (
    "format", "library", "kind", "parameters", "classes", "features", "rows", "first", "unit", "factor", "seen", "position",
    "mistakes", "halted", "weights", "sum", "trace", "random", "check",
)  # fmt: skip

_FREE = ("max_iter",)
"""Parameters that may be others when a run goes on: they change nothing that was done."""

_MERSENNE = 624
"""Words of the state that random numbers are drawn from."""


@dataclass
class Checkpoints:
    """A file that is written now and then."""

    path: Path
    every: float
    last: float
    """When the file was written last."""

    @classmethod
    def at(cls, path: str | PathLike[str], every: float, resume: bool, lesson: Lesson) -> Checkpoints:
        """Get ready to write checkpoints of a run; with ``resume``, have the run go on from the one that is there."""
        if isinstance(every, bool) or not isinstance(every, int | float) or not 0.0 <= every < math.inf:
            raise ValueError(f"every must be a number of seconds from 0 up, got {every!r}.")
        found = cls(Path(path), float(every), time.monotonic())
        there = found.path.exists()
        if resume and not there:
            raise FileError(f"There is no file {shown(path)} to resume from.")
        if there and not resume:
            raise FileError(
                f"{shown(path)} is there already. Go on from it: ", Remedy("resume", True), ", or give another name, "
                "or remove it, to begin anew.",
            )  # fmt: skip
        if not found.path.parent.is_dir():
            raise FileError(f"There is no folder {shown(found.path.parent)} for the checkpoint.")
        if resume:
            restore(read(found.path), lesson, str(shown(path)))
        lesson.take_note()
        if not there:
            found.write(lesson)  # a file that cannot be written had better be known of now
        return found

    def write_if_due(self, lesson: Lesson) -> None:
        """Write the file if it is time."""
        if time.monotonic() - self.last >= self.every:
            self.write(lesson)

    def write(self, lesson: Lesson) -> None:
        """Write the file: whole, or not at all, so that the last one stays."""
        try:
            write_whole(self.path, text_of(document(lesson)))
        except FileError as error:
            stays = " The last one that was written is whole: a run can go on from it." if self.path.exists() else ""
            raise FileError(f"The checkpoint cannot be kept. {error}{stays}") from None
        self.last = time.monotonic()


def document(lesson: Lesson) -> dict[str, Any]:
    """Return a checkpoint, but for the digest of itself."""
    standing, problem, rule = lesson.standing, lesson.problem, lesson.rule
    seen, rows = (
        (lesson.digest, problem.n) if lesson.seen is None or lesson.digest else (lesson.seen.digest, lesson.seen.rows)
    )
    return {
        "format": FORMAT,
        "library": __version__,
        "kind": "perceptron",
        "parameters": write_parameters(lesson.perceptron),
        "classes": [plain(each) for each in problem.classes],
        "features": problem.d,
        "rows": problem.n,
        "first": None if lesson.first is None else list(lesson.first),
        "unit": str(rule.unit),
        "factor": str(rule.factor),
        "seen": {"rows": rows, "digest": seen},
        "position": {"passes": standing.passes, "visits": standing.visits},
        "mistakes": {"pass": standing.pass_mistakes, "all": standing.mistakes},
        "halted": lesson.halted,
        "weights": standing.weights.strings(),
        "sum": None if standing.total is None else standing.total.strings(),
        "trace": lesson.erred().tolist() if rule.record else None,
        "random": _random(lesson),
    }


def _random(lesson: Lesson) -> dict[str, Any] | None:
    """Return what the order of the present pass is drawn from, or that of the next."""
    if not lesson.shuffled:
        return None
    _, key, place, *_ = lesson.rng.get_state() if lesson.drawn is None else lesson.drawn
    return {"key": np.asarray(key).tolist(), "place": int(place)}


def text_of(content: dict[str, Any]) -> str:
    """Write a checkpoint, a line for each key, and the digest of what comes before it last."""
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in content.items()]
    return _whole("{\n" + ",\n".join(lines))


def _whole(body: str) -> str:
    return f'{body},\n "check": "sha256:{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


def read(path: Path) -> dict[str, Any]:
    """Read a file, and see that it is a checkpoint, as it was written."""
    name = shown(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise FileError(f"{name} is not a checkpoint: it is no text.") from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith(f'{{\n "format": "{FORMAT}"'):
            raise FileError(f"{name} is damaged: a checkpoint begins there, and does not go on as one.") from None
        raise FileError(f"{name} is not a checkpoint: it is not JSON.") from None
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise FileError(
            f"{name} is not a checkpoint that can be read: its format is {version!r}, and this version of separatrix knows "
            f"{FORMAT!r} only."
        )
    body, mark, _ = text.rpartition(',\n "check": ')
    if not mark or text != _whole(body):
        raise FileError(f"{name} is damaged: its digest is not that of what it holds.")
    return found


def restore(content: dict[str, Any], lesson: Lesson, name: str) -> None:
    """Have a run go on from a checkpoint, which must be one of a run like it on the same rows."""
    try:
        Section(content, "the document", *_KEYS)
        _require_same(content, document(lesson), name)
        _take_over(content, lesson)
    except ModelError as error:
        raise FileError(f"{name} is not a checkpoint that can be read: {error}") from None
    rows = int(content["seen"]["rows"])
    if lesson.problem.batches.here:
        found: Seen | None = lesson.look(rows)
        digest = found.digest if found is not None else ""
    else:
        found, digest = None, lesson.looked_up(rows)
    if digest != content["seen"]["digest"]:
        raise FileError(
            f"{name} is a checkpoint of a run on other data: the digest of the {rows:,} rows that it has seen is "
            f"{content['seen']['digest']!r}, and that of these is {digest!r}."
        )
    lesson.seen = found
    lesson.digest = digest if rows == lesson.problem.n else None


_SAID = {
    "kind": "a classifier of another kind", "classes": "other classes", "features": "rows with another number of features",
    "rows": "another number of rows", "first": "other first weights", "unit": "rows over another denominator",
    "factor": "other first weights",
}  # fmt: skip
"""What it means if a part of a checkpoint is not that of the run."""


def _require_same(there: dict[str, Any], here: dict[str, Any], name: str) -> None:
    old, new = there["parameters"], here["parameters"]
    if not isinstance(old, dict):
        raise ModelError("parameters must be an object.")
    for key in sorted({*old, *new} - set(_FREE)):
        if old.get(key) != new.get(key):
            raise FileError(
                f"{name} is a checkpoint of a run with other parameters: {key} was {old.get(key)!r}, and is "
                f"{new.get(key)!r}. Resume with those, or give another name to begin anew."
            )
    for key, what in _SAID.items():
        if there[key] != here[key]:
            raise FileError(
                f"{name} is a checkpoint of a run on {what}: {key} was {_short(there[key])}, and is {_short(here[key])}. "
                "Give another name to begin anew."
            )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return str(shown(text if len(text) <= 80 else f"{text[:79]}…"))


def _take_over(content: dict[str, Any], lesson: Lesson) -> None:
    size = len(lesson.standing.weights)
    document = Section(content, "the document", *_KEYS)
    position, mistakes = (Section(content[key], key, *names) for key, names in (
        ("position", ("passes", "visits")), ("mistakes", ("pass", "all")),
    ))  # fmt: skip
    n, total = lesson.problem.n, content["sum"]
    if (total is None) == lesson.rule.average or (content["trace"] is None) == lesson.rule.record:
        raise ModelError("sum and trace must be there if the parameters say so.")
    lesson.standing = Standing(
        weights=document.get("weights", dyadic, size),
        total=None if total is None else document.get("sum", dyadic, size),
        passes=position.get("passes", integer),
        visits=position.get("visits", integer, below=n + 1),
        pass_mistakes=mistakes.get("pass", integer),
        mistakes=mistakes.get("all", integer),
    )
    lesson.halted = document.get("halted", boolean)
    seen = Section(content["seen"], "seen", "rows", "digest").get("rows", integer, below=n + 1)
    if seen < n and (lesson.shuffled or lesson.standing.passes or seen < lesson.standing.visits):
        raise ModelError("seen.rows must count all rows that were visited.")
    if content["trace"] is not None:
        lesson.trace = [document.get("trace", indices, lesson.standing.mistakes, below=n)]
    if lesson.shuffled:
        random = Section(content["random"], "random", "key", "place")
        key = random.get("key", indices, _MERSENNE, below=2**32)
        lesson.drawn = ("MT19937", key.astype(np.uint32), random.get("place", integer, below=_MERSENNE + 1), 0, 0.0)
        lesson.rng.set_state(lesson.drawn)
