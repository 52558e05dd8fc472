"""Columns of sets from the table to the release: what is read, kept, published, measured, and refused."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError, ShoalError
from shoal.measure.questions.columns import UNIT
from shoal.measure.questions.sets import set_column

CODES = [f"{letter}{number:02d}" for letter in "EIJ" for number in range(6)]
PREFIX = {"hierarchy": {"items": {"prefix": True, "cuts": [1]}}}


SETS: dict[str, Any] = {"columns": {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set"}}}
TOWN = {"town": {"role": "identifier"}}


def people(n: int = 150, seed: int = 0, **more: Any) -> pl.DataFrame:
    chance = np.random.default_rng(seed)
    cells = [";".join(chance.choice(CODES, chance.integers(0, 5))) for _ in range(n)]
    table = {"age": chance.integers(20, 70, n), "items": cells, "town": chance.choice(["a", "b", "c"], n)}
    return pl.DataFrame(table | more)


def asked(**more: Any) -> dict[str, Any]:
    return {"quasi": ["age"], "set": "items", "other": "town", "publish_rare": "town", "k": 4} | more


def items_of(cell: str | None) -> frozenset[str]:
    return frozenset(item.strip() for item in (cell or "").split(";")) - {""}


def rarest(table: pl.DataFrame, m: int) -> int:
    """Return the fewest rows of a class that share a combination of at most m items, counted by hand."""
    fewest = table.height
    for _, rows in table.group_by("age"):
        sets = [items_of(cell) for cell in rows["items"]]
        fewest = min(fewest, len(sets))
        for own in sets:
            for size in range(1, m + 1):
                for known in combinations(sorted(own), size):
                    fewest = min(fewest, sum(cell.issuperset(known) for cell in sets))
    return fewest


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("form", ["generalize", "aggregate", "suppress"])
def test_nobody_with_m_items_is_told_from_fewer_than_k(form: str, m: int) -> None:
    release = shoal.anonymize(people(), m=m, publication=form, **PREFIX, **asked())
    assert rarest(release.table, m) >= 4
    assert release.findings.holds
    assert release.partition.ratio_proved is None
    assert 0 <= release.loss.sets[0].lost <= 1
    assert release.risk.after.prosecutor_max <= 1 / 4 < release.risk.before.prosecutor_max


def test_an_item_is_published_alike_in_all_rows_of_a_class() -> None:
    release = shoal.anonymize(people(), publication="generalize", **PREFIX, **asked())
    original, seen = people(), dict[tuple[str, str], str]()
    order = release.order[release.published.rows]
    for row, (age, cell) in zip(order.tolist(), release.table.select("age", "items").rows(), strict=True):
        shown = items_of(cell)
        for item in items_of(original["items"][row]):
            node = item if item in shown else f"{item[0]}**" if f"{item[0]}**" in shown else ""
            assert seen.setdefault((age, item), node) == node
        assert {item for item in shown if not item.endswith("*")} <= items_of(original["items"][row])


def test_the_order_of_rows_and_of_items_changes_nothing() -> None:
    table, secret = people(80), bytes(range(32))
    turned = table.with_columns(pl.col("items").str.split(";").list.reverse().list.join("; ;"))
    turned = turned.sample(fraction=1.0, shuffle=True, seed=3)
    one, other = (shoal.anonymize(each, secret=secret, **PREFIX, **asked()).table for each in (table, turned))
    assert one.equals(other)


def test_without_other_quasi_identifiers_the_whole_table_is_one_group(tmp_path: Path) -> None:
    release = shoal.anonymize(people().select("items"), set="items", k=5, **PREFIX)
    assert release.certificate.n_groups == 1
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert not (tmp_path / "out.private" / "plan.json").exists()
    with pytest.raises(ParameterError, match="sets alone has no plan"):
        _ = release.plan


def test_groups_are_joined_where_that_keeps_more_items() -> None:
    table = people(400)
    kept = shoal.anonymize(table, **PREFIX, **asked(publication="generalize"))
    small = shoal.anonymize(table, **PREFIX, **asked(publication="generalize", method="full-domain"))
    assert any("to keep more items" in note for note in kept.partition.notes)
    assert kept.loss.sets[0].lost < 0.9
    assert small.findings.holds


@pytest.mark.parametrize("file_type", ["csv", "parquet", "xlsx", "arrow"])
def test_every_format_is_written_read_back_and_verified(file_type: str, tmp_path: Path) -> None:
    release = shoal.anonymize(people(80), **PREFIX, **asked())
    release.write(tmp_path / "out", format=file_type)
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.read_release(tmp_path / "out") is not None


def test_people_are_counted_and_their_rows_are_known_together() -> None:
    chance = np.random.default_rng(5)
    table = people(120).with_columns(pl.Series("who", chance.integers(0, 50, 120)))
    release = shoal.anonymize(table, person="who", **PREFIX, **asked(k=3))
    claim = next(one for one in release.findings.claims if one.criterion == "km-anonymity")
    assert claim.unit == "people"
    assert claim.measured >= 3
    joined = release.table.group_by("age", "who").agg(pl.col("items").drop_nulls().str.join(";"))
    assert rarest(joined, 2) >= 3


def test_people_who_are_published_alike_have_their_items_counted_together() -> None:
    chance = np.random.default_rng(6)
    table = people(120).with_columns(pl.Series("who", chance.integers(0, 50, 120)))
    release = shoal.anonymize(table, person="who", consistent=True, **PREFIX, **asked(k=3))
    assert release.findings.holds
    joined = release.table.group_by("age", "who").agg(pl.col("items").drop_nulls().str.join(";"))
    assert rarest(joined, 2) >= 3
    alone = shoal.anonymize(table.select("items", "who"), set="items", person="who", consistent=True, k=3, **PREFIX)
    assert alone.findings.holds


def test_lists_are_sets() -> None:
    table = people(60)
    lists = table.with_columns(pl.col("items").str.split(";"))
    secret = bytes(range(32))
    texts = shoal.anonymize(table, secret=secret, **asked())
    for frame in (lists, lists.to_arrow(), pd.DataFrame(lists.to_dict(as_series=False))):
        release = shoal.anonymize(frame, secret=secret, **asked())
        assert sorted(map(str, release.published.frame["items"])) == sorted(map(str, texts.table["items"]))
    by_itself = shoal.anonymize(lists, quasi=["age", "items"], other="town", publish_rare="town", k=4)
    assert by_itself.policy.set_column == "items"
    with pytest.raises(SchemaError, match="contain ;"):
        shoal.anonymize(pl.DataFrame({"items": [["a;b"], ["c"]]}), set="items", k=2)


def test_empty_missing_and_rare_cells_are_published_alike() -> None:
    cells = ["a"] * 5 + ["", None, " ; ", "rare"]
    release = shoal.anonymize(pl.DataFrame({"items": cells}), set="items", k=3)
    assert sorted(map(str, release.table["items"])) == ["None"] * 4 + ["a"] * 5


def test_suppressed_rows_count_as_lost_and_shape_nothing() -> None:
    release = shoal.anonymize(people(150), max_suppressed=0.1, **PREFIX, **asked(publication="generalize"))
    lost = release.loss.sets[0]
    assert lost.n_items == sum(len(items_of(cell)) for cell in people(150)["items"])
    assert lost.kept + lost.generalized + lost.dropped == lost.n_items
    assert rarest(release.table, 2) >= 4


def test_a_plan_recodes_items_anew_and_keeps_the_requirement() -> None:
    plan = shoal.anonymize(people(200), **PREFIX, **asked(publication="generalize")).plan
    later = shoal.apply(plan, people(200, seed=9), max_suppressed=0.9)
    assert rarest(later.table, 2) >= 4


def test_compare_attack_and_report_take_sets(tmp_path: Path) -> None:
    table = people(120)
    found = shoal.compare(table, k=[3, 5], m=1, **PREFIX, **{k: v for k, v in asked().items() if k != "k"})
    assert [trial.requirement for trial in found.trials] == ["m = 1", "m = 1"]
    assert found.trials[0].loss <= found.trials[1].loss + 0.05
    release = shoal.anonymize(table, **PREFIX, **asked(publication="generalize"))
    attacked = shoal.attack(table, release.table, release.policy)
    assert attacked.singled.columns
    html = release.to_html()
    assert "Items kept" in html
    assert "Known items of items" in html
    assert "items still exact" in str(release)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 200}, "200"),
        ({"publication": "centers"}, "one row per group"),
        ({"m": 4}, "m"),
        ({"population": 1000}, "combinations of items"),
        ({"set": {"items": ";", "town": ";"}, "other": None}, "only one quasi-identifier can be a set"),
        ({"round_ranges": {"items": 10}}, "does not belong to kind"),
        ({"hierarchy": {"items": {"widths": [5]}}}, "from a file or by prefix"),
    ],
)
def test_what_sets_cannot_have_is_refused_in_a_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ShoalError, match=said):
        shoal.anonymize(people(60), **(asked() | settings))


@pytest.mark.parametrize("hierarchy", [{}, PREFIX])
def test_attackers_read_a_cell_as_items_that_a_person_has_and_may_have_besides(hierarchy: dict[str, Any]) -> None:
    table = people(80)
    release = shoal.anonymize(table, secret=bytes(32), **asked(publication="generalize"), **hierarchy)
    column = set_column("items", release.table["items"], table["items"], release.policy.columns["items"])
    everybody = np.arange(80)
    apart = column.apart(everybody)
    for row, cell in enumerate(release.table["items"]):
        shown, place = items_of(cell), int(column.of_row[row])
        fits = column.covers(place, everybody)
        for person, own in enumerate(map(items_of, table["items"])):
            has = all(
                item in own or (hierarchy and any(one[:1] == item.rstrip("*") for one in own)) for item in shown
            )
            assert fits[person] == has
            assert (apart[person, place] == UNIT) >= (not has)
            if has and not hierarchy:
                assert apart[person, place] == round(UNIT * (1 - (1 + len(shown)) / (1 + len(own))))
    # k and m speak of few items, so all quasi-identifiers besides sets are asked, and then everything
    found = shoal.attack(table, release.table, release.policy, people=80).questions
    assert found is not None
    asked_of = {one.column for one in found.answers if one.name == "inference"}
    assert asked_of == {"age", "town"}
    linked = {one.known: one.how for one in found.answers if one.name == "linkability"}
    assert "items" in linked["published"]


def test_whoever_knows_the_whole_sets_singles_people_out_of_a_release_with_means() -> None:
    """Nothing is promised of who knows more than m items, and the evidence shows it."""
    chance = np.random.default_rng(1)
    wide = [";".join(chance.choice(CODES, 9, replace=False)) for _ in range(150)]
    rows = people(150).with_columns(items=pl.Series(wide))
    with_sets = shoal.attack(rows, rows.drop("town"), {**SETS, "k": 2, "columns": SETS["columns"] | TOWN}).questions
    assert with_sets is not None
    rates = {one.known: one.success.rate for one in with_sets.answers if one.name == "singling out"}
    assert rates["published"] > 0.9 > rates["quasi"]


@pytest.mark.parametrize("variant", ["marginals", "copula"])
def test_synthetic_rows_deal_whole_sets_out_anew_within_their_group(variant: str, tmp_path: Path) -> None:
    """So every group keeps its sets, and an item is shared by as many rows as in the release."""
    given = asked(synthetic=variant, publication="generalize") | PREFIX
    release = shoal.anonymize(people(), secret=bytes(32), **given)
    made = release.synthetic_rows()
    assert made.columns == ["age", "items", "town"]
    before, after = (
        pl.DataFrame({"group": release.table["age"], "items": cells}).group_by("group", "items").len().sort(pl.all())
        for cells in (release.table["items"], made["items"])
    )
    assert before.equals(after)
    assert not made["items"].equals(release.table["items"])
    release.write(tmp_path / "out", format="csv")
    assert shoal.verify(tmp_path / "out").holds
    forged = pl.read_csv(tmp_path / "out" / "synthetic.csv").with_columns(
        items=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("E00;J05;J04;I01")).otherwise("items")
    )
    forged.write_csv(tmp_path / "out" / "synthetic.csv")
    failures = shoal.verify(tmp_path / "out").failures
    assert any("groups have other values of items" in one.message for one in failures)


def test_a_sequence_and_requirements_on_sensitive_sets_are_refused_with_the_way_out() -> None:
    table = people(60).with_columns(id=pl.int_range(60).cast(pl.String))
    with pytest.raises(ParameterError, match="several releases of its items"):
        shoal.anonymize(table, identifier="id", link="id", **asked())
    sensitive: dict[str, Any] = {"k": 4, "columns": {"age": {"role": "quasi"}, "town": {"role": "other"}}}
    sensitive["columns"]["items"] = {"role": "sensitive", "kind": "set"}
    with pytest.raises(ParameterError, match="one row per item"):
        shoal.anonymize(people(60), sensitive | {"diversity": {"l": 2}})
    plain = shoal.anonymize(people(60), sensitive, publish_rare=["town", "items"])
    assert sorted(map(str, plain.table["items"])) == sorted(map(str, people(60)["items"]))
    with pytest.raises(ParameterError, match='no quasi-identifier has kind = "set"'):
        shoal.anonymize(people(60), quasi=["age"], other=["town", "items"], m=2)


def test_a_separator_of_ones_own_is_read_and_written() -> None:
    chance = np.random.default_rng(2)
    cells = [" | ".join(chance.choice(["E01", "I02", "J03"], 2)) for _ in range(60)]
    table = people(60).with_columns(pl.Series("items", cells))
    release = shoal.anonymize(table, **asked(set={"items": "| "}, publication="generalize", k=3), **PREFIX)
    shown = release.table["items"].drop_nulls()
    several = shown.filter(shown.str.contains("| ", literal=True))
    assert len(several)
    assert not several.str.contains(";").any()
    assert "separator" in release.certificate.policy["columns"]["items"]


def test_a_hierarchy_whose_names_hold_the_separator_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "above.csv"
    path.write_text("".join(f"{code},{code[0]};x,*\n" for code in CODES), encoding="utf-8")
    with pytest.raises(SchemaError, match="contain the separator"):
        shoal.anonymize(people(60), **asked(), hierarchy={"items": path})


def test_the_dossier_says_that_items_are_known(tmp_path: Path) -> None:
    shoal.anonymize(people(60), **PREFIX, **asked()).write(tmp_path / "out")
    shoal.dossier(tmp_path / "out", tmp_path / "dossier.html")
    assert "2 items of items" in (tmp_path / "dossier.html").read_text(encoding="utf-8")
