"""Runs, step by step. May import ``theorem`` and below.

``steps`` asks for a run line by line and ``step_table`` is the answer. ``visits`` says which rows were visited and when,
``walking`` does by exact numbers what a person does by hand, ``retracing`` goes through a run with it, ``pocket_steps``
through one of the pocket algorithm.
"""
