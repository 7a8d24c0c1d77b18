"""Numbers: what a float64 is exactly, and arithmetic that does not round. May import ``compiled``.

``float64`` is the door through which every number comes in. ``dyadic`` has vectors of integers times powers of two,
``linear_algebra`` has rows as integers and solves over them (FLINT), ``rounding`` goes back to floats in a chosen
direction.
"""
