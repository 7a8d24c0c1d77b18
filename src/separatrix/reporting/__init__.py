"""The report: every answer about some data in one file. May import ``pictures`` and below.

``report`` has the question, ``material`` what it is asked of, ``answers`` gathers what is found. ``document`` makes the
page, of ``sections``, with ``markup`` for HTML, ``rows`` for rows of the data, ``drawing`` for pictures and ``embedded`` for
what can be taken out of the page again.
"""
