"""What is claimed of a problem, and what proves it: the contents of a certificate.

The file format is specified in ``docs/certificate-format.md``. Reading goes through the stand-alone `checker`, so that
there is one reader of documents; checking against data is done twice, by the checker and by `verifier`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import numpy as np

from . import checker
from .checker import InvalidCertificate
from .columns import Column, Table, table_of
from .csr import frozen
from .exact import Dyadic
from .files import FileError, read_document, write_whole
from .kernels.environment import checked_arithmetic
from .kernels.integers import CHUNK, encode, mixed
from .kernels.threads import in_parts
from .problem import Others, Problem
from .rational import primitive
from .tallies import entries

FORMAT = "separatrix-certificate/1"

_CHUNK = 2**20  # entries to hash at a time


class Claim(StrEnum):
    """What a certificate proves."""

    SEPARABLE = "separable"
    NOT_SEPARABLE = "not-separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAPPING = "overlapping"
    MARGIN_AT_LEAST = "margin-at-least"
    MARGIN_AT_MOST = "margin-at-most"
    ERRORS_AT_LEAST = "errors-at-least"


@dataclass(frozen=True)
class Subject:
    """The problem that a certificate speaks of, without its data."""

    rows: int
    dimension: int
    intercept: bool
    classes: tuple[Any, Any] | None
    """The negative class (None: every other) and the positive one; None: the labels are -1 and 1 themselves."""
    columns: tuple[Column, ...] | None
    """How the features come from columns of a table."""
    table: Table | None = None
    """How the table is written."""
    known_digest: str | None = field(default=None, compare=False)
    source: Problem | None = field(default=None, repr=False, compare=False)
    """The problem itself, where the certificate was made here."""
    fingerprint: tuple[Any, ...] | None = field(default=None, repr=False, compare=False)
    """What its arrays were then."""

    @classmethod
    def of(cls, problem: Problem) -> Subject:
        """Describe a problem."""
        *negative, positive = problem.classes
        one_against_rest = not negative or isinstance(negative[0], Others)
        classes: tuple[Any, Any] = (None if one_against_rest else _plain(negative[0]), _plain(positive))
        if {type(name) for name in classes} == {bool, int}:  # True is 1 to Python, and 1 is what the labels are
            classes = (int(classes[0]), int(classes[1]))
        return cls(
            problem.n, problem.d, problem.intercept, classes, problem.columns, problem.table, None, problem,
            fingerprint(problem),
        )  # fmt: skip

    @property
    def digest(self) -> str:
        """The digest of rows and labels, computed when first asked for."""
        if self.known_digest is None:
            assert self.source is not None
            if not self.is_unchanged():
                raise InvalidCertificate(
                    "The rows have been changed since the verdict: it speaks of other data. Decide them anew."
                )
            object.__setattr__(self, "known_digest", digest(self.source))
        assert self.known_digest is not None
        return self.known_digest

    def is_unchanged(self) -> bool:
        """Whether the source holds the numbers that it had when the certificate was made: its arrays may be the user's."""
        return self.source is not None and fingerprint(self.source) == self.fingerprint


def fingerprint(problem: Problem) -> tuple[Any, ...]:
    """Return what tells the numbers of a problem from any others, but for a chance of one in ``2**64``, in one fast pass."""
    X = problem.X
    arrays = [problem.y, X] if isinstance(X, np.ndarray) else [problem.y, X.data, X.indices, X.indptr]
    found: list[Any] = []
    for array in arrays:
        text = array.reshape(-1).view(np.uint8)
        words = frozen(text[: text.size // 8 * 8].view(np.uint64))
        chunks = -(-words.size // CHUNK)
        parts = in_parts(lambda first, last, words=words: int(mixed(words, first, last)), chunks, words.size)  # type: ignore[misc]
        found += [array.shape, sum(parts) % 2**64, text[words.size * 8 :].tobytes()]
    return tuple(found)


def _plain(label: Any) -> Any:
    """Return a label as JSON has it: whole floats are integers."""
    label = label.item() if isinstance(label, np.generic) else label
    return int(label) if isinstance(label, float) else label


@dataclass(frozen=True)
class Separator:
    """A hyperplane, in whole numbers, without common divisor as a rule: ``weights.x + intercept``."""

    weights: tuple[Fraction, ...]
    intercept: Fraction

    @classmethod
    def of(cls, weights: Dyadic, intercept: bool) -> Separator:
        """Make one from exact weights, the intercept last if there is one."""
        numbers = [Fraction(number) for number in primitive(weights.integers)]
        return cls(tuple(numbers[:-1]), numbers[-1]) if intercept else cls(tuple(numbers), Fraction(0))

    def exact(self, intercept: bool) -> Dyadic:
        """Return positive multiples of the weights, the intercept last if there is one."""
        numbers = [*self.weights, self.intercept] if intercept else self.weights
        if all(number.denominator == 1 for number in numbers):
            return Dyadic([number.numerator for number in numbers], 0)
        return Dyadic(whole(numbers), 0)


@dataclass(frozen=True)
class Obstruction:
    """Rows with positive multipliers under which the signed, lifted rows add up to zero."""

    rows: tuple[int, ...]
    labels: tuple[int, ...]
    points: tuple[tuple[Fraction, ...], ...]
    multipliers: tuple[Fraction, ...]

    @classmethod
    def of(cls, problem: Problem, multipliers: dict[int, int]) -> Obstruction:
        """Make one from the multipliers of rows."""
        rows = sorted(multipliers)
        points = problem.lifted(rows)[:, : problem.d] * problem.y[rows, None]
        return cls(
            tuple(rows),
            tuple(int(y) for y in problem.y[rows]),
            tuple(tuple(map(Fraction, point)) for point in points.tolist()),
            tuple(Fraction(multipliers[i]) for i in rows),
        )


@dataclass(frozen=True)
class Cover:
    """Positive multipliers for every row that no weak separator separates: listed ones, and one for all others."""

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    rest: Fraction

    @classmethod
    def of(cls, listed: dict[int, int], rest: int) -> Cover:
        """Make one from the multipliers of rows and that of the rest."""
        rows = sorted(listed)
        return cls(tuple(rows), tuple(Fraction(listed[i]) for i in rows), Fraction(rest))


@dataclass(frozen=True)
class MarginBound:
    """A bound of the margin, given by its square, which is rational where the margin itself may not be."""

    kind: str
    """"lifted": the intercept counts in the length of a hyperplane; "geometric": it does not."""
    squared: Fraction


@dataclass(frozen=True)
class Combination:
    """Rows with positive multipliers: no hyperplane has a larger margin than their mean is long.

    If they add up to zero, it is an obstruction, as in a `Packing`, without copies of its points.
    """

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]


@dataclass(frozen=True)
class ErrorBound:
    """A bound of errors: every hyperplane errs in rows, those not on its correct side, of so much cost at least."""

    least: Fraction
    costs: tuple[Fraction, ...] | None = None
    """The cost of each row, from 0 up; None: 1 each, and the bound is one of their number."""


@dataclass(frozen=True)
class Split:
    """A node of a tree: hyperplanes with a row, and its equals, on their correct side (*kept*); then the others."""

    row: int


@dataclass(frozen=True)
class Leaf:
    """An end of a tree: obstructions, by their places in the pool, with positive weights that no cost is too small for."""

    obstructions: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True)
class Packing:
    """Obstructions, and a tree of splits in preorder, the kept side first, whose leaves weigh some of them."""

    obstructions: tuple[Combination, ...]
    nodes: tuple[Split | Leaf, ...]

    def document(self) -> dict[str, Any]:
        """Return the packing as a section of a JSON document."""
        return {
            "obstructions": [
                {"rows": list(each.rows), "multipliers": _texts(each.multipliers)} for each in self.obstructions
            ],
            "nodes": [
                {"row": node.row}
                if isinstance(node, Split)
                else {"obstructions": list(node.obstructions), "weights": _texts(node.weights)}
                for node in self.nodes
            ],
        }

    @classmethod
    def of(cls, valid: dict[str, Any]) -> Packing:
        """Make one from a section that `checker.validate` returned."""
        return cls(
            tuple(Combination(tuple(each["rows"]), tuple(each["multipliers"])) for each in valid["obstructions"]),
            tuple(
                Split(node["row"]) if "row" in node else Leaf(tuple(node["obstructions"]), tuple(node["weights"]))
                for node in valid["nodes"]
            ),
        )


@dataclass(frozen=True, repr=False)
class Certificate:
    """A claim and its proof; `save` and `load` keep it in a file.

    Examples
    --------
    >>> import separatrix as sx
    >>> verdict = sx.decide([[0], [1], [2]], [0, 1, 0])
    >>> verdict.certificate.claim
    <Claim.OVERLAPPING: 'overlapping'>
    >>> [str(number) for number in verdict.certificate.obstruction.multipliers]
    ['1', '2', '1']
    """

    claim: Claim
    problem: Subject
    separator: Separator | None = None
    obstruction: Obstruction | None = None
    cover: Cover | None = None
    margin: MarginBound | None = None
    combination: Combination | None = None
    errors: ErrorBound | None = None
    packing: Packing | None = None

    def __repr__(self) -> str:
        return f"<Certificate: {self.claim}, {self.problem.rows} rows, {self.problem.dimension} columns>"

    def document(self) -> dict[str, Any]:
        """Return the certificate as a JSON document."""
        subject = self.problem
        document: dict[str, Any] = {
            "format": FORMAT,
            "claim": str(self.claim),
            "problem": {
                "rows": subject.rows,
                "dimension": subject.dimension,
                "intercept": subject.intercept,
                "classes": None if subject.classes is None else list(subject.classes),
                "columns": None if subject.columns is None else [column.document() for column in subject.columns],
                "table": None if subject.table is None else subject.table.document(),
                "digest": subject.digest,
            },
        }
        if self.margin is not None:
            document["margin"] = {"kind": self.margin.kind, "squared": _text(self.margin.squared)}
        if self.separator is not None:
            document["separator"] = {
                "weights": _texts(self.separator.weights), "intercept": _text(self.separator.intercept),
            }  # fmt: skip
        if self.obstruction is not None:
            document["obstruction"] = {
                "rows": list(self.obstruction.rows),
                "labels": list(self.obstruction.labels),
                "points": [_texts(point) for point in self.obstruction.points],
                "multipliers": _texts(self.obstruction.multipliers),
            }
        if self.cover is not None:
            document["cover"] = {
                "rows": list(self.cover.rows), "multipliers": _texts(self.cover.multipliers), "rest": _text(self.cover.rest),
            }  # fmt: skip
        if self.combination is not None:
            document["combination"] = {
                "rows": list(self.combination.rows), "multipliers": _texts(self.combination.multipliers),
            }  # fmt: skip
        if self.errors is not None:
            costs = self.errors.costs
            document["errors"] = {
                "least": _text(self.errors.least), "costs": None if costs is None else _texts(costs),
            }  # fmt: skip
        if self.packing is not None:
            document["packing"] = self.packing.document()
        return document

    @checked_arithmetic
    def save(self, path: str | Path) -> None:
        """Write the certificate to a file; nothing is written that could not be read again.

        Raises
        ------
        ValueError
            If the rows have been changed since the verdict, or a class has a name that no file holds.
        """
        document = self.document()
        try:
            checker.validate(document)
            text = json.dumps(document, indent=1) + "\n"
            if len(text) > checker.MOST_BYTES:
                checker.refuse(f"The document would be longer than {checker.MOST_BYTES:,} bytes.")
        except InvalidCertificate as error:
            raise ValueError(f"The certificate cannot be written to a file, where nobody could read it: {error}") from None
        write_whole(path, text)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file.

        Raises
        ------
        InvalidCertificate
            If the file is not a certificate. What it claims is not checked: that takes the data, and `verify`.
        """
        try:
            text = read_document(path, checker.MOST_BYTES)
            if b'"separatrix-model/' in text[:200]:
                raise FileError(f"{path} is a model, not a certificate.")
            return cls.from_text(text)
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror}.") from None

    @classmethod
    def from_text(cls, text: bytes | str) -> Certificate:
        """Read a certificate from a JSON document."""
        return cls._of(checker.parse(text))

    @classmethod
    def from_document(cls, document: Any) -> Certificate:
        """Read a certificate from a JSON document that is parsed already."""
        return cls._of(checker.validate(document))

    @classmethod
    def _of(cls, valid: dict[str, Any]) -> Certificate:
        subject = valid["problem"]
        parts: dict[str, Any] = {}
        if "separator" in valid:
            parts["separator"] = Separator(tuple(valid["separator"]["weights"]), valid["separator"]["intercept"])
        if "obstruction" in valid:
            found = valid["obstruction"]
            parts["obstruction"] = Obstruction(
                tuple(found["rows"]), tuple(found["labels"]), tuple(map(tuple, found["points"])), tuple(found["multipliers"])
            )
        if "cover" in valid:
            found = valid["cover"]
            parts["cover"] = Cover(tuple(found["rows"]), tuple(found["multipliers"]), found["rest"])
        if "margin" in valid:
            parts["margin"] = MarginBound(valid["margin"]["kind"], valid["margin"]["squared"])
        if "combination" in valid:
            found = valid["combination"]
            parts["combination"] = Combination(tuple(found["rows"]), tuple(found["multipliers"]))
        if "errors" in valid:
            costs = valid["errors"]["costs"]
            parts["errors"] = ErrorBound(valid["errors"]["least"], None if costs is None else tuple(costs))
        if "packing" in valid:
            parts["packing"] = Packing.of(valid["packing"])
        classes, columns = subject["classes"], subject["columns"]
        about = Subject(
            subject["rows"], subject["dimension"], subject["intercept"], None if classes is None else tuple(classes),
            None if columns is None else tuple(map(Column.of, columns)), table_of(subject["table"]), subject["digest"],
        )  # fmt: skip
        return cls(Claim(valid["claim"]), about, **parts)


def whole(numbers: Sequence[Fraction]) -> list[int]:
    """Multiply rationals by a positive number that makes them integers without common divisor."""
    common = math.lcm(*(number.denominator for number in numbers))
    return primitive(int(number * common) for number in numbers)


def _text(number: Fraction) -> str:
    """Write a rational; by FLINT, which knows no limit to the digits."""
    top = str(flint.fmpz(number.numerator))
    return top if number.denominator == 1 else f"{top}/{flint.fmpz(number.denominator)}"


def _texts(numbers: Iterable[Fraction]) -> list[str]:
    return [_text(number) for number in numbers]


def digest(problem: Problem) -> str:
    """Return the digest of the rows and labels of a problem, as the format defines it: equal for dense and sparse."""
    X = problem.X
    dense = isinstance(X, np.ndarray)
    total = hashlib.sha256()
    start = 0
    while start < problem.n:
        if dense:
            stop = min(problem.n, start + max(1, _CHUNK // problem.d))
            size = (stop - start) * problem.d
        else:
            stop = max(start + 1, int(np.searchsorted(X.indptr, X.indptr[start] + _CHUNK, side="right")) - 1)
            stop = min(problem.n, stop)
            size = int(X.indptr[stop] - X.indptr[start])
        room = np.empty(12 * size + 5 * (stop - start), np.uint8)
        length = encode(*entries(problem, start, stop), problem.y[start:stop], room)
        total.update(room[:length].data)
        start = stop
    return f"sha256:{total.hexdigest()}"


__all__ = [
    "Certificate",
    "Claim",
    "Combination",
    "Cover",
    "ErrorBound",
    "InvalidCertificate",
    "Leaf",
    "MarginBound",
    "Obstruction",
    "Packing",
    "Separator",
    "Split",
    "Subject",
    "digest",
]
