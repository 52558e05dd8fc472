"""Let the pages of the API reference speak of public names only, wherever the code behind them stands.

A hook of MkDocs: `::: shoal.verify` becomes the place where `verify` is defined, whose docstring is read, and
links to the public name lead there. Several public functions have the name of their module, so that the name alone
would mean the module.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

ASKED = re.compile(r"^::: (shoal(?:\.\w+)*)\.(\w+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with every public name followed to its home; below a section's heading it gets a smaller one."""

    def followed(found: re.Match[str]) -> str:
        level = 3 if "\n## " in markdown[: found.start()] else 2
        asked = f"::: {home(found[1], found[2])}\n    options:\n      heading_level: {level}\n"
        return f"[](){{#{found[1]}.{found[2]}}}\n\n{asked}"

    return ASKED.sub(followed, markdown)


def home(module: str, name: str) -> str:
    public = getattr(import_module(module), name)
    return f"{public.__module__}.{public.__qualname__}"
