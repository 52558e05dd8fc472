"""Each form, on tables small enough to check by eye."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import SchemaError
from shoal.partition.result import Partition
from shoal.policy import Policy
from shoal.publish import Published, publish
from shoal.publish.generalize import tree_nodes
from shoal.publish.group_values import sets
from shoal.space.hierarchy_sources import build_tree
from tests.fixed_secret import SECRET, secret

TABLE = pl.DataFrame(
    {
        "name": ["a", "b", "c", "d", "e", "f"],
        "age": [30, 34, 31, 60, None, None],
        "born": [date(1990, 1, 1), date(1990, 1, 5), date(1990, 1, 3), date(1960, 6, 1), date(1960, 6, 1), None],
        "town": ["Ulm", "Bonn", "Ulm", "Köln", "Köln", None],
        "grade": ["low", "mid", "low", "high", "high", "high"],
        "ill": ["flu", "flu", "cold", "cold", "flu", None],
        "note": ["x", "y", "z", "u", "v", "w"],
    }
)
LABELS = np.array([0, 0, 0, 1, 1, 1])


def policy(**changes: object) -> Policy:
    settings: dict[str, object] = {
        "k": 3,
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi", "kind": "number"},
            "born": {"role": "quasi", "kind": "date"},
            "town": {"role": "quasi", "kind": "label"},
            "grade": {"role": "quasi", "kind": "ordered", "order": ["low", "mid", "high"]},
            "ill": {"role": "sensitive"},
            "note": {"role": "other"},
        },
    }
    return Policy.parse(settings | changes)


def released(form: str, labels: np.ndarray = LABELS, table: pl.DataFrame = TABLE, **changes: object) -> Published:
    partition = Partition(labels=labels, method="by hand", objective="none", cost=0.0)
    return publish(table, policy(**changes), partition, {}, form=form, secret=SECRET)


def classes(found: Published, *columns: str) -> set[tuple[object, ...]]:
    return set(found.frame.select(columns).rows())


def test_generalize_writes_ranges_sets_and_orders() -> None:
    found = released("generalize")
    assert classes(found, "age", "born", "town", "grade") == {
        ("[30, 34]", "[1990-01-01, 1990-01-05]", "{Bonn, Ulm}", "[low, mid]"),
        ("60 or missing", "1960-06-01 or missing", "{Köln} or missing", "high"),
    }


def test_loss_is_the_share_of_the_range_or_of_the_labels_and_half_of_it_and_a_half_with_missing_values() -> None:
    age, _, town, grade = released("generalize").columns
    assert age.loss.tolist() == pytest.approx([4 / 30, 1 / 2])
    assert town.loss.tolist() == pytest.approx([2 / 4, 2 / 4])
    assert grade.loss.tolist() == pytest.approx([1 / 2, 0.0])


def test_ranges_can_be_two_columns_of_numbers() -> None:
    found = released("generalize", ranges="columns")
    assert found.frame.schema["age_min"] == pl.Int64
    assert classes(found, "age_min", "age_max", "age_missing") == {(30, 34, False), (60, 60, True)}
    assert found.frame.columns[:3] == ["age_min", "age_max", "age_missing"]


def test_a_column_that_says_what_is_missing_is_there_only_if_something_is() -> None:
    there = released(
        "generalize", table=TABLE.with_columns(age=pl.Series([30, 34, 31, 60, 61, 62])), ranges="columns"
    )
    assert [name for name in there.frame.columns if name.startswith("age")] == ["age_min", "age_max"]
    alone = released("generalize", labels=np.array([0, 0, 0, 1, 2, 2]), ranges="columns")
    assert classes(alone, "age_min", "age_max", "age_missing") == {
        (30, 34, False),
        (60, 60, False),
        (None, None, True),
    }


def test_ranges_of_an_order_and_nodes_of_a_hierarchy_say_or_missing() -> None:
    table = TABLE.with_columns(
        grade=pl.Series(["low", "mid", None, "high", None, "high"]),
        town=pl.Series(["a1", "a2", None, "b1", "c9", None]),
    )
    asked = policy().model_dump(exclude_none=True)
    asked["columns"]["town"] = {"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}}
    known = Policy.parse(asked)
    tree = build_tree(table["town"], known.columns["town"].hierarchy)
    partition = Partition(labels=LABELS, method="by hand", objective="none", cost=0.0)
    found = publish(table, known, partition, {"town": tree}, form="generalize", secret=SECRET)
    assert classes(found, "town", "grade") == {("a* or missing", "[low, mid] or missing"), ("*", "{high} or missing")}
    town, grade = found.columns[2:]
    assert town.loss.tolist() == [1, 1]
    assert grade.loss.tolist() == pytest.approx([(1 / 2 + 1) / 2, 1 / 2])
    inside = [town.members[town.member_start[c] : town.member_start[c + 1]].tolist() for c in town.cell.tolist()]
    assert [[town.domain[code] for code in codes] for codes in inside] == [
        ["a1", "a2", None],
        ["a1", "a2", "b1", "c9", None],
    ]


def test_a_value_that_reads_like_one_or_missing_is_not_taken_for_it(tmp_path: Path) -> None:
    odd = ["x or missing", "{x} or missing", "[x, y] or missing"]
    table = pl.DataFrame({"q": [*odd, "x", *odd[1:]], "g": [*odd, "x", "x", None]})
    asked = Policy.parse({"k": 1 + 1, "columns": {n: {"role": "quasi", "kind": "label"} for n in "qg"}})
    partition = Partition(labels=np.array([0, 1, 2, 3, 1, 2]), method="by hand", objective="none", cost=0.0)
    found = publish(table, asked, partition, {}, form="generalize", secret=SECRET)
    assert found.columns[0].published["q"].to_list() == [
        "x or missing",
        '{"{x} or missing"}',
        '{"[x, y] or missing"}',
        "x",
    ]
    file = tmp_path / "nodes.csv"
    file.write_text("x;x or missing;*\ny;x or missing;*\nz;w;*\n", encoding="utf-8")
    values = pl.Series("h", ["x", "y", None, "z"])
    source = Policy.parse({"columns": {"h": {"role": "quasi", "hierarchy": str(file)}}}).columns["h"].hierarchy
    assert source is not None
    tree = build_tree(values, source)
    labels = np.array([0, 0, 0, 1])
    assert tree_nodes("h", tree, tree.ranks(values), labels, 2).published["h"].to_list() == ["*", "z"]


def test_suppress_keeps_what_the_group_agrees_on() -> None:
    assert classes(released("suppress"), "age", "born", "town", "grade") == {
        ("*", "*", "*", "*"),
        ("*", "*", "*", "high"),
    }


def test_aggregate_keeps_numbers_and_dates() -> None:
    found = released("aggregate")
    assert found.frame.schema["age"] == pl.Int64
    assert found.frame.schema["born"] == pl.Date
    assert classes(found, "age", "born", "town", "grade") == {
        (32, date(1990, 1, 3), "Ulm", "low"),
        (60, date(1960, 6, 1), "Köln", "high"),
    }


@pytest.mark.parametrize("form", ["aggregate", "centers"])
def test_a_mean_says_how_many_values_of_its_group_are_missing(form: str, tmp_path: Path) -> None:
    assert classes(released(form), "age", "age_missing", "born_missing") == {(32, 0, 0), (60, 2, 1)}
    whole = TABLE.with_columns(age=pl.Series([30, 34, 31, 60, 61, 62]))
    assert "age_missing" not in released(form, table=whole).frame.columns
    alone = released(form, labels=np.array([0, 0, 0, 0, 1, 1]))
    assert (None, 2) in classes(alone, "age", "age_missing")


def test_a_column_called_like_the_one_that_counts_missing_values_stays_a_column() -> None:
    table = pl.DataFrame({"age": [20, 21, 60, 61], "age_missing": ["u", "v", "w", "x"]})
    columns = {"age": {"role": "quasi", "kind": "number"}, "age_missing": {"role": "other", "publish_rare": True}}
    for form in ("aggregate", "generalize"):
        asked = {"k": 2, "publication": form, "ranges": "columns", "columns": columns}
        release = shoal.anonymize(table, asked)
        assert release.certificate.holds
        assert shoal.verify(release.table, asked).k == 2
        with pytest.raises(SchemaError, match="age_missing"):
            shoal.anonymize(table.with_columns(age=pl.Series([20, 21, None, 61])), asked)


def test_centers_give_one_row_per_group_with_its_people_and_multiset() -> None:
    found = released("centers")
    assert found.frame.height == 2
    assert classes(found, "people", "ill") == {(3, "cold: 1; flu: 2"), (3, "cold: 1; flu: 1; null: 1")}


def test_identifiers_leave_and_all_rows_stay_in_their_groups() -> None:
    found = released("generalize")
    assert "name" not in found.frame.columns
    assert found.frame.columns == ["age", "born", "town", "grade", "ill", "note"]
    for form_row, row in enumerate(found.rows.tolist()):
        assert found.frame["note"][form_row] == TABLE["note"][row]
        assert found.groups[form_row] == LABELS[row]


def test_suppressed_rows_are_not_released() -> None:
    found = released("generalize", labels=np.array([0, 0, 0, -1, -1, -1]))
    assert sorted(found.frame["note"]) == ["x", "y", "z"]


def test_order_of_release_does_not_follow_the_input() -> None:
    """Positions in the release and in the input are as good as independent; the seed alone decides them."""
    n = 4000
    table = pl.DataFrame({"q": np.zeros(n), "row": np.arange(n)})
    asked = Policy.parse({"columns": {"q": {"role": "quasi", "kind": "number"}, "row": {"role": "other"}}})
    labels = np.repeat(np.arange(n // 5), 5)
    partition = Partition(labels=labels, method="by hand", objective="none", cost=0.0)
    one, again, two = (
        publish(table, asked, partition, {}, form="generalize", secret=secret(s)).frame["row"] for s in (1, 1, 2)
    )
    assert one.equals(again)
    assert not one.equals(two)
    assert abs(np.corrcoef(np.arange(n), one.to_numpy())[0, 1]) < 0.1
    inside = one.to_numpy().reshape(-1, 5) % 5
    assert abs(np.corrcoef(np.tile(np.arange(5), n // 5), inside.ravel())[0, 1]) < 0.1


def test_people_are_numbered_within_groups_only() -> None:
    table = pl.DataFrame({"id": ["p", "q", "p", "r", "p", "q"], "age": [1, 1, 1, 9, 9, 9]})
    asked = Policy.parse({"k": 2, "columns": {"id": {"role": "person"}, "age": {"role": "quasi", "kind": "number"}}})
    partition = Partition(labels=np.array([0, 0, 0, 1, 1, 1]), method="by hand", objective="none", cost=0.0)
    found = publish(table, asked, partition, {}, form="generalize", secret=SECRET)
    people = dict(found.frame.group_by("age").agg(pl.col("id").sort()).rows())
    assert people["1"] in ([1, 1, 2], [1, 2, 2])
    assert people["9"] == [1, 2, 3]


def test_a_name_that_the_form_needs_is_refused() -> None:
    table = TABLE.rename({"note": "people"})
    columns = policy().model_dump(exclude_unset=True)["columns"]
    columns["people"] = columns.pop("note")
    with pytest.raises(SchemaError, match="people"):
        released("centers", table=table, columns=columns)


def test_hostile_labels_read_back_to_one_set() -> None:
    table = pl.DataFrame({"q": ["a, b", "c", "a", "b", "null", None, '"', " x"], "o": list("abcdefgh")})
    asked = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "kind": "label"}, "o": {"role": "other"}}})
    partition = Partition(labels=np.repeat(np.arange(4), 2), method="by hand", objective="none", cost=0.0)
    texts = set(publish(table, asked, partition, {}, form="generalize", secret=SECRET).frame["q"])
    assert texts == {'{"a, b", c}', "{a, b}", '{"null"} or missing', '{" x", "\\""}'}


def test_the_median_of_an_order_is_that_of_the_cells_that_are_there() -> None:
    table = TABLE.with_columns(grade=pl.Series(["low", "mid", None, "high", None, None]))
    assert classes(released("aggregate", table=table), "grade") == {("low",), (None,)}


def test_a_hierarchy_is_published_as_the_leaf_nearest_to_all() -> None:
    table = TABLE.with_columns(town=pl.Series(["a1", "a2", "a3", "b1", "b1", "c9"]))
    asked = policy().model_dump(exclude_none=True)
    asked["columns"]["town"] = {"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}}
    known = Policy.parse(asked)
    tree = build_tree(table["town"], known.columns["town"].hierarchy)
    for labels, town in ((np.array([0, 0, 0, 0, 0, 0]), "a1"), (np.array([0, 1, 1, 0, 0, 1]), "b1")):
        partition = Partition(labels=labels, method="by hand", objective="none", cost=0.0)
        found = publish(table, known, partition, {"town": tree}, form="aggregate", secret=SECRET)
        assert found.columns[2].published["town"][0] == town


@pytest.mark.parametrize("seed", range(5))
def test_groups_with_equal_sets_share_a_cell(seed: int) -> None:
    chance = np.random.default_rng(seed)
    labels = np.repeat(np.arange(40), chance.integers(1, 4, 40))
    codes = chance.integers(0, 3, len(labels))
    which, different = sets(("a", "b", "c"), codes, labels, 40).different()
    assert [different[place].tolist() for place in which] == [sorted(set(codes[labels == g])) for g in range(40)]
    assert len({tuple(own) for own in different}) == len(different) == which.max() + 1


@pytest.mark.parametrize(("form", "own"), [("centers", "people"), ("generalize", "age_min")])
def test_a_column_of_the_release_is_never_called_as_an_identifier(form: str, own: str) -> None:
    columns = {own if name == "name" else name: column for name, column in policy().columns.items()}
    asked = policy().model_copy(update={"columns": columns, "ranges": "columns"})
    partition = Partition(labels=LABELS, method="by hand", objective="none", cost=0.0)
    with pytest.raises(SchemaError, match=f"would add a column named {own}, which is also the name of an identifier"):
        publish(TABLE.rename({"name": own}), asked, partition, {}, form=form, secret=SECRET)
