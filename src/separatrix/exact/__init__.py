"""Numbers: what a float64 is exactly, and arithmetic that does not round. May import ``compiled``.

``float64`` is the door for numbers that must be float64, ``rationals`` for those that need not. ``dyadic`` has vectors of
integers times powers of two and their quotients, ``products`` exact dot products, ``linear_algebra`` has rows as integers
and solves over them (FLINT), ``squares`` has whole numbers as sums of squares, ``rounding`` goes back to floats in a chosen
direction.
"""
