"""docs/architecture.md says who may import whom as the rules have it."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from tests.repo.test_imports import ALLOWED, BASE

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"


def rules() -> dict[str, set[str]]:
    """Of every package, which others it may import; those known to all are left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for part, allowed in ALLOWED.items():
        package = part.split(".")[0]
        if package not in BASE | {"", "__main__"}:
            found[package] |= {name.split(".")[0] for name in allowed} - BASE - {package}
    return dict(found)


def page() -> dict[str, set[str]]:
    """The same, as the table of the page says it."""
    section = PAGE.read_text(encoding="utf-8").split("## The packages")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", section, flags=re.MULTILINE)
    return {package: set(re.findall(r"`(\w+)`", imported)) for package, imported in rows}


def test_the_page_says_who_may_import_whom() -> None:
    assert page() == rules()


def test_everything_that_all_may_import_is_named() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in sorted(BASE):
        assert name.startswith("_") or f"`{name}`" in text, name


def test_the_recipes_name_files_that_exist() -> None:
    named = set(re.findall(r"`([\w/-]+/[\w.-]+\.(?:py|md))`", PAGE.read_text(encoding="utf-8")))
    assert len(named) > 25
    assert [
        name for name in sorted(named) if not any((ROOT / top / name).exists() for top in ("", "src/shoal"))
    ] == []
