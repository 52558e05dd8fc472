"""Let the pages of the API reference speak of public names only, wherever the code behind them stands.

A hook of MkDocs: `::: shoal.verify` becomes the place where `verify` is defined, whose docstring is read, and
links to the public name lead there. Several public functions have the name of their module, so that the name alone
would mean the module.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from posixpath import relpath
from typing import Any

PAGES = Path(__file__).resolve().parents[1] / "docs" / "reference" / "api"
THE_REST = "::: shoal.*\n"
ASKED = re.compile(r"^::: (shoal(?:\.\w+)*)\.(\w+)$", re.MULTILINE)
CHOICES = re.compile(r"<code>\((&#39;.*?)\)</code>, default:\s*<code>.*?</code>\s*\)", re.DOTALL)
NAMED_PAGE = re.compile(r"(?<![\w/])docs/([\w/-]+)\.md\b(?![^<]*</(?:code|a|pre)>)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with every public name followed to its home; below a section's heading it gets a smaller one."""

    def followed(found: re.Match[str]) -> str:
        level = 3 if "\n## " in markdown[: found.start()] else 2
        asked = f"::: {home(found[1], found[2])}\n    options:\n      heading_level: {level}\n"
        return f"[](){{#{found[1]}.{found[2]}}}\n\n{asked}"

    if THE_REST in markdown:
        markdown = markdown.replace(THE_REST, "".join(f"::: shoal.{name}\n" for name in unnamed()))
    return ASKED.sub(followed, markdown)


def unnamed() -> list[str]:
    """The public names of `shoal` that no page of the reference has a place for."""
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))
    named = {found[2] for found in ASKED.finditer(pages) if found[1] == "shoal"}
    return [name for name in import_module("shoal").__all__ if name not in named and not name.startswith("__")]


def home(module: str, name: str) -> str:
    public = getattr(import_module(module), name)
    return f"{public.__module__}.{public.__qualname__}"


def on_page_content(html: str, *, page: Any, files: Any, **_: Any) -> str:
    """The page with links to the pages that docstrings name by their file, and without defaults that are none.

    The reader of docstrings takes the first of several choices for the default; the signature has the true one.
    """
    if not page.file.src_uri.startswith("reference/api/"):
        return html

    def linked(found: re.Match[str]) -> str:
        target = files.get_file_from_path(f"{found[1]}.md")
        if target is None:
            raise ValueError(f"{page.file.src_uri}: a docstring names {found[0]}, which is no page.")
        return f'<a href="{relpath(target.url, page.file.url.rpartition("/")[0])}">{found[0]}</a>'

    return NAMED_PAGE.sub(linked, CHOICES.sub(r"<code>\1</code>)", html))
