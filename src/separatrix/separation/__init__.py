"""Is there a hyperplane that separates the classes, and how wide is the gap? May import ``perceptron``, ``proof`` and below.

``decision`` asks and ``verdict`` is the answer, with ``explanation`` in words. ``search`` finds the proof: floats propose
(``program``), exact solves dispose (``gordan``), and ``covers`` are positive multipliers for all rows that are tied.
``separating_columns`` looks for few columns that suffice. ``maximum_margin`` asks for the width of the gap and ``margins``
is the answer; ``margin_bounds`` proves it from both sides. ``wolfe`` is the method that proposes it, with few rows at a time
(``working_set``), and with wide ones in the space that they span (``row_space``); ``centres`` are hyperplanes in the middle
of the gap between some of the rows.

``stability`` is how far numbers may be off without changing a verdict, with ``stability_explanation`` in words;
``tolerances`` says which numbers may be off by how much. ``collision`` bounds it for separable classes and ``escape`` for
others; ``moving_programs`` propose, and ``movable_rows`` say what is exactly true.
"""
