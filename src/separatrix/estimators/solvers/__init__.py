"""What estimators compute with, in floating point.

``least_squares``, with ``exact_least_squares`` for little data, and ``least_violation`` find hyperplanes, ``mixture`` weighs
known distributions.
"""
