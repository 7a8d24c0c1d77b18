"""Thin scikit-learn classes. May import ``errors`` and below.

A file for each public class: ``perceptron``, ``voted``, ``kernel_perceptron``, ``pocket``, ``max_margin``,
``least_squares``, ``linear_program``, ``bayes``, and ``table_encoder``. ``family`` is the table of all classifiers, and
``reports`` has what there is to say of a fit. ``learnt`` is what a fit leaves behind: a frozen value, of a class of its own
beside each estimator, from which all attributes are shown.

What several of them share: ``_parameters`` checks parameters, ``_inputs`` reads rows and labels, ``_training`` is the way
through ``fit`` for all that learn by a run, ``_hyperplanes`` and ``_exact_weights`` predict, ``_copies`` and
``_one_vs_rest`` learn more than two classes. ``solvers/`` are what they compute with in floating point.

Nothing is imported here: whoever needs a perceptron loads what a perceptron needs.
"""
