"""Labelled rows, validated once, and what is exactly true of them. May import ``exact`` and ``support``.

``problem`` is what everything starts from; ``exact_rows`` are its rows, rational numbers over one denominator;
``reading_rows`` and ``labels`` read what users give. ``rows`` has all that depends on whether rows are dense or CSR, ``csr``
puts sparse rows in order, ``multiclass`` is for more than two classes, ``provenance`` says where columns come from.
``lifted`` has the signed rows with their constant column, ``scores`` and ``largest`` exact scores, ``ties`` the tie rule,
``scaled`` rows for float solvers. ``sums``, ``spans``, ``duplicates``, ``equal_rows`` and ``digest`` are exact facts of
all rows;
``wording`` has the words for them, and ``row_names`` what rows are called.
"""
