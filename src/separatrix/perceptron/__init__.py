"""Runs of the perceptron, exactly as the theory defines them. May import ``tables`` and below.

``orders`` are the orders of visits, and where a run stands; ``updates`` is what mistakes add to weights. ``run`` is the
run for two classes, ``multiclass`` that for more, ``kernel_run`` that in the feature space of a kernel, with ``gram``,
``kernels`` and ``expansion``. ``averaging``, ``voting`` and ``pocket`` make more of a run, ``trace`` tells its weights
again, ``integer_weights`` has them in integers; ``short_runs`` counts the mistakes of many orders. ``loss`` is the loss that
it descends, ``descent`` the descent on the loss of all rows at once.
"""
