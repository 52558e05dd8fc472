"""`profile` with a preset: the proposed policy makes a release in which the preset finds no breach."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.certify.preset.zip_codes import zip_area
from shoal.datasets import hospital
from shoal.space.zip_areas import area_of, zip_levels
from tests.cli.running import shoal as run

HARBOR = "hipaa-safe-harbor"
LAST = date.today().year - 90
ZIPS = ["44102", "05901", "20301", "09012", "10001", "10199", "89002", "4410", "SW1A 1AA", "44102-1234"]


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    """The hospital's table with columns of every kind that Safe Harbor has."""
    n = 240
    return hospital(n).with_columns(
        age=pl.Series([20 + (i * 7) % 84 for i in range(n)]),
        birth_year=pl.Series([1920 + (i * 11) % 90 for i in range(n)]),
        zip=pl.Series([ZIPS[i % len(ZIPS)] for i in range(n)]),
        city=pl.Series([["Cleveland", "Burlington", "New York"][i % 3] for i in range(n)]),
        phone=pl.Series([f"(216) 555-{i:04}" for i in range(n)]),
        email=pl.Series([f"p{i}@example.org" for i in range(n)]),
        died=pl.Series([date(1930 + i % 90, 1 + i % 12, 1 + i % 28) for i in range(n)]),
    )


def test_the_proposed_policy_makes_a_release_without_a_breach(table: pl.DataFrame, tmp_path: Path) -> None:
    found = shoal.profile(table, preset=HARBOR)
    policy = found.policy
    for name in ("name", "patient_id", "city", "phone", "email"):
        assert policy.columns[name].role == "identifier", name
    assert policy.columns["age"].top == 90
    assert policy.columns["birth_year"].bottom == LAST
    assert (policy.columns["died"].round, policy.columns["died"].bottom) == ("year", date(LAST, 1, 1))
    shoal.anonymize(table, policy).write(tmp_path / "release")
    checked = shoal.verify(tmp_path / "release", preset=HARBOR).require()
    verdicts = {line.id: line.verdict for line in checked.lines}
    assert "breach" not in verdicts.values()
    written = (tmp_path / "release" / "release.csv").read_text()
    assert "000**" in written
    assert f"<={LAST}" in written
    assert ">=90" in written


def test_without_the_preset_the_same_table_breaks_it(table: pl.DataFrame, tmp_path: Path) -> None:
    table = table.select("age", "zip", "died", "diagnosis")
    shoal.anonymize(table, shoal.profile(table).policy, method="mondrian").write(tmp_path / "release")
    found = shoal.verify(tmp_path / "release", preset=HARBOR)
    assert {"B", "C"} <= {line.id for line in found.lines if line.verdict == "breach"}


def test_the_policy_that_is_written_is_read_again(tmp_path: Path) -> None:
    hospital(150).write_csv(tmp_path / "visits.csv")
    ran = run("profile", tmp_path / "visits.csv", "--preset", HARBOR, "--write", tmp_path / "policy.toml")
    assert ran.code == 0, ran.err
    assert "shoal verify release --preset hipaa-safe-harbor" in " ".join(ran.out.split())
    policy = shoal.Policy.load(tmp_path / "policy.toml")
    assert policy == shoal.profile(tmp_path / "visits.csv", preset=HARBOR).policy
    assert policy.columns["zip"].hierarchy == shoal.Hierarchy(prefix=True, areas="us-zip3")
    assert "HIPAA Safe Harbor C: dates as years" in (tmp_path / "policy.toml").read_text()


def test_codes_that_lost_their_zeros_get_them_back(tmp_path: Path) -> None:
    table = pl.DataFrame({"zip": [5901, 44102, 1101, 44103] * 10, "sex": ["f", "m"] * 20})
    policy = shoal.profile(table, preset=HARBOR).policy
    cells = set(shoal.anonymize(table, policy).table["zip"].unique().to_list())
    assert cells <= {"000**", "011**", "441**", "*"}
    assert "000**" in cells


def test_ages_in_words_are_asked_about() -> None:
    table = pl.DataFrame({"age": ["30-39", "40-49", "90-94", "95 or more"] * 10, "sex": ["f", "m"] * 20})
    found = shoal.profile(table, preset=HARBOR)
    assert (
        "age",
        "HIPAA Safe Harbor C: merge all of its classes above 89 into one (merge = ...).",
    ) in found.questions


def test_a_preset_raises_k_and_never_lowers_it(tmp_path: Path) -> None:
    for k, becomes in ((3, 5), (12, 12)):
        (tmp_path / "own.toml").write_text(f'title = "own"\nsource = "a letter"\nk = {k}\n')
        assert shoal.profile(hospital(100), preset=tmp_path / "own.toml").policy.k == becomes


def test_an_area_of_few_people_is_named_on_no_level() -> None:
    levels = zip_levels(ZIPS)
    assert [len(level) for level in levels] == [len(ZIPS)] * 4
    assert [area_of(code) for code in ZIPS] == ["441", None, None, None, "100", "101", "890", None, None, "441"]
    for level in levels[1:]:
        assert [level[i] for i in (1, 2, 3, 7, 8)] == ["000**"] * 5
    assert (levels[1][0], levels[2][0], levels[3][0]) == ("441**", "44***", "4****")


def test_areas_belong_to_codes() -> None:
    with pytest.raises(ValueError, match="areas belong to prefix = true"):
        shoal.Hierarchy(widths=[5], areas="us-zip3")


def test_the_verifier_has_the_same_areas_by_code_of_its_own() -> None:
    codes = [*ZIPS, *(f"{area:03}01" for area in range(1000)), "44102 1234", "441021234", "44102--1234", "²4102", ""]
    assert [zip_area(code) for code in codes] == [area_of(code) for code in codes]


def test_t_of_a_sensitive_zip_code_is_counted_by_areas(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [30 + i % 20 for i in range(60)], "zip": [ZIPS[i % 7] for i in range(60)]})
    columns = {
        "age": {"role": "quasi"},
        "zip": {"role": "sensitive", "hierarchy": {"prefix": True, "areas": "us-zip3"}},
    }
    policy = {"k": 5, "closeness": {"t": 0.4, "distance": "hierarchical"}, "columns": columns}
    shoal.anonymize(table, policy, publish_rare=["zip"]).write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release").holds


def test_a_plan_keeps_small_areas_hidden_in_the_next_table() -> None:
    first = pl.DataFrame({"zip": ["44102", "05901"] * 20, "sex": ["f", "f", "m", "m"] * 10})
    plan = shoal.anonymize(first, shoal.profile(first, preset=HARBOR).policy).plan
    later = first.with_columns(zip=pl.Series(["44103", "20301"] * 20))  # other codes of the same nodes
    assert set(shoal.apply(plan, later).table["zip"].to_list()) == {"441**", "000**"}
