"""Pictures, a file each: what it shows of a scene. ``display`` is what they have in common.

They draw on a ``canvas`` with ``texts`` around it, which import matplotlib and are loaded when something is drawn; ``boxes``
says which part of a line is seen.
"""
