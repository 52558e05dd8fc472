"""Releases of some rows: a condition, a sample, and what is said of them where."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.datasets import hospital
from shoal.errors import ParameterError
from shoal.policy import Policy
from tests.cli.running import shoal as run

SECRET = bytes(range(32))
SETTINGS = {"k": 5, "quasi": ["sex", "ward"], "sensitive": "diagnosis", "identifier": "name", "effort": 1}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hospital(400).select("name", "sex", "ward", "diagnosis")


def _ward(table: pl.DataFrame) -> str:
    return table["ward"].value_counts().sort("count")["ward"][-1]


def test_a_release_is_about_the_rows_that_meet_the_condition(table: pl.DataFrame, tmp_path: Path) -> None:
    ward = _ward(table)
    where = f"ward = '{ward}' and sex <> '-'"
    release = shoal.anonymize(table, where=where, secret=SECRET, **SETTINGS)
    assert release.table.height == table.filter(pl.col("ward") == ward, pl.col("sex").is_not_null()).height
    assert release.certificate.suppressed == 0
    assert release.mapping().height == release.table.height
    release.write(tmp_path / "out")
    public = "".join(file.read_text() for file in (tmp_path / "out").iterdir())
    assert "where" not in json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]
    assert where not in public
    assert Policy.load(tmp_path / "out.private" / "policy.toml").where == where


def test_the_same_rows_without_the_condition_give_the_same_release(table: pl.DataFrame) -> None:
    """Nothing that is published comes from rows that do not meet the condition."""
    ward = _ward(table)
    by_condition = shoal.anonymize(table, where=f"ward = '{ward}'", secret=SECRET, **SETTINGS)
    by_hand = shoal.anonymize(table.filter(pl.col("ward") == ward), secret=SECRET, **SETTINGS)
    assert by_condition.table.equals(by_hand.table)


def test_a_sample_does_not_depend_on_the_order_of_rows_but_on_the_secret(table: pl.DataFrame) -> None:
    mixed = table[np.random.default_rng(5).permutation(len(table))]
    one = shoal.anonymize(table, sample=0.5, secret=SECRET, **SETTINGS)
    two = shoal.anonymize(mixed, sample=0.5, secret=SECRET, **SETTINGS)
    other = shoal.anonymize(table, sample=0.5, secret=bytes(32), **SETTINGS)
    assert one.table.height == 200
    assert one.table.equals(two.table)
    assert set(table[one.order.tolist()]["name"]) == set(mixed[two.order.tolist()]["name"])
    assert set(table[one.order.tolist()]["name"]) != set(table[other.order.tolist()]["name"])


def test_of_people_with_several_rows_people_are_drawn() -> None:
    table = pl.DataFrame({"who": np.repeat(np.arange(60), 3), "age": np.tile([20, 30, 40], 60), "x": ["a", "b"] * 90})
    release = shoal.anonymize(table, person="who", quasi="age", sensitive="x", k=3, sample=0.5, secret=SECRET)
    drawn = table[release.order.tolist()]["who"]
    assert drawn.n_unique() == 30
    assert len(drawn) == 90


def test_a_sample_is_one_of_the_table_in_the_risk_and_of_the_population_if_one_is_given(table: pl.DataFrame) -> None:
    alone = shoal.anonymize(table, sample=0.5, secret=SECRET, **SETTINGS).risk
    assert alone.population == 400
    assert alone.in_population.unique.sampling_fraction == pytest.approx(0.5)
    assert alone.before.journalist_max == pytest.approx(alone.before.prosecutor_max / 2)
    stated = shoal.anonymize(table, sample=0.5, population=10_000, secret=SECRET, **SETTINGS).risk
    assert stated.in_population.unique.sampling_fraction == pytest.approx(200 / 10_000)


def test_a_release_made_again_draws_the_same_sample_and_another_table_another(table: pl.DataFrame, tmp_path) -> None:
    first = shoal.anonymize(table, sample=0.5, **SETTINGS)
    first.write(tmp_path / "out")
    again = shoal.anonymize(table, sample=0.5, secret=tmp_path / "out.private", **SETTINGS)
    assert again.table.equals(first.table)
    other = shoal.anonymize(table[:399], sample=0.5, secret=tmp_path / "out.private", **SETTINGS)
    assert other.secret.key != first.secret.key


def test_compare_and_apply_are_about_the_same_rows(table: pl.DataFrame) -> None:
    ward = _ward(table)
    found = shoal.compare(table, k=[5], where=f"ward = '{ward}'", **{k: v for k, v in SETTINGS.items() if k != "k"})
    assert found.trials[0].n_groups >= 1
    release = shoal.anonymize(table, where=f"ward = '{ward}'", **SETTINGS)
    later = shoal.apply(release.plan, table)
    assert later.table.height == table.filter(pl.col("ward") == ward).height


def test_attacks_know_the_rows_that_meet_the_condition(table: pl.DataFrame) -> None:
    ward = _ward(table)
    release = shoal.anonymize(table, where=f"ward = '{ward}'", **SETTINGS)
    found = shoal.attack(table, release.table, release.policy)
    assert found.n_originals == table.filter(pl.col("ward") == ward).height
    assert not found.exceeds


def test_a_sequence_cannot_be_sampled(table: pl.DataFrame) -> None:
    with pytest.raises(ParameterError, match="a sequence cannot be sampled"):
        shoal.anonymize(table, sample=0.5, link="name", **SETTINGS)


def test_a_certificate_with_a_condition_is_refused(table: pl.DataFrame) -> None:
    stated = json.loads(shoal.anonymize(table, **SETTINGS).certificate.to_public_json())
    for key, value in (("where", "sex = 'm'"), ("sample", 0.5), ("population", 9_000)):
        forged = stated | {"policy": stated["policy"] | {key: value}}
        with pytest.raises(ParameterError, match="policy that is not written as Shoal writes it"):
            shoal.Certificate.from_json(json.dumps(forged))


def test_the_command_takes_a_condition_a_sample_and_a_population(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "t.csv")
    ward = _ward(table)
    done = run(
        "anonymize", tmp_path / "t.csv", "-o", tmp_path / "out", "--k", "3", "--quasi", "sex,ward",
        "--sensitive", "diagnosis",
        "--identifier", "name", "--where", f"ward = '{ward}'", "--sample", "0.9", "--population", "50_000",
        "--effort", "1",
    )  # fmt: skip
    assert done.code == 0, done.err
    shown = " ".join(done.out.split())
    assert "rows meet the condition" in shown
    assert "In a population of 50,000" in shown
