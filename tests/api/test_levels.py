"""The finest and the coarsest level of a hierarchy that is published."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, SchemaError, ShoalError
from tests.fixed_secret import SECRET

N = 120
RNG = np.random.default_rng(4)
TABLE = pl.DataFrame(
    {
        "zip": [f"{code:05}" for code in RNG.choice([10115, 10117, 10243, 10245, 20095, 20097, 80331], N)],
        "age": RNG.integers(20, 60, N),
        "born": [dt.date(1960, 1, 1) + dt.timedelta(int(day)) for day in RNG.integers(0, 9000, N)],
        "ill": RNG.choice(["flu", "gout", "cold"], N).tolist(),
    }
)
SOURCES: dict[str, dict[str, Any]] = {
    "zip": {"prefix": True},
    "age": {"widths": [5, 10, 20]},
    "born": {"periods": ["month", "quarter", "year"]},
}


def policy(name: str, **settings: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        one: {"role": "quasi", "hierarchy": source} if one == name else {"role": "quasi"}
        for one, source in SOURCES.items()
    }
    columns[name] |= settings
    columns["ill"] = {"role": "sensitive"}
    return {"k": 3, "publication": "generalize", "columns": columns}


CODE: dict[str, Any] = {"role": "quasi", "hierarchy": {"prefix": True}}
FINE = {"zip": r"^\d{5}$", "age": r"^\d+$", "born": r"^\d{4}-\d\d-\d\d"}


@pytest.mark.parametrize("name", ["zip", "age", "born"])
def test_nothing_finer_than_the_least_level_is_published(name: str, tmp_path) -> None:
    asked = policy(name, least_level=1)
    release = shoal.anonymize(TABLE, asked, secret=SECRET)
    assert release.findings.holds
    assert not release.table[name].str.contains(FINE[name]).any()
    (lost,) = release.loss.recoded
    assert (lost.name, lost.least_level, lost.lost > 0) == (name, 1, True)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    later = shoal.apply(tmp_path / "out.private" / "plan.json", TABLE.sample(fraction=1.0, shuffle=True, seed=1))
    assert not later.table[name].str.contains(FINE[name]).any()
    assert (later.findings.holds, later.loss.suppressed_rows) == (True, 0)
    assert not shoal.attack(TABLE, release.table, asked, people=N).exceeds


def test_the_least_level_is_that_of_values_recoded_by_hand() -> None:
    """Codes of which the last character is masked before are in the same groups, at the same cost."""
    asked = {
        "k": 5,
        "publication": "generalize",
        "columns": {"zip": CODE},
    }
    masked = TABLE.select(pl.col("zip").str.slice(0, 4) + "*")
    column = CODE | {"least_level": 1}
    one = shoal.anonymize(TABLE.select("zip"), asked | {"columns": {"zip": column}}, secret=SECRET)
    other = shoal.anonymize(masked, asked | {"columns": {"zip": column}}, secret=SECRET)
    assert one.partition.labels.tolist() == other.partition.labels.tolist()
    assert one.table.equals(other.table)
    assert one.loss.gcp == other.loss.gcp


def test_a_least_level_of_a_file_names_its_nodes(tmp_path) -> None:
    lines = ["a,north,all", "b,north,all", "c,south,all", "d,south,all"]
    (tmp_path / "h.csv").write_text("\n".join(lines))
    table = pl.DataFrame({"place": [*"aabbccdd", None, None, None] * 2})
    column = {"role": "quasi", "hierarchy": str(tmp_path / "h.csv"), "least_level": 1}
    release = shoal.anonymize(table, {"k": 4, "columns": {"place": column}})
    assert set(release.table["place"]) == {"north", "south", None}
    assert release.loss.gcp == 0
    assert release.loss.columns[0].exact == pytest.approx(3 / 11)  # only what is missing is as it was
    assert release.loss.recoding == pytest.approx(8 / 11 * 2 / 5)
    with pytest.raises(SchemaError, match="least_level is 3, and its hierarchy has levels up to 2"):
        shoal.anonymize(table, {"k": 4, "columns": {"place": column | {"least_level": 3}}})


@pytest.mark.parametrize("name", ["zip", "age", "born"])
def test_nothing_coarser_than_the_greatest_level_is_published(name: str) -> None:
    level = {"zip": 3, "age": 2, "born": 3}[name]
    asked = policy(name, greatest_level=level) | {"max_suppressed": 0.5}
    release = shoal.anonymize(TABLE, asked, secret=SECRET)
    assert release.findings.holds
    column = next(one for one in release.published.columns if one.name == name)
    assert column.level is not None
    assert column.level.max() <= level
    assert not (release.table[name] == "*").any()
    if name == "age":
        wide = (
            release.table["age"].str.extract_groups(r"\[(\d+), (\d+)\)").struct.unnest().cast(pl.Int64).drop_nulls()
        )
        assert (wide.to_series(1) - wide.to_series(0)).max() <= 10


def test_rows_that_need_more_than_the_greatest_level_are_left_out_or_the_run_says_so() -> None:
    table = pl.DataFrame({"zip": ["10115"] * 6 + ["10117"] * 3 + ["20095"] * 2, "ill": ["a", "b"] * 5 + ["a"]})
    columns = {
        "zip": CODE | {"greatest_level": 1},
        "ill": {"role": "sensitive"},
    }
    asked = {"k": 3, "publication": "generalize", "columns": columns}
    with pytest.raises(InfeasibleError, match=r"^2 of 11 rows cannot be .* greatest_level of zip, and 0 may"):
        shoal.anonymize(table, asked)
    release = shoal.anonymize(table, asked | {"max_suppressed": 0.2})
    assert release.loss.suppressed_rows == 2
    assert set(release.table["zip"]) == {"10115", "10117"}
    with pytest.raises(InfeasibleError):
        shoal.anonymize(table, asked | {"k": 20, "max_suppressed": 0.9})


def test_with_blocks_the_bound_is_below_the_cost_and_the_cost_is_the_loss() -> None:
    columns = policy("zip", greatest_level=3)["columns"]
    release = shoal.anonymize(TABLE, {"k": 3, "publication": "generalize", "columns": columns})
    assert 0 < release.partition.lower_bound <= release.partition.cost
    assert release.partition.cost == pytest.approx(release.loss.gcp * N * 3)


def test_people_with_several_rows_may_be_in_several_blocks() -> None:
    table = TABLE.with_columns(who=pl.Series([f"p{n // 3}" for n in range(N)]))
    asked = policy("zip", greatest_level=3)
    asked["columns"]["who"] = {"role": "person"}
    release = shoal.anonymize(table, asked | {"diversity": {"l": 2}, "max_suppressed": 0.3})
    assert release.findings.holds
    assert release.findings.k >= 3


WRONG = [
    ({"zip": {"role": "quasi", "kind": "label", "least_level": 1}}, {}, "with a hierarchy"),
    ({"zip": {"role": "sensitive", "hierarchy": {"prefix": True}, "least_level": 1}}, {}, "with a hierarchy"),
    ({"zip": CODE | {"least_level": 3, "greatest_level": 2}}, {}, "not be below"),
    ({"zip": CODE | {"least_level": -1}}, {}, "greater than or equal to 0"),
    ({"zip": CODE | {"least_level": 9}}, {}, "levels up to 4"),
    ({"zip": CODE | {"least_level": 1}}, {"publication": "aggregate"}, "has none"),
    ({"zip": CODE | {"greatest_level": 1}}, {"method": "full-domain"}, "cannot keep"),
    ({"zip": CODE | {"greatest_level": 1}}, {"closeness": {"t": 0.5}}, "as t asks"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "more", "sentence"), WRONG)
def test_wrong_levels_get_one_sentence(columns: dict[str, Any], more: dict[str, Any], sentence: str) -> None:
    asked = policy("zip")["columns"] | columns
    with pytest.raises(ShoalError, match=sentence):
        shoal.anonymize(TABLE, {"k": 3, "publication": "generalize", "columns": asked} | more)


def test_full_domain_keeps_a_least_level() -> None:
    release = shoal.anonymize(
        TABLE.select("zip"),
        {
            "k": 2,
            "method": "full-domain",
            "columns": {"zip": CODE | {"least_level": 2}},
        },
    )
    assert release.table["zip"].str.contains(r"^\d{1,3}\*+$").all()


def test_a_least_level_of_a_column_without_a_value(tmp_path) -> None:
    table = pl.DataFrame({"age": pl.Series([None] * 6, dtype=pl.Int16), "sex": ["f", "m"] * 3})
    column = {"role": "quasi", "hierarchy": {"widths": [5, 10]}, "least_level": 1}
    release = shoal.anonymize(table, {"k": 3, "columns": {"age": column, "sex": {"role": "quasi"}}})
    release.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release").holds
