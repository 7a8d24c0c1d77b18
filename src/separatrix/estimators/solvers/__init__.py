"""What estimators compute with, in floating point.

``least_squares`` and ``least_violation`` find hyperplanes, ``mixture`` weighs known distributions.
"""
