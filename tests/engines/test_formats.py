"""Formats of dates and numbers, and codes of missing values, are read in blocks as they are in memory."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines.folder import LargeRelease
from shoal.engines.local import LocalEngine
from shoal.engines.outline import outline_of
from shoal.engines.release import release_rows
from shoal.engines.survey import SurveyRows, merged
from shoal.errors import SchemaError
from shoal.policy import Policy
from tests.engines.tables import german, in_texts, people, policy, stored
from tests.fixed_secret import SECRET


def table() -> pl.DataFrame:
    return people(400, 3, gaps=True).with_columns(pl.col("pay") * 1.25 + 0.5)


def cells(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Return the released rows without their order; every cell as text."""
    names = [name for name in frame.columns if name != "illness"]
    return sorted(frame.select(pl.col(names).cast(pl.String).fill_null("")).rows())


def released(source: Path, asked: Policy, folder: Path) -> pl.DataFrame:
    with shoal.anonymize(source, asked, engine="local", secret=SECRET, work=folder) as release:
        release.write(folder / f"out {source.suffix}")
    found = shoal.verify(folder / f"out {source.suffix}", asked)
    assert found.holds
    assert not list(folder.glob(".shoal-*"))
    return pl.read_parquet(folder / f"out {source.suffix}" / "release.parquet")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
@pytest.mark.parametrize("settings", [{}, {"publication": "suppress"}, {"ranges": "columns"}])
def test_cells_are_published_in_their_format_as_in_memory(tmp_path: Path, name: str, settings: dict) -> None:
    frame = in_texts(table())
    asked = german(method="mondrian", **settings)
    path = tmp_path / name
    frame.write_csv(path, separator=";") if name.endswith("csv") else frame.write_parquet(path)
    found = released(path, asked, tmp_path)
    in_memory = shoal.anonymize(frame, asked, secret=SECRET).table
    assert found.columns == in_memory.columns
    assert cells(found) == cells(in_memory)
    texts = " ".join(str(cell) for row in found.rows() for cell in row)
    assert "k.A." not in texts
    assert "-9" not in texts


def test_blocks_agree_on_numbers_of_which_only_some_have_decimals(tmp_path: Path) -> None:
    """Blocks with whole numbers only must have the type that the table has, and sensitive ones keep their texts."""
    frame = people(3000, 4).with_columns(
        pay=pl.when(pl.col("pay") > 3000).then(pl.col("pay").cast(pl.Int64).cast(pl.String) + ",5 EUR").otherwise(
            pl.col("pay").cast(pl.Int64).cast(pl.String)
        ),
        illness=pl.lit("1.") + (pl.int_range(pl.len()) % 7 + 100).cast(pl.String) + ",50 EUR",
    )  # fmt: skip
    form = {"decimal": ",", "thousands": ".", "suffix": " EUR"}
    columns = dict(policy().model_dump(exclude_unset=True)["columns"])
    columns["pay"] |= {"number": form}
    columns["illness"] |= {"number": form, "closeness": {"t": 0.4, "distance": "ordered"}}
    asked = Policy.parse({"k": 5, "effort": 2.0, "columns": columns})
    with closing(LocalEngine(n_workers=2)) as engine:
        read = engine.read(stored(frame, tmp_path))
        rows = release_rows(engine, read, asked, SECRET, source="table.parquet", size=700)
        assert len(rows.summaries) > 1
        release = LargeRelease(rows=rows, seconds={}).write(tmp_path / "out")
    assert release.certificate.holds
    found = pl.read_parquet(tmp_path / "out" / "release.parquet")
    assert sorted(found["illness"]) == sorted(frame["illness"]), "sensitive cells are published as they were read"
    assert found["pay"].str.contains(r"^\[?[\d.,]+ EUR").all()


def test_dates_in_texts_are_found_as_in_memory(tmp_path: Path) -> None:
    frame = people(200, 5).with_columns(pl.col("born").dt.strftime("%d.%m.%Y"))
    frame.write_parquet(tmp_path / "t.parquet")
    columns = dict(policy().model_dump(exclude_unset=True)["columns"]) | {"born": {"role": "quasi"}}
    found = released(tmp_path / "t.parquet", Policy.parse({"k": 5, "effort": 2.0, "columns": columns}), tmp_path)
    assert found["born"].str.contains(r"^\[?\d\d\.\d\d\.\d{4}").all()


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_cell_that_is_not_in_the_format_is_counted_in_a_sentence(tmp_path: Path, name: str) -> None:
    frame = in_texts(table())
    frame = frame.with_columns(born=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("31.2.1990")).otherwise("born"))
    frame.write_csv(tmp_path / name) if name.endswith("csv") else frame.write_parquet(tmp_path / name)
    with pytest.raises(SchemaError, match="'born'") as raised:
        shoal.anonymize(tmp_path / name, german(), engine="local", secret=SECRET, work=tmp_path)
    assert "31.2" not in str(raised.value)
    assert not list(tmp_path.glob(".shoal-*"))


def test_numbers_as_texts_without_a_format_are_refused_with_the_way_out(tmp_path: Path) -> None:
    people(60).with_columns(pl.col("pay").cast(pl.String)).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(SchemaError, match="holds numbers or dates as text") as raised:
        shoal.anonymize(tmp_path / "t.parquet", policy(), engine="local", secret=SECRET, work=tmp_path)
    assert "number or format" in str(raised.value)


def test_rows_with_whole_numbers_only_have_the_type_of_the_table() -> None:
    asked = german()
    public = asked.model_copy(update={"columns": {n: c for n, c in asked.columns.items() if n != "name"}})
    frame = in_texts(table().drop_nulls()).drop("name")
    batches = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()
    found = next(iter(SurveyRows(tuple(public.quasi), frozenset(), None, 100, 10)(batches)))
    outline = outline_of(merged(pa.Table.from_batches([found]), 100, 10), public, frame.columns)
    assert outline.table.frame.schema["pay"] == pl.Float64
    whole = outline.typed(frame.head(1).with_columns(pay=pl.lit("3.000 EUR")))
    assert whole.frame.schema["pay"] == pl.Float64
    assert whole.frame["pay"].item() == 3000
