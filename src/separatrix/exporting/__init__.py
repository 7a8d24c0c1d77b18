"""Models for use without this library: as Python, as SQL, as ONNX. May import ``models`` and below.

``rule`` is what a model says, with the encoding of its table, and ``machines`` what those say that keep rows.
``python_file`` writes it as Python, whose functions are those of ``predictor`` and ``row_predictor``, ``sql`` as a query,
and ``onnx_graph`` as a graph of ONNX. ``score_bound`` bounds what float64 makes of a score, ``running`` runs what was
written, ``checking`` compares it with the model, and ``export`` is the door to all of them.
"""
