"""From files and tables to rows and labels. May import ``problem`` and below.

``reading`` has the doors, ``asked`` what may be said at them, ``data`` what comes out. ``sources`` opens files and tells
their kind; the room ``text`` reads CSV and LIBSVM text, ``binary_files`` Arrow, Parquet and NumPy; ``foreign_errors`` knows
what Arrow and NumPy say when they fail. ``frame`` is a table to take columns from, ``cells`` its columns, ``arrays`` makes
one of arrays and frames; ``encoding`` makes columns of numbers of them and ``design_matrix`` the rows; ``labelled_rows``
leaves out those without a label. ``decimals`` says whether the numbers of a text fit as decimals, ``exact_columns`` brings
columns to one power of ten. ``description``, ``column_facts``, ``row_facts``, ``facts`` and ``description_text`` are
`describe`; of tables in pieces ``loose_survey``, ``column_pass`` with ``different_numbers``, and ``kept_pieces``.
"""
