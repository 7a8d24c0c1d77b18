"""Settings of the documentation site: ``make docs`` builds it.

Nothing is fetched while it is built, and its pages ask for nothing from elsewhere. Formulas are written in plain text, so
that no script is needed to show them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import separatrix

project = "separatrix"
author = "The separatrix developers"
copyright = author  # noqa: A001 (what Sphinx calls it)
version = release = separatrix.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "site_contents",
    "site_generated",
    "site_names",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["figures", "gallery", "generated/gallery/*.py", "extensions"]
templates_path = ["templates"]
nitpicky = True
default_role = "named"
smartquotes = False  # two dashes are two dashes

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # docstrings say what parameters are, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # templates/autosummary/class.rst lists them
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py",
    "within_subsection_order": "site_gallery.ByQuestion",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "default_thumb_file": None,
}

html_theme = "pydata_sphinx_theme"
html_title = "separatrix"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_sidebars = {"index": []}
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "back_to_top_button": False,
}


def setup(app):
    """Show blocks of data as they are."""
    from pygments.lexers.special import TextLexer

    for language in ("csv", "libsvm"):
        app.add_lexer(language, TextLexer)
