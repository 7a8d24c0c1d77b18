"""Model files. May import ``estimators`` and below.

``model_file`` saves and loads; ``states`` says what each classifier has learnt, ``parameters`` and ``distributions`` how
it was set, ``fields`` reads values of JSON with suspicion.
"""
