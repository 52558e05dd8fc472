"""No note, name or number of a person is public: by the proposal, and by refusing what a policy would publish."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError

WORDS = ["pt", "seen", "today", "cough", "fever", "wife", "asks", "for", "letter", "sent", "home", "again", "better"]


def people(n: int = 120, seed: int = 3) -> dict[str, Any]:
    """Columns of an ordinary table: two numbers, two labels of which some are rare, and one delicate column."""
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, n),
        "sex": rng.choice(["f", "m"], n),
        "country": [*rng.choice(["Germany", "France", "Spain"], n - 2).tolist(), "South Korea", "Tonga"],
        "diagnosis": rng.choice(["asthma", "flu", "gout", "migraine"], n),
    }


def telling(kind: str, n: int = 120, seed: int = 5) -> list[str]:
    """Cells by which people are known, in a column whose name says nothing."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(1000, 9999, n)
    made = {
        "notes": [f"{' '.join(rng.choice(WORDS, 5))}, call 555-{one}" for one in numbers],
        "short notes": ["ok"] * (n - 9) + [f"ask {rng.choice(WORDS)} about zq{one} now" for one in numbers[:9]],
        "one note": ["none"] * (n - 1) + ["she said that he hit her again and nobody must know zq77"],
        "e-mail": ["none"] * (n - 3) + [f"zq{one}@example.org" for one in numbers[:3]],
        "telephone": ["ja", "nein"] * (n // 2 - 1) + [f"030 55{one}" for one in numbers[:2]],
        "names": [f"{a} {b}" for a in ("Hans", "Anna", "Zqolt") for b in ("Zqmüller", "Weber")] * (n // 6),
        "address": ["-"] * (n - 2) + [f"Zqhauptstraße {one}" for one in (12, 14)],
    }  # fmt: skip
    return made[kind]


def public_bytes(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))


@pytest.mark.parametrize("kind", ["notes", "short notes", "one note", "e-mail", "telephone", "names", "address"])
def test_accepting_the_proposal_publishes_no_text_by_which_people_are_known(kind: str, tmp_path: Path) -> None:
    cells = telling(kind)
    frame = pl.DataFrame(people() | {"x7": cells})
    policy = shoal.profile(frame).policy
    assert policy.columns["x7"].role == "identifier"
    shoal.anonymize(frame, policy, seed=1, effort=0.1).write(tmp_path / "out")
    written = public_bytes(tmp_path / "out")
    known = {cell for cell in cells if len(cell) > 5} | {"South Korea", "Tonga", "zq", "Zq"}
    assert not [cell for cell in known if cell in written]
    assert "Germany" in written


def test_the_proposal_merges_rare_labels_and_says_so(tmp_path: Path) -> None:
    frame = pl.DataFrame(people())
    profile = shoal.profile(frame)
    assert profile.policy.columns["country"].publish_rare == "merged"
    assert profile.policy.columns["sex"].publish_rare is False
    profile.write(tmp_path / "policy.toml")
    assert "2 occur once, so rare ones are merged" in (tmp_path / "policy.toml").read_text()
    release = shoal.anonymize(frame, tmp_path / "policy.toml", seed=1, effort=0.1)
    assert any("are published as 'other'" in note for note in release.notes)
    assert release.findings.holds


def asked(**more: Any) -> dict[str, Any]:
    quasi = {name: {"role": "quasi"} for name in ("age", "sex", "country")}
    quasi["country"] |= more
    return {"k": 5, "seed": 1, "effort": 0.1, "columns": quasi | {"diagnosis": {"role": "sensitive"}}}


def test_a_typed_label_of_one_person_is_refused_by_column_and_count_and_never_by_value() -> None:
    with pytest.raises(SchemaError, match="1 of 'country'") as refused:
        shoal.anonymize(pl.DataFrame(people()), asked())
    assert 'publish_rare = "merged"' in str(refused.value.hint)
    assert "Korea" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize("more", [{"publish_rare": True}, {"publish_rare": "merged"}])
def test_what_the_message_says_leads_out(more: dict[str, Any]) -> None:
    release = shoal.anonymize(pl.DataFrame(people()), asked(**more))
    written = " ".join(release.table["country"].to_list())
    assert ("South Korea" in written) == (more["publish_rare"] is True)


def test_a_form_that_hides_what_differs_needs_no_more() -> None:
    release = shoal.anonymize(pl.DataFrame(people()), asked() | {"publication": "suppress"})
    assert "Korea" not in " ".join(release.table["country"].to_list())


def test_the_legend_of_classes_is_a_set_of_labels_too() -> None:
    with pytest.raises(SchemaError, match="country"):
        shoal.anonymize(pl.DataFrame(people()), asked(classes="k"))


def test_a_label_of_one_person_on_several_rows_is_a_label_of_one_person() -> None:
    frame = pl.DataFrame(people()).with_columns(who=pl.int_range(pl.len()))
    frame = pl.concat([frame, frame])
    policy = asked()
    policy["columns"]["who"] = {"role": "person"}
    with pytest.raises(SchemaError, match="1 of 'country'"):
        shoal.anonymize(frame, policy)


@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_identifiers_inside_columns_published_as_they_are_stop_the_run(role: str) -> None:
    frame = pl.DataFrame(people() | {"x7": telling("telephone")})
    policy = asked(publish_rare="merged")
    policy["columns"]["x7"] = {"role": role}
    with pytest.raises(SchemaError, match="telephone number in 2 of 120 cells") as refused:
        shoal.anonymize(frame, policy)
    assert "030" not in f"{refused.value} {refused.value.hint}"
    policy["columns"]["x7"]["publish_rare"] = True
    assert shoal.anonymize(frame, policy).findings.holds


def test_merging_goes_on_until_k_people_have_the_merged_label() -> None:
    frame = pl.DataFrame(people()).with_columns(
        country=pl.Series(["Germany"] * 60 + ["other"] * 51 + ["Spain"] * 8 + ["Tonga"])
    )
    release = shoal.anonymize(frame, asked(publish_rare="merged"))
    labels = " ".join(release.table["country"].to_list())
    assert "Tonga" not in labels
    assert "Spain" not in labels  # one person with a merged label would be as rare as before
    assert "other (merged)" in labels


@pytest.mark.parametrize(
    "column",
    [
        {"role": "identifier", "publish_rare": True},
        {"role": "sensitive", "publish_rare": "merged"},
        {"role": "quasi", "hierarchy": {"prefix": True}, "publish_rare": "merged"},
    ],
)
def test_publish_rare_is_refused_where_it_says_nothing(column: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="publish_rare"):
        shoal.Policy.parse({"columns": {"x": column}})
