"""The sections of a report, each a function of a `Draft`, or a few."""
