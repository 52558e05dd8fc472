"""The reference tables of the field are read as their descriptions say."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import TableError
from shoal.tables import ReadOptions, read

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize(("name", "n_rows"), [("Tarragona.csv", 834), ("Census.csv", 1080)])
def test_numeric_microdata(shared_data: Path, name: str, n_rows: int) -> None:
    frame = read(shared_data / name).frame
    assert frame.shape == (n_rows, 13)
    assert all(dtype.is_numeric() for dtype in frame.dtypes)
    assert sum(frame.null_count().row(0)) == 0


def test_adult(shared_data: Path) -> None:
    table = read(shared_data / "adult" / "adult.csv")
    assert table.frame.shape == (30_162, 9)
    assert table.frame.select(pl.col(pl.Int64)).columns == ["age"]
    assert table.origin.dialect is not None
    assert table.origin.dialect.separator == ";"


def test_a_hierarchy_has_no_header(shared_data: Path) -> None:
    path = shared_data / "adult" / "adult_hierarchy_age.csv"
    with pytest.raises(TableError, match="looks like data"):
        read(path)
    assert read(path, ReadOptions(has_header=False)).frame.width == 5


def test_codes_of_counties_and_areas_stay_text(shared_data: Path) -> None:
    nodes = read(shared_data / "geo" / "county_nodes_2010.csv").frame
    assert nodes.height == 3234
    assert nodes.to_series(0).str.len_chars().unique().to_list() == [5]
    areas = read(shared_data / "geo" / "Gaz_zcta_national.txt").frame
    assert areas.height == 33_121
    assert areas.schema["GEOID"] == pl.String
