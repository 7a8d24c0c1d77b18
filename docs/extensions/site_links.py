"""Links of the repository, as the site has them.

Pages are written to be read as files, too: they link to files of the repository, such as ``../CHANGELOG.md``. On the site
some of these files are pages of their own, which `PAGES` names.
"""

from __future__ import annotations

import posixpath
import re

PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "generated/changelog.md",
    "CONTRIBUTING.md": "generated/contributing.md",
    "SECURITY.md": "generated/security.md",
    "docs/gallery": "generated/gallery/index.rst",
    "src/separatrix/__init__.py": "generated/api/index.rst",
    "src/separatrix/cli/commands": "generated/commands.md",
}
"""Files and folders of the repository, and the pages that the site has for them, below docs/."""

COPIED = {source: page for source, page in PAGES.items() if page.startswith("generated/") and source.endswith(".md")}
"""Those whose page is the file itself."""

_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#])")


def on_site(link: str, page: str, *, home: str | None = None) -> str:
    """Return a link as the site has it.

    Parameters
    ----------
    link : str
        What a file of the repository links to, relative to itself.
    page : str
        The page that shows the file, below docs/.
    home : str, optional
        The file, from the root of the repository; docs/ and the page unless it is given.

    Examples
    --------
    >>> on_site("../CHANGELOG.md", "formats.md")
    'generated/changelog.md'
    >>> on_site("../tables.md", "decisions/readers.md")
    '../tables.md'
    >>> on_site("docs/map.md", "generated/contributing.md", home="CONTRIBUTING.md")
    '../map.md'
    """
    if "://" in link or link.startswith("mailto:"):
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(home or f"docs/{page}"), link))
    if target in PAGES:
        target = f"docs/{PAGES[target]}"
    return posixpath.relpath(target, posixpath.dirname(f"docs/{page}"))


def rewritten(text: str, page: str, *, home: str | None = None) -> str:
    """Return the text of a page with its links as the site has them.

    >>> rewritten("See [the rules](../CONTRIBUTING.md#the-rules).", "map.md")
    'See [the rules](generated/contributing.md#the-rules).'
    """
    return _LINK.sub(lambda link: on_site(link[1], page, home=home), text)
