"""A certificate: what is claimed of a problem, and what proves it.

The file format is specified in ``docs/certificate-format.md``. Reading goes through the stand-alone `checker`, so that
there is one reader of documents; checking against data is done twice, by the checker and by `verification`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__, checker
from ..checker import CARRIES, FORMATS, InvalidCertificate, refuse
from ..compiled.environment import checked_arithmetic
from ..compiled.integers import WORDS_PER_CHUNK, mixed
from ..exceptions import FileError
from ..problem.batches import AnyProblem
from ..problem.csr import frozen
from ..problem.digest import digest
from ..problem.exact_rows import Reading
from ..problem.labels import Others
from ..problem.monomials import PolynomialKernel
from ..problem.problem import Problem
from ..problem.provenance import Column, Table, table_of
from ..problem.rows import arrays_of
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted
from ..support.escaping import quoted
from ..support.numbers import number_text
from ..support.threads import in_parts
from ..support.writing import write_whole
from ..tables.sources import read_document
from .claims import Claim, Combination, Cover, ErrorBound, MarginBound, Obstruction, Packing, Proof, Separator

_SECTIONS: dict[str, type[Proof]] = {
    "separator": Separator,
    "obstruction": Obstruction,
    "cover": Cover,
    "margin": MarginBound,
    "combination": Combination,
    "errors": ErrorBound,
    "packing": Packing,
}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The problem that a certificate speaks of, without its data."""

    rows: int
    dimension: int
    intercept: bool
    kernel: PolynomialKernel | None = None
    """The kernel in whose feature space hyperplanes are; None: they are in the space of the rows."""
    tie: str = "update"
    """What a score of 0 predicts; with a constant it makes no difference, and is "update"."""
    numbers: Reading = "float64"
    """What the numbers are read as."""
    classes: tuple[Any, Any] | None
    """The negative class (None: every other) and the positive one; None: the labels are -1 and 1 themselves."""
    columns: tuple[Column, ...] | None
    """How the features come from columns of a table."""
    table: Table | None = None
    """How the table is written."""
    known_digest: str | None = field(default=None, compare=False)
    source: AnyProblem | None = field(default=None, repr=False, compare=False)
    """The problem itself, where the certificate was made here."""
    fingerprint: Any = field(default=None, repr=False, compare=False)
    """What told its numbers then from others."""

    @classmethod
    def of(cls, problem: AnyProblem, tie: str = "update", kernel: PolynomialKernel | None = None) -> Subject:
        """Describe a problem, under a tie rule if it has no constant."""
        *negative, positive = problem.classes
        one_against_rest = not negative or isinstance(negative[0], Others)
        classes: tuple[Any, Any] = (None if one_against_rest else _plain_label(negative[0]), _plain_label(positive))
        if {type(name) for name in classes} == {bool, int}:  # True is 1 to Python, and 1 is what the labels are
            classes = (int(classes[0]), int(classes[1]))
        return cls(
            rows=problem.n, dimension=problem.d, intercept=problem.intercept, kernel=kernel, tie=tie,
            numbers=problem.reading, classes=classes,
            columns=problem.columns, table=problem.table, source=problem, fingerprint=fingerprint(problem),
        )  # fmt: skip

    @classmethod
    def of_section(cls, valid: dict[str, Any]) -> Subject:
        """Make one from what a document says of its problem, as `checker.validate` returned it."""
        classes, columns, kernel = valid["classes"], valid["columns"], valid["kernel"]
        return cls(
            rows=valid["rows"], dimension=valid["dimension"], intercept=valid["intercept"],
            kernel=None if kernel is None else PolynomialKernel(**kernel), tie=valid["tie"], numbers=valid["numbers"],
            classes=None if classes is None else tuple(classes),
            columns=None if columns is None else tuple(map(Column.of, columns)),
            table=table_of(valid["table"]), known_digest=valid["digest"],
        )  # fmt: skip

    def document(self) -> dict[str, Any]:
        """Return what a JSON document says of the problem, but for its digest."""
        return {
            "rows": self.rows,
            "dimension": self.dimension,
            "intercept": self.intercept,
            **({} if self.kernel is None else {"kernel": self.kernel.document()}),
            "tie": self.tie,
            "numbers": self.numbers,
            "classes": None if self.classes is None else list(self.classes),
            "columns": None if self.columns is None else [column.document() for column in self.columns],
            "table": None if self.table is None else self.table.document(),
        }

    @property
    def width(self) -> int:
        """How many numbers a row of the claim has: its columns or, with a kernel, the monomials of these."""
        return self.dimension if self.kernel is None else self.kernel.number(self.dimension)

    @property
    def has_constant(self) -> bool:
        """Whether there is a constant: an intercept, or one that the kernel has."""
        return self.intercept or (self.kernel is not None and self.kernel.coef0 > 0)

    @property
    def digest(self) -> str:
        """The digest of rows and labels, computed when first asked for."""
        if self.known_digest is None:
            assert self.source is not None
            if not self.is_unchanged():
                raise InvalidCertificate(
                    "The rows have been changed since the verdict: it speaks of other data. Decide them anew."
                )
            source = self.source
            object.__setattr__(self, "known_digest", digest(source) if isinstance(source, Problem) else source.digest())
        assert self.known_digest is not None
        return self.known_digest

    def is_unchanged(self) -> bool:
        """Whether the source holds the numbers that it had when the certificate was made: its arrays may be the user's."""
        return self.source is not None and fingerprint(self.source) == self.fingerprint


def fingerprint(problem: AnyProblem) -> Any:
    """Return what tells the numbers of a problem from any others, but for a chance of one in ``2**64``, in one fast pass.

    Of rows in blocks it is their stamp, which takes no pass.
    """
    if not isinstance(problem, Problem):
        return problem.batches.stamp()
    found: list[Any] = []
    for array in (problem.y, *arrays_of(problem.X)):
        text = array.reshape(-1).view(np.uint8)
        words = frozen(text[: text.size // 8 * 8].view(np.uint64))
        chunks = -(-words.size // WORDS_PER_CHUNK)
        parts = in_parts(lambda first, last, words=words: int(mixed(words, first, last)), chunks, words.size)  # type: ignore[misc]
        found += [array.shape, sum(parts) % 2**64, text[words.size * 8 :].tobytes()]
    return tuple(found)


def _plain_label(label: Any) -> Any:
    """Return a label as JSON has it: whole floats are integers."""
    label = label.item() if isinstance(label, np.generic) else label
    return int(label) if isinstance(label, float) else label


_PROOFS = ("separator", "obstruction", "cover", "combination", "packing")
"""What proves a claim, as against what it is about."""


@dataclass(frozen=True, repr=False)
class Certificate(Answer):
    """A claim and its proof; `save` and `load` keep it in a file.

    It carries what its claim needs and nothing else, of the size of its problem: one that does not is refused when it is
    made. Whether it proves the claim, `verify` says.

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

    def __post_init__(self) -> None:
        carried = self._carried()
        if set(carried) != set(CARRIES[self.claim]):
            refuse(f"A certificate of the claim '{self.claim}' carries {' and '.join(CARRIES[self.claim])}.")
        for part in carried.values():
            size = self.problem.width if isinstance(part, Separator) else self.problem.dimension
            part.require_fit(self.problem.rows, size, self.problem.has_constant)

    def __repr__(self) -> str:
        return f"<Certificate: {self.claim}, {self.problem.rows} rows, {self.problem.dimension} columns>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what it claims, and what its proof is; ``format`` as in `Verdict.explain`.

        Whether the proof holds, `verify` says, which looks at the data.
        """
        subject = self.problem
        size = f"{counted(subject.rows, 'row')} of {counted(subject.dimension, 'column')}"
        if subject.classes is not None:
            negative, positive = ("all others" if each is None else quoted(str(each)) for each in subject.classes)
            size += f", {positive} against {negative}"
        claims = {
            Claim.SEPARABLE: "a hyperplane has every row on its correct side",
            Claim.NOT_SEPARABLE: "no hyperplane has every row on its correct side",
            Claim.QUASI_SEPARABLE: "a hyperplane has no row on its wrong side, but any such has some rows on itself",
            Claim.OVERLAPPING: "any hyperplane with no row on its wrong side has all rows on itself",
            Claim.MARGIN_AT_LEAST: "a hyperplane has every row so far on its correct side that the square of the margin is "
            f"at least {self.margin and number_text(self.margin.squared)}",
            Claim.MARGIN_AT_MOST: "no hyperplane has a margin whose square is more than "
            f"{self.margin and number_text(self.margin.squared)}",
            Claim.ERRORS_AT_LEAST: "every hyperplane has rows on its wrong side, or on itself, that count "
            f"{self.errors and number_text(self.errors.least)} at least",
        }
        carried = " and ".join(
            f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in self._carried() if name in _PROOFS
        )
        return written(
            [
                f"A certificate about {size}. It claims that {claims[self.claim]}. Its proof is {carried}.",
                "Whether it holds for data, sx.verify(certificate, X, y) says, and so does the stand-alone checker.",
            ],
            format,
        )

    def _carried(self) -> dict[str, Proof]:
        parts = {name: getattr(self, name) for name in _SECTIONS}
        return {name: part for name, part in parts.items() if part is not None}

    def document(self) -> dict[str, Any]:
        """Return the certificate as a JSON document."""
        carried = self._carried()
        problem = {**self.problem.document(), "digest": self.problem.digest}
        sections = {name: carried[name].document() for name in CARRIES[self.claim]}
        return {"format": FORMATS[-1], "claim": str(self.claim), "problem": problem, **sections}

    @checked_arithmetic
    def save(self, path: str | Path, *, files: Sequence[str] = ()) -> None:
        """Write the certificate to a file; nothing is written that could not be read again.

        Parameters
        ----------
        path : str or Path
            The file; an old one is replaced, whole or not at all.
        files : names, optional
            The files that hold the data, for whoever reads the certificate: no claim depends on it.

        Raises
        ------
        ValueError
            If the rows have been changed since the verdict, or a class has a name that no file holds.
        """
        document = self.document()
        if files:
            document["source"] = {"files": list(files), "library": f"separatrix {__version__}"}
        try:
            checker.validate(document)
            text = json.dumps(document, indent=1) + "\n"
            if len(text) > checker.MOST_BYTES:
                refuse(f"The document would be longer than {checker.MOST_BYTES:,} bytes.")
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
        parts: dict[str, Any] = {name: _SECTIONS[name].of_section(valid[name]) for name in CARRIES[valid["claim"]]}
        return cls(Claim(valid["claim"]), Subject.of_section(valid["problem"]), **parts)
