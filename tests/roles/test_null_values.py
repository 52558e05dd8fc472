"""Cells that the policy lists as missing for their column are read as missing, and published so."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.policy import Column, Policy
from shoal.roles import without_null_values
from shoal.tables import read
from shoal.tables.table import Origin, Table


def emptied(values: list[Any] | pl.Series, *codes: Any, role: str = "quasi") -> list[Any]:
    policy = Policy.parse({"columns": {"x": {"role": role, "null_values": list(codes)}}})
    return without_null_values(Table(pl.DataFrame({"x": values}), Origin("polars")), policy).frame["x"].to_list()


@pytest.mark.parametrize("code", [999, 999.0, "999", " 999 ", "999.0"])
def test_a_number_is_missing_however_the_code_is_written(code: Any) -> None:
    assert emptied([5, 999, 99], code) == [5, None, 99]
    assert emptied([5.5, 999.0, 99.9], code) == [5.5, None, 99.9]


def test_a_text_is_missing_only_if_it_is_the_code() -> None:
    assert emptied(["k.A.", " k.A. ", "K.A.", "00999", "999"], "k.A.", 999) == [None, None, "K.A.", "00999", None]


@pytest.mark.parametrize("code", ["9999-12-31", date(9999, 12, 31)])
def test_dates_and_times_are_missing_by_their_day(code: Any) -> None:
    assert emptied([date(2020, 1, 1), date(9999, 12, 31)], code) == [date(2020, 1, 1), None]
    moments = [datetime(9999, 12, 31), datetime(9999, 12, 31, 8)]
    assert emptied(moments, code) == [None, moments[1]]


def test_a_column_published_as_it_is_keeps_its_cells() -> None:
    assert emptied(["k.A.", "x"], "k.A.", role="other") == ["k.A.", "x"]


def test_a_policy_with_codes_is_written_and_read_back_as_it_was() -> None:
    policy = Policy(columns={"x": Column(role="quasi", null_values=("k.A.", 999, -1.0, date(9999, 12, 31)))})  # type: ignore[arg-type]
    assert policy.columns["x"].null_values == ("k.A.", "999", "-1", "9999-12-31")
    assert Policy.loads(policy.dumps()) == policy
    again = Policy.loads('[columns.x]\nrole = "quasi"\nnull_values = ["k.A.", 999, -1, 9999-12-31]\n')
    assert again == policy
    with pytest.raises(ParameterError, match="null_values"):
        Policy.loads('[columns.x]\nrole = "quasi"\nnull_values = [true]\n')


def test_a_csv_column_gets_the_type_of_its_other_cells_and_keeps_its_text(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x;y\n1,50;k.A.\nk.A.;7\n2,25;8\n", encoding="utf-8")
    table = read(tmp_path / "x.csv", shoal.tables.ReadOptions(decimal=","))
    codes = {"null_values": ["k.A."]}
    policy = Policy.parse({"columns": {"x": {"role": "quasi"} | codes, "y": {"role": "sensitive"} | codes}})
    found = without_null_values(table, policy)
    assert found.frame.to_dict(as_series=False) == {"x": [1.5, None, 2.25], "y": [None, 7, 8]}
    assert found.texts.to_dict(as_series=False) == {"x": ["1,50", None, "2,25"], "y": [None, "7", "8"]}


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_what_means_missing_is_not_in_a_release_and_widens_no_range(tmp_path: Path, ranges: str) -> None:
    rows = [f"{20 + row % 40},{'flu' if row % 3 else 'cold'},{1000 + row}" for row in range(60)]
    for row in range(0, 60, 7):
        rows[row] = f"{('999', 'k.A.')[row % 2]},unbekannt,-1"
    (tmp_path / "people.csv").write_text("age,illness,pay\n" + "\n".join(rows) + "\n", encoding="utf-8")
    shoal.profile(tmp_path / "people.csv").write(tmp_path / "policy.toml")
    policy = Policy.load(tmp_path / "policy.toml")
    assert set(policy.columns["age"].null_values) == {"999", "k.A."}
    assert policy.columns["illness"].null_values == ("unbekannt",)
    assert policy.columns["pay"].null_values == ("-1",)
    release = shoal.anonymize(tmp_path / "people.csv", policy, k=5, ranges=ranges, publication="generalize")
    release.write(tmp_path / "out")
    published = (tmp_path / "out" / "release.csv").read_text(encoding="utf-8")
    assert not [code for code in ("999", "k.A.", "unbekannt", "-1") if code in published]
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.verify(tmp_path / "out", policy.model_copy(update={"ranges": ranges})).holds
    shoal.attack(tmp_path / "people.csv", tmp_path / "out" / "release.csv", policy, publication="generalize")


def test_a_plan_reads_the_next_file_with_the_same_codes(tmp_path: Path) -> None:
    rows = [f"{20 + row % 10},{'flu' if row % 3 else 'cold'}" for row in range(60)]
    rows[:10] = ["k.A.,unknown"] * 10
    (tmp_path / "one.csv").write_text("age,illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    release = shoal.anonymize(
        tmp_path / "one.csv", shoal.profile(tmp_path / "one.csv").policy, publication="generalize"
    )
    (tmp_path / "two.csv").write_text("age,illness\n" + "\n".join(reversed(rows)) + "\n", encoding="utf-8")
    again = shoal.apply(release.plan, tmp_path / "two.csv")
    assert "k.A." not in again.table.write_csv()
    assert "unknown" not in again.table.write_csv()
