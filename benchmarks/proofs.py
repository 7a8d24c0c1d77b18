"""Proofs that go through a file, as they would on their way to somebody else."""

import itertools
import tempfile
from pathlib import Path

import harness
import scipy.sparse as sp

import separatrix as sx
from separatrix import checker
from separatrix.proof.certificate import Certificate


def read_back(found, rows, with_checker):
    """Write the certificate of a result to a file, read it back and verify it; return its bytes, and the seconds that took.

    If asked for, the stand-alone checker has to agree. Raises `sx.InvalidCertificate` if the proof does not hold.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "proof.json")
        found.certificate.save(path)
        seconds, _ = harness.timed(lambda: sx.verify(Certificate.load(path), *rows))
        if with_checker:
            checker.check(checker.parse(path.read_bytes()), _labelled_entries(found.problem))
        return path.stat().st_size, seconds


def _labelled_entries(problem):
    """Return the rows as the checker takes them: the label, and the entries that are not 0 with their columns."""
    X = sp.csr_array(problem.X)
    X.eliminate_zeros()
    spans = itertools.pairwise(X.indptr)
    entries = [list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in spans]
    return list(zip(problem.y.astype(int).tolist(), entries, strict=True))
