"""Folders and patterns of Parquet files: one table, or a sentence that names the column that does not fit."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import SchemaError, TableError
from shoal.tables import read


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for year, low in (("2023", 0), ("2024", 5), ("__HIVE_DEFAULT_PARTITION__", 10)):
        folder = tmp_path / "data" / f"year={year}" / "town=K%C3%B6ln"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": range(low, low + 5), "sex": list("fmfmf")}).write_parquet(folder / "part-0.parquet")
    (tmp_path / "data" / "_SUCCESS").touch()
    (tmp_path / "data" / "_old").mkdir()
    (tmp_path / "data" / "_old" / "x.parquet").write_text("no part", encoding="utf-8")
    return tmp_path / "data"


def test_a_folder_is_one_table_with_the_keys_of_its_folders(data: Path) -> None:
    table = read(data)
    assert sorted(table.frame["age"]) == list(range(15))
    assert table.frame.schema == {"age": pl.Int64, "sex": pl.String, "year": pl.Int64, "town": pl.String}
    assert set(table.frame["year"]) == {2023, 2024, None}
    assert set(table.frame["town"]) == {"Köln"}
    assert table.notes == (
        "3 Parquet files were read as one table.",
        "columns taken from the names of folders: 'year', 'town'.",
    )


def test_a_pattern_names_some_of_the_parts(data: Path) -> None:
    for pattern in (f"{data}/year=202*/*/*.parquet", f"{data}/year=202?", f"{data}/**/year=202[34]/**/*.parquet"):
        table = read(pattern)
        assert sorted(table.frame["age"]) == list(range(10))
        assert set(table.frame["year"]) == {2023, 2024}
    with pytest.raises(TableError, match="there is no file"):
        read(f"{data}/*.nothing")
    (data.parent / "empty").mkdir()
    with pytest.raises(TableError, match="is a folder, not a file"):
        read(data.parent / "empty")


def test_a_release_is_made_of_a_folder(data: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(data, quasi=["age", "year"], sensitive="sex", other="town", k=3)
    release.write(tmp_path / "out")
    assert (tmp_path / "out" / "release.parquet").exists()
    assert shoal.verify(tmp_path / "out").holds


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"age": ["x"], "sex": ["f"]}, "column 'age' has the types"),
        ({"age": [1.5], "sex": ["f"]}, "column 'age' has the types double and int64 in different parts"),
        ({"age": [1]}, "column 'sex' is in some of the parts only"),
        ({"age": [1], "sex": ["f"], "name": ["x"]}, "column 'name' is in some of the parts only"),
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_sentence(tmp_path: Path, other: dict, message: str) -> None:
    pl.DataFrame({"age": [1, 2], "sex": ["f", "m"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(other).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(SchemaError, match=message):
        read(tmp_path)


def test_types_are_reconciled_where_no_value_changes(tmp_path: Path) -> None:
    pl.DataFrame(
        {"sex": ["f"], "age": pl.Series([1], dtype=pl.Int8), "x": pl.Series([None], dtype=pl.Null)}
    ).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(
        {"age": pl.Series([2**40]), "x": [1.5], "sex": pl.Series(["m"], dtype=pl.Categorical)}
    ).write_parquet(tmp_path / "b.parquet")
    frame = read(tmp_path).frame
    assert frame.rows() == [("f", 1, None), ("m", 2**40, 1.5)]


def test_keys_must_be_the_same_and_not_in_the_files(data: Path) -> None:
    (data / "year=2025").mkdir()
    pl.DataFrame({"age": [1], "sex": ["f"]}).write_parquet(data / "year=2025" / "x.parquet")
    with pytest.raises(TableError, match="name other keys than"):
        read(data)
    pl.DataFrame({"year": [1]}).write_parquet(data / "year=2025" / "x.parquet")
    with pytest.raises(SchemaError, match="'year' is in the files and in the names of their folders"):
        read(data / "year=2025")


def test_other_files_are_not_read_together(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"'a.csv' is no Parquet file; only these are read together"):
        read(f"{tmp_path}/*.csv")
    named = tmp_path / "odd[1].csv"
    named.write_text("a,b\n1,2\n", encoding="utf-8")
    assert read(named).frame.rows() == [(1, 2)]
