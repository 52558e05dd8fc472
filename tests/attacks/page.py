"""The tables of docs/attacks.md, from docs/evidence/attacks.json: `python -m tests.attacks` writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

WHY = "minimality: "


def with_tables(page: str, evidence: Mapping[str, Any]) -> str:
    """The page with what stands between its marks replaced."""
    details = evidence["details"]
    for mark, table in (("measured", measured(details)), ("why", why(details))):
        pattern = rf"<!-- {mark} -->.*?<!-- end -->"
        assert re.search(pattern, page, re.S), mark
        page = re.sub(pattern, lambda _, m=mark, t=table: f"<!-- {m} -->\n{t}\n<!-- end -->", page, flags=re.S)
    return page


def measured(details: Mapping[str, Any]) -> str:
    """Attack by attack."""
    lines = [
        "| attack | releases | tries | right | at worst | promised at most | exceeded |",
        "|---|--:|--:|--:|--:|---|--:|",
    ]
    for attack, one in details.items():
        if not attack.startswith(WHY):
            right = f"{one['right'] / max(one['tries'], 1):.1%}"
            counted = f"{one['releases']} | {one['tries']:,} | {right} | {one['at_worst']:.1%}"
            lines.append(f"| {attack} | {counted} | {one['promised']} | {one['exceeded']} |")
    return "\n".join(lines)


def why(details: Mapping[str, Any]) -> str:
    """Minimality, method by method."""
    lines = [
        "| method | people whose groups were changed | sure of | right | by the class alone |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, one in details.items():
        if name.startswith(WHY):
            method = name.removeprefix(WHY)
            lines.append(f"| {method} | {one['changed']:,} | {one['sure']} | {one['right']} | {one['by_class']} |")
    return "\n".join(lines)
