"""Sampling weights and the population in a policy: published with care, and used for the risk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.policy import Policy
from shoal.roles.sampling_weights import coarse_step, in_people
from tests.measure.population.populations import population, sample

QUASI = ["a", "b", "c", "d"]
ROLES = {"quasi": QUASI, "k": 5, "effort": 1}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return population(20_000, 4)


@pytest.fixture(scope="module")
def drawn(people: pl.DataFrame) -> pl.DataFrame:
    weights = np.random.default_rng(1).uniform(5, 35, 1_000).round(4)
    return sample(people, 1_000, 8).with_columns(w=weights)


def test_a_weight_of_one_person_alone_is_refused_with_a_step_that_leaves_none(drawn: pl.DataFrame) -> None:
    with pytest.raises(SchemaError, match="of the weights of column 'w' are those of one person alone") as refused:
        shoal.anonymize(drawn, weight="w", **ROLES)
    step = float(str(refused.value.hint).partition('"w": ')[2].partition("}")[0])
    release = shoal.anonymize(drawn, weight="w", round={"w": step}, **ROLES)
    assert release.table["w"].value_counts()["count"].min() >= 5
    assert set((release.table["w"] % step).unique()) == {0.0}
    assert release.findings.holds


def test_rare_weights_are_published_if_the_policy_says_so_and_never_shape_a_group(drawn: pl.DataFrame) -> None:
    secret = bytes(32)
    release = shoal.anonymize(drawn, weight="w", publish_rare="w", secret=secret, **ROLES)
    assert sorted(release.table["w"]) == sorted(drawn["w"])
    mixed = drawn.with_columns(pl.col("w").shuffle(seed=3))
    other = shoal.anonymize(mixed, weight="w", publish_rare="w", secret=secret, **ROLES)
    assert other.table.select(QUASI).unique().sort(QUASI).equals(release.table.select(QUASI).unique().sort(QUASI))
    assert any("may learn more of them than their group" in note for note in release.notes)


def test_a_weight_changed_behind_the_certificate_is_found(drawn: pl.DataFrame) -> None:
    release = shoal.anonymize(drawn, weight="w", round={"w": 10}, **ROLES)
    policy = release.certificate.public_policy()
    assert policy.columns["w"].role == "weight"
    assert shoal.verify(release.table, policy).holds
    forged = release.table.with_columns(pl.Series("w", [11.5, *release.table["w"][1:]]))
    found = shoal.verify(forged, policy)
    assert [failure.check for failure in found.failures] == ["recoding"]


def test_weights_are_used_for_the_risk_before_they_are_rounded(drawn: pl.DataFrame) -> None:
    release = shoal.anonymize(drawn, weight="w", round={"w": 10}, **ROLES)
    alone = shoal.population_risk(drawn, quasi=QUASI, weight="w")
    found = release.risk.in_population
    assert found.individual.expected == pytest.approx(alone.individual.expected)
    assert found.individual.largest == alone.individual.largest
    assert found.unique == alone.unique
    assert found.released.individual.largest < found.individual.largest
    assert release.risk.population == alone.unique.population


def test_relative_weights_are_scaled_to_the_population_or_not_used() -> None:
    weights = pl.Series("w", [0.5, 1.0, 1.5])
    assert in_people(weights, 300)[0].to_list() == [50.0, 100.0, 150.0]
    assert in_people(weights, None) == (None, 1)
    assert in_people(pl.Series("w", [2.0, None]), 300) == (None, 1)


def test_a_population_is_in_the_risk_the_report_and_the_dossier(drawn: pl.DataFrame, tmp_path: Path) -> None:
    policy = {"population": 20_000, "k": 5, "effort": 1, "columns": {name: {"role": "quasi"} for name in QUASI}}
    release = shoal.anonymize(drawn.select(QUASI), policy)
    assert release.risk.in_population.unique == shoal.population_risk(drawn, policy).unique
    assert release.risk.after.journalist_max == pytest.approx(release.risk.after.prosecutor_max / 20)
    assert "in a population of 20,000" in " ".join(str(release.risk).lower().split())
    release.write(tmp_path / "out")
    assert "Risk in the population" in (tmp_path / "out.private" / "report.html").read_text()
    kept = json.loads((tmp_path / "out.private" / "measures.json").read_text())["risk"]["in_population"]
    assert kept["unique"]["population"] == 20_000
    assert "rows" not in kept
    dossier = shoal.dossier(tmp_path / "out")
    assert "Expected to be unique in a population of 20,000" in dossier
    public = "".join(file.read_text() for file in (tmp_path / "out").iterdir() if file.suffix in (".json", ".html"))
    assert "20,000" not in public
    assert "20000" not in public


def test_a_population_table_beside_the_policy_is_counted_in(drawn, people, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv")
    columns = "".join(f'[columns.{name}]\nrole = "quasi"\n' for name in QUASI)
    (tmp_path / "policy.toml").write_text(f'k = 5\neffort = 1\npopulation = "people.csv"\n{columns}')
    policy = Policy.load(tmp_path / "policy.toml")
    assert policy.population == tmp_path / "people.csv"
    release = shoal.anonymize(drawn.select(QUASI), policy)
    expected = shoal.population_risk(drawn, quasi=QUASI, population_table=people)
    assert release.risk.in_population.presence == expected.presence
    assert release.risk.population == 20_000


@pytest.mark.parametrize("size", [999, 1])
def test_a_population_smaller_than_the_table_is_refused_before_anything_is_made(drawn, size: int) -> None:
    with pytest.raises(ParameterError, match="is fewer than the 1000 people of the table"):
        shoal.anonymize(drawn.select(QUASI), population=size, **ROLES)


def test_a_weight_is_a_number_and_there_is_one() -> None:
    with pytest.raises(ParameterError, match="only one column can be the weight"):
        Policy.parse({"columns": {"v": {"role": "weight"}, "w": {"role": "weight"}}})
    with pytest.raises(ParameterError, match="a weight is a number"):
        Policy.parse({"columns": {"w": {"role": "weight", "kind": "label"}}})
    table = pl.DataFrame({"age": [1, 2] * 5, "w": [-1.0, *[2.0] * 9]})
    with pytest.raises(SchemaError, match="1 of 10 cells are below 0"):
        shoal.anonymize(table, quasi="age", weight="w", k=2)
    texts = pl.DataFrame({"age": [1, 2] * 5, "w": ["heavy"] * 10})
    with pytest.raises(SchemaError, match="column 'w'") as refused:
        shoal.anonymize(texts, quasi="age", weight="w", k=2)
    assert "heavy" not in str(refused.value)


def test_a_step_leaves_at_least_so_many_rows_of_every_weight() -> None:
    weights = pl.Series("w", np.random.default_rng(3).uniform(100, 900, 500))
    step = coarse_step(weights, 5)
    assert step is not None
    assert (weights / step).round(0).value_counts()["count"].min() >= 5
    assert coarse_step(pl.Series("w", [1.0] * 9), 5) is None


def test_the_profile_removes_a_survey_weight_and_says_how_to_publish_it(drawn: pl.DataFrame) -> None:
    found = {column.name: column for column in shoal.profile(drawn.rename({"w": "fnlwgt"})).columns}["fnlwgt"]
    assert found.role == "identifier"
    assert 'role = "weight"' in found.questions[0]
    body = pl.DataFrame({"weight": np.random.default_rng(2).integers(45, 120, 300)})
    assert shoal.profile(body).columns[0].role == "quasi"
