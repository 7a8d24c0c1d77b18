"""Credit card applications: points for income, debt and more, and a threshold for approval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Floats
from ..problem.provenance import Column, Layout
from ..tables.data import Data
from ..tables.encoding import apply
from ..tables.frame import arrow_frame

_CREDIT_POINTS = {"income_keur": 2, "debt_keur": -3, "years_employed": 4, "late_payments": -10, "cards_held": 0}

_EMPLOYMENT = {"salaried": 8, "self-employed": 0, "retired": 4, "student": -6, "unemployed": -16}

_EMPLOYMENT_SHARES = (0.55, 0.15, 0.12, 0.1, 0.08)

_CREDIT_THRESHOLD = 40

_CREDIT_CLEARANCE = 8


def credit(n: int = 200, noise: float = 0.0, seed: int = 0) -> tuple[Floats, NDArray[Any]]:
    """Applicants for a credit card, as numbers, and whether the bank approved.

    Parameters as in `credit_table`.

    Returns
    -------
    X : array of shape (n, 10)
        The table's columns: thousand euros a year, thousand euros, years, two counts, and 0 or 1 for each kind of
        employment.
    y : array of shape (n,)
        "yes" or "no".

    Examples
    --------
    >>> X, y = credit(n=3)
    >>> X[0].tolist(), str(y[0])
    ([39.0, 6.0, 3.0, 1.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.0], 'yes')
    """
    data = encoded_credit(n, noise, seed)
    return data.X, data.y


def encoded_credit(n: int, noise: float, seed: int) -> Data:
    """Return the applications with employment one-hot."""
    columns = tuple(Column(name) for name in _CREDIT_POINTS) + tuple(
        Column("employment", kind) for kind in sorted(_EMPLOYMENT)
    )
    frame = arrow_frame(credit_table(n, noise, seed), "credit", Layout())
    return apply(frame, columns, "refuse", label="approved")


def credit_table(n: int = 200, noise: float = 0.0, seed: int = 0, gaps: float = 0.0) -> pa.Table:
    """Applicants for a credit card, and whether the bank approved, as a table with a column of text.

    The bank scores 2 points per thousand euros of yearly income, 4 per year in the present job, -3 per thousand euros of
    debt and -10 per late payment in two years, adds 8 for the salaried and 4 for the retired, subtracts 6 for students and
    16 for the unemployed, and approves above a threshold of 40. Nobody is nearer to it than 8 points; the number of cards
    held does not count.

    Parameters
    ----------
    n : int
        Number of applicants.
    noise : float
        Standard deviation, in points, of what a clerk's mood adds to the score. Without noise the classes are
        separable.
    seed : int
        Seed of the random numbers.
    gaps : float
        The share of answers about debt, employment and years in the job that are missing.

    Examples
    --------
    >>> credit_table(n=1).to_pylist()[0]["employment"]
    'salaried'
    >>> credit_table(gaps=0.1).column("debt_keur").null_count
    18
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    if not 0.0 <= gaps < 1.0:
        raise ValueError(f"gaps must be at least 0 and below 1, got {gaps}.")
    rng = np.random.RandomState(seed)
    rows: list[list[Any]] = []
    scores: list[int] = []
    while len(rows) < n:
        employment = list(_EMPLOYMENT)[int(np.searchsorted(np.cumsum(_EMPLOYMENT_SHARES), rng.random_sample()))]
        works = employment in ("salaried", "self-employed")
        income = int(np.clip(round(rng.lognormal(3.3 if works else 2.8, 0.5)), 8, 120))
        debt = round(min(rng.exponential(8.0), 60.0))
        years = round(min(rng.exponential(6.0), 40.0)) if works else 0
        answers = [income, debt, years, rng.poisson(0.7), rng.poisson(1.5)]
        points = sum(a * b for a, b in zip(answers, _CREDIT_POINTS.values(), strict=True)) + _EMPLOYMENT[employment]
        if abs(points - _CREDIT_THRESHOLD) >= _CREDIT_CLEARANCE:
            rows.append([*answers, employment])
            scores.append(points)
    judged = np.array(scores) + noise * rng.normal(size=n)
    names = [*_CREDIT_POINTS, "employment"]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for name in ("debt_keur", "employment", "years_employed"):
        columns[name] = [None if gaps and rng.random_sample() < gaps else answer for answer in columns[name]]
    return pa.table({**columns, "approved": np.where(judged > _CREDIT_THRESHOLD, "yes", "no")})
