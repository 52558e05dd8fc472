"""What the pages change in a policy leaves the rest as it was: sets keep their separator and m, or lose both."""

from __future__ import annotations

from typing import Any

from shoal.web.draft import with_column, with_kind, with_privacy, with_role

DRUGS: dict[str, Any] = {"role": "quasi", "kind": "set", "separator": "|"}
SETTINGS: dict[str, Any] = {"k": 5, "m": 3, "columns": {"age": {"role": "quasi"}, "drugs": DRUGS}}


def test_a_set_keeps_its_separator_and_m_when_something_else_changes() -> None:
    changed = with_column(with_privacy(SETTINGS, {"k": 7}), "age", {"weight": 2.0})
    assert changed["m"] == 3
    assert changed["columns"]["drugs"] == DRUGS


def test_without_a_set_there_is_no_m_and_no_separator() -> None:
    labels = with_kind(SETTINGS, "drugs", "label", {})
    assert "m" not in labels
    assert labels["columns"]["drugs"] == {"role": "quasi", "kind": "label"}
    assert "m" not in with_role(SETTINGS, "drugs", "identifier", {})
    assert with_kind(labels, "drugs", "set", {})["columns"]["drugs"] == {"role": "quasi", "kind": "set"}
