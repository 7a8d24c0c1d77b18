"""The fewest errors that any hyperplane makes. May import ``separation`` and below.

``least_errors`` asks and ``disagreement`` is the answer, with ``explanation`` in words. ``contest`` lets ``upper_bound``,
which looks for a better hyperplane, and ``lower_bound``, which proves that none is much better, take turns. The bound comes
from obstructions: ``obstruction_polytope`` finds them, ``hitting_set`` is their linear program, ``groups`` are equal rows
taken together.
"""
