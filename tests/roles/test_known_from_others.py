"""Sensitive columns that give people away though l holds: values that one row alone has, and functions of others."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report import plain_text, terminal
from tests.cli.running import shoal as command

N = 200


def stays() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    admitted = [dt.date(2024, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 300, N)]
    days = rng.integers(1, 30, N).tolist()
    return pl.DataFrame(
        {
            "age": rng.integers(20, 90, N),
            "admitted": admitted,
            "discharged": [day + dt.timedelta(days=n) for day, n in zip(admitted, days, strict=True)],
            "stay": days,
            "ward": rng.choice(["a", "b", "c", "d"], N),
            "salary": np.round(rng.uniform(1000, 9000, N), 2),
            "diagnosis": rng.choice(["flu", "asthma", "gout"], N),
        }
    )


def notes(table: pl.DataFrame, **roles: Any) -> list[str]:
    rest = [name for name in table.columns if not any(name in names for names in roles.values())]
    return list(shoal.anonymize(table, k=5, identifier=rest, effort=5, **roles).certificate.notes)


def about(found: list[str], *words: str) -> list[str]:
    return [note for note in found if all(word in note for word in words)]


def test_a_length_of_stay_is_named_as_the_difference_of_two_dates():
    found = notes(stays(), quasi=["age", "admitted", "discharged"], sensitive=["stay"])
    assert len(about(found, "stay", "discharged minus admitted", 'role = "quasi"')) == 1


def test_it_is_named_too_where_the_stay_gives_a_generalized_date_away():
    found = notes(stays(), quasi=["age", "admitted"], sensitive=["stay", "discharged"])
    assert about(found, "stay", "discharged", "admitted", "minus")


def test_sums_offsets_and_other_units_are_named():
    table = stays().with_columns(
        total=pl.col("age") + pl.col("stay"),
        born=2024 - pl.col("age"),
        months=12 * pl.col("age"),
        plus=pl.col("age") + 7,
    )
    assert about(notes(table, quasi=["age", "stay"], sensitive=["total"]), "total", "plus")
    for name in ("born", "months", "plus"):
        assert about(notes(table, quasi=["age"], sensitive=[name]), name, "age"), name
    assert about(notes(table, quasi=["age"], sensitive=["born"]), "is age and a fixed number")


def test_a_one_to_one_recode_and_a_value_that_follows_from_another_column_are_named():
    table = stays().with_columns(
        ward_code=pl.col("ward").replace_strict(["a", "b", "c", "d"], [4, 9, 1, 3]),
        wing=pl.col("ward").replace_strict(["a", "b", "c", "d"], ["n", "n", "s", "s"]),
    )
    assert about(notes(table, quasi=["age", "ward"], sensitive=["ward_code"]), "ward_code", "ward")
    assert about(notes(table, quasi=["age", "ward"], sensitive=["wing"]), "wing", "follows from ward")
    assert about(notes(table, quasi=["age", "wing"], sensitive=["ward"]), "wing", "can be read off ward")


def test_values_that_one_row_alone_has_are_named_with_counts_and_what_to_do():
    found = about(notes(stays(), quasi=["age"], sensitive=["salary"]), "salary", "of 200 rows", "round")
    assert len(found) == 1
    stamped = stays().with_columns(seen=pl.datetime(2024, 1, 1) + pl.duration(seconds=pl.int_range(pl.len()) * 7919))
    assert about(notes(stamped, quasi=["age"], sensitive=["seen"]), "seen", "of 200 rows")


def test_nothing_is_said_of_columns_that_are_independent_of_each_other():
    rng = np.random.default_rng(8)
    table = pl.DataFrame(
        {
            "age": rng.integers(20, 90, N),
            "zip": rng.integers(10, 40, N),
            "rare": rng.random(N) < 0.03,
            "rarer": (rng.random(N) < 0.02).astype(int),
            "flag": (rng.random(N) < 0.02).astype(int),
            "ill": rng.choice(["flu", "asthma"], N),
            "one": ["same"] * N,
            "count": np.where(rng.random(N) < 0.07, rng.integers(1, 9, N), 0),
            "visits": np.where(rng.random(N) < 0.15, rng.integers(1, 9, N), 0),
            "falls": np.where(rng.random(N) < 0.15, rng.integers(1, 9, N), 0),
        }
    )
    found = notes(
        table, quasi=["age", "zip", "rarer", "falls"], sensitive=["ill", "rare", "flag", "one", "count", "visits"]
    )
    assert not [
        note for note in found if "follows" in note or "read off" in note or "minus" in note or "plus" in note
    ]


def test_the_profile_asks_about_both(tmp_path: Path):
    table = stays().rename({"stay": "treatment"}).drop("age")
    asked = dict(shoal.profile(table).questions)
    assert "discharged minus admitted" in asked["treatment"]
    assert "rows" in asked["salary"]
    assert "round" in asked["salary"]
    table.write_csv(tmp_path / "stays.csv")
    shown = command("profile", str(tmp_path / "stays.csv"))
    assert "discharged minus admitted" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    "name",
    ["time_since_diagnosis", "days_to_treatment", "YearOfDiagnosis", "duration_of_illness", "Zeit_seit_Diagnose"],
)
def test_a_duration_is_not_sensitive_because_its_name_has_a_diagnosis(name: str):
    table = pl.DataFrame({name: [i % 37 for i in range(100)]})
    assert shoal.profile(table).columns[0].role == "quasi"


@pytest.mark.parametrize("written", ["2024-01-{:02}", "{:02}.01.2024"])
def test_nor_is_a_date(written: str):
    table = pl.DataFrame({"date_of_diagnosis": [written.format(1 + i % 28) for i in range(60)]})
    assert shoal.profile(table).columns[0].role == "quasi"


@pytest.mark.parametrize("name", ["diagnosis", "treatment", "disease_code", "time_since_diagnosis"])
def test_labels_and_codes_of_health_stay_sensitive(name: str):
    values = [["flu", "gout", "asthma", "copd"][i % 4] for i in range(80)]
    assert shoal.profile(pl.DataFrame({name: values})).columns[0].role == "sensitive"


def test_columns_that_are_published_as_they_are_are_listed_by_name(tmp_path: Path):
    table = stays()
    roles: dict[str, Any] = {"quasi": ["age", "admitted"], "sensitive": ["diagnosis", "salary"], "other": ["ward"]}
    release = shoal.anonymize(table, k=5, l=2, identifier=["discharged", "stay"], effort=5, **roles)
    assert "published as they are: ward, salary, diagnosis" in str(release.certificate)
    page = release.to_html()
    at = page.index("Columns published as they are")
    assert all(name in page[at : at + 700] for name in ("ward", "diagnosis", "salary"))
    written = release.write(tmp_path / "out")
    assert "published as they are: ward, salary, diagnosis" in str(written.certificate)
    shown = " ".join(plain_text._printed(terminal.release(release.content())).split())
    assert "Columns published as they are: ward, salary and diagnosis." in shown
