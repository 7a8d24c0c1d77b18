"""Thin scikit-learn classes. May import ``errors`` and below.

A file for each public class: ``perceptron``, ``voted``, ``kernel_perceptron``, ``pocket``, ``max_margin``,
``least_squares``, ``linear_program``, ``bayes``, and the transformers ``table_encoder`` and ``scaler``; ``kernel_margin``
is ``max_margin`` with a kernel. ``family`` is the table of all classifiers, and ``reports`` has what there is to say of a
fit. ``learnt`` is what a fit leaves behind: a frozen value, of a class of its own beside each estimator, from which all
attributes are shown.

``shared/`` has what several of them share, ``solvers/`` what they compute with in floating point.

Nothing is imported here: whoever needs a perceptron loads what a perceptron needs.
"""
