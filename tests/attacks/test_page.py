"""The tables on the page of attacks are those of the evidence."""

from __future__ import annotations

import json
from pathlib import Path

from tests.attacks.page import with_tables

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_says_what_was_counted():
    evidence = json.loads((DOCS / "evidence" / "attacks.json").read_text(encoding="utf-8"))
    page = (DOCS / "attacks.md").read_text(encoding="utf-8")
    assert page == with_tables(page, evidence), "run make attacks"
    assert evidence["tried"] > 10_000
    changed = evidence["details"] | {"homogeneity": evidence["details"]["homogeneity"] | {"tries": 1}}
    assert page != with_tables(page, evidence | {"details": changed})
