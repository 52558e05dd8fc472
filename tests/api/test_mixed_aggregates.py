"""Means, medians and modes of mixed tables: groups are made for what is published, and what is published holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError

GRADES = ["low", "mid", "high"]
ROLES = {
    "age": {"role": "quasi", "kind": "number"},
    "town": {"role": "quasi", "kind": "label", "publish_rare": True},
    "grade": {"role": "quasi", "kind": "ordered", "order": GRADES},
    "zip": {"role": "quasi", "hierarchy": {"prefix": True}, "publish_rare": True},
    "ill": {"role": "sensitive"},
}


def people(n: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, n)
    return pl.DataFrame(
        {
            "age": 20 + 10 * kind + rng.integers(0, 9, n),
            "town": np.array(["Ulm", "Bonn", "Köln", "Jena"])[(kind + (rng.random(n) < 0.2)) % 4],
            "grade": np.array(GRADES)[np.clip(kind - rng.integers(0, 2, n), 0, 2)],
            "zip": np.char.add("0", (100 + 100 * kind + rng.integers(0, 30, n)).astype(str)),
            "ill": np.array(["flu", "gout"])[rng.integers(0, 2, n)],
        }
    )


def lost(column: pl.Series, released: pl.Series) -> float:
    """What a column lost, by the definition on the page on measures, per record and share of the whole."""
    x, y = column.to_list(), released.to_list()
    if column.name == "age":
        return float(np.square(np.array(x) - np.array(y)).sum() / np.square(np.array(x) - np.mean(x)).sum())
    if column.name == "town":
        return sum(a != b for a, b in zip(x, y, strict=True)) / (len(x) - column.value_counts()["count"].max())
    if column.name == "grade":
        ranks = np.array([GRADES.index(a) for a in x])
        to = np.array([GRADES.index(b) for b in y])
        return float(np.abs(ranks - to).sum() / np.abs(ranks - np.median(ranks)).sum())

    def level(a: str, b: str) -> int:
        return next((h for h in range(4) if a[: 4 - h] == b[: 4 - h]), 4)

    return sum(map(level, x, y)) / min(sum(level(a, b) for a in x) for b in set(x))


@pytest.mark.parametrize("method", ["auto", "mdav", "mst-d"])
def test_the_release_loses_what_the_partition_says_and_is_verified(method: str) -> None:
    table = people(300)
    release = shoal.anonymize(table, {"k": 4, "publication": "aggregate", "method": method, "columns": ROLES}, seed=1)
    assert release.certificate.holds
    assert release.findings.k >= 4
    assert release.partition.objective == "loss"
    assert release.partition.ratio_proved is None
    assert 0 < release.partition.lower_bound < release.partition.cost
    rows = release.order[release.published.rows]
    kept = table[rows.tolist()].with_columns(group=release.published.groups)
    exact = release.table.with_columns(age=kept.select(pl.col("age").mean().over("group")).to_series())
    by_hand, published = (
        sum(lost(kept[name], shown[name]) for name in ("age", "town", "grade", "zip"))
        for shown in (exact, release.table)
    )
    assert release.partition.cost == pytest.approx(by_hand * len(table), rel=1e-9)
    assert by_hand < published < by_hand + 0.25 / table["age"].var(ddof=0)  # a mean is rounded by less than a half
    assert set(release.table["town"]) <= set(table["town"])
    assert set(release.table["zip"]) <= set(table["zip"])
    assert release.table.schema == table.schema


def test_groups_made_for_aggregates_lose_less_than_groups_made_for_ranges() -> None:
    table = people(300)
    asked = {"k": 4, "publication": "aggregate", "columns": ROLES}
    made, other = shoal.anonymize(table, asked, seed=1), shoal.anonymize(table, asked, seed=1, method="forest")
    names = ("age", "town", "grade", "zip")
    of_made, of_other = (
        sum(lost(table[name][r.order[r.published.rows].tolist()], r.table[name]) for name in names)
        for r in (made, other)
    )
    assert of_made < 0.9 * of_other


def test_repaired_groups_still_tell_their_loss() -> None:
    asked = {"k": 4, "publication": "aggregate", "columns": ROLES, "diversity": {"l": 2}}
    release = shoal.anonymize(people(200), asked, seed=1)
    assert release.certificate.holds
    assert release.partition.cost >= release.partition.lower_bound > 0


def test_a_column_can_ask_for_another_aggregate() -> None:
    roles = ROLES | {"age": ROLES["age"] | {"aggregate": "median"}, "zip": ROLES["zip"] | {"aggregate": "mode"}}
    table = people(200)
    release = shoal.anonymize(table, {"k": 4, "publication": "aggregate", "columns": roles}, seed=1)
    rows = release.order[release.published.rows]
    for group in range(3):
        mine = rows[release.published.groups == group].tolist()
        shown = release.table.filter(pl.Series(release.published.groups == group))
        ages = sorted(table["age"][mine])
        assert shown["age"].unique().to_list() == [ages[(len(ages) - 1) // 2]]
        counts = table["zip"][mine].value_counts()
        assert counts.filter(pl.col("zip") == shown["zip"][0])["count"][0] == counts["count"].max()


def test_the_optimum_of_one_column_is_for_numbers() -> None:
    with pytest.raises(ParameterError, match="one column of numbers; not a number: town"):
        shoal.anonymize(people(30).select("town"), quasi=["town"], method="optimal", k=3)


@pytest.mark.parametrize("aggregate", ["mean", "median", "mode"])
def test_a_column_of_a_file_without_any_value_has_every_aggregate(aggregate: str, tmp_path: Path) -> None:
    """No cell says that it is a label: a median of it was refused, because a file without types gives texts."""
    (tmp_path / "people.csv").write_text("name,age\n" + "".join(f"person {row},\n" for row in range(5)))
    columns = {"name": {"role": "identifier"}, "age": {"role": "quasi", "aggregate": aggregate}}
    release = shoal.anonymize(tmp_path / "people.csv", {"k": 2, "columns": columns, "publication": "aggregate"})
    assert release.findings.holds
    assert release.table["age"].to_list() == [None] * 5
