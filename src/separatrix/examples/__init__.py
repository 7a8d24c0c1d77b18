"""Small built-in problems, each with its story, for demonstrations, documentation and tests.

May import ``estimators`` and below. ``problems`` lists and loads them, ``credit_card`` makes up applications for credit
cards, ``gaussians`` is a source of rows whose best classifier is known, ``separable_rows`` one of rows with a known
margin, and ``truth_tables`` has Boolean functions.
"""

from .credit_card import credit, credit_table
from .gaussians import TwoGaussians
from .problems import Example, get, load, names, story, two_gaussians, with_gaps
from .separable_rows import separable, tight
from .truth_tables import boolean

__all__ = [
    "Example",
    "TwoGaussians",
    "boolean",
    "credit",
    "credit_table",
    "get",
    "load",
    "names",
    "separable",
    "story",
    "tight",
    "two_gaussians",
    "with_gaps",
]
