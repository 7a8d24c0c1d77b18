"""Pages that are made from what is there: the reference of Python and of the command line, the files of the repository.

They are written to docs/generated before a build and are never edited.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from site_links import COPIED, rewritten

DOCS = Path(__file__).resolve().parents[1]
MODULES = ("plot", "examples", "exercises", "conventions")
"""Public modules of the package; each has a section of its own, of its public names."""


def public_groups(docstring: str, public: set[str]) -> dict[str, list[str]]:
    r"""Return the public names under the headings of the package's docstring, in its order.

    >>> public_groups("A library.\n\nQuestions:\n\n- `decide`: what?\n\nData:\n\n- `load`, `Data`\n", {"decide", "load"})
    {'Questions': ['decide'], 'Data': ['load']}
    """
    groups: dict[str, list[str]] = {}
    for heading, items in re.findall(r"(?m)^(\w[^\n]*):\n\n((?:- .*\n(?:  .*\n)*)+)", docstring + "\n"):
        names = [name for name in re.findall(r"`(\w+)`", items) if name in public]
        groups[heading] = list(dict.fromkeys(names))
    return groups


def _summary(module: str, names: list[str]) -> str:
    lines = [f".. currentmodule:: {module}", "", ".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
    return "\n".join([*lines, *(f"   {name}" for name in names), ""])


def _section(title: str, *parts: str) -> str:
    return "\n".join([title, "-" * len(title), "", *parts])


def api() -> str:
    """Return the page with all public names, which has a page made for each of them."""
    import separatrix as sx

    modules = [name for name in MODULES if name in sx.__all__]
    public = set(sx.__all__) - {"__version__", *modules}
    groups = public_groups(sx.__doc__ or "", public)
    left = public - {name for names in groups.values() for name in names}
    if left:
        raise ValueError(f"The docstring of separatrix does not say what these are for: {', '.join(sorted(left))}.")
    sections = [_section(title, _summary("separatrix", names)) for title, names in groups.items()]
    for name in modules:
        module = sys.modules[f"separatrix.{name}"] = getattr(sx, name)  # to be imported under its public name
        first = (module.__doc__ or "").strip().splitlines()[0]
        sections.append(_section(f"separatrix.{name}", first, "", _summary(f"separatrix.{name}", list(module.__all__))))
    title = "Python reference"
    intro = (
        "All public names, usually imported by ``import separatrix as sx``. They are loaded when they are first used, so\n"
        "that importing the package costs next to nothing. Examples run as they stand.\n"
    )
    return "\n".join([title, "=" * len(title), "", intro, *sections])


def _cell(text: str) -> str:
    return re.sub(r"([|<>*_`])", r"\\\1", " ".join(text.split()))


def _table(rows: list[tuple[str, str]]) -> list[str]:
    names = (re.sub(r"[<>]", "", name) for name, _ in rows)
    body = [f"| `{name}` | {_cell(text)} |" for name, (_, text) in zip(names, rows, strict=True)]
    return ["| argument or option | what it says |", "|---|---|", *body, ""]


def commands() -> str:
    """Return the page of all commands, from the command line itself."""
    import typer

    from separatrix.cli.app import app

    group = typer.main.get_command(app)
    above = typer.Context(group, info_name="separatrix")
    lines = [
        "# Commands", "",
        "Every command with its arguments and options, from the program itself: `separatrix COMMAND --help` prints them.",
        "[The command line](../command-line.md) has what they share: exit codes, names, files, time.", "",
    ]  # fmt: skip
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        context = typer.Context(command, info_name=name, parent=above)
        lines += [f"## {name}", "", *(command.help or "").splitlines(), ""]
        usage = command.get_usage(context).removeprefix("Usage: ")
        lines += ["```text", " ".join(usage.split()), "```", ""]
        records = [each.get_help_record(context) for each in command.get_params(context)]
        lines += _table([each for each in records if each is not None])
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    """Write a page, unless it is there as it is: Sphinx reads again what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write(app=None, config=None) -> None:
    """Write all such pages."""
    _write(DOCS / "generated" / "api" / "index.rst", api())
    _write(DOCS / "generated" / "commands.md", commands())
    for source, page in COPIED.items():
        text = (DOCS.parent / source).read_text(encoding="utf-8")
        _write(DOCS / page, rewritten(text, page, home=source))


def _skipped(app, what, name, member, skip, options) -> bool | None:
    """Leave out what classes inherit from elsewhere, such as the methods of scikit-learn that every estimator has."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    elsewhere = callable(function) and not (getattr(function, "__module__", None) or "").startswith("separatrix")
    return True if elsewhere else None


def setup(app):
    """Have Sphinx write them before it looks for pages."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", _skipped)
    return {"parallel_read_safe": True}
