"""Pictures, a file each: what it shows of a scene. ``display`` is what they have in common.

They draw on a ``canvas``, the one file that imports matplotlib, loaded when something is drawn.
"""
