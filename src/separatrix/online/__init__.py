"""The online protocol: a row is shown, its class is predicted, the outcome is revealed. May import ``estimators`` and below.

``protocol`` plays rounds with a perceptron, one after another.
"""
