"""The fast verifier: a certificate checked against arrays, tables or files."""

from __future__ import annotations

import os
from pathlib import Path
from reprlib import repr as brief
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import checker
from ..checker import refuse, sign_of
from ..compiled.environment import checked_arithmetic
from ..problem.labels import read_labels
from ..problem.problem import Problem
from ..problem.provenance import Column, Layout, TextTable
from ..problem.rows import read_rows
from ..tables.data import Data
from ..tables.encoding import MissingValues
from ..tables.reading import reread
from .certificate import Certificate, Subject
from .claim_checks import check, compare_subject, signs_of


@checked_arithmetic
def verify(certificate: Certificate | str | Path, X: Any, y: Any = None) -> None:
    """Check a certificate against the data it speaks of.

    Parameters
    ----------
    certificate : Certificate, or path of a file
        What is claimed, and its proof.
    X : array, sparse matrix, pandas, polars or pyarrow table, path of a file, or Data
        The rows. Where the certificate and a table have names of columns, they are matched by name, and categories and
        missing values are encoded as the certificate says.
    y : array of shape (n,)
        The labels, in the classes that the certificate names. Not given if X has them: a path, or what `read_data` returns.

    Raises
    ------
    InvalidCertificate
        If the data is not that of the certificate, or the proof does not hold; the message says what fails, and where.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certificate = sx.decide(X, y).certificate
    >>> sx.verify(certificate, X, y)
    >>> sx.verify(certificate, X, [0, 1, 1, 1])
    Traceback (most recent call last):
        ...
    separatrix.checker.InvalidCertificate: The data is not that of the certificate: ...
    """
    if isinstance(certificate, str | os.PathLike):
        certificate = Certificate.load(certificate)
    if not isinstance(certificate, Certificate):
        raise TypeError(f"Expected a Certificate, as in verdict.certificate, or a path; got {type(certificate).__name__}.")
    if isinstance(X, str | os.PathLike) and y is None:
        X = data_of(certificate, X)
    if isinstance(X, Data):
        verify_data(certificate, X)
        return
    if certificate.problem.columns is not None:
        X = _named_columns(X, certificate)
    _verify_signs(certificate, X, signs_of(certificate, read_labels(y)))


def data_of(
    certificate: Certificate,
    source: Any,
    *,
    label: str | int | None = None,
    layout: Layout | None = None,
) -> Data:
    """Read, from files or a table, the rows that a certificate speaks of, as it says."""
    subject = certificate.problem
    named = subject.table.label if isinstance(subject.table, TextTable) else None
    if label is None:
        label = named
    elif named is not None and str(label) != named:
        refuse(f"The certificate is about the label {named!r}, not {label!r}.")
    return _reread(subject, source, label=label, layout=layout, classes=subject.classes or ())


@checked_arithmetic
def verify_data(certificate: Certificate, data: Data) -> int:
    """Check a certificate against rows with their labels. Return how many of these a weak separator goes through."""
    columns = certificate.problem.columns
    X: Any = data.X
    if columns is not None and data.columns is not None and data.columns != columns:
        places = {column: j for j, column in enumerate(data.columns)}
        absent = next((column for column in columns if column not in places), None)
        if absent is not None:
            refuse(f"The data is not that of the certificate: it has no column {brief(str(absent))}.")
        X = X[:, [places[column] for column in columns]]
    if data.codes is None:
        raise ValueError("The data has no labels: name the column that holds them.")
    codes = np.array([sign_of(text, certificate.problem.classes) for text in data.texts], float)
    if not codes.all():
        text = data.texts[int(np.flatnonzero(codes == 0)[0])]
        refuse(f"The data is not that of the certificate: the label {brief(text)} is no class of it.")
    return _verify_signs(certificate, X, codes[data.codes])


def about(certificate: Certificate, data: Data) -> str:
    """Say what a certificate is about, in the words of the checker."""
    return checker.subject_in_words(_problem(certificate, data), data.seen)


def in_words(certificate: Certificate, data: Data, zero: int) -> str:
    """Say what a certificate proves that `verify_data` has found valid, in the words of the checker."""
    document: dict[str, Any] = {"claim": str(certificate.claim), "problem": _problem(certificate, data)}
    for section in ("margin", "errors"):
        part = getattr(certificate, section)
        document[section] = None if part is None else vars(part)
    return checker.in_words(document, zero, data.seen)


def _problem(certificate: Certificate, data: Data) -> dict[str, Any]:
    """Return what a document says of a problem, with the table as it was read: options may say more than the document."""
    document = certificate.problem.document()
    return document if data.table is None else {**document, "table": data.table.document()}


def _verify_signs(certificate: Certificate, X: Any, signs: NDArray[np.float64]) -> int:
    subject = certificate.problem
    rows, _, measures = read_rows(X)
    if rows.shape != (subject.rows, subject.dimension):
        refuse(
            f"The data is not that of the certificate: it has {rows.shape[0]} rows and {rows.shape[1]} columns, expected "
            f"{subject.rows} and {subject.dimension}."
        )
    read_labels(signs, rows.shape[0])
    problem = Problem.bare(rows, subject.intercept, signs, measures)
    compare_subject(certificate, problem)
    return check(certificate, problem)


def _named_columns(X: Any, certificate: Certificate) -> Any:
    """Take the columns of a table by name, as the certificate says; leave alone what is no table."""
    if sp.issparse(X):
        return X
    table = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        return X
    columns = certificate.problem.columns or ()
    missing = next((column.source for column in columns if column.source not in table.columns), None)
    if missing is not None:
        refuse(f"The data is not that of the certificate: it has no column {brief(missing)}.")
    if all(column == Column(column.source) for column in columns):
        return table.select([column.source for column in columns]).to_native()
    return _reread(certificate.problem, X).X


def _reread(subject: Subject, source: Any, **options: Any) -> Data:
    """Read the rows of a certificate. A category that it does not name is in none of its columns; a gap has no value."""
    try:
        return reread(source, subject.columns, subject.table, subject.dimension, unseen="ignore", **options)
    except MissingValues as error:
        table, rows, places = error.facts
        refuse(f"{table} has missing values in {rows}, the first in {places} The certificate allows none.")
