"""What there is to see: scenes, made of answers and runs, and pictures of them. May import ``tracing`` and below.

``scene`` says what a scene is, and ``parts`` how it is written. ``making`` makes scenes, with ``projecting`` from rows to
points and ``thinning`` where there are many.
"""
