"""Small built-in problems, each with its story, for demonstrations, documentation and tests.

May import ``estimators`` and below. ``problems`` lists and loads them, ``credit_card`` makes up applications for credit
cards, ``gaussians`` is a source of rows
whose best classifier is known.
"""

from .credit_card import credit, credit_table
from .gaussians import TwoGaussians
from .problems import Example, get, load, names, story, two_gaussians, with_gaps

__all__ = [
    "Example",
    "TwoGaussians",
    "credit",
    "credit_table",
    "get",
    "load",
    "names",
    "story",
    "two_gaussians",
    "with_gaps",
]
