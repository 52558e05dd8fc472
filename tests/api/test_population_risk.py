"""Risk in the population through the public function and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError
from tests.cli.running import shoal as run
from tests.measure.population.populations import population, sample


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return population(20_000, 4)


@pytest.fixture(scope="module")
def drawn(people: pl.DataFrame) -> pl.DataFrame:
    table = sample(people, 1_000, 8)
    return table.with_columns(w=pl.lit(20.0), home=np.arange(1_000) // 2, note=pl.lit("said in confidence"))


QUASI = ["a", "b", "c", "d"]


def test_weights_that_are_all_alike_are_the_size_of_the_population(drawn: pl.DataFrame) -> None:
    by_size = shoal.population_risk(drawn, quasi=QUASI, population=20_000)
    by_weight = shoal.population_risk(drawn, quasi=QUASI, weight="w")
    assert by_weight.unique == by_size.unique
    assert by_weight.individual == by_size.individual


def test_a_population_table_gives_its_size_and_what_is_counted_in_it(drawn, people) -> None:
    found = shoal.population_risk(drawn, quasi=QUASI, population_table=people)
    assert found.presence is not None
    assert found.presence.population == found.unique.population == 20_000
    assert found.presence.population_uniques <= found.sample_uniques
    assert f"{found.presence.population_uniques} of them in the" in " ".join(str(found).split())


def test_households_are_at_least_as_exposed_as_their_members(drawn: pl.DataFrame) -> None:
    found = shoal.population_risk(drawn, quasi=QUASI, weight="w", household="home").individual
    assert found is not None
    assert found.household_largest is not None
    assert found.household_mean is not None
    assert found.household_largest >= found.largest
    assert found.household_mean >= found.mean


def test_people_with_several_rows_are_counted_once(drawn: pl.DataFrame) -> None:
    """Rows of one person that repeat do not hide that the person is unique, nor stand for more people."""
    once = drawn.select(QUASI).with_row_index("id")
    twice = shoal.population_risk(pl.concat([once, once]), quasi=QUASI, person="id", population=20_000)
    single = shoal.population_risk(once, quasi=QUASI, person="id", population=20_000)
    assert twice.to_dict() == single.to_dict()
    assert twice.rows.height == 2_000
    assert twice.rows["special_score"].null_count() == 1_000


def test_a_release_leaves_nobody_unique(drawn: pl.DataFrame) -> None:
    table = drawn.select(QUASI)
    release = shoal.anonymize(table, k=5, quasi=QUASI)
    found = shoal.population_risk(table, quasi=QUASI, population=20_000, released=release.table)
    assert found.released is not None
    assert found.released.sample_uniques == 0
    assert found.released.unique is not None
    assert found.released.unique.people == 0.0
    assert found.released.individual is not None
    assert found.released.individual.largest <= 1 / 5
    assert found.released.individual.largest < found.individual.largest


def test_the_order_of_rows_changes_nothing(drawn: pl.DataFrame) -> None:
    found = shoal.population_risk(drawn, quasi=QUASI, weight="w", household="home")
    again = shoal.population_risk(drawn.reverse(), quasi=QUASI, weight="w", household="home")
    assert found.unique == again.unique
    assert found.special.people == again.special.people
    assert found.special.dis_largest == pytest.approx(again.special.dis_largest)
    assert found.individual.to_dict() == pytest.approx(again.individual.to_dict())
    assert found.rows["special_score"].to_list() == again.rows["special_score"].to_list()[::-1]


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"population": 999}, ParameterError, "population=999 is fewer than the 1000 people"),
        ({"population": 0}, ParameterError, "population must be a whole number of at least 1"),
        ({"population": True}, ParameterError, "population must be a whole number"),
        ({"size": 0}, ParameterError, "size must be a whole number of at least 1"),
        ({"weight": "x"}, SchemaError, "no column 'x'"),
        ({"weight": "note"}, ParameterError, "column note has 1000 cells that are not sampling weights"),
        ({"quasi": []}, SchemaError, "no column is a quasi-identifier"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(drawn, given, kind, said) -> None:
    with pytest.raises(kind, match=said) as refused:
        shoal.population_risk(drawn, **({"quasi": QUASI} | given))
    assert "confidence" not in str(refused.value)


def test_a_small_sample_without_a_model_is_bounded_and_not_guessed(drawn: pl.DataFrame) -> None:
    alone = shoal.population_risk(drawn.with_row_index("n"), quasi=["n"], population=20_000)
    assert alone.unique.chosen == "zayatz"
    assert "at most 20,000 (100%) are expected" in " ".join(str(alone).split())


def test_the_command_says_what_the_function_finds(drawn: pl.DataFrame, tmp_path: Path) -> None:
    drawn.write_csv(tmp_path / "survey.csv")
    ran = run("risk", tmp_path / "survey.csv", "--quasi", ",".join(QUASI), "--weight", "w", "--json")
    assert ran.code == 0, ran.err
    found = shoal.population_risk(tmp_path / "survey.csv", quasi=QUASI, weight="w")
    told = json.loads(ran.out)
    assert told["unique"]["people"] == found.unique.people
    assert "rows" not in told
    shown = run("risk", tmp_path / "survey.csv", "--quasi", ",".join(QUASI), "--weight", "w")
    assert "are expected to be unique" in " ".join(shown.out.split())
    assert "confidence" not in shown.out
