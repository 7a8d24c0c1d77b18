"""Whether a run done by hand is right, and if not, where it goes wrong and probably why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..problem.ties import TIES
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from ..support.escaping import shown, tamed
from ..support.numbers import exact_text
from ..support.remedies import Message, Remedy
from .causes import Cause, Diagnosis, Explained
from .hand_rules import Difference, Line
from .hand_run import HandRun
from .rounding import FINEST, places

REASONS = {
    Cause.ROW_NUMBERS: "rows are counted from another number than the one that the first row has here",
    Cause.WEIGHTS_BEFORE: "the weights are those before the visit; expected are those after it",
    Cause.SIGNED_SCORE: "the score is multiplied by the label; expected is w.x itself",
    Cause.TIE: "the sign of zero: a score of exactly 0 is taken for another decision than the rule in force says",
    Cause.CLASSES: "the classes are swapped: the positive one is taken for the negative one",
    Cause.LABELS: "labels 0 and 1 are used in place of -1 and 1, so that rows of the negative class change nothing",
    Cause.BIAS: "the bias is forgotten, in the score or in the update",
    Cause.SIGN: "the update has the wrong sign: at a mistake the label times the row is added",
    Cause.RATE: "the learning rate is wrong or missing",
    Cause.OLD_SCORE: "the score is computed with old weights, from before an update",
    Cause.NEW_SCORE: "the score is computed with the new weights, after the update",
    Cause.ONE_UPDATE: (
        "one update a pass: every row is scored with the weights that the pass began with, and only its last update stays"
    ),
    Cause.ORDER: "the rows are visited in another order",
    Cause.SKIPPED: "a row is skipped",
    Cause.REPEATED: "a row is taken twice",
    Cause.MISSED: "there is no update although the row is wrong",
    Cause.NEEDLESS: "there is an update although the row is right",
    Cause.MARK: "the mark whether it is a mistake does not follow from the score",
    Cause.DECISION: "the decision does not follow from the score",
    Cause.SCORE: "a slip in the arithmetic of the score",
    Cause.ARITHMETIC: "a slip in the arithmetic of the weights",
    Cause.ROUNDED: "the numbers are rounded; expected are exact ones, decimals or fractions such as 1/3",
    Cause.PROOF: "a slip in the terms of the proof",
    Cause.NUMBERING: "a slip in the numbers of steps or passes",
    Cause.START: "the run starts from other weights",
    Cause.STOPPED: "the run stops before every row was visited without a mistake",
    Cause.ENDLESS: "no run on these rows ever ends, as no weights have every row right",
    Cause.OVERRUN: "the run goes on after it has ended",
    Cause.UNKNOWN: "no single error that is known here explains it",
}
"""What is said of each cause."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RunCheck(Answer):
    """Whether a run done by hand is right; `check_run` makes it.

    Attributes
    ----------
    right : bool
        Whether everything that the table says is right, and it ends where it should.
    line : int or None
        The first wrong line, counted from 1 without the header; one more than there are if it ends too early.
    place : int or None
        The same as the number of a line in the file.
    row : int or None
        The row that is visited there, counted from 0.
    cause : str or None
        The most likely cause, a `Cause`: "sign-of-zero", "bias", "sign-of-update", …
    causes : tuple of str
        All that explain as many lines, the most likely first.
    expected, found : dict
        What the line should say and what it says, where they differ, by column.
    always : bool or None
        Whether the error is made throughout, or once.
    lines : int
        The number of lines.
    mistakes_only : bool
        Whether the table was taken for one of mistakes only.
    checked, ignored, unchecked : tuple of str
        Columns that were checked, those that are not known, and those of a w* that is not known.
    first_row : int
        The number that the first row has in the table; messages count rows from there.
    """

    right: bool
    line: int | None = None
    place: int | None = None
    row: int | None = None
    cause: Cause | None = None
    causes: tuple[Cause, ...] = ()
    expected: dict[str, Any] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)
    always: bool | None = None
    hint: str = ""
    """What is known besides: the tie rule or the learning rate that would explain it, the rows that were skipped, …"""
    slipped: int | None = None
    """The visit of an error that is made once, counted from 1, if it is before the line that shows it."""
    lines: int = 0
    mistakes_only: bool = False
    name: str = "the run"
    in_file: bool = False
    checked: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    first_row: int = 0

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return "<RunCheck: right>" if self.right else f"<RunCheck: line {self.line} is wrong, {self.cause}>"

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it; numbers are texts, and exact."""
        return {
            "right": self.right, "line": self.line, "place": self.place, "row": self.row,
            "cause": None if self.cause is None else str(self.cause), "causes": list(map(str, self.causes)),
            "reason": None if self.cause is None else REASONS[self.cause], "hint": self.hint,
            "always": self.always, "expected": {name: _plain(value) for name, value in self.expected.items()},
            "found": {name: _plain(value) for name, value in self.found.items()},
            "lines": self.lines, "mistakes_only": self.mistakes_only, "checked": list(self.checked),
            "ignored": list(self.ignored), "unchecked": list(self.unchecked), "message": self._message(),
        }  # fmt: skip

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say it in words; ``format`` as in `Verdict.explain`."""
        said = self._message()
        return Message(said, "\n") if format == "text" else written(said.split("\n"), format)

    def _message(self) -> Message:
        what = counted(self.lines, "mistake" if self.mistakes_only else "visit")
        said: list[tuple[Any, ...]] = [(f"Right: {what}, and it ends where it should.",)] if self.right else self._fault()
        if self.checked:
            said.append((f"Columns checked: {', '.join(map(shown, self.checked))}.",))
        if self.unchecked:
            names = ", ".join(map(shown, self.unchecked))
            said.append(("Not checked, as w* is not given (", Remedy("star"), f"): {names}."))
        if self.ignored:
            said.append((f"Not known, and not checked: {', '.join(map(shown, self.ignored))}.",))
        parts: list[Any] = []
        for line in said:
            parts += [*(["\n"] if parts else []), *(tamed(part) if type(part) is str else part for part in line)]
        return Message(*parts)

    def _fault(self) -> list[tuple[Any, ...]]:
        """Return what is wrong, in lines of parts."""
        assert self.cause is not None
        where = f"{shown(self.name)}, line {self.place}" if self.in_file else f"Line {self.line}"
        reason, hint = REASONS[self.cause], (" (", self.hint, ")") if self.hint else ()
        if self.cause == Cause.ENDLESS:
            so_far = f"Right so far, in {counted(self.lines, 'line')}, but {reason}."
            return [(so_far,), ("Say after how many passes it stops: ", self.hint, ".")]
        if self.cause == Cause.STOPPED:
            first = (f"Wrong at its end, after {counted(self.lines, 'line')}: {reason}", *hint, ".")
            return [first, (f"The next line would be {_told(self.expected)}.",)] if self.expected else [first]
        visited = "" if self.row is None else f" (row {self.row + self.first_row})"
        if not self.expected:
            said = f"{where}{visited} is the first wrong line: there should be none, as the run has ended before."
        else:
            says, should = _told(self.found), _told(self.expected)
            said = f"{where}{visited} is the first wrong line: it says {says}; expected is {should}."
        earlier = "" if self.slipped is None else f" It may have happened at visit {self.slipped} already."
        throughout = " from the beginning on" if self.always and self.cause not in (Cause.OVERRUN, Cause.UNKNOWN) else ""
        guess = "Likely cause" if self.cause != Cause.UNKNOWN else "Cause unknown"
        lines: list[tuple[Any, ...]] = [(said,), (f"{guess}{throughout}: {reason}", *hint, f".{earlier}")]
        if len(self.causes) > 1:
            lines.append((f"Or else: {'; '.join(REASONS[each] for each in self.causes[1:4])}.",))
        return lines


def checked_run(
    hand: HandRun,
    only: bool,
    diagnosis: Diagnosis | None,
    names: Sequence[str],
    classes: Sequence[Any],
    first_row: int,
    max_iter: int | None,
) -> RunCheck:
    """Return the outcome of a check."""
    known: dict[str, Any] = {
        "lines": len(hand.lines), "mistakes_only": only, "name": hand.name, "in_file": hand.in_file,
        "checked": hand.checked, "ignored": hand.ignored, "unchecked": hand.unchecked, "first_row": first_row,
    }  # fmt: skip
    if diagnosis is None:
        return RunCheck(right=True, **known)
    best: Explained = diagnosis.causes[0]
    at, line = diagnosis.line, diagnosis.expected
    expected, found = {}, {}
    if at < len(hand.lines):
        for each in diagnosis.differences:
            name = _column(each, names)
            expected[name], found[name] = (
                _value(each.field, value, classes, first_row) for value in (each.expected, each.found)
            )
    elif line is not None:
        expected = _whole_line(line, names, first_row)
    visit = best.guess.visit
    return RunCheck(
        right=False,
        line=at + 1,
        place=hand.lines[at].place if at < len(hand.lines) else hand.lines[-1].place + 1,
        row=None if line is None else line.row,
        cause=best.guess.cause,
        causes=tuple(each.guess.cause for each in diagnosis.causes),
        expected=expected,
        found=found,
        hint=_hint(diagnosis, names, expected, first_row, max_iter),
        always=visit is None,
        slipped=None if visit is None or line is None or visit == line.visit else visit + 1,
        **known,
    )


def _hint(
    diagnosis: Diagnosis, names: Sequence[str], expected: dict[str, Any], first_row: int, max_iter: int | None
) -> Message:
    """Say what besides its cause is known of an error."""
    right, guess = diagnosis.right, diagnosis.causes[0].guess
    manner, slip = guess.manner, guess.manner.slip
    limit = "" if max_iter is None else counted(max_iter, "pass")
    match guess.cause:
        case Cause.TIE if manner.tie != right.tie:
            rule = next(name for name, tie in TIES.items() if tie == manner.tie)
            return Message(f"it agrees with the rule {rule}")
        case Cause.RATE:
            rate = manner.rate if slip is None else right.rate * slip.value
            return Message(f"it is {exact_text(rate)} in place of {exact_text(right.rate)}")
        case Cause.SKIPPED if slip is not None and slip.value > 1:
            return Message(f"{slip.value} rows are")
        case Cause.ROW_NUMBERS:
            start = manner.shows_rows_from + first_row
            return Message(f"the first row has the number {start} in the run: give ", Remedy("first_row", start))
        case Cause.ARITHMETIC:
            return Message("in " + ", ".join(name for name in expected if name in names or name.startswith("update ")))
        case Cause.PROOF:
            return Message(f"in {', '.join(expected)}")
        case Cause.ROUNDED:
            longest = min(each for each in manner.grid or () if each is not None)
            return Message("as floats are" if longest == FINEST else f"to {counted(places(longest) or 0, 'place')}")
        case Cause.STOPPED if limit:
            return Message(f"and before the {limit} of ", Remedy("max_iter", max_iter), " are over")
        case Cause.ENDLESS:
            return Message(Remedy("max_iter", diagnosis.passes))
        case Cause.OVERRUN if diagnosis.ended_right:
            return Message("every row was right")
        case Cause.OVERRUN if limit:
            return Message(f"it stops after {limit}, right or not, with ", Remedy("max_iter", max_iter))
    return Message()


def _column(difference: Difference, names: Sequence[str]) -> str:
    if difference.place is None:
        return difference.field
    return ("update " if difference.field == "update" else "") + names[difference.place]


def _whole_line(line: Line, names: Sequence[str], first_row: int) -> dict[str, Any]:
    told = {"row": line.row + first_row, "score": line.score, "mistake": line.mistake}
    return {**told, **dict(zip(names, line.weights, strict=True))}


def _value(field_name: str, value: Any, classes: Sequence[Any], first_row: int) -> Any:
    if field_name == "row":
        return value + first_row
    return classes[int(value > 0)] if field_name in ("label", "decision") else value


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return exact_text(value)
    return value.item() if hasattr(value, "item") else value


def _told(values: dict[str, Any]) -> str:
    texts = []
    for name, value in values.items():
        plain = ("yes" if value else "no") if name == "mistake" else _plain(value)
        texts.append(f"{shown(name)} = {shown(plain)}")
    return ", ".join(texts)
