"""No note, name or number of a person is public: by the proposal, and by refusing what a policy would publish."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.caller import by_flags
from shoal.errors import ParameterError, SchemaError

WORDS = ["pt", "seen", "today", "cough", "fever", "wife", "asks", "for", "letter", "sent", "home", "again", "better"]


def people(n: int = 120, seed: int = 3) -> dict[str, Any]:
    """Columns of an ordinary table: two numbers, two labels of which some are rare, and one sensitive column."""
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


def test_a_label_of_one_person_is_refused_by_column_and_count_and_never_by_value() -> None:
    """Tonga looks like any other label: that one person alone has it is enough."""
    with pytest.raises(SchemaError, match="in the whole table: 2 of 'country'") as refused:
        shoal.anonymize(pl.DataFrame(people()), asked())
    assert 'publish_rare={"country": "merged"}' in str(refused.value.hint)
    assert 'publish_rare={"country": True}' in str(refused.value.hint)
    assert 'identifier=["country"]' in str(refused.value.hint)
    with by_flags(), pytest.raises(SchemaError) as refused:
        shoal.anonymize(pl.DataFrame(people()), asked())
    assert "--publish-rare country=merged" in str(refused.value.hint)
    assert "--publish-rare country publishes" in str(refused.value.hint)
    assert "--identifier country" in str(refused.value.hint)
    assert not [cell for cell in ("Korea", "Tonga") if cell in f"{refused.value} {refused.value.hint}"]


@pytest.mark.parametrize(
    "more",
    [{"publish_rare": {"country": "merged"}}, {"publish_rare": {"country": True}}, {"identifier": ["country"]}],
)
def test_every_way_out_that_the_message_names_leads_out(more: dict[str, Any]) -> None:
    assert shoal.anonymize(pl.DataFrame(people()), asked(), **more).findings.holds


def test_a_comparison_refuses_what_a_release_refuses() -> None:
    with pytest.raises(SchemaError, match="in the whole table: 2 of 'country'"):
        shoal.compare(pl.DataFrame(people()), asked(), k=[3, 5])
    policy = asked(publish_rare="merged")
    assert len(shoal.compare(pl.DataFrame(people()), policy, k=[3, 5]).trials) == 2
    policy["columns"]["x7"] = {"role": "other"}
    with pytest.raises(SchemaError, match="telephone number"):
        shoal.compare(pl.DataFrame(people() | {"x7": telling("telephone")}), policy, k=[3, 5])


def test_a_label_of_two_people_is_published() -> None:
    frame = pl.DataFrame(people()).with_columns(country=pl.Series(["Germany"] * 117 + ["Tonga"] * 2 + ["Spain"]))
    frame = frame.with_columns(country=pl.col("country").replace("Spain", "Tonga"))
    assert "Tonga" in " ".join(shoal.anonymize(frame, asked()).table["country"].to_list())


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_where_rows_may_be_left_out_the_cells_of_the_release_decide(share: float) -> None:
    """Of 120 rows one may be left out, and two people have a label of their own: one is shown in any case."""
    with pytest.raises(SchemaError, match="2 of 'country'"):
        shoal.anonymize(pl.DataFrame(people()), asked() | {"max_suppressed": share})


def test_a_label_that_is_left_out_with_its_row_is_not_published() -> None:
    """A table of two far apart clusters and one person beside both, who is left out by a method that leaves out."""
    n = 60
    frame = pl.DataFrame({
        "age": [20 + row % 3 for row in range(n)] + [95],
        "country": ["Spain"] * n + ["Tonga"],
    })  # fmt: skip
    policy = {"k": 5, "seed": 1, "columns": {name: {"role": "quasi"} for name in frame.columns}}
    with pytest.raises(SchemaError, match="1 of 'country'"):
        shoal.anonymize(frame, policy)
    left_out = policy | {"method": "full-domain", "max_suppressed": 0.05, "publication": "generalize"}
    left_out["columns"] = policy["columns"] | {"country": {"role": "quasi", "hierarchy": {"prefix": True}}}
    release = shoal.anonymize(frame, left_out)
    assert release.partition.n_suppressed == 1
    assert "Tonga" not in " ".join(release.table["country"].to_list())


def two_with_a_label(role: str, **more: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table in which two people have a label, and one of them is left out for an age far from all others."""
    rng = np.random.default_rng(1)
    ages, notes = rng.integers(20, 60, 120).tolist(), rng.choice(["p", "q"], 120).tolist()
    ages[:2], notes[:2] = [30, 5000], ["Tonga", "Tonga"]
    frame = pl.DataFrame({"age": ages, "note": notes})
    return frame, {
        "k": 5,
        "seed": 1,
        "effort": 0.1,
        "method": "gather",
        "publication": "generalize",
        "max_suppressed": 0.01,
        "columns": {"age": {"role": "quasi"}, "note": {"role": role} | more},
    }


def test_a_label_that_one_released_person_has_is_refused_though_another_has_it_who_is_left_out() -> None:
    frame, policy = two_with_a_label("other")
    with pytest.raises(SchemaError, match="among the rows that are released, 1 being left out: 1 of 'note'") as odd:
        shoal.anonymize(frame, policy)
    assert "max_suppressed=0 leaves no row out" in str(odd.value.hint)
    table = shoal.anonymize(frame, policy | {"max_suppressed": 0.0}).table
    assert table["note"].to_list().count("Tonga") == 2


def test_labels_in_sets_are_counted_in_the_released_rows() -> None:
    frame, policy = two_with_a_label("quasi")
    with pytest.raises(SchemaError, match="1 of 'note'"):
        shoal.anonymize(frame, policy)


@pytest.mark.parametrize(
    ("role", "setting"), [("quasi", {"publish_rare": "merged"}), ("other", {"merge": {"other": ["Tonga", "Fiji"]}})]
)
def test_a_label_that_stands_for_merged_ones_is_nobodys_own(role: str, setting: dict[str, Any]) -> None:
    """Two people have the merged label, and one of them is left out."""
    frame, policy = two_with_a_label(role, **setting)
    frame = frame.with_columns(note=pl.Series(["Tonga", "Fiji", *frame["note"].to_list()[2:]]))
    release = shoal.anonymize(frame, policy | {"k": 2})
    assert release.partition.n_suppressed == 1
    assert "other" in " ".join(release.table["note"].to_list())


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_numbers_with_a_top_are_no_labels(ranges: str) -> None:
    """They are written as >=2000, and stay numbers: the same table is released with and without that mark."""
    frame = pl.DataFrame({"age": [30, 40] * 30, "cost": [50 * row for row in range(60)]})
    columns = {"age": {"role": "quasi"}, "cost": {"role": "other", "top": 2000}}
    release = shoal.anonymize(frame, {"k": 5, "seed": 1, "ranges": ranges, "columns": columns})
    assert release.table["cost"].cast(pl.String).to_list().count(">=2000" if ranges == "brackets" else "2000") == 20


def test_a_mode_that_one_person_has_is_refused() -> None:
    """Every group has five different towns, and its mode is one of them."""
    frame = pl.DataFrame({"age": list(range(20)), "town": [f"town{chr(97 + row)}" for row in range(20)]})
    columns = {"age": {"role": "quasi"}, "town": {"role": "quasi"}}
    policy = {"k": 5, "seed": 1, "publication": "aggregate", "columns": columns}
    with pytest.raises(SchemaError, match="4 of 'town'"):
        shoal.anonymize(frame, policy)
    columns["town"]["publish_rare"] = "merged"
    assert set(shoal.anonymize(frame, policy).table["town"]) == {"other"}


@pytest.mark.parametrize("people_each", [1, 2])
def test_a_code_beside_missing_ones_is_a_label_of_one_person(people_each: int) -> None:
    """In a hierarchy a group shows the node above all of its codes: of one code, if all others are missing."""
    codes = ["12345"] * people_each + [None] * (10 - people_each) + ["70001"] * 10
    frame = pl.DataFrame({"age": [30] * 10 + [80] * 10, "zip": codes})
    columns = {"age": {"role": "quasi"}, "zip": {"role": "quasi", "hierarchy": {"prefix": True}}}
    policy = {"k": 10, "seed": 1, "columns": columns}
    if people_each == 1:
        with pytest.raises(SchemaError, match="1 of 'zip'"):
            shoal.anonymize(frame, policy)
        columns["zip"]["publish_rare"] = True
    assert set(shoal.anonymize(frame, policy).table["zip"]) == {"12345 or missing", "70001"}


def test_codes_that_are_masked_are_not_published() -> None:
    frame = pl.DataFrame({"age": [30] * 20, "zip": [f"{12300 + row}" for row in range(20)]})
    columns = {"age": {"role": "quasi"}, "zip": {"role": "quasi", "hierarchy": {"prefix": True}}}
    assert set(shoal.anonymize(frame, {"k": 20, "columns": columns}).table["zip"]) == {"123**"}


def test_a_label_of_one_person_in_a_column_that_is_published_as_it_is_is_refused() -> None:
    frame = pl.DataFrame(people()).with_columns(pl.col("country").alias("origin"))
    policy = asked(publish_rare="merged")
    policy["columns"]["origin"] = {"role": "other"}
    with pytest.raises(SchemaError, match="2 of 'origin'") as refused:
        shoal.anonymize(frame, policy)
    assert 'quasi=["origin"]' in str(refused.value.hint)
    policy["columns"]["origin"]["publish_rare"] = True
    assert "Tonga" in shoal.anonymize(frame, policy).table["origin"].to_list()


def test_the_labels_of_a_plan_were_published_before() -> None:
    """In the next table one person has a label that many had before: it is in a set of the plan."""
    frame = pl.DataFrame(people()).with_columns(country=pl.col("country").replace(["Tonga", "South Korea"], "Spain"))
    release = shoal.anonymize(frame, asked())
    few = pl.concat([frame.filter(pl.col("country") != "Spain"), frame.filter(pl.col("country") == "Spain").head(1)])
    applied = shoal.apply(release.plan, few, max_suppressed=0.9)
    assert applied.findings.holds


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
    with pytest.raises(SchemaError, match="2 of 'country'"):
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


@pytest.mark.parametrize(
    ("counts", "words"),
    [((40, 30, 1), "have the rarest of them"), ((40, 3, 3), "have each of them")],
    ids=["one rare label and the next one", "rare labels only"],
)
def test_the_remark_on_merged_labels_is_true_of_all_of_them(counts: tuple[int, int, int], words: str) -> None:
    labels = [label for label, count in zip("abc", counts, strict=True) for _ in range(count)]
    table = pl.DataFrame({"town": labels, "age": [20 + place % 30 for place in range(len(labels))]})
    release = shoal.anonymize(table, k=5, quasi=["town", "age"], publish_rare={"town": "merged"})
    assert any(f"because fewer than 5 people {words}." in note for note in release.notes)
