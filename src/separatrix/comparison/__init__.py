"""Classifiers side by side. May import ``estimators`` and below.

``comparing`` has the question, ``candidate`` is one classifier in it, ``results`` the answer.
"""
