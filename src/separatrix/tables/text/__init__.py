"""Tables that are text: CSV, JSON lines and LIBSVM.

``csv_layout`` finds out how a CSV file is written, ``csv_fast`` reads plain ones in compiled loops, ``csv_reading`` all,
with ``number_columns`` for numbers among texts that Arrow has read; ``dates`` and ``units`` know words that look like
numbers. ``libsvm`` reads LIBSVM text; ``spans`` divides a text between threads. ``row_stream`` reads rows one by one while
they are written.
"""
