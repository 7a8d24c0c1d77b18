"""Model files. May import ``estimators`` and below.

``model_file`` saves and loads; ``states`` says what each classifier has learnt, with ``run_states`` for what runs leave
behind and ``hyperplane_states`` for the rest; ``parameters`` and ``distributions`` say how it was set, ``scalings`` how
columns are scaled before, and ``fields`` reads values of JSON with suspicion.
"""
