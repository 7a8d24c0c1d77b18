"""Is there a hyperplane that separates the classes, and how wide is the gap? May import ``perceptron``, ``proof`` and below.

``decision`` asks and ``verdict`` is the answer, with ``explanation`` in words. ``search`` finds the proof: floats propose
(``program``), exact solves dispose (``gordan``), and ``covers`` are positive multipliers for all rows that are tied.
``separating_columns`` looks for few columns that suffice. ``margins`` is the maximum margin, ``margin_bounds`` its bounds
and ``wolfe`` the method that proposes them.
"""
