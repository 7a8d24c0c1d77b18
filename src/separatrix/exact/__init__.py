"""Numbers: what a float64 is exactly, and arithmetic that does not round. May import ``compiled``.

``float64`` is the door through which every number comes in. ``dyadic`` has vectors of integers times powers of two,
``linear_algebra`` solves over the integers (FLINT), ``rounding`` goes back to floats in a chosen direction, and
``environment`` refuses to work where the processor rounds otherwise.
"""
