"""Check the documentation site that has been built: no link is broken, every page can be reached, nothing is fetched.

    python tools/check_site.py build/docs

A broken link is one whose page or anchor is not there. Every page but those that only the search needs must be reached from
the first one by links. No page may load anything from elsewhere: scripts, styles, fonts, pictures.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

APART = {"genindex.html", "py-modindex.html", "search.html", "404.html"}
"""Pages that are made for the search."""

LOADED = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src"), ("iframe", "src"), ("object", "data")}
LOADING = {"stylesheet", "preload", "icon", "shortcut", "manifest", "preconnect", "dns-prefetch"}


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors.

    >>> page = Page('<h1 id="top">A</h1><a href="b.html#c">b</a><script src="https://elsewhere/x.js"></script>')
    >>> page.anchors, page.links, page.loaded
    ({'top'}, ['b.html#c'], ['https://elsewhere/x.js'])
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and links of a tag."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and LOADING & set(given.get("rel", "").split()):
            self.loaded.append(given.get("href", ""))
        for name, value in given.items():
            if (tag, name) in LOADED and value:
                self.loaded += [part.split()[0] for part in value.split(",")] if name == "srcset" else [value]


def is_elsewhere(address: str) -> bool:
    """Whether an address leads away from the site.

    >>> is_elsewhere("https://example.org/x.js"), is_elsewhere("//example.org/x.js"), is_elsewhere("x.js")
    (True, True, False)
    """
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto")


def faults(site: Path) -> list[str]:
    """Return what is wrong with a site, in words."""
    pages = {
        path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    }
    found, reached, waiting = [], set(), [site / "index.html"]
    linked: dict[Path, set[Path]] = {path: set() for path in pages}
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} loads {address}" for address in page.loaded if is_elsewhere(address)]
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if is_elsewhere(link) or parts.scheme == "data":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                found.append(f"{name} links to {link}, which is not there")
            elif target in pages:
                linked[path].add(target)
                if parts.fragment and unquote(parts.fragment) not in pages[target].anchors:
                    found.append(f"{name} links to {link}, and there is no such place on that page")
    for style in sorted(site.rglob("*.css")):
        text = style.read_text(encoding="utf-8")
        if "@import url(http" in text or "url(http" in text or "url(//" in text:
            found.append(f"{style.relative_to(site)} loads something from elsewhere")
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += linked[path]
    lost = sorted(str(path.relative_to(site)) for path in pages if path not in reached and path.name not in APART)
    return [*found, *(f"No link leads to {path}" for path in lost)]


def main() -> None:
    """Check the site that is named; leave with 1 if something is wrong."""
    site = Path(sys.argv[1]).resolve()
    wrong = faults(site)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"{sum(1 for _ in site.rglob('*.html'))} pages, no broken link, nothing from elsewhere.")


if __name__ == "__main__":
    main()
