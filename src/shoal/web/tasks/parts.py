"""Parts of pages that show a release: the report's own sentences, tables and charts, rendered by its templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader

from shoal.report.html import environment

TEMPLATES = Path(__file__).parents[1] / "templates"


def parts_of(content: Any, cloud: list[tuple[int, float]]) -> dict[str, str]:
    """Return the parts by name, as HTML; `cloud` has the people and the loss of every group."""
    base = environment()
    assert base.loader is not None
    own = base.overlay(loader=ChoiceLoader([base.loader, FileSystemLoader(TEMPLATES)]))
    module: Any = own.get_template("release_parts.html").module
    names = ("verdict", "facts", "distance", "columns", "groups", "losses", "risks", "singled", "advice", "limits")
    return {
        name: str(getattr(module, name)(content, cloud) if name == "groups" else getattr(module, name)(content))
        for name in names
    }
