"""What estimators compute with, in floating point.

``least_squares``, with ``exact_least_squares`` for little data, and ``least_violation``, with ``violation_descent`` for what
is too large, find hyperplanes; ``mixture`` weighs known distributions.
"""
