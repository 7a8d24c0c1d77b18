"""Thin scikit-learn classes. May import ``errors`` and below.

A file for each public class: ``perceptron``, ``voted``, ``kernel_perceptron``, ``pocket``, ``max_margin``,
``least_squares``, ``linear_program``, ``bayes``, and ``table_encoder``. What several of them share: ``_parameters`` checks
parameters, ``_inputs`` reads rows and labels, ``_orders`` are orders of visits, ``_exact_weights`` and ``_hyperplanes``
publish what was learnt, ``_copies`` and ``_one_vs_rest`` learn more than two classes. Solvers: ``_least_squares_solver``,
``_least_violation``, ``_mixture``.

Nothing is imported here: whoever needs a perceptron loads what a perceptron needs.
"""
