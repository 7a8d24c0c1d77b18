"""The commands ``verify``, which checks a certificate, and ``checker``, which prints the stand-alone checker."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...problem.provenance import Layout
from ...support.escaping import tamed
from ..clusters import Scheduler
from ..options import DataFiles, Json, with_data_options
from ..pages import Page
from ..streams import Memory, in_blocks, verified
from ..terminal import progress
from ..wording import worded


@with_data_options
def verify(
    certificate: Annotated[Path, typer.Argument(help="Proof, as decide and least-errors write it.")],
    data: DataFiles,
    layout: Layout,
    label: Annotated[str | None, typer.Option(help="The column that holds the classes, if the proof does not say.")] = None,
    memory: Memory = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Check a proof against the data it speaks of: exit code 0 if it holds, 1 if not."""
    from ...checker import InvalidCertificate
    from ...exceptions import OtherTable
    from ...proof.certificate import Certificate
    from ...proof.verification import about, data_of, in_words, verify_data, verify_text
    from ...tables.decimals import TooManyDigits

    claim = subject = reason = None
    said = ""
    try:
        proof = Certificate.load(certificate)
        claim = str(proof.claim)
        blocks = in_blocks(memory, scheduler)
        if blocks is not None:
            with progress("reading the table", "Ctrl-C stops it"):
                said, subject = verified(proof, data, label, layout, blocks)
        else:
            try:
                rows = data_of(proof, data, label=label, layout=layout)
            except TooManyDigits:
                said = verify_text(proof, data, label)
            else:
                said, subject = in_words(proof, rows, verify_data(proof, rows)), about(proof, rows)
    except (InvalidCertificate, OtherTable) as error:
        reason = worded(error)
    if as_json:
        print(json.dumps({"valid": reason is None, "claim": claim, "about": subject, "reason": reason}, indent=1))
    elif reason is None:
        Page().print(tamed(said))
    else:
        Page().print(tamed(f"Not proved. {reason}"))
    if reason is not None:
        raise typer.Exit(1)


def checker() -> None:
    """Print the stand-alone checker of proofs, one file of plain Python: separatrix checker > checker.py."""
    from ...exceptions import FileError

    if sys.stdout is None:
        raise FileError("Standard output is closed: there is nowhere to write to.")
    sys.stdout.buffer.write((Path(__file__).parents[2] / "checker.py").read_bytes())
