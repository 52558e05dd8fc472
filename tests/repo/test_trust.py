"""docs/trust.md says what docs/evidence/ holds, and every piece of evidence can be read."""

from __future__ import annotations

import pytest

from tests.repo.script import ROOT, script

trust, mutants, audit, fuzz = (script(name) for name in ("trust", "mutants", "audit", "fuzz"))


def test_the_page_is_what_the_evidence_says() -> None:
    assert (ROOT / "docs" / "trust.md").read_text(encoding="utf-8") == trust.page(trust.evidence())


def test_every_piece_of_evidence_counts_what_was_tried() -> None:
    for kind, one in trust.evidence().items():
        assert one["kind"] == kind
        assert one["tried"] > 0, f"{kind}: nothing was tried"
        assert 0 <= one["got_through"] <= one["tried"]
        assert one["what"].endswith(".")


def test_a_page_shows_every_count() -> None:
    found = {
        "faults": {
            "kind": "faults",
            "what": "Faults.",
            "tried": 1234,
            "got_through": 5,
            "details": {"write": {"tried": 1200, "kept": 0.5}, "rename": {"tried": 34}},
            "seconds": 120,
            "version": "0",
            "notes": ["One note."],
        },
        "other": {"kind": "other", "what": "Others.", "tried": 7, "got_through": 0, "details": {"a|b": 7}},
        "fuzz": {
            "kind": "fuzz",
            "what": "Files.",
            "tried": 3,
            "got_through": 0,
            "in_all": {"tried": 4321, "got_through": 2},
        },
    }
    shown = trust.page(found)
    for text in (
        "| 1,234 | 5 |",
        "| 4,321 | 2 |",
        "2 minutes",
        "| write | 0.5 | 1,200 |",
        "| rename |  | 34 |",
        "One note.",
        "a\\|b",
    ):
        assert text in shown


@pytest.mark.parametrize(
    ("code", "fate"),
    [(0, "survived"), (33, "not reached"), (1, "killed"), (36, "killed"), (None, "not run"), (34, "not run")],
)
def test_a_mutant_is_killed_only_by_a_failing_test(code: int | None, fate: str) -> None:
    assert mutants.fate_of(code) == fate


def test_everything_that_shoal_brings_may_be_used_by_anyone(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.licenses() == []
    assert "polars" in capsys.readouterr().out


@pytest.mark.parametrize("stated", ["GPL-3.0", "LGPL-2.1-or-later", "AGPL v3", "Proprietary", "not stated"])
def test_a_license_that_binds_users_is_noticed(stated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "license", lambda name: stated)
    assert "polars" in audit.licenses()


def test_the_counts_of_runs_are_added_up() -> None:
    first = fuzz.in_all({}, {"tried": 5, "got_through": 1, "seconds": 9})
    assert first == {"runs": 1, "tried": 5, "got_through": 1, "seconds": 9}
    again = fuzz.in_all({"in_all": first, "tried": 5}, {"tried": 7, "got_through": 0, "seconds": 1})
    assert again == {"runs": 2, "tried": 12, "got_through": 1, "seconds": 10}
    known = fuzz.in_all({"tried": 3, "got_through": 0, "seconds": 2}, {"tried": 7, "got_through": 0, "seconds": 1})
    assert known == {"runs": 2, "tried": 10, "got_through": 0, "seconds": 3}
    assert "12 tried, 1 got through" in fuzz.told_in_all(again)
