"""Names in single backticks in docstrings: public names of the package are links, all else is code."""

from __future__ import annotations


def _named(name, rawtext, text, lineno, inliner, options=None, content=None):
    from docutils import nodes
    from sphinx import addnodes

    import separatrix as sx

    code = nodes.literal(rawtext, text, classes=["xref", "py", "py-obj"])
    if text.split(".")[0] not in sx.__all__ or text.startswith("__"):
        return [nodes.literal(rawtext, text)], []
    options = {"refdomain": "py", "reftype": "obj", "reftarget": f"separatrix.{text}", "refwarn": False}
    return [addnodes.pending_xref(rawtext, code, **options)], []


def setup(app):
    """Make it a role, for ``default_role``."""
    app.add_role("named", _named)
    return {"parallel_read_safe": True}
