"""Proofs that commands write, and how they print answers that come with one.

A proof is the certificate and, where the stand-alone checker cannot read the data, a CSV beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exceptions import FileError
from ..problem.provenance import Layout
from ..support.counts import few_of
from ..support.escaping import command, shown
from .pages import Page

if TYPE_CHECKING:
    from ..proof.certificate import Certificate
    from ..tables.data import Data


class ProofFiles(NamedTuple):
    """Where a proof goes, and what it is about."""

    path: Path
    data: list[str]
    """The files that the proof is about, those that are written among them."""
    texts: dict[Path, bytes]
    """What is written beside the proof."""
    given: list[str]
    """The files that the user has named."""

    def save(self, certificate: Certificate) -> None:
        """Write everything; the certificate, which says what it is about, last."""
        from ..support.writing import write_whole

        for path, text in self.texts.items():
            write_whole(path, text)
        certificate.save(self.path, files=[Path(each).name for each in self.data] if self.texts else ())

    def in_words(self, layout: Layout) -> str:
        """Say where the proof is, and how to check it."""
        kind = [] if layout.format is None or self.texts else ["--format", layout.format]
        check = command(["separatrix", "verify", str(self.path), *self.data, *kind])
        written = f"Proof written to {shown(self.path)}"
        if self.texts:
            those = few_of([shown(path) for path in self.texts], 3)
            written += (
                f", and the table that it is about, as CSV, to {those}: the stand-alone checker reads that, and not "
                f"{few_of(list(map(shown, self.given)), 3)}"
            )
        return f"{written}; check it with: {check}"


def proof_files(path: Path | None, data: list[str], rows: Data) -> ProofFiles | None:
    """Return where a proof goes; refuse at once to write over what is there, unless it is the same."""
    if path is None:
        return None
    copies = rows.copies()
    names, texts = [], {}
    for k, (name, text) in enumerate(copies):
        target = _beside(path, k)
        names.append(name if text is None else str(target))
        if text is not None:
            texts[target] = text
    for target, text in texts.items():
        if target.exists() and not (target.is_file() and target.stat().st_size == len(text) and target.read_bytes() == text):
            raise FileError(
                f"{target} is there already, with something else in it. The table of the proof would be written there, as "
                "CSV, since the stand-alone checker does not read the data as they are. Move it away, or choose another "
                "name for --certificate."
            )
    return ProofFiles(path, names if texts else data, texts, data)


def _beside(path: Path, k: int) -> Path:
    """Return the name of a table beside a proof.

    >>> _beside(Path("a/proof.json"), 0).as_posix(), _beside(Path("proof.csv"), 1).as_posix()
    ('a/proof.csv', 'proof.csv-2.csv')
    """
    stem = path.name if path.suffix.lower() == ".csv" else path.stem
    return path.with_name(f"{stem}.csv" if not k else f"{stem}-{k + 1}.csv")


class Output(NamedTuple):
    """How a command prints an answer that comes with a proof, and where the proof goes."""

    certificate: Path | None
    layout: Layout
    style: str
    as_json: bool

    def of_proof(self, proof: ProofFiles | None) -> dict[str, Any]:
        """Tell in JSON what was written of the proof; None: nothing."""
        return {
            "certificate": None if proof is None else str(self.certificate),
            "certificate_data": None if proof is None else proof.data,
        }

    def show(
        self,
        explained: Callable[[], str],
        notes: list[str],
        proof: ProofFiles | None,
        besides: Callable[[], str] | None = None,
    ) -> None:
        """Print an answer in words, with what there is besides, notes, and where the proof is."""
        from ..support.blocks import STYLES

        out, sentence = Page(self.style), STYLES[self.style]().sentence
        out.print(explained, end="")
        if besides is not None:
            out.print(besides, end="")
        for note in notes:
            out.print(f"\n{sentence(f'Note: {note}')}")
        if proof is not None:
            out.print(f"\n{sentence(proof.in_words(self.layout))}")
        elif self.certificate is not None:
            out.print("\nNo proof was written.")
