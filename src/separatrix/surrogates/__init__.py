"""Hyperplanes with few errors, proposed in floating point, cheaply. May import ``problem`` and below.

The number of errors has no slope to follow. Losses that stand in for it, its surrogates, have: ``newton`` minimises the
logistic loss and the squared hinge loss of narrow rows, ``wide_rows`` the latter of wide ones. ``count_descent`` goes on
from there: it moves a hyperplane along lines to where fewest rows are wrong. ``proposals`` has it all, the quickest first.
Nothing here decides anything: who is given a proposal counts its errors exactly.
"""
