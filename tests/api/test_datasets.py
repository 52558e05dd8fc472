"""The bundled hospital table: generated, repeatable, and shaped like a real one."""

from __future__ import annotations

import datetime as dt

import polars as pl

from shoal.datasets import hospital

AGE = (pl.col("admitted") - pl.col("birth_date")).dt.total_days() / 365.25


def test_the_same_arguments_give_the_same_table() -> None:
    assert hospital().equals(hospital())
    assert not hospital(seed=2).equals(hospital())
    assert hospital(7).height == 7
    assert hospital(0).schema == hospital().schema


def test_columns_and_types() -> None:
    assert hospital().schema == {
        "patient_id": pl.String,
        "name": pl.String,
        "birth_date": pl.Date,
        "sex": pl.String,
        "zip": pl.String,
        "height_cm": pl.Int64,
        "weight_kg": pl.Float64,
        "admitted": pl.Date,
        "ward": pl.String,
        "diagnosis": pl.String,
        "length_of_stay": pl.Int64,
    }


def test_it_looks_like_a_ward_book() -> None:
    frame = hospital().with_columns(AGE.alias("age"))
    assert frame["patient_id"].n_unique() == frame.height
    assert frame["age"].is_between(-0.01, 102).all()
    assert frame["admitted"].is_between(dt.date(2024, 1, 1), dt.date(2024, 12, 31)).all()
    assert frame["zip"].drop_nulls().str.contains("^0[0-9]{4}$").all()
    assert frame["height_cm"].drop_nulls().is_between(40, 215).all()
    assert frame["weight_kg"].drop_nulls().is_between(2, 180).all()
    assert frame["length_of_stay"].drop_nulls().is_between(1, 365).all()
    assert frame["ward"].n_unique() == 8


def test_several_columns_miss_some_cells() -> None:
    counts = hospital().null_count().row(0, named=True)
    missing = {name: count for name, count in counts.items() if count}
    assert set(missing) == {"zip", "height_cm", "weight_kg", "diagnosis", "length_of_stay"}
    assert max(missing.values()) < 200


def test_diagnoses_are_skewed_and_depend_on_age_and_sex() -> None:
    frame = hospital(20_000).with_columns(AGE.alias("age"))
    counts = frame["diagnosis"].drop_nulls().value_counts(sort=True)["count"]
    assert counts[0] > 10 * counts[-1]
    ages = dict(frame.group_by("diagnosis").agg(pl.col("age").mean()).iter_rows())
    assert ages["hip fracture"] > ages["appendicitis"] + 30
    of_men = frame.filter(pl.col("sex") == "m")["diagnosis"]
    assert "childbirth" not in of_men.to_list()
    assert frame.filter(pl.col("diagnosis") == "childbirth")["age"].is_between(10, 55).all()


def test_some_people_are_unique_by_what_neighbors_know() -> None:
    known = hospital().group_by("birth_date", "sex", "zip").len()
    assert known.filter(pl.col("len") == 1).height > 1500
