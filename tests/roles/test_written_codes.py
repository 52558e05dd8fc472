"""Codes with a point in a CSV file stay as they were written: 10.2 and 10.20 are two codes of NACE."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal

CODES = {
    "NACE": ["10.2", "10.20", "10.7", "10.71", "62.0", "62.01", "47.1", "47.11"],
    "icd9": ["250.0", "250.00", "250.1", "250.10", "401.9", "401.90", "410.1", "410.10"],
}


def written(folder: Path, name: str, codes: list[str]) -> Path:
    """A CSV file in which six people have each of the codes."""
    rows = [f"{20 + row % 40},{code}" for row, code in enumerate(codes * 6)]
    (folder / "table.csv").write_text("\n".join([f"age,{name}", *rows]) + "\n", encoding="utf-8")
    return folder / "table.csv"


@pytest.mark.parametrize("name", CODES)
def test_codes_with_a_point_are_proposed_as_codes_and_keep_their_zeros(tmp_path: Path, name: str) -> None:
    source = written(tmp_path, name, CODES[name])
    profile = shoal.profile(source)
    (column,) = (one for one in profile.columns if one.name == name)
    assert (column.kind, column.distinct) == ("hierarchy", 8)
    release = shoal.anonymize(source, profile.policy, k=2, seed=1)
    release.write(tmp_path / "out")
    read = pl.read_csv(tmp_path / "out" / "release.csv", infer_schema=False)[name].to_list()
    assert not [cell for cell in read if cell.startswith("[")]
    if profile.policy.columns[name].role == "sensitive":
        assert set(read) == set(CODES[name])
    assert shoal.verify(tmp_path / "out").holds


def test_a_policy_without_a_kind_takes_them_as_codes_too(tmp_path: Path) -> None:
    release = shoal.anonymize(written(tmp_path, "NACE", CODES["NACE"]), quasi=["age", "NACE"], k=3, seed=1)
    assert release.policy.columns["NACE"].kind == "hierarchy"


@pytest.mark.parametrize(("name", "codes"), [("length", CODES["NACE"]), ("NACE", ["1.5", "120.25", "7.125", "3.0"])])
def test_decimals_without_the_name_or_the_form_stay_numbers(tmp_path: Path, name: str, codes: list[str]) -> None:
    (column,) = (one for one in shoal.profile(written(tmp_path, name, codes)).columns if one.name == name)
    assert column.kind == "number"
    release = shoal.anonymize(written(tmp_path, name, codes), quasi=["age", name], k=3, seed=1)
    assert release.policy.columns[name].kind == "number"


def test_a_persons_number_with_decimals_is_no_measurement_however_many_rows_a_person_has(tmp_path: Path) -> None:
    people = [f"{5216536144 + 7919 * at}.{9795294844 - 104729 * at}" for at in range(30)]
    path = tmp_path / "events.csv"
    path.write_text("user_pseudo_id,clicks\n" + "".join(f"{people[row % 30]},{row % 7}\n" for row in range(3_000)))
    assert shoal.profile(path).columns[0].role in ("identifier", "person")


def test_many_codes_under_a_heading_that_says_number_are_removed_in_tables_of_any_length() -> None:
    cards = [f"{(4973 * at) % 10_000:04}" for at in range(14)]
    for n_rows in (100, 20_000):
        table = pl.DataFrame({"Kartennr. Ende": [cards[row % 14] for row in range(n_rows)], "age": [30] * n_rows})
        assert shoal.profile(table).columns[0].role == "identifier"


def test_codes_of_people_with_many_rows_each_are_removed_under_any_heading() -> None:
    members = [f"NT{1000 + 37 * at}" for at in range(80)]
    table = pl.DataFrame({"Jäsennumero": [members[row % 80] for row in range(8_000)], "age": [30] * 8_000})
    assert shoal.profile(table).columns[0].role in ("identifier", "person")
