"""What several classifiers share.

``parameters`` checks parameters, ``inputs`` reads rows and labels, ``training`` is the way through ``fit`` for all that
learn by a run, and ``prospects`` says what becomes of one that was stopped. ``hyperplanes`` and ``exact_weights`` predict;
``copies`` and ``one_vs_rest`` learn more than two classes.
"""
