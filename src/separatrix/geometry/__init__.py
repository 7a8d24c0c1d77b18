"""Hyperplanes that are given: where they lie, and which rows they have wrong. May import ``tables`` and below.

``given_weights`` reads weights, and a threshold in place of an intercept, exactly. ``hyperplane`` is the flat set of score
zero: distances, projections, a point, directions. ``error_count`` counts the rows that given weights have wrong.
"""
